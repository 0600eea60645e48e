"""Releasing what is not in a table: a list, an array, Codes, or one choice by its scores.

Contract. The guarantee is the mechanism's own about what it was given. Where that is several
symbols, their number and order go out and are named. Data are read once: what is drawn from is what
the promise and the receipt speak of, whatever the object that was given says a second time.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import ParameterError
from privet.mechanisms import Exponential, Mechanism
from privet.mechanisms.base import HammingMechanism
from privet.releasing.blocks import Progress
from privet.releasing.job import (
    Drawn,
    Job,
    check_adjacency,
    count_different,
    describe_words,
)
from privet.releasing.notes import weak_parameters
from privet.releasing.receipt import Part
from privet.releasing.sequences import (
    covered_symbols,
    output_notes,
    word_guarantee,
)
from privet.releasing.stand_ins import StandIn, stand_in
from privet.releasing.tables import index_published
from privet.symbols import Codes, Words, read_symbols

if TYPE_CHECKING:
    from privet.data import ArrowFrame


def prepare_symbols(
    mechanism: HammingMechanism, data: Any, adjacency: int | None, published: Sequence[str]
) -> Job:
    """The job for one list or array of symbols: a word, or a column for randomised response.

    Errors: DomainError by position; ParameterError for an adjacency beyond the length.
    """
    before = read_symbols(mechanism.alphabet, data)
    codes = before.codes  # read once: promise and draw are about the same data
    size = int(codes.size)
    if isinstance(data, Codes):
        codes = codes.reshape(data.array.shape)
    elif isinstance(data, np.ndarray):
        codes = codes.reshape(data.shape)
    given = Codes(codes)
    lengths = Counter([size])
    covered, times = covered_symbols(mechanism, adjacency)
    is_column = mechanism.name == "randomized-response" and adjacency is None
    sizes = "the number and the order of the symbols"
    units = size if is_column else 1
    if is_column:
        guarantee = mechanism.guarantee.with_published(sizes, *published)
        guarantee = guarantee.with_assumptions("the values are independent of one another")
    else:
        check_adjacency(covered, lengths)
        guarantee = word_guarantee(
            mechanism,
            adjacency,
            lengths,
            "symbols",
            "of the word",
            (sizes, *published),
        )
    mechanism.check(given)
    part = describe_words(
        mechanism, lengths, column=None, times=times, per="value" if is_column else "symbol"
    )

    def draw(_progress: object, measure: bool) -> Drawn:
        after = mechanism.release(given).array.ravel()
        wrong = count_different(codes.ravel(), after, measure)
        return Drawn(before.rebuild(after), None, wrong)

    return Job(
        "symbols",
        guarantee,
        part.spent,
        (part,),
        draw,
        shape={"symbols": size},
        layout={"adjacency": covered},
        notes=(
            *output_notes(mechanism, lengths=Counter([size])),
            *weak_parameters(guarantee.epsilon, guarantee.delta, units, "values"),
        ),
        words=Words(mechanism.alphabet, codes.ravel(), np.array([0, size], np.int64)),
    )


def prepare_series(
    mechanism: HammingMechanism,
    frame: "ArrowFrame",
    adjacency: int | None,
    published: Sequence[str],
    other: StandIn,
    missing: StandIn,
) -> Job:
    """The job for a Series or an Arrow array, which comes back in its own kind.

    Errors: DomainError, MissingValueError by row; as `prepare_symbols`.
    """
    from privet.data import decode_column, encode_column

    name = frame.table.column_names[0]
    column = frame.table.column(0)
    stand_ins = {
        role: stand_in(given, name, mechanism.alphabet, role)
        for role, given in (("other", other), ("missing", missing))
    }
    codes = encode_column(column, mechanism.alphabet, name=name, **stand_ins)
    job = prepare_symbols(mechanism, Codes(codes), adjacency, published)

    def draw(progress: Progress, measure: bool) -> Drawn:
        drawn = job.draw(progress, measure)
        fresh = decode_column(drawn.data.array, mechanism.alphabet, like=column.type)
        table = frame.table.set_column(0, name, fresh)
        return replace(drawn, data=frame.restore(table))

    return replace(
        job,
        draw=draw,
        guarantee=job.guarantee.with_published(*index_published(frame)),
        parts=tuple(replace(part, **stand_ins) for part in job.parts),
    )


def prepare_choice(mechanism: Mechanism, data: Any, published: Sequence[str]) -> Job:
    """The job for one output chosen for one input. Errors: DomainError for an unlisted input."""
    if not isinstance(mechanism, Exponential):
        raise ParameterError(
            f"A {type(mechanism).__name__} has no accountable release yet.",
            hint="Use the mechanism's own release.",
        )
    if mechanism.table is not None:
        inputs = mechanism.table.inputs
        data = inputs.symbols[inputs.index(data)]
    spent = mechanism.spent(1)
    loss = mechanism.record_loss(1).maximum
    part = Part(None, _description(mechanism), 1, None, spent, loss, "choice")
    return Job(
        "choice",
        mechanism.guarantee.with_published(*published),
        Fraction(spent),
        (part,),
        lambda _progress, _measure: Drawn(mechanism.release(data)),
        shape={"symbols": 1},
        notes=weak_parameters(mechanism.guarantee.epsilon),
    )


def _description(mechanism: Exponential) -> dict[str, Any]:
    """Its JSON form; scores given as a function have none, which is said instead."""
    if mechanism.table is not None:
        return mechanism.to_json()
    return {
        "mechanism": mechanism.name,
        "outputs": mechanism.outputs.to_json(),
        "epsilon": str(mechanism.epsilon),
        "sensitivity": str(mechanism.sensitivity),
        "scores": "a function of the input, not written down",
    }
