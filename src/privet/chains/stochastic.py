"""Probabilities in rows that sum to 1, read exactly or as floats.

Contract. A row is exact if none of its entries is a float: integers, Fraction, Decimal and text
("1/3", "0.1") mean what is written, and the row must sum to exactly 1. One float entry in a matrix
makes the whole matrix one of floats: its rows must sum to 1 within `TOLERANCE` and are then divided
by their sums. Nothing else is repaired. Negative entries, NaN, infinities, ragged rows and rows
with another sum are a ModelError that names the row, and by how much the sum is off. A positive
entry below the smallest normal double is refused, so that what is possible exactly is possible in
floats too.
"""

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.errors import DataError, ModelError, ParameterError
from privet.exact import exact_number
from privet.symbols.alphabet import plain_array

FloatArray = npt.NDArray[np.float64]
Rows = Sequence[Sequence[Any]] | npt.NDArray[Any]
"""Probabilities row by row: numbers, text such as "1/3", or an array (r, c)."""

Exact = tuple[tuple[Fraction, ...], ...]

TOLERANCE = 1e-9
"""How far the sum of a row of floats may be from 1."""

_ROUNDING = 2.0**-51
"""A sum this near to 1 is what dividing by the sum gives, so reading again changes nothing."""

_SMALLEST = sys.float_info.min


@dataclass(frozen=True, eq=False)
class StochasticMatrix:
    """`floats`: (r, c) float64, read-only; `given`: the exact rows if they were given exactly."""

    floats: FloatArray
    given: Exact | None

    @property
    def is_exact(self) -> bool:
        """Whether every entry was given as an exact number."""
        return self.given is not None

    @cached_property
    def exact(self) -> Exact:
        """The rows as Fractions that sum to exactly 1.

        Rows of floats are taken as those binary numbers, divided by their exact sum.
        """
        if self.given is not None:
            return self.given
        rows = [[Fraction(entry) for entry in row] for row in self.floats.tolist()]
        return tuple(tuple(entry / sum(row) for entry in row) for row in rows)

    def to_json(self) -> list[list[Any]]:
        """Rows of text such as "1/3" if exact, of numbers otherwise."""
        if self.given is not None:
            return [[str(entry) for entry in row] for row in self.given]
        rows: list[list[Any]] = self.floats.tolist()
        return rows

    def reordered(self, rows: Sequence[int], columns: Sequence[int]) -> "StochasticMatrix":
        """Row i is this matrix's row rows[i], its entry j this matrix's entry columns[j]."""
        floats = read_only(self.floats[np.ix_(rows, columns)])
        if self.given is None:
            return StochasticMatrix(floats, None)
        given = self.given
        return StochasticMatrix(floats, tuple(tuple(given[i][j] for j in columns) for i in rows))


def read_stochastic(
    values: Rows, name: str, row_names: Sequence[object] | None = None
) -> StochasticMatrix:
    """The matrix that `values` denotes.

    `name`: what errors call it ("the transition matrix"); `row_names`: what row i stands for.
    """
    if isinstance(values, np.ndarray):
        values = _plain(values, name)
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.dtype.kind == "f":
        return _of_floats(values.astype(np.float64), name, row_names)
    rows = _listed(values, name)
    if any(isinstance(entry, float | np.floating) for row in rows for entry in row):
        floats = [[_float(x, name, i, j) for j, x in enumerate(row)] for i, row in enumerate(rows)]
        return _of_floats(np.array(floats), name, row_names)
    exact = [[_fraction(x, name, i, j) for j, x in enumerate(row)] for i, row in enumerate(rows)]
    return _of_fractions(exact, name, row_names)


