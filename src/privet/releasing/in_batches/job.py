"""From the facts of all batches to a job: the promise that a whole table gets, in the same words.

Contract. What the batches found wrong is refused here, before anything is drawn, with counts and
places of the whole table. The description comes from the functions that describe a table in memory.
"""

from collections.abc import Callable

from privet.errors import PrivetError
from privet.releasing.blocks import Progress
from privet.releasing.in_batches.facts import MISSING, UNKNOWN, Facts
from privet.releasing.in_batches.rows import RowRequest
from privet.releasing.job import Drawn, Job
from privet.releasing.notes import revealing
from privet.releasing.sequences import words_job
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


def trouble_in(request: RowRequest, facts: Facts) -> PrivetError | None:
    """The error for the first thing that must be refused, column by column; None for nothing."""
    from privet.data import missing_entry, outside_alphabet, outside_every, without_value

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
    alphabet = request.mechanism.alphabet
    for name in request.columns_replaced:
        if found := troubles.get((UNKNOWN, name)):
            report = outside_alphabet if request.is_long else outside_every
            return report(alphabet, name, found.row, found.count, facts.rows)
        if found := troubles.get((MISSING, name)):
            return without_value(name, found.row, found.count)
    if found := troubles.get((MISSING, "")):
        return missing_entry(found.row, found.column, found.count, request.ragged)
    return None
