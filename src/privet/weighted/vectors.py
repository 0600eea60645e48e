"""Integer vectors: primitive forms, floats that are near them, and steps of all symbols at once.

Contract. Integers are exact. `unit_floats` is a picture of a vector whose entries are off by at
most 4 parts in 2^53, or by 2^-900 in all: filters that use it add that to their own rounding. A
primitive vector is divided by the greatest common divisor of its entries, so it stands for all its
positive multiples.
"""

import math
from collections.abc import Sequence

import numpy as np
from flint import fmpz_mat
from numpy.typing import NDArray

from privet.weighted.problem import RatioProblem, Vector

FloatArray = NDArray[np.float64]

_FLOAT_BITS = 960
"""Integers up to 2^960 become floats without overflow, also when some thousands are added up."""

_SPARSE = 0.2
"""Below this share of nonzero entries a step runs over them alone."""


def primitive(vector: Sequence[int]) -> Vector:
    """The vector divided by the greatest common divisor of its entries; zero stays zero."""
    divisor = math.gcd(*vector)
    return tuple(vector) if divisor <= 1 else tuple(entry // divisor for entry in vector)


def unit_floats(vector: Sequence[int]) -> FloatArray:
    """(n,) float64, the largest entry +-1: the vector's direction (zero for the zero vector)."""
    largest = max(map(abs, vector))
    if not largest:
        return np.zeros(len(vector))
    drop = largest.bit_length() - _FLOAT_BITS
    if drop > 0:
        vector, largest = [entry >> drop for entry in vector], largest >> drop
    return np.array([float(entry) for entry in vector]) / float(largest)


def share_floats(rows: Sequence[Vector]) -> FloatArray:
    """(n, count) float64: column j is nonnegative row j, not zero, divided by its sum."""
    small = []
    for row in rows:
        drop = sum(row).bit_length() - _FLOAT_BITS
        small.append([float(entry >> drop if drop > 0 else entry) for entry in row])
    table = np.array(small)
    return np.ascontiguousarray((table / table.sum(axis=1, keepdims=True)).T)


class Stepper:
    """Row vectors times the step matrices of a problem, all symbols of a state at once."""

    def __init__(self, problem: RatioProblem) -> None:
        self._targets = [
            [(x, then) for x, then in enumerate(row) if then >= 0] for row in problem.moves
        ]
        self._sizes = [len(final) for final in problem.finals]
        self._dense: list[fmpz_mat | None] = []
        self._sparse: list[list[list[tuple[int, int]]]] = []
        for state, targets in enumerate(self._targets):
            matrices = [problem.steps[state][x] for x, _ in targets]
            rows = [
                [entry for matrix in matrices if matrix is not None for entry in matrix[i]]
                for i in range(self._sizes[state])
            ]
            entries = [[(j, e) for j, e in enumerate(row) if e] for row in rows]
            width = len(rows[0])
            is_dense = width and sum(map(len, entries)) >= _SPARSE * width * len(rows)
            self._dense.append(fmpz_mat(rows) if is_dense else None)
            self._sparse.append(entries)

    def children(self, state: int, vector: Vector) -> list[tuple[int, int, Vector]]:
        """(symbol, next state, primitive vector) of every move of a control state."""
        targets = self._targets[state]
        if not targets:
            return []
        product = self._product(state, vector)
        result, start = [], 0
        for symbol, then in targets:
            stop = start + self._sizes[then]
            result.append((symbol, then, primitive(product[start:stop])))
            start = stop
        return result

    def _product(self, state: int, vector: Vector) -> list[int]:
        dense = self._dense[state]
        if dense is not None:
            return [int(x) for x in (fmpz_mat(1, len(vector), list(vector)) * dense).entries()]
        product = [0] * sum(self._sizes[then] for _, then in self._targets[state])
        for factor, row in zip(vector, self._sparse[state], strict=True):
            if factor:
                for column, entry in row:
                    product[column] += factor * entry
        return product
