"""What a mechanism does to one symbol, as a matrix that can be undone.

Contract. A channel is a row-stochastic matrix R, R[i, j] = P(released j | true i), that answers
every symbol independently. For a released row vector y, E[y R^-1 | true i] is the i-th unit vector:
that is all an unbiased estimate needs. A channel whose R cannot be inverted lets nothing be
estimated and is refused. Every operation acts along one axis of a table, so that columns answered
independently (the Kronecker product of their channels) are undone one after the other.

Randomised response keeps a symbol with probability k and moves to each of the m - 1 others with
probability p. With c = k - p, R = c I + p J and R^-1 = (I - p J) / c [warner-1965],
so tables of any size are undone in linear time and no matrix is ever built.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from privet.errors import ParameterError, ParameterTypeError
from privet.symbols import Alphabet

FloatArray = npt.NDArray[np.float64]

SMALLEST_CONTRAST = 1e-140
"""Below this the square of an inverse would overflow; nothing can be learnt there anyway."""

_MATRIX_TOLERANCE = 1e-12


class Channel(ABC):
    """`size`: m, the number of symbols; `contrast`: how far R is from saying nothing, in (0, 1]."""

    size: int
    contrast: float

    @abstractmethod
    def apply(self, table: FloatArray, axis: int) -> FloatArray:
        """x -> x R along `axis`: what is expected to be released."""

    @abstractmethod
    def invert(self, table: FloatArray, axis: int) -> FloatArray:
        """x -> x R^-1 along `axis`: the unbiased estimate of what went in."""

    @abstractmethod
    def square(self, table: FloatArray, axis: int) -> FloatArray:
        """x -> x (B * B) along `axis`, B = R^-1 and * entry by entry."""

    @abstractmethod
    def excess(self, table: FloatArray, axis: int) -> FloatArray:
        """x -> x (B * B - B) along `axis`, without the cancellation of computing it as that."""

    @property
    @abstractmethod
    def inverse(self) -> FloatArray:
        """(m, m) float64: B = R^-1."""

    @property
    @abstractmethod
    def extremes(self) -> FloatArray:
        """(2, m) float64: the smallest and the largest entry of each column of B."""

    @property
    @abstractmethod
    def own_variance(self) -> FloatArray:
        """(m,) float64: the variance of the estimate of each symbol from one row that has it."""


class SymmetricChannel(Channel):
    """Randomised response on `size` symbols that keeps a symbol with probability `keep`.

    `move`: the probability of each other symbol; `contrast`: keep - move (its size, if negative).
    Errors: ParameterError if keep = 1/m, where the release is independent of the data.
    """

    def __init__(self, size: int, keep: Fraction) -> None:
        self.size = size
        # Exact differences, rounded once: near keep = 1/m floats would cancel.
        move = (1 - keep) / (size - 1)
        self.keep, self.move, self.slope = float(keep), float(move), float(keep - move)
        self.lie = float(1 - keep)
        self.contrast = abs(self.slope)
        check_information([self])

    def apply(self, table: FloatArray, axis: int) -> FloatArray:
        """x R = c x + p total."""
        total = table.sum(axis=axis, keepdims=True)
        return np.asarray(self.slope * table + self.move * total)

    def invert(self, table: FloatArray, axis: int) -> FloatArray:
        """x R^-1 = (x - p total) / c."""
        # Equal to (x - move * total) / slope; this form has entries that sum to the total even
        # when the slope is tiny, since m x - total is exact for counts.
        total = table.sum(axis=axis, keepdims=True)
        return np.asarray((self.size * table - total) / self.size / self.slope + total / self.size)

    def square(self, table: FloatArray, axis: int) -> FloatArray:
        """B has (1 - p) / c on its diagonal and -p / c elsewhere."""
        total = table.sum(axis=axis, keepdims=True)
        off = (self.move / self.slope) ** 2
        return np.asarray((1 - 2 * self.move) / self.slope**2 * table + off * total)

    def excess(self, table: FloatArray, axis: int) -> FloatArray:
        """B^2 - B: (1 - p)(1 - k) / c^2 on the diagonal and p k / c^2 elsewhere."""
        # The two differ by (1 - k - p) / c^2 = (m - 2) p / c^2.
        total = table.sum(axis=axis, keepdims=True)
        own = (self.size - 2) * self.move * table
        return np.asarray((own + self.move * self.keep * total) / self.slope**2)

    @property
    def inverse(self) -> FloatArray:
        """(m, m) float64: B."""
        return self.invert(np.eye(self.size), 1)

    @property
    def extremes(self) -> FloatArray:
        """The two values that every column of B holds."""
        ends = sorted([-self.move / self.slope, (1 - self.move) / self.slope])
        return np.repeat(np.array(ends)[:, None], self.size, axis=1)

    @property
    def own_variance(self) -> FloatArray:
        """k (1 - k) / c^2: an indicator's variance, stretched by 1 / c."""
        return np.full(self.size, self.lie * self.keep / self.slope**2)


