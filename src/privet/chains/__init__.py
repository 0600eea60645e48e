"""Public models of sequences: Markov chains, hidden Markov models, and the files they come in."""

from privet.chains.files import model_from_json, read_model, save_model
from privet.chains.hidden import HiddenMarkovModel
from privet.chains.markov import MarkovChain

__all__ = ["HiddenMarkovModel", "MarkovChain", "model_from_json", "read_model", "save_model"]
