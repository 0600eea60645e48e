"""Record losses: rounded up once, then exact; addition is that of functions."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import DataError, ParameterError
from privet.privacy import IndependentRecords, RecordLoss

LENGTH = 12
values = st.lists(
    st.fractions(Fraction(0), Fraction(3), max_denominator=97), min_size=LENGTH, max_size=LENGTH
)


def spread(loss: RecordLoss) -> list[Fraction]:
    return [value for start, stop, value in loss.pieces for _ in range(start, stop)]


@given(values)
def test_losses_are_rounded_up_by_less_than_a_unit(losses: list[Fraction]) -> None:
    loss = RecordLoss.from_values(losses)
    assert loss.length == LENGTH
    for exact, rounded in zip(losses, spread(loss), strict=True):
        assert 0 <= rounded - exact < Fraction(1, 2**64)


@given(values, values, values)
def test_addition_is_pointwise_associative_commutative_with_identity(
    a: list[Fraction], b: list[Fraction], c: list[Fraction]
) -> None:
    x, y, z = (RecordLoss.from_values(v) for v in (a, b, c))
    assert spread(x + y) == [p + q for p, q in zip(spread(x), spread(y), strict=True)]
    assert x + y == y + x
    assert (x + y) + z == x + (y + z)
    assert x + RecordLoss.constant(LENGTH, 0) == x


@given(values, st.integers(1, 30))
def test_adding_n_times_is_n_additions(losses: list[Fraction], times: int) -> None:
    loss = RecordLoss.from_values(losses)
    total = RecordLoss.constant(LENGTH, 0)
    for _ in range(times):
        total = total + loss
    assert spread(total) == [times * value for value in spread(loss)]


@given(values)
def test_json_round_trip_and_equality_do_not_depend_on_the_pieces(losses: list[Fraction]) -> None:
    loss = RecordLoss.from_values(losses)
    assert RecordLoss.from_json(loss.to_json()) == loss
    pieces = RecordLoss.constant(LENGTH, 0)
    for node, value in enumerate(losses):
        pieces = pieces + RecordLoss.segment(LENGTH, node, node + 1, value)
    assert pieces == loss
    assert hash(pieces) == hash(loss)


@given(values, st.integers(1, LENGTH + 3))
def test_epsilon_is_the_sum_of_the_largest_losses(losses: list[Fraction], unit: int) -> None:
    loss = RecordLoss.from_values(losses)
    expected = sum(sorted(spread(loss), reverse=True)[:unit])
    assert IndependentRecords(unit).epsilon(loss) == expected
    assert IndependentRecords("all").epsilon(loss) == sum(spread(loss))


def test_disjoint_segments_compose_in_parallel_and_overlaps_in_sequence() -> None:
    first = RecordLoss.segment(10, 0, 5, 1)
    second = RecordLoss.segment(10, 5, 10, 2)
    assert IndependentRecords().epsilon(first + second) == 2
    assert IndependentRecords().epsilon(first + first + second) == 2
    assert IndependentRecords().epsilon(first + first + first) == 3


def test_a_million_records_are_one_piece() -> None:
    loss = RecordLoss.constant(10**6, "0.1") + RecordLoss.constant(10**6, "0.2")
    assert len(loss.pieces) == 1
    assert loss.total >= Fraction(3 * 10**5)


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), "-0.1"])
def test_losses_that_are_none_are_refused(value: float) -> None:
    with pytest.raises(ParameterError):
        RecordLoss.constant(3, value)


def test_a_subnormal_loss_is_not_lost() -> None:
    loss = RecordLoss.constant(1, 5e-324) + RecordLoss.constant(1, 1)
    assert loss.maximum > 1


def test_lengths_that_differ_and_segments_outside_are_refused() -> None:
    with pytest.raises(DataError):
        RecordLoss.constant(2, 1) + RecordLoss.constant(3, 1)
    with pytest.raises(ParameterError):
        RecordLoss.segment(3, 2, 5, 1)
    with pytest.raises(DataError):
        RecordLoss.from_json({"bits": 32, "pieces": []})
    with pytest.raises(ParameterError):
        IndependentRecords(0)
    with pytest.raises(ParameterError):
        IndependentRecords("some")  # type: ignore[arg-type]  # the refusal under test


@pytest.mark.parametrize(
    "data",
    [
        [],
        {"bits": 64},
        {"bits": 64, "pieces": {}},
        {"bits": 64, "pieces": [[3, 0.9]]},
        {"bits": 64, "pieces": [[3, float("nan")]]},
        {"bits": 64, "pieces": [[3.9, "5"]]},
        {"bits": 64, "pieces": [[True, "5"]]},
        {"bits": 64, "pieces": [[3, "1_0"]]},
        {"bits": 64, "pieces": [[3, "1/2"]]},
        {"bits": 64, "pieces": [[3, "-1"]]},
        {"bits": 64, "pieces": [[3, -1]]},
        {"bits": 64, "pieces": [[3]]},
        {"bits": 64, "pieces": ["35"]},
        {"bits": 64, "pieces": [[3, "5"], [2, "5"]]},
    ],
)
def test_what_is_not_a_written_loss_is_refused_and_never_rounded_down(data: Any) -> None:
    with pytest.raises(DataError):
        RecordLoss.from_json(data)
