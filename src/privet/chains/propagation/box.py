"""Propagation for every chain of a box: between two matrices, changing in time, any start.

Contract. `box` is any object with `lower` and `upper`, (k, k) float64 arrays that every transition
matrix of the family lies between, entry by entry. The bound holds for every chain of the box,
whatever its start and however it moves inside the box from step to step. Where a lower entry is 0
and its upper one is not, nothing is known of some ratios, and the bound may be the sum of losses.
"""

from fractions import Fraction
from typing import Protocol

import numpy as np

from privet.chains.propagation.bound import PropagationBound, mirrored, read_pieces, worst
from privet.chains.propagation.scale import smallest_scale
from privet.chains.propagation.spread import SpreadStep
from privet.chains.propagation.sweep import Pieces, Walk
from privet.chains.stochastic import FloatArray


class Box(Protocol):
    """Bounds of transition matrices."""

    @property
    def lower(self) -> FloatArray:
        """(k, k), nonnegative."""

    @property
    def upper(self) -> FloatArray:
        """(k, k), at or above `lower`."""


class BoxPropagation:
    """Bounds for all chains of a box; what one evaluation learns serves the next."""

    def __init__(self, box: Box) -> None:
        lower, upper = np.asarray(box.lower, np.float64), np.asarray(box.upper, np.float64)
        self._size, self._rows = len(lower), (lower, upper)
        self.forget()

    def forget(self) -> None:
        """Makes the next answer depend on its losses alone, not on what was evaluated before."""
        lower, upper = self._rows
        self._right = Walk(SpreadStep(lower, upper), self._size, whole=False)
        before = np.ascontiguousarray(lower.T), np.ascontiguousarray(upper.T)
        self._left = Walk(SpreadStep(*before), self._size, whole=False)

    def bound(self, pieces: Pieces, node: int | None = None) -> PropagationBound:
        """The bound for losses constant on pieces, for the worst node or for that one.

        Errors: ParameterError if the pieces have gaps.
        """
        checked = read_pieces(pieces)
        ones = np.ones((self._size, self._size))
        # Beyond the doubles is inf, which bounds everything.
        with np.errstate(over="ignore"):
            right = self._right.over(mirrored(checked), ones)
            left = self._left.over(checked, ones)
        return worst(checked, left, right[::-1], np.arange(self._size), node)


def propagated_epsilon_of_box(box: Box, pieces: Pieces) -> PropagationBound:
    """The bound for every chain of the box."""
    return BoxPropagation(box).bound(pieces)


def propagated_scale_of_box(
    box: Box, constants: Pieces, epsilon: Fraction
) -> tuple[Fraction, PropagationBound]:
    """The scale for constants of each node, as `propagated_scale` finds it for one chain."""
    return smallest_scale(BoxPropagation(box).bound, constants, epsilon)
