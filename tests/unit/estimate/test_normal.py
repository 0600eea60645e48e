"""Normal intervals: their variance against the exact one, their ends, and their coverage."""

from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from scipy.stats import beta, binom

from privet import RandomizedResponse, estimate
from privet.estimate.channel import Channel, MatrixChannel, SymmetricChannel, read_channel
from privet.estimate.counting import Tally
from privet.estimate.moments import (
    Moments,
    Variance,
    extreme_terms,
    mechanism_variances,
    sampling_variances,
)
from privet.estimate.normal import Hypotheses, normal_intervals
from privet.symbols import Alphabet

LOPSIDED = MatrixChannel(np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5]]))
CASES: list[tuple[Channel, ...]] = [
    (SymmetricChannel(2, Fraction(99, 100)),),
    (SymmetricChannel(4, Fraction(2, 5)),),
    (LOPSIDED,),
    (SymmetricChannel(2, Fraction(3, 4)), SymmetricChannel(3, Fraction(99, 100))),
]


def some_moments(
    channels: tuple[Channel, ...], variance: Variance, seed: int, *, weighted: bool, rows: int = 40
) -> Moments:
    rng = np.random.default_rng(seed)
    shape = tuple(channel.size for channel in channels)
    cells = rng.integers(0, int(np.prod(shape)), rows) * (rng.random(rows) < 0.3)
    weights = rng.choice([1.0, 20.0], rows) if weighted else np.ones(rows)
    size = int(np.prod(shape))
    sums, squares = (
        np.bincount(cells, w, size).astype(np.float64).reshape(shape) for w in (weights, weights**2)
    )
    counts = np.bincount(cells, minlength=size).reshape(shape)
    return Moments(Tally(counts, sums, squares, weighted, float(weights.max())), channels, variance)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.4, 1.0])
@pytest.mark.parametrize("variance", ["mechanism", "sampling"])
def test_variance_under_a_share_is_that_of_data_with_that_share(
    share: float, variance: Variance
) -> None:
    # Two categories: the share says everything, so the exact variance is known.
    channel, rows = SymmetricChannel(2, Fraction(4, 5)), 50
    moments = Moments(Tally.from_counts([20, 30]), (channel,), variance)
    shares = np.array([share, 1 - share])
    exact = mechanism_variances(shares / rows, [channel])
    if variance == "sampling":
        exact += sampling_variances(shares / rows, shares)
    assert Hypotheses.of(moments).variance(shares) == pytest.approx(exact)


@pytest.mark.parametrize("channels", CASES)
@pytest.mark.parametrize("variance", ["mechanism", "sampling"])
@pytest.mark.parametrize("weighted", [False, True])
def test_variance_at_the_projected_share_is_the_estimated_one(
    channels: tuple[Channel, ...], variance: Variance, weighted: bool
) -> None:
    moments = some_moments(channels, variance, 1, weighted=weighted, rows=10**6)
    known = Hypotheses.of(moments).variance(moments.projected.ravel())
    assert known == pytest.approx(moments.variances.ravel(), rel=1e-4)


def test_unseen_mass_is_taken_to_be_heavy() -> None:
    # Three rows of weight 1 and two of 20 show "a"; had "b" the share x, its rows might weigh 20.
    channel = SymmetricChannel(2, Fraction(1))
    tally = Tally(np.array([5, 0]), np.array([43.0, 0]), np.array([803.0, 0]), True, 20.0)
    hypotheses = Hypotheses.of(Moments(tally, (channel,), "sampling"))
    x = 0.1
    expected = x * 20 / 43 * (1 - x) ** 2 + 803 / 43**2 * (1 - x) * x**2
    assert hypotheses.variance(np.array([1 - x, x]))[1] == pytest.approx(expected)


