"""Directed rounding: real functions of rationals, bounded from a named side by rationals.

Contract. `*_up` is never below and `*_down` never above the true real value; results are dyadic
rationals whose relative error is at most 2^-bits. Balls come from Arb [johansson-2017] through
python-flint. Its working precision is one global of the library: a thread that changes it meanwhile
can only make an enclosure wider or narrower, never wrong, and the loops here go on until the
enclosure is narrow enough.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx, fmpq

DEFAULT_BITS = 128


def ball(x: Fraction) -> arb:
    """The ball of the working precision that contains `x`."""
    return arb(fmpq(x.numerator, x.denominator))


def endpoints(x: arb) -> tuple[Fraction, Fraction]:
    """The exact lower and upper end of a finite ball."""
    return _dyadic(x.lower()), _dyadic(x.upper())


def _dyadic(x: arb) -> Fraction:
    mantissa, exponent = (int(part) for part in x.man_exp())
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def enclose(function: Callable[[arb], arb], x: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Lower and upper bound of function(x), apart by at most 2^-bits of their size."""
    precision = bits + 32
    while True:
        with ctx.workprec(precision):
            value = function(ball(x))
            if value.is_finite() and value.rel_accuracy_bits() > bits:
                return endpoints(value)
            if value.is_exact():
                return endpoints(value)
        precision *= 2


def exp_up(x: Fraction, bits: int = DEFAULT_BITS) -> Fraction:
    """A rational at or above e^x."""
    return Fraction(1) if x == 0 else enclose(arb.exp, x, bits)[1]


def exp_down(x: Fraction, bits: int = DEFAULT_BITS) -> Fraction:
    """A rational at or below e^x."""
    return Fraction(1) if x == 0 else enclose(arb.exp, x, bits)[0]


def ratio_up(rate: Fraction, bits: int = DEFAULT_BITS) -> Fraction:
    """A rational q < 1 at or above e^-rate, whose own rate log(1/q) is `rate` within 2^-bits of it.

    For a tiny rate e^-rate is nearly 1, and it is the distance from 1 that must keep its digits.
    """
    nearness = max(0, rate.denominator.bit_length() - rate.numerator.bit_length() + 1)
    return exp_up(-rate, bits + nearness)


def log_up(x: Fraction, bits: int = DEFAULT_BITS) -> Fraction:
    """A rational at or above the natural logarithm of x > 0."""
    return Fraction(0) if x == 1 else enclose(arb.log, x, bits)[1]


def log_down(x: Fraction, bits: int = DEFAULT_BITS) -> Fraction:
    """A rational at or below the natural logarithm of x > 0."""
    return Fraction(0) if x == 1 else enclose(arb.log, x, bits)[0]


def up(x: Fraction, bits: int) -> Fraction:
    """The smallest multiple of 2^-bits at or above x."""
    return Fraction(-((-x.numerator << bits) // x.denominator), 1 << bits)


def down(x: Fraction, bits: int) -> Fraction:
    """The largest multiple of 2^-bits at or below x."""
    return Fraction((x.numerator << bits) // x.denominator, 1 << bits)


def float_up(x: Fraction) -> float:
    """The smallest double at or above x (inf where x is beyond the doubles)."""
    try:
        nearest = float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.nextafter(math.inf, 0)
    return nearest if Fraction(nearest) >= x else math.nextafter(nearest, math.inf)


def float_down(x: Fraction) -> float:
    """The largest double at or below x (-inf where x is beyond the doubles); 0 is never -0."""
    return 0.0 - float_up(-x)
