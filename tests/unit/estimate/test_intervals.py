"""Exact intervals against the full law of the release: coverage is computed, not sampled."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import beta, binom

from privet.errors import ParameterError
from privet.estimate.channel import MatrixChannel, SymmetricChannel
from privet.estimate.counting import Tally
from privet.estimate.intervals import (
    EXACT_VARIANCE,
    Method,
    ReleasedCount,
    binomial_law,
    read_confidence,
    share_intervals,
    smallest,
)
from privet.estimate.moments import Moments, Variance


def count_law(rows: int, members: int, channel: SymmetricChannel) -> np.ndarray:
    """(rows + 1,) law of the released count of a category that `members` of the rows have."""
    stay = binom.pmf(np.arange(members + 1), members, channel.keep)
    come = binom.pmf(np.arange(rows - members + 1), rows - members, channel.move)
    return np.convolve(stay, come)


def released_count(rows: int, channel: SymmetricChannel) -> ReleasedCount:
    return ReleasedCount(rows, (channel.size - 1) * channel.move, channel.move, channel.slope)


@pytest.mark.parametrize(("trials", "probability"), [(1, 0.3), (40, 0.01), (500, 0.9), (9, 1.0)])
def test_binomial_law(trials: int, probability: float) -> None:
    first, law = binomial_law(trials, probability)
    values = first + np.arange(law.size)
    assert law == pytest.approx(binom.pmf(values, trials, probability), rel=1e-9, abs=1e-30)


def test_binomial_law_of_many_trials_is_a_window_with_all_the_mass() -> None:
    first, law = binomial_law(10**12, 0.3)
    values = first + np.arange(law.size)
    assert law.size < 2e7
    inner = abs(values - 3e11) < 6 * math.sqrt(2.1e11)
    assert law[inner][:: 10**5] == pytest.approx(
        binom.pmf(values[inner][:: 10**5], 10**12, 0.3), rel=1e-4
    )


@pytest.mark.parametrize("guess", [-5, 0, 3, 17, 40, 99])
@pytest.mark.parametrize("first", [0, 1, 17, 40, 41])
def test_smallest(first: int, guess: int) -> None:
    assert smallest(lambda n: n >= first, guess, 40) == min(first, 40)


@pytest.mark.parametrize("keep", [Fraction(2, 5), Fraction(99, 100), Fraction(1)])
def test_tail_is_that_of_the_convolution(keep: Fraction) -> None:
    channel = SymmetricChannel(4, keep)
    for members in (0, 1, 13, 30):
        law = count_law(30, members, channel)
        tails = [released_count(30, channel).tail(members, count) for count in range(31)]
        assert tails == pytest.approx(np.cumsum(law[::-1])[::-1], rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("keep", [Fraction(3, 10), Fraction(3, 5), Fraction(99, 100), Fraction(1)])
@pytest.mark.parametrize("rows", [1, 2, 25, 60])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_fixed_data_are_covered_for_every_truth(
    keep: Fraction, rows: int, confidence: float
) -> None:
    channel = SymmetricChannel(4, keep)
    bounds = [
        released_count(rows, channel).interval(count, (1 - confidence) / 2)
        for count in range(rows + 1)
    ]
    lower, upper = np.array(bounds).T
    assert (lower <= upper).all()
    assert (np.diff(lower) >= 0).all()
    assert (np.diff(upper) >= 0).all()
    for members in range(rows + 1):
        covered = (lower <= members) & (members <= upper)
        assert count_law(rows, members, channel)[covered].sum() >= confidence - 1e-12


def test_normal_intervals_would_fail_that_test() -> None:
    # The wrong twin: 60 rows and little noise, where the normal law is no approximation. With its
    # correction it comes close to what is stated, but exact it is not.
    channel, rows = SymmetricChannel(4, Fraction(99, 100)), 60
    bounds, corrected = [], []
    for count in range(rows + 1):
        moments = Moments(Tally.from_counts([count, rows - count, 0, 0]), (channel,), "mechanism")
        reach = 1.96 * math.sqrt(moments.variances[0])
        bounds.append([moments.shares[0] - reach, moments.shares[0] + reach])
        corrected.append(share_intervals(moments, 0.95, "normal").single[0])
    assert worst_coverage(bounds, rows, channel) < 0.9
    assert worst_coverage(corrected, rows, channel) > 0.94


def worst_coverage(bounds: list[list[float]], rows: int, channel: SymmetricChannel) -> float:
    """The least coverage over all truths of intervals of shares, one for each released count."""
    lower, upper = np.array(bounds).T * rows
    coverages = []
    for members in range(rows + 1):
        covered = (lower <= members + 1e-9) & (members - 1e-9 <= upper)
        coverages.append(float(count_law(rows, members, channel)[covered].sum()))
    return min(coverages)


@pytest.mark.parametrize("keep", [Fraction(2, 5), Fraction(99, 100)])
@pytest.mark.parametrize("rows", [1, 20])
def test_a_population_is_covered_for_every_truth(keep: Fraction, rows: int) -> None:
    channel = SymmetricChannel(3, keep)
    intervals = np.array(
        [
            intervals_of([count, rows - count, 0], channel, "sampling")[0]
            for count in range(rows + 1)
        ]
    )
    for share in np.linspace(0, 1, 101):
        covered = (intervals[:, 0] <= share + 1e-12) & (share - 1e-12 <= intervals[:, 1])
        law = binom.pmf(np.arange(rows + 1), rows, channel.move + channel.slope * share)
        assert law[covered].sum() >= 0.95 - 1e-12


def intervals_of(
    counts: list[int], channel: SymmetricChannel, variance: Variance = "mechanism"
) -> np.ndarray:
    moments = Moments(Tally.from_counts(counts), (channel,), variance)
    return share_intervals(moments, 0.95, "auto").single


def test_population_interval_is_the_beta_quantile_moved() -> None:
    channel = SymmetricChannel(3, Fraction(1, 2))
    lower, upper = intervals_of([80, 70, 50], channel, "sampling")[0]
    assert lower == pytest.approx((beta.ppf(0.025, 80, 121) - 0.25) / 0.25)
    assert upper == pytest.approx((beta.ppf(0.975, 81, 120) - 0.25) / 0.25)


@pytest.mark.parametrize("keep", [Fraction(3, 10), Fraction(9, 10)])
@pytest.mark.parametrize("tail", [0.025, 0.001])
def test_score_and_exact_meet_where_one_follows_the_other(keep: Fraction, tail: float) -> None:
    channel, rows = SymmetricChannel(4, keep), 120_000
    law = released_count(rows, channel)
    for share in (0.05, 0.5, 0.97):
        count = round(rows * (channel.move + channel.slope * share))
        assert law.variance(count) > EXACT_VARIANCE / 3
        exact, score = law.interval(count, tail), law.score(count, tail)
        width = exact[1] - exact[0]
        assert score == pytest.approx(exact, abs=1.5 + 0.005 * width)


def test_method_is_chosen_and_said() -> None:
    channel = SymmetricChannel(3, Fraction(1, 2))

    def method(counts: list[int], variance: Variance = "mechanism", asked: Method = "auto") -> str:
        moments = Moments(Tally.from_counts(counts), (channel,), variance)
        return share_intervals(moments, 0.95, asked).method

    assert method([10, 20, 30]) == "exact"
    assert method([10**6, 2 * 10**6, 3 * 10**6]) == "score"
    assert method([10**6, 2 * 10**6, 3 * 10**6], "sampling") == "exact"
    assert method([10**6, 2 * 10**6, 3 * 10**6], asked="exact") == "exact"
    assert method([10, 20, 30], asked="normal") == "normal"
    with pytest.raises(ParameterError, match="method"):
        method([1, 2, 3], asked="wald")  # type: ignore[arg-type]  # wrong on purpose


def test_exact_is_refused_where_it_does_not_exist() -> None:
    lopsided = MatrixChannel(np.array([[0.7, 0.3], [0.1, 0.9]]))
    moments = Moments(Tally.from_counts([1, 2]), (lopsided,), "mechanism")
    with pytest.raises(ParameterError, match="Exact intervals"):
        share_intervals(moments, 0.95, "exact")
    assert share_intervals(moments, 0.95, "auto").method == "normal"


def test_two_categories_are_one_comparison() -> None:
    channel = SymmetricChannel(2, Fraction(3, 4))
    moments = Moments(Tally.from_counts([30, 20]), (channel,), "mechanism")
    intervals = share_intervals(moments, 0.95, "auto")
    assert np.array_equal(intervals.single, intervals.simultaneous)
    assert intervals.single[0] == pytest.approx(1 - intervals.single[1][::-1])


@pytest.mark.parametrize("confidence", [0, 1, 95, -0.5, "nan", "high"])
def test_confidence_out_of_range_is_refused(confidence: object) -> None:
    with pytest.raises(ParameterError, match="confidence"):
        read_confidence(confidence)  # type: ignore[arg-type]  # wrong on purpose


def test_confidence_is_read_as_written() -> None:
    assert read_confidence("95/100") == read_confidence(0.95) == 0.95
