"""The question "is some word more than c times as likely?" as SMT-LIB text.

Contract. `published` is the query of [liu-wang-zhang-2022], Algorithm 1: one real variable a step,
both forward vectors side by side, each emission chosen by an if-then-else whose last branch is the
variable itself. `linear` is the same question with one vector, the difference first - c second, and
the if-then-else outside of all sums, so that every product has a constant factor and numbers alone
stay in linear arithmetic. Either is unsatisfiable exactly if no word of `length` symbols is above
the ratio, for all values of the parameters that the constraints allow.

Names: `word.t` is the code of symbol t, and `parameter.p` the parameter p; no parameter can have
the name of another constant. What is solved is text, as it is exported.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

from flint import fmpz

from privet.errors import ParameterError
from privet.verify.smt.claims import Claim
from privet.verify.smt.expressions import (
    Comparison,
    Constant,
    Expression,
    fold,
    minus,
    times,
)
from privet.verify.smt.solver import Query
from privet.verify.smt.symbols import Parameters, Row, SymbolicModel


def number(value: Fraction) -> str:
    """A rational as SMT-LIB text."""
    # str() refuses integers of some thousand digits, which exact ratios can have.
    text = f"{fmpz(abs(value.numerator))}.0"
    if value.denominator != 1:
        text = f"(/ {text} {fmpz(value.denominator)}.0)"
    return f"(- {text})" if value < 0 else text


def term(expression: Expression) -> str:
    """An expression as SMT-LIB text."""
    return fold(expression, number, parameter, lambda sign, left, right: f"({sign} {left} {right})")


def parameter(name: str) -> str:
    """The constant that stands for a parameter."""
    return f"parameter.{name}"


def letter(place: int) -> str:
    """The constant that stands for a symbol of the word."""
    return f"word.{place}"


def comparison_term(comparison: Comparison) -> str:
    """A comparison as SMT-LIB text."""
    return f"({comparison.relation} {term(comparison.left)} {term(comparison.right)})"


def domain(parameters: Parameters) -> list[str]:
    """Declarations of the parameters and their constraints."""
    lines = [f"(declare-fun {parameter(name)} () Real)" for name in parameters.names]
    return lines + [f"(assert {comparison_term(c)})" for c in parameters.comparisons]


def plus(terms: Sequence[str]) -> str:
    """A sum of any number of terms."""
    if not terms:
        return number(Fraction(0))
    return terms[0] if len(terms) == 1 else f"(+ {' '.join(terms)})"


def any_of(terms: Sequence[str]) -> str:
    """A disjunction of any number of terms."""
    if not terms:
        return "false"
    return terms[0] if len(terms) == 1 else f"(or {' '.join(terms)})"


def query(claim: Claim, encoding: str) -> Query:
    """Is there a word above the ratio? Errors: ParameterError for an unknown encoding."""
    lines, goal = encoded(claim, encoding)
    names = tuple(map(parameter, claim.model.parameters.names))
    names += tuple(map(letter, range(claim.length)))
    script = "\n".join([*domain(claim.model.parameters), *lines, f"(assert {goal})"])
    return Query(script, names, logic(claim, encoding) if encoding == "linear" else None)


def encoded(claim: Claim, encoding: str) -> tuple[list[str], str]:
    """Declarations with what they presume, and the term that is true of a word above the ratio."""
    if encoding not in ENCODINGS:
        raise ParameterError(
            f"encoding is none of {', '.join(map(repr, ENCODINGS))}.", parameter="encoding"
        )
    return ENCODINGS[encoding](claim)


def logic(claim: Claim, encoding: str) -> str:
    """The SMT-LIB logic of a query."""
    return "QF_LRA" if encoding == "linear" and claim.is_numeric else "QF_NRA"


def _letters(claim: Claim) -> list[str]:
    """Every symbol of the word is one of the codes."""
    places, codes = range(claim.length), range(len(claim.model.observations))
    lines = [f"(declare-fun {letter(place)} () Real)" for place in places]
    for place in places:
        choices = [f"(= {letter(place)} {number(Fraction(code))})" for code in codes]
        lines.append(f"(assert {any_of(choices)})")
    return lines


def _published(claim: Claim) -> tuple[list[str], str]:
    """alpha and beta side by side, as in Algorithm 1."""
    lines = _letters(claim)
    states = range(len(claim.model.states))
    for place in range(claim.length):
        for vector, law in (("alpha", claim.first), ("beta", claim.second)):
            for s in states:
                before = _moved(claim.model, f"{vector}.{place - 1}", s) if place else term(law[s])
                chosen = _select(letter(place), claim.model.emission[s])
                lines.append(f"(define-fun {vector}.{place}.{s} () Real (* {before} {chosen}))")
    last = claim.length - 1
    alpha, beta = (plus([f"{v}.{last}.{s}" for s in states]) for v in ("alpha", "beta"))
    return lines, f"(> {alpha} (* {term(claim.ratio)} {beta}))"


def _moved(model: SymbolicModel, vector: str, state: int) -> str:
    """The inner product of a vector and a column of the transition matrix."""
    column = [row[state] for row in model.transition]
    return plus([f"(* {vector}.{r} {term(entry)})" for r, entry in enumerate(column)])


def _select(variable: str, row: Row) -> str:
    """The entry of the row that the variable names; the last branch is never taken."""
    chosen = variable
    for code in reversed(range(len(row))):
        chosen = f"(ite (= {variable} {number(Fraction(code))}) {term(row[code])} {chosen})"
    return chosen


def _linear(claim: Claim) -> tuple[list[str], str]:
    """One vector, entries that are the number zero left out."""
    model, shared = claim.model, Shared("entry")
    rows, seen = shared.matrix(model.transition), shared.matrix(model.emission)
    start = [shared.term(entry) for entry in difference(claim)]
    lines = _letters(claim) + shared.lines
    for place in range(claim.length):
        for s, entries in enumerate(seen):
            before = start[s]
            if place:
                before = step([row[s] for row in rows], f"vector.{place - 1}")
            chosen = _chosen(letter(place), [scaled(entry, before) for entry in entries])
            lines.append(f"(define-fun vector.{place}.{s} () Real {chosen})")
    last = [f"vector.{claim.length - 1}.{s}" for s in range(len(seen))]
    return lines, f"(> {plus(last)} 0.0)"


def difference(claim: Claim) -> list[Expression]:
    """first - ratio second."""
    pairs = zip(claim.first, claim.second, strict=True)
    return [minus(a, times(claim.ratio, b)) for a, b in pairs]


def step(column: Sequence[str], vector: str) -> str:
    """The inner product of a vector and a column, entries that are the number zero left out."""
    return plus([scaled(e, f"{vector}.{r}") for r, e in enumerate(column) if e != _NOTHING])


_NOTHING, _WHOLE = number(Fraction(0)), number(Fraction(1))


class Shared:
    """Names for the expressions that are not numbers, so that each is written once."""

    def __init__(self, prefix: str) -> None:
        self.lines: list[str] = []
        self._prefix = prefix
        self._names: dict[Expression, str] = {}

    def matrix(self, rows: Sequence[Row]) -> list[list[str]]:
        """The terms of the entries."""
        return [[self.term(entry) for entry in row] for row in rows]

    def term(self, expression: Expression) -> str:
        """The number, or the name of the expression."""
        if isinstance(expression, Constant):
            return number(expression.value)
        if expression not in self._names:
            name = f"{self._prefix}.{len(self._names)}"
            self._names[expression] = name
            self.lines.append(f"(define-fun {name} () Real {term(expression)})")
        return self._names[expression]


def scaled(factor: str, value: str) -> str:
    """A product, short where a factor is 0 or 1."""
    if _NOTHING in (factor, value):
        return _NOTHING
    if factor == _WHOLE:
        return value
    return factor if value == _WHOLE else f"(* {factor} {value})"


def _chosen(variable: str, values: Sequence[str]) -> str:
    chosen = values[-1]
    if all(value == chosen for value in values):
        return chosen
    for code in reversed(range(len(values) - 1)):
        chosen = f"(ite (= {variable} {number(Fraction(code))}) {values[code]} {chosen})"
    return chosen


ENCODINGS: dict[str, Callable[[Claim], tuple[list[str], str]]] = {
    "linear": _linear,
    "published": _published,
}
