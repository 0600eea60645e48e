"""The epsilon of a record loss on a Markov chain, by propagation.

Contract. The result is an upper bound in exact arithmetic, for every node and every pair of states
that can occur there: epsilon = max of r(i) + log phi_right(s, s') + log phi_left(s, s'), never more
than the sum of all losses. phi is bounded in doubles with outward rounding; the last logarithm is
an enclosure. The theorem and its proof are in PROOF.md.
"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np

from privet.chains.markov import MarkovChain
from privet.chains.propagation.forests import IntArray
from privet.chains.propagation.laws import TINY, Initial, Region, region_of
from privet.chains.propagation.programme import LinearStep
from privet.chains.propagation.starts import left_side
from privet.chains.propagation.sweep import Block, Pieces, Walk
from privet.chains.stochastic import FloatArray
from privet.errors import ParameterError
from privet.exact import log_up

_CHUNK = 1 << 21

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
        region = region_of(chain, initial)
        self._states = region.states
        size = len(region.states)
        self._forward = Walk(LinearStep(region.transition), size)
        self._backward: Walk | None = None
        if region.reversal is not None:
            self._backward = Walk(LinearStep(region.reversal), size)
        self._kernel = region.reversal
        alike = self._kernel is not None and np.allclose(
            self._kernel, region.transition, rtol=1e-6, atol=0
        )
        self._alike = bool(alike)
        self._left = left_side(region, initial, self._backward)
        self._is_faint = _is_faint(region)

    def bound(self, pieces: Pieces) -> PropagationBound:
        """The bound for losses constant on pieces. Errors: ParameterError if they have gaps."""
        checked = read_pieces(pieces)
        size = len(self._states)
        if size == 1:
            return _lone(checked, int(self._states[0]))
        if self._is_faint and _total(checked) > _MOST_FOR_FAINT:
            pair = int(self._states[0]), int(self._states[1])
            return PropagationBound(_total(checked), 0, pair, inf, inf)
        # Beyond the doubles is inf, which bounds everything.
        with np.errstate(over="ignore"):
            right = self._forward.over(mirrored(checked), np.ones((size, size)))
            self._share()
            left = self._left.blocks(checked)
        return worst(checked, left, right[::-1], self._states)

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
            kept.append((start, stop, Fraction(loss)))
        last = stop
    if not kept:
        raise ParameterError("The loss covers no node.", parameter="pieces")
    return kept


def _total(pieces: Pieces) -> Fraction:
    return sum(((stop - start) * loss for start, stop, loss in pieces), Fraction(0))


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
    pieces: Pieces, left: list[Block], right: list[Block], states: IntArray
) -> PropagationBound:
    """The largest r + log left + log right; blocks of both sides in the order of the nodes."""
    total = _total(pieces)
    spots = [spot for part in _joined(pieces, left, right) for spot in part]
    # Doubles decide which spots may be the worst, with room for what their logarithms may miss.
    highest = max(spot.score for spot in spots)
    near: dict[Fraction, _Spot] = {}
    for spot in spots:
        if not spot.score < highest - 1e-9 * (1 + abs(highest)):
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
    score: float
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


def _joined(pieces: Pieces, left: list[Block], right: list[Block]) -> Iterator[list[_Spot]]:
    """The worst pair of every stretch on which loss and both bounds are constant."""
    size = left[0][1].size
    left_start, right_start = _starts(left), _starts(right)
    piece_start = np.array([start for start, _, _ in pieces])
    starts = np.unique(np.concatenate([left_start, right_start, piece_start]))
    stops = np.append(starts[1:], pieces[-1][1])
    step = max(1, _CHUNK // size)
    for low in range(0, len(starts), step):
        part = slice(low, low + step)
        before = _gather(left, left_start, starts[part], size)
        beyond = _gather(right, right_start, starts[part], size)
        with np.errstate(invalid="ignore", over="ignore"):
            product = np.where(before == 0, 0.0, before * beyond)
        product[np.isnan(product)] = np.inf  # what doubles cannot tell is not taken for safe
        pair = product.argmax(axis=1)
        row = np.arange(len(pair))
        where = np.searchsorted(piece_start, starts[part], "right") - 1
        middle = (starts[part] + stops[part] - 1) // 2
        with np.errstate(divide="ignore"):
            logs = np.log(product[row, pair])
        yield [
            _Spot(float(pieces[p][2]) + log, pieces[p][2], node, which, a, b)
            for p, log, node, which, a, b in zip(
                where.tolist(),
                logs.tolist(),
                middle.tolist(),
                pair.tolist(),
                before[row, pair].tolist(),
                beyond[row, pair].tolist(),
                strict=True,
            )
        ]


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


def _lone(pieces: Pieces, state: int) -> PropagationBound:
    """Only one state can occur, and nothing is to be told apart: its own loss is still charged."""
    _, stop, loss = max(pieces, key=lambda piece: piece[2])
    return PropagationBound(loss, stop - 1, (state, state), 0.0, 0.0)
