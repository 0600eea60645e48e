"""Exact randomness: a cryptographic bit source and laws drawn from it without rounding."""

from privet.randomness.choice import OffsetLaw
from privet.randomness.integers import (
    random_bits,
    random_subset_masks,
    uniform_below,
    uniform_integer,
)
from privet.randomness.noise import discrete_laplace
from privet.randomness.refinable import Cumulative, RefinableLaw
from privet.randomness.source import (
    RandomSource,
    SourceCopyError,
    SystemSource,
    current_source,
    using_source,
)

__all__ = [
    "Cumulative",
    "OffsetLaw",
    "RandomSource",
    "RefinableLaw",
    "SourceCopyError",
    "SystemSource",
    "current_source",
    "discrete_laplace",
    "random_bits",
    "random_subset_masks",
    "uniform_below",
    "uniform_integer",
    "using_source",
]
