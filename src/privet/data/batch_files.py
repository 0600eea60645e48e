"""Writing a table batch by batch, in the same formats and types as a whole one.

Contract. Rows come as they go out: columns that are published as they are were rebuilt from their
rows before; how they are cut when they come does not show (`privet.data.even`). The file says what
`schema` says; a column of text may come encoded as a dictionary and is then written from its codes,
while the file still says text. What is written goes to an open file, which nobody may see under its
name before `close`; after an error `abandon` ends the writer.
"""

import base64
import gzip
from collections.abc import Collection
from contextlib import suppress
from typing import Any, BinaryIO

import pyarrow.ipc
import pyarrow.parquet

from privet.data.arrow import pa, without_views
from privet.data.csv_files import csv_header, write_csv_rows
from privet.data.even import ROW_GROUP, EvenRows


class BatchWriter:
    """Writes tables one after the other; `with` closes it, or abandons it after an error."""

    def __init__(
        self, sink: BinaryIO, ending: str, schema: Any, encoded: Collection[str] = ()
    ) -> None:
        self._even = EvenRows()
        kinds: dict[str, Any] = {".csv": _Csv, ".csv.gz": _PackedCsv}
        self._inner: Any = (
            _Parquet(sink, schema, encoded)
            if ending == ".parquet"
            else kinds.get(ending, _Arrow)(sink, schema)
        )

    def __enter__(self) -> "BatchWriter":
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            for group in self._even.rest():
                self._inner.write(group)
            self._inner.close()
        else:
            self.abandon()

    def write(self, table: pa.Table) -> None:
        """The next rows, with the columns of the schema in its order; cut anywhere."""
        for group in self._even.add(table):
            self._inner.write(group)

    def abandon(self) -> None:
        """End without a whole file: what is still held back fails, or goes nowhere."""
        with suppress(OSError, ValueError, pa.ArrowException):
            self._inner.close()


def open_writer(
    sink: BinaryIO, ending: str, schema: Any, encoded: Collection[str] = ()
) -> BatchWriter:
    """A writer to an open binary file in the format of one of `ENDINGS`.

    `encoded`: columns of text that come as dictionaries. Errors of `write`: OSError of the file,
    pyarrow.ArrowException for a column that has no form in the format.
    """
    return BatchWriter(sink, ending, schema, encoded)


class _Parquet:
    """The schema is written as metadata, as pyarrow does; encoded columns do not show in it."""

    def __init__(self, sink: BinaryIO, schema: Any, encoded: Collection[str]) -> None:
        said = without_views(schema.empty_table()).schema
        self._schema = pa.schema(
            [_encoded_field(field) if field.name in encoded else field for field in said]
        )
        self._writer = pyarrow.parquet.ParquetWriter(sink, self._schema, store_schema=False)
        text = base64.b64encode(said.serialize().to_pybytes()).decode()
        self._writer.add_key_value_metadata({"ARROW:schema": text})

    def write(self, table: pa.Table) -> None:
        table = without_views(table).cast(self._schema)
        self._writer.write_table(table, row_group_size=ROW_GROUP)

    def close(self) -> None:
        self._writer.close()


def _encoded_field(field: Any) -> Any:
    return pa.field(field.name, pa.dictionary(pa.int32(), pa.string()), field.nullable)


class _Arrow:
    """Encoded columns are cast to what the schema says."""

    def __init__(self, sink: Any, schema: Any) -> None:
        self._schema = schema
        self._writer = pa.ipc.new_file(sink, schema)

    def write(self, table: pa.Table) -> None:
        self._writer.write_table(table.cast(self._schema))

    def close(self) -> None:
        self._writer.close()


class _Csv:
    """A header, then rows; CSV knows text only."""

    def __init__(self, sink: Any, schema: Any) -> None:
        self._sink = sink
        sink.write(csv_header(schema.names))

    def write(self, table: pa.Table) -> None:
        write_csv_rows(table, self._sink)

    def close(self) -> None:
        self._sink.flush()


class _PackedCsv(_Csv):
    def __init__(self, sink: Any, schema: Any) -> None:
        # No name and no time in the header: the file says nothing but the table.
        self._packed: Any = gzip.GzipFile(filename="", mode="wb", fileobj=sink, mtime=0)
        super().__init__(self._packed, schema)

    def close(self) -> None:
        self._packed.close()
