"""What the rest of a word can do to a vector: exact suffix vectors, and cones that hold the others.

Contract. A suffix s read in control state p weighs a row vector v by v . h_s, h_s = S_s final >= 0.
`exact[j][p]` holds h_s for all suffixes of j symbols, j = 0..`reach`; `cone[p]` generates a cone
that holds h_s for every suffix of `depth` symbols or more, for h_{st} = S_s h_t is a nonnegative
combination of the columns of S_s. Vectors are primitive, zero vectors and repetitions are gone, and
in the plane only the two extreme directions of a set are kept, between which the others lie. So

    v . t <= 0 for all t in exact[j][p], j <= reach, and in cone[p]  =>  no suffix makes v positive

where depth <= reach + 1. Sets depend on the problem alone, not on ratio or starting vectors, so
one family serves every search.

A sign is decided in floats only if it exceeds a bound on all rounding in it, and in integers
otherwise; a NaN is never above the bound, so it decides nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flint import fmpz_mat

from privet.weighted.limits import Clock
from privet.weighted.problem import Matrix, RatioProblem, Vector, Word, dot
from privet.weighted.vectors import FloatArray, primitive, share_floats

_CELLS_PER_VECTOR = 256
"""A set of c vectors holds at most this many times the most vectors allowed, in numbers."""

_CELLS_IN_ALL = 1 << 21
"""Numbers in all exact sets, and in all cones: a certificate's reader makes them again."""

_BITS_IN_ALL = 1 << 27
"""Binary digits of those numbers, likewise."""

_DEEPEST = 48
"""Where sets stay small whatever the depth, deeper ones would only hold longer integers."""


@dataclass(frozen=True)
class Sign:
    """What products with a set of vectors say.

    `positive`: index of a vector with a positive product, -1 if there is none; `score`: about the
    largest product of the directions.
    """

    positive: int
    score: float


class TestSet:
    """Nonnegative integer vectors (count, n), and `words`, the suffixes that have them, if any."""

    __test__ = False  # not a test case, whatever pytest thinks of its name

    def __init__(self, vectors: Sequence[Vector], words: Sequence[Word] = ()) -> None:
        self.vectors, self.words = vectors, words
        width = len(vectors[0]) if vectors else 0
        # Conversions (4 + n + 3 roundings), n products and n sums, doubled for safety.
        self._margin = (4 * width + 32) * 2.0**-52

    @cached_property
    def floats(self) -> FloatArray:
        """(n, count): the vectors over their sums."""
        return share_floats(self.vectors)

    @cached_property
    def _is_orthant(self) -> bool:
        size = len(self.vectors[0]) if self.vectors else 0
        units = tuple(tuple(int(i == j) for j in range(size)) for i in range(size))
        return len(self.vectors) == size and tuple(self.vectors) == units

    def sign(self, vector: Vector, direction: FloatArray) -> Sign:
        """Whether vector . t > 0 for some t; `direction`: `unit_floats(vector)`."""
        if not self.vectors:
            return Sign(-1, -1.0)
        if self._is_orthant:
            best = max(range(len(vector)), key=vector.__getitem__)
            return Sign(best if vector[best] > 0 else -1, float(direction[best]))
        scores = direction @ self.floats
        best = int(scores.argmax())
        top = float(scores[best])
        if top > self._margin:
            return Sign(best, top)
        for index in np.flatnonzero(~(scores < -self._margin)).tolist():
            if dot(vector, self.vectors[index]) > 0:
                return Sign(index, max(top, 0.0))
        return Sign(-1, top)


