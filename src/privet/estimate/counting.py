"""Counts of released symbols: all that an estimate needs to know of a release.

Contract. A `Tally` holds, for each cell (a symbol, or one symbol a column), how many rows show it,
the sum of their design weights and the sum of the squared weights. Tallies of parts of a table add
to the tally of the whole, so an estimate never needs all rows in one place. Design weights are
public: finite, nonnegative, not all zero. Rows are read in blocks; memory does not grow with them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.errors import DataError, ParameterError, ParameterTypeError
from privet.estimate.released import bare
from privet.symbols import Alphabet, Codes, Words, read_symbols

FloatArray = npt.NDArray[np.float64]
CodeArray = npt.NDArray[np.unsignedinteger[Any]]

LARGEST_TABLE = 20_000_000
"""Cells of the largest joint table; beyond it the table, not the data, fills the memory."""

_BLOCK = 1 << 18


@dataclass(frozen=True, eq=False)
class Tally:
    """`counts`: int64 table of rows; `weights`, `squares`: float64 tables of the sums of w and w^2.

    `weighted`: False if every row has weight 1, and then all three tables are equal; `largest`: the
    largest weight of a row; `of_words`: whether the rows are the symbols of words.
    """

    counts: npt.NDArray[np.int64]
    weights: FloatArray
    squares: FloatArray
    weighted: bool = False
    largest: float = 1.0
    of_words: bool = False

    @classmethod
    def from_counts(cls, counts: npt.ArrayLike) -> "Tally":
        """The tally of rows of weight 1. Errors: DataError if these are not counts."""
        table = np.asarray(counts)
        if table.dtype.kind not in "iu" or (table.size and int(table.min()) < 0):
            raise DataError(
                "Counts are whole numbers of rows, none of them negative.",
                hint="Weighted rows are counted with estimate.tally(..., weights=...).",
            )
        plain = table.astype(np.float64)
        return cls(table.astype(np.int64), plain, plain)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.counts.sum())

    @property
    def total(self) -> float:
        """The sum of all weights."""
        return float(self.weights.sum())

    @property
    def concentration(self) -> float:
        """sum w^2 / (sum w)^2, which is 1 / effective number of rows [kish-1965]."""
        return float(self.squares.sum()) / self.total**2

    @property
    def equal_weights(self) -> bool:
        """Whether all rows weigh the same, so that rows may be counted instead of weighed."""
        # Cauchy and Schwarz: the concentration is 1 / rows only then.
        return not self.weighted or self.rows * self.concentration <= 1 + 1e-12

    def __add__(self, other: "Tally") -> "Tally":
        """The tally of both sets of rows. Errors: DataError for tables of different shapes."""
        if self.counts.shape != other.counts.shape:
            raise DataError(
                f"Tallies of shapes {self.counts.shape} and {other.counts.shape} do not add.",
                hint="Parts of one table are counted with the same mechanisms.",
            )
        return Tally(
            self.counts + other.counts,
            self.weights + other.weights,
            self.squares + other.squares,
            self.weighted or other.weighted,
            max(self.largest, other.largest),
            self.of_words or other.of_words,
        )

    def margin(self, axis: int) -> "Tally":
        """The tally of one column alone."""
        others = tuple(number for number in range(self.counts.ndim) if number != axis)
        tables = (self.counts, self.weights, self.squares)
        counts, weights, squares = (table.sum(axis=others) for table in tables)
        return Tally(counts, weights, squares, self.weighted, self.largest, self.of_words)

    def check(self, shape: tuple[int, ...]) -> None:
        """Refuse a tally of another shape, of no rows, or of no weight."""
        if self.counts.shape != shape:
            raise DataError(
                f"The counts have shape {self.counts.shape}; the mechanisms need {shape}.",
                hint="One count a symbol, in the order of the alphabet.",
            )
        if not self.rows:
            raise DataError(
                "There are no released rows to estimate from.", hint="Give at least one row."
            )
        with np.errstate(over="ignore"):
            usable = 0 < float(self.squares.sum()) < np.inf and 0 < self.total * self.total < np.inf
        if not usable:
            raise DataError(
                "The design weights are all zero, or too large or small to be squared.",
                hint="Only their ratios matter: rescale them to a mean of 1.",
            )


def tally_columns(
    columns: Sequence[tuple[Alphabet, object]],
    weights: npt.ArrayLike | None,
    *,
    part: bool = False,
) -> Tally:
    """The tally of rows of one or more released columns; cell (i, j, ...) in alphabet order.

    `part`: of a table whose other parts may be those with rows, or with weight. Errors: DataError
    for different lengths, no rows or weights that do not fit; DomainError for symbols outside an
    alphabet; ParameterError for a table of too many cells.
    """
    shape = tuple(len(alphabet) for alphabet, _ in columns)
    if prod(shape) > LARGEST_TABLE:
        raise ParameterError(
            f"A joint table of {prod(shape)} cells is too large; at most {LARGEST_TABLE} are held.",
            hint="Estimate fewer columns together.",
        )
    columns = [(alphabet, bare(released)) for alphabet, released in columns]
    codes = [read_symbols(alphabet, plain(released)).codes for alphabet, released in columns]
    _check_lengths([released for _, released in columns], codes)
    if weights is None:
        tally = Tally.from_counts(_count(codes, shape))
    else:
        tally = _weigh(codes, shape, _read_weights(weights, columns[0][1], codes[0].size))
    if not part:
        tally.check(shape)
    return replace(tally, of_words=any(isinstance(released, Words) for _, released in columns))


def plain(released: object) -> object:
    """A column of a foreign library (pandas, polars, Arrow, ...) as an array; else what it is.

    Known by the array protocol, so that none of them is imported; of a Release its data. Errors:
    ParameterTypeError for a whole frame.
    """
    released = bare(released)
    if is_frame(released):
        raise ParameterTypeError(
            f"A {type(released).__name__} is a whole table; one released column is needed.",
            hint="Give frame['name'], or all columns to estimate.columns.",
        )
    known = isinstance(released, Codes | Words | np.ndarray | list | tuple)
    if known or np.isscalar(released) or not hasattr(type(released), "__array__"):
        return released
    return np.asarray(released)


def is_frame(x: object) -> bool:
    """Whether `x` has columns, as the frames of all libraries have."""
    # Asked of the type: the columns of a lazy frame are computed, with a warning.
    return hasattr(type(x), "columns")


def _check_lengths(released: list[object], codes: list[CodeArray]) -> None:
    sizes = [column.size for column in codes]
    if len(set(sizes)) > 1:
        raise DataError(
            f"The released columns have different lengths: {', '.join(map(str, sizes))}.",
            hint="Columns of a joint table come from the same rows, in the same order.",
        )
    words = [column for column in released if isinstance(column, Words)]
    if any(not np.array_equal(words[0].offsets, other.offsets) for other in words[1:]):
        raise DataError("The released words of two columns have different lengths.")


def _count(codes: list[CodeArray], shape: tuple[int, ...]) -> npt.NDArray[np.int64]:
    counts = np.zeros(prod(shape), np.int64)
    for start, stop in _blocks(codes[0].size, counts.size):
        counts += np.bincount(_cells(codes, shape, start, stop), minlength=counts.size)
    return counts.reshape(shape)


def _weigh(codes: list[CodeArray], shape: tuple[int, ...], weights: FloatArray) -> Tally:
    sums, squares = np.zeros(prod(shape)), np.zeros(prod(shape))
    with np.errstate(over="ignore", under="ignore"):
        for start, stop in _blocks(weights.size, sums.size):
            cells, block = _cells(codes, shape, start, stop), weights[start:stop]
            sums += np.bincount(cells, block, sums.size)
            squares += np.bincount(cells, block * block, sums.size)
    largest = float(weights.max(initial=0.0))
    counts = _count(codes, shape)
    return Tally(counts, sums.reshape(shape), squares.reshape(shape), True, largest)


def _blocks(rows: int, cells: int) -> list[tuple[int, int]]:
    # A block is never smaller than the table, which every block's count has to be added to.
    step = max(_BLOCK, cells)
    return [(start, min(start + step, rows)) for start in range(0, rows, step)]


def _cells(
    codes: list[CodeArray], shape: tuple[int, ...], start: int, stop: int
) -> npt.NDArray[np.intp]:
    cells = codes[0][start:stop].astype(np.intp)
    for column, size in zip(codes[1:], shape[1:], strict=True):
        cells *= size
        cells += column[start:stop]
    return cells


def _read_weights(weights: npt.ArrayLike, released: object, rows: int) -> FloatArray:
    """(rows,) float64; for Words one weight a word is given, and all its symbols carry it."""
    array = np.asarray(weights)
    if array.dtype.kind not in "iuf" and array.size:
        raise ParameterTypeError(
            "Design weights are numbers, one a row.", hint="Give an array of floats or integers."
        )
    units = "words" if isinstance(released, Words) else "rows"
    expected = len(released) if isinstance(released, Words) else rows
    flat = array.astype(np.float64, copy=False).ravel()
    if flat.size != expected:
        raise DataError(
            f"There are {flat.size} design weights for {expected} {units}.",
            hint=f"Give one weight for each of the {units}.",
        )
    wrong = np.flatnonzero(~(np.isfinite(flat) & (flat >= 0)))
    if wrong.size:
        raise DataError(
            f"The design weight at position {int(wrong[0])} is negative or not finite; "
            f"{wrong.size} are.",
            hint="A row that should not count has weight 0.",
            position=int(wrong[0]),
        )
    return np.repeat(flat, released.lengths) if isinstance(released, Words) else flat
