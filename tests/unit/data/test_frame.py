"""Frames of each library come back as they were: types, order of rows, index."""

import datetime
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privet.data import decode_column, encode_column, replace_column, to_arrow
from privet.data.frame import ArrowFrame
from privet.errors import ColumnNotFoundError, DataError, ParameterError, ParameterTypeError
from privet.symbols import Alphabet

LETTERS = Alphabet(["c", "b", "a", "never seen"])
DIGITS = Alphabet(["2", "1", "0"])
TRUTH = Alphabet(["True", "False"])


def passed_through(frame: ArrowFrame, alphabets: dict[str, Alphabet]) -> Any:
    """The frame after every column named went to codes and back."""
    table = frame.table
    for name, alphabet in alphabets.items():
        column = table.column(name)
        codes = encode_column(column, alphabet, name=name)
        table = replace_column(table, name, decode_column(codes, alphabet, column.type))
    return frame.restore(table)


PANDAS: list[tuple[str, Any, Alphabet]] = [
    ("object text", pd.Series(["a", "b", "c"], dtype=object), LETTERS),
    ("str", pd.Series(["a", "b", "c"], dtype="str"), LETTERS),
    ("string, python", pd.Series(["a", "b", "c"], dtype=pd.StringDtype("python")), LETTERS),
    ("string, pyarrow", pd.Series(["a", "b", "c"], dtype=pd.StringDtype("pyarrow")), LETTERS),
    ("arrow", pd.Series(["a", "b", "c"], dtype=pd.ArrowDtype(pa.string())), LETTERS),
    ("int8", pd.Series([0, 1, 2], dtype="int8"), DIGITS),
    ("Int64", pd.Series([0, 1, 2], dtype="Int64"), DIGITS),
    ("object integers", pd.Series([0, 1, 2], dtype=object), DIGITS),
    ("float", pd.Series([0.0, 1.0, 2.0]), DIGITS),
    ("bool", pd.Series([True, False, True]), TRUTH),
    ("boolean", pd.Series([True, False, True], dtype="boolean"), TRUTH),
    ("object booleans", pd.Series([True, False, True], dtype=object), TRUTH),
]


@pytest.mark.parametrize(
    ("series", "alphabet"), [p[1:] for p in PANDAS], ids=[p[0] for p in PANDAS]
)
def test_pandas_columns_keep_their_dtype(series: Any, alphabet: Alphabet) -> None:
    frame = pd.DataFrame({"x": series, "kept": [1.5, None, 2.5]})
    frame.index = pd.Index([7, 5, 7], name="visit")
    arrow = to_arrow(frame)
    assert arrow.library == "pandas"
    assert arrow.index == ("visit",)
    pd.testing.assert_frame_equal(passed_through(arrow, {"x": alphabet}), frame)


def test_pandas_categories_come_back_as_the_public_alphabet() -> None:
    # The categories of the frame say what occurs in the data; those that go out must not.
    frame = pd.DataFrame({"x": pd.Categorical(["a", "b", "a"], ordered=True)})
    out = passed_through(to_arrow(frame), {"x": LETTERS})
    assert out["x"].tolist() == ["a", "b", "a"]
    assert out["x"].cat.categories.tolist() == ["c", "b", "a", "never seen"]
    assert out["x"].cat.ordered
    numbers = pd.DataFrame({"x": pd.Categorical([0, 1, 0])})
    out = passed_through(to_arrow(numbers), {"x": DIGITS})
    assert out["x"].cat.categories.tolist() == [2, 1, 0]
    assert out["x"].cat.categories.dtype == np.dtype("int64")


def test_pandas_columns_that_are_kept_come_back_untouched() -> None:
    frame = pd.DataFrame(
        {
            "when": pd.to_datetime(pd.Series(["2020-01-01", None, "2021-05-06"])),
            "zone": pd.to_datetime(["2020-01-01", "2020-01-02", "2021-05-06"]).tz_localize("UTC"),
            "day": pd.Series([datetime.date(2020, 1, 1)] * 3, dtype=object),
            "mixed": pd.Series([1, None, 3], dtype=object),
            "nullable": pd.Series([1, None, 3], dtype="Int64"),
            "kind": pd.Categorical(["u", None, "v"]),
        }
    )
    arrow = to_arrow(frame)
    assert arrow.index == ()
    pd.testing.assert_frame_equal(arrow.restore(arrow.table), frame)


