"""Unbiased shares of released cells, and how uncertain they are.

Contract. Row i has public weight w_i (scaled to sum 1), true cell x_i and released cell y_i; B is
the inverse of the response matrix (the Kronecker product of the columns' inverses). The estimate
sum_i w_i B[y_i] has expectation sum_i w_i e(x_i): the weighted shares of the data. Two variances:

- "mechanism": the data are fixed and only the mechanism is random. With s the squared-weight
  composition, s_c = sum of w_i^2 over rows with x_i = c, and t = s R its expectation after release,
      Cov = B' diag(t) B - diag(s).                                                           (1)
- "sampling": besides, rows were drawn independently from a population, row i with a probability
  in inverse proportion to w_i [horvitz-thompson-1952], and its shares pi are wanted (ratio
  estimator). Then (1) plus
      sum_c s_c (e_c - pi)(e_c - pi)' = diag(s) - s pi' - pi s' + (sum s) pi pi'.              (2)

(1) and (2) are exact given s and pi (in (2) up to the linearisation of the ratio, exact for equal
weights). The unknown s and pi are replaced by their estimates projected onto the simplex, so that
both terms are covariance matrices, and a variance is never smaller than a possible truth's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Literal, cast, get_args

import numpy as np

from privet.errors import ParameterError
from privet.estimate.channel import Channel, FloatArray
from privet.estimate.counting import Tally
from privet.estimate.projection import project_to_simplex

Variance = Literal["mechanism", "sampling"]

LARGEST_COVARIANCE = 10_000
"""Cells of the largest covariance matrix that is built (0.8 GB)."""


def read_variance(variance: str) -> Variance:
    """One of "mechanism" and "sampling". Errors: ParameterError for anything else."""
    for known in get_args(Variance):
        if variance == known:
            return cast("Variance", known)
    raise ParameterError(
        "variance must be 'mechanism' or 'sampling'.",
        hint="'mechanism': the data are fixed; 'sampling': rows were drawn from a population.",
        parameter="variance",
    )


def invert(table: FloatArray, channels: Sequence[Channel]) -> FloatArray:
    """`table` undone along every axis: the Kronecker inverse, one column at a time."""
    return reduce(lambda x, pair: pair[1].invert(x, pair[0]), enumerate(channels), table)


def expected_release(composition: FloatArray, channels: Sequence[Channel]) -> FloatArray:
    """t = s R, in the shape of the table."""
    return reduce(lambda x, pair: pair[1].apply(x, pair[0]), enumerate(channels), composition)


def mechanism_variances(composition: FloatArray, channels: Sequence[Channel]) -> FloatArray:
    """The diagonal of (1), in the shape of the table and linear time.

    It is t (B*B) - s = t (B*B - B). For a product of columns B = B1 x B2 the matrix is
    (B1*B1 - B1) x (B2*B2) + B1 x (B2*B2 - B2), and so on: no large terms cancel.
    """
    released = expected_release(composition, channels)
    total = np.zeros_like(released)
    for middle in range(len(channels)):
        term = released
        for axis, channel in enumerate(channels):
            if axis < middle:
                term = channel.invert(term, axis)
            else:
                term = (channel.excess if axis == middle else channel.square)(term, axis)
        total += term
    return np.maximum(total, 0.0)


def mechanism_covariance(composition: FloatArray, channels: Sequence[Channel]) -> FloatArray:
    """(cells, cells) float64: (1), cells in C order."""
    released = expected_release(composition, channels).ravel()
    inverse = channels[0].inverse
    for channel in channels[1:]:
        inverse = np.asarray(np.kron(inverse, channel.inverse), np.float64)
    matrix = (inverse.T * released) @ inverse - np.diag(composition.ravel())
    return np.asarray((matrix + matrix.T) / 2)


def own_variances(channels: Sequence[Channel]) -> FloatArray:
    """The mechanism's variance of each cell's estimate from one row of that very cell.

    In the shape of the table. The second moment of a product of columns is the product of theirs.
    """
    logarithms = [np.log1p(channel.own_variance) for channel in channels]
    return np.asarray(np.expm1(reduce(np.add.outer, logarithms)))


def extreme_terms(channels: Sequence[Channel]) -> tuple[FloatArray, FloatArray]:
    """The smallest and the largest that one released row of weight 1 adds to each cell's estimate.

    The extremes of each column of B = B1 x B2 ..., in the shape of the table: a product of two
    numbers is extreme where both are.
    """
    low, high = channels[0].extremes
    for channel in channels[1:]:
        ends = [np.multiply.outer(one, other) for one in (low, high) for other in channel.extremes]
        low, high = np.minimum.reduce(ends), np.maximum.reduce(ends)
    return np.asarray(low), np.asarray(high)


def sampling_variances(composition: FloatArray, shares: FloatArray) -> FloatArray:
    """The diagonal of (2), in the shape of the table."""
    return np.asarray(composition * (1 - 2 * shares) + composition.sum() * shares**2)


def sampling_covariance(composition: FloatArray, shares: FloatArray) -> FloatArray:
    """(cells, cells) float64: (2), cells in C order."""
    s, pi = composition.ravel(), shares.ravel()
    matrix = np.diag(s) - np.outer(s, pi) - np.outer(pi, s) + s.sum() * np.outer(pi, pi)
    return np.asarray(matrix)


@dataclass(frozen=True, eq=False)
class Moments:
    """Estimate and variance of a tally; everything is computed when asked for."""

    tally: Tally
    channels: tuple[Channel, ...]
    variance: Variance

    @cached_property
    def shares(self) -> FloatArray:
        """The unbiased estimate, in the shape of the table, summing to 1."""
        # Inverted before scaling: whole counts stay exact, see SymmetricChannel.invert.
        return invert(self.tally.weights, self.channels) / self.tally.total

    @cached_property
    def projected(self) -> FloatArray:
        """The nearest table of nonnegative shares."""
        return project_to_simplex(self.shares)

    @cached_property
    def composition(self) -> FloatArray:
        """s: the projected estimate of the squared-weight composition."""
        if self.tally.equal_weights:
            return self.projected * self.tally.concentration
        squares = invert(self.tally.squares, self.channels) / self.tally.total**2
        return project_to_simplex(squares, self.tally.concentration)

    @cached_property
    def variances(self) -> FloatArray:
        """The diagonal of the covariance, in the shape of the table."""
        variances = mechanism_variances(self.composition, self.channels)
        if self.variance == "sampling":
            variances += sampling_variances(self.composition, self.projected)
        return variances

    @property
    def extremes(self) -> tuple[FloatArray, FloatArray]:
        """`extreme_terms` of the channels."""
        return extreme_terms(self.channels)

    @property
    def own_variances(self) -> FloatArray:
        """`own_variances` of the channels."""
        return own_variances(self.channels)

    @cached_property
    def covariance(self) -> FloatArray:
        """(cells, cells) float64. Errors: ParameterError if it would not fit."""
        cells = self.shares.size
        if cells > LARGEST_COVARIANCE:
            raise ParameterError(
                f"The covariance matrix of {cells} cells is not built; the limit is "
                f"{LARGEST_COVARIANCE}.",
                hint="Standard errors are there for tables of any size.",
            )
        matrix = mechanism_covariance(self.composition, self.channels)
        if self.variance == "sampling":
            matrix = matrix + sampling_covariance(self.composition, self.projected)
        return matrix