@pytest.mark.parametrize("channels", CASES)
@pytest.mark.parametrize("variance", ["mechanism", "sampling"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rows", [1, 30, 3000])
def test_ends_are_where_the_tests_begin_to_reject(
    channels: tuple[Channel, ...], variance: Variance, weighted: bool, rows: int
) -> None:
    moments = some_moments(channels, variance, rows, weighted=weighted, rows=rows)
    hypotheses = Hypotheses.of(moments)
    errors = (0.2, 0.001)
    start = hypotheses.estimate.clip(0, 1)
    for error, intervals in zip(errors, normal_intervals(moments, errors), strict=True):
        ends = intervals.reshape(-1, 2).T
        z = np.full((2, 1), -NormalDist().inv_cdf(error / 2))
        above = np.array([[False], [True]])
        # Moved inwards by a hair, the share is held, unless even the start is rejected.
        inwards = hypotheses.excess(ends + (start - ends) * 1e-6, z, above)
        assert ((ends == above) | (hypotheses.excess(ends, z, above) > 0)).all()
        assert ((inwards <= 0) | (ends == start)).all()


def test_many_cells_are_searched_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = some_moments(CASES[3], "sampling", 3, weighted=True)
    (whole,) = normal_intervals(moments, [0.05])
    monkeypatch.setattr("privet.estimate.normal._BLOCK", 4)
    (blocks,) = normal_intervals(moments, [0.05])
    assert blocks == pytest.approx(whole, abs=1e-12)


def test_a_category_that_no_row_shows_may_exist() -> None:
    # The estimated sampling error of an empty cell is 0; its interval must not end there.
    mechanism = RandomizedResponse(Alphabet("xy"), epsilon=10)
    known = estimate.frequencies_from_counts(
        [0, 60], mechanism, method="normal", variance="sampling"
    )
    exact = estimate.frequencies_from_counts(
        [0, 60], mechanism, method="exact", variance="sampling"
    )
    assert exact.intervals[0, 1] == pytest.approx(beta.ppf(0.975, 1, 60), abs=2e-4)
    assert exact.intervals[0, 1] < known.intervals[0, 1] < 1.4 * exact.intervals[0, 1]
    assert wald(known)[0, 1] < 0.02


def wald(known: estimate.FrequencyEstimate) -> np.ndarray:
    """The wrong twin: the same corrections around the estimated standard error."""
    z = NormalDist().inv_cdf(0.5 + known.confidence / 2)
    low, high = extreme_terms([read_channel(RandomizedResponse(known.alphabet, epsilon=10))[1]])
    reach = z * known.standard_errors + ((z * z - 1) / 6 + 0.5) * (high - low) / known.size
    ends = np.stack([known.shares - reach, known.shares + reach], axis=-1)
    return np.asarray(ends.clip(0, 1))


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(("epsilon", "rows"), [(10, 60), (6, 25), (10, 5), (1, 25)])
def test_a_population_is_covered_for_every_share(
    epsilon: int, rows: int, confidence: float
) -> None:
    # Enumerated over all counts, not sampled. Wrong twin, for (10, 60): Wald's interval.
    mechanism = RandomizedResponse(Alphabet("xy"), epsilon=epsilon)
    channel = SymmetricChannel(2, mechanism.keep_probability)
    estimates = [
        estimate.frequencies_from_counts(
            [count, rows - count], mechanism, confidence, method="normal", variance="sampling"
        )
        for count in range(rows + 1)
    ]
    built = np.array([known.intervals[0] for known in estimates])
    assert worst_coverage(built, rows, channel) >= confidence
    if (epsilon, rows) == (10, 60):
        wrong = np.array([wald(known)[0] for known in estimates])
        assert worst_coverage(wrong, rows, channel) < confidence - 0.1


def worst_coverage(intervals: np.ndarray, rows: int, channel: SymmetricChannel) -> float:
    """The least coverage over a fine grid of shares; intervals[i] is that of count i."""
    small = np.geomspace(1e-4, 0.5, 400)
    shares = np.concatenate([[0.0], small, 1 - small, [1.0]])[:, None]
    law = binom.pmf(np.arange(rows + 1), rows, channel.move + channel.slope * shares)
    covered = (intervals[:, 0] <= shares + 1e-12) & (shares - 1e-12 <= intervals[:, 1])
    return float((law * covered).sum(axis=1).min())
