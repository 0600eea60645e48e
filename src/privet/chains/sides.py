"""Upper bounds of the max-influence of quilts, for the search: one class a kind of model.

Contract. A range's `influence(a, b)` is at or above the max-influence on every node i of the range
of its quilt with left part i - a and right part i + b, None for a part that is left out. Nodes
whose left part would lie before `base`, or whose right part after the end, are covered too: with
fewer parts the influence is smaller. It does not rise with a or b, up to rounding.

With U(x, y) = P^t(x, y), the exact value for a Markov chain is the largest over pairs x != y of
states live at i of log [ max_z U(x, z) / U(y, z) ] + log [ max_u U(u, x) / U(u, y) ] +
log [ P(X_i = y) / P(X_i = x) ], with t the distance of each side, u over the states live at i - a.
All of it is done on ratios, and one logarithm is taken at the end.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np

from privet.chains.enclosed import (
    BoolArray,
    Powers,
    Reals,
    RealType,
    enclose,
    largest_ratios,
    unit_roundoff,
)
from privet.chains.marginals import Initial, marginals
from privet.chains.markov import MarkovChain

_MOST_ENTRIES = 1 << 24
"""What a cache of (k, k) matrices may hold, in entries, before it is emptied."""


class View(Protocol):
    """A range of nodes, seen by the search for quilts."""

    base: int
    """The first node whose value is uncertain to those on the left that the nodes may reach."""

    def influence(self, a: int | None, b: int | None) -> float:
        """At or above the max-influence of the quilt at these distances on each of the nodes."""


class Sides(Protocol):
    """A model of how nodes depend on each other."""

    length: int

    def at(self, nodes: range) -> View:
        """The nodes of a range together."""

    def ranges(self) -> Iterator[range]:
        """Ranges of nodes to look at together; they cover all nodes."""

    def slack(self, nodes: range, a: int | None, b: int | None) -> float:
        """How far `influence` may lie above the bound that exact arithmetic would give."""


class ScalarSides:
    """Each side's influence depends on its distance alone, whatever the node and the states."""

    base = 0

    def __init__(
        self, length: int, left: Callable[[int], float], right: Callable[[int], float]
    ) -> None:
        self.length = length
        self._left, self._right = cache(left), cache(right)

    def at(self, nodes: range) -> "ScalarSides":  # noqa: ARG002  # all nodes are alike
        """The same for all nodes."""
        return self

    def influence(self, a: int | None, b: int | None) -> float:
        """The sum of the two sides, rounded up."""
        if a is None or b is None:
            return self._left(a) if a is not None else self._right(b) if b is not None else 0.0
        return math.nextafter(self._left(a) + self._right(b), math.inf)

    def ranges(self) -> Iterator[range]:
        """All nodes at once."""
        yield range(self.length)

    def slack(self, nodes: range, a: int | None, b: int | None) -> float:  # noqa: ARG002  # alike
        """A last digit or two, which does not count."""
        return 0.0


class ChainSides:
    """One Markov chain, exactly up to rounding."""

    def __init__(self, chain: MarkovChain, initial: Initial, length: int, kind: RealType) -> None:
        self.length = length
        self._kind = kind
        self._powers = Powers(enclose(chain._steps, kind))
        self.marginals = marginals(chain, initial, self._powers, kind, length)
        self.supports = self.marginals.supports
        self._rights: dict[int, Right] = {}
        self._lefts: dict[tuple[int, int], Reals] = {}
        self._ratios: dict[object, Reals] = {}
        self._weighed: dict[object, Weighed] = {}
        # In each of the three factors a product and a rounded inverse, then products of them.
        self._outward = kind(1) + kind(24 * unit_roundoff(kind))
        self._vast = np.finfo(kind).max / 2

    def at(self, nodes: range) -> "ChainView":
        """The nodes of a range together."""
        return ChainView(self, nodes)

    def ranges(self) -> Iterator[range]:
        """As the start says."""
        return self.marginals.ranges(self.length)

    def slack(self, nodes: range, a: int | None, b: int | None) -> float:
        """Twice the relative errors of the powers and the marginals."""
        error = 24 * unit_roundoff(self._kind)
        for distance in (a, b):
            if distance is not None:
                error += 2 * self._powers(distance).relative
        return error if a is None else error + self.marginals.error(nodes)

    def weighed(self, nodes: range, a: int | None, context: Any) -> "Weighed":
        """What the left part and the node itself say about pairs of states, remembered."""
        if context not in self._weighed:
            _make_room(self._weighed, self.supports.size)
            self._weighed[context] = Weighed(self._weigh(nodes, a, context), {})
        return self._weighed[context]

    def _weigh(self, nodes: range, a: int | None, context: Any) -> Reals | None:
        pairs = self.supports.pairs(nodes)
        if a is None:
            return pairs.astype(self._kind)
        left = self._left(a, context[2])
        if np.isinf(left[pairs]).any():
            return None
        key = context[3]
        if key not in self._ratios:
            _make_room(self._ratios, self.supports.size)
            self._ratios[key] = self.marginals.ratios(nodes)
        ratios = self._ratios[key]
        if np.isinf(ratios[pairs]).any():
            return None
        # Outside the pairs anything may stand. The ratios are not too small for their product.
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            weights = np.where(pairs, left * ratios, self._kind(0))
        return None if np.isinf(weights).any() else weights

    def right(self, distance: int) -> "Right":
        """What the right part at that distance says about pairs of states."""
        if distance not in self._rights:
            power = self._powers(distance)
            lower = power.lower().T
            ratios = largest_ratios(power.upper().T, lower, lower == 0)
            endless = np.isinf(ratios)
            _make_room(self._rights, self.supports.size)
            self._rights[distance] = (
                Right(np.where(endless, 0, ratios), endless)
                if endless.any()
                else Right(ratios, None)
            )
        return self._rights[distance]

    def _left(self, distance: int, states: int) -> Reals:
        key = distance, states
        if key not in self._lefts:
            power, live = self._powers(distance), self.supports.array(states)
            lower = power.lower()[live]
            _make_room(self._lefts, self.supports.size)
            self._lefts[key] = largest_ratios(power.upper()[live], lower, lower == 0)
        return self._lefts[key]

    def logarithm(self, ratio: np.floating[Any]) -> float:
        """log of the ratio, or 0 below 1, rounded up: an influence is never negative."""
        if not ratio < self._vast:
            return math.inf
        outward = ratio * self._outward
        # The logarithm of numpy is good to a few last digits, and so is the step to doubles.
        return float(np.log(outward)) * (1 + 2.0**-49) if outward > 1 else 0.0


