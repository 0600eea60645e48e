"""Pairs with many differences, put together from pairs with few that lie far apart.

Contract. Far apart, differences do not interact, so a pair that holds two good windows spends
nearly what both spend together. What is made here is only a candidate: a pair of words of the
language with the right number of differences and an admitted length, or None.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.weighted.limits import Lengths
from privet.weighted.words.problem import Word, WordProblem

_MARGINS = (16, 12, 9, 7, 6, 5, 4, 3, 2, 1, 0)


@dataclass(frozen=True)
class _Core:
    """A stretch of a pair: both words are in `start` before it and in `end` behind it."""

    start: int
    end: int
    under: Word
    over: Word


def composed(
    problem: WordProblem, one: tuple[Word, Word], two: tuple[Word, Word], lengths: Lengths
) -> tuple[Word, Word] | None:
    """A pair with the differences of both, as wide around them as the lengths allow."""
    for margin in _MARGINS:
        cores = [_core(problem, *pair, margin) for pair in (one, two)]
        first, second = cores
        if first is None or second is None:
            continue
        whole = _joined(problem, first, second, lengths, margin)
        if whole is not None:
            return whole
    return None


def _core(problem: WordProblem, w: Word, v: Word, margin: int) -> _Core | None:
    apart = [t for t, (x, y) in enumerate(zip(w, v, strict=True)) if x != y]
    start, end = max(0, apart[0] - margin), min(len(w), apart[-1] + margin + 1)
    a, b = _states(problem, w), _states(problem, v)
    while a[end] != b[end]:
        if end == len(w):
            return None
        end += 1
    return _Core(a[start], a[end], w[start:end], v[start:end])


def _states(problem: WordProblem, word: Word) -> list[int]:
    states = [problem.automaton.initial]
    for symbol in word:
        states.append(problem.automaton.moves[states[-1]][symbol])
    return states


def _joined(
    problem: WordProblem, one: _Core, two: _Core, lengths: Lengths, margin: int
) -> tuple[Word, Word] | None:
    used = len(one.under) + len(two.under)
    most = used + 3 * margin + 3 * problem.states
    if lengths.longest is not None:
        most = lengths.longest
    elif lengths.shortest > most:
        most = lengths.shortest
    ends = np.array(problem.automaton.accepting)
    to_start, to_two, to_end = (
        _ways(problem, goal, max(0, most - used))
        for goal in (_only(problem, one.start), _only(problem, two.start), ends)
    )
    spare = most - used
    for total in range(spare, max(-1, lengths.shortest - used - 1), -1):
        for before in sorted(range(total + 1), key=lambda t: abs(3 * t - total)):
            if not to_start[before, problem.automaton.initial]:
                continue
            for between in sorted(range(total - before + 1), key=lambda t: abs(3 * t - total)):
                after = total - before - between
                if to_two[between, one.end] and to_end[after, two.end]:
                    start = _path(problem, problem.automaton.initial, before, to_start)
                    middle = _path(problem, one.end, between, to_two)
                    end = _path(problem, two.end, after, to_end)
                    return (
                        start + one.under + middle + two.under + end,
                        start + one.over + middle + two.over + end,
                    )
    return None


def _only(problem: WordProblem, state: int) -> NDArray[np.bool_]:
    return np.asarray(np.arange(problem.states) == state)


def _ways(problem: WordProblem, goal: NDArray[np.bool_], most: int) -> NDArray[np.bool_]:
    """(most + 1, Q): whether t symbols can lead from a state to the goal."""
    table = np.zeros((most + 1, problem.states), np.bool_)
    table[0] = goal
    moves = problem.moves
    for t in range(1, most + 1):
        table[t] = ((moves >= 0) & table[t - 1][moves]).any(axis=1)
    return table


def _path(problem: WordProblem, state: int, length: int, table: NDArray[np.bool_]) -> Word:
    word: list[int] = []
    for left in range(length, 0, -1):
        symbol, state = next(
            (x, then)
            for x, then in enumerate(problem.automaton.moves[state])
            if then >= 0 and table[left - 1, then]
        )
        word.append(symbol)
    return tuple(word)
