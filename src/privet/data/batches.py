"""Tables batch by batch: the same strict reading as of a whole file, in memory that does not grow.

Contract. Iterating over `Batches` reads the file anew, in order, a table of bounded size at a time;
together they are what `read_table` would give, and what that refuses is refused, with row numbers
of the whole. One thing is late: what is wrong with a row is said when its batch comes. `stamp`
tells whether the files were changed between two readings. A folder is read as the parts of one
table, in the order of their names. The columns `replaced` may come encoded as dictionaries though
the file holds plain text (`encoded` names them): their rows are then codes from the disk to the
disk.
"""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet

from privet.data.arrow import is_text, pa
from privet.data.compact import compacted
from privet.data.csv_batches import csv_batches, csv_schema
from privet.data.folders import parts_of, stamps
from privet.data.formats import (
    chosen_names,
    kind_of_file,
    library_errors,
    no_rows,
    open_arrow,
    parquet_parts,
)
from privet.errors import DataError, ParameterError

_MOST_CELLS, _MOST_ROWS, _FEWEST_ROWS = 1 << 22, 1 << 20, 1 << 14
_MOST_BYTES = 1 << 26
_READ_AHEAD = 1 << 20
_READ_ROWS = 1 << 18
"""Of Parquet, decoded at once: memory for more is new each time, which costs several times as much
as decoding into it. For fewer, the dictionaries of encoded columns would come too often."""


class Batches:
    """The columns asked for of a file or folder; made by `open_batches`.

    `schema`: of every batch, but for the columns `encoded`; `names`: of all columns of the file;
    `rows`: at most how many a batch has.
    """

    def __init__(
        self,
        path: Path,
        wanted: list[str] | None,
        replaced: Collection[str],
        rows: int | None = None,
        most_rows: int | None = None,
    ) -> None:
        self.path, self._replaced = path, frozenset(replaced)
        self._kind = kind_of_file(path)
        self._parts = parquet_parts(path) if self._kind == "Parquet" else [path]
        with library_errors(self._parts[0], self._kind):
            whole = self._whole_schema()
            self.names: list[str] = whole.names
            self._chosen = chosen_names(whole.names, wanted, path)
        chosen = pa.schema([whole.field(name) for name in self._chosen])
        self.schema: pa.Schema = self._compacted(chosen.empty_table()).schema
        self.encoded = self._columns_to_encode()
        fewest = max(_FEWEST_ROWS, _MOST_CELLS // len(self._chosen))
        self.rows = rows or min(_MOST_ROWS, fewest, most_rows or _MOST_ROWS)
        self.stamp = self.fingerprint()

    def __iter__(self) -> Iterator[pa.Table]:
        """Every row once, in order. Errors: as `read_table`, and DataError without any row."""
        seen = 0
        for table in _regrouped(self._tables(), self.rows):
            seen += table.num_rows
            yield self._compacted(table)
        if not seen:
            raise no_rows(self.path)

    def fingerprint(self) -> tuple[tuple[str, int, int, int, int], ...]:
        """What tells a change of the files; none if they are gone. `stamp` is that of the start."""
        try:
            folder = self._kind == "Parquet" and self.path.is_dir()
            return stamps(parts_of(self.path) if folder else self._parts)
        except (OSError, DataError):
            return ()

    @property
    def size(self) -> int:
        """How many bytes the files have."""
        return sum(size for _, size, *_ in self.stamp)

    @property
    def total(self) -> int:
        """How many rows there are, 0 where only reading them tells."""
        if self._kind != "Parquet":
            return 0
        return sum(pyarrow.parquet.read_metadata(part).num_rows for part in self._parts)

    def _compacted(self, table: pa.Table) -> pa.Table:
        return compacted(table, untouched=self._replaced)

    def _whole_schema(self) -> pa.Schema:
        path = self._parts[0]
        if self._kind == "Parquet":
            with pyarrow.parquet.ParquetFile(path) as file:
                return file.schema_arrow.remove_metadata()
        if self._kind == "Arrow":
            with open_arrow(path) as reader:
                schema: pa.Schema = reader.schema
                return schema.remove_metadata()
        return csv_schema(path, compressed=self._kind != "CSV")

    def _columns_to_encode(self) -> frozenset[str]:
        if self._kind != "Parquet":
            return frozenset()
        return frozenset(
            name
            for name in self._chosen
            if name in self._replaced and is_text(self.schema.field(name).type)
        )

    def _tables(self) -> Iterator[pa.Table]:
        for part in self._parts:
            with library_errors(part, self._kind):
                if self._kind == "Parquet":
                    yield from self._parquet(part)
                elif self._kind == "Arrow":
                    yield from self._arrow(part)
                else:
                    yield from csv_batches(part, self._chosen, compressed=self._kind != "CSV")

    def _parquet(self, path: Path) -> Iterator[pa.Table]:
        # Without reading ahead of whole column chunks, which may be as large as the file.
        with pyarrow.parquet.ParquetFile(
            path, read_dictionary=sorted(self.encoded), pre_buffer=False, buffer_size=_READ_AHEAD
        ) as file:
            rows = min(self.rows, _READ_ROWS)
            for batch in file.iter_batches(batch_size=rows, columns=self._chosen):
                yield self._plain(batch)

    def _plain(self, batch: pa.RecordBatch) -> pa.Table:
        """The columns asked for; whether one says that no value is missing differs by part."""
        columns = [batch.column(name) for name in self._chosen]
        return pa.Table.from_arrays(columns, names=self._chosen)

    def _arrow(self, path: Path) -> Iterator[pa.Table]:
        with open_arrow(path) as reader:
            batches: Iterable[Any] = (
                map(reader.get_batch, range(reader.num_record_batches))
                if hasattr(reader, "num_record_batches")
                else reader
            )
            for batch in batches:
                table = self._plain(batch)
                table.validate(full=True)
                yield table


def open_batches(
    path: str | Path,
    *,
    columns: Iterable[str] | None = None,
    replaced: Collection[str] = (),
    rows: int | None = None,
    most_rows: int | None = None,
) -> Batches:
    """A file or folder to be read batch by batch; the columns named, in the order of the file.

    `replaced`: columns whose own values never go out; `rows`: of a batch; without it as many as
    hold four million values, a million and `most_rows` at most. Errors: as `read_table`, but for
    those of rows, which come when they are read.
    """
    wanted = None if columns is None else list(columns)
    if wanted == []:
        raise ParameterError("No column was named.", hint="Name the columns to read.")
    return Batches(Path(path), wanted, replaced, rows, most_rows)


def _regrouped(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """The same rows in tables of about `rows` rows, never more, or fewer if they are long."""
    waiting: list[pa.Table] = []
    count = 0
    for table in tables:
        start = 0
        while start < table.num_rows:
            piece = table.slice(start, rows - count)
            start += piece.num_rows
            count += piece.num_rows
            waiting.append(piece)
            if count == rows or sum(one.nbytes for one in waiting) > _MOST_BYTES:
                yield pa.concat_tables(waiting)
                waiting, count = [], 0
    if waiting:
        yield pa.concat_tables(waiting)
