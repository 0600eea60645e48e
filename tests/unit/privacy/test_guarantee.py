"""A guarantee in words, with every number rounded against us."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.exact import exp_up
from privet.privacy import Guarantee
from privet.privacy.guarantee import decimal_up


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1), "1"),
        (Fraction(27182818, 10**7), "2.72"),
        (Fraction(1, 3), "0.334"),
        (Fraction(12345), "12400"),
        (Fraction(99999, 100), "1000"),
        (Fraction(1, 10**9), "1e-09"),
        (Fraction(10**12 + 1), "1.01e+12"),
        (Fraction(0), "0"),
    ],
)
def test_decimals_are_rounded_up(value: Fraction, text: str) -> None:
    assert decimal_up(value) == text


@given(st.fractions(Fraction(1, 10**40), Fraction(10**40)), st.integers(1, 9))
def test_what_is_said_is_never_below_the_truth(value: Fraction, digits: int) -> None:
    said = Fraction(decimal_up(value, digits))
    assert value <= said <= value * (1 + Fraction(10, 10**digits))


def test_the_sentence_names_unit_numbers_assumptions_and_what_is_published() -> None:
    guarantee = Guarantee(Fraction(1), Fraction(1, 10**6), "Any one month of a person's 72 months")
    guarantee = guarantee.with_published("the column 'region'").with_assumptions("rows are people")
    sentence = guarantee.sentence
    assert sentence.startswith("Any one month of a person's 72 months: ")
    for part in ("2.72", "epsilon = 1", "delta = 0.000001", "rows are people", "'region'"):
        assert part in sentence.replace("1e-06", "0.000001")
    assert str(guarantee) == sentence
    assert Guarantee.from_json(guarantee.to_json()) == guarantee


def test_the_factor_covers_a_large_epsilon() -> None:
    sentence = Guarantee(Fraction(1000), Fraction(0), "Any one row").sentence
    factor = Fraction(sentence.split("factor ")[1].split(" ")[0])
    assert factor >= exp_up(Fraction(1000)) * (1 - Fraction(1, 2**100))
