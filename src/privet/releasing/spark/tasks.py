"""What runs in the tasks of Spark: rows looked at, or drawn into a part that is written there.

Contract. A task reads its rows once and returns one `Result`, never rows. What must be refused is
returned too: an error that is raised would be tried again by Spark. Bits come from the task's own
process, keyed from the operating system there (`privet.randomness`); nothing random is sent. A task
that draws may run again for whatever reason: each attempt has its own bits and its own part, and
only the driver decides which part counts. Words of a long table arrive sorted by id, so that each
is whole in one task; they are read many at a time, not id by id.
"""

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from privet.errors import MissingExtraError, PrivetError
from privet.estimate import WordTally
from privet.releasing.in_batches.facts import Facts
from privet.releasing.in_batches.rows import checked, drawn_and_counted
from privet.releasing.receipt import NO_VERSION, versions_in_use
from privet.releasing.rows import Layout
from privet.releasing.sequences import WordRequest
from privet.releasing.spark.long import checked_words, drawn_words, whole_words
from privet.releasing.spark.sessions import ROW, TAG
from privet.releasing.spark.staging import Cut, Written, rows_of, write_part
from privet.releasing.table_words import read_sequences
from privet.releasing.tables import TableRequest
from privet.symbols import Alphabet

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK_ROWS, _BLOCK_BYTES = 1 << 18, 1 << 26
"""Rows are looked at and drawn in blocks of about so many; Spark sends them by ten thousand."""

SCHEMA = "partition int, result binary"
"""What the rows of a task's answer are."""

_MARKS = 1 << 64


@dataclass(frozen=True)
class Work:
    """What all tasks of a job do, broadcast to them: public things only.

    `names`: of the columns, in the order in which they arrive; `folder`: where parts are written,
    or None to look only; `measure`: whether the symbols that differ are counted; `version`: of
    Privet at the driver.
    """

    request: TableRequest | WordRequest
    names: tuple[str, ...]
    version: str
    folder: str | None = None
    measure: bool = False

    @property
    def long(self) -> WordRequest | None:
        """The request, if rows are entries of words, which arrive together."""
        request = self.request
        return request if isinstance(request, WordRequest) and request.is_long else None


@dataclass
class Result:
    """What a task tells the driver of its `partition`.

    `mark`: the sum of the marks of its rows; `part`: what it wrote; `wrong`: symbols that
    differ; `forms`: how times are written; `tally`: of words that were released before.
    """

    partition: int
    facts: Facts = field(default_factory=Facts)
    mark: int = 0
    part: Written | None = None
    wrong: tuple[int, ...] = ()
    forms: frozenset[str] = frozenset()
    tally: WordTally | None = None
    error: PrivetError | None = None


def answer(batches: Iterable["pa.RecordBatch"], work: Work) -> Iterator["pa.RecordBatch"]:
    """Do the work on the batches of one partition; one row of `SCHEMA`."""
    result = Result(_partition())
    try:
        _check_version(work.version)
        tables = _tables(batches, work, result)
        if work.folder is None:
            for table in tables:
                _check(table, work, result)
        else:
            result.part = write_part(Path(work.folder), _drawn(tables, work, result))
    except PrivetError as error:
        result.error = error
    yield _row(result)


def words_tallied(
    batches: Iterable["pa.RecordBatch"], names: tuple[str, ...], alphabet: Alphabet, layout: Layout
) -> Iterator["pa.RecordBatch"]:
    """How often each released word is in one partition, whose words are whole; one row."""
    result, tally = Result(_partition()), WordTally(alphabet, Counter())
    blocks: Iterator[pa.Table] = (table.rename_columns(list(names)) for table in _blocks(batches))
    try:
        is_long = layout.get("state") is not None
        for table in whole_words(blocks, str(layout["id"])) if is_long else blocks:
            tally += WordTally.of(read_sequences(table, alphabet, layout).words, alphabet)
        result.tally = tally
    except PrivetError as error:
        result.error = error
    yield _row(result)


