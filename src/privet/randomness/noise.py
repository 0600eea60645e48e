"""Integer noise, exactly.

Contract. `discrete_laplace` draws integers exactly from the discrete Laplace law of
[canonne-kamath-steinke-2020], for any rational scale in range: no float and no truncated tail. The
law is theirs; it is reached by digits rather than by their rejections, so that the time hardly
depends on the values drawn.
"""

from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from privet.errors import ParameterError, RandomnessError
from privet.exact import exp_down, exp_up
from privet.randomness.refinable import Cumulative, RefinableLaw
from privet.randomness.source import RandomSource

RADIX_BITS = 8
LARGEST_SCALE = Fraction(1 << 40)
"""Up to here a value beyond 64 bits has probability below e^-8000000."""


def discrete_laplace(source: RandomSource, scale: Fraction, size: int) -> NDArray[np.int64]:
    """Independent integers (size,) int64 with P(x) = (1 - q) / (1 + q) q^|x|, q = e^(-1 / scale).

    A magnitude G with P(G = g) = (1 - q) q^g and a fair sign, drawn again for minus zero: what is
    kept has P(x) proportional to q^|x| [canonne-kamath-steinke-2020].

    Errors: ParameterError unless 0 < scale <= 2^40.
    """
    if not 0 < scale <= LARGEST_SCALE:
        raise ParameterError(
            "The scale of discrete Laplace noise must lie between 0 (excluded) and 2^40.",
            hint="Count in larger units, or ask for a larger epsilon.",
            parameter="scale",
        )
    noise = np.empty(size, np.int64)
    rows = np.arange(size)
    while rows.size:
        magnitude = _geometric(source, Fraction(scale), rows.size)
        negative = (source.words(rows.size, np.uint8) & 1).astype(np.bool_)
        noise[rows] = np.where(negative, -magnitude, magnitude)
        rows = rows[negative & (magnitude == 0)]
    return noise


def _geometric(source: RandomSource, scale: Fraction, size: int) -> NDArray[np.int64]:
    """Integers (size,) with P(G = g) = (1 - q) q^g, digit by digit.

    Written to the base B = 256 with digits d_0, ..., d_(D-1) and the rest t, q^G is the product of
    the (q^(B^i))^(d_i) and (q^(B^D))^t: the digits and the rest are independent, each geometric
    (truncated to 0 .. B - 1 for a digit) with its own rate.
    """
    *digits, top = _digit_laws(scale)
    value = top.draw(source, size)
    shift = RADIX_BITS * len(digits)
    if size and int(value.max()) >> (62 - shift):
        raise RandomnessError("A draw of discrete Laplace noise does not fit 64 bits.")
    value <<= shift
    for position, digit in enumerate(digits):
        value |= digit.draw(source, size) << (RADIX_BITS * position)
    return value


@lru_cache(maxsize=64)
def _digit_laws(scale: Fraction) -> tuple[RefinableLaw, ...]:
    """The laws of the digits, lowest first, and of the rest, whose rate is at least 1/4."""
    rate = 1 / scale
    laws: list[RefinableLaw] = []
    while 4 * rate < 1:
        laws.append(_Digit(rate))
        rate *= 1 << RADIX_BITS
    return (*laws, _Geometric(rate))


def _powers(rate: Fraction, precision: int) -> tuple[int, int]:
    """Integers l, u with l <= 2^precision e^(-rate) <= u, apart by one or two."""
    if rate >= precision:  # then e^(-rate) < 2^-precision, and its digits need not be found
        return 0, 1
    low, high = exp_down(-rate, precision), exp_up(-rate, precision)
    return int(low * (1 << precision)), -int(-high * (1 << precision) // 1)


class _Geometric(RefinableLaw):
    """P(g) = (1 - x) x^g for x = e^(-rate): P(category <= g) = 1 - x^(g + 1)."""

    def __init__(self, rate: Fraction) -> None:
        self._rate = rate

    def cumulative(self, bits: int) -> Cumulative:
        """Enclosures up to the first category beyond which less than 2^-bits is left."""
        precision = bits + 32  # products lose less than two units each
        low, high = _powers(self._rate, precision)
        lower, upper = [], []
        tail_low, tail_high = low, high
        while True:
            lower.append((1 << bits) + (-tail_high >> 32))
            upper.append((1 << bits) - (tail_low >> 32))
            if tail_high >> 32 == 0:
                return Cumulative(0, lower, upper)
            tail_low = tail_low * low >> precision
            tail_high = -(-tail_high * high >> precision)


class _Digit(RefinableLaw):
    """P(d) proportional to e^(-rate d) on 0 .. 255: P(<= d) = (1 - x^(d + 1)) / (1 - x^256)."""

    categories = 1 << RADIX_BITS

    def __init__(self, rate: Fraction) -> None:
        self._rate = rate

    def cumulative(self, bits: int) -> Cumulative:
        """Enclosures of all 256 categories."""
        # 1 - x is about the rate, which may be 2^-40: that many digits cancel.
        precision = bits + 32 + (1 / self._rate).__ceil__().bit_length()
        one = 1 << precision
        low, high = _powers(self._rate, precision)
        lows, highs = [low], [high]
        for _ in range(self.categories - 1):
            lows.append(lows[-1] * low >> precision)
            highs.append(-(-highs[-1] * high >> precision))
        least, most = one - highs[-1], one - lows[-1]
        lower = [((one - tail) << bits) // most for tail in highs]
        upper = [-(((tail - one) << bits) // least) for tail in lows]
        return Cumulative(0, lower, upper)