def test_pandas_labels_that_are_not_text_are_found_as_text() -> None:
    frame = pd.DataFrame({0: ["a"], 1: ["b"]})
    arrow = to_arrow(frame, columns=["1"])
    assert arrow.table.column_names == ["1"]
    assert arrow.restore(arrow.table).columns.tolist() == [1]
    two = pd.DataFrame([["a", "b"]], columns=pd.MultiIndex.from_tuples([("u", "v"), ("u", "w")]))
    pd.testing.assert_frame_equal(to_arrow(two).restore(to_arrow(two).table), two)


def test_an_index_that_says_something_is_named() -> None:
    frame = pd.DataFrame({"x": ["a", "b", "c"]})
    assert to_arrow(frame).index == ()
    assert to_arrow(frame.iloc[1:]).index == ("index",)
    assert to_arrow(frame.set_axis(["u", "v", "w"])).index == ("index",)
    assert to_arrow(frame.rename_axis("person")).index == ("person",)


def test_no_column_is_refused(refused: Any) -> None:
    for frame in (pd.DataFrame({"x": ["a"]}), _polars(), _polars().lazy(), _polars().to_arrow()):
        with refused(ParameterError):
            to_arrow(frame, columns=[])


def test_pandas_duplicate_names_and_mixed_values_are_refused(refused: Any, secret: str) -> None:
    with refused(DataError):
        to_arrow(pd.DataFrame([["a", "b"]], columns=["x", "x"]))
    with refused(DataError):
        to_arrow(pd.DataFrame([["a", "b"]], columns=[0, "0"]))
    for first in (1, None, 1.5, b"x", datetime.date(2020, 1, 1)):
        mixed = pd.DataFrame({"x": pd.Series([first, secret, 2], dtype=object)})
        with refused(DataError) as seen:
            to_arrow(mixed)
        assert "'x'" in seen.text


def _polars() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "text": ["a", "b", "a"],
            "categorical": pl.Series(["a", "b", "a"], dtype=pl.Categorical),
            "number": pl.Series([2, 0, 1], dtype=pl.UInt8),
            "truth": [True, False, True],
            "kept": [[1], [2, 3], []],
        }
    )


ALPHABETS = {"text": LETTERS, "categorical": LETTERS, "number": DIGITS, "truth": TRUTH}


def test_polars_columns_keep_their_dtype() -> None:
    frame = _polars()
    out = passed_through(to_arrow(frame), ALPHABETS)
    assert isinstance(out, pl.DataFrame)
    assert out.equals(frame)
    assert out.schema == frame.schema


def test_polars_enums_come_back_as_the_public_alphabet() -> None:
    frame = pl.DataFrame({"x": pl.Series(["a", "b", "a"], dtype=pl.Enum(["a", "b"]))})
    out = passed_through(to_arrow(frame), {"x": LETTERS})
    assert out["x"].to_list() == ["a", "b", "a"]
    assert out.schema["x"] == pl.Enum(["c", "b", "a", "never seen"])


def test_polars_missing_values_survive() -> None:
    frame = pl.DataFrame(
        {"x": pl.Series(["a", None, "b"], dtype=pl.Enum(["a", "b"])), "y": ["u", None, "v"]}
    )
    arrow = to_arrow(frame)
    assert arrow.restore(arrow.table).equals(frame)


def test_a_lazy_frame_is_collected_once_and_narrowly() -> None:
    seen: list[list[str]] = []

    def look(frame: pl.DataFrame) -> pl.DataFrame:
        seen.append(frame.columns)
        return frame

    lazy = _polars().lazy().map_batches(look, projection_pushdown=True)
    arrow = to_arrow(lazy, columns=["number", "text"])
    assert len(seen) == 1
    assert arrow.table.column_names == ["text", "number"]
    out = passed_through(arrow, {"text": LETTERS})
    assert isinstance(out, pl.LazyFrame)
    assert out.collect().equals(_polars().select("text", "number"))
    assert len(seen) == 1


