"""What every estimate holds, whether of one column or of several.

Contract. Arrays have the shape of the table, (m,) for one column and (m1, m2, ...) for several, in
the order of the alphabets, and are read-only. `shares` are unbiased and sum to 1 (within rounding
of their size, which is huge where the release says little); they may be negative or above 1, and
`projected` is the nearest table of shares that is neither. Which variance the standard errors and
intervals are of is `variance`, and `description` says it in words.
"""

from collections.abc import Sequence
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from privet.errors import DataError
from privet.estimate.channel import Channel, FloatArray, check_information
from privet.estimate.counting import Tally
from privet.estimate.describe import describe
from privet.estimate.intervals import Method, read_confidence, share_intervals
from privet.estimate.moments import Moments, Variance, read_variance
from privet.estimate.show import LARGEST_TABLE, share_rows
from privet.exact.number import Number
from privet.plain_text import text_table
from privet.symbols import Alphabet


class TableEstimate:
    """Shares of the cells of a table, from the tally of a release.

    `shares`, `standard_errors`, `projected`: float64 in the table's shape; `intervals`,
    `simultaneous_intervals`: the same with a last axis (lower, upper), within [0, 1];
    `interval_method`, `simultaneous_method`: how they were made; `variance`, `confidence`: as
    given.
    """

    def __init__(
        self,
        alphabets: Sequence[Alphabet],
        channels: Sequence[Channel],
        tally: Tally,
        confidence: Number,
        variance: str,
        method: Method,
    ) -> None:
        tally.check(tuple(channel.size for channel in channels))
        check_information(channels)
        self.alphabets = tuple(alphabets)
        self.tally = tally
        self.confidence = read_confidence(confidence)
        self.variance: Variance = read_variance(variance)
        self._method: Method = method
        self._moments = Moments(tally, tuple(channels), self.variance)
        self.shares = _frozen(self._moments.shares)
        self.standard_errors = _frozen(np.sqrt(self._moments.variances))
        self.projected = _frozen(self._moments.projected)
        self._intervals = share_intervals(self._moments, self.confidence, method)
        self.intervals = _frozen(self._intervals.single)
        self.simultaneous_intervals = _frozen(self._intervals.simultaneous)

    @property
    def size(self) -> int:
        """The number of released rows (symbols, for words)."""
        return self.tally.rows

    @property
    def effective_size(self) -> float:
        """(sum w)^2 / sum w^2: as many rows of equal weight would say as much [kish-1965]."""
        return 1 / self.tally.concentration

    @property
    def counts(self) -> FloatArray:
        """Estimated number of rows (sum of design weights) of each cell of the data; unbiased."""
        return self.shares * self.tally.total

    @property
    def count_standard_errors(self) -> FloatArray:
        """Standard errors of `counts`, the total taken as known."""
        return self.standard_errors * self.tally.total

    @cached_property
    def covariance(self) -> FloatArray:
        """(cells, cells) float64: covariance matrix of `shares`, cells in C order.

        Singular, since shares sum to 1. Errors: ParameterError for more than 10000 cells.
        """
        return _frozen(self._moments.covariance)

    @property
    def interval_method(self) -> str:
        """Which of "exact", "score" or "normal" was used; see privet.estimate.intervals."""
        return self._intervals.method

    @property
    def simultaneous_method(self) -> str:
        """The correction that makes all intervals hold at once, and for how many comparisons."""
        return self._intervals.simultaneous_method

    @cached_property
    def description(self) -> str:
        """Rows, variance and intervals in words, for people."""
        return describe(self._moments, self._intervals, self.confidence)

    def rows(self) -> list[dict[str, Any]]:
        """One mapping a cell, in C order: its symbols, then plain numbers.

        Errors: DataError if a column is named as one of the numbers is, such as "share".
        """
        cells = product(*(alphabet.symbols for alphabet in self.alphabets))
        listed = []
        for cell, numbers in zip(cells, self.cell_numbers(), strict=True):
            label = self._label(cell)
            taken = next((name for name in label if name in numbers), None)
            if taken is not None:
                raise DataError(
                    f"A column is called {taken!r}, as a number of each row is.",
                    hint="Give the columns other names, or read cell_numbers().",
                )
            listed.append({**label, **numbers})
        return listed

    def cell_numbers(self) -> list[dict[str, float]]:
        """One mapping a cell, in C order: plain numbers by what they are."""
        columns = {
            "share": self.shares,
            "standard_error": self.standard_errors,
            "lower": self.intervals[..., 0],
            "upper": self.intervals[..., 1],
            "simultaneous_lower": self.simultaneous_intervals[..., 0],
            "simultaneous_upper": self.simultaneous_intervals[..., 1],
            "projected": self.projected,
            "count": self.counts,
        }
        values = {name: column.ravel().tolist() for name, column in columns.items()}
        return [
            {name: column[number] for name, column in values.items()}
            for number in range(self.shares.size)
        ]

    def to_json(self) -> dict[str, Any]:
        """Arrays as nested lists. Errors: ParameterTypeError for symbols that JSON cannot hold."""
        return {
            "alphabets": [alphabet.to_json() for alphabet in self.alphabets],
            "size": self.size,
            "effective_size": self.effective_size,
            "weighted": self.tally.weighted,
            "variance": self.variance,
            "confidence": self.confidence,
            "interval_method": self.interval_method,
            "simultaneous_method": self.simultaneous_method,
            "description": self.description,
            "shares": self.shares.tolist(),
            "standard_errors": self.standard_errors.tolist(),
            "intervals": self.intervals.tolist(),
            "simultaneous_intervals": self.simultaneous_intervals.tolist(),
            "projected": self.projected.tolist(),
            "counts": self.counts.tolist(),
            "count_standard_errors": self.count_standard_errors.tolist(),
        }

    def __str__(self) -> str:
        """The shares with their errors and intervals as a table, unless there are very many."""
        if self.shares.size > LARGEST_TABLE:
            return f"{self!r}. {self.description}"
        return f"{text_table(*share_rows(self))}\n\n{self.description}"

    def __repr__(self) -> str:
        shape = " x ".join(str(len(alphabet)) for alphabet in self.alphabets)
        size = f"{self.size} {'symbols' if self.tally.of_words else 'rows'}"
        return f"{type(self).__name__}({shape} cells, {size}, variance={self.variance!r})"

    def _label(self, cell: tuple[Any, ...]) -> dict[str, Any]:
        return {"symbols": list(cell)}


def read_names(names: Sequence[str] | None, columns: int) -> tuple[str, ...]:
    """Distinct names of the columns, "column 0", ... by default. Errors: DataError otherwise."""
    if names is None:
        return tuple(f"column {number}" for number in range(columns))
    if isinstance(names, str) or len(names) != columns or len(set(names)) != columns:
        raise DataError(f"{columns} columns need {columns} different names.")
    return tuple(names)


def _frozen(array: FloatArray) -> FloatArray:
    array.flags.writeable = False
    return array
