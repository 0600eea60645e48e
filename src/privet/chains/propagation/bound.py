"""The epsilon of a record loss on a Markov chain, by propagation.

Contract. The result is an upper bound in exact arithmetic, for every node and every pair of states
that can occur there: epsilon = max of r(i) + log phi_right(s, s') + log phi_left(s, s'), never more
than the sum of all losses. phi is bounded in doubles with outward rounding; the last logarithm is
an enclosure. The theorem and its proof are in PROOF.md.
"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf

import numpy as np

from privet.chains.markov import MarkovChain
from privet.chains.propagation.forests import IntArray
from privet.chains.propagation.laws import TINY, Initial, Region, region_of
from privet.chains.propagation.programme import LinearStep
from privet.chains.propagation.raising import busiest, cut, merged, raised, walked
from privet.chains.propagation.starts import Invariant, left_side
from privet.chains.propagation.sweep import MANY, Block, Pieces, Walk, largest_of, total_of
from privet.chains.stochastic import FloatArray
from privet.errors import ParameterError
from privet.exact import log_up

_CHUNK = 1 << 21

_LEVELS = 1024
"""Losses that are compared with the busiest node, to tell which nodes matter."""

_MOST_WALKED = 40_000_000
"""Nodes times states^3 that are walked one by one at most; beyond that losses are merged."""

_MOST_FOR_FAINT = 300
"""If losses add up to more, steps rarer than `TINY` may matter, and these have no digits.

