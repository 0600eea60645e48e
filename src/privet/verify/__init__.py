"""Proofs that a mechanism or a hidden Markov model keeps a claimed guarantee, or what breaks it.

Contract. A name brings in its module when it is first used (PEP 562), so that who checks a
certificate loads no engine, and who asks about numbers no solver.
"""

from importlib import import_module
from typing import TYPE_CHECKING

# Bound at once: its module has the same name, and would take its place.
from privet.verify.audit import Audit, audit

if TYPE_CHECKING:
    from privet.verify import library
    from privet.verify.certificate import (
        ModelCertificate,
        check_certificate,
    )
    from privet.verify.certificate_files import (
        Counterexample,
        check_certificates,
        read_certificates,
        save_certificates,
    )
    from privet.verify.files import (
        PairBracket,
        PairOutcome,
        Verification,
        certificates_of,
        read_verification,
    )
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
    from privet.verify.own import (
        MechanismCheck,
        own_mechanism,
        own_table,
    )
    from privet.verify.smt import (
        AlgebraicNumber,
        Found,
        NotFound,
        Parameters,
        ParametersViolated,
        SolverCertificate,
        SymbolicModel,
        find_parameters,
        for_all_parameters,
        smt_lib,
    )
    from privet.verify.symbolic_files import (
        SymbolicOutcome,
        SymbolicVerification,
    )
    from privet.verify.tables import (
        read_mechanism_table,
    )

__all__ = [
    "AlgebraicNumber",
    "Audit",
    "Bracket",
    "Counterexample",
    "FiniteCertificate",
    "Found",
    "Holds",
    "MechanismCheck",
    "ModelCertificate",
    "NotFound",
    "Outcome",
    "PairBracket",
    "PairOutcome",
    "Parameters",
    "ParametersViolated",
    "PrivacyProfile",
    "SetViolated",
    "SolverCertificate",
    "SufficientSets",
    "SymbolicModel",
    "SymbolicOutcome",
    "SymbolicVerification",
    "Undecided",
    "Verification",
    "Violated",
    "audit",
    "certificates_of",
    "check_certificate",
    "check_certificates",
    "delta_bracket",
    "find_parameters",
    "finite_mechanism",
    "for_all_parameters",
    "hidden_markov",
    "library",
    "own_mechanism",
    "own_table",
    "privacy_profile",
    "ratio_bracket",
    "ratio_by_length",
    "read_certificates",
    "read_mechanism_table",
    "read_verification",
    "save_certificates",
    "smallest_delta",
    "smallest_epsilon",
    "smallest_ratio",
    "smt_lib",
    "sufficient_sets",
    "worst_ratio",
]

_MODULES = {
    "certificate": (
        "ModelCertificate",
        "check_certificate",
    ),
    "certificate_files": (
        "Counterexample",
        "check_certificates",
        "read_certificates",
        "save_certificates",
    ),
    "files": (
        "PairBracket",
        "PairOutcome",
        "Verification",
        "certificates_of",
        "read_verification",
    ),
    "finite": (
        "PrivacyProfile",
        "SufficientSets",
        "finite_mechanism",
        "privacy_profile",
        "smallest_delta",
        "smallest_epsilon",
        "smallest_ratio",
        "sufficient_sets",
    ),
    "models": (
        "delta_bracket",
        "hidden_markov",
        "ratio_bracket",
        "ratio_by_length",
        "worst_ratio",
    ),
    "outcome": (
        "Bracket",
        "FiniteCertificate",
        "Holds",
        "Outcome",
        "SetViolated",
        "Undecided",
        "Violated",
    ),
    "own": (
        "MechanismCheck",
        "own_mechanism",
        "own_table",
    ),
    "smt": (
        "AlgebraicNumber",
        "Found",
        "NotFound",
        "Parameters",
        "ParametersViolated",
        "SolverCertificate",
        "SymbolicModel",
        "find_parameters",
        "for_all_parameters",
        "smt_lib",
    ),
    "symbolic_files": (
        "SymbolicOutcome",
        "SymbolicVerification",
    ),
    "tables": ("read_mechanism_table",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}
_SUBMODULES = ("library",)

# Hidden from type checkers, which would otherwise take every misspelt name for an object.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """The public name `name`, from its module; kept, so that the next use costs nothing."""
        if name in _SUBMODULES:
            return import_module(f"privet.verify.{name}")
        if name not in _MODULE_OF:
            raise AttributeError(f"module 'privet.verify' has no attribute {name!r}")
        value = getattr(import_module(f"privet.verify.{_MODULE_OF[name]}"), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        """The public names and what is already loaded."""
        return sorted({*globals(), *__all__})
