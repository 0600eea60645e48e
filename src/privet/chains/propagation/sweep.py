"""Walking over the nodes of a chain with the same kernel, piece by piece of constant loss.

Contract. A walk starts with a bound phi of what lies beyond its first node, and gives for every
node a bound that holds there, as blocks of successive nodes that share one. Nodes are walked one
by one as far as that matters and is affordable; a block may be bounded higher than its nodes need,
never lower.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from privet.chains.propagation.fixed_point import above, advance, grown, settling
from privet.chains.propagation.lanes import Profile, lanes_for, walk_lanes
from privet.chains.propagation.programme import UNIT, LinearStep, Step
from privet.chains.stochastic import FloatArray
from privet.exact import exp_up, float_up

Pieces = Sequence[tuple[int, int, Fraction]]
"""(start, stop, loss of each node there), in order, without gaps."""

Block = tuple[int, FloatArray]
"""Successive nodes, and a (k, k) bound of phi that holds at each of them."""

_SHORT = 24
"""Stretches up to this many nodes are simply walked."""

_STILL = 2.0**-42
"""A walk whose logarithms move by less in a step has arrived."""

_STEADY = 2.0**-36
"""A walk whose factors change by less than this share of themselves goes on like that."""

_FAR = 30
"""Distances shrink by e^-30 in this many times the settling time."""

_FORGOTTEN = 22
"""Of what a lane begins with, e^-22 is left after this many times the settling time."""

MANY = 256
"""Pieces from which on they are walked in lanes side by side."""

_FEWEST_LANES = 8

_WORK = 1.5e7
_MOST_NODES = 6_000
_EVERY_STEP = 400_000
"""Plans are improved at every step if pairs x states^2 are no more than this, else at every 8th."""


def growth_of(loss: Fraction) -> float:
    """A double at or above e^loss (inf beyond the doubles)."""
    return float_up(exp_up(loss)) if loss < 710 else float("inf")


def total_of(pieces: Pieces) -> Fraction:
    """The sum of the losses of all nodes."""
    sums: dict[int, int] = {}
    for start, stop, loss in pieces:
        # Few denominators occur in many losses, and integers add up quickly.
        part = (stop - start) * loss.numerator
        sums[loss.denominator] = sums.get(loss.denominator, 0) + part
    return sum((Fraction(part, below) for below, part in sums.items()), Fraction(0))


def largest_of(pieces: Pieces) -> Fraction:
    """The largest loss of a node."""
    most: dict[int, int] = {}
    for _, _, loss in pieces:
        most[loss.denominator] = max(most.get(loss.denominator, 0), loss.numerator)
    return max(Fraction(above, below) for below, above in most.items())


def affordable(size: int) -> int:
    """Nodes that are walked one by one at most, in a chain of `size` states."""
    return int(min(_MOST_NODES, max(64, _WORK / (size * size * size))))


@dataclass
class Walk:
    """A step, with what earlier walks learnt: the last fixed point, and one for each loss.

    `whole`: every entry of phi bounds something. It does not where some states cannot occur: the
    entries of these mean nothing and must not be a way round for others.
    """

    step: Step
    size: int
    whole: bool = True
    known: dict[Fraction, FloatArray] = field(default_factory=dict)

    def guess(self, loss: Fraction) -> FloatArray | None:
        """A guess of the fixed point: that of the nearest loss, its logarithm in proportion."""
        if not self.known or not loss:
            return None
        near = min(self.known, key=lambda other: abs(other - loss))
        with np.errstate(over="ignore"):
            return np.asarray(np.minimum(self.known[near], 1e280) ** float(loss / near))

    def over(self, pieces: Pieces, phi: FloatArray, alone: int = 0) -> list[Block]:
        """Blocks for all nodes of the pieces; the first `alone` nodes have a block each.

        `phi`: a bound at the first node. Nodes beyond the affordable number share blocks anyway.
        """
        blocks: list[Block] = []
        place = 0
        while alone and place < len(pieces):
            start, stop, loss = pieces[place]
            parts, phi = self._stretch(loss, phi, stop - start, alone)
            alone = max(0, alone - (stop - start))
            blocks += parts
            place += 1
        lanes = self._in_lanes(pieces[place:], phi)
        if lanes is not None:
            return blocks + lanes
        for start, stop, loss in pieces[place:]:
            parts, phi = self._stretch(loss, phi, stop - start, 0)
            blocks += parts
        return blocks

    def _in_lanes(self, pieces: Pieces, phi: FloatArray) -> list[Block] | None:
        """Blocks of very many pieces, walked side by side; None if that is of no use."""
        if len(pieces) < MANY or not self.whole or not isinstance(self.step, LinearStep):
            return None
        star, far = self.reach(pieces, phi)
        lengths = np.array([stop - start for start, stop, _ in pieces])
        work = int(np.minimum(lengths, far).sum())
        lanes = lanes_for(self.size, work, far)
        if lanes < _FEWEST_LANES or not np.isfinite(star).all():
            return None
        first = pieces[0][0]
        known: dict[Fraction, float] = {}
        for _, _, loss in pieces:
            if loss not in known:
                known[loss] = growth_of(loss)
        profile = Profile(
            np.array([stop - first for _, stop, _ in pieces]),
            np.array([known[loss] for _, _, loss in pieces]),
        )
        return walk_lanes(self.step, profile, phi, star, far, lanes)

    def reach(self, pieces: Pieces, phi: FloatArray) -> tuple[FloatArray, int]:
        """A bound that holds at every node, and after how many nodes next to nothing of it is left.

        The second is a forecast, not a bound.
        """
        most = largest_of(pieces)
        growth = growth_of(most)
        ceiling = float(phi.max()) * growth_of(total_of(pieces)) * (1 + 4 * UNIT)
        star = above(self.step, growth, phi, ceiling, self.guess(most))
        return star, math.ceil(_FORGOTTEN * settling(self.step, growth, star)) + 8

    def _stretch(
        self, loss: Fraction, phi: FloatArray, count: int, alone: int
    ) -> tuple[list[Block], FloatArray]:
        """Blocks of `count` nodes of one loss, and the bound at the node after them."""
        if not loss and (phi == 1).all():
            return [(count, phi)], phi
        growth = growth_of(loss)
        ceiling = float(phi.max()) * growth_of(loss * count) * (1 + 4 * UNIT)
        if count > _SHORT and not alone and self._rises(growth, phi, ceiling):
            star = self._known(loss, growth, phi, ceiling)
            if count >= 2 * _FAR * settling(self.step, growth, star):
                # Both ends are far: nothing is lost by bounding every node as the middle ones.
                return [(count, star)], star
        return self._nodes(growth, phi, count, alone, ceiling, loss)

    def _rises(self, growth: float, phi: FloatArray, ceiling: float) -> bool:
        """Whether the next node's bound is nowhere smaller, and so all that follow."""
        if (phi == 1).all():
            return True
        self.step.improve(grown(phi, growth))
        new = advance(self.step, growth, phi, ceiling)
        return bool((new >= phi * (1 - _STILL)).all())

    def _known(self, loss: Fraction, growth: float, phi: FloatArray, ceiling: float) -> FloatArray:
        star = self.known.get(loss)
        if star is not None:
            star = np.minimum(star, ceiling)
            if (star >= phi).all() and (advance(self.step, growth, star, ceiling) <= star).all():
                return star
        star = above(self.step, growth, phi, ceiling, self.guess(loss))
        if loss:
            self.known[loss] = star
        return star

    def _nodes(
        self,
        growth: float,
        phi: FloatArray,
        count: int,
        alone: int,
        ceiling: float,
        loss: Fraction,
    ) -> tuple[list[Block], FloatArray]:
        """One node after the other, until the walk stands still or becomes too long."""
        blocks: list[Block] = []
        most = min(count, affordable(self.size))
        moved = np.zeros_like(phi)
        often = self.size**4 <= _EVERY_STEP
        while len(blocks) < most:
            if often or len(blocks) % 8 == 0 or len(blocks) < 3:
                self.step.improve(grown(phi, growth))
            new = advance(self.step, growth, phi, ceiling)
            blocks.append((1, phi))
            before, moved, phi = moved, _moved(phi, new), new
            still = (abs(moved - 1) <= _STILL).all()
            # What moves by the same factor for ever is foreseen as well as walked.
            steady = (abs(moved - before) <= _STEADY * (moved.max() - 1)).all()
            if len(blocks) >= alone and (still or steady):
                break
        left = count - len(blocks)
        if not left:
            return blocks, phi
        return self._rest(blocks, growth, phi, left, ceiling, loss)

    def _rest(
        self,
        blocks: list[Block],
        growth: float,
        phi: FloatArray,
        left: int,
        ceiling: float,
        loss: Fraction,
    ) -> tuple[list[Block], FloatArray]:
        """One block for the `left` nodes that are not walked, the first of which has bound phi."""
        if not self.whole:
            star = above(self.step, growth, phi, ceiling, self.guess(loss))
            return [*blocks, (left, star)], star
        # Steps are nonexpansive on sub-metric bounds (up to the factor for what rounding leaves of
        # that): what the fastest pair moves by now, none moves by more later.
        phi = closed(phi)
        new = advance(self.step, growth, phi, ceiling)
        slack = 1 + 8 * self.size**2 * UNIT
        linear = phi * power_up(max(1.0, float(_moved(phi, new).max())) * slack, left)
        star = above(self.step, growth, phi, ceiling, self.guess(loss))
        star = np.minimum(star, linear)
        np.fill_diagonal(star, 1.0)
        return [*blocks, (left, star)], star


def _moved(phi: FloatArray, new: FloatArray) -> FloatArray:
    """new / phi, 1 where both are infinite."""
    with np.errstate(invalid="ignore"):
        return np.where(new == phi, 1.0, new / phi)


def closed(bound: FloatArray) -> FloatArray:
    """The bound made sub-metric: no way round through a third state is shorter.

    The quantity bounded is sub-metric itself, so the shortest way is a bound too; every state on
    the way must be one that can occur.
    """
    for middle in range(len(bound)):
        with np.errstate(over="ignore"):
            way = bound[:, middle : middle + 1] * bound[middle : middle + 1] * (1 + 2 * UNIT)
        bound = np.minimum(bound, way)
    return bound


def power_up(base: float, exponent: int) -> float:
    """A double at or above base^exponent, for base >= 1."""
    if base == 1.0:
        return 1.0
    result, square = 1.0, base * (1 + 4 * UNIT)
    while exponent:
        if exponent & 1:
            result *= square
        exponent >>= 1
        if exponent:
            square *= square
    return result * (1 + 4 * UNIT)
