"""Before a symbolic question is asked: it is about something, and about a model.

Contract. For every value that the constraints allow, no expression divides by zero, every row of
the model and either secret is a law, and the ratio is positive. These are theorems that the solver
proves; where it finds values against one, the question is refused with them. Constraints that no
value satisfies are refused too, for whatever is claimed of nothing holds. Where the solver does not
know, neither do we: a reason is given back, and nothing is decided. Errors: ModelError.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from privet.errors import ModelError
from privet.verify.smt.algebraic import Real
from privet.verify.smt.claims import Claim, laws
from privet.verify.smt.encodings import (
    any_of,
    comparison_term,
    domain,
    number,
    parameter,
    term,
)
from privet.verify.smt.expressions import Constant, Expression, divisors, total, value_of
from privet.verify.smt.solver import Query, Satisfiable, Solver, Unknown, Unsatisfiable
from privet.verify.smt.symbols import Parameters, Row


@dataclass(frozen=True)
class Fault:
    """What must not happen: `condition` is a term that is true where `complaint` is."""

    complaint: str
    condition: str
    hint: str = ""


def faults(claim: Claim) -> Iterator[Fault]:
    """Everything about a question that the solver has to exclude; numbers are checked here."""
    seen: set[Expression] = set()
    for what, row in laws(claim):
        for entry in row:
            for divisor in divisors(entry):
                if divisor not in seen:
                    seen.add(divisor)
                    yield _division(what, divisor)
    for divisor in divisors(claim.ratio):
        yield _division("The ratio", divisor)
    for what, row in dict.fromkeys(laws(claim)):
        if all(isinstance(entry, Constant) for entry in row):
            _check_numbers(what, row)
        else:
            yield Fault(
                f"{what} has a negative entry or does not sum to 1",
                any_of([*(f"(< {term(entry)} 0.0)" for entry in row), f"(not {_sums_to_1(row)})"]),
                "Every row must be a law for all values that the constraints allow.",
            )
    if not isinstance(claim.ratio, Constant):
        yield Fault("The ratio is not positive", f"(<= {term(claim.ratio)} 0.0)")


def admit(claim: Claim, solver: Solver) -> str:
    """Why it is not known whether the question may be asked, "" if it may. Errors: ModelError."""
    parameters = claim.model.parameters
    # Numbers are checked before the solver is started.
    wanted = list(faults(claim))
    reason = _nonempty(parameters, solver)
    for fault in [] if reason else wanted:
        reason = _exclude(fault, domain(parameters), parameters, solver)
        if reason:
            break
    return reason


def _nonempty(parameters: Parameters, solver: Solver) -> str:
    if not parameters.names:
        return ""
    reason = _constraints_divide(parameters, solver)
    if reason:
        return reason
    verdict = solver.ask(_query(domain(parameters), parameters))
    if isinstance(verdict, Unsatisfiable):
        raise ModelError(
            "No values satisfy the constraints.", hint="Of nothing at all every claim would hold."
        )
    return verdict.reason if isinstance(verdict, Unknown) else ""


def _constraints_divide(parameters: Parameters, solver: Solver) -> str:
    """Constraints may divide by what the others, those without divisions, keep from zero."""
    found = list(dict.fromkeys(parameters.divisors()))
    if not found:
        return ""
    lines = [f"(declare-fun {parameter(name)} () Real)" for name in parameters.names]
    lines += [
        f"(assert {comparison_term(c)})"
        for c in parameters.comparisons
        if not [*divisors(c.left), *divisors(c.right)]
    ]
    condition = any_of([_is_zero(divisor) for divisor in found])
    fault = Fault("A constraint divides by zero", condition)
    return _exclude(fault, lines, parameters, solver)


def _exclude(fault: Fault, lines: list[str], parameters: Parameters, solver: Solver) -> str:
    verdict = solver.ask(_query([*lines, f"(assert {fault.condition})"], parameters))
    if isinstance(verdict, Satisfiable):
        hint = fault.hint or "Narrow the ranges, or add a constraint."
        raise ModelError(f"{fault.complaint} {_where(verdict.values)}.", hint=hint)
    if isinstance(verdict, Unknown):
        return f"{verdict.reason}, while excluding this: {fault.complaint}"
    return ""


def _query(lines: list[str], parameters: Parameters) -> Query:
    return Query("\n".join(lines), tuple(map(parameter, parameters.names)))


def _where(values: dict[str, Real]) -> str:
    shown = [
        f"{name.partition('.')[2]} = {value if isinstance(value, Fraction) else float(value)}"
        for name, value in values.items()
    ]
    return f"at {', '.join(shown)}"


def _division(what: str, divisor: Expression) -> Fault:
    return Fault(f"{what} divides by zero", _is_zero(divisor))


def _is_zero(expression: Expression) -> str:
    return f"(= {term(expression)} {number(Fraction(0))})"


def _sums_to_1(row: Row) -> str:
    return f"(= {term(total(row))} {number(Fraction(1))})"


def _check_numbers(what: str, row: Row) -> None:
    values = [value_of(entry, {}) for entry in row]
    if min(values) < 0:
        raise ModelError(f"{what} has a negative entry.")
    if sum(values) != 1:
        raise ModelError(f"{what} sums to {sum(values)}, not to 1.")
