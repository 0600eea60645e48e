"""The law of the distance under permute-and-flip, to any precision, for draws.

Contract. P(l) = binomial(l; n, C/(1+C)) psi(l), C = (m-1) q: the law of the exponential mechanism
on the levels, tilted by psi (floats.py defines it, enclosures.py bounds it, PROOF.md proves it).
"""

from fractions import Fraction

import numpy as np

from privet.mechanisms.levels import FloatArray, LevelWalk, StaircaseLevels, log_level_weights
from privet.mechanisms.word_permute_and_flip.enclosures import PsiEnclosure
from privet.mechanisms.word_permute_and_flip.floats import Quadrature


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


def _fixed(low: Fraction, high: Fraction, scale: int) -> tuple[int, int]:
    """Integers around 2^scale times the bounds."""
    return (
        (low.numerator << scale) // low.denominator,
        -((-high.numerator << scale) // high.denominator),
    )
