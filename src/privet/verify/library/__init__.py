"""Well-known mechanisms as models: output tables, and hidden Markov models with their secrets.

Contract. Every function gives exact rationals and one of two things. A `FiniteModel` is a table for
`verify.smallest_ratio` and its kin; a `SecretModel` is a hidden Markov model with laws of the first
state for `verify.hidden_markov`. Which inputs are neighbours, or which secrets must not be told
apart, is part of the model.
"""

from privet.verify.library.catalogue import CATALOGUE, named_file, question_file
from privet.verify.library.choices import above_threshold, report_noisy_max
from privet.verify.library.counts import (
    CountPrior,
    binomial,
    contagious,
    exchangeable,
    independent,
    modular_geometric,
    noisy_count,
    truncated_geometric,
)
from privet.verify.library.models import FiniteModel, SecretModel
from privet.verify.library.responses import randomized_response, responses_on_chain
from privet.verify.library.sampling import subsampled

__all__ = [
    "CATALOGUE",
    "CountPrior",
    "FiniteModel",
    "SecretModel",
    "above_threshold",
    "binomial",
    "contagious",
    "exchangeable",
    "independent",
    "modular_geometric",
    "named_file",
    "noisy_count",
    "question_file",
    "randomized_response",
    "report_noisy_max",
    "responses_on_chain",
    "subsampled",
    "truncated_geometric",
]
