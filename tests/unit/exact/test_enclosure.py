"""Directed rounding keeps its direction, and is as close as it says."""

import math
from fractions import Fraction

from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from privet.exact import (
    down,
    exp_down,
    exp_up,
    float_down,
    float_up,
    log_down,
    log_up,
    ratio_up,
    up,
)
from privet.exact.enclosure import ball

rationals = st.fractions(Fraction(-200), Fraction(200), max_denominator=10**9)
positive = st.fractions(Fraction(1, 10**12), Fraction(10**12))


def certainly_at_most(x: arb, y: arb) -> bool:
    return bool(x <= y)


@given(rationals)
def test_exponentials_enclose_at_higher_precision(x: Fraction) -> None:
    low, high = exp_down(x, 100), exp_up(x, 100)
    assert high - low <= low / 2**99
    with ctx.workprec(400):
        value = ball(x).exp()
        if x:
            assert certainly_at_most(ball(low), value)
            assert certainly_at_most(value, ball(high))
        else:
            assert low == high == 1


@given(positive)
def test_logarithms_enclose_at_higher_precision(x: Fraction) -> None:
    low, high = log_down(x, 100), log_up(x, 100)
    assert abs(high - low) <= abs(high) / 2**99
    with ctx.workprec(400):
        value = ball(x).log()
        if x != 1:
            assert certainly_at_most(ball(low), value)
            assert certainly_at_most(value, ball(high))


@given(st.fractions(Fraction(1, 10**30), Fraction(3000)))
def test_a_ratio_loses_neither_privacy_nor_digits(rate: Fraction) -> None:
    q = ratio_up(rate)
    assert 0 < q < 1
    assert log_up(1 / q, 200) <= rate * (1 + Fraction(1, 2**190))
    assert log_down(1 / q, 200) >= rate * (1 - Fraction(1, 2**120))


@given(rationals, st.integers(0, 80))
def test_rounding_to_a_grid(x: Fraction, bits: int) -> None:
    assert down(x, bits) <= x <= up(x, bits)
    assert up(x, bits) - down(x, bits) in (0, Fraction(1, 2**bits))
    assert (up(x, bits) * 2**bits).denominator == 1


@given(st.fractions())
def test_doubles_around_a_rational(x: Fraction) -> None:
    low, high = float_down(x), float_up(x)
    assert Fraction(low) <= x <= Fraction(high)
    assert high == low or math.nextafter(low, math.inf) == high


def test_doubles_around_numbers_beyond_them() -> None:
    assert float_up(Fraction(10) ** 400) == math.inf
    assert float_down(Fraction(10) ** 400) < math.inf
    assert float_down(-(Fraction(10) ** 400)) == -math.inf
    assert float_up(Fraction(1, 10**400)) == 5e-324
    assert float_down(Fraction(1, 10**400)) == 0
    assert math.copysign(1, float_down(Fraction(0))) == 1
