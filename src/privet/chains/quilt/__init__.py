"""Markov quilts: noise scales and epsilons from the parts of a chain that a node hardly reaches."""

from privet.chains.quilt.bounds import (
    QuiltBound,
    QuiltScale,
    approximate_quilt_scale,
    published_quilt_scale,
    quilt_epsilon,
    quilt_scale,
    quilt_scale_for,
)
from privet.chains.quilt.loads import Loads, Pieces

__all__ = [
    "Loads",
    "Pieces",
    "QuiltBound",
    "QuiltScale",
    "approximate_quilt_scale",
    "published_quilt_scale",
    "quilt_epsilon",
    "quilt_scale",
    "quilt_scale_for",
]
