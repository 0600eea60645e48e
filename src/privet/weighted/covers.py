"""What the rest of a word can do to a vector, in floats whose error is proved.

Contract. For a problem with one control state, in which a word weighs what its extensions weigh
together. A cover of a set of suffix vectors h is some columns t and a `slack` s, such that for each
h there are weights >= 0 with

    e^-s (the weighted sum of t)  <=  h  <=  e^s (the weighted sum of t),   entry by entry.

A step matrix, none of whose entries is negative, keeps that, so covers are made from one another.
Sums of products of floats that are not negative are right but for a relative error, whatever their
order; that only fails where a product falls below the range of floats, and no cover is made of
numbers so small. So for row vectors a, b >= 0, known but for factors e^+-r, and c > 0

    e^(2 s + 2 r + rounding) a . t <= c b . t for every column t   =>   a . h <= c b . h for all h.

Nothing else is ever concluded: what the floats do not show is left to integers, and a NaN is no
"<=". Columns that lie in the cone of others are dropped only after their weights were multiplied
out. The module knows of no search, so that the checker can use it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_UNIT = 2.0**-53
_SMALLEST_STEP = 1e-60
_SMALLEST = 1e-130
"""Nonzero steps and directions below are not taken: products stay above 1e-260, and far from 0."""

_TOO_SMALL = 2.0**-1000

_DROPPED_BITS = 12
"""Binary digits of 53 that two columns which are taken for one may differ in."""

_FEW = 48
"""Columns that are not worth a look for equal ones."""

_FEW_OF_HULLS = 192
"""Columns that are not worth a look for ones between others."""

_MOST_NUMBERS = 1 << 22
_MOST_LEVELS = 1 << 10
_MOST_STATES_OF_HULLS = 4
_MOST_OF_HULLS = 2500
"""Columns and coordinates beyond which corners take longer than they save."""

_CHUNK = 1 << 19
"""Products at once."""


@dataclass(frozen=True)
class Cover:
    """`columns` (n, count) and `slack`: see the module.

    `origins` (count,): column j is symbol o // c in front of column o % c of the cover before,
    which has c columns.
    """

    columns: FloatArray
    slack: float
    origins: IntArray

    @property
    def count(self) -> int:
        """The number of columns."""
        return int(self.columns.shape[1])


@dataclass(frozen=True)
class Rows:
    """`pairs` (count, 2, n): row vectors a and b of prefixes, right but for factors e^+-`slack`."""

    pairs: FloatArray
    slack: float


class Covers:
    """The covers of one problem, made when they are asked for.

    `of_length(j)`: of the suffixes of j symbols; `of_depth(d)`: of all those of d or more. None
    where floats or memory do not suffice. `tolerance`: the slack that dropping columns may add at
    each symbol.
    """

    def __init__(
        self, steps: Sequence[Sequence[Sequence[int]]], final: Sequence[int], tolerance: float
    ) -> None:
        size = len(final)
        largest = max((entry for matrix in steps for row in matrix for entry in row), default=0)
        self.steps = _shares(steps, largest or 1)
        self._tall = self.steps.reshape(-1, size)
        self._wide = np.ascontiguousarray(self.steps.transpose(1, 0, 2)).reshape(size, -1)
        self._tolerance, self._numbers = tolerance, 0
        self._is_fit = _least(self.steps) >= _SMALLEST_STEP
        # One matrix entry, the product's n roundings and the division by the sum; then doubled.
        self._rounding = 2 * (size + 3) * _UNIT
        nowhere = np.zeros(0, np.int64)
        top = max(final)
        ends = _shares([[entry] for entry in final], top or 1)
        self._lengths: list[Cover | None] = [Cover(ends, 2 * _UNIT, nowhere)]
        if not top or _least(ends) < _SMALLEST_STEP:
            self._is_fit = False
        self._depths: list[Cover | None] = [Cover(np.eye(size), 0.0, nowhere)]

    def of_length(self, length: int) -> Cover | None:
        """The cover of the suffixes of so many symbols."""
        return self._at(self._lengths, length)

    def of_depth(self, depth: int) -> Cover | None:
        """The cover of the suffixes of so many symbols or more."""
        return self._at(self._depths, depth)

    def _at(self, made: list[Cover | None], index: int) -> Cover | None:
        if not self._is_fit or index > _MOST_LEVELS:
            return None
        while len(made) <= index:
            last = made[-1]
            made.append(None if last is None else self._longer(last))
        return made[index]

    def _longer(self, known: Cover) -> Cover | None:
        """One symbol more in front."""
        symbols, size = self.steps.shape[:2]
        self._numbers += symbols * size * known.count
        if self._numbers > _MOST_NUMBERS:
            return None
        product = (self._tall @ known.columns).reshape(symbols, size, known.count)
        columns = product.transpose(1, 0, 2).reshape(size, -1)
        sums = columns.sum(axis=0)
        origins = np.arange(len(sums))
        if not sums.all():
            origins = np.flatnonzero(sums)
            columns, sums = columns[:, origins], sums[origins]
        columns /= sums
        if not _least(columns) >= _SMALLEST:
            return None
        slack = known.slack + self._rounding
        chosen, more = _essential(columns, self._tolerance)
        if chosen is not None:
            columns, origins = np.ascontiguousarray(columns[:, chosen]), origins[chosen]
        return Cover(columns, slack + more, origins)

    def word(self, length: int, column: int) -> tuple[int, ...]:
        """The suffix that has a column of `of_length(length)`."""
        symbols = []
        for j in range(length, 0, -1):
            cover, before = self._lengths[j], self._lengths[j - 1]
            if cover is None or before is None:
                break
            symbol, column = divmod(int(cover.origins[column]), before.count)
            symbols.append(symbol)
        return tuple(symbols)

    def start(self, first: Sequence[int], second: Sequence[int]) -> Rows | None:
        """The empty prefix."""
        largest = max(*first, *second)
        if not largest:
            return None
        pairs = _shares([[first, second]], largest)
        return Rows(pairs, 2 * _UNIT) if _least(pairs) >= _SMALLEST_STEP else None

    def children(self, rows: Rows) -> Rows | None:
        """Each prefix with one symbol more: number i m + x is prefix i with symbol x."""
        symbols, size = self.steps.shape[:2]
        product = (rows.pairs.reshape(-1, size) @ self._wide).reshape(-1, 2, symbols, size)
        pairs = product.transpose(0, 2, 1, 3).reshape(-1, 2, size)
        largest = pairs.max(axis=(1, 2))
        pairs = pairs / np.where(largest > 0, largest, 1.0)[:, None, None]
        if not _least(pairs) >= _SMALLEST:
            return None
        return Rows(pairs, rows.slack + self._rounding)

    def compared(
        self, rows: Rows, cover: Cover, ratio: float
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Of some prefixes after the other, (prefixes, columns) each: about e^.. a . t and c b . t.

        Where the first is at most the second for every column t, so it is for all suffix vectors h
        of the cover, for certain.
        """
        # Products, the float that c is, the multiplications of both sides and e^x itself.
        raised = np.exp(2 * (rows.slack + cover.slack + self._rounding) + 16 * _UNIT)
        size, at_once = rows.pairs.shape[2], max(1, _CHUNK // max(cover.count, 1))
        for start in range(0, len(rows.pairs), at_once):
            flat = rows.pairs[start : start + at_once].reshape(-1, size) @ cover.columns
            both = flat.reshape(-1, 2, cover.count)
            both[:, 0] *= raised
            both[:, 1] *= ratio
            yield both[:, 0], both[:, 1]

    def are_below(self, rows: Rows, cover: Cover, ratio: float) -> NDArray[np.bool_]:
        """(count,): where a . h <= c b . h for every suffix vector of the cover, for certain."""
        parts = [(a <= b).all(axis=1) for a, b in self.compared(rows, cover, ratio)]
        return np.concatenate(parts)


def _shares(numbers: Any, whole: int) -> FloatArray:
    """Nested lists of integers >= 0 over a positive one: each right to a rounding, 0 only for 0."""
    exact = np.array(numbers, object)
    shares: FloatArray = (exact / whole).astype(np.float64)
    # What is below the range of floats is no zero, but small.
    shares[(shares == 0) & (exact != 0)] = _TOO_SMALL
    return shares


def _least(numbers: FloatArray) -> float:
    """The least of some numbers >= 0 that is not 0."""
    least = float(numbers.min(initial=1.0))
    if least != 0:
        return least
    return float(np.where(numbers == 0, 1.0, numbers).min(initial=1.0))


def _essential(columns: FloatArray, tolerance: float) -> tuple[IntArray | None, float]:
    """Columns near whose cone the others lie (None: all of them), and the slack of that."""
    size, count = columns.shape
    if size == 2 and count > 2:
        with np.errstate(divide="ignore"):
            slopes = columns[1] / columns[0]
        return np.array([slopes.argmin(), slopes.argmax()]), 4 * _UNIT
    if count <= _FEW:
        return None, 0.0
    chosen, slack = _distinct(columns)
    if 2 < size <= _MOST_STATES_OF_HULLS and _FEW_OF_HULLS < len(chosen) <= _MOST_OF_HULLS:
        inside, more = _corners(columns[:, chosen], tolerance)
        return chosen[inside], slack + more
    return chosen, slack


def _distinct(columns: FloatArray) -> tuple[IntArray, float]:
    """One of the columns that agree in all but the last binary digits."""
    half = 1 << (_DROPPED_BITS - 1)
    keys = (columns.view(np.int64) + half) >> _DROPPED_BITS
    weights = np.arange(1, 2 * len(keys), 2, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    hashed = (keys.view(np.uint64) * weights[:, None]).sum(axis=0, dtype=np.uint64)
    _, chosen, back = np.unique(hashed, return_index=True, return_inverse=True)
    everything = np.arange(columns.shape[1])
    if len(chosen) == len(everything) or (keys != keys[:, chosen[back]]).any():
        return everything, 0.0
    return chosen, 2.0 ** (_DROPPED_BITS - 50)


def _corners(columns: FloatArray, tolerance: float) -> tuple[IntArray, float]:
    """The corners of a body of few dimensions, and columns that are not shown to lie in it."""
    from scipy.spatial import ConvexHull, QhullError

    everything = np.arange(columns.shape[1])
    try:
        hull = ConvexHull(columns[:-1].T)
    except QhullError:
        return everything, 0.0
    corners = np.unique(hull.simplices)
    rest = np.setdiff1d(everything, corners)
    if not len(rest):
        return everything, 0.0
    middle = columns[:, corners].sum(axis=1) / len(corners)
    # The side through which the ray from the middle to a column leaves the body.
    normals, offsets = hull.equations[:, :-1], hull.equations[:, -1]
    room = -(normals @ middle[:-1] + offsets)
    away = (normals / room[:, None]) @ (columns[:-1, rest] - middle[:-1, None])
    sides = hull.simplices[away.argmax(axis=0)]
    frames = np.empty((len(rest), len(columns), len(columns)))
    frames[:, :, 0] = middle
    frames[:, :, 1:] = columns[:, sides].transpose(1, 0, 2)
    wanted = columns[:, rest].T
    try:
        weights = np.linalg.solve(frames, wanted[:, :, None])
    except np.linalg.LinAlgError:
        return everything, 0.0
    made = (frames @ np.maximum(weights, 0.0))[:, :, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.where(made == wanted, 0.0, abs(made / wanted - 1)).max(axis=1)
    shown = apart <= tolerance
    kept = np.sort(np.concatenate([corners, rest[~shown]]))
    # The middle is a sum of corners, right to (their number) roundings; e^2x > 1 + x > e^-2x.
    slack = 2 * tolerance + 4 * (len(corners) + len(columns) + 4) * _UNIT
    return kept, slack