def test_a_lazy_frame_without_the_column_is_not_collected(refused: Any) -> None:
    def never(frame: pl.DataFrame) -> pl.DataFrame:
        raise AssertionError(frame.columns)

    with refused(ColumnNotFoundError):
        to_arrow(_polars().lazy().map_batches(never), columns=["nowhere"])


def test_arrow_tables_and_batches() -> None:
    table = pa.table({"x": ["a", "b"]}, metadata={"note": "private"})
    assert to_arrow(table).table.schema.metadata is None
    batch = pa.RecordBatch.from_pydict({"x": ["a", "b"]})
    arrow = to_arrow(batch)
    assert arrow.restore(arrow.table).equals(batch)
    assert isinstance(arrow.restore(arrow.table), pa.RecordBatch)


def test_narwhals_frames_come_back_as_narwhals() -> None:
    arrow = to_arrow(nw.from_native(_polars()), columns=["text"])
    out = arrow.restore(arrow.table)
    assert isinstance(out, nw.DataFrame)
    assert out.to_native().equals(_polars().select("text"))


@pytest.mark.parametrize(
    "thing",
    [None, "text", [1, 2], {"x": ["a"]}, np.zeros((2, 2)), pd.Series(["a"]), pl.Series(["a"])],
)
def test_what_is_not_a_frame_is_refused(refused: Any, thing: Any) -> None:
    with refused(ParameterTypeError) as seen:
        to_arrow(thing)
    assert type(thing).__name__ in seen.text


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame({"x": []}), pl.DataFrame({"x": []}), pa.table({"x": pa.array([], pa.string())})],
)
def test_a_frame_without_rows_is_refused(refused: Any, frame: Any) -> None:
    with refused(DataError):
        to_arrow(frame)


def test_rows_cannot_be_lost_on_the_way_back() -> None:
    for frame in (pd.DataFrame({"x": ["a", "b"]}), pl.DataFrame({"x": ["a", "b"]})):
        arrow = to_arrow(frame)
        with pytest.raises(DataError, match="1 rows"):
            arrow.restore(arrow.table.slice(1))


@pytest.mark.parametrize("wanted", [None, ["x"]])
def test_python_objects_in_polars_are_refused(refused: Any, wanted: list[str] | None) -> None:
    frame = pl.DataFrame({"x": pl.Series([object(), object()], dtype=pl.Object), "y": [1, 2]})
    for given in (frame, frame.lazy(), nw.from_native(frame)):
        with refused(DataError) as seen:
            to_arrow(given, columns=wanted, replaced=["x"])
        assert "column 'x' holds Python objects" in seen.text
    assert to_arrow(frame, columns=["y"]).table.num_rows == 2


def test_types_without_an_arrow_form_are_refused_by_name(refused: Any) -> None:
    frame = pl.DataFrame({"x": pl.Series([1, 2], dtype=pl.Int128)})
    with refused(DataError) as seen:
        to_arrow(frame)
    assert "column 'x' holds Int128" in seen.text
    with refused(DataError) as seen:
        to_arrow(pd.DataFrame({"x": pd.cut(pd.Series([771301, 2, 3]), 2)}))
    assert "column 'x' holds pandas.interval" in seen.text
    assert "7713" not in seen.text


def test_decimals_are_kept_as_they_are() -> None:
    frame = pl.DataFrame({"x": pl.Series(["1.10", None], dtype=pl.String).cast(pl.Decimal(10, 2))})
    arrow = to_arrow(frame)
    assert arrow.restore(arrow.table).equals(frame)


@pytest.mark.parametrize(
    "values",
    [
        pd.period_range("2020", periods=2, freq="M"),
        pd.date_range("2020", periods=2, tz="UTC"),
        pd.Series(["a", "b"], dtype=pd.ArrowDtype(pa.string())),
        [1.5, 2.5],
        [True, False],
    ],
    ids=["periods", "moments", "arrow", "floats", "booleans"],
)
def test_pandas_categories_of_any_type_come_back(values: Any) -> None:
    frame = pd.DataFrame({"x": pd.Categorical(values)})
    arrow = to_arrow(frame)
    back = arrow.restore(arrow.table)
    pd.testing.assert_frame_equal(back, frame, check_categorical=False)
    assert back["x"].tolist() == frame["x"].tolist()
