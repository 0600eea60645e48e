"""Discrete Laplace noise: its digit laws enclose the true law, at every precision."""

from fractions import Fraction

import numpy as np
import pytest

from privet.errors import ParameterError
from privet.exact import exp_down, exp_up
from privet.randomness import discrete_laplace, noise
from privet.testing import ChosenSource, ReplaySource

SCALES = [
    Fraction(1, 10**300),
    Fraction(1, 3),
    Fraction(4),
    Fraction(1000) + Fraction(1, 2**64),
    Fraction(2**40),
]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("bits", [64, 192])
def test_enclosures_hold_the_true_law_and_are_narrow(scale: Fraction, bits: int) -> None:
    precision = bits + 100
    rate = 1 / scale
    *digits, top = noise._digit_laws(scale)
    for law in (*digits, top):
        window = law.cumulative(bits)
        count = len(window.lower)
        for j in {0, 1, count // 2, count - 2, count - 1} & set(range(count)):
            exponent = -min(rate * (j + 1), Fraction(2 * precision))
            low, high = 1 - exp_up(exponent, precision), 1 - exp_down(exponent, precision)
            if law is not top:
                low /= 1 - exp_down(-rate * 256, precision)
                high /= 1 - exp_up(-rate * 256, precision)
            assert window.lower[j] <= high * 2**bits
            assert window.upper[j] >= low * 2**bits
            # Narrow enough, and not by being wrong: one unit around the true value.
            assert window.upper[j] - window.lower[j] <= 2
        rate *= 256
    assert len(digits) == sum(4 * 256**i < scale for i in range(9))


@pytest.mark.parametrize("bits", [64, 128])
def test_the_window_leaves_out_less_than_a_unit(bits: int) -> None:
    for scale in SCALES:
        window = noise._digit_laws(scale)[-1].cumulative(bits)
        assert window.first == 0
        assert window.lower[-1] >= (1 << bits) - 1


def test_minus_zero_is_drawn_again() -> None:
    # A tiny scale gives magnitude 0 always; the signs are minus, plus / plus.
    signs = [[1, 0], [0]]
    source = ChosenSource(lambda out: 0 if out.dtype == np.uint64 else signs.pop(0))
    assert discrete_laplace(source, Fraction(1, 100), 2).tolist() == [0, 0]
    assert signs == []


def test_digits_are_put_together_in_order() -> None:
    # The highest word of the rest, then 0 for the lower digit, then the sign.
    assert len(noise._digit_laws(Fraction(500))) == 2
    parts = [[2**63], [0], [1]]
    source = ChosenSource(lambda _: parts.pop(0))
    drawn = discrete_laplace(source, Fraction(500), 1)[0]
    # The median of the magnitude is 500 ln 2 = 346.6, and 346 lies in the digit that starts at 256.
    assert drawn == -256


@pytest.mark.parametrize("scale", [Fraction(0), Fraction(-1), Fraction(2**40) + 1])
def test_scales_out_of_range_are_refused(scale: Fraction) -> None:
    with pytest.raises(ParameterError, match="scale"):
        discrete_laplace(ReplaySource(1), scale, 1)


def test_shape_type_and_symmetry() -> None:
    drawn = discrete_laplace(ReplaySource(1), Fraction(50), 10_000)
    assert drawn.dtype == np.int64
    assert drawn.shape == (10_000,)
    assert abs(int((drawn > 0).sum()) - int((drawn < 0).sum())) < 600
    assert discrete_laplace(ReplaySource(1), Fraction(50), 0).shape == (0,)
