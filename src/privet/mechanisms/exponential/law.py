"""Gibbs laws with rational exponents, enclosed to any precision by ball arithmetic.

Contract. P(j) is proportional to exp(-x_j) for rationals x_j >= 0 of which the smallest is 0. The
law is that real law: nothing is rounded, nothing underflows (exponents are integers of any size in
Arb [johansson-2017]), and draws refine enclosures until they decide.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from privet.exact.enclosure import ball, endpoints
from privet.randomness import Cumulative, RefinableLaw

_WIDEST = 4
"""An enclosure wider than this many units is computed again with more bits."""


class GibbsLaw(RefinableLaw):
    """P(j) = exp(-energies[j]) / Z on 0..K-1; `energies`: rationals >= 0 with minimum 0."""

    def __init__(self, energies: Sequence[Fraction]) -> None:
        self.energies = tuple(energies)
        self.categories = len(self.energies)

    def cumulative(self, bits: int) -> Cumulative:
        """Enclosures, at most 4 units wide, of 2^bits P(category <= j) for every j."""
        precision = bits + 32 + len(self.energies).bit_length()
        while True:
            lower, upper = self._cumulative(bits, precision)
            if all(b - a <= _WIDEST for a, b in zip(lower, upper, strict=True)):
                return Cumulative(0, lower, upper)
            precision *= 2

    def log_probabilities(self, precision: int) -> list[arb]:
        """Balls around log P(j), computed with `precision` bits."""
        with ctx.workprec(precision):
            total = sum(self._weights(), arb(0)).log()
            return [-ball(energy) - total for energy in self.energies]

    def probabilities(self) -> npt.NDArray[np.float64]:
        """(K,) float64: P(j), right to about 1e-15 of itself (0 where that is below 1e-308)."""
        return np.exp([float(value) for value in self.log_probabilities(128)])

    def _cumulative(self, bits: int, precision: int) -> tuple[list[int], list[int]]:
        with ctx.workprec(precision):
            sums = list(accumulate(self._weights()))
            ends = [endpoints((part / sums[-1]) * arb(2) ** bits) for part in sums]
        lower = [max(0, a.numerator // a.denominator) for a, _ in ends]
        upper = [min(1 << bits, -(-b.numerator // b.denominator)) for _, b in ends]
        lower[-1] = upper[-1] = 1 << bits
        return lower, upper

    def _weights(self) -> list[arb]:
        known = {energy: (-ball(energy)).exp() for energy in set(self.energies)}
        return [known[energy] for energy in self.energies]
