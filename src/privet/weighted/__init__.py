"""The ratio of two weighted automata under a control: exact search, certificates, their check."""

from privet.weighted.certificate import Certificate
from privet.weighted.check import Claim, check_certificate, check_counterexample
from privet.weighted.excess import Excess, largest_excess
from privet.weighted.limits import Clock, Lengths, Limits
from privet.weighted.problem import (
    Control,
    RatioProblem,
    WeightedAutomaton,
    shared_problem,
    two_automata_problem,
)
from privet.weighted.search import Exceeded, Proved, Stopped
from privet.weighted.worst import Engine, Worst

__all__ = [
    "Certificate",
    "Claim",
    "Clock",
    "Control",
    "Engine",
    "Exceeded",
    "Excess",
    "Lengths",
    "Limits",
    "Proved",
    "RatioProblem",
    "Stopped",
    "WeightedAutomaton",
    "Worst",
    "check_certificate",
    "check_counterexample",
    "largest_excess",
    "shared_problem",
    "two_automata_problem",
]
