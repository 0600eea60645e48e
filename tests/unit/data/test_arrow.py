"""Choosing and replacing columns of a table, and what is said when one is not there."""

from typing import Any

import pyarrow as pa
import pytest

from privet.data import column_of, replace_column, select_columns
from privet.data.arrow import kind_of, refuse_missing
from privet.errors import ColumnNotFoundError, DataError, MissingValueError

TABLE = pa.table({"a": [1, 2], "b": ["x", "y"], "c": [True, False]})


def test_columns_keep_the_order_of_the_table() -> None:
    assert select_columns(TABLE, ["c", "a"]).column_names == ["a", "c"]


def test_a_replaced_column_keeps_its_place() -> None:
    out = replace_column(TABLE, "b", pa.array(["z", "z"]))
    assert out.to_pydict() == {"a": [1, 2], "b": ["z", "z"], "c": [True, False]}


def test_a_column_that_is_not_there(refused: Any) -> None:
    for call in (
        lambda: column_of(TABLE, "d"),
        lambda: select_columns(TABLE, ["a", "d"]),
        lambda: replace_column(TABLE, "d", pa.array([1, 2])),
    ):
        with refused(ColumnNotFoundError) as seen:
            call()
        assert seen.error.column == "d"


def test_names_are_listed_once_one_that_was_expected_is_there(refused: Any, secret: str) -> None:
    with refused(ColumnNotFoundError) as seen:
        select_columns(TABLE, ["a", "d"])
    assert "Its columns are: a, b, c." in seen.text
    # pandas takes the first record of a file without a header for its names.
    record = pa.table({secret: [1], "yes": [2], "41": [3]})
    with refused(ColumnNotFoundError) as seen:
        select_columns(record, ["vote", "party"])
    assert "3 columns" in seen.text
    assert "header" in seen.text
    assert "yes" not in seen.text
    assert "41" not in seen.text


def test_a_misspelt_name_is_recognised(refused: Any) -> None:
    with refused(ColumnNotFoundError) as seen:
        column_of(pa.table({"Education": [1], "vote": [1]}), "educaton")
    assert "'Education'" in seen.text
    assert "vote" not in seen.text


def test_a_long_list_of_columns_is_cut(refused: Any) -> None:
    wide = pa.table({f"column{i}": [1] for i in range(500)})
    with refused(ColumnNotFoundError) as seen:
        column_of(wide, "x")
    assert len(seen.text) < 400


def test_rows_must_match(refused: Any) -> None:
    with pytest.raises(DataError, match="3 values for 2 rows"):
        replace_column(TABLE, "a", pa.array([1, 2, 3]))
    with refused(DataError):
        select_columns(TABLE, ["a", "a"])


def test_missing_values_are_found_by_row(refused: Any) -> None:
    for column in (
        pa.chunked_array([["x"], ["y", None, None]]),
        pa.array([1.0, 2.0, float("nan"), None]),
        pa.array(["x", "y", None, None]).dictionary_encode(),
    ):
        with refused(MissingValueError) as seen:
            refuse_missing(column, "id", "Complete it.")
        assert seen.error.position == 2
        assert "'id'; 2 rows" in seen.text


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (pa.string_view(), "text"),
        (pa.dictionary(pa.int8(), pa.large_string()), "text"),
        (pa.uint8(), "integer"),
        (pa.float32(), "float"),
        (pa.bool_(), "boolean"),
        (pa.null(), "null"),
        (pa.date32(), ""),
        (pa.binary(), ""),
    ],
)
def test_kinds(kind: Any, expected: str) -> None:
    assert kind_of(kind) == expected
