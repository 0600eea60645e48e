"""A query about series that are never in memory as a whole: read once, added up, then the noise.

Contract. Each batch is checked and reduced to the query's exact sums (`privet.mechanisms`), and
what follows from these is found by the functions that answer a query from memory: the same value
before the noise, the same noise, the same refusals. Everything is refused before anything is
charged or drawn, a file that changed while it was read included.
"""

import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from privet.mechanisms.series_sums import Sums
from privet.releasing.blocks import Progress
from privet.releasing.in_batches.facts import Facts
from privet.releasing.in_batches.job import trouble_in
from privet.releasing.in_batches.long import LONG_ROWS
from privet.releasing.in_batches.rows import wide_words
from privet.releasing.in_batches.unchanged import unchanged
from privet.releasing.job import Job
from privet.releasing.queries import query_job
from privet.releasing.query_request import QueryRequest

if TYPE_CHECKING:
    from privet.data import Batches, WordBlock


def prepare_large_query(
    request: QueryRequest, source: Path, target: tuple[Path, Path] | None, progress: Progress
) -> Job:
    """Read every batch once, twice where rows turn out to need sorting; nothing is drawn.

    Temporary files lie beside the output, or where the system keeps them if there is none. Errors:
    as `privet.releasing.queries.prepare_query`; DataError for a file that was changed meanwhile.
    """
    from privet.data import open_batches

    batches = open_batches(
        source,
        columns=request.columns_needed,
        replaced=request.columns_replaced,
        most_rows=LONG_ROWS if request.is_long else None,
    )
    with unchanged(batches), ExitStack() as room:
        if not request.is_long:
            return query_job(
                request, _wide_sums(request, batches, progress), request.stand_ins, progress
            )
        from privet.data import spill_folder

        beside = Path(tempfile.gettempdir()) if target is None else target[0].parent
        series = _LongSeries(request, batches, room.enter_context(spill_folder(beside)), progress)
        return query_job(request, series.sums(), request.stand_ins, progress, series.number)


def _wide_sums(request: QueryRequest, batches: "Batches", progress: Progress) -> Sums:
    """The sums over the rows of a wide table. Errors: DomainError, MissingValueError by place."""
    facts, total = Facts(), batches.total
    sums = _no_sums(request)
    for table in batches:
        found = wide_words(table, request)
        facts += found.facts
        if found.words is not None and not facts.troubles:
            sums.add(found.words)
        progress("checking", facts.rows, total)
    error = trouble_in(request, facts)
    if error is not None:
        raise error
    return sums


def _no_sums(request: QueryRequest) -> Sums:
    """Those of no series yet."""
    return Sums(request.mechanism, request.query, request.nodes)


class _Added:
    """Series added up."""

    def __init__(self, sums: Sums) -> None:
        self.sums = sums

    def add(self, block: "WordBlock") -> None:
        """Some more."""
        self.sums.add(block.words, block.places)


class _Before:
    """How many series begin before a row."""

    def __init__(self, row: int) -> None:
        self.row, self.count = row, 0

    def add(self, block: "WordBlock") -> None:
        """Count those of a block."""
        self.count += int(np.count_nonzero(block.places < self.row))


Kind = TypeVar("Kind", _Added, _Before)


class _LongSeries:
    """The series of a long table, in any order of its rows."""

    def __init__(
        self, request: QueryRequest, batches: "Batches", folder: Path, progress: Progress
    ) -> None:
        self._request, self._batches = request, batches
        self._folder, self._progress = folder, progress

    def sums(self) -> Sums:
        """The sums over all series. Errors: as `words_from_long`."""
        return self._counted(lambda: _Added(_no_sums(self._request))).sums

    def number(self, place: int) -> int:
        """Of the series whose first row is `place`: how many begin before. Reads all once more."""
        return self._counted(lambda: _Before(place)).count

    def _counted(self, begin: Callable[[], Kind]) -> Kind:
        from privet.data import LongColumns, count_sequences

        request = self._request
        id_name, time, state = request.columns_needed
        alphabet = request.mechanism.alphabet
        columns = LongColumns(id_name, time, state, alphabet, **request.stand_ins)
        return count_sequences(
            self._batches, columns, begin, folder=self._folder, tell=self._progress
        )
