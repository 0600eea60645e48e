"""Where in a table a word and a position of it are.

Contract. A layout says where the words are, as a receipt does: {"id", "time", "state"} of a long
table, or {"columns", "ragged"} of a wide one, which may be one column of lists. Rows are named by
number; nothing of them is shown.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import PrivetError
from privet.symbols import Words

if TYPE_CHECKING:
    import pyarrow as pa

Layout = Mapping[str, Any]


def own_columns(layout: Layout) -> list[str]:
    """The columns that make up the words."""
    if layout.get("state") is not None:
        return [str(layout[role]) for role in ("id", "time", "state")]
    return [str(name) for name in layout.get("columns", [])]


def expanded(present: Sequence[str] | None, names: list[str]) -> list[str]:
    """Columns for patterns and ranges, where it is known which are there."""
    from privet.data import expand_columns

    return names if present is None else expand_columns(present, names)


@contextmanager
def rows_named(
    table: "pa.Table", layout: Layout, words: Words, first_row: int = 0
) -> Iterator[None]:
    """Errors that name a word and a position also name the row of the table.

    The number of a row goes out with its id and time, or as the number of the word itself.
    `first_row`: how many rows of a wide table go before this part of it.
    """
    try:
        yield
    except PrivetError as error:
        word, position = error.payload.get("word"), error.payload.get("position")
        if not isinstance(word, int) or not isinstance(position, int):
            raise
        place = min(position, int(words.lengths[word]) - 1)
        if place < 0:
            raise
        row, where = _row_of(table, layout, words, word, place, first_row)
        message = error.message.replace(f"Word {word} ", f"Word {word + first_row} ", 1)
        raise type(error)(
            f"{message} That is {where} of the table.",
            hint=error.hint,
            **{**error.payload, "row": row, "word": word + first_row},
        ) from None


def _row_of(
    table: "pa.Table", layout: Layout, words: Words, word: int, place: int, first_row: int
) -> tuple[int, str]:
    from privet.data import column_of, group_rows, holds_words, order_of_times

    if layout.get("state") is None:
        names = expanded(table.column_names, own_columns(layout))
        if holds_words(table, names):
            return (
                word + first_row,
                f"row {word + first_row}, entry {place} of column '{names[0]}',",
            )
        return word + first_row, f"row {word + first_row}, column '{names[place]}',"
    persons, _ = group_rows(column_of(table, layout["id"]), layout["id"])
    moments = order_of_times(column_of(table, layout["time"]), layout["time"])
    row = int(np.lexsort((moments, persons))[int(words.offsets[word]) + place])
    return row, f"row {row}"
