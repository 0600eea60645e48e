"""The ratio of two weighted automata under a control: exact search, certificates, their check.

Contract. A name brings in its module when it is first used (PEP 562), so that who checks a
certificate loads no search.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

_MODULES = {
    "certificate": ("Certificate",),
    "check": ("Claim", "check_certificate", "check_counterexample"),
    "excess": ("Excess", "largest_excess"),
    "limits": ("Clock", "Lengths", "Limits"),
    "problem": (
        "Control",
        "RatioProblem",
        "WeightedAutomaton",
        "shared_problem",
        "two_automata_problem",
    ),
    "search": ("Exceeded", "Proved", "Stopped"),
    "worst": ("Engine", "Worst"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

# Hidden from type checkers, which would otherwise take every misspelt name for an object.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """The public name `name`, from its module; kept, so that the next use costs nothing."""
        if name not in _MODULE_OF:
            raise AttributeError(f"module 'privet.weighted' has no attribute {name!r}")
        value = getattr(import_module(f"privet.weighted.{_MODULE_OF[name]}"), name)
        globals()[name] = value
        return value

    def __dir__() -> list[str]:
        """The public names and what is already loaded."""
        return sorted({*globals(), *__all__})
