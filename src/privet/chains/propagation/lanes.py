"""A walk over very many pieces, cut into lanes that are walked side by side.

Contract. As `Walk.over`: a bound for every node, never below what the recursion gives in exact
arithmetic. `star` bounds phi at every node (it is left as it is by a step of the largest loss), so
a lane may begin with it anywhere; it begins `far` nodes early, after which next to nothing of that
is left. Where a walk stands still within a long piece, a bound a little above is tried, and if a
step does not leave it upward it is taken for the rest of the piece.
"""

from dataclasses import dataclass

import numpy as np

from privet.chains.propagation.forests import BoolArray, IntArray
from privet.chains.propagation.programme import LinearStep
from privet.chains.stochastic import FloatArray

_STILL = 2.0**-42
_RAISED = 1 + 2.0**-36
"""What a bound that stands still is raised by, to be checked for the rest of a piece."""

_REST = 6
"""Nodes of a piece that are simply walked."""

_LARGEST = 1 << 16
"""Lanes times states^3 at most."""


@dataclass(frozen=True)
class Profile:
    """Pieces as arrays: (n,) where each stops, and a double at or above e^loss of its nodes."""

    stops: IntArray
    growths: FloatArray


def lanes_for(size: int, work: int, far: int) -> int:
    """How many lanes are worth it; 1 where they would overlap too much."""
    return int(min(max(8, _LARGEST // size**3), work // (4 * far)))


def walk_lanes(
    step: LinearStep, profile: Profile, phi: FloatArray, star: FloatArray, far: int, lanes: int
) -> list[tuple[int, FloatArray]]:
    """Blocks for all nodes; `phi`: a bound at the first node, `star`: at every one."""
    edges = _edges(profile.stops, far, lanes)
    lane = _Lanes(step.copies(len(edges) - 1), profile, star, edges, far)
    lane.phi[edges[:-1] <= far] = phi
    while not lane.done.all():
        lane.advance()
    return lane.blocks()


def _edges(stops: IntArray, far: int, lanes: int) -> IntArray:
    """Nodes at which lanes begin, and the end: about the same work for each."""
    starts = np.concatenate([[0], stops[:-1]])
    work = np.cumsum(np.minimum(stops - starts, far))
    wanted = np.arange(lanes) * (work[-1] / lanes)
    piece = np.searchsorted(work, wanted, "right")
    before = np.where(piece > 0, work[piece - 1], 0)
    nodes = starts[piece] + (wanted - before).astype(np.intp)
    nodes[0] = 0
    return np.unique(np.append(nodes, stops[-1]))


class _Lanes:
    """The walks, one node (or the rest of a piece) at a time."""

    def __init__(
        self, step: LinearStep, profile: Profile, star: FloatArray, edges: IntArray, far: int
    ) -> None:
        self._step, self._profile, self._star, self._edges = step, profile, star, edges
        self._node = np.maximum(edges[:-1] - far, 0)
        self._piece = np.searchsorted(profile.stops, self._node, "right")
        self._still: BoolArray = np.zeros(len(self._node), bool)
        self.phi = np.broadcast_to(star, (len(self._node), *star.shape)).copy()
        self._kept: list[tuple[IntArray, IntArray, FloatArray]] = []

    @property
    def done(self) -> BoolArray:
        """(lanes,): which have reached their ends."""
        return np.asarray(self._node >= self._edges[1:])

    def advance(self) -> None:
        """One step of every lane that is not done."""
        live = ~self.done
        piece = np.minimum(self._piece, len(self._profile.stops) - 1)
        rest = np.minimum(self._profile.stops[piece], self._edges[1:]) - self._node
        tried = live & self._still & (rest > _REST)
        old = np.where(tried[:, None, None], self.phi * _RAISED, self.phi)
        _ones(old)
        with np.errstate(over="ignore"):
            gains = old * self._profile.growths[piece][:, None, None]
        _ones(gains)
        self._step.improve(gains)
        new = np.minimum(self._step.step(gains), self._star)
        stays = tried & (new <= old).all(axis=(1, 2))
        count = np.where(stays, rest, 1)
        self._keep(live, count, np.where(stays[:, None, None], old, self.phi))
        with np.errstate(invalid="ignore"):
            moved = np.where(new == old, 0.0, abs(new / old - 1)).max(axis=(1, 2))
        # What was tried in vain is tried again only after it has moved.
        self._still = (moved <= _STILL) & ~tried
        self.phi = np.where(stays[:, None, None], old, new)
        self._node = np.where(live, self._node + count, self._node)
        over = live & (self._node >= self._profile.stops[piece])
        self._piece = self._piece + over
        self._still &= ~over

    def _keep(self, live: BoolArray, count: IntArray, phi: FloatArray) -> None:
        """Remembers the bounds of the nodes that are a lane's own."""
        first = np.maximum(self._node, self._edges[:-1])
        count = self._node + count - first
        own = live & (count > 0)
        self._kept.append((first[own], count[own], phi[own]))

    def blocks(self) -> list[tuple[int, FloatArray]]:
        """What was kept, in the order of the nodes."""
        nodes = np.concatenate([each[0] for each in self._kept])
        counts = np.concatenate([each[1] for each in self._kept])
        bounds = np.concatenate([each[2] for each in self._kept])
        order = np.argsort(nodes)
        nodes, counts = nodes[order], counts[order]
        assert (nodes[1:] == nodes[:-1] + counts[:-1]).all()
        return [
            (count, bounds[place])
            for count, place in zip(counts.tolist(), order.tolist(), strict=True)
        ]


def _ones(bounds: FloatArray) -> None:
    diagonal = np.arange(bounds.shape[-1])
    bounds[:, diagonal, diagonal] = 1.0