class Suffixes:
    """The sets of one problem with at most `most` vectors each; see the module.

    `longest`: the most symbols of a suffix that will be asked about; `clock`: when it has run out,
    the sets are as deep as they are, but of `least` symbols.
    """

    def __init__(
        self,
        problem: RatioProblem,
        most: int,
        longest: int | None = None,
        clock: Clock | None = None,
        least: int = 0,
    ) -> None:
        self._clock, self._least = clock, least
        self.problem, self.most = problem, most
        self._cap = longest if longest is not None else _DEEPEST
        if not problem.is_planar:
            self._cap = min(self._cap, _DEEPEST)
        states = range(len(problem.moves))
        units = [_units(len(problem.finals[p])) for p in states]
        empty: Word = ()
        self.exact = [[self._set([primitive(f)], [empty]) for f in problem.finals]]
        self._room, self._bits = _CELLS_IN_ALL, _BITS_IN_ALL
        while len(self.exact) <= self._cap:
            more = self._longer(self.exact[-1], len(self.exact))
            if not more:
                break
            self.exact.append(more)
        self.reach = len(self.exact) - 1
        self._room, self._bits = _CELLS_IN_ALL, _BITS_IN_ALL
        self.cone = [TestSet(vectors) for vectors in units]
        self.depth = 0
        while self.depth <= self.reach and (more := self._longer(self.cone, self.depth)):
            self.cone, self.depth = more, self.depth + 1
        self._joined: dict[tuple[int, int, int], TestSet] = {}

    def _longer(self, known: list[TestSet], made_before: int) -> list[TestSet] | None:
        """The sets for one symbol more in front; None if there would be too many vectors."""
        is_over = self._clock is not None and self._clock.left <= 0
        if is_over and made_before >= self._least:
            return None
        made = []
        for state, row in enumerate(self.problem.moves):
            vectors: list[Vector] = []
            words: list[Word] = []
            for symbol, then in enumerate(row):
                matrix = self.problem.steps[state][symbol]
                if matrix is not None:
                    vectors += _times_columns(matrix, known[then].vectors)
                    words += [(symbol, *word) for word in known[then].words]
            made.append(self._set(vectors, words))
        largest = max(len(test.vectors) for test in made)
        cells = [
            len(test.vectors) * len(final)
            for test, final in zip(made, self.problem.finals, strict=True)
        ]
        self._room -= sum(cells)
        self._bits -= sum(e.bit_length() for test in made for v in test.vectors for e in v)
        is_small = (
            largest <= max(self.most, 2)
            and max(cells) <= _CELLS_PER_VECTOR * self.most
            and self._room >= 0
            and self._bits >= 0
        )
        return made if is_small else None

    def _set(self, vectors: Sequence[Vector], words: Sequence[Word]) -> TestSet:
        """Zero vectors and repetitions dropped; in the plane, all but the extremes."""
        kept: dict[Vector, Word] = {}
        for index, vector in enumerate(vectors):
            if any(vector):
                kept.setdefault(vector, words[index] if words else ())
        if self.problem.is_planar and len(kept) > 2:
            low, high = extremes(list(kept))
            kept = {low: kept[low], high: kept[high]}
        return TestSet(list(kept), list(kept.values()) if words else ())

    def floats(self, left: int, state: int) -> FloatArray | None:
        """(n, count): the directions of exact suffixes of so many symbols, or of the most."""
        tests = self.exact[min(left, self.reach)][state]
        return tests.floats if tests.vectors else None

    def between(self, state: int, low: int, high: int) -> TestSet:
        """The exact suffixes of low..high symbols, high <= reach, as one set."""
        key = (state, low, high)
        if key not in self._joined:
            if low == high:
                self._joined[key] = self.exact[low][state]
            else:
                tests = [self.exact[j][state] for j in range(low, high + 1)]
                vectors = [v for test in tests for v in test.vectors]
                self._joined[key] = self._set(vectors, [w for test in tests for w in test.words])
        return self._joined[key]


def extremes(vectors: Sequence[Vector]) -> tuple[Vector, Vector]:
    """The two of some nonzero vectors of the first quadrant between which the others lie."""
    low = high = vectors[0]
    for vector in vectors[1:]:
        if len(vector) < 2:
            continue
        if vector[1] * low[0] < low[1] * vector[0]:
            low = vector
        if vector[1] * high[0] > high[1] * vector[0]:
            high = vector
    return low, high


def _units(size: int) -> list[Vector]:
    return [tuple(int(i == j) for j in range(size)) for i in range(size)]


def _times_columns(matrix: Matrix, vectors: Sequence[Vector]) -> list[Vector]:
    """matrix times each vector, primitive."""
    if not vectors:
        return []
    nonzero = [[(j, entry) for j, entry in enumerate(row) if entry] for row in matrix]
    if 4 * sum(map(len, nonzero)) > len(matrix) * len(matrix[0]):
        product = fmpz_mat([*vectors]) * fmpz_mat([*matrix]).transpose()
        return [primitive([*map(int, row)]) for row in product.tolist()]
    return [
        primitive([sum(entry * vector[j] for j, entry in row) for row in nonzero])
        for vector in vectors
    ]
