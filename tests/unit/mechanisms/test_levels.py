"""Laws on levels: enclosures around the exact law, and floats that stay right for long words."""

import math
import time
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.exact import exp_down, exp_up
from privet.mechanisms.levels import StaircaseLevels, log_level_weights, staircase_step_logs
from privet.testing import ReplaySource


def exact_cumulative(
    length: int, size: int, factor: Fraction, period: int, shift: int, minimum: int = 0
) -> list[Fraction]:
    """P(distance <= l) by the definition, one level after the other."""
    weights = [Fraction(0)] * (length + 1)
    for level in range(minimum, length + 1):
        steps = math.ceil(Fraction(max(level - shift, 0), period))
        weights[level] = math.comb(length, level) * (size - 1) ** level * factor**steps
    total = sum(weights, Fraction(0))
    return [part / total for part in accumulate(weights)]


@st.composite
def staircases(draw: st.DrawFn) -> tuple[int, int, Fraction, int, int, int]:
    length = draw(st.integers(0, 60))
    period = draw(st.integers(1, 70))
    factor = draw(
        st.one_of(
            st.just(Fraction(1)),
            st.fractions(Fraction(1, 1000), 1, max_denominator=1000),
            st.integers(1, 400).map(lambda power: Fraction(1, 2**power)),
        )
    )
    shift, minimum = draw(st.integers(0, period - 1)), draw(st.integers(0, length))
    return length, draw(st.integers(2, 300)), factor, period, shift, minimum


@given(staircases(), st.sampled_from([64, 128, 320]))
def test_enclosures_hold_the_exact_law_and_are_narrow(
    case: tuple[int, int, Fraction, int, int, int], bits: int
) -> None:
    length, size, factor, period, shift, minimum = case
    law = StaircaseLevels(length, size, factor, period=period, shift=shift, minimum=minimum)
    exact = exact_cumulative(length, size, factor, period, shift, minimum)
    window = law.cumulative(bits)
    assert law.categories == length + 1
    unit = Fraction(1, 1 << bits)
    for level, (low, high) in enumerate(
        zip(window.lower, window.upper, strict=True), start=window.first
    ):
        assert low * unit <= exact[level] <= high * unit
        assert high - low <= 3
    last = window.first + len(window.lower) - 1
    assert window.first == 0 or exact[window.first - 1] <= unit
    assert 1 - exact[last] <= unit


@pytest.mark.parametrize("power", [1, 12, 70])
@pytest.mark.parametrize(("period", "shift"), [(1, 0), (2, 1), (30, 11), (400, 399), (2000, 700)])
@pytest.mark.parametrize("size", [2, 6])
def test_what_the_window_leaves_out_is_counted(
    size: int, period: int, shift: int, power: int
) -> None:
    # Long enough that the tails are cut off: Q = 2^-power makes the exact law one of integers.
    length, bits = 1500, 64
    steps = [math.ceil(Fraction(max(level - shift, 0), period)) for level in range(length + 1)]
    weights = [
        math.comb(length, level) * (size - 1) ** level << power * (steps[-1] - steps[level])
        for level in range(length + 1)
    ]
    sums = list(accumulate(weights))
    window = StaircaseLevels(
        length, size, Fraction(1, 2**power), period=period, shift=shift
    ).cumulative(bits)
    assert len(window.lower) < length
    for level, (low, high) in enumerate(
        zip(window.lower, window.upper, strict=True), start=window.first
    ):
        assert low * sums[-1] <= sums[level] << bits <= high * sums[-1]
        assert high - low <= 3
    last = window.first + len(window.lower) - 1
    assert window.first == 0 or sums[window.first - 1] << bits <= sums[-1]
    assert (sums[-1] - sums[last]) << bits <= sums[-1]