class Right(NamedTuple):
    """(k, k) ratios for pairs of states, 0 where they are infinite: at `endless`, if anywhere."""

    ratios: Reals
    endless: BoolArray | None


class Weighed(NamedTuple):
    """A left part and the nodes themselves.

    `weights`: (k, k), for pairs of live states the ratios of the left part and of the marginal, 1
    without a left part, 0 for other pairs; None if one is infinite. `found`: influences by the
    distance of the right part.
    """

    weights: Reals | None
    found: dict[int | None, float]


class ChainView:
    """A range of nodes of one Markov chain."""

    def __init__(self, sides: ChainSides, nodes: range) -> None:
        self._sides, self._nodes = sides, nodes
        self.base = sides.supports.known_before(nodes.start)
        self._pattern = sides.supports.pattern(nodes)
        self._key = sides.marginals.key(nodes)
        self._weighed: dict[int | None, Weighed] = {}

    def influence(self, a: int | None, b: int | None) -> float:
        """As the protocol says."""
        if a is not None and self._nodes[-1] - a < self.base:
            a = None
        if a is None and b is None:
            return 0.0
        weighed = self._at_left(a)
        value = weighed.found.get(b)
        if value is None:
            value = weighed.found[b] = self._compute(weighed.weights, b)
        return value

    def _at_left(self, a: int | None) -> Weighed:
        weighed = self._weighed.get(a)
        if weighed is None:
            weighed = self._weighed[a] = self._sides.weighed(self._nodes, a, self._context(a))
        return weighed

    def _context(self, a: int | None) -> object:
        """All that matters about the nodes and the left part."""
        if a is None:
            return self._pattern
        nodes, reached = self._nodes, self._nodes[-1] - a
        steps = (reached - max(self.base, nodes.start - a)) // nodes.step
        at_left = range(reached - steps * nodes.step, reached + 1, nodes.step)
        return self._pattern, a, self._sides.supports.union(at_left), self._key

    def _compute(self, weights: Reals | None, b: int | None) -> float:
        if weights is None:
            return math.inf
        if b is None:
            return self._sides.logarithm(weights.max())
        right = self._sides.right(b)
        if right.endless is not None and (right.endless & (weights > 0)).any():
            return math.inf
        return self._sides.logarithm((right.ratios * weights).max())


class WorstSides:
    """The largest influence over several models, as the published mechanism has it."""

    def __init__(self, models: Sequence[Sides]) -> None:
        self._models = models
        self.length = models[0].length

    def at(self, nodes: range) -> "WorstView":
        """The nodes of a range together."""
        return WorstView([model.at(nodes) for model in self._models])

    def ranges(self) -> Iterator[range]:
        """Between the cuts of all the models."""
        cuts = {0, self.length}
        for model in self._models:
            for nodes in model.ranges():
                cuts.update((nodes.start, min(nodes[-1] + nodes.step, self.length)))
        edges = sorted(cuts)
        for start, stop in reversed([*pairwise(edges)]):
            yield range(start, stop)

    def slack(self, nodes: range, a: int | None, b: int | None) -> float:
        """The largest over the models."""
        return max(model.slack(nodes, a, b) for model in self._models)


class WorstView:
    """A range of nodes in several models."""

    def __init__(self, views: Sequence[View]) -> None:
        self._views = views
        # A node counts as certain only if it is so in every model.
        self.base = min(view.base for view in views)

    def influence(self, a: int | None, b: int | None) -> float:
        """The largest over the models."""
        return max(view.influence(a, b) for view in self._views)


def _make_room(known: dict[Any, Any], size: int) -> None:
    if len(known) * size**2 >= _MOST_ENTRIES:
        known.clear()
