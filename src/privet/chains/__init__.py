"""Public models of sequences: Markov chains, hidden Markov models, and the files they come in.

Also what a chain says about privacy: families and boxes of chains, how much far nodes tell about a
node (max-influence), and the noise and the epsilons that follow (Markov quilts).
"""

from privet.chains.box import ChainBox
from privet.chains.family import ChainFamily
from privet.chains.files import model_from_json, read_model, save_model
from privet.chains.hidden import HiddenMarkovModel
from privet.chains.influence import influence_curve, max_influence
from privet.chains.markov import MarkovChain
from privet.chains.quilt import (
    QuiltBound,
    QuiltScale,
    approximate_quilt_scale,
    published_quilt_scale,
    quilt_epsilon,
    quilt_scale,
    quilt_scale_for,
)

__all__ = [
    "ChainBox",
    "ChainFamily",
    "HiddenMarkovModel",
    "MarkovChain",
    "QuiltBound",
    "QuiltScale",
    "approximate_quilt_scale",
    "influence_curve",
    "max_influence",
    "model_from_json",
    "published_quilt_scale",
    "quilt_epsilon",
    "quilt_scale",
    "quilt_scale_for",
    "read_model",
    "save_model",
]