@pytest.mark.parametrize("period", [1, 3])
def test_an_enclosed_factor_gives_the_law_of_the_real_number(period: int) -> None:
    def enclosure(bits: int) -> tuple[Fraction, Fraction]:
        return exp_down(Fraction(-2), bits + 2), exp_up(Fraction(-2), bits + 2)

    law = StaircaseLevels(40, 5, enclosure, period=period)
    window = law.cumulative(128)
    for factor in enclosure(300):
        exact = exact_cumulative(40, 5, factor, period, 0)
        for level, (low, high) in enumerate(zip(window.lower, window.upper, strict=True)):
            assert low <= exact[window.first + level] * 2**128 <= high
            assert high - low <= 3


def test_finer_enclosures_lie_within_coarser_ones() -> None:
    law = StaircaseLevels(5000, 3, Fraction(1, 7), period=4, shift=1)
    coarse, fine = law.cumulative(64), law.cumulative(192)
    assert fine.first <= coarse.first
    for index, (low, high) in enumerate(zip(coarse.lower, coarse.upper, strict=True)):
        inner = coarse.first + index - fine.first
        assert (fine.upper[inner] >> 128) <= high
        assert (fine.lower[inner] >> 128) + 1 >= low


@pytest.mark.parametrize(
    ("size", "epsilon", "period", "shift"),
    [
        (8, 1, 1, 0),
        (2, Fraction(1, 100), 1, 0),
        (5, 10, 2, 1),
        (5, 10, 1000, 500),
        (5, 1, 10**6, 10**5),
        (4, 5000, 1000, 3),
        (3, 10**4, 1, 0),
    ],
)
def test_a_million_symbols_cost_what_is_near_the_mode(
    size: int, epsilon: Fraction, period: int, shift: int
) -> None:
    length = 10**6
    started = time.perf_counter()
    factor = exp_up(Fraction(-epsilon), 256)
    law = StaircaseLevels(length, size, factor, period=period, shift=shift)
    window = law.cumulative(64)
    draws = law.draw(ReplaySource(1), 4000)
    assert time.perf_counter() - started < 5
    assert len(window.lower) < 50_000
    log_factor = -float(epsilon)
    steps = staircase_step_logs(length, log_factor, period, shift)
    law_in_floats = np.exp(log_level_weights(length, size, steps))
    mean = float(law_in_floats @ np.arange(length + 1))
    deviation = math.sqrt(float(law_in_floats @ (np.arange(length + 1) - mean) ** 2))
    assert abs(draws.mean() - mean) <= 6 * deviation / math.sqrt(4000) + 1e-6


@given(staircases())
def test_float_law_is_the_exact_law(case: tuple[int, int, Fraction, int, int, int]) -> None:
    length, size, factor, period, shift, _ = case
    log_factor = math.log(factor.numerator) - math.log(factor.denominator)
    steps = staircase_step_logs(length, log_factor, period, shift)
    found = np.exp(log_level_weights(length, size, steps))
    exact = exact_cumulative(length, size, factor, period, shift)
    expected = [float(b - a) for a, b in zip([Fraction(0), *exact], exact, strict=False)]
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-300)


def test_float_law_of_a_million_symbols_is_right_near_the_mode() -> None:
    # The exact logarithms, to 200 bits, of the binomial law it must be; log-gamma in floats, as in
    # scipy.stats.binom, is off by 1e-9 here.
    from flint import arb, ctx

    length, size = 10**6, 8
    found = log_level_weights(length, size, -1.0)
    mode = int(np.argmax(found))
    with ctx.workprec(200):
        q = arb(-1).exp()
        normaliser = length * (1 + 7 * q).log()
        for level in (mode, mode + 100, mode - 3000, mode + 5000):
            count = arb(length + 1).lgamma() - arb(level + 1).lgamma()
            count -= arb(length - level + 1).lgamma()
            exact = count + level * arb(7).log() - level - normaliser
            assert abs(float(exact - arb(float(found[level])))) < 1e-12


def test_steps_fall_where_the_staircase_says() -> None:
    steps = staircase_step_logs(9, -2.0, period=3, shift=2)
    assert steps.tolist() == [0, 0, -2, 0, 0, -2, 0, 0, -2]
    law = StaircaseLevels(9, 2, Fraction(1, 2), period=3, shift=2)
    assert [law.steps_before(level) for level in range(10)] == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3]
