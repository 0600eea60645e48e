"""CSV a block at a time, as strictly as `csv_files` reads it whole.

Contract. The text passes through `_Text`, which takes off a byte-order mark, refuses binary
content, and watches that quotes open and close fields; a row of our own at the end shows whether a
quote was left open. Memory is a few blocks, whatever the size; a field larger than a block is
refused.
"""

import gzip
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow.csv

from privet.data.arrow import pa
from privet.data.csv_files import (
    BESIDE_QUOTES,
    BLOCK,
    MARK,
    convert_options,
    csv_names,
    no_text,
    parse_options,
    refusal,
    refuse_loose_quotes,
    wrong_fields,
)


def csv_schema(path: Path, *, compressed: bool) -> pa.Schema:
    """All columns of the file, as text. Errors: FileFormatError, DataError for duplicates."""
    names = csv_names(path, compressed=compressed)
    return pa.schema([pa.field(name, pa.string()) for name in names])


def csv_batches(path: Path, columns: list[str], *, compressed: bool) -> Iterator[pa.Table]:
    """The columns of the file, in its order, a block at a time. Errors: FileFormatError."""
    names = csv_names(path, compressed=compressed)
    with _opened(path, compressed) as file:
        text = _Text(file, path, len(names))
        yield from _without_end(_parsed(text, names, columns, path), text, path)
    if not text.quotes_pair:
        with _opened(path, compressed) as file:
            refuse_loose_quotes(file, path)


def _without_end(tables: Iterator[pa.Table], text: "_Text", path: Path) -> Iterator[pa.Table]:
    """The rows but the last, after checking that it is our own."""
    last = None
    for table in tables:
        if table.num_rows:
            if last is not None:
                yield last
            last = table
    row = [] if last is None else list(last.slice(last.num_rows - 1).to_pylist()[0].values())
    if last is None or row != [text.end] * last.num_columns:
        raise refusal(path, "has a quote that never closes", "Close it, or write the file again.")
    yield last.slice(0, last.num_rows - 1)


def _parsed(text: "_Text", names: list[str], columns: list[str], path: Path) -> Iterator[pa.Table]:
    wrong: list[Any] = []
    try:
        stream: Any = text
        source: Any = pa.PythonFile(stream, mode="r")
        with pyarrow.csv.open_csv(
            source,
            read_options=pyarrow.csv.ReadOptions(use_threads=False, block_size=BLOCK),
            parse_options=parse_options(names, wrong),
            convert_options=convert_options(names, columns),
        ) as reader:
            for batch in reader:
                yield pa.Table.from_batches([batch])
    except pa.ArrowInvalid:
        raise wrong_fields(path, *wrong[0]) if wrong else no_text(path) from None


class _Text:
    """The bytes of a CSV file as a parser reads them, with a row of our own after the last.

    `end`: what every field of that row holds, which no data can; `quotes_pair`: whether, in what
    was read, every other quote opens a field and the others close it.
    """

    closed = False

    def __init__(self, file: BinaryIO, path: Path, width: int) -> None:
        self._file, self._path = file, path
        self.end = os.urandom(16).hex()
        self._tail = b",".join([self.end.encode()] * width) + b"\n"
        self._at_start, self._ended, self._rest = True, False, b""
        self.quotes_pair, self._inside = True, False
        self._seen = b"\n\n"  # the last two bytes: one looked at, one that waits for the next

    def readable(self) -> bool:
        """It is."""
        return True

    def read(self, count: int = -1) -> bytes:
        """The next bytes, nothing at the end. Errors: FileFormatError for what is no text."""
        if count < 0:
            count = BLOCK
        while not self._rest and not self._ended:
            self._rest = self._next()
        taken, self._rest = self._rest[:count], self._rest[count:]
        return taken

    def close(self) -> None:
        """Nothing: whoever opened the file closes it."""

    def _next(self) -> bytes:
        """A full block of the file, or what is left of it with the row of our own after it."""
        block = self._file.read(BLOCK)
        while len(block) < BLOCK and (more := self._file.read(BLOCK - len(block))):
            block += more
        self._ended = len(block) < BLOCK
        if self._at_start:
            block = block.removeprefix(MARK)
            self._at_start = False
        if b"\0" in block:
            raise refusal(self._path, "holds binary data, not CSV text", "Check its ending.")
        if self._ended:
            whole_line = (block or self._seen).endswith((b"\n", b"\r"))
            block += (b"" if whole_line else b"\n") + self._tail
        self._watch(block)
        return block

    def _watch(self, block: bytes) -> None:
        """See that a comma or line end stands before quotes that open and after those that close.

        Two quotes together, which are one inside a field, do both.
        """
        joined = np.frombuffer(self._seen + block, np.uint8)
        self._seen = joined[-2:].tobytes()
        quotes = np.flatnonzero(joined[1:-1] == ord('"')) + 1
        first_opens = int(self._inside)
        before, after = joined[quotes[first_opens::2] - 1], joined[quotes[1 - first_opens :: 2] + 1]
        beside = np.isin(before, BESIDE_QUOTES).all() and np.isin(after, BESIDE_QUOTES).all()
        self.quotes_pair &= bool(beside)
        self._inside ^= bool(quotes.size % 2)


@contextmanager
def _opened(path: Path, compressed: bool) -> Iterator[Any]:
    """The bytes of the file. Errors: FileFormatError for one that was cut short."""
    try:
        with gzip.open(path) if compressed else path.open("rb", buffering=0) as file:
            yield file
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise refusal(path, "is damaged or was cut short", "Copy or compress it again.") from None
