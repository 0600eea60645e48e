"""Frames of each library come back as they were: types, order of rows, index."""

import datetime
import pickle
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privet.data import (
    decode_column,
    encode_column,
    replace_column,
    series_to_arrow,
    to_arrow,
)
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


def _metadata(values: Any) -> Any:
    return getattr(values.dtype, "metadata", None) or values.to_numpy().dtype.metadata


@pytest.mark.parametrize("letters", ["i8", "u1", "f4", "?", "M8[s]", "m8[ns]"])
def test_metadata_of_a_numpy_dtype_does_not_come_back(letters: str, secret: str) -> None:
    noted = np.empty(3, np.dtype(letters, metadata={"note": secret}))
    noted[:] = np.arange(3).astype(letters)
    index = pd.Index(noted, name="n")
    two = pd.MultiIndex.from_arrays([index, ["u", "v", "w"]])
    for given in (index, two, pd.CategoricalIndex(index), pd.MultiIndex.from_arrays([index])):
        frame = pd.DataFrame({"x": pd.Series(noted, index=given)})
        frame.columns = pd.Index(["x"])
        arrow = to_arrow(frame)
        out = arrow.restore(arrow.table)
        pd.testing.assert_frame_equal(out, frame)
        assert secret.encode() not in pickle.dumps(out)
    assert _metadata(index), "the test must be able to fail"
    assert not _metadata(out["x"])


INDEXES: dict[str, Any] = {
    "integers": pd.Index([7, 5, 9, 7]),
    "floats": pd.Index([7.5, None, 9, 7]),
    "objects": pd.Index(["a", 1, None, 2.5], dtype=object),
    "text": pd.Index(["a", "b", None, "a"]),
    "range": pd.RangeIndex(1, 9, 2, name="n"),
    "moments": pd.date_range("2020", periods=4, freq="MS", unit="s"),
    "zone": pd.date_range("2020-03-28", periods=4, freq="D", tz="Europe/Paris"),
    "gaps": pd.DatetimeIndex(["2020-01-01", None, "2019-01-01", "2020-01-01"]),
    "spans": pd.timedelta_range("1h", periods=4, freq="h"),
    "periods": pd.PeriodIndex(["2020-01", None, "2020-03", "2020-01"], freq="M", name="n"),
    "intervals": pd.interval_range(0, 4, closed="left"),
    "intervals with gaps": pd.cut(np.array([1.0, np.nan, 3.0, 2.0]), [0, 2, 3]).astype(
        pd.IntervalDtype()
    ),
    "categories": pd.CategoricalIndex(["u", None, "v", "u"], ordered=True),
    "cut": pd.CategoricalIndex(pd.cut([1, 2, 3, 4], [0, 2, 4])),
    "Int64": pd.Index([1, None, 3, 4], dtype="Int64"),
    "two": pd.MultiIndex.from_arrays([[1, 1, 2, 2], list("abab")], names=["n", "t"]),
}


@pytest.mark.parametrize("name", INDEXES)
@pytest.mark.parametrize("rows", [slice(None), slice(1, 3)])
def test_an_index_comes_back_in_memory_of_its_own(name: str, rows: slice) -> None:
    frame = pd.DataFrame({"x": [1, 2, 3, 4]}, index=pd.Index(INDEXES[name])).iloc[rows]
    arrow = to_arrow(frame)
    out = arrow.restore(arrow.table)
    pd.testing.assert_frame_equal(out, frame, check_categorical=False)
    assert out.index is not frame.index
    for old in _held(frame.index):
        assert not any(np.shares_memory(old, new) for new in _held(out.index))


def _held(index: Any) -> list[np.ndarray[Any, Any]]:
    """The numpy arrays that an index stands on, the whole of what it is a slice of included."""
    if isinstance(index, pd.MultiIndex):
        return [part for level in index.levels for part in _held(level)]
    if isinstance(index, pd.IntervalIndex):
        return _held(index.left) + _held(index.right)
    if isinstance(index, pd.CategoricalIndex):
        return [_whole(index.codes), *_held(index.categories)]
    if isinstance(index, pd.RangeIndex):
        return []
    array = index.array
    found = [getattr(array, name, None) for name in ("_ndarray", "_data", "_mask")]
    return [_whole(part) for part in found if isinstance(part, np.ndarray)]


def _whole(values: Any) -> Any:
    while isinstance(values.base, np.ndarray):
        values = values.base
    return values


def test_a_plain_step_of_moments_stays_and_a_list_of_holidays_does_not() -> None:
    plain = pd.DataFrame({"x": [1, 2]}, index=pd.date_range("2020", periods=2, freq="MS"))
    assert to_arrow(plain).restore(to_arrow(plain).table).index.freqstr == "MS"
    days = pd.offsets.CustomBusinessDay(holidays=["2020-01-02"])
    index = pd.DatetimeIndex(["2020-01-01", "2020-01-03"], freq=days)
    frame = pd.DataFrame({"x": [1, 2]}, index=index)
    out = to_arrow(frame).restore(to_arrow(frame).table)
    assert out.index.tolist() == index.tolist()
    assert out.index.freq is None


