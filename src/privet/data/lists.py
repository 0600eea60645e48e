"""A column of lists as words: the list of a row is its word, and goes back as a list.

Contract. Lists are read as the columns of a wide table are: the entries against one public
alphabet, in their order, an empty list as an empty word. A row without a list is refused, as no
length stands in for one; so are lists of different lengths, unless it is said (`ragged`) that
lengths go out. What goes out is rebuilt from the released codes and the lengths alone, in the type
that came (categories inside lists as plain values, as everywhere) and in arrays cut by the number
of rows. Refusals name rows and columns only.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.data.arrow import (
    ROWS_COUNT,
    column_of,
    is_list,
    pa,
    pc,
    replace_column,
    require_columns,
    rows_that,
)
from privet.data.columns import decode_column, look_up_column, outside_alphabet, released_type
from privet.data.compact import CHUNK_ROWS
from privet.errors import DataError, DomainError, MissingValueError
from privet.symbols import Alphabet, Words

_MOST_ENTRIES = 2**31 - 1
"""Of one Arrow array, and bytes of the text in it."""


def holds_words(table: pa.Table, columns: Sequence[str]) -> bool:
    """Whether the columns of a wide table are one column of lists. Errors: ColumnNotFoundError."""
    names = require_columns(table.column_names, columns)
    return len(names) == 1 and is_list(table.column(names[0]).type)


@dataclass(frozen=True)
class ListCodes:
    """A column of lists against its alphabet, whatever it holds.

    `codes`: (entries,) of all lists one after the other, 0 where there is none; `lengths`: (rows,)
    int64; `gaps`: (entries,) bool where there is no value, None if every entry has one. Each of
    `unknown` (entries outside the alphabet), `missing` (entries without a value) and `no_list`
    (rows without a list) is the first such row and how many there are, or None.
    """

    name: str
    codes: npt.NDArray[Any]
    lengths: npt.NDArray[np.int64]
    gaps: npt.NDArray[np.bool_] | None = None
    unknown: tuple[int, int] | None = None
    missing: tuple[int, int] | None = None
    no_list: tuple[int, int] | None = None

    def words(self, alphabet: Alphabet, missing: Hashable | None) -> Words:
        """One word a row; gaps are the `missing` symbol, and there are none without one."""
        if self.gaps is not None and missing is not None:
            self.codes[self.gaps] = alphabet.index(missing)
        return Words(alphabet, self.codes, _offsets(self.lengths))


def read_lists(
    table: pa.Table, alphabet: Alphabet, name: str, *, other: Hashable | None = None
) -> ListCodes:
    """The codes of a column of lists; no value is refused.

    Errors: ColumnNotFoundError; DomainError for entries whose type the alphabet does not fit;
    DataError for a damaged column, or a list too long to go out.
    """
    column = column_of(table, name)
    lengths, absent = _lengths(column, name)
    kind = released_type(alphabet, column.type.value_type)
    if lengths.size and int(lengths.max()) > _most_entries(alphabet, kind):
        raise DataError(
            f"A list of the column '{name}' is too long for one array.",
            hint="Release it as a long table (id, time and state).",
            column=name,
        )
    found = look_up_column(list_entries(column), alphabet, name=name, other=other)
    ends = np.cumsum(lengths)

    def row_of(entry: int) -> int:
        return int(np.searchsorted(ends, entry, side="right"))

    unknown = missing = None
    if found.unknown_count:
        unknown = row_of(found.unknown_row), found.unknown_count
    if found.absent is not None:
        missing = row_of(int(np.argmax(found.absent))), int(np.count_nonzero(found.absent))
    no_list = (int(np.argmax(absent)), int(np.count_nonzero(absent))) if absent.any() else None
    return ListCodes(name, found.codes, lengths, found.absent, unknown, missing, no_list)


def list_entries(column: Any) -> Any:
    """The entries of all lists of a column, one after the other, as a ChunkedArray."""
    chunks: list[Any] = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    # `flatten` leaves out what lies behind missing lists and outside the rows.
    return pa.chunked_array([chunk.flatten() for chunk in chunks], type=column.type.value_type)


def replace_lists(table: pa.Table, name: str, released: Words) -> pa.Table:
    """The same table with released words as the lists of a column, which keeps its type.

    Errors: DataError for another number of words than rows.
    """
    kind = released_type(released.alphabet, table.column(name).type)
    return replace_column(table, name, _as_lists(released, kind))


def _as_lists(words: Words, kind: Any) -> Any:
    most, offsets = _most_entries(words.alphabet, kind.value_type), words.offsets
    arrays, first = [], 0
    while first < len(words):
        reach = int(np.searchsorted(offsets, offsets[first] + most, side="right")) - 1
        # At least one row, which `read_lists` has found short enough.
        last = min(first + CHUNK_ROWS, max(reach, first + 1), len(words))
        start, stop = int(offsets[first]), int(offsets[last])
        values = decode_column(words.codes[start:stop], words.alphabet, kind.value_type)
        arrays.append(_array(values, offsets[first : last + 1] - start, kind))
        first = last
    return pa.chunked_array(arrays, type=kind)


def _array(values: Any, offsets: npt.NDArray[np.int64], kind: Any) -> Any:
    rows = offsets.size - 1
    if isinstance(kind, pa.FixedSizeListType):
        return pa.Array.from_buffers(kind, rows, [None], children=[values])
    ends: Any = offsets if isinstance(kind, pa.LargeListType) else offsets.astype(np.int32)
    return pa.Array.from_buffers(kind, rows, [None, pa.py_buffer(ends)], children=[values])


def _most_entries(alphabet: Alphabet, kind: Any) -> int:
    """How many symbols one array of them holds, whichever they are."""
    if not pa.types.is_string(kind):
        return _MOST_ENTRIES
    return _MOST_ENTRIES // max(1, *(len(str(symbol).encode()) for symbol in alphabet.symbols))


def _lengths(column: Any, name: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """(rows,) int64 and (rows,) bool: the length of each list, and where there is none."""
    for chunk in column.chunks:
        try:
            chunk.validate(full=True)
        except pa.ArrowException:
            # The library's own message quotes the data.
            raise DataError(
                f"The lists of the column '{name}' are damaged.",
                hint="Write the file again from the original data.",
                column=name,
            ) from None
    found = pc.list_value_length(column)
    lengths = np.asarray(found.cast(pa.int64()).fill_null(0).to_numpy(), np.int64)
    return lengths, np.asarray(column.is_null().to_numpy())


def _offsets(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    offsets = np.zeros(lengths.size + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def outside_in_lists(
    alphabet: Alphabet, name: str, row: int, count: int, entries: int
) -> DomainError:
    """The error for entries outside the alphabet: `row` has the first of `count`, of `entries`."""
    error = outside_alphabet(alphabet, name, row, count, entries)
    return DomainError(
        f"A label in row {row} of the column '{name}' is not in its alphabet; "
        f"{_entries_that(count, 'is such a label', 'are such labels')}.",
        hint=error.hint,
        **error.payload,
        every_column=True,
    )


def missing_in_lists(name: str, row: int, count: int) -> MissingValueError:
    """The error for entries without a value: `row` has the first of `count`."""
    return MissingValueError(
        f"An entry in row {row} of the column '{name}' has no value; "
        f"{_entries_that(count, 'has none', 'have none')}.",
        hint=f"Name the symbol that stands for a missing value, or complete the data. {ROWS_COUNT}",
        position=row,
        column=name,
        every_column=True,
    )


def without_list(name: str, row: int, count: int) -> MissingValueError:
    """The error for rows without a list, for which no symbol stands: `row` is the first."""
    return MissingValueError(
        f"Row {row} has no list in the column '{name}'; "
        f"{rows_that(count, 'has none', 'have none')}.",
        hint=f"Give such rows an empty list, or leave them out before. {ROWS_COUNT}",
        row=row,
        column=name,
    )


def lengths_differ(name: str) -> DataError:
    """The error for lists of different lengths, where nobody said that lengths go out."""
    return DataError(
        f"The lists of the column '{name}' have different lengths.",
        hint="Their lengths would go out: say that lengths differ (ragged).",
        column=name,
    )


def _entries_that(count: int, one: str, several: str) -> str:
    return f"1 entry {one}" if count == 1 else f"{count} entries {several}"
