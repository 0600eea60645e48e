"""A guarantee divided among columns and rows adds up to itself, exactly."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import ColumnNotFoundError, ParameterError
from privet.releasing.budget import shares, table_mechanisms
from privet.symbols import Alphabet

AB = Alphabet(["a", "b"])


def test_equal_shares_without_a_split() -> None:
    mechanisms = table_mechanisms({"x": AB, "y": AB, "z": AB}, 1)
    assert [m.epsilon for m in mechanisms.values()] == [Fraction(1, 3)] * 3


def test_relative_shares() -> None:
    mechanisms = table_mechanisms({"x": AB, "y": AB}, "0.3", split={"x": 2, "y": "1"})
    assert mechanisms["x"].epsilon == Fraction(1, 5)
    assert mechanisms["y"].epsilon == Fraction(1, 10)


def test_rows_of_a_person_divide_epsilon_and_delta() -> None:
    mechanism = table_mechanisms({"x": AB}, 1, delta="0.01", rows_per_person=4)["x"]
    assert (mechanism.epsilon, mechanism.delta) == (Fraction(1, 4), Fraction(1, 400))


@given(
    st.lists(st.fractions(min_value="1/1000", max_value=1000), min_size=1, max_size=6),
    st.fractions(min_value="1/1000", max_value=100),
    st.integers(1, 20),
)
def test_the_parts_add_up_to_the_whole(
    weights: list[Fraction], epsilon: Fraction, rows: int
) -> None:
    names = [f"c{number}" for number in range(len(weights))]
    mechanisms = table_mechanisms(
        dict.fromkeys(names, AB),
        epsilon,
        split=dict(zip(names, weights, strict=True)),
        rows_per_person=rows,
    )
    assert rows * sum(m.epsilon for m in mechanisms.values()) == epsilon


@pytest.mark.parametrize(
    ("split", "place"),
    [
        ({"x": 1}, "leaves out the column 'y'"),
        ({"x": 1, "y": 0}, "share of 'y'"),
        ({"x": 1, "y": -1}, "share of 'y'"),
        ({"x": 1, "y": "nan"}, "share of 'y'"),
    ],
)
def test_a_split_that_does_not_cover_the_columns_is_refused(
    split: dict[str, str | int], place: str
) -> None:
    with pytest.raises(ParameterError, match=place):
        shares(["x", "y"], split)


def test_a_split_of_another_column_is_refused() -> None:
    with pytest.raises(ColumnNotFoundError, match="'z'"):
        shares(["x"], {"x": 1, "z": 1})


def test_no_column_is_refused() -> None:
    with pytest.raises(ParameterError, match="No column"):
        table_mechanisms({}, 1)


@pytest.mark.parametrize("rows", [0, -1, True, 1.5])
def test_a_bound_on_rows_that_is_no_count_is_refused(rows: int) -> None:
    with pytest.raises(ParameterError, match="rows_per_person"):
        table_mechanisms({"x": AB}, 1, rows_per_person=rows)
