"""Releasing the answer to a query about one or several series whose steps depend on each other.

Contract. What goes out is the answer, its intervals, and the receipt; no row of the data does. The
protected unit is the state of any one step of one series. The number of series, the length of each
and the range of steps that was read are published and named in the guarantee, as the noise depends
on them; so is every assumption: the chains, that they were known before the data, that no step is
missing. Data that no chain of the framework can produce are refused, by position, before the draw.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError
from privet.mechanisms import SeriesMechanism
from privet.mechanisms.series_sums import Question, Sums, answered
from privet.privacy import Guarantee
from privet.releasing.answer_table import answer_rows
from privet.releasing.answers import (
    CONSECUTIVE,
    FITTED_CHAINS,
    PUBLIC_CHAINS,
    Answer,
    describe_answer,
)
from privet.releasing.blocks import Progress
from privet.releasing.job import Drawn, Job
from privet.releasing.notes import weak_parameters
from privet.releasing.query_plan import framework_notes, group_scale, helps_little
from privet.releasing.query_request import QueryRequest, read_series

if TYPE_CHECKING:
    from privet.data import ArrowFrame


def prepare_query(
    request: QueryRequest, data: Any, frame: Callable[[], "ArrowFrame"], progress: Progress
) -> Job:
    """Read the series and check everything; nothing is drawn.

    `frame()` reads the table, where there is one. Errors: DomainError, MissingValueError and
    DataError by place; ModelError for series that no chain can produce; ParameterError.
    """
    progress("reading the series", 0, 0)
    words, stand_ins = read_series(request, data, frame)
    sums = Sums(request.mechanism, request.query, request.nodes)
    sums.add(words)
    return query_job(request, sums, stand_ins, progress)


def query_job(
    request: QueryRequest,
    sums: Sums,
    stand_ins: Mapping[str, Any],
    progress: Progress,
    number: Callable[[int], int] = int,
) -> Job:
    """The job for series that were read and added up, however they came.

    `stand_ins`: as `read_series` gives them; `number`: as `Sums.question` takes it. Errors:
    DataError without any series, and as `prepare_query` but for those of reading.
    """
    mechanism, query, nodes = request.mechanism, request.query, request.nodes
    if not len(sums):
        raise DataError("There is no series.", hint="There is nothing to ask about.")
    progress("finding the noise", 0, 0)
    question = sums.question(number)
    lengths = question.lengths
    answer = replace(
        describe_answer(
            mechanism,
            query,
            lengths,
            nodes=nodes,
            confidence=request.confidence,
            column=request.state,
        ),
        **stand_ins,
    )
    promise = _guarantee(request, lengths)

    def draw(tell: Progress, measure: bool) -> Drawn:
        tell("drawing", 0, 0)
        released = answered(mechanism, question)
        rows = answer_rows(
            query,
            mechanism.alphabet,
            released,
            mechanism.interval(query, released, lengths, request.confidence, nodes),
        )
        wrong = _differences(mechanism, question, released) if measure else ()
        return Drawn(released, None, wrong, rows)

    return Job(
        "query",
        promise,
        answer.spent,
        (answer,),
        draw,
        shape={
            "series": sum(lengths.values()),
            "steps": sum(length * count for length, count in lengths.items()),
            "shortest": min(lengths),
            "longest": max(lengths),
            "numbers": answer.symbols,
        },
        layout=_layout(request),
        notes=(*_notes(request, answer), *weak_parameters(promise.epsilon)),
    )


def _guarantee(request: QueryRequest, lengths: Mapping[int, int]) -> Guarantee:
    """The mechanism's promise, with what goes out and what was taken as public."""
    own = request.mechanism.guarantee_of(request.query)
    count, sizes = sum(lengths.values()), sorted(lengths)
    if count == 1:
        published = [f"the number of steps of the series ({sizes[0]})"]
    elif len(sizes) == 1:
        published = [f"the number of series ({count}) and of the steps of each ({sizes[0]})"]
    else:
        published = [
            f"the number of series ({count}) and of the steps of each ({sizes[0]} to {sizes[-1]})"
        ]
    if request.nodes is not None:
        start, stop = request.nodes
        published.append(f"that only the steps {start} to {stop - 1}, counted from 0, were read")
    return replace(own, published=(*published, *request.published)).with_assumptions(
        FITTED_CHAINS if request.chains_from_data else PUBLIC_CHAINS,
        CONSECUTIVE,
        *_counted_as(request),
        *request.assumptions,
    )


def _counted_as(request: QueryRequest) -> list[str]:
    """What was made of steps that the data leave out."""
    given = request.stand_ins if request.has_columns else {}
    said = {"missing": "a step without a state", "other": "a step with any other label"}
    return [
        f"{what} counts as '{given[name]}'"
        for name, what in said.items()
        if given.get(name) is not None
    ]


def _layout(request: QueryRequest) -> dict[str, Any]:
    """Where the series were read."""
    if request.columns:
        return {"columns": list(request.columns), "ragged": request.ragged}
    roles = {"id": request.id, "time": request.time, "state": request.state}
    return {role: name for role, name in roles.items() if name is not None}


def _notes(request: QueryRequest, answer: Answer) -> tuple[str, ...]:
    """What to know of the noise; what the framework itself has to say comes first."""
    said = framework_notes(request.mechanism.framework)
    return (*(note.rstrip(".") for note in said), *_noise_notes(request, answer, bool(said)))


def _noise_notes(request: QueryRequest, answer: Answer, explained: bool) -> tuple[str, ...]:
    """What the size of the noise comes from, unless that is `explained`."""
    if not answer.scale:
        return ("no step can move this answer, so it was known beforehand and got no noise",)
    mechanism, query, nodes = request.mechanism, request.query, request.nodes
    if explained or getattr(mechanism, "method", "") == "group":
        return ()  # as was asked for
    start, stop = nodes or (0, max(answer.lengths))
    if stop - start == 1:
        return ()  # one step is all steps, however quick the chains are
    group = group_scale(mechanism, query, sorted(answer.lengths), nodes)
    if helps_little(answer.scale, group):
        note = (
            "the chains are too slow for series of this length: the noise is as large as if all "
            "steps of a series were protected at once"
        )
        return (note,)
    return ()


def _differences(
    mechanism: SeriesMechanism, question: Question, released: Any
) -> tuple[float, ...]:
    """How far the released numbers are from the truth, which only public data may show."""
    truth = question.query.finish(question.raw, mechanism.alphabet, question.read)
    away = np.ravel(np.asarray(released, np.float64)) - np.ravel(np.asarray(truth, np.float64))
    return tuple(np.abs(away).tolist())
