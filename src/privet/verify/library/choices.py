"""Selections from noisy answers: the largest one, and the first above a threshold.

Contract. True answers are whole numbers 0..largest; each gets geometric noise of its own, and laws
are exact rationals [dwork-roth-2014]. Truncated noise (`counts.truncated_geometric`) keeps noisy
answers in 0..largest. Neighbours are inputs in which one answer, or every answer, may move by one.
Real-valued noise has no ties; here ties are part of the law and stated.
"""

from collections.abc import Iterable
from fractions import Fraction
from itertools import accumulate, combinations, product
from math import prod
from typing import Literal

from privet.errors import ParameterError
from privet.exact import read_count
from privet.exact.number import Number
from privet.verify.library.counts import truncated_geometric
from privet.verify.library.models import (
    LARGEST_TABLE,
    FiniteModel,
    Law,
    Pair,
    read_ratio,
    read_size,
)
from privet.verify.library.sparse import SparseVector

Answers = tuple[int, ...]
Moved = Literal["one", "all"]


def report_noisy_max(
    queries: int,
    largest: int,
    *,
    ratio: Number = Fraction(1, 2),
    reports: Literal["index", "value"] = "index",
    moved: Moved = "all",
) -> FiniteModel:
    """Which of `queries` noisy answers is the largest, or how large it is; noise is truncated.

    `reports`: "index", the first of the largest wins; or "value", the largest noisy answer itself.
    `moved`: whether "one" answer may move by one between neighbours, or "all" of them.
    """
    noise, inputs = _noise(queries, largest, ratio)
    if reports == "index":
        rows = [_first_maximum([noise[a] for a in answers]) for answers in inputs]
        outputs = range(queries)
    elif reports == "value":
        rows = [_maximum([noise[a] for a in answers]) for answers in inputs]
        outputs = range(largest + 1)
    else:
        raise ParameterError("reports is neither 'index' nor 'value'.", parameter="reports")
    return FiniteModel(tuple(rows), inputs, tuple(outputs), _neighbours(inputs, moved))


def above_threshold(
    queries: int,
    largest: int,
    *,
    threshold: int,
    ratio: Number = Fraction(1, 2),
    threshold_ratio: Number = Fraction(1, 2),
    noise: Literal["unbounded", "truncated"] = "unbounded",
    moved: Moved = "all",
) -> FiniteModel:
    """The first of `queries` noisy answers at or above a noisy `threshold`: the sparse vector.

    Outputs: the index of that query, or None if there is none. `ratio` of the noise of answers,
    `threshold_ratio` of the noise of the threshold. Noise of all integers ("unbounded") keeps
    1 / (threshold_ratio ratio^2), however many queries there are (Theorem 3.23 of
    [dwork-roth-2014]). Noisy values truncated to 0..`largest` do not: a threshold that ends at
    `largest` waits for answers that do too, and all of them tell something.
    """
    limit = read_count(threshold, "threshold", minimum=0)
    if limit > largest:
        raise ParameterError("threshold is above the largest answer.", parameter="threshold")
    laws, inputs = _noise(queries, largest, ratio)
    if noise == "truncated":
        limits = truncated_geometric(largest, ratio=threshold_ratio).rows[limit]
        rows = [_first_above([laws[a] for a in answers], limits) for answers in inputs]
    elif noise == "unbounded":
        sparse = SparseVector(largest, limit, read_ratio(ratio), read_ratio(threshold_ratio))
        rows = [sparse.law(answers) for answers in inputs]
    else:
        raise ParameterError("noise is neither 'unbounded' nor 'truncated'.", parameter="noise")
    return FiniteModel(tuple(rows), inputs, (*range(queries), None), _neighbours(inputs, moved))


def _noise(
    queries: int, largest: int, ratio: Number
) -> tuple[tuple[Law, ...], tuple[Answers, ...]]:
    """The law of each noisy answer, and all tuples of true ones."""
    count, size = read_size(queries, "queries", minimum=2), read_size(largest, "largest")
    if count > 20 or (size + 1) ** (2 * count) > LARGEST_TABLE:
        raise ParameterError(
            f"{count} answers of 0..{size} make a table too large to list.",
            hint="Ask fewer queries, or answers of a smaller range.",
            parameter="queries",
        )
    noise = truncated_geometric(size, ratio=ratio).rows
    return noise, tuple(product(range(size + 1), repeat=count))


def _first_maximum(laws: list[Law]) -> Law:
    """P(answer j is the largest, and none before it is as large)."""
    up_to = [list(accumulate(law)) for law in laws]
    return tuple(
        sum(
            (
                law[v] * prod(_below(c, v) for c in up_to[:j]) * prod(c[v] for c in up_to[j + 1 :])
                for v in range(len(law))
            ),
            Fraction(0),
        )
        for j, law in enumerate(laws)
    )


def _maximum(laws: list[Law]) -> Law:
    """P(the largest answer is v)."""
    columns = zip(*(accumulate(law) for law in laws), strict=True)
    at_most = [prod(column) for column in columns]
    return tuple(high - low for low, high in zip([Fraction(0), *at_most], at_most, strict=False))


def _first_above(laws: list[Law], limits: Law) -> Law:
    """P(answer j is the first at or above the limit), and P(none is), over the law of limits."""
    up_to = [list(accumulate(law)) for law in laws]
    shares = [Fraction(0)] * (len(laws) + 1)
    for limit, share in enumerate(limits):
        left = share
        for j, sums in enumerate(up_to):
            below = _below(sums, limit)
            shares[j] += left * (1 - below)
            left *= below
        shares[-1] += left
    return tuple(shares)


def _below(sums: list[Fraction], value: int) -> Fraction:
    """P(answer < value) from P(answer <= v)."""
    return sums[value - 1] if value else Fraction(0)


def _neighbours(inputs: tuple[Answers, ...], moved: Moved) -> tuple[Pair, ...]:
    if moved not in ("one", "all"):
        raise ParameterError("moved is neither 'one' nor 'all'.", parameter="moved")

    def are_neighbours(changes: Iterable[int]) -> bool:
        sizes = list(changes)
        return max(sizes) == 1 and (moved == "all" or sum(sizes) == 1)

    return tuple(
        (i, j)
        for (i, one), (j, other) in combinations(enumerate(inputs), 2)
        if are_neighbours(abs(a - b) for a, b in zip(one, other, strict=True))
    )
