"""The SMT engine: models with parameters, questions as text for a solver, answers checked again."""

from privet.verify.smt.algebraic import AlgebraicNumber
from privet.verify.smt.answers import Found, NotFound, ParametersViolated, SolverCertificate
from privet.verify.smt.decide import for_all_parameters
from privet.verify.smt.export import smt_lib
from privet.verify.smt.find import find_parameters
from privet.verify.smt.symbols import Parameters, SymbolicModel

__all__ = [
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
]