Below it no likelihood is more than e^300 times another, and what such steps add, 1e-290 of it at
most, lies far below the rounding that is charged anyway.
"""


@dataclass(frozen=True)
class PropagationBound:
    """What the accountant can prove, and where it is worst.

    `epsilon`: the bound; `node`: a node at which it is attained, from 0; `pair`: the two states,
    by number, that are told apart best there; `left`, `right`: what the nodes before and after
    contribute (natural logarithms as floats, inf where only the sum of all losses is known).
    """

    epsilon: Fraction
    node: int
    pair: tuple[int, int]
    left: float
    right: float


class Propagation:
    """Bounds for one chain and one way to start it; what one evaluation learns serves the next.

    Errors: ModelError for "stationary" if the chain has several stationary laws.
    """

    def __init__(self, chain: MarkovChain, initial: Initial = "given") -> None:
        self._initial: Initial = initial
        self._region = region_of(chain, initial)
        self._states = self._region.states
        self._kernel = self._region.reversal
        self._is_faint = _is_faint(self._region)
        self.forget()

    def forget(self) -> None:
        """Makes the next answer depend on its losses alone, not on what was evaluated before."""
        region, size = self._region, len(self._states)
        self._forward = Walk(LinearStep(region.transition), size)
        self._backward: Walk | None = None
        if region.reversal is not None:
            self._backward = Walk(LinearStep(region.reversal), size)
        alike = self._kernel is not None and np.allclose(
            self._kernel, region.transition, rtol=1e-6, atol=0
        )
        self._alike = bool(alike)
        self._left = left_side(region, self._initial, self._backward)

    def bound(self, pieces: Pieces, node: int | None = None) -> PropagationBound:
        """The bound for losses constant on pieces, for the worst node or for that one.

        Errors: ParameterError if the pieces have gaps.
        """
        checked = read_pieces(pieces)
        size = len(self._states)
        if size == 1:
            return _lone(checked, int(self._states[0]), node)
        if self._is_faint and total_of(checked) > _MOST_FOR_FAINT:
            pair = int(self._states[0]), int(self._states[1])
            return PropagationBound(total_of(checked), node or 0, pair, inf, inf)
        # Beyond the doubles is inf, which bounds everything.
        with np.errstate(over="ignore"):
            if len(checked) < MANY:
                return self._swept(checked, node)
            found = self._swept(self._simpler(checked, node), node)
        return replace(found, epsilon=min(found.epsilon, total_of(checked)))

    def _swept(self, pieces: Pieces, node: int | None) -> PropagationBound:
        size = len(self._states)
        right = self._forward.over(mirrored(pieces), np.ones((size, size)))
        self._share()
        left = self._left.blocks(pieces)
        return worst(pieces, left, right[::-1], self._states, node)

    def _simpler(self, pieces: Pieces, node: int | None) -> Pieces:
        """Losses at or above the given ones, with most of the pieces gone where they do not matter.

        What matters is `node`, or if none is given the nodes that may cost as much as the busiest.
        """
        ones = np.ones((len(self._states),) * 2)
        star, far = self._forward.reach(pieces, ones)
        if self._backward is not None and np.isfinite(star).all():
            far = max(far, self._backward.reach(pieces, ones)[1])
            most = largest_of(pieces)
            kept = 0 if isinstance(self._left, Invariant) else 2 * far
            if node is not None:
                hot = cut(pieces, max(0, node - far), node + far)
                around = [(0, max(0, node - far), most), *_shifted(hot, max(0, node - far))]
                pieces = _completed(around, pieces[-1][1], most)
            else:
                level = self._level(pieces, far, most)
                pieces = raised(pieces, level, far, kept) if level else pieces
        work, budget = walked(pieces, far), _MOST_WALKED // len(self._states) ** 3
        return merged(pieces, -(-far * work // budget)) if work > budget else pieces

    def _level(self, pieces: Pieces, far: int, most: Fraction) -> Fraction:
        """A loss that costs no more, on all nodes around, than the busiest node surely costs."""
        middle = busiest(pieces, far // 22)
        start = max(0, middle - far)
        sure = self._between(cut(pieces, start, middle + far))
        low, high = 0, _LEVELS
        while high - low > 1:
            level = (low + high) // 2
            costs = self._between([(0, 4 * far, most * Fraction(level, _LEVELS))])
            low, high = (level, high) if costs <= sure else (low, level)
        return most * Fraction(low, _LEVELS)

    def _between(self, pieces: Pieces) -> Fraction:
        """The bound for nodes in the middle of a series, with nothing lost around the pieces."""
        assert self._backward is not None
        ones = np.ones((len(self._states),) * 2)
        right = self._forward.over(mirrored(pieces), ones)
        left = self._backward.over(pieces, ones)
        return worst(pieces, left, right[::-1], self._states).epsilon

    def _share(self) -> None:
        """A reversible chain looks the same backward: what the first walk learnt is copied once."""
        if not self._alike or self._backward is None or self._kernel is None:
            return
        if not self._backward.known and self._forward.known:
            step = deepcopy(self._forward.step)
            assert isinstance(step, LinearStep)
            step.set_kernel(self._kernel)
            self._backward.step, self._backward.known = step, dict(self._forward.known)


def propagated_epsilon(chain: MarkovChain, initial: Initial, pieces: Pieces) -> PropagationBound:
    """The bound for one chain: see `Propagation`."""
    return Propagation(chain, initial).bound(pieces)


def read_pieces(pieces: Pieces) -> Pieces:
    """The pieces with the empty ones left out. Errors: ParameterError for gaps and negatives."""
    kept, last = [], 0
    for start, stop, loss in pieces:
        if start != last or stop < start or loss < 0:
            raise ParameterError(
                "The pieces of a loss must follow each other from node 0 on, without gaps, and be "
                "nonnegative.",
                parameter="pieces",
            )
        if stop > start:
            kept.append((start, stop, loss if type(loss) is Fraction else Fraction(loss)))
        last = stop
    if not kept:
        raise ParameterError("The loss covers no node.", parameter="pieces")
    return kept


def _shifted(pieces: Pieces, nodes: int) -> list[tuple[int, int, Fraction]]:
    return [(start + nodes, stop + nodes, loss) for start, stop, loss in pieces]


def _completed(pieces: Pieces, length: int, level: Fraction) -> Pieces:
    """The pieces that are not empty, and the level from there to the end."""
    full = [*pieces, (pieces[-1][1], length, level)]
    return [(start, stop, loss) for start, stop, loss in full if stop > start]


def _is_faint(region: Region) -> bool:
    """Whether a possible step, forward or backward, is too rare for the digits of a double."""
    possible = region.transition > 0
    faint = bool((possible & (region.transition < TINY)).any())
    if region.reversal is None:
        return faint
    return faint or bool((possible.T & (region.reversal < TINY)).any())


def mirrored(pieces: Pieces) -> Pieces:
    """The pieces seen from the last node."""
    length = pieces[-1][1]
    return [(length - stop, length - start, loss) for start, stop, loss in reversed(pieces)]


def worst(
    pieces: Pieces,
    left: list[Block],
    right: list[Block],
    states: IntArray,
    node: int | None = None,
) -> PropagationBound:
    """The largest r + log left + log right; blocks of both sides in the order of the nodes.

    `node`: the only node that counts, if it is given.
    """
    total = total_of(pieces)
    if node is not None:
        loss = next(loss for _, stop, loss in pieces if stop > node)
        here = [(0, 1, loss)], [_block_of(left, node)], [_block_of(right, node)]
        found = _worst(*here, states, total)
        return replace(found, node=node)
    return _worst(pieces, left, right, states, total)


def _block_of(blocks: list[Block], node: int) -> Block:
    """The block of one node, as that of a series of one."""
    last = 0
    for count, bound in blocks:
        last += count
        if last > node:
            return 1, bound
    raise AssertionError("blocks cover all nodes")


def _worst(
    pieces: Pieces, left: list[Block], right: list[Block], states: IntArray, total: Fraction
) -> PropagationBound:
    near: dict[Fraction, _Spot] = {}
    for spot in _near_worst(pieces, left, right):
        old = near.get(spot.loss)
        near[spot.loss] = spot if old is None or spot.product > old.product else old
    best, top = max(((_epsilon(spot), spot) for spot in near.values()), key=lambda found: found[0])
    first, second = divmod(top.pair, len(states))
    return PropagationBound(
        total if best == inf else min(Fraction(best), total),
        top.node,
        (int(states[first]), int(states[second])),
        float(np.log(max(1.0, top.left))),
        float(np.log(max(1.0, top.right))),
    )


@dataclass(frozen=True)
class _Spot:
    loss: Fraction
    node: int
    pair: int
    left: float
    right: float

    @property
    def product(self) -> float:
        return self.left * self.right


def _epsilon(spot: _Spot) -> Fraction | float:
    """r + log(left right), rounded up; inf if it is beyond doubles."""
    if spot.product == inf:
        return inf
    # One rounding of the product; a bound below 1 would be the effect of rounding.
    product = Fraction(spot.product) * (1 + Fraction(1, 1 << 52))
    return spot.loss + log_up(max(Fraction(1), product))


def _near_worst(pieces: Pieces, left: list[Block], right: list[Block]) -> Iterator["_Spot"]:
    """The worst pair of every stretch on which loss and both bounds are constant.

    Doubles decide which stretches may be the worst, with room for what their logarithms may miss;
    the others are left out.
    """
    size = left[0][1].size
    left_start, right_start = _starts(left), _starts(right)
    piece_start = np.array([start for start, _, _ in pieces])
    losses = np.array([loss.numerator / loss.denominator for _, _, loss in pieces])
    starts = np.unique(np.concatenate([left_start, right_start, piece_start]))
    stops = np.append(starts[1:], pieces[-1][1])
    step = max(1, _CHUNK // size)
    highest = -inf
    for low in range(0, len(starts), step):
        part = slice(low, low + step)
        before = _gather(left, left_start, starts[part], size)
        beyond = _gather(right, right_start, starts[part], size)
        with np.errstate(invalid="ignore", over="ignore"):
            product = np.where(before == 0, 0.0, before * beyond)
        product[np.isnan(product)] = np.inf  # what doubles cannot tell is not taken for safe
        pair = product.argmax(axis=1)
        where = np.searchsorted(piece_start, starts[part], "right") - 1
        middle = (starts[part] + stops[part] - 1) // 2
        with np.errstate(divide="ignore", invalid="ignore"):
            score = losses[where] + np.log(product[np.arange(len(pair)), pair])
            highest = max(highest, float(score.max()))
            kept = np.flatnonzero(~(score < highest - 1e-9 * (1 + abs(highest))))
        for row in kept.tolist():
            yield _Spot(
                pieces[where[row]][2],
                int(middle[row]),
                int(pair[row]),
                float(before[row, pair[row]]),
                float(beyond[row, pair[row]]),
            )


def _starts(blocks: list[Block]) -> IntArray:
    counts = np.array([count for count, _ in blocks])
    return np.asarray(np.cumsum(counts) - counts)


def _gather(blocks: list[Block], own: IntArray, starts: IntArray, size: int) -> FloatArray:
    """(m, k^2): the bounds at the nodes `starts`, 0 on the diagonal."""
    which = np.searchsorted(own, starts, "right") - 1
    first = int(which[0])
    table = np.stack([bound.ravel() for _, bound in blocks[first : int(which[-1]) + 1]])
    side = int(np.sqrt(size))
    table[:, :: side + 1] = 0.0
    return np.asarray(table[which - first])


def _lone(pieces: Pieces, state: int, node: int | None) -> PropagationBound:
    """Only one state can occur, and nothing is to be told apart: its own loss is still charged."""
    if node is not None:
        pieces = [(node, node + 1, loss) for start, stop, loss in pieces if start <= node < stop]
    _, stop, loss = max(pieces, key=lambda piece: piece[2])
    return PropagationBound(loss, stop - 1, (state, state), 0.0, 0.0)
