"""A file or folder to a file, batch by batch: looked at once, then drawn once.

Contract. The first pass checks everything and draws nothing; the second draws each batch as it is
read and writes it to a hidden file, which gets the output's name only when all of it is there and
the ledger says so. A query about series needs the first alone, which adds it up. Memory does not
grow with the rows. Files that changed meanwhile are refused: then nothing is published.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from privet.errors import ParameterError
from privet.releasing.blocks import Progress
from privet.releasing.forms import Bare, Request
from privet.releasing.in_batches.facts import Facts
from privet.releasing.in_batches.job import job_of
from privet.releasing.in_batches.long import LONG_ROWS, prepare_long
from privet.releasing.in_batches.queries import prepare_large_query
from privet.releasing.in_batches.rows import (
    RowRequest,
    checked,
    drawn_and_counted,
    looked_at,
    settled,
)
from privet.releasing.in_batches.unchanged import unchanged
from privet.releasing.in_batches.writing import Released, Writing, names_out
from privet.releasing.job import Job
from privet.releasing.preparing import check_reads_back
from privet.releasing.query_request import QueryRequest
from privet.releasing.sequences import WordRequest
from privet.releasing.tables import TableRequest, refuse_persons
from privet.symbols import Words

if TYPE_CHECKING:
    from privet.data import Batches

LARGE_FILE = 1 << 26
"""Files from this size on are released in batches unless told otherwise; folders always are."""


Place = tuple[Path, Path] | None
"""The output and its receipt; a query may be answered without."""


class LargeRows(NamedTuple):
    """Rows that are released batch by batch."""

    request: RowRequest
    source: Path
    target: tuple[Path, Path]


class LargeQuery(NamedTuple):
    """A query about series that are added up batch by batch."""

    request: QueryRequest
    source: Path
    target: Place


Large = LargeRows | LargeQuery


def large_release(
    request: Request, source: Path | None, target: Place, asked: bool | None
) -> Large | None:
    """What is released batch by batch; None if it is not. `asked`: None leaves it to the size.

    Errors: ParameterError if it was asked for and there is no way.
    """
    large = _large(request, source, target)
    if not isinstance(large, str):
        is_asked = asked or (asked is None and _is_large(large.source, large.request))
        return large if is_asked else None
    if asked:
        raise ParameterError(
            f"This release cannot be made in batches: {large}.",
            hint="Leave batches out.",
            parameter="batches",
        )
    return None


def _large(request: Request, source: Path | None, target: Place) -> Large | str:
    """The release as it would be made in batches, or why it cannot be."""
    if isinstance(request, Bare):
        return "only columns of a table, and words and series in one, are"
    if source is None:
        return "only a file or a folder is read so"
    if isinstance(request, QueryRequest):
        if request.is_one_series:
            return "one series in all is never cut, so it is held in memory whole"
        if not request.has_columns:
            return "the columns of the series are not named"
        return LargeQuery(request, source, target)
    if target is None:
        return "it needs an output, into which it is written as it goes"
    return LargeRows(request, source, target)


def _is_large(source: Path, request: RowRequest | QueryRequest) -> bool:
    """Whether it is worth it; rows that must be sorted need a library that may not be there."""
    sorts = request.person is not None if isinstance(request, TableRequest) else request.is_long
    if sorts and find_spec("duckdb") is None:
        return False
    return source.is_dir() or (source.is_file() and source.stat().st_size >= LARGE_FILE)


def prepare_in_batches(
    large: Large, *, overwrite: bool, progress: Progress, room: ExitStack
) -> Job:
    """Look at every batch and refuse what must be refused; nothing is drawn.

    `room`: temporary files live as long as it is open. Errors: as of the same table in memory;
    DataError for parts whose columns differ.
    """
    progress(f"reading {large.source.name}", 0, 0)
    if isinstance(large, LargeQuery):
        return prepare_large_query(*large, progress)
    return _prepare_rows(*large, overwrite, progress, room)


def _prepare_rows(
    request: RowRequest,
    source: Path,
    target: tuple[Path, Path],
    overwrite: bool,
    progress: Progress,
    room: ExitStack,
) -> Job:
    """The job for columns, or for words."""
    from privet.data import check_writable, open_batches

    is_long = isinstance(request, WordRequest) and request.is_long
    batches = open_batches(
        source,
        columns=request.columns_needed,
        replaced=request.columns_replaced,
        most_rows=LONG_ROWS if is_long else None,
    )
    going_out = [batches.schema.field(name) for name in names_out(batches, request)]
    check_writable(going_out, target[0])
    check_reads_back(batches.schema, request, target[0])
    if isinstance(request, WordRequest) and request.is_long:
        return prepare_long(request, batches, target, overwrite, progress, room)
    persons = None
    if isinstance(request, TableRequest) and request.person is not None:
        persons = _checked_persons(request, request.person, batches, target[0], room)
    facts = _facts(batches, request, progress)
    writing = Writing(request, batches, facts, target, overwrite)
    job = job_of(
        request,
        facts,
        lambda tell, measure: writing.stage(lambda: _released(writing, tell, measure), measure),
    )
    if isinstance(request, TableRequest):
        return replace(job, persons=persons)
    return replace(job, word_parts=lambda: _words(writing))


def _facts(batches: "Batches", request: RowRequest, progress: Progress) -> Facts:
    facts, total = Facts(), batches.total
    for table in batches:
        facts += checked(table, request, facts.rows)
        progress("checking", facts.rows, total)
    return facts


def _released(writing: Writing, tell: Progress, measure: bool) -> Released:
    """Each batch as it is drawn."""
    categories = settled(writing.facts, writing.batches.schema)
    done, total = 0, writing.facts.rows
    for table in writing.batches:
        yield drawn_and_counted(table, writing.request, categories, measure=measure)
        done += table.num_rows
        tell("drawing and writing", done, total)


def _words(writing: Writing) -> Iterator[tuple[int, Words]]:
    """(number of words before, words) of each batch: one more pass, which draws nothing."""
    first = 0
    with unchanged(writing.batches):
        for table in writing.batches:
            words = looked_at(table, writing.request, first).words
            if words is not None:
                yield first, words
            first += table.num_rows


def _checked_persons(
    request: TableRequest, person: str, batches: "Batches", output: Path, room: ExitStack
) -> Callable[[], int]:
    """What counts the persons by one more pass. Errors: DataError for too many rows of one."""
    from privet.data import persons_above, spill_folder

    folder = room.enter_context(spill_folder(output.parent))
    above = persons_above(batches, person, request.rows_per_person or 1, folder=folder)
    refuse_persons(above, person, request.rows_per_person or 1)

    def persons() -> int:
        with unchanged(batches):
            return persons_above(batches, person, 0, folder=folder)

    return persons
