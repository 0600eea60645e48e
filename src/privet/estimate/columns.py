"""The shares of every column of a released table, each column by itself.

Contract. A table is anything that gives a column for a name: a mapping, or a frame of any library.
Only the columns that have a mechanism are read. An error of one column names it.
"""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy.typing as npt

from privet.errors import ColumnNotFoundError, ParameterTypeError, PrivetError
from privet.estimate.frequencies import FrequencyEstimate, frequencies
from privet.estimate.intervals import Method
from privet.estimate.moments import Variance
from privet.exact.number import Number


class Table(Protocol):
    """A mapping or a frame."""

    def __getitem__(self, name: str, /) -> Any:
        """The column of that name, one released value a row."""


def columns(
    released: Table,
    mechanisms: Mapping[str, object],
    confidence: Number = 0.95,
    *,
    weights: npt.ArrayLike | None = None,
    variance: Variance = "mechanism",
    method: Method = "auto",
) -> dict[str, FrequencyEstimate]:
    """`frequencies` of each column that `mechanisms` names, in its order.

    Simultaneous intervals hold for the symbols of one column together. Errors: those of
    `frequencies`, with the column's name; ColumnNotFoundError for a column that is not there;
    ParameterTypeError for what has no named columns.
    """
    found = {}
    for name, mechanism in mechanisms.items():
        column = _column(released, name)
        try:
            found[name] = frequencies(
                column, mechanism, confidence, weights=weights, variance=variance, method=method
            )
        except PrivetError as error:
            message = f"Column '{name}': {error.message}"
            raise type(error)(message, hint=error.hint, **error.payload) from None
    return found


def _column(released: Table, name: str) -> object:
    if hasattr(type(released), "collect"):
        raise ParameterTypeError(
            f"A {type(released).__name__} holds no values yet.", hint="Collect it first."
        )
    names: Any = released
    if not isinstance(released, Mapping):
        # Arrow's `columns` are the values, its `column_names` the names.
        names = getattr(released, "column_names", getattr(released, "columns", None))
    if names is None:
        raise ParameterTypeError(
            f"A {type(released).__name__} has no named columns.",
            hint="Give a frame, or a mapping from names to released columns.",
        )
    if name not in names:
        raise ColumnNotFoundError(
            f"The released table has no column '{name}'.",
            hint="Name the mechanisms by the columns that they released.",
            column=name,
        )
    return released[name]
