"""How often each symbol occurs in the data, estimated from their release.

Contract. The mechanism answered every symbol independently of the others (randomised response, or
the exponential mechanism on all words, which is the same). Estimates are functions of the release
and of public numbers alone, so they cost no privacy; they depend on the release only through its
`Tally`. Symbols outside the alphabet are refused, never dropped.

Variances: "mechanism" (the default) takes the data as fixed; the intervals are for the shares in
the very rows that were released. "sampling" takes the rows as drawn independently from a
population, with chances in inverse proportion to the design weights, and the intervals are for its
shares. That fails for several rows of one person, which are alike: their intervals would be too
short, and nothing in a release shows it. The symbols of a word are not drawn independently either,
so words have no "sampling" variance taken together; position by position they do.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from privet.errors import DataError, ParameterError, ParameterTypeError
from privet.estimate.channel import read_channel
from privet.estimate.counting import Tally, tally_columns
from privet.estimate.intervals import Method
from privet.estimate.moments import Variance
from privet.estimate.released import bare
from privet.estimate.table import TableEstimate
from privet.exact.number import Number
from privet.symbols import Alphabet, Codes, Words


class FrequencyEstimate(TableEstimate):
    """Estimated shares of the symbols of one alphabet: every array is (m,) or (m, 2) float64."""

    @property
    def alphabet(self) -> Alphabet:
        """The public symbols, in the order of all arrays."""
        return self.alphabets[0]

    def _label(self, cell: tuple[Any, ...]) -> dict[str, Any]:
        return {"symbol": cell[0]}


def frequencies(
    released: object,
    mechanism: object,
    confidence: Number = 0.95,
    *,
    weights: npt.ArrayLike | None = None,
    variance: Variance = "mechanism",
    method: Method = "auto",
) -> FrequencyEstimate:
    """Unbiased shares of the symbols, with standard errors and confidence intervals.

    `released`: labels, codes, an array of any shape, a column of pandas, polars or Arrow, Codes or
    Words (all symbols are pooled), or a Release of one of them; `weights`: one public design weight
    a row, or a word; `variance`: "mechanism" or "sampling" (rows drawn independently: not several
    of one person); `method` of the intervals: "auto" (exact or score where that exists, else
    normal), "exact" or "normal". Errors: DataError for no rows or wrong weights, DomainError for
    symbols outside the alphabet, ParameterError for a mechanism that tells nothing and for
    parameters out of range.
    """
    released = bare(released)
    if variance == "sampling" and isinstance(released, Words):
        raise ParameterError(
            "The symbols of a word are not drawn independently, so their pooled shares have no "
            "sampling variance.",
            hint="Use frequencies_by_position, or variance='mechanism'.",
            parameter="variance",
        )
    return frequencies_from_counts(
        tally(released, mechanism, weights=weights),
        mechanism,
        confidence,
        variance=variance,
        method=method,
    )


def tally(
    released: object,
    mechanism: object,
    *,
    weights: npt.ArrayLike | None = None,
    part: bool = False,
) -> Tally:
    """What `frequencies` needs to know of a release; tallies of parts add up.

    `part`: one of several, which may be without rows or weight. Arguments and errors as those of
    `frequencies`.
    """
    alphabet, _ = read_channel(mechanism)
    return tally_columns([(alphabet, released)], weights, part=part)


def frequencies_from_counts(
    counts: Tally | npt.ArrayLike,
    mechanism: object,
    confidence: Number = 0.95,
    *,
    variance: Variance = "mechanism",
    method: Method = "auto",
) -> FrequencyEstimate:
    """The same from counts alone.

    `counts`: (m,) whole numbers, how many rows were released as each symbol, in the order of the
    alphabet; or a `Tally`, which also knows about weights.
    """
    alphabet, channel = read_channel(mechanism)
    known = counts if isinstance(counts, Tally) else Tally.from_counts(counts)
    return FrequencyEstimate([alphabet], [channel], known, confidence, variance, method)


def frequencies_by_position(
    released: Any,
    mechanism: object,
    confidence: Number = 0.95,
    *,
    weights: npt.ArrayLike | None = None,
    variance: Variance = "mechanism",
    method: Method = "auto",
) -> list[FrequencyEstimate]:
    """One estimate a position 0, 1, ..., each from the words that are long enough to have it.

    `released`: Words, or a Release of them; `weights`: one a word. Simultaneous intervals hold for
    the symbols of one position together. Errors: as those of `frequencies`; ParameterTypeError for
    anything but Words.
    """
    released = bare(released)
    if not isinstance(released, Words):
        raise ParameterTypeError(
            f"A {type(released).__name__} has no positions to tell apart.",
            hint="Give Words; Words.from_lists makes them.",
        )
    lengths = released.lengths
    if not lengths.size or not lengths.max():
        raise DataError("There are no released symbols to estimate from.", hint="Give some words.")
    each = None if weights is None else np.asarray(weights).ravel()
    if each is not None and each.size != len(released):
        raise DataError(
            f"There are {each.size} design weights for {len(released)} words.",
            hint="Give one weight for each of the words.",
        )
    estimates = []
    for position in range(int(lengths.max())):
        there = np.flatnonzero(lengths > position)
        symbols = Codes(released.codes[released.offsets[there] + position])
        part = None if each is None else each[there]
        known = tally(symbols, mechanism, weights=part)
        estimates.append(
            frequencies_from_counts(known, mechanism, confidence, variance=variance, method=method)
        )
    return estimates
