"""Confidence intervals of shares, one at a time and all at once.

Contract. An interval is of the TRUE share, which lies in [0, 1], so every interval does too; the
unbiased estimate may lie outside both. Three methods, and which one was used is always said:

- "exact": released counts are compared with their own law, so the coverage is at least what is
  stated for every number of rows and every truth. With the data fixed and N rows of a category
  among n, its released count is Binomial(N, k) + Binomial(n - N, p): every N that is rejected by
  neither one-sided test at half the level is in. With sampling it is Binomial(n, p + (k - p) pi),
  whose interval [clopper-pearson-1934] is carried over by the affine map. Single columns, equal
  weights.
- "score": where the count's variance is above `EXACT_VARIANCE`, the same inversion with the normal
  law, the variance at the hypothesis [wilson-1927] and a correction for continuity. Its coverage is
  within 0.001 of what is stated, or above it.
- "normal": every share that the estimate does not reject by the normal law, with the variance that
  it would have under that share, a bound for the skewness and a correction for continuity; see
  privet.estimate.normal. Coverage is approximate. With sampling, computed for every truth of two
  categories and 5 to 400 rows, and measured in joint tables of 30 to 1000 rows and with weights 1
  and 20, it was nowhere below what is stated, at 0.8, 0.95 and 0.99, and in cells of few rows far
  above it. Intervals with the estimated variance (Wald) fall below 0.7 there at a stated 0.95. With
  weights one thing is not foreseen: that no row was drawn of a kind that weighs more than those
  that were. Coverage falls short by about the chance of that.

All at once: at the level of one interval divided by the number of comparisons for the exact method
(Bonferroni, valid under any dependence); at 1 - (1 - level)^(1/cells) for the normal one, valid for
normal estimates of any correlation [sidak-1967]. Two categories are one comparison: one share
determines the other.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Literal

import numpy as np
import numpy.typing as npt

from privet.errors import ParameterError
from privet.estimate.channel import Channel, FloatArray, SymmetricChannel
from privet.estimate.moments import Moments
from privet.estimate.normal import normal_intervals
from privet.exact import exact_number
from privet.exact.number import Number

Method = Literal["auto", "exact", "normal"]

EXACT_VARIANCE = 10_000.0
"""Variance of a released count above which "auto" goes over from "exact" to "score"."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """`single`, `simultaneous`: (..., 2) float64, lower and upper; and how they were made."""

    single: FloatArray
    simultaneous: FloatArray
    method: str
    simultaneous_method: str


def read_confidence(confidence: Number) -> float:
    """A confidence level in (0, 1). Errors: ParameterError otherwise."""
    level = exact_number(confidence, "confidence")
    if not Fraction(0) < level < 1 or float(level) in (0.0, 1.0):
        raise ParameterError(
            "confidence must lie between 0 and 1.",
            hint="Write 0.95 for 95 percent.",
            parameter="confidence",
        )
    return float(level)


def share_intervals(moments: Moments, confidence: float, method: Method) -> Intervals:
    """Intervals of every cell. Errors: ParameterError if "exact" is asked for but not to be had."""
    if method not in ("auto", "exact", "normal"):
        raise ParameterError("method must be 'auto', 'exact' or 'normal'.", parameter="method")
    channel = moments.channels[0]
    exact = (
        len(moments.channels) == 1
        and isinstance(channel, SymmetricChannel)
        and channel.slope > 0
        and moments.tally.equal_weights
    )
    if method == "exact" and not exact:
        raise ParameterError(
            "Exact intervals exist for one column of randomised response with equal weights only.",
            hint="Use method='normal' or 'auto'.",
            parameter="method",
        )
    if method == "normal" or not (exact and isinstance(channel, SymmetricChannel)):
        return _normal(moments, confidence)
    return _from_counts(moments, channel, confidence, always=method == "exact")


def _normal(moments: Moments, confidence: float) -> Intervals:
    error, cells = 1 - confidence, _comparisons(moments.channels)
    together = error if cells == 1 else -math.expm1(math.log1p(-error) / cells)
    single, simultaneous = normal_intervals(moments, [error, together])
    return Intervals(single, simultaneous, "normal", f"Šidák, {_counted(cells)}")


def _from_counts(
    moments: Moments, channel: SymmetricChannel, confidence: float, *, always: bool
) -> Intervals:
    counts, rows, error = moments.tally.counts, moments.tally.rows, 1 - confidence
    cells = _comparisons(moments.channels)
    method = "exact"
    if moments.variance == "sampling":
        single = _clopper_pearson(counts, rows, channel, error)
        simultaneous = _clopper_pearson(counts, rows, channel, error / cells)
    else:
        law = ReleasedCount(rows, (channel.size - 1) * channel.move, channel.move, channel.slope)
        # Categories of equal counts have equal intervals, and there are often many.
        distinct, where = np.unique(counts, return_inverse=True)
        scored = [not always and law.variance(count) > EXACT_VARIANCE for count in distinct]
        single, simultaneous = (
            np.array(
                [
                    (law.score if large else law.interval)(count, level / 2)
                    for count, large in zip(distinct.tolist(), scored, strict=True)
                ]
            )[where]
            / rows
            for level in (error, error / cells)
        )
        if any(scored):
            method = "score" if all(scored) else "exact, and score for the larger counts"
    return Intervals(single, simultaneous, method, f"Bonferroni, {_counted(cells)}")


def _comparisons(channels: tuple[Channel, ...]) -> int:
    cells = math.prod(channel.size for channel in channels)
    return 1 if cells == 2 else cells


def _counted(cells: int) -> str:
    return "1 comparison" if cells == 1 else f"{cells:,} comparisons"


def _clopper_pearson(
    counts: npt.NDArray[np.int64], rows: int, channel: SymmetricChannel, error: float
) -> FloatArray:
    from scipy.special import betaincinv

    released = counts.astype(np.float64)
    # The beta quantile is not defined at the ends, where the bound is the end itself.
    lower = np.where(
        counts == 0, 0.0, betaincinv(np.maximum(released, 1), rows - released + 1, error / 2)
    )
    upper = np.where(
        counts == rows, 1.0, betaincinv(released + 1, np.maximum(rows - released, 1), 1 - error / 2)
    )
    shares = (np.stack([lower, upper], axis=-1) - channel.move) / channel.slope
    return shares.clip(0.0, 1.0)


@dataclass(frozen=True)
class ReleasedCount:
    """The released count of a category that N of `rows` rows have: N - losses + gains.

    Each of the N is lost with probability `loss` and each other row gained with probability `gain`,
    independently; `slope` = 1 - loss - gain > 0. The law rises stochastically with N.
    """

    rows: int
    loss: float
    gain: float
    slope: float

    def variance(self, count: int) -> float:
        """The variance of the released count at the N that `count` suggests."""
        inside = min(max((count - self.rows * self.gain) / self.slope, 0.0), self.rows)
        outside = self.rows - inside
        return inside * self.loss * (1 - self.loss) + outside * self.gain * (1 - self.gain)

    def interval(self, count: int, tail: float) -> tuple[float, float]:
        """The N that neither one-sided test of size `tail` rejects, from the exact law."""
        mirrored = self._mirrored()
        upper = self.rows - mirrored._exact_lower(self.rows - count, tail)
        return self._exact_lower(count, tail), upper

    def score(self, count: int, tail: float) -> tuple[float, float]:
        """The same with the normal law at each N, closed form."""
        mirrored = self._mirrored()
        upper = self.rows - mirrored._score_lower(self.rows - count, tail)
        return self._score_lower(count, tail), upper

    def tail(self, members: int, count: int) -> float:
        """P(released count >= `count`) if N = `members`."""
        first_loss, losses = binomial_law(members, self.loss)
        first_gain, gains = binomial_law(self.rows - members, self.gain)
        # P(gains >= g) by position in the window; 0 beyond it.
        beyond = np.append(np.cumsum(gains[::-1])[::-1], 0.0)
        needed = count - members + first_loss + np.arange(losses.size) - first_gain
        return float(losses @ beyond[np.clip(needed, 0, gains.size)])

    def _mirrored(self) -> "ReleasedCount":
        # The rows outside the category are a category too, with loss and gain exchanged.
        return ReleasedCount(self.rows, self.gain, self.loss, self.slope)

    def _exact_lower(self, count: int, tail: float) -> int:
        guess = math.floor(self._score_lower(count, tail))
        return smallest(lambda members: self.tail(members, count) > tail, guess, self.rows)

    def _score_lower(self, count: int, tail: float) -> float:
        # The smaller N with (count - 1/2 - mean(N))^2 = z^2 variance(N): a quadratic in N.
        z = -NormalDist().inv_cdf(tail)
        above = count - 0.5 - self.rows * self.gain
        bend = self.loss - self.gain
        spread = above * bend + (z * bend) ** 2 / 4 + self.rows * self.gain * (1 - self.gain)
        centre = above + z * z * bend / 2
        root = (centre - z * math.sqrt(max(spread, 0.0))) / self.slope
        return min(max(root, 0.0), float(self.rows))


def binomial_law(trials: int, probability: float) -> tuple[int, FloatArray]:
    """(first, law): law[i] = P(Binomial = first + i), without tails of mass below 1e-30.

    By the ratio of neighbouring terms outwards from the mode, then scaled to sum 1: the relative
    error grows with the distance from the mode only, not with `trials`.
    """
    if trials == 0 or probability <= 0:
        return 0, np.ones(1)
    if probability >= 1:
        return trials, np.ones(1)
    mean = trials * probability
    # Bernstein: P(|X - mean| >= r) <= 2 exp(-r^2 / (2 variance + 2r/3)) < 1e-30 for this r.
    reach = 13 * math.sqrt(mean * (1 - probability)) + 60
    first, last = max(0, math.floor(mean - reach)), min(trials, math.ceil(mean + reach))
    mode = min(max(math.floor((trials + 1) * probability), first), last)
    odds = probability / (1 - probability)
    rising = np.arange(mode, last, dtype=np.float64)
    falling = np.arange(mode, first, -1, dtype=np.float64)
    above = np.cumprod((trials - rising) / (rising + 1) * odds)
    below = np.cumprod(falling / ((trials - falling + 1) * odds))
    law = np.concatenate([below[::-1], [1.0], above])
    return first, law / law.sum()


def smallest(holds: Callable[[int], bool], guess: int, largest: int) -> int:
    """The smallest number in 0..largest from which `holds` is true (`largest` if none).

    `holds` is false up to some number and true beyond; few calls if `guess` is near.
    """
    low, high = -1, largest
    at, step = min(max(guess, 0), largest), 1
    if holds(at):
        high = at
        while high > 0 and holds(max(high - step, 0)):
            high, step = max(high - step, 0), 2 * step
        low = max(high - step, -1) if high > 0 else -1
    else:
        low = at
        while low + step < largest and not holds(low + step):
            low, step = low + step, 2 * step
        high = min(low + step, largest)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
