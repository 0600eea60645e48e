"""Sequences of a long table that does not fit in memory: whole words by blocks, and the way back.

Contract. `long_sequences` reads batches of (id, time, state) in any order and gives what
`words_from_long` gives, block by block: whole words, each with the numbers of its rows, and refuses
what that refuses before a block is given. Released codes are put back by row, and are then read in
the order of the input. `count_sequences` gives the same blocks once, to something that counts, and
refuses at the end. Memory does not grow with the number of rows, but for 16 bytes a sequence,
of four million at most, where the input has them one after the other, and for the longest sequence,
which is never cut.
The order of words is that of the input if its sequences come one after the other in the order of
time, and otherwise one that depends on a fresh key, not on the data.

Rows in any other order are put into buckets of whole persons (`privet.data.buckets`), which DuckDB
sorts. All that lies on the disk is sealed with keys that never leave the memory, but for two
things: the released codes, and the times where a bucket is more than the memory allowed, so that
DuckDB keeps a part in temporary files. All of it lies in the folder given and is gone at the end,
however that comes, except that a process killed outright can leave those temporary files.
"""

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from privet.data.arrow import pa
from privet.data.buckets import Buckets
from privet.data.keys import Numbers
from privet.data.long_rows import (
    LongColumns,
    LongReader,
    LongRows,
    Order,
    Repeats,
    whole_persons,
)
from privet.data.sealing import Seal, SealedFile
from privet.data.spilling import MEMORY, THREADS, require_duckdb, spilled
from privet.errors import DataError, OutputError
from privet.symbols import Words
from privet.symbols.alphabet import CodeArray

Tell = Callable[[str, int, int], None]
"""Called with (what is being done, rows done, rows in all or 0)."""

_READING, _SORTING = "reading the sequences", "sorting the sequences"


@dataclass(frozen=True)
class WordBlock:
    """Whole words, and (symbols,) int64, the number of the row of each of their symbols."""

    words: Words
    rows: Numbers

    @property
    def places(self) -> Numbers:
        """(words,) int64: the number of the first row of each word in the table."""
        starts = self.words.offsets[:-1]
        if not starts.size:
            return np.empty(0, np.int64)
        return np.asarray(np.minimum.reduceat(self.rows, starts), np.int64)

    def by_place(self) -> "WordBlock":
        """The same words in the order in which they begin in the table, as in memory."""
        order = np.argsort(self.places)
        sizes = self.words.lengths[order]
        offsets = np.zeros(sizes.size + 1, np.int64)
        np.cumsum(sizes, out=offsets[1:])
        moved = np.repeat(self.words.offsets[:-1][order] - offsets[:-1], sizes)
        chosen = np.arange(self.rows.size) + moved
        words = Words(self.words.alphabet, self.words.codes[chosen], offsets)
        return WordBlock(words, self.rows[chosen])


class Counting(Protocol):
    """Something that looks at words block by block and remembers little of them."""

    def add(self, block: WordBlock, /) -> None:
        """The next words; every word comes once."""


Looking = TypeVar("Looking", bound=Counting)


class LongSequences:
    """The words of a long table on the disk. `rows`: how many; `lengths`: {length: words}.

    Made by `long_sequences`, and gone when its block ends.
    """

    def __init__(
        self,
        columns: LongColumns,
        rows: int,
        lengths: Counter[int],
        parts: Callable[[], Iterator[WordBlock]],
        folder: Path,
    ) -> None:
        self.columns, self.rows, self.lengths = columns, rows, lengths
        self._parts, self._folder = parts, folder
        self._released: Any = None
        self._file: Any = None
        self._put = 0

    def __len__(self) -> int:
        """The number of words."""
        return self.lengths.total()

    def blocks(self) -> Iterator[WordBlock]:
        """All words, in blocks of whole words; the same blocks each time.

        Errors: DataError if the input has changed meanwhile.
        """
        lengths: Counter[int] = Counter()
        for block in self._parts():
            lengths.update(_counted_sizes(block.words.lengths))
            yield block
        if lengths != self.lengths:
            raise _changed()

    def put(self, block: WordBlock, released: Words) -> None:
        """Keep the released words of a block. Errors: DataError for other lengths; OutputError."""
        if not np.array_equal(released.offsets, block.words.offsets):
            raise DataError(
                "The words to put back differ in number or lengths from those that were read.",
                hint="A release of words keeps their lengths.",
            )
        if self._released is None:
            self._released = self._room(released.codes.dtype)
        if released.codes.dtype != self._released.dtype:
            raise DataError("The words to put back are of another alphabet than those before.")
        self._released[block.rows] = released.codes
        self._put += released.codes.size

    def released(self, start: int, stop: int) -> CodeArray:
        """(stop - start,) codes of those rows of the input, as they were put back.

        Errors: DataError before every block was put back.
        """
        if self._put != self.rows:
            raise DataError("Not every sequence has been released yet, or one of them twice.")
        if self._released is None:
            return np.empty(0, self.columns.alphabet.code_dtype)
        return np.array(self._released[start:stop])

    def close(self) -> None:
        """Give the room of the released codes back."""
        self._released = None
        if self._file is not None:
            self._file.close()
            self._file = None

    def _room(self, dtype: Any) -> Any:
        size = max(self.rows * np.dtype(dtype).itemsize, 1)
        self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115  # until `close`
        with _disk(self._folder):
            _reserve(self._file, size)
        return np.memmap(self._file, dtype, "r+", shape=(self.rows,))


