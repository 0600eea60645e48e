"""Which form of release is meant: columns of a table, words, a query about series, or bare data.

Contract. A request is made of what the caller gave, and everything that can be refused without the
data is refused here. Nothing is read but the names of columns, which are public.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from privet.errors import ParameterError, ParameterTypeError
from privet.mechanisms import Mechanism, SeriesMechanism
from privet.mechanisms.base import HammingMechanism
from privet.releasing.arguments import Mechanisms, refuse
from privet.releasing.decoding import Decoding
from privet.releasing.possible import Possible
from privet.releasing.query_request import Asked, QueryRequest, no_query
from privet.releasing.sequences import WordRequest
from privet.releasing.stand_ins import StandIn
from privet.releasing.tables import TableRequest, read_responses
from privet.symbols import Words


@dataclass(frozen=True)
class Bare:
    """A release of something that is not a table."""

    mechanism: Mechanism
    adjacency: int | None
    published: tuple[str, ...]
    assumptions: tuple[str, ...]
    other: StandIn
    missing: StandIn
    decoding: Decoding | None = None
    possible: Possible | None = None


Request = TableRequest | WordRequest | QueryRequest | Bare


def read_request(
    mechanism: Mechanisms,
    *,
    columns: tuple[str, ...],
    keep: tuple[str, ...],
    person: str | None,
    rows_per_person: int | None,
    sequence: tuple[str | None, str | None, str | None],
    adjacency: int | None,
    ragged: bool,
    other: StandIn,
    missing: StandIn,
    published: tuple[str, ...],
    assumptions: tuple[str, ...],
    asked: Asked,
) -> Request:
    """Which form of release is meant, with its own checks made."""
    is_long = any(name is not None for name in sequence)
    common = (other, missing, published, assumptions)
    if isinstance(mechanism, Mapping):
        refuse(columns, "columns", "the mapping {column: mechanism} names them already")
        refuse(is_long, "id, time or state", "words have one mechanism, not one a column")
        refuse(adjacency is not None, "adjacency", "it counts symbols of words, not columns")
        responses = read_responses(mechanism)
        return TableRequest(responses, keep, person, rows_per_person, *common)
    if not isinstance(mechanism, Mechanism):
        raise ParameterTypeError(
            f"A {type(mechanism).__name__} is not a mechanism.",
            hint="Give a mechanism such as RandomizedResponse(alphabet, epsilon=1), or a mapping "
            "from columns to mechanisms.",
            parameter="mechanism",
        )
    if isinstance(mechanism, SeriesMechanism):
        refuse(keep, "keep", "no row goes out with the answer to a query")
        refuse(person is not None, "person", "the unit is one step of a series")
        refuse(rows_per_person is not None, "rows_per_person", "the unit is one step of a series")
        refuse(adjacency is not None, "adjacency", "the unit is one step of a series")
        return QueryRequest.read(
            mechanism,
            asked,
            sequence=sequence,
            columns=columns,
            ragged=ragged,
            other=other,
            missing=missing,
            published=published,
            assumptions=assumptions,
        )
    no_query(mechanism, asked)
    as_table = isinstance(mechanism, HammingMechanism) and mechanism.name == "randomized-response"
    if columns and as_table and adjacency is None and not ragged and not is_long:
        responses = read_responses(dict.fromkeys(columns, mechanism))
        return TableRequest(responses, keep, person, rows_per_person, *common)
    refuse(person is not None, "person", "the unit of a word is its symbols")
    refuse(rows_per_person is not None, "rows_per_person", "the unit of a word is its symbols")
    if columns or is_long:
        if not isinstance(mechanism, HammingMechanism):
            raise ParameterError(
                f"{type(mechanism).__name__} does not release words.",
                hint="Use RandomizedResponse or one of the Word mechanisms.",
            )
        name, time, state = sequence
        return WordRequest(mechanism, name, time, state, columns, ragged, keep, adjacency, *common)
    refuse(keep, "keep", "only a table has columns to keep")
    refuse(ragged, "ragged", "only a table can have words that end early")
    return Bare(mechanism, adjacency, published, assumptions, other, missing)


def with_decoding(request: Request, data: Any, decoding: Decoding) -> Request:
    """The request with its words decoded. Errors: ParameterError where there are no words."""
    words = _if_of_words(request, data)
    if words is None:
        raise ParameterError(
            "Only words are decoded, and this release is of no words.",
            hint="Give id, time and state, or columns and adjacency; a word without a table goes "
            "in as Words.",
            parameter="decode",
        )
    return replace(words, decoding=decoding)


def with_language(request: Request, data: Any, possible: Possible) -> Request:
    """The request with the language of its words. Errors: ParameterError without words."""
    words = _if_of_words(request, data)
    if words is None:
        raise ParameterError(
            "Only words have a language, and this release is of no words.",
            hint="Leave language out; a word without a table goes in as Words.",
            parameter="language",
        )
    return replace(words, possible=possible)


def _if_of_words(request: Request, data: Any) -> WordRequest | Bare | None:
    if isinstance(request, Bare):
        return request if isinstance(data, Words) else None
    return request if isinstance(request, WordRequest) else None


def source_of(request: Request, data: Any) -> Path | None:
    """The file that `data` names; the input of a choice may be any text and names none."""
    if not isinstance(data, str | os.PathLike):
        return None
    if not isinstance(request, Bare):
        return Path(data)
    if isinstance(request.mechanism, HammingMechanism):
        raise ParameterError(
            "A file needs the columns to release.",
            hint="Give a mapping {column: mechanism}, or columns, or id, time and state.",
            parameter="columns",
        )
    return None


def left_out_of(request: Request, present: Sequence[str]) -> dict[str, Any]:
    """The columns that do not go out; their names are public."""
    if isinstance(request, Bare | QueryRequest):
        return {}
    released = request.mechanisms if isinstance(request, TableRequest) else request.own_columns
    return {"left_out": [name for name in present if name not in {*released, *request.keep}]}
