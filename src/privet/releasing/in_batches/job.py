"""From the facts of all batches to a job: the promise that a whole table gets, in the same words.

Contract. What the batches found wrong is refused here, before anything is drawn, with counts and
places of the whole table. The description comes from the functions that describe a table in memory.
"""

from collections.abc import Callable

from privet.errors import PrivetError
from privet.releasing.blocks import Progress
from privet.releasing.in_batches.facts import (
    MISSING,
    MISSING_ENTRY,
    NO_LIST,
    UNKNOWN,
    UNKNOWN_ENTRY,
    Facts,
)
from privet.releasing.in_batches.rows import RowRequest
from privet.releasing.job import Drawn, Job
from privet.releasing.notes import revealing
from privet.releasing.query_request import QueryRequest
from privet.releasing.sequences import WordRequest, words_job
from privet.releasing.tables import TableRequest, table_job


def job_of(request: RowRequest, facts: Facts, draw: Callable[[Progress, bool], Drawn]) -> Job:
    """The job for rows of which the facts are known; `draw` as `Job` has it.

    Errors: DomainError and MissingValueError by column and row; ParameterError for an adjacency
    beyond the longest word.
    """
    error = trouble_in(request, facts)
    if error is not None:
        raise error
    remarks = revealing(facts.distinct, facts.rows)
    if isinstance(request, TableRequest):
        return table_job(request, facts.rows, draw, remarks=remarks)
    return words_job(request, facts.lengths, facts.rows, draw, remarks=remarks)


def trouble_in(request: RowRequest | QueryRequest, facts: Facts) -> PrivetError | None:
    """The error for the first thing that must be refused, column by column; None for nothing."""
    from privet.data import outside_alphabet, without_value

    troubles = facts.troubles
    if isinstance(request, TableRequest):
        for name, mechanism in request.mechanisms.items():
            if found := troubles.get((UNKNOWN, name)):
                return outside_alphabet(
                    mechanism.alphabet, name, found.row, found.count, facts.rows
                )
            if found := troubles.get((MISSING, name)):
                return without_value(name, found.row, found.count)
        return None
    return None if request.is_long else _trouble_in_words(request, facts)


def _trouble_in_words(request: WordRequest | QueryRequest, facts: Facts) -> PrivetError | None:
    """The same for words of a wide table. Of lists alone, lengths can differ without `ragged`."""
    from privet.data import (
        lengths_differ,
        missing_entry,
        missing_in_lists,
        outside_every,
        outside_in_lists,
        without_list,
    )

    troubles, alphabet, first = facts.troubles, request.mechanism.alphabet, request.columns[0]
    if found := troubles.get((UNKNOWN_ENTRY, first)):
        return outside_in_lists(alphabet, first, found.row, found.count, facts.symbols)
    for name in request.columns:
        if found := troubles.get((UNKNOWN, name)):
            return outside_every(alphabet, name, found.row, found.count, facts.rows)
    if found := troubles.get((NO_LIST, first)):
        return without_list(first, found.row, found.count)
    if found := troubles.get((MISSING_ENTRY, first)):
        return missing_in_lists(first, found.row, found.count)
    if found := troubles.get((MISSING, "")):
        return missing_entry(found.row, found.column, found.count, request.ragged)
    return lengths_differ(first) if len(facts.lengths) > 1 and not request.ragged else None
