"""Laws of the Hamming distance between a word of n symbols over m and a release of it.

Contract. All words at one distance are equally likely, so a law on the levels 0..n says everything:
level l holds C(n, l) (m-1)^l words. `log_level_weights` gives such a law in floats, for
predictions. `StaircaseLevels` gives it to any precision, for draws: no weight is lost to rounding,
n = 10^6 costs what the levels within reach of the mode cost, and nothing enumerates words.

The staircase law. P(l) is proportional to W(l) = C(n, l) (m-1)^l Q^s(l), with s(l) =
ceil(max(l - r, 0) / b), a factor 0 < Q <= 1, a period b >= 1 and a shift 0 <= r < b. With b = 1 it
is the exponential mechanism on all words.

What the tails hold (proof of the bounds used below). s rises by one from l to l + 1 exactly if
l >= r and b divides l - r. Since r < b, any b successive transitions l -> ... -> l + b with l >= 0
contain exactly one such step, so rho(l) = W(l + b) / W(l) = Q prod_{i < b} (n-l-i)(m-1) / (l+i+1),
and every factor falls in l: rho is non-increasing.
- Above a computed level L: W(l + b) = W(l) rho(l) <= W(l) rho(L - b) for l > L - b, so the levels
  above L hold at most S x / (1 - x), S = W(L-b+1) + ... + W(L), x = rho(L - b) = W(L) / W(L - b) <
  1.
- Below a computed level F: W(l - b) = W(l) / rho(l - b) <= W(l) / rho(F) for l < F + b, so the
  levels below F hold at most S x / (1 - x), S = W(F) + ... + W(F+b-1), x = 1 / rho(F) = W(F) / W(F
  + b) < 1.
- Without a whole period: Q <= 1, so above L every ratio of successive weights is at most
  R = (n-L)(m-1) / (L+1), and the levels above L hold at most W(L) R / (1 - R) if R < 1. Below F
  every ratio is at most x = F / ((n-F+1)(m-1)) but for the s(F) steps, so the levels below F hold
  at most W(F) Q^-s(F) x / (1 - x) if x < 1.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from privet.randomness import Cumulative, RefinableLaw

FloatArray = npt.NDArray[np.float64]

Enclosure = Callable[[int], tuple[Fraction, Fraction]]
"""bits -> (lower, upper): rationals around one fixed positive real number, with
upper / lower <= 1 + 2^-bits."""


def log_level_weights(length: int, size: int, step_logs: FloatArray | float) -> FloatArray:
    """Logarithms of a law on levels: (n+1,) float64, entry l = log P(l).

    P(l) is proportional to C(n, l) (m-1)^l exp(step_logs[0] + ... + step_logs[l-1]). `step_logs`:
    (n,) or one number for every step. Sums run outwards from the mode, so that the error is about
    1e-12 where the mass is, also for n = 10^6, where log-gamma is wrong by 1e-9.
    """
    if length == 0:
        return np.zeros(1)
    level = np.arange(length, dtype=np.float64)
    rises = np.log((length - level) * (size - 1) / (level + 1)) + step_logs
    rough = np.cumsum(rises)
    mode = int(np.argmax(rough)) + 1 if rough.max() > 0 else 0
    weights = np.zeros(length + 1)
    np.cumsum(rises[mode:], out=weights[mode + 1 :])
    weights[:mode] = -np.cumsum(rises[:mode][::-1])[::-1]
    highest = weights.max()
    weights -= highest + math.log(float(np.sum(np.exp(weights - highest))))
    return weights


def staircase_step_logs(
    length: int, log_factor: float, period: int = 1, shift: int = 0
) -> FloatArray:
    """(n,) float64: entry l = log Q if the staircase steps down from l to l + 1, else 0."""
    steps = np.zeros(length)
    steps[shift::period] = log_factor
    return steps


def exact_enclosure(value: Fraction) -> Enclosure:
    """The enclosure of a rational: the number itself."""
    return partial(_itself, value)


def _itself(value: Fraction, _bits: int) -> tuple[Fraction, Fraction]:
    return value, value


class StaircaseLevels(RefinableLaw):
    """The staircase law on the levels 0..n, conditional on l >= `minimum`, to any precision.

    `factor`: Q as a Fraction in (0, 1], or an enclosure of a real number in (0, 1];
    `period` b >= 1; 0 <= `shift` r < b; 0 <= `minimum` <= n. Draws are int64 levels.
    """

    def __init__(
        self,
        length: int,
        size: int,
        factor: Fraction | Enclosure,
        *,
        period: int = 1,
        shift: int = 0,
        minimum: int = 0,
    ) -> None:
        assert 0 <= shift < period
        assert 0 <= minimum <= length
        self.length, self.size = length, size
        self.period, self.shift, self.minimum = period, shift, minimum
        self.factor = exact_enclosure(factor) if isinstance(factor, Fraction) else factor
        self.categories = length + 1
        lower, _ = self.factor(64)
        # 2^-weakness <= Q; doubles neither overflow nor lose this.
        self._weakness = lower.denominator.bit_length() - lower.numerator.bit_length() + 1
        self._start = max(minimum, self._mode(lower))

    def steps_before(self, level: int) -> int:
        """s(level): how often the weights have stepped down by Q."""
        return -(-max(level - self.shift, 0) // self.period)

    def cumulative(self, bits: int) -> Cumulative:
        """Enclosures of 2^bits P(distance <= l) over the levels that matter at this precision.

        Weights are integers in units of 2^-working times the weight at the start of the walk, from
        below and from above. The slack in `working` keeps roundings, one a level, of no account:
        after a step by Q a rounding error is magnified by at most 1 / Q until the next.
        """
        slack = 64 + self.length.bit_length() + (self._weakness if self.period > 1 else 0)
        walk = LevelWalk(self, bits + slack, small=1 << (slack - 2))
        self._tilt(walk, bits)
        total_lower = sum(walk.lower)
        total_upper = sum(walk.upper) + walk.below + walk.above
        one = 1 << bits
        lower = [(part << bits) // total_upper for part in accumulate(walk.lower)]
        upper = [
            min(one, -(-(part << bits) // total_lower))
            for part in accumulate(walk.upper, initial=walk.below)
        ][1:]
        if walk.first + len(lower) > self.length:
            lower[-1] = one
        return Cumulative(walk.first, lower, upper)

    def _tilt(self, walk: "LevelWalk", bits: int) -> None:
        """Multiply the weights by something else that depends on the level; here by nothing.

        A law that is a tilted staircase law overrides it. `walk` is changed in place.
        """

    def _mode(self, factor: Fraction) -> int:
        """About where the weights are largest; the walk is right from any start, only slower."""
        log_factor = math.log(factor.numerator) - math.log(factor.denominator)
        if self.period == 1:
            odds = (self.size - 1) * math.exp(log_factor)
            mode = math.ceil((self.length * odds - 1) / (1 + odds))
            return min(max(mode, 0), self.length)
        steps = staircase_step_logs(self.length, log_factor, self.period, self.shift)
        weights = log_level_weights(self.length, self.size, steps)
        return self.minimum + int(np.argmax(weights[self.minimum :]))


class LevelWalk:
    """Weights from below and above on a window of levels, and bounds of what it leaves out.

    `lower`, `upper`: for the levels first, first + 1, ...; `below`, `above`: at least the weight of
    all levels of the law before and after the window.
    """

    def __init__(self, law: StaircaseLevels, working: int, small: int) -> None:
        self._law, self._small = law, small
        lower, upper = law.factor(working)
        # Q between two integers over 2^scale.
        self._scale = working + law._weakness
        self._factor_lower = (lower.numerator << self._scale) // lower.denominator
        self._factor_upper = -((-upper.numerator << self._scale) // upper.denominator)
        start, unit = law._start, 1 << working
        up_lower, up_upper, self.above = self._upward(start, unit)
        down_lower, down_upper, self.below = self._downward(start, unit)
        self.first = start - len(down_lower) + 1
        self.lower = down_lower[:0:-1] + up_lower
        self.upper = down_upper[:0:-1] + up_upper

    def _upward(self, level: int, unit: int) -> tuple[list[int], list[int], int]:
        law, length, others = self._law, self._law.length, self._law.size - 1
        lower, upper = [unit], [unit]
        low = high = unit
        while level < length:
            rise, fall = (length - level) * others, level + 1
            if level >= law.shift and (level - law.shift) % law.period == 0:
                low = low * rise * self._factor_lower // fall >> self._scale
                high = -((-high * rise * self._factor_upper // fall) >> self._scale)
            else:
                low = low * rise // fall
                high = -(-high * rise // fall)
            level += 1
            lower.append(low)
            upper.append(high)
            if high < self._small:
                ratio = ((length - level) * others, level + 1)
                rest = _geometric(high, *ratio)
                if rest is None or rest > self._small:
                    rest = self._after_whole_period(lower, upper)
                if rest is not None and rest <= self._small:
                    return lower, upper, rest
        return lower, upper, 0

    def _downward(self, level: int, unit: int) -> tuple[list[int], list[int], int]:
        law, length, others = self._law, self._law.length, self._law.size - 1
        lower, upper = [unit], [unit]
        low = high = unit
        while level > law.minimum:
            rise, fall = level, (length - level + 1) * others
            level -= 1
            if level >= law.shift and (level - law.shift) % law.period == 0:
                low = (low * rise << self._scale) // (fall * self._factor_upper)
                high = -((-high * rise << self._scale) // (fall * self._factor_lower))
            else:
                low = low * rise // fall
                high = -(-high * rise // fall)
            lower.append(low)
            upper.append(high)
            if high < self._small:
                rest = self._below_without_period(level, high)
                if rest is None or rest > self._small:
                    rest = self._after_whole_period(lower, upper)
                if rest is not None and rest <= self._small:
                    return lower, upper, rest
        return lower, upper, 0

    def _after_whole_period(self, lower: list[int], upper: list[int]) -> int | None:
        """S x / (1 - x) in the walk's own direction, looked at once a period."""
        period = self._law.period
        if len(upper) <= period or (len(upper) - 1) % period:
            return None
        before, last = lower[-1 - period], upper[-1]
        return _geometric(sum(upper[-period:]), last, before)

    def _below_without_period(self, level: int, high: int) -> int | None:
        steps = self._law._weakness * self._law.steps_before(level)
        if high.bit_length() + steps > self._small.bit_length():
            return None
        fall = (self._law.length - level + 1) * (self._law.size - 1)
        rest = _geometric(high, level, fall)
        return None if rest is None else rest << steps


def _geometric(scale: int, numerator: int, denominator: int) -> int | None:
    """At least scale (x + x^2 + ...) for x = numerator / denominator; None if x >= 1."""
    if numerator >= denominator:
        return None
    return -(-scale * numerator // (denominator - numerator))
