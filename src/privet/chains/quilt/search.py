"""A quilt for a range of nodes, the best one for a single node, by branch and bound.

Contract. The answer's value is at or above the value of the best quilt of EVERY node of the range;
for a single node it is the smallest of its quilts' values within 2^-36. With distances a and b,
a = A means no left part and b = B no right part, A and B being just out of reach of all the nodes;
a range uses the largest load and the largest influence over its nodes. Influence falls and load
grows with both distances, so a box of distances has no quilt better than the load of its near
corner with the influence of its far one [song-wang-chaudhuri-2017].
"""

import heapq
import math
from collections.abc import Iterable
from dataclasses import dataclass

from privet.chains.quilt.loads import Loads
from privet.chains.quilt.objectives import Objective
from privet.chains.sides import Sides

CLOSE = 1 - 2.0**-36
"""Values nearer to each other than this are not told apart."""

Distances = tuple[int, int]

Box = tuple[int, int, int, int]
"""The nearest and the farthest left distance, then the same on the right."""


@dataclass(frozen=True)
class Choice:
    """A quilt for all nodes of a range: distances (None: no such part), influence and load.

    `node`: the first of the nodes that has the load; `value`: the estimate.
    """

    nodes: range
    left: int | None
    right: int | None
    influence: float
    load: int
    node: int
    value: float


class Search:
    """The quilts of one range of nodes."""

    def __init__(self, sides: Sides, loads: Loads, objective: Objective, nodes: range) -> None:
        self._view, self._loads, self._objective = sides.at(nodes), loads, objective
        self._nodes = nodes
        self._base = self._view.base
        self._most = nodes[-1] - self._base + 1, loads.length - nodes.start
        self._best = self._choice(self._most)

    def best(self, hints: Iterable[Distances], enough: float) -> Choice:
        """A good quilt, for a single node the best; or the first whose value is at most `enough`.

        What is found for a range of nodes is compared with the best quilt of one of them, so time
        spent on the best for all of them would be lost.
        """
        for a, b in hints:
            if self._best.value > enough:
                self._try((min(a, self._most[0]), min(b, self._most[1])))
        if self._best.value > enough:
            self._walk_diagonal(enough)
        if self._best.value > enough and len(self._nodes) == 1:
            self._branch(enough)
        return self._best

    def _influence(self, at: Distances) -> float:
        a, b = at
        return self._view.influence(
            a if a < self._most[0] else None, b if b < self._most[1] else None
        )

    def _load(self, at: Distances) -> tuple[int, int]:
        return self._loads.largest(self._nodes, self._base, *at)

    def _choice(self, at: Distances) -> Choice:
        influence, (load, node) = self._influence(at), self._load(at)
        left, right = (d if d < most else None for d, most in zip(at, self._most, strict=True))
        value = self._objective.estimate(influence, load)
        return Choice(self._nodes, left, right, influence, load, node, value)

    def _try(self, at: Distances) -> None:
        choice = self._choice(at)
        if choice.value < self._best.value:
            self._best = choice

    def _floor(self, near: Distances, influence: float = 0.0) -> float:
        """No quilt at these distances or farther has a smaller value."""
        return self._objective.estimate(influence, self._load(near)[0])

    def _walk_diagonal(self, enough: float) -> None:
        """A good quilt to start with: equal distances, doubled while that can help, then refined.

        Along the diagonal the value mostly falls and then grows; where it does not, only time is
        lost.
        """
        distance = low = 1
        while distance <= max(self._most) and self._best.value > enough:
            at = min(distance, self._most[0]), min(distance, self._most[1])
            if self._floor(at) >= self._best.value:
                break
            self._try(at)
            low, distance = distance, distance * 2
        high, low = distance, max(1, low // 2)
        while high - low > 2 and self._best.value > enough:
            third = (high - low) // 3
            near, far = low + third, high - third
            values = []
            for distance in (near, far):
                at = min(distance, self._most[0]), min(distance, self._most[1])
                self._try(at)
                values.append(self._objective.estimate(self._influence(at), self._load(at)[0]))
            if values[0] <= values[1] < math.inf:
                high = far
            else:
                low = near

    def _reach(self, axis: int) -> int:
        """The largest distance on one side that can still belong to a better quilt."""
        low, high = 1, self._most[axis]
        while low < high:
            middle = (low + high + 1) // 2
            if self._floor((middle, 1) if axis == 0 else (1, middle)) < self._best.value * CLOSE:
                low = middle
            else:
                high = middle - 1
        return low

    def _branch(self, enough: float) -> None:
        boxes = [(0.0, self._without_idle((1, self._reach(0), 1, self._reach(1))))]
        while boxes and self._best.value > enough:
            floor, (a, far_a, b, far_b) = heapq.heappop(boxes)
            if floor >= self._best.value * CLOSE:
                return
            self._try((a, b))
            if far_a - a >= far_b - b:
                middle = (a + far_a) // 2
                halves = [(a, middle, b, far_b), (middle + 1, far_a, b, far_b)]
            else:
                middle = (b + far_b) // 2
                halves = [(a, far_a, b, middle), (a, far_a, middle + 1, far_b)]
            for half in halves if (a, b) != (far_a, far_b) else []:
                box = self._without_idle(half)
                floor = self._floor((box[0], box[2]), self._influence((box[1], box[3])))
                if floor < self._best.value * CLOSE:
                    heapq.heappush(boxes, (floor, box))

    def _without_idle(self, box: Box) -> Box:
        """The box without the quilts that are no better than one farther out with the same load.

        The load of one node's window is a sum over its two sides. If all of a box's span on one
        side adds nothing to it, only the farthest distance on that side is of use.
        """
        a, far_a, b, far_b = box
        near = self._load((a, b))[0]
        if self._load((far_a, b))[0] == near:
            a = far_a
        if self._load((a, far_b))[0] == near:
            b = far_b
        return a, far_a, b, far_b
