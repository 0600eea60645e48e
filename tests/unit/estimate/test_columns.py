"""Columns of other libraries, and all columns of a table at once."""

from collections.abc import Callable
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privet import estimate
from privet.errors import ColumnNotFoundError, DomainError, ParameterTypeError
from privet.symbols import Alphabet

ABC, DIGITS = Alphabet(["a", "b", "c"]), Alphabet([0, 1])
LETTERS, NUMBERS = ["a", "c", "c", "b"], [0, 1, 1, 1]
LETTER = SimpleNamespace(alphabet=ABC, keep_probability=Fraction(1, 2))
DIGIT = SimpleNamespace(alphabet=DIGITS, keep_probability=Fraction(3, 4))
Make = Callable[[list[Any]], Any]

SERIES: list[Make] = [
    pd.Series,
    lambda values: pd.Series(values).astype("category"),
    lambda values: pd.Categorical(values),
    lambda values: pd.Series(values, index=[7] * len(values)),
    pl.Series,
    pa.array,
    lambda values: pa.chunked_array([values[:1], values[1:]]),
    lambda values: pa.array(values).dictionary_encode(),
]
FRAMES: list[Make] = [
    lambda values: pd.DataFrame({"l": values, "d": NUMBERS}),
    lambda values: pl.DataFrame({"l": values, "d": NUMBERS}),
    lambda values: pa.table({"l": values, "d": NUMBERS}),
    lambda values: {"l": values, "d": np.array(NUMBERS)},
]


@pytest.mark.parametrize("make", SERIES)
def test_columns_of_other_libraries_are_read(make: Make) -> None:
    for values, mechanism in ((LETTERS, LETTER), (NUMBERS, DIGIT)):
        known = estimate.frequencies(make(values), mechanism)
        assert known.to_json() == estimate.frequencies(values, mechanism).to_json()
    joint = estimate.joint_frequencies([(make(LETTERS), LETTER), (make(NUMBERS), DIGIT)])
    assert joint.size == 4
    weighted = estimate.frequencies(LETTERS, LETTER, weights=make([1, 2, 3, 4]))
    assert weighted.tally.weights.tolist() == [1, 4, 5]


@pytest.mark.parametrize("make", SERIES)
def test_a_missing_value_is_refused_by_position(make: Make) -> None:
    with pytest.raises(DomainError, match="position 1"):
        estimate.frequencies(make(["a", None, "c"]), LETTER)


def test_bare_text_is_no_column() -> None:
    for text in ("abc", np.str_("abc")):
        with pytest.raises(ParameterTypeError, match="not data"):
            estimate.frequencies(text, LETTER)


@pytest.mark.parametrize("make", FRAMES)
def test_all_columns_of_a_table(make: Make) -> None:
    table = make(LETTERS)
    known = estimate.columns(table, {"d": DIGIT, "l": LETTER}, 0.9, variance="sampling")
    assert list(known) == ["d", "l"]
    own = estimate.frequencies(LETTERS, LETTER, 0.9, variance="sampling")
    assert known["l"].to_json() == own.to_json()
    with pytest.raises(ColumnNotFoundError, match="no column 'x'") as caught:
        estimate.columns(table, {"x": LETTER})
    assert caught.value.payload == {"column": "x"}


@pytest.mark.parametrize("make", FRAMES)
def test_errors_name_the_column_and_no_value(make: Make) -> None:
    with pytest.raises(DomainError, match=r"Column 'l': .*position 2") as caught:
        estimate.columns(make(["a", "b", "secret", "c"]), {"d": DIGIT, "l": LETTER})
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("make", FRAMES[:3])
def test_a_frame_in_place_of_a_column_is_refused(make: Make) -> None:
    frame = make(LETTERS)
    with pytest.raises(ParameterTypeError, match="whole table"):
        estimate.frequencies(frame, LETTER)
    with pytest.raises(ParameterTypeError, match="pairs"):
        estimate.joint_frequencies(frame)
    with pytest.raises(ParameterTypeError, match="whole table"):
        estimate.joint_frequencies([(frame, LETTER), (NUMBERS, DIGIT)])


@pytest.mark.parametrize("columns", [[LETTERS, NUMBERS], {"l": LETTERS}, "ab", [("a",)], None])
def test_what_is_no_list_of_pairs_is_refused(columns: Any) -> None:
    with pytest.raises(ParameterTypeError, match="pairs"):
        estimate.joint_frequencies(columns)
    with pytest.raises(ParameterTypeError, match="pairs"):
        estimate.joint_tally(columns)


def test_what_has_no_columns_is_refused() -> None:
    table = pl.LazyFrame({"l": LETTERS})
    with pytest.raises(ParameterTypeError, match="Collect it first"):
        estimate.columns(table, {"l": LETTER})  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(ParameterTypeError, match="whole table"):
        estimate.frequencies(table, LETTER)
    with pytest.raises(ParameterTypeError, match="no named columns"):
        estimate.columns(LETTERS, {"l": LETTER})  # type: ignore[arg-type]  # wrong on purpose