@contextmanager
def long_sequences(
    batches: Iterable[pa.Table],
    columns: LongColumns,
    *,
    folder: Path,
    memory: int = MEMORY,
    threads: int = THREADS,
    tell: Tell | None = None,
) -> Iterator[LongSequences]:
    """The sequences of a long table that comes in batches.

    `batches`: gives the same batches each time it is iterated, which is two or three times; columns
    of ordered categories must come with all their categories (not `compacted`). `folder`: of
    `spill_folder`; `memory`: bytes that DuckDB may use, with that many `threads`.
    Errors: as `words_from_long`, rows counted over all batches; MissingExtraError where DuckDB is
    needed and not there; OutputError for a full disk.
    """
    found, store = _open(batches, columns, folder, memory, threads, tell or _quiet)
    try:
        yield found
    finally:
        found.close()
        if store is not None:
            store.close()


def count_sequences(
    batches: Iterable[pa.Table],
    columns: LongColumns,
    begin: Callable[[], Looking],
    *,
    folder: Path,
    memory: int = MEMORY,
    threads: int = THREADS,
    tell: Tell | None = None,
) -> Looking:
    """What `begin()` made, after it was given every sequence of a long table once.

    The words of a block come in the order in which they begin in the table; blocks do where the
    input has one sequence after the other, which is then read once. Where it turns out not to,
    what was begun is dropped and `begin` is called again. Other arguments and errors as
    `long_sequences`; they come after the last block as well.
    """
    source = _Source(batches, columns, Seal(), tell or _quiet)
    counting = begin()
    if source.survey(lambda part: counting.add(source.block(part))) is not None:
        return counting
    require_duckdb()
    counting = begin()
    with closing(_in_order(source, folder, memory, threads)) as parts:
        for part in parts:
            counting.add(source.block(part).by_place())
    return counting


def _open(
    batches: Iterable[pa.Table],
    columns: LongColumns,
    folder: Path,
    memory: int,
    threads: int,
    tell: Tell,
) -> tuple[LongSequences, SealedFile | None]:
    source = _Source(batches, columns, Seal(), tell)
    lengths: Counter[int] = Counter()
    rows = source.survey(lambda part: lengths.update(_counted_sizes(_sizes(part))))
    if rows is not None:
        return LongSequences(columns, rows, lengths, source.blocks, folder), None
    require_duckdb()
    store = SealedFile(folder)
    try:
        rows, lengths = _sort(source, store, folder, memory, threads)
    except BaseException:
        store.close()
        raise
    return LongSequences(columns, rows, lengths, _stored(store, columns), folder), store


class _Source:
    """The input, which is read once to look at it, and again for its words or to sort it."""

    def __init__(
        self, batches: Iterable[pa.Table], columns: LongColumns, seal: Seal, tell: Tell
    ) -> None:
        self.batches, self.columns, self.seal, self.tell = batches, columns, seal, tell

    def survey(self, see: Callable[[LongRows], None]) -> int | None:
        """How many rows there are, if sequences come one after the other; None if not.

        `see` is given the rows of whole persons as long as they seem to. Errors: as
        `words_from_long`.
        """
        order, reader = Order(), LongReader(self.columns, self.seal)

        def seen() -> Iterator[LongRows]:
            for rows in self.read(reader, _READING):
                if not order.see(rows):
                    raise _UnorderedError
                yield rows

        try:
            for part in whole_persons(seen()):
                see(part)
        except _UnorderedError:
            return None
        return reader.rows if order.is_kept() else None

    def block(self, part: LongRows) -> WordBlock:
        """The words of whole persons in the order of time."""
        offsets = np.append(0, np.cumsum(_sizes(part)))
        return WordBlock(Words(self.columns.alphabet, part.codes, offsets), part.rows)

    def read(self, reader: LongReader, stage: str) -> Iterator[LongRows]:
        """The rows of each batch; after the last, what must be refused is."""
        for batch in self.batches:
            self.tell(stage, reader.rows, 0)
            rows = reader.read(batch)
            if rows is not None:
                yield rows
        reader.refuse()

    def blocks(self) -> Iterator[WordBlock]:
        """The words of an input that has them one after the other."""
        order, reader = Order(), LongReader(self.columns, self.seal)

        def seen() -> Iterator[LongRows]:
            for rows in self.read(reader, _READING):
                if not order.see(rows):
                    raise _changed()
                yield rows

        yield from map(self.block, whole_persons(seen()))


