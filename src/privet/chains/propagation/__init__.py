"""Propagation: the bound of what a record loss gives away on a Markov chain, without quilts."""

from privet.chains.propagation.bound import Propagation, PropagationBound, propagated_epsilon
from privet.chains.propagation.box import (
    BoxPropagation,
    propagated_epsilon_of_box,
    propagated_scale_of_box,
)
from privet.chains.propagation.scale import propagated_scale, smallest_scale

__all__ = [
    "BoxPropagation",
    "Propagation",
    "PropagationBound",
    "propagated_epsilon",
    "propagated_epsilon_of_box",
    "propagated_scale",
    "propagated_scale_of_box",
    "smallest_scale",
]
