"""Two mechanisms whose output tables are known: Theorems III.5 and III.6, and the exact answer.

Contract. A table has a row for each series of `length` states, in the order of counting with the
last node fastest, and a column for each output: P(output | series), exact numbers. Everything is
enumerated in rationals, and logarithms are rounded up once at the end; infinite where an output is
possible under one of two values of a node only. That is for short series.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product

from privet.accounting.rules.conditions import failed, need_markov
from privet.chains import ChainBox, MarkovChain
from privet.errors import DataError, ParameterError
from privet.exact import exact_number, log_up, read_count
from privet.exact.number import Number
from privet.privacy import Framework, MarkovFramework

Table = Sequence[Sequence[Number]]
"""(k^length, outputs): P(output | series)."""

Rows = list[list[Fraction]]
Ratio = Fraction | None
"""None where it is infinite."""

Epsilon = Fraction | float
"""A Fraction, or math.inf."""

MOST_NODES = 20
"""The longest series."""

MOST_WORK = 5_000_000
"""Series times pairs of outputs, over all nodes and chains, that may be enumerated."""


@dataclass(frozen=True)
class TablesComposed:
    """What the theorem charges for two tables, and what the two together really cost.

    `bound`: first + second + joint_over_product + product_over_joint (Theorem III.6); `first`,
    `second`: the exact epsilons of the two alone; `joint_over_product`, `product_over_joint`: the
    largest max-divergences between the two outputs given a secret and independent outputs of the
    same laws; `exact`: the epsilon of the two together, never above `bound`.
    """

    bound: Epsilon
    first: Epsilon
    second: Epsilon
    joint_over_product: Epsilon
    product_over_joint: Epsilon
    exact: Epsilon


def from_output_tables(
    framework: Framework, length: int, first: Table, second: Table
) -> TablesComposed:
    """Any two mechanisms on one series ([song-chaudhuri-2017], Theorems III.5 and III.6).

    Conditions: Markov chains with a known law of the first node, and tables whose rows sum to 1.
    The two mechanisms draw independently of each other.
    """
    name = "Theorem III.6"
    chains = need_markov(name, framework)
    one, two = (_read_table(chains, length, table) for table in (first, second))
    size = len(one[0]) * len(two[0])
    _check_work(chains, length, size)
    joint = [[p * q for p in row for q in other] for row, other in zip(one, two, strict=True)]
    ratios: list[list[Ratio]] = [[Fraction(1)] for _ in range(5)]
    for laws in _secrets(name, chains, length, range(length)):
        firsts, seconds, pairs = ([_law(law, table) for law in laws] for table in (one, two, joint))
        products = [[p * q for p in a for q in b] for a, b in zip(firsts, seconds, strict=True)]
        ratios[0].append(_spread(firsts))
        ratios[1].append(_spread(seconds))
        ratios[2] += map(_ratio, pairs, products)
        ratios[3] += map(_ratio, products, pairs)
        ratios[4].append(_spread(pairs))
    largest = [_largest(each) for each in ratios]
    finite = [each for each in largest[:4] if each is not None]
    product_of_all = math.prod(finite, start=Fraction(1))
    bound = _logarithm(product_of_all if len(finite) == 4 else None)
    first_alone, second_alone, over, under, exact = map(_logarithm, largest)
    # Both are rounded up, and what is below the other before rounding stays so.
    return TablesComposed(bound, first_alone, second_alone, over, under, min(exact, bound))


def pufferfish_epsilon(
    framework: Framework, length: int, table: Table, *, nodes: Iterable[int] | None = None
) -> Epsilon:
    """The exact epsilon of one mechanism, from its output table, rounded up; math.inf if none.

    `nodes`: those whose values are secrets; all of them by default.
    """
    name = "The exact epsilon of a table"
    chains = need_markov(name, framework)
    rows = _read_table(chains, length, table)
    _check_work(chains, length, len(rows[0]))
    secret = range(length) if nodes is None else sorted(set(nodes))
    found = [
        _spread([_law(law, rows) for law in laws])
        for laws in _secrets(name, chains, length, secret)
    ]
    return _logarithm(_largest([Fraction(1), *found]))


def _read_table(framework: MarkovFramework, length: int, table: Table) -> Rows:
    size = read_count(length, "length")
    if size > MOST_NODES:
        raise _too_long()
    count = len(framework.alphabet) ** size
    if hasattr(table, "columns"):  # Some data frames give their columns one by one.
        raise DataError(
            f"An output table is a {type(table).__name__}, not a list of rows.",
            hint="Of a data frame give frame.to_numpy().",
        )
    rows = [[exact_number(each, "a probability") for each in row] for row in table]
    if len(rows) != count or len({len(row) for row in rows}) != 1:
        raise DataError(
            f"An output table has a row for each of the {count} series, all of the same width.",
            hint="Rows are in the order of counting, with the last node fastest.",
        )
    for number, row in enumerate(rows):
        if min(row, default=-1) < 0 or sum(row) != 1:
            raise DataError(
                f"Row {number} of an output table is no probability law: its numbers must be "
                "nonnegative and sum to exactly 1.",
                hint="Give exact numbers such as '1/3'.",
                row=number,
            )
    return rows


def _check_work(framework: MarkovFramework, length: int, outputs: int) -> None:
    states = len(framework.alphabet)
    chains = 1 if isinstance(framework.chains, ChainBox) else len(framework.chains)
    if states**length * outputs * length * states * chains > MOST_WORK:
        raise _too_long()


def _too_long() -> ParameterError:
    return ParameterError(
        "The series is too long, or the outputs are too many, to enumerate.",
        hint="Take shorter series; an Accountant has no such limit.",
        parameter="length",
    )


def _secrets(
    name: str, framework: MarkovFramework, length: int, nodes: Iterable[int]
) -> Iterator[list[list[Fraction]]]:
    """For each chain and node, the laws of the series given each value the node may have."""
    if isinstance(framework.chains, ChainBox) or framework.initial == "any":
        raise failed(
            name,
            "the law of the first node is not known, and tables are enumerated for known ones",
            "Use initial='given' or 'stationary'.",
        )
    states = range(len(framework.alphabet))
    words = list(product(states, repeat=length))
    for chain in framework.chains:
        weights = _weights(chain, framework.initial == "stationary", words)
        for node in nodes:
            laws = []
            for value in states:
                kept = [
                    weight if word[node] == value else Fraction(0)
                    for word, weight in zip(words, weights, strict=True)
                ]
                if total := sum(kept, Fraction(0)):
                    laws.append([weight / total for weight in kept])
            yield laws


def _weights(
    chain: MarkovChain, stationary: bool, words: Sequence[tuple[int, ...]]
) -> list[Fraction]:
    start = chain.exact_stationary() if stationary else chain.exact_initial
    steps = chain.exact_transition
    return [
        math.prod((steps[x][y] for x, y in pairwise(word)), start=start[word[0]]) for word in words
    ]


def _law(weights: Sequence[Fraction], table: Rows) -> list[Fraction]:
    """The law of the output for series of these probabilities."""
    live = [(weight, row) for weight, row in zip(weights, table, strict=True) if weight]
    return [
        sum((weight * row[output] for weight, row in live), Fraction(0))
        for output in range(len(table[0]))
    ]


def _spread(laws: Sequence[Sequence[Fraction]]) -> Ratio:
    """The largest ratio of an output's probabilities under any two of the laws."""
    found: list[Ratio] = [Fraction(1)]
    for column in zip(*laws, strict=True):
        low, high = min(column), max(column)
        if high:
            found.append(high / low if low else None)
    return _largest(found)


def _ratio(above: Sequence[Fraction], below: Sequence[Fraction]) -> Ratio:
    """The largest above / below; 0/0 is skipped."""
    return _largest([p / q if q else None for p, q in zip(above, below, strict=True) if p or q])


def _largest(ratios: Sequence[Ratio]) -> Ratio:
    largest = Fraction(0)
    for ratio in ratios:
        if ratio is None:
            return None
        largest = max(largest, ratio)
    return largest


def _logarithm(ratio: Ratio) -> Epsilon:
    if ratio is None:
        return math.inf
    return log_up(ratio) if ratio != 1 else Fraction(0)
