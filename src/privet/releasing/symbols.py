"""Releasing what is not in a table: a list, an array, Codes, or one choice by its scores.

Contract. The guarantee is the mechanism's own about what it was given. Where that is several
symbols, their number and order go out and are named.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from privet.errors import ParameterError
from privet.mechanisms import Exponential, Mechanism
from privet.mechanisms.base import HammingMechanism
from privet.releasing.job import Drawn, Job, check_adjacency, count_different, describe_words
from privet.releasing.receipt import Part
from privet.releasing.sequences import covered_symbols, word_guarantee
from privet.symbols import read_symbols


def prepare_symbols(
    mechanism: HammingMechanism, data: Any, adjacency: int | None, published: Sequence[str]
) -> Job:
    """The job for one list or array of symbols: a word, or a column for randomised response.

    Errors: DomainError by position; ParameterError for an adjacency beyond the length.
    """
    before = read_symbols(mechanism.alphabet, data)
    size = int(before.codes.size)
    covered, times = covered_symbols(mechanism, adjacency)
    part = describe_words(mechanism, Counter([size]), column=None)
    sizes = "the number and the order of the symbols"
    if mechanism.name == "randomized-response" and adjacency is None:
        guarantee = mechanism.guarantee.with_published(sizes, *published)
    else:
        check_adjacency(covered, Counter([size]))
        unit = f"the {size} symbols of the word"
        guarantee = word_guarantee(mechanism, adjacency, unit, (sizes, *published))

    def draw(_progress: object, measure: bool) -> Drawn:
        released = mechanism.release(data)
        after = read_symbols(mechanism.alphabet, released)
        return Drawn(released, None, count_different(before.codes, after.codes, measure))

    return Job(
        "symbols",
        guarantee,
        times * part.spent,
        (part,),
        draw,
        shape={"symbols": size},
        layout={"adjacency": covered},
    )


def prepare_choice(mechanism: Mechanism, data: Any, published: Sequence[str]) -> Job:
    """The job for one output chosen for one input. Errors: DomainError for an unlisted input."""
    if not isinstance(mechanism, Exponential):
        raise ParameterError(
            f"A {type(mechanism).__name__} has no accountable release yet.",
            hint="Use the mechanism's own release.",
        )
    if mechanism.table is not None:
        mechanism.table.inputs.index(data)
    spent = mechanism.spent(1)
    part = Part(None, _description(mechanism), 1, None, spent, mechanism.record_loss(1).maximum)
    return Job(
        "choice",
        mechanism.guarantee.with_published(*published),
        Fraction(spent),
        (part,),
        lambda _progress, _measure: Drawn(mechanism.release(data)),
        shape={"symbols": 1},
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
