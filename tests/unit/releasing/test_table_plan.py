"""A plan of a table: the laws that a release has, and standard errors that nothing exceeds."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from privet import Alphabet, ColumnNotFoundError, IndependentRecords, Ledger, ParameterError
from privet.estimate.channel import read_channel
from privet.estimate.moments import mechanism_variances
from privet.exact.number import Number
from privet.releasing import plan_table, table_curves, table_mechanisms

ALPHABETS = {"vote": Alphabet("ab"), "news": Alphabet(range(4)), "party": Alphabet("xyz")}


def test_the_mechanisms_are_those_of_a_release() -> None:
    split: dict[str, Number] = {"vote": 1, "news": 2, "party": "0.5"}
    made = plan_table(ALPHABETS, epsilon=3, split=split, rows_per_person=2)
    released = table_mechanisms(ALPHABETS, 3, 0, split, 2)
    assert {n: m.to_json() for n, m in made.mechanisms.items()} == {
        name: mechanism.to_json() for name, mechanism in released.items()
    }
    assert sum(m.guarantee.epsilon for m in made.mechanisms.values()) * 2 == 3
    assert made.cells == 24


@pytest.mark.parametrize("epsilon", ["1/10", 1, 6])
@pytest.mark.parametrize("names", [("vote",), ("news",), ("vote", "news"), tuple(ALPHABETS)])
def test_the_standard_error_is_the_largest_over_all_data(epsilon: str, names: tuple[str]) -> None:
    """Variances are linear in the data, so the largest is that of rows that are all alike."""
    made = plan_table(ALPHABETS, epsilon=epsilon, rows=50)
    channels = [read_channel(made.mechanisms[name])[1] for name in names]
    shape = tuple(channel.size for channel in channels)
    largest = 0.0
    for cell in product(*map(range, shape)):
        composition = np.zeros(shape)
        composition[cell] = 1 / 50
        largest = max(largest, float(mechanism_variances(composition, channels).max()))
    assert made.standard_error(*names) == pytest.approx(largest**0.5, rel=1e-9)


def test_without_rows_there_is_no_standard_error() -> None:
    made = plan_table(ALPHABETS, epsilon=1)
    assert made.standard_error() is None
    assert made.to_json()["joint_standard_error"] is None
    assert "std. error" not in str(made)


def test_where_nothing_can_be_told_there_is_no_standard_error() -> None:
    made = plan_table(ALPHABETS, epsilon=Fraction(1, 10**300), rows=5)
    assert made.standard_error() is None
    assert str(made).count(" -\n") == 4


def test_it_prints_as_a_table_with_what_is_weak() -> None:
    made = plan_table({"news": ALPHABETS["news"]}, epsilon="0.1", rows=1, rows_per_person=3)
    text = str(made)
    assert text.startswith("epsilon = 0.1 for all rows of a person, at most 3\n")
    assert "joint" not in text.split("'wrong'")[0]
    assert "blind guessing" in text
    assert "from 1 row," in text
    assert "weak" in str(plan_table(ALPHABETS, epsilon=20))


def test_an_account_of_other_records_is_refused() -> None:
    with Ledger.open("memory:") as ledger:
        rows = ledger.account("rows", IndependentRecords(2), 4)
        quote = plan_table(ALPHABETS, epsilon=3, ledger=rows).ledger
        assert quote is not None
        assert quote.cost == pytest.approx(6)
        assert not quote.allowed
        days = ledger.account("days", IndependentRecords(), 4, unit="step")
        with pytest.raises(ParameterError, match="counts steps"):
            plan_table(ALPHABETS, epsilon=3, ledger=days)
        everybody = ledger.account("all", IndependentRecords("all"), 100)
        with pytest.raises(ParameterError, match="Say how many"):
            plan_table(ALPHABETS, epsilon=3, ledger=everybody)
        assert plan_table(ALPHABETS, epsilon=3, rows=9, ledger=everybody).ledger is not None


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(ColumnNotFoundError, match="'age'"):
        plan_table(ALPHABETS, epsilon=1, rows=5).standard_error("age")


def test_a_column_counts_once() -> None:
    made = plan_table(ALPHABETS, epsilon=1, rows=5)
    name = next(iter(ALPHABETS))
    with pytest.raises(ParameterError, match="named twice"):
        made.standard_error(name, name)


def test_curves_are_the_shares_of_the_plans() -> None:
    curves = table_curves(ALPHABETS, epsilons=[1, 2])
    assert [curve.title for curve in curves] == list(ALPHABETS)
    made = plan_table(ALPHABETS, epsilon=2)
    assert [curve.shares_wrong[1] for curve in curves] == [c.share_wrong for c in made.columns]
