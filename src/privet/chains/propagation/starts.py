"""The left side: what the nodes before a node can tell, for the three ways a chain may start.

Contract. `left_side(region, initial).blocks(pieces)` gives for every node of the chain, as blocks,
a bound of phi to the left, (k, k) over the states of the region; it is 0 for pairs of which a state
is known not to occur there.

Under an invariant law the kernel to the left is the reversal R at every node. Under another law
with ratio rho_i(s) = P(X_i = s) / invariant(s) the bounds psi_i = phi_i(s, s') rho_i(s) / rho_i(s')
obey the same recursion with R (PROOF.md): the start only changes where the walk begins and how its
values are read. If any start is possible, the law of the node before may be any, which has a closed
form, and psi takes over as the laws of all starts come together.
"""

from fractions import Fraction
from typing import Protocol

import numpy as np

from privet.chains.propagation.fixed_point import grown
from privet.chains.propagation.laws import TINY, Initial, NodeLaw, NodeLaws, Region
from privet.chains.propagation.programme import UNIT, LinearStep
from privet.chains.propagation.spread import SpreadStep
from privet.chains.propagation.sweep import Block, Pieces, Walk, affordable, closed, growth_of
from privet.chains.stochastic import FloatArray

_EXACT_STATES = 12
"""With more states than this, a node whose kernel is its own gets the sum of losses as a bound."""


class LeftSide(Protocol):
    """What the nodes before each node can tell."""

    def blocks(self, pieces: Pieces) -> list[Block]:
        """Blocks for all nodes: see the module."""


def left_side(region: Region, initial: Initial, backward: Walk | None) -> LeftSide:
    """The left side; `backward`: the walk with the reversal, None if there is no invariant law."""
    if initial == "any":
        return AnyStart(region, backward)
    if region.first is None:
        assert backward is not None
        return Invariant(backward)
    return GivenStart(region, backward, region.first)


class Invariant:
    """Every node has the same law."""

    def __init__(self, backward: Walk) -> None:
        self._backward = backward

    def blocks(self, pieces: Pieces) -> list[Block]:
        """See `LeftSide`."""
        size = self._backward.size
        return self._backward.over(pieces, np.ones((size, size)))


class GivenStart:
    """The first node has a law of its own."""

    def __init__(self, region: Region, backward: Walk | None, first: FloatArray) -> None:
        self._region, self._backward = region, backward
        self._size = len(region.states)
        self._laws = NodeLaws(region, first[None, :])
        self._unknown = unknown_before(region)
        self._own = LinearStep(np.ones((self._size, self._size)))

    def blocks(self, pieces: Pieces) -> list[Block]:
        """See `LeftSide`: node by node while states are dead or left for good, then backward."""
        blocks: list[Block] = []
        phi = np.ones((self._size, self._size))
        node, length = 0, pieces[-1][1]
        while self._backward is None or not self._laws[node].live.all():
            if node >= affordable(self._size):
                return blocks + self._unknown.over(after(pieces, node), phi)
            law = self._laws[node]
            blocks.append((1, np.where(np.outer(law.live, law.live), phi, 0.0)))
            node += 1
            if node == length:
                return blocks
            phi = self._own_step(node, loss_at(pieces, node - 1), phi)
        return blocks + self._settled(self._backward, after(pieces, node), phi)

    def _own_step(self, node: int, loss: Fraction, phi: FloatArray) -> FloatArray:
        """The bound at `node` from `phi` at the node before, with the kernel between these two."""
        before, law = self._laws[node - 1], self._laws[node]
        growth = growth_of(loss)
        if self._size > _EXACT_STATES or not (_digits(before) and _digits(law)):
            return np.full_like(phi, float(phi.max()) * growth * (1 + 4 * UNIT))
        steps = self._region.transition
        joint = before.law[0][:, None] * steps
        if ((joint < TINY) & before.live[:, None] & (steps > 0)).any():
            # Over a small law a product that has lost its digits is no small kernel.
            return np.full_like(phi, float(phi.max()) * growth * (1 + 4 * UNIT))
        with np.errstate(divide="ignore", invalid="ignore"):
            kernel = np.where(law.live[:, None], joint.T / law.law[0][:, None], 0.0)
        self._own.set_kernel(kernel)
        gains = grown(phi, growth)
        self._own.improve(gains)
        return self._own.step(gains) * (1 + 8 * law.error)

    def _settled(self, backward: Walk, pieces: Pieces, phi: FloatArray) -> list[Block]:
        """All states are live from here on: the reversal serves every node."""
        node = pieces[0][0]
        most = node + min(affordable(self._size), pieces[-1][1] - node)
        mixed = node
        while mixed < most - 1 and not self._laws[mixed].mixed:
            mixed += 1
        psi = times(phi, self._laws[node].odds)
        blocks: list[Block] = []
        for count, bound in backward.over(pieces, psi, mixed - node):
            odds = self._laws[min(node, mixed)].odds.T
            if count > 1 or node > mixed:
                # The largest ratio of two states never grows from one node to the next.
                odds = np.full_like(bound, odds.max())
            blocks.append((count, times(bound, odds)))
            node += count
        return blocks


