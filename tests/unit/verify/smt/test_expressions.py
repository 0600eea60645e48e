"""Arithmetic as text: what it means, and everything that is not read."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import ModelError
from privet.verify.smt.expressions import (
    Comparison,
    Constant,
    Expression,
    Name,
    Operation,
    divisors,
    holds,
    names_of,
    read_comparisons,
    read_expression,
    value_of,
)

VALUES = {"p": Fraction(1, 3), "q": Fraction(-2), "r_1": Fraction(5, 7)}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        (".5", Fraction(1, 2)),
        ("1.", Fraction(1)),
        ("1e-3", Fraction(1, 1000)),
        ("1-p", Fraction(2, 3)),
        ("p*q/2", Fraction(-1, 3)),
        ("1 - p - q", Fraction(8, 3)),
        ("1 - (p - q)", Fraction(-4, 3)),
        ("p/q/2", Fraction(-1, 12)),
        ("p/(q/2)", Fraction(-1, 3)),
        ("-p", Fraction(-1, 3)),
        ("--p", Fraction(1, 3)),
        ("+p", Fraction(1, 3)),
        ("-p^2", Fraction(-1, 9)),
        ("(-p)**2", Fraction(1, 9)),
        ("2*-p", Fraction(-2, 3)),
        ("q^0", Fraction(1)),
        ("q^3", Fraction(-8)),
        (" ( ( r_1 ) ) ", Fraction(5, 7)),
        (Fraction(2, 3), Fraction(2, 3)),
        (0.25, Fraction(1, 4)),
        (2, Fraction(2)),
    ],
)
def test_what_an_expression_means(text: Any, value: Fraction) -> None:
    assert value_of(read_expression(text, "it"), VALUES) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "p q",
        "p +",
        "* p",
        "(p",
        "p)",
        "()",
        "2p",
        "p..q",
        "1..2",
        "p^q",
        "p^-1",
        "p^65",
        "p^0.5",
        "p^1/0",
        "p < q",
        "p = 1",
        "1/0",
        "p/0",
        "p/(1-1)",
        "0^1/(2-2)",
        "p.real",
        "__import__('os')",
        "p[0]",
        "lambda: 1",
        "p if q else 1",
        "1_0",
        "\u0663",
        "p\u2212q",
        "1e9999",
        "(((9^64)^64)^64)^64",
        "(p^64)^64",
        "(" * 41 + "p" + ")" * 41,
        "+".join(["p"] * 302),
        "1" * 4001,
        "p;q",
        "p,q",
        "|p|",
    ],
)
def test_what_is_not_read(text: str) -> None:
    with pytest.raises(ModelError, match="it") as caught:
        read_expression(text, "it")
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("value", [True, None, [1], float("nan"), float("inf"), 1j, b"1"])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(ModelError, match="it is"):
        read_expression(value, "it")


def test_three_hundred_operations_are_read() -> None:
    assert value_of(read_expression("+".join(["p"] * 301), "it"), {"p": Fraction(1)}) == 301


def test_names_and_divisors() -> None:
    found = read_expression("p/(q + p/r) + x/2", "it")
    assert names_of(found) == {"p", "q", "r", "x"}
    inner = Name("r")
    assert list(divisors(found)) == [inner, read_expression("q + p/r", "it")]
    with pytest.raises(ModelError, match="divides by zero"):
        value_of(read_expression("1/(p - q)", "it"), {"p": Fraction(1), "q": Fraction(1)})


def test_chains_of_comparisons() -> None:
    p, one = Name("p"), Constant(Fraction(1))
    assert read_comparisons("0 < p <= 1", "it") == (
        Comparison(Constant(Fraction(0)), "<", p),
        Comparison(p, "<=", one),
    )
    assert read_comparisons("p == 1", "it") == read_comparisons("p = 1", "it")
    for text, value, expected in [
        ("p < 1", 1, False),
        ("p <= 1", 1, True),
        ("p > 1", 1, False),
        ("p >= 1", 1, True),
        ("p = 1", 1, True),
        ("p*p = 2*p - 1", 1, True),
        ("p = 1", 2, False),
    ]:
        (comparison,) = read_comparisons(text, "it")
        assert holds(comparison, {"p": Fraction(value)}) == expected
    wrong: Any
    for wrong in ("p", "", "p < ", "< p", "p <> 1", "p => 1", "p != 1", 3, None):
        with pytest.raises(ModelError, match="it"):
            read_comparisons(wrong, "it")


LEAVES = st.one_of(
    st.fractions(min_value=0, max_value=9, max_denominator=9).map(Constant),
    st.sampled_from(sorted(VALUES)).map(Name),
)
TREES: st.SearchStrategy[Expression] = st.recursive(
    LEAVES, lambda inner: st.builds(Operation, st.sampled_from("+-*/"), inner, inner), max_leaves=12
)


def written(tree: Expression) -> str:
    match tree:
        case Constant(value):
            return f"({value})"
        case Name(name):
            return name
        case Operation(sign, left, right):
            return f"({written(left)} {sign} {written(right)})"


@given(TREES)
def test_a_tree_is_read_as_it_is_written(tree: Expression) -> None:
    try:
        expected = value_of(tree, VALUES)
    except ModelError:
        return
    assert value_of(read_expression(written(tree), "it"), VALUES) == expected
