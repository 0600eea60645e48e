"""When one prefix is no better than another on anything that may follow.

Contract. `above` gives an opened node i and a rational factor f > 0 with v . t <= f v_i . t for
every t of the cone of long suffixes, where the same control state and every remaining length are
shared: a violation behind v is then one behind v_i. Candidates come from floats, the answer is
decided by the exact signs of `privet.weighted.cones`. Only nodes with more symbols left than the
exact sets reach are kept: the others are decided at once.
"""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from privet.weighted.cones import Suffixes
from privet.weighted.limits import Lengths
from privet.weighted.problem import Vector
from privet.weighted.vectors import FloatArray, unit_floats

_KEPT = 128
"""Opened nodes compared with, a control state; the newest replace the oldest."""

_SAMPLE = 96
_MOST_FITS = 12
_TINY = 1e-12
_TRIED = 3
"""Candidates that are decided exactly before giving up."""


@dataclass
class _Pool:
    """Opened nodes of one control state: their directions, and products with a sample of the cone.

    `sample`: (n, few), every so many-th vector of the cone; it excludes nearly all candidates.
    """

    sample: FloatArray
    directions: FloatArray
    scores: FloatArray
    nodes: list[tuple[int, Vector, Lengths]] = field(default_factory=list)
    oldest: int = 0


class Dominance:
    """The opened nodes of one search that others may be below."""

    def __init__(self, suffixes: Suffixes) -> None:
        self._suffixes = suffixes
        self._pools: dict[int, _Pool] = {}

    def add(self, state: int, vector: Vector, left: Lengths, number: int) -> None:
        """Remember node `number`."""
        if not self._is_far(left):
            return
        direction = unit_floats(vector)
        pool = self._pools.get(state)
        if pool is None:
            pool = self._pools[state] = self._new_pool(state, len(vector))
        if len(pool.nodes) < _KEPT:
            place = len(pool.nodes)
            pool.nodes.append((number, vector, left))
        else:
            place = pool.oldest
            pool.nodes[place] = number, vector, left
            pool.oldest = (place + 1) % _KEPT
        pool.directions[place] = direction
        pool.scores[place] = direction @ pool.sample

    def _new_pool(self, state: int, size: int) -> _Pool:
        floats = self._suffixes.cone[state].floats
        sample = np.ascontiguousarray(floats[:, :: max(1, floats.shape[1] // _SAMPLE)])
        return _Pool(sample, np.zeros((_KEPT, size)), np.zeros((_KEPT, sample.shape[1])))

    def above(self, state: int, vector: Vector, left: Lengths) -> tuple[int, Fraction] | None:
        """A remembered node that this one is below, and the factor."""
        pool = self._pools.get(state)
        if pool is None or not self._is_far(left):
            return None
        direction = unit_floats(vector)
        low, high = _factors(pool.scores[: len(pool.nodes)], direction @ pool.sample)
        fits = [
            index
            for index in np.flatnonzero((low <= high) & (high > 0)).tolist()
            if pool.nodes[index][2].covers(left)
        ][:_MOST_FITS]
        if not fits:
            return None
        cone = self._suffixes.cone[state].floats
        low, high = _factors(pool.directions[fits] @ cone, direction @ cone)
        for place in np.flatnonzero(low <= high)[:_TRIED].tolist():
            number, other, _ = pool.nodes[fits[place]]
            factor = _between(float(low[place]), float(high[place]), vector, other)
            if self._is_below(state, vector, other, factor):
                return number, factor
        return None

    def _is_far(self, left: Lengths) -> bool:
        # Below on the cone of suffixes of `depth` symbols or more says nothing about shorter ones,
        # unless those are sums of longer ones.
        if not self._suffixes.problem.is_conserving:
            return left.shortest >= self._suffixes.depth
        return left.longest is None or left.longest > self._suffixes.reach

    def _is_below(self, state: int, vector: Vector, other: Vector, factor: Fraction) -> bool:
        over, under = factor.numerator, factor.denominator
        rest = tuple(under * a - over * b for a, b in zip(vector, other, strict=True))
        return self._suffixes.cone[state].sign(rest, unit_floats(rest)).positive < 0


def _factors(scores: FloatArray, mine: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(count,) each: the least and the largest factor f with mine <= f scores, row by row."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotients = mine / scores
    low = np.where(scores > _TINY, quotients, 0.0).max(axis=1, initial=0.0)
    high = np.where(scores < -_TINY, quotients, np.inf).min(axis=1, initial=np.inf)
    hopeless = ((abs(scores) <= _TINY) & (mine > _TINY)).any(axis=1)
    return low, np.where(hopeless, -1.0, high)


def _between(low: float, high: float, vector: Vector, other: Vector) -> Fraction:
    """A short fraction in the middle; the floats are of vectors divided by their largest entry."""
    middle = (low + high) / 2 if high < np.inf else 2 * low + 1
    scale = Fraction(max(map(abs, vector)), max(max(map(abs, other)), 1))
    return Fraction(middle).limit_denominator(1 << 20) * scale or Fraction(1)
