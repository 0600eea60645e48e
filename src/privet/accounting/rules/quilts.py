"""Several runs of the Markov Quilt Mechanism on the same series: Theorems II.6 and III.7.

Contract. Both are about the mechanism whose noise is found from Markov quilts, never about
Pufferfish private mechanisms in general: those can be safe alone and give everything away
together. A run is known here by its epsilon, which with the length of the series decides the quilt
it uses for each node, its active quilt.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Literal

import numpy as np

from privet.accounting.rules.conditions import failed, need_markov, read_epsilons
from privet.chains import ChainBox
from privet.chains.approximate import approximate_sides
from privet.chains.box import box_sides
from privet.chains.quilt.loads import Loads
from privet.chains.quilt.objectives import ScaleObjective
from privet.chains.quilt.search import Search
from privet.chains.sides import ChainSides, Sides
from privet.exact import read_count, read_epsilon
from privet.exact.number import Number
from privet.privacy import Framework, MarkovFramework

Method = Literal["exact", "approximate"]

Quilt = tuple[int | None, int | None]
"""Distances of the left and the right node of a quilt, None for a part it does not have."""

MOST_NODES = 512
"""How long a series may be for the active quilts of all its nodes to be compared."""


def same_active_quilts(
    framework: Framework, length: int, epsilons: Sequence[Number], method: Method = "exact"
) -> Fraction:
    """K times the largest of K epsilons ([song-chaudhuri-2017], Theorem II.6).

    Conditions: a Markov chain, and for each of its nodes the same active quilt in all runs, which
    is checked for each chain of a family (runs of the same epsilon use the same ones).
    Errors: ParameterError naming the condition that fails.
    """
    name = "Theorem II.6"
    chains, size = need_markov(name, framework), read_count(length, "length")
    numbers = read_epsilons(epsilons)
    if len(set(numbers)) > 1:
        if size > MOST_NODES:
            raise failed(
                name,
                f"active quilts are compared for series of up to {MOST_NODES} nodes only",
                "Theorem III.7 (sum_of_quilt_mechanisms) needs no comparison and charges less.",
            )
        for sides in _models(chains, size, method):
            _check_same(name, sides, size, sorted(set(numbers)))
    return len(numbers) * max(numbers)


def _check_same(name: str, sides: Sides, size: int, epsilons: Sequence[Fraction]) -> None:
    first, *others = (list(active_quilts(sides, range(size), each)) for each in epsilons)
    for quilts in others:
        for node, (one, another) in enumerate(zip(first, quilts, strict=True)):
            if one != another:
                raise failed(
                    name,
                    f"the active quilt of node {node} is not the same in all runs",
                    "Theorem III.7 (sum_of_quilt_mechanisms) holds for any quilts.",
                )


def sum_of_quilt_mechanisms(framework: Framework, epsilons: Sequence[Number]) -> Fraction:
    """The sum of the epsilons ([song-chaudhuri-2017], Theorem III.7).

    Condition: a Markov chain; each run has a query and quilts of its own, exact or approximate.
    """
    need_markov("Theorem III.7", framework)
    return sum(read_epsilons(epsilons), Fraction(0))


def active_quilts(sides: Sides, nodes: Sequence[int], epsilon: Number) -> Iterator[Quilt]:
    """For each node the quilt that needs the least noise: the least card(nearby) / (epsilon - e).

    `sides`: bounds of the max-influence, for the whole series.
    """
    loads, limit = Loads.constant(sides.length), read_epsilon(epsilon)
    objective = ScaleObjective(limit, loads.unit)
    # What overflows is infinite, and an infinite influence is one that is not used.
    with np.errstate(over="ignore"):
        for node in nodes:
            choice = Search(sides, loads, objective, range(node, node + 1)).best((), -1.0)
            yield choice.left, choice.right


def _models(framework: MarkovFramework, length: int, method: Method) -> Iterator[Sides]:
    if isinstance(framework.chains, ChainBox):
        yield box_sides(framework.chains, length)
    elif method == "approximate":
        yield approximate_sides(framework.chains, length)
    else:
        for chain in framework.chains:
            yield ChainSides(chain, framework.initial, length, np.longdouble)
