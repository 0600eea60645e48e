"""Which symbol stands for an unknown label or a missing value, column by column.

Contract. A plain symbol holds for every column; a mapping {column: symbol} for those it names. The
symbol belongs to the column's public alphabet, so what stands in is released like any other value.
"""

from collections.abc import Hashable, Mapping
from typing import Any

from privet.errors import ColumnNotFoundError, ParameterError
from privet.symbols import Alphabet

StandIn = Hashable | Mapping[str, Hashable] | None


def stand_in(given: StandIn, column: str, alphabet: Alphabet, role: str) -> Any:
    """The alphabet's symbol that plays `role` ("other", "missing") in a column, or None.

    Errors: ParameterError naming the column if the symbol is not in its alphabet.
    """
    symbol = given.get(column) if isinstance(given, Mapping) else given
    if symbol is not None and symbol not in alphabet:
        raise ParameterError(
            f"The '{role}' symbol '{symbol}' is not in the alphabet of column '{column}'.",
            hint="Add it to the alphabet; it is released like any other symbol.",
            parameter=role,
        )
    # The alphabet's own: an equal number of another type may have no JSON form.
    return None if symbol is None else alphabet.symbols[alphabet.index(symbol)]


def check_stand_ins(given: StandIn, columns: list[str], role: str) -> None:
    """Errors: ColumnNotFoundError if a mapping names a column that is not released."""
    for column in given if isinstance(given, Mapping) else ():
        if column not in columns:
            raise ColumnNotFoundError(
                f"A '{role}' symbol is given for the column '{column}', which is not released.",
                hint=f"Released are {', '.join(columns)}.",
                column=column,
            )
