"""What an estimate says about itself, in sentences. A release is public: so are its numbers."""

from privet.estimate.intervals import Intervals
from privet.estimate.moments import Moments


def describe(moments: Moments, intervals: Intervals, confidence: float) -> str:
    """Which rows, which variance and which intervals."""
    tally = moments.tally
    text = f"Estimated from {tally.rows} released {'row' if tally.rows == 1 else 'rows'}"
    if tally.weighted:
        text += f" with design weights (effective number {1 / tally.concentration:.6g})"
    if moments.variance == "mechanism":
        text += (
            ". Standard errors and intervals are of the mechanism's noise alone: they say how far "
            "the estimate may lie from the shares in the data that were released"
        )
    else:
        text += (
            ". Standard errors and intervals are of the mechanism's noise and of sampling: they "
            "say how far the estimate may lie from the shares in the population from which the "
            "rows were drawn independently"
        )
    return text + (
        f". Intervals have confidence {confidence:g}: one at a time by the {intervals.method} "
        f"method, all at once by {intervals.simultaneous_method}."
    )