class MatrixChannel(Channel):
    """Any invertible stochastic matrix. Errors: ParameterError if it is singular."""

    def __init__(self, matrix: FloatArray) -> None:
        self.size = len(matrix)
        self._matrix = matrix
        # The condition number in the 1-norm bounds how much rounding can be amplified.
        condition = float(np.linalg.cond(matrix, 1)) if np.linalg.det(matrix) != 0.0 else math.inf
        self.contrast = 0.0 if condition > 1 / _MATRIX_TOLERANCE else 1 / condition
        check_information([self])
        self._inverse = np.linalg.inv(matrix).astype(np.float64)

    def apply(self, table: FloatArray, axis: int) -> FloatArray:
        """x R as a matrix product."""
        return _along(table, self._matrix, axis)

    def invert(self, table: FloatArray, axis: int) -> FloatArray:
        """x R^-1 as a matrix product."""
        return _along(table, self._inverse, axis)

    def square(self, table: FloatArray, axis: int) -> FloatArray:
        """B * B entry by entry, as a matrix."""
        return _along(table, self._inverse**2, axis)

    def excess(self, table: FloatArray, axis: int) -> FloatArray:
        """B * B - B entry by entry, as a matrix."""
        return _along(table, self._inverse**2 - self._inverse, axis)

    @property
    def inverse(self) -> FloatArray:
        """(m, m) float64: B."""
        return self._inverse

    @property
    def extremes(self) -> FloatArray:
        """(2, m) float64: looked up."""
        return np.stack([self._inverse.min(axis=0), self._inverse.max(axis=0)])

    @property
    def own_variance(self) -> FloatArray:
        """The diagonal of R (B * B), less 1."""
        second = np.einsum("ij,ji->i", self._matrix, self._inverse**2)
        return np.asarray(np.maximum(second - 1.0, 0.0))


def read_channel(mechanism: object) -> tuple[Alphabet, Channel]:
    """The alphabet and the channel of a mechanism that answers each symbol independently.

    It has an `alphabet` and either `keep_probability` (randomised response) or `response_matrix`.
    Errors: ParameterTypeError for any other mechanism, ParameterError for a matrix that is not one.
    """
    alphabet = getattr(mechanism, "alphabet", None)
    if isinstance(alphabet, Alphabet):
        keep = getattr(mechanism, "keep_probability", None)
        if isinstance(keep, Fraction):
            return alphabet, SymmetricChannel(len(alphabet), keep)
        matrix = getattr(mechanism, "response_matrix", None)
        if matrix is not None:
            return alphabet, _channel_of_matrix(np.asarray(matrix, np.float64), len(alphabet))
    raise ParameterTypeError(
        f"{named(mechanism)} does not answer each symbol on its own, so frequencies "
        "cannot be estimated from its release.",
        hint="Release with RandomizedResponse, or WordExponential on all words; a second release "
        "of the same data adds its epsilon to that of the first.",
    )


def named(mechanism: object) -> str:
    """What to call it at the head of a message: no class of ours that nobody imports."""
    title = getattr(mechanism, "title", None)
    return f"The {title}" if isinstance(title, str) else f"A {type(mechanism).__name__}"


def check_information(channels: Sequence[Channel]) -> None:
    """Refuse channels that together pass on nothing that floats could hold."""
    if math.prod(channel.contrast for channel in channels) < SMALLEST_CONTRAST:
        raise ParameterError(
            "The mechanism's output is independent of its input, or so nearly that nothing can be "
            "estimated from it.",
            hint="Release with a larger epsilon.",
        )


def _channel_of_matrix(matrix: FloatArray, size: int) -> Channel:
    if matrix.shape != (size, size):
        raise ParameterError(
            f"The response matrix has shape {matrix.shape}; {size} symbols need ({size}, {size})."
        )
    # Written so that NaN fails it.
    stochastic = (matrix >= 0).all() and (abs(matrix.sum(axis=1) - 1) <= _MATRIX_TOLERANCE).all()
    if not stochastic:
        raise ParameterError(
            "The response matrix is not stochastic.",
            hint="Each row holds the probabilities of the outputs for one input and sums to 1.",
        )
    keep = float(matrix[0, 0])
    symmetric = np.full((size, size), (1 - keep) / (size - 1))
    np.fill_diagonal(symmetric, keep)
    if float(abs(matrix - symmetric).max()) <= _MATRIX_TOLERANCE:
        if abs(size * keep - 1) <= size * _MATRIX_TOLERANCE:
            return SymmetricChannel(size, Fraction(1, size))
        return SymmetricChannel(size, Fraction(keep))
    return MatrixChannel(matrix)


def _along(table: FloatArray, matrix: FloatArray, axis: int) -> FloatArray:
    return np.moveaxis(np.moveaxis(table, axis, -1) @ matrix, -1, axis)
