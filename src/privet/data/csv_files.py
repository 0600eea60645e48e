"""CSV, strictly: UTF-8, a header, commas, quotes as in RFC 4180; every row counted.

Contract. All columns are text and an empty field is a missing value. A byte-order mark, CRLF and
quoted line ends are read; other encodings, binary content, duplicate or empty names, a row with a
different number of fields, a quote that never closes and text after a closing quote are refused, by
row number and never with the text. A name in line 1 is not shown either unless one of them was
asked for: in a file without a header they are values. Blank lines between rows of several columns
are no rows; in a file of one column a blank line is a row without a value.
"""

import csv
import gzip
import io
import os
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
import numpy.typing as npt
import pyarrow.csv

from privet.data.arrow import (
    ROWS_COUNT,
    SEPARATOR_REMEDY,
    kind_of,
    other_separator,
    pa,
    pc,
    require_columns,
    value_type,
    without_views,
)
from privet.errors import DataError, FileFormatError

MARK = b"\xef\xbb\xbf"
BLOCK = 1 << 22
BESIDE_QUOTES = np.frombuffer(b',\r\n"', np.uint8)


def read_csv(path: Path, *, columns: list[str] | None, compressed: bool) -> pa.Table:
    """The columns asked for (all: None), in the order of the file, as text.

    Errors: FileFormatError, ColumnNotFoundError, DataError for duplicate names.
    """
    content = _load(path, compressed)
    names = _unique_header(content, path)
    if columns is not None and not set(columns) <= set(names):
        _refuse_other_separator(names, path)
    chosen = names if columns is None else require_columns(names, columns, str(path))
    included = [name for name in names if name in set(chosen)]
    # A quote that never closes swallows every row after it, and no parser says so. A row of our own
    # at the end shows it: it must come out as the last row. No data can hold a text made up now.
    end = os.urandom(16).hex()
    lines = b"" if content.endswith((b"\n", b"\r")) else b"\n"
    content += lines + b",".join([end.encode()] * len(names)) + b"\n"
    table = _parse(pa.py_buffer(content), names, included, path)
    last = table.slice(table.num_rows - 1).to_pylist() if table.num_rows else [{}]
    if list(last[0].values()) != [end] * len(included):
        raise refusal(path, "has a quote that never closes", "Close it, or write the file again.")
    if not _quotes_pair(np.asarray(memoryview(content))):
        refuse_loose_quotes(io.BytesIO(content), path)
    return table.slice(0, table.num_rows - 1)


def csv_names(path: Path, *, compressed: bool) -> list[str]:
    """The names of the columns. Errors: FileFormatError, DataError for duplicates."""
    names = _unique_header(_load(path, compressed, most=BLOCK), path)
    if len(names) == 1:  # of several, those that are asked for may be there
        _refuse_other_separator(names, path)
    return names


def write_csv(table: pa.Table, sink: BinaryIO, *, compressed: bool) -> None:
    """Write a table with a header; missing values become empty fields.

    Errors: pyarrow.ArrowException for a column that has no text form.
    """
    if compressed:
        # No name and no time in the header: the file says nothing but the table.
        with gzip.GzipFile(filename="", mode="wb", fileobj=sink, mtime=0) as packed:
            write_csv(table, packed, compressed=False)  # type: ignore[arg-type]  # a writable binary file
        return
    sink.write(csv_header(table.column_names))
    write_csv_rows(table, sink)


def csv_header(names: Iterable[str]) -> bytes:
    """The first line."""
    return (",".join(map(_quoted, names)) + "\n").encode()


def write_csv_rows(table: pa.Table, sink: BinaryIO) -> None:
    """The rows of a table without a header. Errors: as `write_csv`."""
    table = without_views(table)
    table = table.cast(_written_schema(table))
    style: Literal["needed", "none"] = (
        "needed" if any(map(_needs_quotes, table.columns)) else "none"
    )
    options = pyarrow.csv.WriteOptions(include_header=False, quoting_style=style)
    pyarrow.csv.write_csv(table, sink, options)


def _load(path: Path, compressed: bool, most: int | None = None) -> bytearray:
    """The bytes of the file, or the first `most` of them."""
    try:
        if compressed:
            with gzip.open(path) as packed:
                content = _read_all(packed, BLOCK, most)
        else:
            with path.open("rb", buffering=0) as file:
                content = _read_all(file, path.stat().st_size, most)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise refusal(path, "is damaged or was cut short", "Copy or compress it again.") from None
    if content.startswith(MARK):
        del content[: len(MARK)]
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise refusal(path, "is UTF-16 text", "Save it as CSV in UTF-8.")
    if b"\0" in content:
        raise refusal(path, "holds binary data, not CSV text", "Check its ending.")
    if not content[:BLOCK].strip():
        raise refusal(path, "is empty", "Check how it was made.")
    return content


