"""Arithmetic written as text: "1 - p", "p*q/2", "1/3", and comparisons such as "0 < p <= 1/2".

Contract. Numbers are exact ("0.1" is 1/10), names are ASCII identifiers, and the operations are
+ - * / and ^ or ** by a whole number of at most 64; nothing is looked up, called or executed. What
stands here means nothing until names get values: `fold` computes with whatever it is given, so the
same tree becomes a Fraction, an element of a number field or text for a solver. A division by a
number that is zero is refused here; one by an expression that may be zero is the caller's to refuse
(`divisors` lists them). Errors: ModelError naming the place.
"""

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from privet.errors import ModelError, PrivetError
from privet.exact import exact_number
from privet.exact.number import Number

T = TypeVar("T")

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<sign>\*\*|<=|>=|==|[-+*/^()<>=]))"
)
_LONGEST_TEXT = 4000
_MOST_OPERATIONS = 300
_DEEPEST = 40
_LARGEST_POWER = 64
_MOST_BITS = 20_000

RELATIONS: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
}


@dataclass(frozen=True)
class Constant:
    """A number."""

    value: Fraction


@dataclass(frozen=True)
class Name:
    """A parameter."""

    name: str


@dataclass(frozen=True)
class Operation:
    """`left` `sign` `right`, the sign one of + - * /."""

    sign: str
    left: "Expression"
    right: "Expression"


Expression = Constant | Name | Operation


@dataclass(frozen=True)
class Comparison:
    """`left` `relation` `right`, the relation one of < <= > >= =."""

    left: Expression
    relation: str
    right: Expression


def read_expression(value: Number | Expression, what: str) -> Expression:
    """The expression that a number or a text denotes; `what` names it in errors."""
    if isinstance(value, Constant | Name | Operation):
        return value
    if isinstance(value, str):
        parser = _Parser(value, what)
        found = parser.sum()
        parser.end()
        return found
    try:
        return Constant(exact_number(value, what))
    except PrivetError as error:
        raise ModelError(error.message, hint=error.hint) from None


def read_comparisons(text: str, what: str) -> tuple[Comparison, ...]:
    """The comparisons of a chain such as "0 < p <= q < 1", from left to right."""
    if not isinstance(text, str):
        raise ModelError(f"{what} is not text.", hint='Write it as in "0 < p < 1".')
    parser = _Parser(text, what)
    parts = [parser.sum()]
    relations = []
    while parser.token in (*RELATIONS, "=="):
        relations.append("=" if parser.token == "==" else parser.token)
        parser.advance()
        parts.append(parser.sum())
    parser.end()
    if not relations:
        raise ModelError(f"{what} compares nothing.", hint='Write it as in "0 < p < 1".')
    return tuple(Comparison(*part) for part in zip(parts, relations, parts[1:], strict=False))


def fold(
    expression: Expression,
    constant: Callable[[Fraction], T],
    name: Callable[[str], T],
    combine: Callable[[str, T, T], T],
) -> T:
    """The tree computed from its leaves to its root."""
    match expression:
        case Constant(value):
            return constant(value)
        case Name(known):
            return name(known)
        case Operation(sign, left, right):
            return combine(
                sign, fold(left, constant, name, combine), fold(right, constant, name, combine)
            )


def value_of(expression: Expression, values: Mapping[str, Fraction]) -> Fraction:
    """Its value; every name has one. Errors: ModelError for a division by zero."""
    return fold(expression, lambda value: value, values.__getitem__, combined)


def combined(sign: str, left: Fraction, right: Fraction) -> Fraction:
    """One operation on numbers. Errors: ModelError for a division by zero."""
    if sign == "/" and not right:
        raise ModelError("An expression divides by zero.")
    operations = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
    result: Fraction = operations[sign](left, right)
    return result


def holds(comparison: Comparison, values: Mapping[str, Fraction]) -> bool:
    """Whether a comparison is true of these values."""
    left, right = value_of(comparison.left, values), value_of(comparison.right, values)
    return RELATIONS[comparison.relation](left, right)


def names_of(expression: Expression) -> frozenset[str]:
    """The names that occur."""
    empty: frozenset[str] = frozenset()
    return fold(expression, lambda _: empty, lambda n: frozenset({n}), lambda _, a, b: a | b)


def divisors(expression: Expression) -> Iterator[Expression]:
    """What the expression divides by, inner ones first; numbers are left out."""
    if isinstance(expression, Operation):
        yield from divisors(expression.left)
        yield from divisors(expression.right)
        if expression.sign == "/" and not isinstance(expression.right, Constant):
            yield expression.right


def minus(left: Expression, right: Expression) -> Expression:
    """left - right."""
    return _joined("-", left, right, "The expression")


def times(left: Expression, right: Expression) -> Expression:
    """left * right, nothing at all if either is the number 0."""
    zero = Constant(Fraction(0))
    return zero if zero in (left, right) else _joined("*", left, right, "The expression")


