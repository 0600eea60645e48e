"""A table of categorical columns, each with its public alphabet.

Contract. Every column is codes into its own alphabet and all columns have the same number of rows.
The schema (names and alphabets) is public; the codes are the protected data.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from privet.errors import ColumnNotFoundError, DataError
from privet.symbols.alphabet import Alphabet, CodeArray


@dataclass(frozen=True)
class CategoricalColumn:
    """`name`, `alphabet` (public) and `codes`: (rows,) array of the alphabet's code dtype."""

    name: str
    alphabet: Alphabet
    codes: CodeArray


class CategoricalTable(Mapping[str, CategoricalColumn]):
    """Columns of equal length, in order. Errors: DataError for none, duplicates, unequal rows."""

    def __init__(self, columns: list[CategoricalColumn]) -> None:
        if not columns:
            raise DataError(
                "A table needs at least one column.", hint="Name the columns to release."
            )
        self._columns = {column.name: column for column in columns}
        if len(self._columns) != len(columns):
            raise DataError("Two columns of the table have the same name.")
        rows = {column.codes.size for column in columns}
        if len(rows) != 1:
            raise DataError(f"The columns have different numbers of rows: {sorted(rows)}.")
        self.rows = rows.pop()

    def __getitem__(self, name: str) -> CategoricalColumn:
        if name not in self._columns:
            raise ColumnNotFoundError(
                f"There is no column '{name}'.",
                hint=f"The columns are {', '.join(self._columns)}.",
                column=name,
            )
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)
