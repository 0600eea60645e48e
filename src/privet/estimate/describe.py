"""What an estimate says about itself, in sentences. A release is public: so are its numbers."""

import numpy as np

from privet.estimate.channel import FloatArray
from privet.estimate.intervals import Intervals
from privet.estimate.moments import Moments

_ROUNDING = 1e-9
"""A share of 1 may come out as much above it."""

_MECHANISM = (
    ". Standard errors and intervals are of the mechanism's noise alone: they say how far the "
    "estimate may lie from the shares in the data that were released"
)
_SAMPLING = (
    ". Standard errors and intervals are of the mechanism's noise and of sampling: they say how "
    "far the estimate may lie from the shares in the population from which the rows were drawn "
    "independently. They are too small if one person has several rows, or if the rows are the "
    "symbols of words"
)
_SAMPLING_OF_SYMBOLS = (
    ". Standard errors and intervals are of the mechanism's noise and of sampling, as if every "
    "symbol had been drawn independently: symbols of one word tell of each other, and then they "
    "are too small"
)
_HEAVIER = ", or if no {unit} was drawn of a kind that weighs more than those that were"


def describe(moments: Moments, intervals: Intervals, confidence: float) -> str:
    """Which rows, which variance and which intervals, and what is odd about the shares if it is."""
    tally = moments.tally
    unit = "symbol" if tally.of_words else "row"
    text = f"Estimated from {tally.rows:,} released {unit}{'' if tally.rows == 1 else 's'}"
    if tally.weighted:
        text += f" with design weights (effective number {_rounded(1 / tally.concentration)})"
    sampling = _SAMPLING_OF_SYMBOLS if tally.of_words else _SAMPLING
    text += _MECHANISM if moments.variance == "mechanism" else sampling
    if tally.weighted and moments.variance == "sampling":
        text += _HEAVIER.format(unit=unit)
    text += (
        f". Intervals have confidence {confidence:g}: one at a time by the {intervals.method} "
        f"method, all at once by {intervals.simultaneous_method}."
    )
    return text + _outside(moments.shares, intervals)


def _outside(shares: FloatArray, intervals: Intervals) -> str:
    """Why a share is no share, and why its interval may not hold it."""
    odd = (shares < -_ROUNDING) | (shares > 1 + _ROUNDING)
    if not odd.any():
        return ""
    left_out = odd & ((shares < intervals.single[..., 0]) | (shares > intervals.single[..., 1]))
    beside = int(np.count_nonzero(left_out))
    count = int(np.count_nonzero(odd))
    text = (
        f" Unbiased estimates may be negative or above 1, and {count:,} of {shares.size:,} "
        f"{'is' if count == 1 else 'are'}; intervals are cut to [0, 1]"
    )
    if beside:
        text += f", so {beside:,} of them {'does' if beside == 1 else 'do'} not hold the estimate"
    return text + "; the projected shares are the nearest that are all within [0, 1]."


def _rounded(number: float) -> str:
    # A tenth of a row matters only where there are few.
    return f"{number:,.1f}" if number < 10 else f"{number:,.0f}"