class _UnorderedError(Exception):
    """The rows must be sorted; raised and caught within this module."""


def _sort(
    source: _Source, store: SealedFile, folder: Path, memory: int, threads: int
) -> tuple[int, Counter[int]]:
    """Put all rows into `store`, as blocks of whole words; the number of rows and the lengths."""
    rows, lengths = 0, Counter[int]()
    with closing(_in_order(source, folder, memory, threads)) as parts:
        for part in parts:
            sizes = _sizes(part)
            lengths.update(_counted_sizes(sizes))
            with _disk(folder):
                store.write([sizes, part.rows, part.codes])
            rows += len(part)
    with _disk(folder):
        store.flush()
    return rows, lengths


def _in_order(
    source: _Source, folder: Path, memory: int, threads: int
) -> Generator[LongRows, None, None]:
    """All rows, those of whole persons together in the order of time.

    What must be refused is refused before the first, but for repeated rows, after the last.
    """
    reader, repeats = LongReader(source.columns, source.seal), Repeats(source.columns)
    with closing(Buckets(folder, source.seal)) as buckets:
        for part in source.read(reader, _READING):
            with _disk(folder):
                buckets.add(part)
        with _disk(folder):
            buckets.flush()
        done = 0
        for part in _sorted(buckets, source.columns.alphabet.code_dtype, folder, memory, threads):
            source.tell(_SORTING, done, reader.rows)
            repeats.see(part)
            yield part
            done += len(part)
    repeats.refuse()


def _sorted(
    buckets: Buckets, dtype: Any, folder: Path, memory: int, threads: int
) -> Iterator[LongRows]:
    """The rows of whole persons, in the order of time, a few buckets at a time."""
    for rows in buckets.together():
        answer = spilled(
            buckets.query, rows, buckets.schema, folder=folder, memory=memory, threads=threads
        )
        with closing(answer) as batches:
            yield from whole_persons(buckets.opened(batch, dtype) for batch in batches)


@contextmanager
def _disk(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _no_room(folder, error) from None


def _stored(store: SealedFile, columns: LongColumns) -> Callable[[], Iterator[WordBlock]]:
    def blocks() -> Iterator[WordBlock]:
        for sizes, rows, codes in store:
            offsets = np.zeros(sizes.size + 1, np.int64)
            np.cumsum(sizes, out=offsets[1:])
            yield WordBlock(Words(columns.alphabet, codes, offsets), rows)

    return blocks


def _sizes(part: LongRows) -> npt.NDArray[np.int64]:
    """How many rows each of the whole persons has."""
    return np.diff(np.append(np.flatnonzero(part.starts()), len(part)))


def _counted_sizes(sizes: npt.NDArray[np.int64]) -> dict[int, int]:
    values, counts = np.unique(sizes, return_counts=True)
    return dict(zip(values.tolist(), counts.tolist(), strict=True))


def _reserve(file: Any, size: int) -> None:
    """Room on the disk for the whole file: a page that has none ends the process, not the call."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file.fileno(), 0, size)
        return
    zeros = bytes(1 << 20)
    for start in range(0, size, len(zeros)):
        file.write(zeros[: size - start])
    file.flush()


def _no_room(folder: Path, error: OSError) -> OutputError:
    return OutputError(
        f"Temporary files could not be written: {error.strerror or 'input/output error'}.",
        hint=f"Free some space in {folder.parent}, or choose an output on another disk.",
        path=str(folder.parent),
    )


def _changed() -> DataError:
    return DataError(
        "The table changed while it was read.", hint="Release a copy that nobody writes to."
    )


def _quiet(stage: str, done: int, total: int) -> None:
    """Nobody is told."""
