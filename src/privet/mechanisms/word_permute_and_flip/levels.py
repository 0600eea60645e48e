"""The law of the distance under permute-and-flip, to any precision, for draws.

Contract. P(l) = binomial(l; n, C/(1+C)) psi(l), C = (m-1) q: the law of the exponential mechanism
on the levels, tilted by psi (floats.py defines it, enclosures.py bounds it, PROOF.md proves it).
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

import numpy as np

from privet.mechanisms.levels import FloatArray, LevelWalk, StaircaseLevels, log_level_weights
from privet.mechanisms.word_permute_and_flip.enclosures import PsiEnclosure
from privet.mechanisms.word_permute_and_flip.floats import Quadrature
from privet.mechanisms.word_permute_and_flip.spectrum import Counted
from privet.randomness import Cumulative, RefinableLaw


class PermuteAndFlipLevels(StaircaseLevels):
    """Levels 0..`length` of permute-and-flip at the exact rational `q`; draws are int64 levels."""

    def __init__(self, length: int, size: int, q: Fraction, psi: PsiEnclosure) -> None:
        super().__init__(length, size, q)
        self._psi = psi

    def log_probabilities(self, nodes: Quadrature) -> FloatArray:
        """(n+1,) float64: log P(l) in floats, from the same two factors."""
        levels = np.arange(self.length + 1.0)
        binomial = log_level_weights(self.length, self.size, nodes.log_q)
        return binomial + np.log(nodes.psi(levels))

    def _tilt(self, walk: LevelWalk, bits: int) -> None:
        scale = bits + 32
        first_flat, flat = self._psi.flat_from(scale)
        lower, upper = [], []
        for level, (low, high) in enumerate(zip(walk.lower, walk.upper, strict=True), walk.first):
            bounds = flat if level >= first_flat else self._psi.psi(level, scale)
            bottom, top = _fixed(*bounds, scale)
            lower.append(low * bottom >> scale)
            upper.append(-((-high * top) >> scale))
        # psi falls with the level: psi(0) bounds what lies below, the last one what lies above.
        highest = self._psi.psi(0, scale)[1] if walk.first else Fraction(1)
        walk.below = -((-walk.below * _fixed(highest, highest, scale)[1]) >> scale)
        walk.above = -((-walk.above * top) >> scale)
        walk.lower, walk.upper = lower, upper


class CountedLevels(RefinableLaw):
    """Levels 0..n of permute-and-flip among counts[l] candidates at distance l past the best."""

    def __init__(self, counts: Sequence[int], q: Fraction) -> None:
        self.categories = len(counts)
        self._counts, self._q = list(counts), q
        self._psi = PsiEnclosure(Counted(counts), q)

    def cumulative(self, bits: int) -> Cumulative:
        """Enclosures of 2^bits P(level <= l) for every level; levels without candidates add 0.

        The sum of M_l q^l psi(l) is Z_1 itself, so the sums of the enclosures are the normaliser.
        """
        scale = bits + 32
        lower, upper = [], []
        for level, count in enumerate(self._counts):
            low, high = self._psi.psi(level, scale) if count else (Fraction(0), Fraction(0))
            weight = count * self._q**level
            bottom, top = _fixed(low * weight, high * weight, scale)
            lower.append(bottom)
            upper.append(top)
        total_lower, total_upper = sum(lower), sum(upper)
        one = 1 << bits
        return Cumulative(
            0,
            [(part << bits) // total_upper for part in accumulate(lower)],
            [min(one, -(-(part << bits) // total_lower)) for part in accumulate(upper)],
        )


def _fixed(low: Fraction, high: Fraction, scale: int) -> tuple[int, int]:
    """Integers around 2^scale times the bounds."""
    return (
        (low.numerator << scale) // low.denominator,
        -((-high.numerator << scale) // high.denominator),
    )
