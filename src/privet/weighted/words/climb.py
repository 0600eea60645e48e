"""Raises Z(v)/Z(w) of a concrete pair of words by changing a few neighbouring places at a time.

Contract. The pair stays one of the language, of the same length, with as many differences. Floats
steer; what the pair is worth is computed in integers by `exact_ratio`.
"""

from fractions import Fraction

import numpy as np

from privet.symbols import hamming_distance
from privet.weighted.limits import Clock
from privet.weighted.words.problem import Floats, Word, WordProblem

_BLOCK = 2
_MOST_BLOCKS = 40_000
_FEW = 24
"""With more symbols, one place at a time."""

_NEAR = 16


def exact_ratio(problem: WordProblem, w: Word, v: Word) -> Fraction:
    """Z(v)/Z(w) of two words of one length, exactly."""
    return Fraction(problem.weight(v), problem.weight(w))


class _Line:
    """One word: the state and vector before the present place, the vectors behind each place.

    What lies behind stays right while places before it change, so one sweep makes it once.
    """

    def __init__(self, problem: WordProblem, word: Word) -> None:
        self.problem = problem
        self.state = problem.automaton.initial
        self.row: Floats = np.zeros(problem.states)
        self.row[self.state] = 1
        self.behind = np.zeros((len(word) + 1, problem.states))
        self.lives = np.zeros((len(word) + 1, problem.states), np.bool_)
        self.behind[-1] = problem.accepting
        self.lives[-1] = problem.accepting > 0
        for t in range(len(word) - 1, -1, -1):
            column = problem.steps[word[t]] @ self.behind[t + 1]
            self.behind[t] = column / column.max()
            then = problem.moves[:, word[t]]
            self.lives[t] = (then >= 0) & self.lives[t + 1][then]

    def advance(self, symbol: int) -> None:
        """Goes on to the next place."""
        self.state = self.problem.automaton.moves[self.state][symbol]
        row = self.row @ self.problem.steps[symbol]
        self.row = row / row.max()


def climb(
    problem: WordProblem, w: Word, v: Word, clock: Clock, sweeps: int = 12
) -> tuple[Word, Word]:
    """A pair at least as good as (w, v); in time, one that no small change raises further."""
    for _ in range(sweeps):
        before = w, v
        one, two = _Line(problem, w), _Line(problem, v)
        near = _near(w, v)
        for start in range(len(w)):
            if start in near and clock.left > 0:
                size = min(_BLOCK if problem.symbols <= _FEW else 1, len(w) - start)
                a, b = _best_block(problem, one, two, (w, v), start, size)
                w = (*w[:start], *a, *w[start + size :])
                v = (*v[:start], *b, *v[start + size :])
            one.advance(w[start])
            two.advance(v[start])
        if (w, v) == before:
            break
    return w, v


def _near(w: Word, v: Word) -> set[int]:
    """Where blocks may start: what is far from every difference hardly matters."""
    apart = [t for t, (x, y) in enumerate(zip(w, v, strict=True)) if x != y]
    starts = range(max(1, len(w) - _BLOCK + 1))
    return {t for t in starts if any(abs(t - place) <= _NEAR for place in apart)}


def _best_block(
    problem: WordProblem, one: _Line, two: _Line, pair: tuple[Word, Word], start: int, size: int
) -> tuple[Word, Word]:
    """What to put in places start..start + size - 1 of both words, if only these may change."""
    end = start + size
    current = pair[0][start:end], pair[1][start:end]
    differences = hamming_distance(*current)
    options = _blocks(problem, one.state, two.state, size, differences)
    kept = [(a, b) for a, b, p, r in options if one.lives[end, p] and two.lives[end, r]]
    if len(kept) < 2 or current not in kept:
        return current
    under = _values(problem, one, [a for a, _ in kept], end)
    over = _values(problem, two, [b for _, b in kept], end)
    gain = np.log(over) - np.log(under)
    best = int(gain.argmax())
    return kept[best] if gain[best] > gain[kept.index(current)] + 1e-12 else current


def _blocks(
    problem: WordProblem, p: int, r: int, size: int, differences: int
) -> list[tuple[Word, Word, int, int]]:
    """The blocks that states p and r can read, with that many differences, and where they lead.

    Few at most: of too many, those that begin like others are not looked at.
    """
    moves = problem.automaton.moves
    found: list[tuple[Word, Word, int, int, int]] = [((), (), p, r, differences)]
    for place in range(size):
        found = [
            ((*a, x), (*b, y), moves[s][x], moves[t][y], rem - (x != y))
            for a, b, s, t, rem in found[: max(1, _MOST_BLOCKS // problem.symbols)]
            for x in range(problem.symbols)
            if moves[s][x] >= 0
            for y in ((x,) if not rem else range(problem.symbols))
            if moves[t][y] >= 0 and 0 <= rem - (x != y) < size - place
        ]
    return [(a, b, s, t) for a, b, s, t, rem in found if not rem]


def _values(problem: WordProblem, line: _Line, blocks: list[Word], end: int) -> Floats:
    """(K,): the weight of the word with each block put in, up to one factor."""
    known: dict[Word, float] = {}
    for block in blocks:
        if block not in known:
            row = line.row
            for symbol in block:
                row = row @ problem.steps[symbol]
            known[block] = float(row @ line.behind[end])
    return np.array([known[block] for block in blocks])
