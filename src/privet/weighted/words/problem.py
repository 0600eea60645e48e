"""Words of a deterministic automaton, weighted by their distance: what Z(w) is made of.

Contract. `moves[p][x]` is the state that symbol x leads to from state p, or -1. A word of the
language is one that leads from `initial` to an accepting state. For a rational ratio 0 < q < 1,

    Z(w) = sum over words u of the language with as many symbols of q^(places where u and w differ)
         = e_initial T_w1 ... T_wn 1_accepting,   T_x[p, p'] = sum over y: p -y-> p' of q^[y != x].

The exponential mechanism at ratio q gives u with probability q^d(w,u) / Z(w)
[chen-leahy-jones-hale-2023], so a pair of words (w, v) with d differences costs it
d log(1/q) + log Z(v)/Z(w) and never more.
`trimmed` keeps the words and only gives up states through which no word passes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import fmpz
from numpy.typing import NDArray

from privet.errors import ModelError, ParameterError, ParameterTypeError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Word = tuple[int, ...]


@dataclass(frozen=True)
class WordAutomaton:
    """A table: `moves` (S rows of m states, -1 for none), `initial`, `accepting` (S flags).

    Errors: ModelError for shapes that do not fit and for states outside the table.
    """

    moves: tuple[tuple[int, ...], ...]
    initial: int
    accepting: tuple[bool, ...]

    def __post_init__(self) -> None:
        states = len(self.moves)
        if not states or len(self.accepting) != states or not 0 <= self.initial < states:
            raise ModelError(
                "The automaton needs a row and a flag for each state, the initial one among them.",
                hint="Give as many accepting flags as rows of moves.",
            )
        width = len(self.moves[0])
        if not width or any(len(row) != width for row in self.moves):
            raise ModelError(
                "The rows of the automaton differ in length or are empty.",
                hint="Give one entry per symbol, -1 where the symbol leads nowhere.",
            )
        if any(not -1 <= state < states for row in self.moves for state in row):
            raise ModelError(
                "A move of the automaton leads to a state that it does not have.",
                hint="States are the rows of the table, counted from 0; -1 is no move.",
            )

    @property
    def symbols(self) -> int:
        """The number of symbols."""
        return len(self.moves[0])

    def trimmed(self) -> "WordAutomaton":
        """Without the states that no word passes. Errors: ModelError if there is no word at all."""
        forward = _closure([self.initial], [set(row) - {-1} for row in self.moves])
        before: list[set[int]] = [set() for _ in self.moves]
        for state, row in enumerate(self.moves):
            for then in set(row) - {-1}:
                before[then].add(state)
        backward = _closure([p for p, flag in enumerate(self.accepting) if flag], before)
        kept = sorted(forward & backward)
        if self.initial not in kept:
            raise ModelError(
                "The automaton accepts no word.", hint="Check its moves and accepting states."
            )
        number = {state: new for new, state in enumerate(kept)} | {-1: -1}
        return WordAutomaton(
            tuple(tuple(number.get(then, -1) for then in self.moves[p]) for p in kept),
            number[self.initial],
            tuple(self.accepting[p] for p in kept),
        )

    def minimised(self) -> "WordAutomaton":
        """The same words with the fewest states, if this is trimmed.

        Two words are then in one state as soon as they can go on in the same ways.
        """
        block = [int(flag) for flag in self.accepting]
        while True:
            keys = [
                (block[p], *(block[r] if r >= 0 else -1 for r in row))
                for p, row in enumerate(self.moves)
            ]
            number = {key: index for index, key in enumerate(dict.fromkeys(keys))}
            done = len(number) == len(set(block))
            block = [number[key] for key in keys]
            if done:
                break
        first = [block.index(index) for index in range(len(number))]
        return WordAutomaton(
            tuple(tuple(block[r] if r >= 0 else -1 for r in self.moves[p]) for p in first),
            block[self.initial],
            tuple(self.accepting[p] for p in first),
        )


def _closure(start: list[int], then: Sequence[set[int]]) -> set[int]:
    seen, left = set(start), list(start)
    while left:
        for state in then[left.pop()] - seen:
            seen.add(state)
            left.append(state)
    return seen


@dataclass(frozen=True)
class WordProblem:
    """A trimmed automaton and the ratio. Errors: ParameterError for a q outside (0, 1)."""

    automaton: WordAutomaton
    q: Fraction

    def __post_init__(self) -> None:
        if not isinstance(self.q, Fraction):
            raise ParameterTypeError("q is not a Fraction.", hint="Give an exact ratio, e^-rate.")
        if not 0 < self.q < 1:
            raise ParameterError("q lies outside (0, 1).", hint="It is e^-rate for a rate above 0.")

    @property
    def states(self) -> int:
        """The number of states Q."""
        return len(self.automaton.moves)

    @property
    def symbols(self) -> int:
        """The number of symbols m."""
        return self.automaton.symbols

    @cached_property
    def moves(self) -> Ints:
        """(Q, m) int64."""
        return np.array(self.automaton.moves, np.int64)

    @cached_property
    def accepting(self) -> Floats:
        """(Q,) float64: 1 where a word may end."""
        return np.array(self.automaton.accepting, np.float64)

    @cached_property
    def steps(self) -> Floats:
        """(m + 1, Q, Q) float64: T_x for each symbol, and the identity (no symbol) at the end."""
        steps = np.zeros((self.symbols + 1, self.states, self.states))
        q = float(self.q)
        for state, row in enumerate(self.automaton.moves):
            for symbol, then in enumerate(row):
                if then >= 0:
                    steps[:-1, state, then] += q
                    steps[symbol, state, then] += 1 - q
        steps[-1] = np.eye(self.states)
        return steps

    def accepts(self, word: Sequence[int]) -> bool:
        """Whether the word is one of the language."""
        state = self.automaton.initial
        for symbol in word:
            state = self.automaton.moves[state][symbol]
            if state < 0:
                return False
        return self.automaton.accepting[state]

    def weight(self, word: Sequence[int]) -> int:
        """Z(word) times (denominator of q)^length, an exact integer."""
        other, same = fmpz(self.q.numerator), fmpz(self.q.denominator)
        now = {self.automaton.initial: fmpz(1)}
        for symbol in word:
            then: dict[int, fmpz] = {}
            kept: dict[int, fmpz] = {}
            for state, mass in now.items():
                for y, target in enumerate(self.automaton.moves[state]):
                    if target >= 0:
                        side = kept if y == symbol else then
                        side[target] = side.get(target, 0) + mass
            now = {state: other * mass for state, mass in then.items()}
            for state, mass in kept.items():
                now[state] = now.get(state, 0) + same * mass
        return int(sum(mass for state, mass in now.items() if self.automaton.accepting[state]))
