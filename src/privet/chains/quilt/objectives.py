"""What is minimised over the quilts of a node: a noise scale, or an epsilon.

Contract. A quilt has an influence e and a load S nearby, both at least 0, S in whole units. For the
noise scale at a given epsilon its value is S / (epsilon - e) if e < epsilon and infinite otherwise;
for the epsilon of given losses it is e + S. Values grow with both. `estimate` is in doubles, at or
above the value by a few last digits; `exact` is the value.
"""

import math
from fractions import Fraction
from typing import Protocol

from privet.exact import float_down, float_up

_UP = 1 + 2.0**-49
"""More than the roundings of an estimate."""


class Objective(Protocol):
    """A value of quilts, to be made small."""

    def estimate(self, influence: float, load: int) -> float:
        """At or above the exact value, by a few last digits."""

    def exact(self, influence: float, load: int) -> Fraction:
        """The exact value; the estimate must be finite."""

    def looseness(self, influence: float, load: int, slack: float) -> float:
        """The share of the value that is due to `slack` of the influence."""


class ScaleObjective:
    """S / (epsilon - e)."""

    def __init__(self, epsilon: Fraction, unit: Fraction) -> None:
        self._epsilon, self._unit = epsilon, unit
        self._float_epsilon, self._float_unit = float_down(epsilon), float_up(unit)

    def estimate(self, influence: float, load: int) -> float:
        """As the protocol says."""
        left = self._float_epsilon - influence
        return load * self._float_unit / left * _UP if left > 0 else math.inf

    def exact(self, influence: float, load: int) -> Fraction:
        """As the protocol says."""
        return load * self._unit / (self._epsilon - Fraction(influence))

    def looseness(self, influence: float, load: int, slack: float) -> float:
        """As the protocol says."""
        return slack / float(self._epsilon - Fraction(influence)) if load else 0.0


class LossObjective:
    """e + S."""

    def __init__(self, unit: Fraction) -> None:
        self._unit, self._float_unit = unit, float_up(unit)

    def estimate(self, influence: float, load: int) -> float:
        """As the protocol says."""
        return (influence + load * self._float_unit) * _UP

    def exact(self, influence: float, load: int) -> Fraction:
        """As the protocol says."""
        return Fraction(influence) + load * self._unit

    def looseness(self, influence: float, load: int, slack: float) -> float:
        """As the protocol says."""
        value = self.estimate(influence, load)
        return slack / value if value else 0.0
