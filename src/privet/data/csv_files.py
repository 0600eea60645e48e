"""CSV, strictly: UTF-8, a header, commas, quotes as in RFC 4180; every row counted.

Contract. All columns are text and an empty field is a missing value. A byte-order mark, CRLF and
quoted line ends are read; other encodings, binary content, duplicate or empty names, a row with a
different number of fields and a quote that never closes are refused, by row number and never with
the text. Blank lines between rows of several columns are no rows; in a file of one column a blank
line is a row without a value.
"""

import csv
import gzip
import io
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Literal

import pyarrow.csv

from privet.data.arrow import kind_of, pa, pc, require_columns, unique_names, value_type
from privet.errors import FileFormatError

_MARK = b"\xef\xbb\xbf"
_BLOCK = 1 << 22


def read_csv(path: Path, *, columns: list[str] | None, compressed: bool) -> pa.Table:
    """The columns asked for (all: None), in the order of the file, as text.

    Errors: FileFormatError, ColumnNotFoundError, DataError for duplicate names.
    """
    content = _load(path, compressed)
    names = _header(content, path)
    unique_names(names, str(path))
    chosen = names if columns is None else require_columns(names, columns, str(path))
    included = [name for name in names if name in set(chosen)]
    # A quote that never closes swallows every row after it, and no parser says so. A row of our own
    # at the end shows it: it must come out as the last row.
    lines = b"" if content.endswith((b"\n", b"\r")) else b"\n"
    content += lines + b",".join([b"end"] * len(names)) + b"\n"
    table = _parse(pa.py_buffer(content), names, included, path)
    last = table.slice(table.num_rows - 1).to_pylist() if table.num_rows else [{}]
    if set(last[0].values()) != {"end"}:
        raise _refusal(path, "has a quote that never closes", "Close it, or write the file again.")
    return table.slice(0, table.num_rows - 1)


def write_csv(table: pa.Table, sink: BinaryIO, *, compressed: bool) -> None:
    """Write a table with a header; missing values become empty fields.

    Errors: pyarrow.ArrowException for a column that has no text form.
    """
    if compressed:
        # No name and no time in the header: the file says nothing but the table.
        with gzip.GzipFile(filename="", mode="wb", fileobj=sink, mtime=0) as packed:
            write_csv(table, packed, compressed=False)  # type: ignore[arg-type]  # a writable binary file
        return
    sink.write((",".join(map(_quoted, table.column_names)) + "\n").encode())
    table = table.cast(_written_schema(table))
    style: Literal["needed", "none"] = (
        "needed" if any(map(_needs_quotes, table.columns)) else "none"
    )
    options = pyarrow.csv.WriteOptions(include_header=False, quoting_style=style)
    pyarrow.csv.write_csv(table, sink, options)


def _load(path: Path, compressed: bool) -> bytearray:
    try:
        if compressed:
            with gzip.open(path) as packed:
                content = bytearray(packed.read())
        else:
            with path.open("rb", buffering=0) as file:
                content = bytearray(path.stat().st_size)
                del content[file.readinto(content) :]
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise _refusal(path, "is damaged or was cut short", "Copy or compress it again.") from None
    if content.startswith(_MARK):
        del content[: len(_MARK)]
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _refusal(path, "is UTF-16 text", "Save it as CSV in UTF-8.")
    if b"\0" in content:
        raise _refusal(path, "holds binary data, not CSV text", "Check its ending.")
    if not content[:_BLOCK].strip():
        raise _refusal(path, "is empty", "Check how it was made.")
    return content


def _header(content: bytearray, path: Path) -> list[str]:
    """The names in the first line, which a quoted name may break over several."""
    stream = io.TextIOWrapper(io.BytesIO(content[:_BLOCK]), encoding="utf-8", newline="")
    try:
        names = next(csv.reader(stream, strict=True), [])
    except UnicodeDecodeError:
        raise _refusal(path, "is not UTF-8 text", "Save it as CSV in UTF-8.") from None
    except csv.Error:
        raise _refusal(path, "has a header that cannot be read", "Check its quotes.") from None
    if not names or any(not name.strip() for name in names):
        position = next((i for i, name in enumerate(names) if not name.strip()), 0)
        raise _refusal(path, f"has no name for column {position}", "Name every column in line 1.")
    return names


def _parse(content: Any, names: list[str], included: list[str], path: Path) -> pa.Table:
    try:
        return _parse_once(content, names, included, threads=True, wrong=None)
    except pa.ArrowInvalid:
        pass
    # Slowly once more: only one thread knows row numbers. Its own messages quote the row.
    wrong: list[Any] = []
    with suppress(pa.ArrowInvalid):
        _parse_once(content, names, included, threads=False, wrong=wrong)
    if wrong:
        row, expected, actual = wrong[0]
        raise _refusal(
            path,
            f"has {actual} fields in row {row} where the header has {expected}",
            "Rows count from 0 after the header; quote fields that hold commas.",
            position=row,
        )
    raise _refusal(
        path,
        "cannot be read as CSV in UTF-8",
        "Save it as CSV in UTF-8, and check for a quote that never closes.",
    )


def _parse_once(
    content: Any, names: list[str], included: list[str], *, threads: bool, wrong: list[Any] | None
) -> pa.Table:
    def note(row: Any) -> Literal["skip", "error"]:
        if wrong is not None and row.number is not None:
            # Lines count from 1, the header is one, and rows count from 0.
            wrong.append((row.number - 2, row.expected_columns, row.actual_columns))
        return "error"

    source: Any = pa.BufferReader(content)
    return pyarrow.csv.read_csv(
        source,
        read_options=pyarrow.csv.ReadOptions(use_threads=threads, block_size=_BLOCK),
        parse_options=pyarrow.csv.ParseOptions(
            newlines_in_values=True, ignore_empty_lines=len(names) > 1, invalid_row_handler=note
        ),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            include_columns=included,
            strings_can_be_null=True,
            null_values=[""],
        ),
    )


def _written_schema(table: pa.Table) -> pa.Schema:
    """Dictionaries and text views as plain text, which the CSV writer knows."""
    fields: list[Any] = []
    for field in table.schema:
        text = kind_of(field.type) == "text"
        fields.append(pa.field(field.name, pa.large_string() if text else value_type(field.type)))
    return pa.schema(fields)


def _needs_quotes(column: Any) -> bool:
    """Whether a text column holds a comma, quote, line end or "", which is not "no value"."""
    if kind_of(column.type) != "text":
        return False
    return bool(pc.any(pc.match_substring_regex(column, '[",\\r\\n]|^$')).as_py())


def _quoted(name: str) -> str:
    """A column's name as the header has it; a leading byte-order mark would be taken for one."""
    if name and not name.startswith("\ufeff") and not any(sign in name for sign in ',"\r\n'):
        return name
    return '"' + name.replace('"', '""') + '"'


def _refusal(path: Path, problem: str, hint: str, **payload: object) -> FileFormatError:
    return FileFormatError(f"{path} {problem}.", hint=hint, path=str(path), **payload)
