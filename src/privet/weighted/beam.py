"""Promising words, found in floats.

Contract. Nothing here decides: the words are candidates whose ratio is then computed exactly, so a
poor guess costs time and never truth. A beam keeps the prefixes whose best continuation by a few
symbols has the largest ratio.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from privet.weighted.limits import Clock
from privet.weighted.problem import Cell, RatioProblem, Word, read_backwards
from privet.weighted.vectors import FloatArray, unit_floats

_MOST_GAIN = 1e300


@dataclass
class _Front:
    """Prefixes in one control state: their two row vectors (count, n), and the words backwards."""

    first: FloatArray
    second: FloatArray
    words: list[Cell]


class Beam:
    """Beams of one problem.

    `suffixes`: (symbols left, control state) -> (n, count) some suffixes of no more symbols;
    `width`: prefixes kept at each length.
    """

    def __init__(
        self,
        problem: RatioProblem,
        suffixes: Callable[[int, int], FloatArray | None],
        width: int = 48,
    ) -> None:
        self._problem, self._suffixes, self._width = problem, suffixes, width
        self._steps = [[_unit_matrix(matrix) for matrix in row] for row in problem.steps]

    def words(self, length: int, clock: Clock, every: bool = False) -> list[tuple[float, Word]]:
        """(about its ratio, word): candidates of `length` symbols, the best first.

        `every`: one of each length up to it instead. None of the lengths that the clock leaves no
        time for.
        """
        problem = self._problem
        # Over one number, so that quotients are the ratios themselves.
        both, size = unit_floats((*problem.first, *problem.second)), len(problem.first)
        start = _Front(both[None, :size], both[None, size:], [None])
        fronts = {problem.initial: start}
        found: list[tuple[float, Word]] = []
        for position in range(length):
            if clock.left <= 0:
                return found
            fronts = self._step(fronts)
            fronts = self._best(fronts, 0 if every else length - position - 1)
            if every:
                found += self._ended(fronts)[:1]
        return found if every else self._ended(fronts)

    def _step(self, fronts: dict[int, _Front]) -> dict[int, _Front]:
        parts: dict[int, list[_Front]] = {}
        for state, front in fronts.items():
            for symbol, then in enumerate(self._problem.moves[state]):
                matrix = self._steps[state][symbol]
                if matrix is not None:
                    words: list[Cell] = [(word, symbol) for word in front.words]
                    new = _Front(front.first @ matrix, front.second @ matrix, words)
                    parts.setdefault(then, []).append(new)
        return {
            state: _Front(
                np.concatenate([f.first for f in some]),
                np.concatenate([f.second for f in some]),
                [word for f in some for word in f.words],
            )
            for state, some in parts.items()
        }

    def _best(self, fronts: dict[int, _Front], left: int) -> dict[int, _Front]:
        """The `width` prefixes of each control state that promise most, distinct in promise."""
        result = {}
        for state, front in fronts.items():
            tests = self._suffixes(left, state)
            if tests is None:
                continue
            gains = quotients(front.first @ tests, front.second @ tests).max(axis=1)
            order = np.argsort(-gains, kind="stable")
            sorted_ = gains[order]
            is_new = sorted_ >= 0
            is_new[1:] &= sorted_[1:] != sorted_[:-1]
            order = order[is_new][: self._width]
            first, second = front.first[order], front.second[order]
            scale = np.maximum(first.max(axis=1, initial=0), second.max(axis=1, initial=0))
            scale = np.where(scale > 0, scale, 1.0)[:, None]
            words = [front.words[i] for i in order.tolist()]
            result[state] = _Front(first / scale, second / scale, words)
        return result

    def _ended(self, fronts: dict[int, _Front]) -> list[tuple[float, Word]]:
        ranked: list[tuple[float, Cell]] = []
        for state, front in fronts.items():
            tests = self._suffixes(0, state)
            if tests is not None:
                gains = quotients(front.first @ tests, front.second @ tests)[:, 0]
                ranked += zip(gains.tolist(), front.words, strict=True)
        ranked.sort(key=lambda pair: -pair[0])
        return [(gain, read_backwards(word)) for gain, word in ranked if gain >= 0]


def quotients(over: FloatArray, under: FloatArray) -> FloatArray:
    """over / under; huge for x/0, -1 for 0/0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        quotients = np.minimum(over / under, _MOST_GAIN)
    return np.where(over > 0, quotients, np.where(under > 0, 0.0, -1.0))


def _unit_matrix(matrix: tuple[tuple[int, ...], ...] | None) -> FloatArray | None:
    if matrix is None:
        return None
    flat = unit_floats([entry for row in matrix for entry in row])
    return flat.reshape(len(matrix), -1)
