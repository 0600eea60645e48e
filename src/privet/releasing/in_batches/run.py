"""A file or folder to a file, batch by batch: looked at once, then drawn once.

Contract. The first pass checks everything and draws nothing; the second draws each batch as it is
read and writes it to a hidden file, which gets the output's name only when all of it is there and
the ledger says so. Memory does not grow with the rows. Files that changed between the passes are
refused: then nothing is published.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from privet.errors import ParameterError
from privet.releasing.blocks import Progress
from privet.releasing.forms import Request
from privet.releasing.in_batches.facts import Facts
from privet.releasing.in_batches.job import job_of
from privet.releasing.in_batches.long import LONG_ROWS, prepare_long
from privet.releasing.in_batches.rows import (
    RowRequest,
    checked,
    drawn_and_counted,
    looked_at,
    settled,
)
from privet.releasing.in_batches.writing import Released, Writing, names_out
from privet.releasing.job import Job
from privet.releasing.preparing import check_reads_back
from privet.releasing.sequences import WordRequest
from privet.releasing.tables import TableRequest, refuse_persons
from privet.symbols import Words

if TYPE_CHECKING:
    from privet.data import Batches

LARGE_FILE = 1 << 26
"""Files from this size on are released in batches unless told otherwise; folders always are."""


Large = tuple[RowRequest, Path, tuple[Path, Path]]
"""A request, its source, and its target."""


def large_release(
    request: Request, source: Path | None, target: tuple[Path, Path] | None, asked: bool | None
) -> Large | None:
    """What is released batch by batch; None if it is not. `asked`: None leaves it to the size.

    Errors: ParameterError if it was asked for and there is no way.
    """
    reason = ""
    if not isinstance(request, TableRequest | WordRequest):
        reason = "only columns of a table, and words in one, are"
    elif source is None:
        reason = "only a file or a folder is read so"
    elif target is None:
        reason = "it needs an output, into which it is written as it goes"
    elif asked or (asked is None and _is_large(source, request)):
        return request, source, target
    if asked:
        raise ParameterError(
            f"This release cannot be made in batches: {reason}.",
            hint="Leave batches out.",
            parameter="batches",
        )
    return None


def _is_large(source: Path, request: RowRequest) -> bool:
    """Whether it is worth it; rows that must be sorted need a library that may not be there."""
    sorts = request.is_long if isinstance(request, WordRequest) else request.person is not None
    if sorts and find_spec("duckdb") is None:
        return False
    return source.is_dir() or (source.is_file() and source.stat().st_size >= LARGE_FILE)


def prepare_in_batches(
    request: RowRequest,
    source: Path,
    target: tuple[Path, Path],
    *,
    overwrite: bool,
    progress: Progress,
    room: ExitStack,
) -> Job:
    """Look at every batch and refuse what must be refused; nothing is drawn.

    `room`: temporary files live as long as it is open. Errors: as of the same table in memory;
    DataError for parts whose columns differ.
    """
    from privet.data import check_writable, open_batches

    progress(f"reading {source.name}", 0, 0)
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
    if isinstance(request, TableRequest):
        _check_persons(request, batches, target[0], room)
    facts = _facts(batches, request, progress)
    writing = Writing(request, batches, facts, target, overwrite)
    job = job_of(
        request,
        facts,
        lambda tell, measure: writing.stage(lambda: _released(writing, tell, measure), measure),
    )
    if isinstance(request, TableRequest):
        return job
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
    with writing.unchanged():
        for table in writing.batches:
            words = looked_at(table, writing.request, first).words
            if words is not None:
                yield first, words
            first += table.num_rows


def _check_persons(
    request: TableRequest, batches: "Batches", output: Path, room: ExitStack
) -> None:
    """Refuse persons with more rows than the bound."""
    from privet.data import persons_above, spill_folder

    if request.person is None or request.rows_per_person is None:
        return
    folder = room.enter_context(spill_folder(output.parent))
    above = persons_above(batches, request.person, request.rows_per_person, folder=folder)
    refuse_persons(above, request.person, request.rows_per_person)
