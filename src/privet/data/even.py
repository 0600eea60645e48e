"""Rows written in groups that say nothing of the rows before them.

Contract. Where a file is cut into groups, batches and pages can be read off it. Input is read in
pieces of some bytes, so their number of rows tells how long the labels in them are, protected ones
too. Here rows are put together anew: a group ends after so many rows as the number of columns
allows, or before, after a multiple of `_CUT`, once the texts in it, which go out with it, have
`_MOST_BYTES`. So groups depend on what goes out alone.
"""

from collections.abc import Iterator
from typing import Any

from privet.data.arrow import is_view, pa, pc, without_views
from privet.data.compact import compacted_column

ROW_GROUP = 1 << 20
"""Rows of a group at most."""

_CUT, _MOST_CELLS, _MOST_BYTES = 1 << 14, 1 << 22, 1 << 26


class EvenRows:
    """Takes tables of one schema, cut anywhere, and gives the same rows in even groups."""

    def __init__(self) -> None:
        self._waiting: list[Any] = []
        self._rows = 0
        self._group: list[Any] = []
        self._size = 0

    def add(self, table: pa.Table) -> Iterator[pa.Table]:
        """The groups that are full now that the rows of `table` are there."""
        start = 0
        while start < table.num_rows:
            piece = table.slice(start, _CUT - self._rows)
            start += piece.num_rows
            self._rows += piece.num_rows
            self._waiting.append(piece)
            if self._rows == _CUT:
                self._close_cut()
                rows = len(self._group) * _CUT
                most = min(ROW_GROUP, _MOST_CELLS // table.num_columns)
                if rows >= most or self._size >= _MOST_BYTES:
                    yield self._close_group()

    def rest(self) -> Iterator[pa.Table]:
        """The last group, if there is one."""
        if self._rows:
            self._close_cut()
        if self._group:
            yield self._close_group()

    def _close_cut(self) -> None:
        joined = pa.concat_tables(self._waiting)
        columns = [_one_chunk(column) for column in joined.columns]
        chunk = pa.Table.from_arrays(columns, schema=joined.schema)
        self._size += sum(map(_text_bytes, chunk.columns))
        self._group.append(chunk)
        self._waiting, self._rows = [], 0

    def _close_group(self) -> pa.Table:
        group = pa.concat_tables(self._group).combine_chunks()
        self._group, self._size = [], 0
        return group


def _one_chunk(column: Any) -> Any:
    if column.num_chunks == 1:
        return column
    kind = column.type
    if _is_map(kind) or pa.types.is_dictionary(kind) or pa.types.is_primitive(kind):
        return column.combine_chunks()
    # Views remember the pieces that they came from, and text can be too long for one array.
    return compacted_column(column, "")


def _text_bytes(column: Any) -> int:
    """Of what has no fixed width; exactly, so that pieces make no difference."""
    kind = column.type
    if pa.types.is_dictionary(kind) or pa.types.is_primitive(kind):
        return 0
    if pa.types.is_nested(kind) and not _is_map(kind):
        return int(compacted_column(column, "").nbytes)
    if _is_text(kind):
        return int(pc.sum(pc.binary_length(without_views(column))).as_py() or 0)
    return 0


def _is_map(kind: Any) -> bool:
    """Whether there are maps in it, which are not rebuilt; Spark alone lets them go out."""
    if pa.types.is_map(kind):
        return True
    return pa.types.is_nested(kind) and any(
        _is_map(kind.field(place).type) for place in range(kind.num_fields)
    )


def _is_text(kind: Any) -> bool:
    tests = (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_binary,
        pa.types.is_large_binary,
        is_view,
    )
    return any(test(kind) for test in tests)
