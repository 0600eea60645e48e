"""Counting different values: exact while they are few, close beyond, the same in any parts."""

import datetime
import subprocess
import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.data import Variety

VALUES = st.lists(st.sampled_from(["", "a", "ab", "ba", "\0", "a\0", "é", None]))


def variety(values: Any, kind: Any = None) -> Variety:
    found = Variety.of(pa.chunked_array([pa.array(values, kind)]))
    assert found is not None
    return found


@given(VALUES, VALUES)
def test_parts_add_up(first: list[str | None], second: list[str | None]) -> None:
    both = variety(first, pa.string()) + variety(second, pa.string())
    assert both.count == len({*first, *second})
    assert np.array_equal(both.marks, variety([*first, *second], pa.string()).marks)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2, 2, None, -1], pa.int8()),
        ([1.5, 2.5, 2.5, 0.0], pa.float64()),
        ([True, False, True], pa.bool_()),
        ([datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)], pa.date32()),
        (["a", "b", "a"], pa.large_string()),
        (["a", "b", "a"], pa.string_view()),
        ([b"a", b"b"], pa.binary(1)),
        ([None, None], pa.null()),
        (["a", "b", "a", None], pa.dictionary(pa.int8(), pa.string())),
        ([], pa.string()),
    ],
)
def test_every_kind_is_counted(values: list[Any], kind: Any) -> None:
    assert variety(values, kind).count == len(set(values))


def test_nested_values_are_not_compared() -> None:
    assert Variety.of(pa.chunked_array([pa.array([[1], [2]])])) is None


@pytest.mark.parametrize("different", [200_000, 2_000_000])
def test_many_are_counted_closely_in_little_memory(different: int) -> None:
    parts = np.array_split(np.arange(different) * 7919, 5)
    found = variety(parts[0])
    for part in parts[1:]:
        found += variety(part)
    assert abs(found.count - different) < 0.02 * different
    assert found.marks.size <= 1 << 16


def test_marks_are_the_same_in_another_process() -> None:
    program = (
        "import pyarrow as pa; from privet.data import Variety; "
        "print(Variety.of(pa.chunked_array([['a', 'bc']])).marks.tolist())"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == str(variety(["a", "bc"]).marks.tolist())
