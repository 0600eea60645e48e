"""Statistics of series, each with how far one step can move it.

A query is made by one of the functions here, or named by text ("histogram", "frequency", "count",
"share", "transitions", "mean"), and answered by a mechanism: `mechanism.release(query, word)`.
"""

from privet.queries.base import Published, Query
from privet.queries.counts import (
    Count,
    Frequency,
    Histogram,
    Share,
    count,
    frequency,
    histogram,
    share,
)
from privet.queries.levels import Mean, mean
from privet.queries.own import Own, custom
from privet.queries.pieces import Nodes, Pieces, cut, merged, read_nodes
from privet.queries.reading import BY_NAME, read_query, told
from privet.queries.runs import RunLengths, run_lengths
from privet.queries.search import Counterexample, search_counterexample
from privet.queries.steps import Transitions, transitions

__all__ = [
    "BY_NAME",
    "Count",
    "Counterexample",
    "Frequency",
    "Histogram",
    "Mean",
    "Nodes",
    "Own",
    "Pieces",
    "Published",
    "Query",
    "RunLengths",
    "Share",
    "Transitions",
    "count",
    "custom",
    "cut",
    "frequency",
    "histogram",
    "mean",
    "merged",
    "read_nodes",
    "read_query",
    "run_lengths",
    "search_counterexample",
    "share",
    "told",
    "transitions",
]
