"""How much released words say about a chain: the information, and what it can and cannot resolve.

Contract. The free parameters are all entries of the table but one in each row, the largest, which
is 1 less the others. Two estimates of the information of the likelihood (the pseudocount is no
part of it):

- "observed": minus the second derivatives, by differences of the exact gradient; two gradients a
  parameter;
- "words": the sum over words of their gradients' outer products, one pass; it needs many more
  independent words than parameters.

A direction in which the information is below `LEAST` of what its scale would be is not resolved:
such a matrix is not inverted. At the edge of the simplex the likelihood is continued to
probabilities below 0, so an entry estimated at 0 has a curvature too; with several such entries
the matrix may have negative directions, and the caller leaves some out.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from privet.estimate.hidden.arithmetic import FloatArray
from privet.estimate.hidden.learning import Parameters, ReleasedWords

Information = Literal["auto", "observed", "words"]

LEAST = 1e-7
"""Least eigenvalue of the information scaled to ones on its diagonal; below it is rounding."""

_STEP = 1e-5
_MOST_WORK = 1e9
_WORDS_PER_PARAMETER = 10


@dataclass(frozen=True, eq=False)
class Free:
    """`rows`, `columns`: (p,) the free entries of the table; `rests`: (p,) their rows' others."""

    rows: npt.NDArray[np.intp]
    columns: npt.NDArray[np.intp]
    rests: npt.NDArray[np.intp]

    @classmethod
    def of(cls, table: FloatArray, possible: npt.NDArray[np.bool_]) -> "Free":
        """All possible entries but the largest of each row."""
        largest = np.where(possible, table, -1.0).argmax(axis=1)
        free = possible.copy()
        free[np.arange(len(table)), largest] = False
        rows, columns = np.nonzero(free)
        return cls(rows, columns, largest[rows])

    def gradient(self, gradient: FloatArray) -> FloatArray:
        """(..., p): the derivatives in the free entries, from those in all (..., k + 1, k)."""
        both = gradient[..., self.rows, self.columns] - gradient[..., self.rows, self.rests]
        return np.asarray(both)

    def spread(self, shape: tuple[int, int]) -> FloatArray:
        """(cells, p): how all entries, flat, move with the free ones."""
        jacobian = np.zeros((shape[0] * shape[1], len(self.rows)))
        number = np.arange(len(self.rows))
        jacobian[self.rows * shape[1] + self.columns, number] = 1.0
        jacobian[self.rows * shape[1] + self.rests, number] = -1.0
        return jacobian


def choose(kind: Information, words: ReleasedWords, parameters: int) -> Information:
    """The estimate of the information that "auto" stands for."""
    if kind != "auto":
        return kind
    work = 2.0 * parameters * words.codes.size * words.size
    many = words.times.sum() >= _WORDS_PER_PARAMETER * parameters
    return "words" if work > _MOST_WORK and many else "observed"


def information_matrix(
    kind: Information, words: ReleasedWords, table: FloatArray, free: Free
) -> FloatArray:
    """(p, p): the information about the free entries."""
    if kind == "words":
        by_word = words.score(Parameters.of(table), by_word=True).by_word
        assert by_word is not None
        each = free.gradient(by_word)
        return np.asarray((each * words.times[:, None]).T @ each)
    columns = [_differences(words, table, free, number) for number in range(len(free.rows))]
    second = np.array(columns).reshape(len(columns), len(columns))
    return np.asarray(-(second + second.T) / 2)


def _differences(words: ReleasedWords, table: FloatArray, free: Free, number: int) -> FloatArray:
    """(p,): second derivatives, to the second order in the step, without leaving the simplex."""
    row, column, rest = (int(a[number]) for a in (free.rows, free.columns, free.rests))

    def gradient(move: float) -> FloatArray:
        moved = table.copy()
        moved[row, column] += move
        moved[row, rest] -= move
        return free.gradient(words.score(Parameters.of(moved)).gradient)

    h = _STEP
    if table[row, column] > h:
        return np.asarray((gradient(h) - gradient(-h)) / (2 * h))
    return np.asarray((4 * gradient(h) - 3 * gradient(0.0) - gradient(2 * h)) / (2 * h))


def covariance(matrix: FloatArray) -> FloatArray | None:
    """The inverse of an information matrix, or None if a direction is not resolved."""
    scale = np.diag(matrix)
    if not len(matrix):
        return matrix
    if not (np.isfinite(matrix).all() and (scale > 0).all()):
        return None
    root = np.sqrt(scale)
    values, vectors = np.linalg.eigh(matrix / np.outer(root, root))
    if values[0] < LEAST:
        return None
    return np.asarray((vectors / values) @ vectors.T / np.outer(root, root))
