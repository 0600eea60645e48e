"""The worst node of a series: every node's best quilt, without a search for every node.

Contract. The value found is at or above the best quilt's value of EVERY node, and within 2^-35 of
the largest of them. Ranges of nodes are bounded by one quilt for all their nodes, the range with
the largest bound is looked at first, compared with the exact value of one of its nodes, and halved
where the two differ.
"""

import heapq
import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import count

from privet.chains.quilt.loads import Loads
from privet.chains.quilt.objectives import Objective
from privet.chains.quilt.search import CLOSE, Choice, Distances, Search
from privet.chains.sides import Sides

_HINTS = 6
"""How many of the latest quilts are tried on a range before a search of its own."""


@dataclass(frozen=True)
class Worst:
    """`value`: exact bound for all nodes; `choice`: the worst node's quilt."""

    value: Fraction
    choice: Choice


def worst_node(sides: Sides, loads: Loads, objective: Objective, only: int | None = None) -> Worst:
    """The largest over nodes of the smallest over quilts; or that of the node `only`."""
    ranges = sides.ranges() if only is None else [range(only, only + 1)]
    return _WorstSearch(sides, loads, objective).run(ranges)


class _WorstSearch:
    def __init__(self, sides: Sides, loads: Loads, objective: Objective) -> None:
        self._sides, self._loads, self._objective = sides, loads, objective
        self._hints: list[Distances] = []
        self._attained: Choice | None = None

    def run(self, ranges: Iterable[range]) -> Worst:
        order = count()
        # (minus the bound, order of arrival, nodes, the quilt of the bound, whether it is their
        # own or that of a larger range); the bound of nodes not yet looked at is infinite.
        queue: list[tuple[float, int, range, Choice | None, bool]] = [
            (-math.inf, next(order), nodes, None, False) for nodes in ranges
        ]
        while queue and not -queue[0][0] * CLOSE <= self._floor:
            _, _, nodes, choice, is_own = heapq.heappop(queue)
            if choice is None or not is_own:
                choice = self._search(nodes)
                if len(nodes) == 1:
                    self._reach(choice)
                heapq.heappush(queue, (-choice.value, next(order), nodes, choice, True))
                continue
            self._reach(self._search(range(choice.node, choice.node + 1)))
            choice = self._search(nodes)
            if choice.value * CLOSE <= self._floor:
                heapq.heappush(queue, (-choice.value, next(order), nodes, choice, True))
                continue
            for half in _halves(nodes):
                heapq.heappush(queue, (-choice.value, next(order), half, choice, False))
        return self._answer([choice for _, _, _, choice, _ in queue if choice is not None])

    @property
    def _floor(self) -> float:
        """The value of a node whose quilts were all looked at; below every value at first."""
        return self._attained.value if self._attained else -1.0

    def _search(self, nodes: range) -> Choice:
        search = Search(self._sides, self._loads, self._objective, nodes)
        choice = search.best(self._hints, self._floor)
        everything = self._loads.length + 1
        distances = choice.left or everything, choice.right or everything
        if distances in self._hints:
            self._hints.remove(distances)
        self._hints = [distances, *self._hints[: _HINTS - 1]]
        return choice

    def _reach(self, choice: Choice) -> None:
        if self._attained is None or choice.value > self._attained.value:
            self._attained = choice

    def _answer(self, bounds: list[Choice]) -> Worst:
        attained = self._attained
        assert attained is not None
        value = self._objective.exact(attained.influence, attained.load)
        for choice in bounds:
            # An estimate is above the exact value by a few last digits: ties are settled.
            if choice.value >= attained.value * (1 - 2.0**-45):
                value = max(value, self._objective.exact(choice.influence, choice.load))
        return Worst(value, attained)


def _halves(nodes: range) -> list[range]:
    middle = len(nodes) // 2
    return [nodes[:middle], nodes[middle:]]
