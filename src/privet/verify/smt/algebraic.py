"""Real algebraic numbers, and exact signs of expressions in them.

Contract. An AlgebraicNumber is irrational: the one root of an irreducible integer polynomial in an
open interval with rational ends, which can be made as short as one likes. Expressions in several of
them are computed in Q[x, y, ...] modulo their polynomials, so what is zero there is zero; what is
not gets its sign from intervals that shrink until they exclude zero. Two numbers that depend on
each other (sqrt 2 given twice) may hide a zero; then the intervals never decide, and that is an
UndecidedError, never a sign.
"""

import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Union

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx, fmpq_poly, fmpz_poly

from privet.errors import ModelError, UndecidedError
from privet.verify.smt.expressions import RELATIONS, Comparison, Expression, fold

Interval = tuple[Fraction, Fraction]
_PRECISIONS = (16, 48, 128, 384, 1024)
"""Bits, one after the other."""


@dataclass(frozen=True)
class AlgebraicNumber:
    """The root of `polynomial` (integers, lowest power first) in the open interval (low, high)."""

    polynomial: tuple[int, ...]
    low: Fraction
    high: Fraction

    @staticmethod
    def root(polynomial: list[Fraction], low: Fraction, high: Fraction) -> "Real":
        """The root in [low, high], rational or not. Errors: ModelError unless there is one."""
        scaled = fmpq_poly([_flint(entry) for entry in polynomial]).numer()
        found: list[Real] = []
        if scaled.degree() >= 1:
            for factor, _ in scaled.factor()[1]:
                found += _roots(factor, low, high)
        if len(found) != 1:
            raise ModelError(f"The polynomial has {len(found)} roots in the interval, not one.")
        return found[0]

    def within(self, width: Fraction) -> Interval:
        """Ends at most `width` apart, the number between them."""
        low, high = self.low, self.high
        rises = self._value(low) < 0
        while high - low > width:
            middle = (low + high) / 2
            if (self._value(middle) < 0) == rises:
                low = middle
            else:
                high = middle
        return low, high

    def _value(self, place: Fraction) -> Fraction:
        value = Fraction(0)
        for coefficient in reversed(self.polynomial):
            value = value * place + coefficient
        return value

    def __float__(self) -> float:
        low, high = self.within(Fraction(1, 2**60))
        return float((low + high) / 2)

    def __str__(self) -> str:
        parts = [f"{c}*x^{power}" for power, c in enumerate(self.polynomial) if c]
        return f"the root of {' + '.join(reversed(parts))} in ({self.low}, {self.high})"


Real = Union[Fraction, AlgebraicNumber]  # noqa: UP007  # a name for the class body above


def _roots(factor: fmpz_poly, low: Fraction, high: Fraction) -> list["Real"]:
    """The roots of an irreducible polynomial in [low, high]; at most one is told apart."""
    coefficients = [int(c) for c in factor.coeffs()]
    if len(coefficients) == 2:
        root = Fraction(-coefficients[0], coefficients[1])
        return [root] if low <= root <= high else []
    chain = _sturm(fmpq_poly(factor))
    count = _changes(chain, low) - _changes(chain, high)
    return [AlgebraicNumber(tuple(coefficients), low, high)] * count


def _sturm(polynomial: fmpq_poly) -> list[fmpq_poly]:
    chain = [polynomial, polynomial.derivative()]
    while chain[-1].degree() > 0:
        chain.append(-(chain[-2] % chain[-1]))
    return chain


def _changes(chain: list[fmpq_poly], place: Fraction) -> int:
    """Sign changes along the chain: by Sturm's theorem, differences of them count roots."""
    signs = [value > 0 for entry in chain if (value := entry(_flint(place))) != 0]
    return sum(a != b for a, b in pairwise(signs))