class AnyStart:
    """Every law of the first node is possible, and the bound is for the worst."""

    def __init__(self, region: Region, backward: Walk | None) -> None:
        self._backward, self._size = backward, len(region.states)
        self._laws = NodeLaws(region, np.eye(self._size))
        self._unknown = unknown_before(region)

    def blocks(self, pieces: Pieces) -> list[Block]:
        """See `LeftSide`."""
        phi, psi = np.ones((self._size, self._size)), None
        blocks: list[Block] = []
        length = pieces[-1][1]
        for node in range(length):
            law = self._laws[node]
            # All steps are possible after (k - 1)^2 + 1 nodes, or never are (Wielandt).
            never = psi is None and node > self._size**2
            if never or node >= affordable(self._size) or (psi is not None and law.mixed):
                return blocks + self._rest(after(pieces, node), phi, psi, law)
            blocks.append((1, np.where(np.outer(law.live, law.live), phi, 0.0)))
            if node + 1 < length:
                growth = growth_of(loss_at(pieces, node))
                phi, psi = self._step(growth, phi, psi, self._laws[node + 1])
        return blocks

    def _step(
        self, growth: float, phi: FloatArray, psi: FloatArray | None, law: NodeLaw
    ) -> tuple[FloatArray, FloatArray | None]:
        """phi and psi at the next node; psi is None while some start excludes some state."""
        most = float(phi.max()) * growth * (1 + 4 * UNIT)
        phi = np.minimum(self._unknown.step.step(grown(phi, growth)), most)
        np.fill_diagonal(phi, 1.0)
        if self._backward is None or not np.isfinite(law.odds).all():
            return phi, None
        new = times(phi, law.odds)
        if psi is not None:
            gains = grown(psi, growth)
            self._backward.step.improve(gains)
            new = np.minimum(new, self._backward.step.step(gains))
        psi = closed(new)
        return np.minimum(phi, times(psi, law.odds.T)), psi

    def _rest(
        self, pieces: Pieces, phi: FloatArray, psi: FloatArray | None, law: NodeLaw
    ) -> list[Block]:
        """What the laws of two starts differ by never grows: it is charged to all nodes to come."""
        mixed: list[Block] = []
        if psi is not None and self._backward is not None:
            walked = self._backward.over(pieces, psi)
            mixed = [(count, times(bound, law.odds.T)) for count, bound in walked]
            if law.mixed:
                return mixed
        unknown = self._unknown.over(pieces, phi)
        return lower(mixed, unknown) if mixed else unknown


def times(bound: FloatArray, odds: FloatArray) -> FloatArray:
    """At or above the product, entry by entry; never 0, and inf where doubles cannot tell."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        product = np.maximum(bound, TINY) * np.maximum(odds, TINY) * (1 + 4 * UNIT)
    return np.where(np.isnan(product), np.inf, np.maximum(product, TINY))


def unknown_before(region: Region) -> Walk:
    """The walk on which the law of every node may be any: a bound for every start."""
    rows = np.ascontiguousarray(region.transition.T)
    return Walk(SpreadStep(rows, rows), len(rows), whole=False)


def after(pieces: Pieces, node: int) -> Pieces:
    """The pieces from `node` on."""
    return [(max(start, node), stop, loss) for start, stop, loss in pieces if stop > node]


def loss_at(pieces: Pieces, node: int) -> Fraction:
    """The loss of one node."""
    return next(loss for _, stop, loss in pieces if stop > node)


def lower(first: list[Block], second: list[Block]) -> list[Block]:
    """Blocks of the smaller of two bounds, over the same nodes."""
    blocks: list[Block] = []
    i, j, used, taken = 0, 0, 0, 0
    while i < len(first):
        count = min(first[i][0] - used, second[j][0] - taken)
        blocks.append((count, np.minimum(first[i][1], second[j][1])))
        used, taken = used + count, taken + count
        if used == first[i][0]:
            i, used = i + 1, 0
        if taken == second[j][0]:
            j, taken = j + 1, 0
    return blocks


def _digits(law: NodeLaw) -> bool:
    """Whether every state that occurs has a probability known to the digits of a double."""
    return bool((law.law[0][law.live] >= TINY).all())
