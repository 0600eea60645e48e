"""Irrational numbers: isolation, exact signs, and fractions beside them."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import ModelError, UndecidedError
from privet.verify.smt.algebraic import (
    AlgebraicNumber,
    Field,
    Real,
    nearby_fractions,
    simplest_between,
)
from privet.verify.smt.expressions import read_comparisons, read_expression


def root(*coefficients: int, low: Fraction | int, high: Fraction | int) -> Real:
    return AlgebraicNumber.root([Fraction(c) for c in coefficients], Fraction(low), Fraction(high))


SQRT2, SQRT3 = root(-2, 0, 1, low=1, high=2), root(-3, 0, 1, low=1, high=2)
CUBIC = root(-1, -1, 0, 1, low=1, high=2)


def test_a_root_is_isolated() -> None:
    assert isinstance(SQRT2, AlgebraicNumber)
    assert float(SQRT2) == pytest.approx(math.sqrt(2), abs=1e-15)
    assert float(root(-2, 0, 1, low=-2, high=0)) == pytest.approx(-math.sqrt(2), abs=1e-15)
    low, high = SQRT2.within(Fraction(1, 10**40))
    assert low**2 < 2 < high**2
    assert high - low <= Fraction(1, 10**40)
    assert "x^2" in str(SQRT2)
    # A factor is found, and a rational root is a fraction: (x - 1/2)(x^2 - 2).
    assert root(2, -4, -1, 2, low=0, high=1) == Fraction(1, 2)
    assert root(2, -4, -1, 2, low=1, high=2) == SQRT2


@pytest.mark.parametrize(
    ("coefficients", "low", "high"),
    [((-2, 0, 1), -2, 2), ((-2, 0, 1), 2, 3), ((1, 0, 1), -5, 5), ((1,), 0, 1), ((), 0, 1)],
)
def test_no_root_or_two_are_refused(coefficients: tuple[int, ...], low: int, high: int) -> None:
    with pytest.raises(ModelError, match="not one"):
        root(*coefficients, low=low, high=high)


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("x*x - 2", 0),
        ("x^4 - 4", 0),
        ("1/x - x/2", 0),
        ("(x + y)^2 - 5 - 2*x*y", 0),
        ("x*y - 2449/1000", 1),
        ("x*y - 245/100", -1),
        ("z^3 - z - 1", 0),
        ("z*x - y", 1),
        ("99/70 - x", 1),
        ("x - 665857/470832", -1),
        ("h - x/2 - 1/2 + x/2", 0),
    ],
)
def test_signs_are_exact(text: str, sign: int) -> None:
    field = Field({"x": SQRT2, "y": SQRT3, "z": CUBIC, "h": Fraction(1, 2)})
    assert field.element(read_expression(text, "it")).sign() == sign


def test_a_division_by_zero_is_refused() -> None:
    field = Field({"x": SQRT2})
    with pytest.raises(ModelError, match="by zero"):
        field.element(read_expression("1/(x*x - 2)", "it"))


def test_a_hidden_zero_is_no_sign() -> None:
    field = Field({"x": SQRT2, "y": SQRT2})
    assert field.element(read_expression("x*y - 3", "it")).sign() == -1
    with pytest.raises(UndecidedError):
        field.element(read_expression("x - y", "it")).sign()


def test_comparisons_and_bounds() -> None:
    field = Field({"x": SQRT2, "y": SQRT3})
    for text, expected in (
        ("x < y", True),
        ("x*x = 2", True),
        ("x*x >= 2", True),
        ("x*x > 2", False),
        ("y <= 1.7", False),
    ):
        (comparison,) = read_comparisons(text, "it")
        assert field.holds(comparison) == expected
    bounds = field.element(read_expression("x/y", "it")).bounds(64)
    assert bounds is not None
    assert bounds[0] ** 2 < Fraction(2, 3) < bounds[1] ** 2
    assert bounds[1] - bounds[0] < Fraction(1, 2**55)


def test_fractions_come_nearer() -> None:
    assert isinstance(SQRT2, AlgebraicNumber)
    found = list(nearby_fractions(SQRT2))
    assert found[0] == Fraction(3, 2)
    assert abs(found[-1] ** 2 - 2) < Fraction(1, 10**8)
    denominators = [fraction.denominator for fraction in found]
    assert denominators == sorted(denominators)


@given(st.fractions(), st.fractions(min_value=0, max_value=2))
def test_the_simplest_fraction_of_an_interval(low: Fraction, width: Fraction) -> None:
    found = simplest_between(low, low + width)
    assert low <= found <= low + width
    for denominator in range(1, min(found.denominator, 50)):
        assert math.ceil(low * denominator) > math.floor((low + width) * denominator)
