"""Queries from what a user or a file says: a query, its name, or its description."""

from collections.abc import Mapping
from typing import Any

from privet.errors import ParameterError, ParameterTypeError
from privet.queries.base import Query
from privet.queries.counts import Count, Frequency, Histogram, Share
from privet.queries.levels import Mean
from privet.queries.runs import RunLengths
from privet.queries.steps import Transitions

KINDS: dict[str, type[Query]] = {
    kind.kind: kind for kind in (Histogram, Frequency, Count, Share, Transitions, RunLengths, Mean)
}

BY_NAME = ("histogram", "frequency", "count", "share", "transitions", "mean")


def read_query(query: "Query | str | dict[str, Any]") -> Query:
    """The query itself, the one of that name, or the one that `to_json` described.

    By name, "count" and "share" are of the second of two states, and "mean" is of states that are
    numbers. Errors: ParameterError, ParameterTypeError.
    """
    if isinstance(query, Query):
        return query
    if isinstance(query, str):
        if query not in BY_NAME:
            raise ParameterError(
                "There is no query of that name.",
                hint=f"By name there are {', '.join(BY_NAME)}; others are made by privet.queries.",
                parameter="query",
            )
        return KINDS[query]()
    if isinstance(query, dict):
        return _from_json(query)
    raise ParameterTypeError(
        f"A {type(query).__name__} is not a query.",
        hint="Write 'histogram', or make one with privet.queries, as in queries.count('state').",
        parameter="query",
    )


def told(described: Mapping[str, Any]) -> str:
    """The query of a description in a few words, as the command line has it: "count=peak".

    Levels, grids and constants are left out; a function of the user's own has the name it was
    given.
    """
    kind = str(described.get("name") or described["query"].replace("_", "-"))
    states = described.get("states")
    listed = states if isinstance(states, list) else [states]
    asked = [described.get("cap"), *listed, described.get("state")]
    named = [str(each) for each in asked if each is not None]
    return f"{kind}={','.join(named)}" if named else kind


def _from_json(data: dict[str, Any]) -> Query:
    kind = KINDS.get(str(data.get("query")))
    if kind is None:
        raise ParameterError(
            "The description names no query that can be made from one.",
            hint=f"Known are {', '.join(KINDS)}; a function of your own has to be given as code.",
            parameter="query",
        )
    given = {name: value for name, value in data.items() if name != "query"}
    if kind is Mean and given.get("levels") is not None:
        given["levels"] = dict(given["levels"])
    try:
        return kind(**given)
    except TypeError:
        raise ParameterError(
            f"The description of the query {kind.kind!r} has fields it does not know, or lacks one."
        ) from None
