"""Sums of losses of different lengths, beside the plain lists they stand for."""

from fractions import Fraction
from itertools import zip_longest

import hypothesis.strategies as st
import pytest
from hypothesis import given

from privet import RecordLoss
from privet.errors import DataError
from privet.ledger.sums import NOTHING, largest_of, sum_of, taken_away

VALUES = st.lists(st.integers(0, 3), max_size=6)


def listed(loss: RecordLoss) -> list[Fraction]:
    return [value for start, stop, value in loss.pieces for _ in range(start, stop)]


@given(st.lists(VALUES, max_size=5))
def test_a_sum_is_the_sum_of_the_lists_continued_by_zeros(lists: list[list[int]]) -> None:
    total = sum_of(RecordLoss.from_values(values) for values in lists)
    assert listed(total) == [sum(each) for each in zip_longest(*lists, fillvalue=0)]


@given(st.lists(VALUES, max_size=5))
def test_the_largest_is_taken_at_each_position(lists: list[list[int]]) -> None:
    largest = largest_of(RecordLoss.from_values(values) for values in lists)
    assert listed(largest) == [max(each) for each in zip_longest(*lists, fillvalue=0)]


@given(VALUES, VALUES)
def test_taking_away_undoes_adding(first: list[int], second: list[int]) -> None:
    total = sum_of((RecordLoss.from_values(first), RecordLoss.from_values(second)))
    left = taken_away(total, RecordLoss.from_values(second))
    assert sum_of((left, NOTHING)) == left
    padded = first + [0] * (len(total) - len(first))
    assert listed(left) == padded


def test_what_is_not_in_there_is_not_taken_away() -> None:
    with pytest.raises(DataError, match="does not hold it"):
        taken_away(RecordLoss.from_values([1, 1]), RecordLoss.from_values([0, 2]))