def read_distribution(values: Sequence[Any] | npt.NDArray[Any], name: str) -> StochasticMatrix:
    """One row: a probability for each state. Errors: as `read_stochastic`."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ModelError(f"{_capital(name)} is a {type(values).__name__}, not a list of numbers.")
    row = _plain(values, name) if isinstance(values, np.ndarray) else [*values]
    if isinstance(row, np.ndarray):
        if row.ndim != 1:
            raise ModelError(f"{_capital(name)} has shape {row.shape}; one row is needed.")
        return read_stochastic(row[None, :], name, [])
    return read_stochastic([row], name, [])


def refuse_frame(values: object, name: str) -> None:
    """Errors: ModelError for a data frame: some give their columns one by one, as if rows."""
    if hasattr(values, "columns"):
        raise ModelError(
            f"{_capital(name)} is a {type(values).__name__}, not a list of rows.",
            hint="Of a data frame give frame.to_numpy().",
        )


def read_only(array: FloatArray) -> FloatArray:
    """A C-contiguous copy that cannot be written to."""
    copy = np.array(array, np.float64, order="C")
    copy.flags.writeable = False
    return copy


def _plain(array: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """The array, whose entries must all be there."""
    try:
        return plain_array(array)
    except DataError:
        raise ModelError(
            f"{_capital(name)} has masked entries.", hint="Give a probability for each."
        ) from None


def _listed(values: Rows, name: str) -> list[list[Any]]:
    """The rows as lists of equal length, neither of them empty."""
    if isinstance(values, np.ndarray):
        if values.ndim != 2:
            raise ModelError(f"{_capital(name)} has shape {values.shape}; it needs two dimensions.")
        values = values.tolist()
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ModelError(f"{_capital(name)} is a {type(values).__name__}, not a list of rows.")
    refuse_frame(values, name)
    rows = []
    for number, row in enumerate(values):
        if isinstance(row, str | bytes) or not isinstance(row, Iterable):
            raise ModelError(f"Row {number} of {name} is a {type(row).__name__}, not a list.")
        rows.append([*row])
    if not rows or not rows[0]:
        raise ModelError(f"{_capital(name)} is empty.", hint="Give one row for each state.")
    for number, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise ModelError(
                f"Row {number} of {name} has {len(row)} entries, and row 0 has {len(rows[0])}.",
                hint="All rows have one entry for each column.",
                row=number,
            )
    return rows


def _fraction(entry: Any, name: str, row: int, column: int) -> Fraction:
    try:
        return exact_number(entry, name)
    except ParameterError as error:
        raise ModelError(
            f"Entry {column} of row {row} of {name} is not a finite number.",
            hint=error.hint,
            row=row,
        ) from None


def _float(entry: Any, name: str, row: int, column: int) -> float:
    # A float is taken as it is: NaN and infinities are found with the negative entries.
    if isinstance(entry, float | np.floating):
        return float(entry)
    number = _fraction(entry, name, row, column)
    # Beyond 1 it is refused whatever it is; a double need not hold it.
    return float(min(max(number, Fraction(-2)), Fraction(2))) if abs(number) > 2 else float(number)


def _of_floats(
    matrix: FloatArray, name: str, row_names: Sequence[object] | None
) -> StochasticMatrix:
    if not matrix.size:
        raise ModelError(f"{_capital(name)} is empty.", hint="Give one row for each state.")
    # Written so that NaN fails it.
    for row in np.flatnonzero(~((matrix >= 0) & (matrix < np.inf)).all(axis=1)).tolist():
        raise ModelError(
            f"{_row(row, name, row_names)} has an entry that is negative or not a number.",
            hint="Probabilities lie between 0 and 1.",
            row=row,
        )
    for row in np.flatnonzero((matrix > 1 + TOLERANCE).any(axis=1)).tolist():
        raise _above_one(row, name, row_names)
    for row in np.flatnonzero(((matrix > 0) & (matrix < _SMALLEST)).any(axis=1)).tolist():
        raise _too_small(row, name, row_names)
    # Correctly rounded sums: a row that is right is never refused or changed by rounding here.
    sums = np.array([math.fsum(row) for row in matrix.tolist()])
    for row in np.flatnonzero(abs(sums - 1) > TOLERANCE).tolist():
        raise _wrong_sum(row, float(sums[row]), name, row_names)
    sums[abs(sums - 1) <= _ROUNDING] = 1.0
    return StochasticMatrix(read_only(matrix / sums[:, None]), None)


def _of_fractions(
    rows: list[list[Fraction]], name: str, row_names: Sequence[object] | None
) -> StochasticMatrix:
    for number, row in enumerate(rows):
        if min(row) < 0:
            raise ModelError(
                f"{_row(number, name, row_names)} has a negative entry.",
                hint="Probabilities lie between 0 and 1.",
                row=number,
            )
        if max(row) > 1:
            raise _above_one(number, name, row_names)
        if sum(row) != 1:
            raise _wrong_sum(number, sum(row), name, row_names)
        if any(0 < entry < Fraction(_SMALLEST) for entry in row):
            raise _too_small(number, name, row_names)
    floats = read_only(np.array([[float(entry) for entry in row] for row in rows]))
    return StochasticMatrix(floats, tuple(map(tuple, rows)))


def _wrong_sum(
    row: int, total: Fraction | float, name: str, row_names: Sequence[object] | None
) -> ModelError:
    off = Fraction(total) - 1
    shown = f"{float(total):.12g}"
    amount = f"{_decimal(abs(off))} too {'much' if off > 0 else 'little'}"
    sums = f"does not sum to exactly 1: it is {amount}"
    if shown != "1":
        sums = f"sums to {shown}, which is {amount}"
    return ModelError(
        f"{_row(row, name, row_names)} {sums}.",
        hint="Every row sums to 1; write exact probabilities as text such as '1/3'.",
        row=row,
        off_by=float(off),
    )


def _decimal(number: Fraction) -> str:
    """Three digits, however small the number is."""
    rounding = Context(prec=3)
    shown = rounding.divide(Decimal(number.numerator), Decimal(number.denominator))
    return f"{float(shown):.3g}" if float(shown) else f"{shown:.3g}"


def _above_one(row: int, name: str, row_names: Sequence[object] | None) -> ModelError:
    return ModelError(
        f"{_row(row, name, row_names)} has an entry above 1.",
        hint="Probabilities lie between 0 and 1, and every row sums to 1.",
        row=row,
    )


def _too_small(row: int, name: str, row_names: Sequence[object] | None) -> ModelError:
    return ModelError(
        f"{_row(row, name, row_names)} has a positive entry below {_SMALLEST:.2g}.",
        hint="Use 0, or a probability that a double can hold.",
        row=row,
    )


def _row(row: int, name: str, row_names: Sequence[object] | None) -> str:
    """How errors name a row; a distribution has only one, and no number is needed."""
    if row_names is not None and not row_names:
        return _capital(name)
    named = f" ({row_names[row]})" if row_names is not None and row < len(row_names) else ""
    return f"Row {row}{named} of {name}"


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]