@dataclass(frozen=True)
class Element:
    """over / under, in the field that `where` describes; under is not zero."""

    where: "Field"
    over: fmpq_mpoly
    under: fmpq_mpoly

    def __add__(self, other: "Element") -> "Element":
        over = self.over * other.under + other.over * self.under
        return self.where.reduced(over, self.under * other.under)

    def __sub__(self, other: "Element") -> "Element":
        over = self.over * other.under - other.over * self.under
        return self.where.reduced(over, self.under * other.under)

    def __mul__(self, other: "Element") -> "Element":
        return self.where.reduced(self.over * other.over, self.under * other.under)

    def __truediv__(self, other: "Element") -> "Element":
        if not other.sign():
            raise ModelError("An expression divides by zero.")
        return self.where.reduced(self.over * other.under, self.under * other.over)

    def sign(self) -> int:
        """-1, 0 or 1. Errors: UndecidedError."""
        return self.where.sign_of(self.over) * self.where.sign_of(self.under)

    def bounds(self, bits: int) -> Interval | None:
        """Rationals around the value; None while the denominator's interval has zero inside."""
        low, high = self.where.interval(self.under, bits)
        if low <= 0 <= high:
            return None
        return _product(self.where.interval(self.over, bits), (1 / high, 1 / low))


class Field:
    """Where expressions in parameters with given values are computed."""

    def __init__(self, values: Mapping[str, Real]) -> None:
        self._values = dict(values)
        names = [name for name, value in values.items() if isinstance(value, AlgebraicNumber)]
        self._numbers = [value for value in values.values() if isinstance(value, AlgebraicNumber)]
        self._context = fmpq_mpoly_ctx.get(names or ["unused"], Ordering.lex)
        self._one = self._context.constant(1)
        self._places = dict(zip(names, self._context.gens(), strict=False))

    @cached_property
    def _relations(self) -> list[fmpq_mpoly]:
        return [
            sum((c * place**power for power, c in enumerate(number.polynomial)), 0 * self._one)
            for number, place in zip(self._numbers, self._places.values(), strict=True)
        ]

    def constant(self, value: Fraction) -> Element:
        """A rational number."""
        return Element(self, self._context.constant(_flint(value)), self._one)

    def named(self, name: str) -> Element:
        """The value of a parameter."""
        value = self._values[name]
        if isinstance(value, Fraction):
            return self.constant(value)
        return Element(self, self._places[name], self._one)

    def element(self, expression: Expression) -> Element:
        """The value of an expression. Errors: ModelError for a division by zero."""
        return fold(expression, self.constant, self.named, _combined)

    def holds(self, comparison: Comparison) -> bool:
        """Whether a comparison is true. Errors: UndecidedError."""
        difference = self.element(comparison.left) - self.element(comparison.right)
        return RELATIONS[comparison.relation](Fraction(difference.sign()), Fraction(0))

    def reduced(self, over: fmpq_mpoly, under: fmpq_mpoly) -> Element:
        """The quotient, both parts modulo the polynomials of the numbers."""
        for relation in self._relations:
            over, under = divmod(over, relation)[1], divmod(under, relation)[1]
        return Element(self, over, under)

    def sign_of(self, polynomial: fmpq_mpoly) -> int:
        """The sign of a reduced polynomial. Errors: UndecidedError."""
        if not polynomial:
            return 0
        for bits in _PRECISIONS:
            low, high = self.interval(polynomial, bits)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
        raise UndecidedError("The sign of an expression in algebraic numbers cannot be told.")

    def interval(self, polynomial: fmpq_mpoly, bits: int) -> Interval:
        """Rationals around its value, nearer for more bits."""
        ends = [number.within(Fraction(1, 2**bits)) for number in self._numbers]
        low = high = Fraction(0)
        for powers, coefficient in polynomial.to_dict().items():
            factor = Fraction(int(coefficient.p), int(coefficient.q))
            term = factor, factor
            for power, end in zip(powers, ends, strict=False):
                for _ in range(int(power)):
                    term = _product(term, end)
            low, high = low + term[0], high + term[1]
        return low, high


def _combined(sign: str, left: Element, right: Element) -> Element:
    operations = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
    result: Element = operations[sign](left, right)
    return result


def _product(left: Interval, right: Interval) -> Interval:
    products = [a * b for a in left for b in right]
    return min(products), max(products)


def _flint(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def nearby_fractions(number: AlgebraicNumber) -> Iterator[Fraction]:
    """Fractions with small denominators, nearer and nearer."""
    seen = set()
    for digits in (1, 2, 3, 6, 10):
        low, high = number.within(Fraction(1, 10 ** (digits + 2)))
        radius = Fraction(1, 10**digits)
        found = simplest_between(low - radius, high + radius)
        if found not in seen:
            seen.add(found)
            yield found


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of smallest denominator in [low, high], by continued fractions."""
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest_between(-high, -low)
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    floor = whole - 1
    return floor + 1 / simplest_between(1 / (high - floor), 1 / (low - floor))
