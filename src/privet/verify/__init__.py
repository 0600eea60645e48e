"""Proofs that a mechanism or a hidden Markov model keeps a claimed guarantee, or what breaks it."""

from privet.verify.certificate import ModelCertificate, check_certificate
from privet.verify.finite import (
    PrivacyProfile,
    SufficientSets,
    finite_mechanism,
    privacy_profile,
    smallest_delta,
    smallest_epsilon,
    smallest_ratio,
    sufficient_sets,
)
from privet.verify.models import (
    delta_bracket,
    hidden_markov,
    ratio_bracket,
    ratio_by_length,
    worst_ratio,
)
from privet.verify.outcome import (
    Bracket,
    FiniteCertificate,
    Holds,
    Outcome,
    SetViolated,
    Undecided,
    Violated,
)
from privet.verify.tables import read_mechanism_table

__all__ = [
    "Bracket",
    "FiniteCertificate",
    "Holds",
    "ModelCertificate",
    "Outcome",
    "PrivacyProfile",
    "SetViolated",
    "SufficientSets",
    "Undecided",
    "Violated",
    "check_certificate",
    "delta_bracket",
    "finite_mechanism",
    "hidden_markov",
    "privacy_profile",
    "ratio_bracket",
    "ratio_by_length",
    "read_mechanism_table",
    "smallest_delta",
    "smallest_epsilon",
    "smallest_ratio",
    "sufficient_sets",
    "worst_ratio",
]