def total(parts: "list[Expression] | tuple[Expression, ...]") -> Expression:
    """The sum, a balanced tree."""
    if not parts:
        return Constant(Fraction(0))
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return _joined("+", total(parts[:middle]), total(parts[middle:]), "The expression")


def _joined(sign: str, left: Expression, right: Expression, what: str) -> Expression:
    """The operation, done at once on numbers."""
    if isinstance(left, Constant) and isinstance(right, Constant):
        if sign == "/" and not right.value:
            raise ModelError(f"{what} divides by zero.")
        return Constant(combined(sign, left.value, right.value))
    if sign == "/" and isinstance(right, Constant) and not right.value:
        raise ModelError(f"{what} divides by zero.")
    return Operation(sign, left, right)


class _Parser:
    """Recursive descent: sums of products of powers of atoms."""

    def __init__(self, text: str, what: str) -> None:
        self._what, self._depth, self._operations = what, 0, 0
        if len(text) > _LONGEST_TEXT or not text.isascii():
            raise self._refusal("is too long or has characters other than ASCII")
        self._tokens = list(self._split(text))
        self._place = 0

    def _split(self, text: str) -> Iterator[tuple[str, str]]:
        place, end = 0, len(text.rstrip())
        while place < end:
            match = _TOKEN.match(text, place)
            if match is None or match.lastgroup is None:
                raise self._refusal(f"cannot be read at character {place + 1}")
            yield match.lastgroup, match[match.lastgroup]
            place = match.end()

    @property
    def token(self) -> str:
        """The text of the next token, "" at the end."""
        return self._tokens[self._place][1] if self._place < len(self._tokens) else ""

    @property
    def _kind(self) -> str:
        return self._tokens[self._place][0] if self._place < len(self._tokens) else ""

    def advance(self) -> str:
        """Take the next token."""
        token = self.token
        self._place += 1
        return token

    def end(self) -> None:
        """Refuse what is left over."""
        if self.token:
            raise self._refusal(f"has {self.token!r} where it should end")

    def sum(self) -> Expression:
        """Products joined by + and -."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._refusal("is nested too deeply")
        found = self._product()
        while self.token in ("+", "-"):
            sign = self.advance()
            found = self._join(sign, found, self._product())
        self._depth -= 1
        return found

    def _product(self) -> Expression:
        found = self._signed()
        while self.token in ("*", "/"):
            sign = self.advance()
            found = self._join(sign, found, self._signed())
        return found

    def _signed(self) -> Expression:
        """Minus binds weaker than powers, as on paper: -p^2 is -(p^2)."""
        negative = False
        while self.token in ("+", "-"):
            negative ^= self.advance() == "-"
        found = self._power()
        return self._join("-", Constant(Fraction(0)), found) if negative else found

    def _power(self) -> Expression:
        base = self._atom()
        if self.token not in ("^", "**"):
            return base
        self.advance()
        exponent = self.advance()
        if not exponent.isdigit() or len(exponent) > 2 or int(exponent) > _LARGEST_POWER:
            raise self._refusal(f"has a power that is no whole number of 0 to {_LARGEST_POWER}")
        found: Expression = Constant(Fraction(1))
        for number in range(int(exponent)):
            found = self._join("*", found, base) if number else base
        return found

    def _atom(self) -> Expression:
        kind, token = self._kind, self.advance()
        if kind == "number":
            return self._number(token)
        if kind == "name":
            return Name(token)
        if token != "(":
            where = f"has {token!r}" if token else "ends"
            raise self._refusal(f"{where} where a number, a parameter or '(' should be")
        found = self.sum()
        if self.advance() != ")":
            raise self._refusal("has a '(' that is not closed")
        return found

    def _number(self, token: str) -> Expression:
        try:
            return Constant(exact_number(token, self._what))
        except PrivetError as error:
            raise ModelError(error.message, hint=error.hint) from None

    def _join(self, sign: str, left: Expression, right: Expression) -> Expression:
        found = _joined(sign, left, right, self._what)
        # A power repeats its base, so what counts is the size of the tree, not of the text.
        if isinstance(found, Operation) and _size_of(found) > _MOST_OPERATIONS:
            raise self._refusal(f"has more than {_MOST_OPERATIONS} operations")
        if isinstance(found, Constant) and _bits_of(found.value) > _MOST_BITS:
            raise self._refusal("has a number of too many digits")
        return found

    def _refusal(self, complaint: str) -> ModelError:
        return ModelError(
            f"{self._what} {complaint}.",
            hint='Expressions are written like "1 - p", "p*q/2" or "(p + 1/3)^2".',
        )


def _bits_of(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _size_of(expression: Expression) -> int:
    if not isinstance(expression, Operation):
        return 0
    return _size_of(expression.left) + _size_of(expression.right) + 1