def in_order(batches: Iterable["pa.RecordBatch"], folder: str) -> Iterator["pa.RecordBatch"]:
    """Write rows that were drawn before, and sorted meanwhile, as a part; one row of `SCHEMA`."""
    result = Result(_partition())
    try:
        tables = (table.drop_columns([TAG]) for table in _blocks(batches))
        result.part = write_part(Path(folder), tables)
    except PrivetError as error:
        result.error = error
    yield _row(result)


def evened(
    batches: Iterable["pa.RecordBatch"], folder: str, cuts: Sequence[tuple[Cut, ...]]
) -> Iterator["pa.RecordBatch"]:
    """Write anew, cut by rows, what was drawn: a row of `SCHEMA` for each number of a part."""
    for batch in batches:
        for number in batch.column(0).to_numpy().tolist():
            result = Result(number)
            try:
                result.part = write_part(Path(folder), rows_of(Path(folder), cuts[number]))
            except PrivetError as error:
                result.error = error
            yield _row(result)


def _partition() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else context.partitionId()


def _row(result: Result) -> "pa.RecordBatch":
    import pyarrow as pa

    number = pa.array([result.partition], pa.int32())
    content = pa.array([pickle.dumps(result)], pa.binary())
    return pa.RecordBatch.from_arrays([number, content], names=["partition", "result"])


def _check_version(version: str) -> None:
    mine = versions_in_use()["privet"]
    # Sources that were shipped as they are know no version.
    if mine != version and NO_VERSION not in (mine, version):
        raise MissingExtraError(
            f"The executors have Privet {mine}, and the driver has {version}.",
            hint="Install one version everywhere: what is drawn is what the receipt says.",
        )


def _blocks(batches: Iterable["pa.RecordBatch"]) -> Iterator["pa.Table"]:
    """The batches as tables of about `BLOCK_ROWS` rows, fewer if they are long; none of no rows."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows and (rows >= BLOCK_ROWS or size >= _BLOCK_BYTES):
            yield pa.Table.from_batches(held)
            held, rows, size = [], 0, 0
    if rows:
        yield pa.Table.from_batches(held)


def _tables(
    batches: Iterable["pa.RecordBatch"], work: Work, result: Result
) -> Iterator["pa.Table"]:
    """The rows under the names of their columns, in whole words if they are long."""
    tables = _named(batches, work, result)
    return whole_words(tables, str(work.long.id)) if work.long is not None else tables


def _named(batches: Iterable["pa.RecordBatch"], work: Work, result: Result) -> Iterator["pa.Table"]:
    """The rows under the names of their columns (and `TAG`); their marks are added up."""
    import numpy as np

    for block in _blocks(batches):
        marks = block.column(ROW).to_numpy().view(np.uint64)
        result.mark = (result.mark + int(marks.sum(dtype=np.uint64))) % _MARKS
        table = block.drop_columns([ROW])
        tags = [TAG] if TAG in table.column_names else []
        yield table.rename_columns([*work.names, *tags])


def _check(table: "pa.Table", work: Work, result: Result) -> None:
    if work.long is None:
        result.facts += checked(table, work.request, result.facts.rows)
        return
    facts, forms = checked_words(table, work.long)
    result.facts += facts
    result.forms |= forms


def _drawn(tables: Iterator["pa.Table"], work: Work, result: Result) -> Iterator["pa.Table"]:
    """A release of each table, as it is needed; what was read is added up."""
    for table in tables:
        lengths: Counter[int] = Counter()
        if work.long is None:
            released, wrong = drawn_and_counted(table, work.request, measure=work.measure)
        else:
            released, wrong, lengths = drawn_words(table, work.long, measure=work.measure)
        result.facts += Facts(table.num_rows, lengths)
        result.wrong = added(result.wrong, wrong)
        yield released


def added(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    """The sums, place by place; nothing is zeros."""
    if not first or not second:
        return first or second
    return tuple(one + other for one, other in zip(first, second, strict=True))
