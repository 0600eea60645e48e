"""Optimal transport plans with gains, one for every pair of rows, found all at once.

Contract. For rows a, b >= 0 and gains C(t, t') (1 for t = t') the programme is: the largest
(a.g)/(b.g) over g > 0 with g(t) <= C(t, t') g(t'). `Forests` holds, for each of n pairs (a, b), a
feasible g and a forest of arcs t -> t' on which the constraint is tight, and improves them by the
simplex method, all pairs in lockstep. Nothing here is trusted: whatever the forests are, the plan
read off them is nonnegative, and `privet.chains.propagation.programme` computes from it a bound
that holds for any nonnegative plan.

With weights g the flow on a forest is conserved: the arc above a node carries the sum of
(a - phi b) g over the nodes below it. A forest is optimal if every arc carries a flow in its own
direction and every tree as a whole is balanced.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.chains.stochastic import FloatArray

IntArray = npt.NDArray[np.intp]
BoolArray = npt.NDArray[np.bool_]

_CHUNK = 1 << 20
"""Numbers in one temporary array of pairs x states x states."""

_BEND = 2.0**-41
"""Gains are bent upward by this much, differently for each, so that no two ways cost the same."""

_TOLERANCE = 2.0**-45
"""Flows below this share of the total against the direction of an arc are left as they are."""

_LARGEST_GAIN = 1e140
"""Gains beyond this are cut while forests are sought: products of two stay finite."""


_HOPELESS = 1e40

_WILD = 1e200
"""Potentials beyond this come from a forest for other gains: it is planted anew."""


@dataclass(frozen=True)
class Plans:
    """Flows on arcs, (n, k) each: entry (p, v) is the arc between v and its parent in forest p.

    `source`, `target`: its ends; `amount` >= 0: what leaves the source; `share` >= 0: the flow
    in units of a.g, which is d log phi / d log C(source, target); `value`: (n,) a.g / b.g.
    """

    source: IntArray
    target: IntArray
    amount: FloatArray
    share: FloatArray
    value: FloatArray


class Forests:
    """A forest for each pair of rows of `first` and `second`, (n, k) float64, not both 0.

    Gains are (k, k), or (g, k, k) of which the first serve the first n / g pairs, and so on.
    """

    def __init__(self, first: FloatArray, second: FloatArray, groups: int = 1) -> None:
        self._group: IntArray = np.arange(len(first)) // (len(first) // groups)
        self._parent: IntArray = np.tile(np.arange(first.shape[1]), (len(first), 1))
        self._rises = np.zeros(first.shape, bool)
        self._potential = np.ones(first.shape)
        self._solved = False
        self.set_rows(first, second)

    def copies(self, count: int) -> "Forests":
        """As many times these forests, each for gains of its own."""
        many = Forests(np.tile(self.first, (count, 1)), np.tile(self.second, (count, 1)), count)
        many._parent = np.tile(self._parent, (count, 1))
        many._rises = np.tile(self._rises, (count, 1))
        many._potential = np.tile(self._potential, (count, 1))
        many._solved = self._solved
        many._reorder(np.arange(len(many.first)))
        return many

    def set_rows(self, first: FloatArray, second: FloatArray) -> None:
        """Other rows for the same pairs; arcs at states that no longer occur are dropped."""
        self.first, self.second = first, second
        self._active: BoolArray = (first > 0) | (second > 0)
        lost = ~(self._active & _pick(self._active, self._parent))
        self._parent = np.where(lost, np.arange(first.shape[1]), self._parent)
        self._reorder(np.arange(len(first)))

    def plans(self, gains: FloatArray) -> Plans:
        """The plans of the forests as they stand, for these gains; flows backward are cut to 0."""
        pairs = np.arange(len(self.first))
        with np.errstate(all="ignore"):
            self._climb(pairs, np.minimum(gains, _LARGEST_GAIN))
            flow, total, value = self._flows(pairs)
            source, target = self._ends(pairs)
            flow = np.fmax(np.where(self._rises, flow, -flow), 0.0)
            flow[source == target] = 0.0
            amount = flow / _pick(self._potential, source)
            share = flow / total[:, None]
        # A forest that has overflowed has no flows worth having.
        lost = ~(np.isfinite(amount) & np.isfinite(share)).all(axis=1)
        amount[lost], share[lost], value[lost] = 0.0, 0.0, np.inf
        return Plans(source, target, amount, share, value)

    def improve(self, gains: FloatArray) -> None:
        """Pivots until every forest is optimal for `gains`, or patience ends."""
        size = gains.shape[-1]
        bent = np.minimum(gains, _LARGEST_GAIN) * (1 + _BEND * (1 + _scatter(size)))
        bent[..., np.arange(size), np.arange(size)] = 1.0
        with np.errstate(all="ignore"):
            for pairs in _chunks(np.arange(len(self.first)), size):
                if not self._solved:
                    self._plant(pairs, bent)
                else:
                    self._climb(pairs, bent)
                    self._mend(pairs, bent)
                self._optimise(pairs, bent)
        self._solved = True

    def _optimise(self, pairs: IntArray, gains: FloatArray) -> None:
        # Beyond some gains flows need more digits than doubles have, and pivots run in circles.
        patience = 20 + 10 * gains.shape[-1] if gains.max() < _HOPELESS else 8
        for _ in range(patience):
            node, flow, wrong = self._worst(pairs)
            keep = wrong > _TOLERANCE
            if not keep.any():
                return
            pairs, node, flow = pairs[keep], node[keep], flow[keep]
            self._pivot(pairs, node, flow > 0, gains)

    def _ends(self, pairs: IntArray) -> tuple[IntArray, IntArray]:
        parent, rises = self._parent[pairs], self._rises[pairs]
        own = np.arange(parent.shape[1])
        return np.where(rises, own, parent), np.where(rises, parent, own)

    def _reorder(self, pairs: IntArray) -> None:
        """Nodes from the roots down, for the passes up and down the forests."""
        parent = self._parent[pairs]
        depth = (parent != np.arange(parent.shape[1])).astype(np.intp)
        above = parent
        while (further := _pick(depth, above)).any():
            depth, above = depth + further, _pick(above, above)
        if len(pairs) == len(self.first):
            self._order: IntArray = np.argsort(depth, axis=1, kind="stable")
        else:
            self._order[pairs] = np.argsort(depth, axis=1, kind="stable")

    def _walk(self, pairs: IntArray) -> tuple[IntArray, IntArray]:
        """(k, m) flat positions of the nodes from the roots down, and of their parents."""
        order, size = self._order[pairs], self._order.shape[1]
        above = _pick(self._parent[pairs], order)
        base = (np.arange(len(pairs)) * size)[:, None]
        return (base + order).T.copy(), (base + above).T.copy()

    def _gain(
        self, pairs: IntArray, gains: FloatArray, source: IntArray, target: IntArray
    ) -> FloatArray:
        """(m, k): the gains of the arcs."""
        return gains_of(gains, self._group[pairs], source, target)

    def _gains(self, pairs: IntArray, gains: FloatArray) -> FloatArray:
        """(m, k, k) or (1, k, k): the gains of the pairs."""
        return gains[None] if gains.ndim == 2 else gains[self._group[pairs]]

    def _climb(self, pairs: IntArray, gains: FloatArray) -> None:
        """Potentials from the roots down, so that every arc is tight for these gains."""
        source, target = self._ends(pairs)
        step = self._gain(pairs, gains, source, target)
        step = np.where(self._rises[pairs], step, 1 / step).ravel()
        potential = self._potential[pairs].ravel()
        for node, parent in zip(*self._walk(pairs), strict=True):
            potential[node] = potential[parent] * step[node]
        self._potential[pairs] = potential.reshape(source.shape)

    def _flows(self, pairs: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(m, k): what the nodes below and at v have over, in weights g; a.g and phi, (m,)."""
        potential = self._potential[pairs]
        first, second = self.first[pairs] * potential, self.second[pairs] * potential
        total = first.sum(axis=1)
        rate = total / second.sum(axis=1)
        flow = (first - rate[:, None] * second).ravel()
        for node, parent in zip(*(part[::-1] for part in self._walk(pairs)), strict=True):
            flow[parent] += np.where(node == parent, 0.0, flow[node])
        return flow.reshape(first.shape), total, rate

    def _worst(self, pairs: IntArray) -> tuple[IntArray, FloatArray, FloatArray]:
        """(m,) each: the node to move next, the flow at it, and its share of the total."""
        flow, total, _ = self._flows(pairs)
        root = self._parent[pairs] == np.arange(flow.shape[1])
        wrong = np.where(root, abs(flow), np.where(self._rises[pairs], -flow, flow))
        node = wrong.argmax(axis=1)
        row = np.arange(len(pairs))
        return node, flow[row, node], wrong[row, node] / total

    def _pivot(self, pairs: IntArray, node: IntArray, up: BoolArray, gains: FloatArray) -> None:
        """Moves the tree below `node` up or down against the rest until an arc becomes tight."""
        inside = self._below(pairs, node)
        potential, active = self._potential[pairs], self._active[pairs]
        high = inside == up[:, None]
        inverse = np.where(high & active, 1 / potential, np.inf)
        ratio = np.where(high | ~active, np.inf, potential)[:, None, :] * self._gains(pairs, gains)
        ratio *= inverse[:, :, None]
        flat = ratio.reshape(len(pairs), -1)
        arc = flat.argmin(axis=1)
        factor = flat[np.arange(len(pairs)), arc]
        # Everything may lie on one side only if rounding made a whole forest look unbalanced.
        good = np.isfinite(factor)
        factor = np.where(good, np.where(up, factor, 1 / factor), 1.0)
        self._potential[pairs] = np.where(inside, potential * factor[:, None], potential)
        source, target = np.divmod(arc, gains.shape[-1])
        moved, other = np.where(up, source, target), np.where(up, target, source)
        self._hang(pairs[good], node[good], moved[good], other[good], up[good])
        self._reorder(pairs[good])

    def _below(self, pairs: IntArray, node: IntArray) -> BoolArray:
        """(m, k): the nodes of the subtree at `node`."""
        order, size = self._order[pairs], self._order.shape[1]
        inside = np.zeros(order.shape, bool)
        row = np.arange(len(pairs))
        inside[row, node] = True
        flat, below = inside.ravel(), (row * size + node)
        for each, parent in zip(*self._walk(pairs), strict=True):
            flat[each] = flat[parent] | (each == below)
        return inside

    def _hang(
        self, pairs: IntArray, top: IntArray, moved: IntArray, other: IntArray, up: BoolArray
    ) -> None:
        """The subtree at `top` is hung by its node `moved` below `other`."""
        while len(pairs):
            parent, rises = self._parent[pairs, moved], self._rises[pairs, moved]
            self._parent[pairs, moved], self._rises[pairs, moved] = other, up
            left = moved != top
            pairs, top = pairs[left], top[left]
            other, moved, up = moved[left], parent[left], ~rises[left]

    def _plant(self, pairs: IntArray, gains: FloatArray) -> None:
        """Starts from the best star: all states tight above one, or all tight below one."""
        if gains.ndim > 2:
            for group in np.unique(self._group[pairs]):
                self._plant(pairs[self._group[pairs] == group], gains[group])
            return
        rays = np.concatenate([gains.T, 1 / gains])  # row j: g(t) = C(t, j); g(t) = 1 / C(j, t)
        over, under = self.first[pairs] @ rays.T, self.second[pairs] @ rays.T
        # A centre that occurs in neither row would carry flows it has no use for.
        allowed = np.concatenate([self._active[pairs]] * 2, axis=1)
        best = np.where(allowed, over / under, -np.inf).argmax(axis=1)
        size = len(gains)
        centre, own = (best % size)[:, None], np.arange(size)
        self._potential[pairs] = rays[best]
        self._parent[pairs] = np.where(self._active[pairs], centre, own)
        self._rises[pairs] = (best < size)[:, None]
        self._reorder(pairs)

    def _mend(self, pairs: IntArray, gains: FloatArray) -> None:
        """Makes potentials feasible again; arcs that are no longer tight are cut."""
        old = self._potential[pairs]
        wild = ~((old > 1 / _WILD) & (old < _WILD)).all(axis=1)
        if wild.any():
            self._plant(pairs[wild], gains)
            pairs = pairs[~wild]
            old = self._potential[pairs]
        reach = np.where(self._active[pairs], old, np.inf)
        new = np.minimum((self._gains(pairs, gains) * reach[:, None, :]).min(axis=2), old)
        broken = (new < old * (1 - _TOLERANCE)).any(axis=1)
        pairs, new = pairs[broken], new[broken]
        if not len(pairs):
            return
        self._potential[pairs] = new
        source, target = self._ends(pairs)
        slack = _pick(new, target) * self._gain(pairs, gains, source, target)
        loose = slack > _pick(new, source) * (1 + _TOLERANCE)
        self._parent[pairs] = np.where(loose, np.arange(loose.shape[1]), self._parent[pairs])
        self._reorder(pairs)


def gains_of(gains: FloatArray, group: IntArray, source: IntArray, target: IntArray) -> FloatArray:
    """(m, k): gains of arcs, of (k, k) gains or of those of each pair's group."""
    place = source * gains.shape[-1] + target
    if gains.ndim > 2:
        place = place + (group * gains.shape[-1] ** 2)[:, None]
    return np.asarray(gains.ravel()[place])


def _pick(table: npt.NDArray[Any], columns: IntArray) -> npt.NDArray[Any]:
    """(m, k): entry (p, j) is table[p, columns[p, j]]."""
    base = np.arange(0, table.size, table.shape[1])[:, None]
    return np.asarray(table.ravel()[base + columns])


def _scatter(size: int) -> FloatArray:
    """(k, k) fixed numbers in [0, 1) without visible order."""
    index = np.arange(1, size * size + 1).reshape(size, size)
    return np.asarray(index * 0.6180339887498949 + index * index * 0.7320508075688772) % 1.0


def _chunks(pairs: IntArray, size: int) -> list[IntArray]:
    step = max(1, _CHUNK // (size * size))
    return [pairs[start : start + step] for start in range(0, len(pairs), step)]
