"""Expectation and covariance against all outputs of small data sets, one by one."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from privet.errors import ParameterError
from privet.estimate.channel import Channel, FloatArray, MatrixChannel, SymmetricChannel
from privet.estimate.counting import Tally
from privet.estimate.moments import (
    Moments,
    extreme_terms,
    mechanism_covariance,
    mechanism_variances,
    own_variances,
    read_variance,
    sampling_covariance,
    sampling_variances,
)

LOPSIDED = MatrixChannel(np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5]]))
CASES: list[list[Channel]] = [
    [SymmetricChannel(3, Fraction(1, 2))],
    [SymmetricChannel(3, Fraction(1, 5))],
    [LOPSIDED],
    [SymmetricChannel(2, Fraction(3, 4)), SymmetricChannel(3, Fraction(4, 5))],
    [LOPSIDED, SymmetricChannel(2, Fraction(9, 10))],
]
Cell = tuple[int, ...]


def shape_of(channels: Sequence[Channel]) -> Cell:
    return tuple(channel.size for channel in channels)


def weighted_tally(cells: Sequence[Cell], weights: Sequence[float], shape: Cell) -> Tally:
    counts, sums, squares = np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape)
    for cell, weight in zip(cells, weights, strict=True):
        counts[cell] += 1
        sums[cell] += weight
        squares[cell] += weight**2
    return Tally(counts, sums, squares, True, max(weights))


def all_releases(
    data: Sequence[Cell], weights: Sequence[float], channels: Sequence[Channel]
) -> tuple[FloatArray, FloatArray]:
    """(outputs, cells) estimates and (outputs,) their probabilities, of every possible release."""
    shape = shape_of(channels)
    matrices = [channel.apply(np.eye(channel.size), 1) for channel in channels]
    estimates, probabilities = [], []
    for release in product(np.ndindex(*shape), repeat=len(data)):
        estimates.append(
            Moments(weighted_tally(release, weights, shape), tuple(channels), "mechanism").shares
        )
        probabilities.append(
            np.prod(
                [
                    matrix[true, out]
                    for row, row_out in zip(data, release, strict=True)
                    for matrix, true, out in zip(matrices, row, row_out, strict=True)
                ]
            )
        )
    return np.array([x.ravel() for x in estimates]), np.array(probabilities)


@pytest.mark.parametrize("channels", CASES)
@pytest.mark.parametrize("weights", [(1.0, 1.0, 1.0), (3.0, 0.5, 1.0), (0.0, 1.0, 2.0)])
def test_mechanism_moments_are_those_of_the_enumerated_law(
    channels: list[Channel], weights: tuple[float, ...]
) -> None:
    shape = shape_of(channels)
    data = [tuple(row % size for size in shape) for row in (0, 1, 1)]
    truth = weighted_tally(data, weights, shape)
    estimates, law = all_releases(data, weights, channels)
    mean = law @ estimates
    assert law.sum() == pytest.approx(1)
    assert mean == pytest.approx(truth.weights.ravel() / truth.total)
    centred = estimates - mean
    enumerated = (centred.T * law) @ centred
    composition = truth.squares / truth.total**2
    assert mechanism_covariance(composition, channels) == pytest.approx(enumerated, abs=1e-12)
    assert mechanism_variances(composition, channels).ravel() == pytest.approx(
        np.diag(enumerated), abs=1e-12
    )


@pytest.mark.parametrize("channels", CASES)
def test_extreme_terms_are_those_of_each_column_of_the_inverse(channels: list[Channel]) -> None:
    inverse = channels[0].inverse
    for channel in channels[1:]:
        inverse = np.asarray(np.kron(inverse, channel.inverse), np.float64)
    low, high = extreme_terms(channels)
    assert low.shape == high.shape == shape_of(channels)
    assert low.ravel() == pytest.approx(inverse.min(axis=0))
    assert high.ravel() == pytest.approx(inverse.max(axis=0))


@pytest.mark.parametrize("channels", CASES)
def test_own_variances_are_those_of_data_of_one_cell(channels: list[Channel]) -> None:
    own = own_variances(channels)
    assert own.shape == shape_of(channels)
    for cell in np.ndindex(*own.shape):
        alone = np.zeros(own.shape)
        alone[cell] = 1.0
        assert own[cell] == pytest.approx(mechanism_variances(alone, channels)[cell])


@pytest.mark.parametrize("channels", CASES)
def test_sampling_moments_are_those_of_the_enumerated_law(channels: list[Channel]) -> None:
    # Two rows drawn independently from a population, then released.
    shape = shape_of(channels)
    population = np.arange(1.0, np.prod(shape) + 1).reshape(shape)
    population /= population.sum()
    released = population
    for axis, channel in enumerate(channels):
        released = channel.apply(released, axis)
    outcomes = [
        (
            Moments(weighted_tally(cells, (1, 1), shape), tuple(channels), "sampling").shares,
            released[cells[0]] * released[cells[1]],
        )
        for cells in product(np.ndindex(*shape), repeat=2)
    ]
    centred = np.array([(shares - population).ravel() for shares, _ in outcomes])
    law = np.array([probability for _, probability in outcomes])
    assert law @ centred == pytest.approx(np.zeros(population.size), abs=1e-12)
    enumerated = (centred.T * law) @ centred
    composition = population / 2
    covariance = mechanism_covariance(composition, channels)
    covariance += sampling_covariance(composition, population)
    assert covariance == pytest.approx(enumerated, abs=1e-12)
    variances = mechanism_variances(composition, channels)
    variances += sampling_variances(composition, population)
    assert variances.ravel() == pytest.approx(np.diag(enumerated), abs=1e-12)


@pytest.mark.parametrize("channels", CASES)
@pytest.mark.parametrize("variance", ["mechanism", "sampling"])
@pytest.mark.parametrize("weighted", [False, True])
def test_estimated_covariance_is_one(
    channels: list[Channel], variance: str, weighted: bool
) -> None:
    shape = shape_of(channels)
    # Most cells empty: unbiased shares are negative there, and a plain plug-in variance might be.
    rows = [tuple(0 for _ in shape)] * 4 + [tuple(size - 1 for size in shape)]
    weights = [5.0, 1, 1, 1, 2] if weighted else [1.0] * 5
    moments = Moments(
        weighted_tally(rows, weights, shape), tuple(channels), read_variance(variance)
    )
    covariance = moments.covariance
    assert np.diag(covariance) == pytest.approx(moments.variances.ravel(), rel=1e-9)
    assert np.linalg.eigvalsh(covariance).min() > -1e-12 * abs(covariance).max()
    assert covariance.sum(axis=0) == pytest.approx(np.zeros(len(covariance)), abs=1e-12)
    assert moments.variances.min() > 0
    if variance == "sampling":
        alone = Moments(moments.tally, tuple(channels), "mechanism")
        assert (moments.variances >= alone.variances).all()


def test_covariance_of_a_huge_table_is_refused_but_its_diagonal_is_there() -> None:
    channels = (SymmetricChannel(101, Fraction(1, 2)), SymmetricChannel(101, Fraction(1, 2)))
    moments = Moments(Tally.from_counts(np.ones((101, 101), int)), channels, "mechanism")
    assert moments.variances.shape == (101, 101)
    with pytest.raises(ParameterError, match="covariance matrix of 10201 cells"):
        _ = moments.covariance


def test_unknown_variance_is_refused() -> None:
    with pytest.raises(ParameterError, match="'mechanism' or 'sampling'"):
        read_variance("both")
