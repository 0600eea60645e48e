"""Sums of losses of different lengths, beside the plain lists they stand for."""

from fractions import Fraction
from itertools import zip_longest

import hypothesis.strategies as st
import pytest
from hypothesis import given

from privet import RecordLoss
from privet.errors import DataError
from privet.privacy import LossSum

VALUES = st.lists(st.integers(0, 3), max_size=6)


def listed(loss: RecordLoss) -> list[Fraction]:
    return [value for start, stop, value in loss.pieces for _ in range(start, stop)]


@given(st.lists(VALUES, max_size=5))
def test_a_sum_is_the_sum_of_the_lists_continued_by_zeros(lists: list[list[int]]) -> None:
    total = RecordLoss.sum_of(RecordLoss.from_values(values) for values in lists)
    assert listed(total) == [sum(each) for each in zip_longest(*lists, fillvalue=0)]


@given(st.lists(VALUES, max_size=5))
def test_the_largest_is_taken_at_each_position(lists: list[list[int]]) -> None:
    largest = RecordLoss.largest_of(RecordLoss.from_values(values) for values in lists)
    assert listed(largest) == [max(each) for each in zip_longest(*lists, fillvalue=0)]


@given(VALUES, VALUES)
def test_taking_away_undoes_adding(first: list[int], second: list[int]) -> None:
    total = RecordLoss.sum_of((RecordLoss.from_values(first), RecordLoss.from_values(second)))
    left = total.without(RecordLoss.from_values(second))
    assert RecordLoss.sum_of((left, RecordLoss([]))) == left
    padded = first + [0] * (len(total) - len(first))
    assert listed(left) == padded


def test_what_is_not_in_there_is_not_taken_away() -> None:
    with pytest.raises(DataError, match="does not hold"):
        RecordLoss.from_values([1, 1]).without(RecordLoss.from_values([0, 2]))


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 3)), max_size=25),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 3)), max_size=3),
)
def test_few_pieces_on_many_are_the_same_sum(
    many: list[tuple[int, int, int]], few: list[tuple[int, int, int]]
) -> None:
    losses = [
        [
            RecordLoss.segment(max(first, second), min(first, second), max(first, second), value)
            for first, second, value in each
        ]
        for each in (many, few)
    ]
    first, second = map(RecordLoss.sum_of, losses)
    total = LossSum()
    total.add(first)
    total.add(second)
    assert RecordLoss.sum_of((first, second)) == total.loss()