def test_an_index_of_another_kind_is_refused(refused: Any) -> None:
    frame = pd.DataFrame({"x": [1, 2]})
    frame.index = pd.Index(pd.arrays.SparseArray([771301, 0]), name="n")
    with refused(DataError) as seen:
        to_arrow(frame)
    assert "index 'n'" in seen.text
    assert "7713" not in seen.text


def test_a_column_used_again_does_not_change_what_came_back() -> None:
    numbers, text = np.array([1, 2, 3]), np.array(["a", "b", "c"], dtype=object)
    index = np.array([7, 8, 9])
    frame = pd.DataFrame({"n": pd.Series(numbers, copy=False)}, copy=False)
    frame["t"] = pd.Series(text, dtype=object, copy=False)
    frame.index = pd.Index(index, copy=False)
    arrow = to_arrow(frame)
    out = arrow.restore(arrow.table)
    polars = to_arrow(pl.DataFrame({"n": pl.Series(numbers)}))
    again = polars.restore(polars.table)
    numbers[:], text[:], index[:] = 0, "z", 0
    assert out["n"].tolist() == [1, 2, 3]
    assert out["t"].tolist() == ["a", "b", "c"]
    assert out.index.tolist() == [7, 8, 9]
    assert again["n"].to_list() == [1, 2, 3]


def test_a_polars_frame_shares_no_memory_with_what_came_back() -> None:
    frame = pl.DataFrame({"n": [1, 2, 3], "f": [1.5, 2.5, 3.5], "t": ["a", "b", "c"]})
    arrow = to_arrow(frame)
    out = arrow.restore(arrow.table)
    assert out.equals(frame)
    for name in ("n", "f"):
        assert not np.shares_memory(out[name].to_numpy(), frame[name].to_numpy())


def test_nested_fields_in_pandas_come_back_without_metadata(secret: str) -> None:
    noted = pa.struct([pa.field("u", pa.int64(), metadata={"note": secret})])
    kind = pd.ArrowDtype(noted)
    values: Any = [{"u": 1}]
    frame = pd.DataFrame({"x": pd.Series(values, dtype=kind)})
    assert secret.encode() in pickle.dumps(frame), "the test must be able to fail"
    arrow = to_arrow(frame)
    assert secret.encode() not in pickle.dumps(arrow.restore(arrow.table))


@pytest.mark.parametrize("library", [pd, pl])
def test_a_narwhals_series_is_refused_and_nothing_else_is_said(library: Any, refused: Any) -> None:
    series: Any = nw.from_native(library.Series(["a", "b"]), series_only=True)
    with refused(ParameterTypeError) as seen:
        series_to_arrow(series)
    assert "to_native" in seen.error.hint
    with refused(ParameterTypeError):
        to_arrow(series)


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


def _listed(frame: pl.DataFrame) -> pl.DataFrame:
    """With the Categorical as an Enum of the alphabet, which is how it comes back."""
    return frame.with_columns(pl.col("categorical").cast(pl.Enum(map(str, LETTERS.symbols))))


ALPHABETS = {"text": LETTERS, "categorical": LETTERS, "number": DIGITS, "truth": TRUTH}


def test_polars_columns_keep_their_dtype() -> None:
    frame = _polars()
    out = passed_through(to_arrow(frame), ALPHABETS)
    assert isinstance(out, pl.DataFrame)
    assert out.equals(_listed(frame))
    assert out.schema == _listed(frame).schema


@pytest.mark.parametrize("own", [True, False])
def test_the_codes_of_polars_categories_follow_the_alphabet(own: bool) -> None:
    # The raw data name the texts in an order of their own, which a Categorical remembers.
    first = ["never seen", "a", "c", "a", "b"]
    frame = pl.DataFrame({"x": pl.Series(first, dtype=pl.Categorical)})
    if own and hasattr(pl, "Categories"):
        kind = pl.Categorical(pl.Categories.random())
        frame = pl.DataFrame({"x": pl.Series(first, dtype=kind)})
    for given in (frame, frame.lazy()):
        out = passed_through(to_arrow(given), {"x": LETTERS})
        column = out.lazy().collect()["x"]
        assert column.to_list() == first
        assert column.to_physical().to_list() == [3, 2, 0, 2, 1]
        assert column.dtype == pl.Enum(["c", "b", "a", "never seen"])
    kept = to_arrow(frame[1:])
    assert kept.restore(kept.table)["x"].to_physical().to_list() == [0, 2, 0, 1]
    nothing = to_arrow(frame.select(pl.lit(None, frame.schema["x"]).alias("x")))
    assert nothing.restore(nothing.table)["x"].to_list() == [None]


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
