"""What a solver found, evaluated again: in rationals where that can be had, else algebraically.

Contract. Nothing of a solver's values is believed: the constraints, the rows, the word and the
inequality are all evaluated here. Irrational values are first replaced by fractions beside them as
far as the solver finds the rest; for those that stay the signs are exact all the same. Errors:
CertificateError, ModelError and UndecidedError for what does not stand.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from privet.errors import CertificateError, ModelError, UndecidedError
from privet.verify.outcome import INTERRUPTED, Undecided, Violated, ratio_of
from privet.verify.problem import Threshold
from privet.verify.question import Question
from privet.verify.smt.algebraic import Element, Field, Real, nearby_fractions
from privet.verify.smt.answers import ParametersViolated
from privet.verify.smt.claims import Claim, laws
from privet.verify.smt.encodings import letter, number, parameter
from privet.verify.smt.expressions import total, value_of
from privet.verify.smt.solver import Query, Satisfiable, Solver
from privet.verify.smt.symbols import ONE, Row
from privet.weighted import Lengths, Limits

_BITS = (32, 128, 512, 2048)


def rationalised(
    solver: Solver, asked: Query, values: dict[str, Real], names: Sequence[str]
) -> dict[str, Real]:
    """Values of the same query with fewer irrational ones, where the solver finds them.

    One irrational parameter after another is replaced by a fraction beside it, and the solver asked
    for the rest.
    """
    for name in map(parameter, names):
        value = values[name]
        if isinstance(value, Fraction):
            continue
        for candidate in nearby_fractions(value):
            pinned = Query(
                f"{asked.script}\n(assert (= {name} {number(candidate)}))",
                asked.names,
                asked.logic,
            )
            verdict = solver.ask(pinned)
            if isinstance(verdict, Satisfiable):
                asked, values = pinned, verdict.values
                break
    return values


def values_of(claim: Claim, values: Mapping[str, Real]) -> dict[str, Real]:
    """The values of the parameters, by their own names."""
    return {name: values[parameter(name)] for name in claim.model.parameters.names}


def rational(values: Mapping[str, Real]) -> dict[str, Fraction] | None:
    """The values, if all are rational."""
    found = {name: value for name, value in values.items() if isinstance(value, Fraction)}
    return found if len(found) == len(values) else None


def question_at(claim: Claim, values: Mapping[str, Fraction], lengths: Lengths) -> Question:
    """The question of numbers at allowed values. Errors: ModelError for values that are not."""
    if not claim.model.parameters.allow(values):
        raise ModelError("The values do not satisfy the constraints.")
    first, second = (
        [value_of(entry, values) for entry in law] for law in (claim.first, claim.second)
    )
    return Question(claim.model.at_exact(values), first, second, lengths)


def codes_of(claim: Claim, values: Mapping[str, Real]) -> tuple[int, ...]:
    """The word. Errors: CertificateError if a symbol is none."""
    symbols = range(len(claim.model.observations))
    codes = []
    for place in range(claim.length):
        value = values[letter(place)]
        if value not in symbols or not isinstance(value, Fraction):
            raise CertificateError("The solver's word has a symbol that is none.")
        codes.append(int(value))
    return tuple(codes)


def violated(claim: Claim, found: Mapping[str, Real]) -> ParametersViolated:
    """The answer. Errors: CertificateError, ModelError, UndecidedError for what does not stand."""
    codes, values = codes_of(claim, found), values_of(claim, found)
    exact = rational(values)
    if exact is None:
        return _violated_at(claim, codes, values)
    ratio = value_of(claim.ratio, exact)
    question = question_at(claim, exact, Lengths(claim.length, claim.length))
    plain = question.violated(codes, Threshold(ratio, ratio))
    return _with_values(plain, values, ratio)


def violated_at(
    claim: Claim, values: Mapping[str, Fraction], limits: Limits
) -> ParametersViolated | None:
    """The exact engine's violation at allowed values, None if it finds none. Errors: ModelError."""
    ratio = value_of(claim.ratio, values)
    question = question_at(claim, values, Lengths(claim.length, claim.length))
    outcome = question.decide(Threshold(ratio, ratio), limits)
    if isinstance(outcome, Undecided) and outcome.reason == INTERRUPTED:
        # The engine has taken the interrupt for its own; it is meant for the whole question.
        raise KeyboardInterrupt
    return _with_values(outcome, dict(values), ratio) if isinstance(outcome, Violated) else None


def _with_values(plain: Violated, values: dict[str, Real], claimed: Fraction) -> ParametersViolated:
    return ParametersViolated(
        plain.word,
        plain.first_probability,
        plain.second_probability,
        plain.ratio,
        values,
        claimed,
    )


def _violated_at(claim: Claim, codes: Sequence[int], values: dict[str, Real]) -> ParametersViolated:
    """At irrational values: the sign is exact, and what is reported are bounds that show it."""
    field = Field(values)
    check_at(claim, field)
    over, under = (chance(claim, field, law, codes) for law in (claim.first, claim.second))
    ratio = field.element(claim.ratio)
    if (over - ratio * under).sign() <= 0:
        raise CertificateError("The word is not above the ratio.")
    for bits in _BITS:
        bounds = [element.bounds(bits) for element in (over, under, ratio)]
        if any(bound is None for bound in bounds):
            continue
        (low, _), (_, high), (_, claimed) = [bound for bound in bounds if bound is not None]
        if high >= 0 and low > claimed * high:
            word = [claim.model.observations[code] for code in codes]
            return ParametersViolated(word, low, high, ratio_of(low, high), values, claimed)
    raise UndecidedError("The bounds do not show the violation.")


def check_at(claim: Claim, field: Field) -> None:
    """Errors: ModelError unless the values are allowed and every row is a law there."""
    if not all(field.holds(comparison) for comparison in claim.model.parameters.comparisons):
        raise ModelError("The values do not satisfy the constraints.")
    one = field.element(ONE)
    for what, row in laws(claim):
        is_law = all(field.element(entry).sign() >= 0 for entry in row)
        if not is_law or (field.element(total(row)) - one).sign():
            raise ModelError(f"{what} is no law there.")


def chance(claim: Claim, field: Field, law: Row, codes: Sequence[int]) -> Element:
    """P(word | the law), by the forward recursion in exact algebraic arithmetic."""
    rows = [[field.element(entry) for entry in row] for row in claim.model.transition]
    seen = [[field.element(entry) for entry in row] for row in claim.model.emission]
    nothing = field.constant(Fraction(0))
    here = [field.element(entry) * seen[s][codes[0]] for s, entry in enumerate(law)]
    for code in codes[1:]:
        moved = (
            sum((a * row[s] for a, row in zip(here, rows, strict=True)), nothing)
            for s in range(len(rows))
        )
        here = [entry * seen[s][code] for s, entry in enumerate(moved)]
    return sum(here, nothing)
