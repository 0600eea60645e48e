"""How often symbols of several columns occur together, estimated from independent releases.

Contract. Each column was released by its own mechanism, independently of the others given the data,
row by row in the same order. Then the response matrix of the table is the Kronecker product of the
columns' and is undone column by column. The margins of the unbiased joint table are the columns'
own unbiased estimates. Intervals are normal ones; see privet.estimate.intervals for what they hold.
With "sampling" variance rows were drawn independently: not several of one person.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.errors import DataError, ParameterError, ParameterTypeError
from privet.estimate.channel import Channel, FloatArray, read_channel
from privet.estimate.counting import Tally, tally_columns
from privet.estimate.frequencies import FrequencyEstimate
from privet.estimate.intervals import Method
from privet.estimate.moments import Variance
from privet.estimate.table import TableEstimate, read_names
from privet.exact.number import Number
from privet.symbols import Alphabet, Words


class JointEstimate(TableEstimate):
    """Estimated shares of the cells of a joint table: every array is (m1, m2, ...[, 2]) float64."""

    def __init__(
        self,
        alphabets: Sequence[Alphabet],
        channels: Sequence[Channel],
        tally: Tally,
        confidence: Number,
        variance: str,
        method: Method,
        names: Sequence[str] | None = None,
    ) -> None:
        self.names = read_names(names, len(channels))
        super().__init__(alphabets, channels, tally, confidence, variance, method)

    def margin(self, column: int | str) -> FrequencyEstimate:
        """The estimate of one column (its number or name), as from that column alone."""
        axis = self._axis(column)
        return FrequencyEstimate(
            [self.alphabets[axis]],
            [self._moments.channels[axis]],
            self.tally.margin(axis),
            self.confidence,
            self.variance,
            self._method,
        )

    def conditional(self, given: int | str) -> FloatArray:
        """Shares within each symbol of column `given`, from `projected`, in the table's shape.

        For every symbol of that column the entries sum to 1; NaN where its projected share is 0.
        Ratios of estimates: consistent, not unbiased.
        """
        axis = self._axis(given)
        others = tuple(number for number in range(self.projected.ndim) if number != axis)
        within = self.projected.sum(axis=others, keepdims=True)
        empty = np.full(self.projected.shape, np.nan)
        return np.asarray(np.divide(self.projected, within, out=empty, where=within > 0))

    def to_json(self) -> dict[str, Any]:
        """As that of one column, with the names of the columns."""
        return {"columns": list(self.names), **super().to_json()}

    def _axis(self, column: int | str) -> int:
        if column in self.names:
            return self.names.index(str(column))
        if isinstance(column, int) and 0 <= column < len(self.names):
            return column
        raise ParameterError(
            "The estimate has no such column.",
            hint=f"Its columns are {', '.join(self.names)}, counted from 0.",
            parameter="column",
        )

    def _label(self, cell: tuple[Any, ...]) -> dict[str, Any]:
        return dict(zip(self.names, cell, strict=True))


def joint_frequencies(
    columns: Sequence[tuple[object, object]],
    confidence: Number = 0.95,
    *,
    weights: npt.ArrayLike | None = None,
    variance: Variance = "mechanism",
    method: Method = "auto",
    names: Sequence[str] | None = None,
) -> JointEstimate:
    """Unbiased shares of a joint table, with standard errors and confidence intervals.

    `columns`: (released, mechanism) pairs, at least two; the rest as for `frequencies`; `names` of
    the columns, for tables. Errors: as those of `frequencies`; DataError for different lengths.
    """
    _check_pairs(columns)
    if variance == "sampling" and any(isinstance(released, Words) for released, _ in columns):
        raise ParameterError(
            "The symbols of a word are not drawn independently, so their pooled shares have no "
            "sampling variance.",
            hint="Use variance='mechanism'.",
            parameter="variance",
        )
    return joint_frequencies_from_counts(
        joint_tally(columns, weights=weights),
        [mechanism for _, mechanism in columns],
        confidence,
        variance=variance,
        method=method,
        names=names,
    )


def joint_tally(
    columns: Sequence[tuple[object, object]],
    *,
    weights: npt.ArrayLike | None = None,
    part: bool = False,
) -> Tally:
    """What `joint_frequencies` needs to know of the releases; tallies of parts of rows add up.

    `part`: one of several, which may be without rows or weight.
    """
    _check_pairs(columns)
    pairs = [(read_channel(mechanism)[0], released) for released, mechanism in columns]
    _check_columns(len(pairs))
    return tally_columns(pairs, weights, part=part)


def joint_frequencies_from_counts(
    counts: Tally | npt.ArrayLike,
    mechanisms: Sequence[object],
    confidence: Number = 0.95,
    *,
    variance: Variance = "mechanism",
    method: Method = "auto",
    names: Sequence[str] | None = None,
) -> JointEstimate:
    """The same from counts alone: (m1, m2, ...) whole numbers of released rows, or a `Tally`."""
    read = [read_channel(mechanism) for mechanism in mechanisms]
    _check_columns(len(read))
    known = counts if isinstance(counts, Tally) else Tally.from_counts(counts)
    alphabets, channels = [alphabet for alphabet, _ in read], [channel for _, channel in read]
    return JointEstimate(alphabets, channels, known, confidence, variance, method, names)


def _check_pairs(columns: object) -> None:
    pairs = isinstance(columns, list | tuple) and all(
        isinstance(pair, list | tuple) and len(pair) == 2 for pair in columns
    )
    if not pairs:
        raise ParameterTypeError(
            f"A joint table is estimated from (released column, mechanism) pairs, and this "
            f"{type(columns).__name__} is not a list of such.",
            hint="Give [(frame['a'], mechanism_a), (frame['b'], mechanism_b)].",
        )


def _check_columns(number: int) -> None:
    if number < 2:
        raise DataError(
            f"A joint table needs at least two columns; there is {number}.",
            hint="One column goes through estimate.frequencies.",
        )