def _read_all(file: Any, expected: int, most: int | None) -> bytearray:
    """What is left in a binary file, or its first `most` bytes; `expected`: how much may come.

    One call gives as much as the system likes: never more than 2 GiB on Linux.
    """
    content = bytearray(expected if most is None else min(expected, most))
    filled = 0
    while most is None or filled < most:
        if filled == len(content):
            room = max(filled // 8, BLOCK)
            content.extend(bytes(room if most is None else min(room, most - filled)))
        # A view of a bytearray must be gone before the array can grow.
        with memoryview(content) as view, view[filled:] as free:
            count = file.readinto(free)
        if not count:
            break
        filled += count
    del content[filled:]
    return content


def _unique_header(content: bytearray, path: Path) -> list[str]:
    """The names in the first line, after refusing two equal ones by position.

    They are not shown: in a file without a header they are the values of its first record.
    """
    names = _header(content, path)
    first: dict[str, int] = {}
    for place, name in enumerate(names):
        if first.setdefault(name, place) != place:
            raise DataError(
                f"{path} has the same name for columns {first[name]} and {place}.",
                hint="Rename one of them; if the file has no header line, add one. Columns are "
                "counted from 0.",
                path=str(path),
            )
    return names


def _header(content: bytearray, path: Path) -> list[str]:
    """The names in the first line, which a quoted name may break over several."""
    stream = io.TextIOWrapper(io.BytesIO(content[:BLOCK]), encoding="utf-8", newline="")
    try:
        names = next(csv.reader(stream, strict=True), [])
    except UnicodeDecodeError:
        raise refusal(path, "is not UTF-8 text", "Save it as CSV in UTF-8.") from None
    except csv.Error:
        raise refusal(path, "has a header that cannot be read", "Check its quotes.") from None
    if not names or any(not name.strip() for name in names):
        position = next((i for i, name in enumerate(names) if not name.strip()), 0)
        raise refusal(path, f"has no name for column {position}", "Name every column in line 1.")
    return names


def _refuse_other_separator(names: list[str], path: Path) -> None:
    """Refuse a header that other software wrote, with separators of its own."""
    sign = other_separator(names)
    if sign is not None:
        problem = f"is separated by {sign}, but the separator must be a comma"
        raise refusal(path, problem, SEPARATOR_REMEDY)


def _quotes_pair(content: npt.NDArray[np.uint8]) -> bool:
    """Whether every other quote opens a field and the others close it (two together do both)."""
    quotes = np.flatnonzero(content == ord('"'))
    if quotes.size == 0:
        return True
    if quotes.size % 2:
        return False
    # The header and our own last row stand around the quotes, so only a first name lacks a sign.
    before, after = content[quotes[::2] - 1], content[quotes[1::2] + 1]
    opens, closes = np.isin(before, BESIDE_QUOTES), np.isin(after, BESIDE_QUOTES)
    return bool(closes.all() and (opens[1:] if quotes[0] == 0 else opens).all())


def refuse_loose_quotes(file: BinaryIO, path: Path) -> None:
    """Refuse text after a closing quote: a quote was left open before, and rows ran into one.

    A quote in the middle of a plain field is text, which takes a slow reader to tell.
    """
    row = -1
    try:
        # Closing the text closes the file, which was opened for this alone.
        with io.TextIOWrapper(file, encoding="utf-8-sig", newline="") as text:
            for record in csv.reader(text, strict=True):
                row += bool(record)
    except csv.Error:
        raise refusal(
            path,
            f"has text after a closing quote in row {row} or a quote left open before it",
            f"Close the quote, and write quotes inside a field twice. {ROWS_COUNT}",
            position=row,
        ) from None


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
        raise wrong_fields(path, *wrong[0])
    raise no_text(path)


def wrong_fields(path: Path, row: int, expected: int, actual: int) -> FileFormatError:
    """The error for a row with another number of fields than the header."""
    return refusal(
        path,
        f"has {actual} fields in row {row} where the header has {expected}",
        f"Quote fields that hold commas. {ROWS_COUNT}",
        position=row,
    )


def no_text(path: Path) -> FileFormatError:
    """The error for what the parser does not read, whose own messages quote it."""
    return refusal(
        path,
        "cannot be read as CSV in UTF-8",
        "Save it as CSV in UTF-8, and check for a quote that never closes.",
    )


def _parse_once(
    content: Any, names: list[str], included: list[str], *, threads: bool, wrong: list[Any] | None
) -> pa.Table:
    source: Any = pa.BufferReader(content)
    return pyarrow.csv.read_csv(
        source,
        read_options=pyarrow.csv.ReadOptions(use_threads=threads, block_size=BLOCK),
        parse_options=parse_options(names, wrong),
        convert_options=convert_options(names, included),
    )


def parse_options(names: list[str], wrong: list[Any] | None) -> Any:
    """How rows are told apart; `wrong` collects (row, fields expected, fields there) of bad ones.

    Only a parser of one thread knows row numbers.
    """

    def note(row: Any) -> Literal["skip", "error"]:
        if wrong is not None and row.number is not None:
            # Lines count from 1, the header is one, and rows count from 0.
            wrong.append((row.number - 2, row.expected_columns, row.actual_columns))
        return "error"

    return pyarrow.csv.ParseOptions(
        newlines_in_values=True, ignore_empty_lines=len(names) > 1, invalid_row_handler=note
    )


def convert_options(names: list[str], included: list[str]) -> Any:
    """Every column is text, and an empty field is a missing value."""
    return pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        include_columns=included,
        strings_can_be_null=True,
        null_values=[""],
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


def refusal(path: Path, problem: str, hint: str, **payload: object) -> FileFormatError:
    """The error for a CSV file that has a problem."""
    return FileFormatError(f"{path} {problem}.", hint=hint, path=str(path), **payload)
