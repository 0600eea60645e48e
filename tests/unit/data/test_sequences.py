"""Long and wide tables become words and come back with every row where it was."""

import datetime
import time as clock
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privet.data import (
    expand_columns,
    group_rows,
    order_of_times,
    to_arrow,
    words_from_long,
    words_from_wide,
)
from privet.errors import (
    ColumnNotFoundError,
    DataError,
    DomainError,
    MissingValueError,
    ParameterError,
)
from privet.symbols import Alphabet, Words

ALPHABET = Alphabet(["a", "b", "c"])
ROLES = {"id": "person", "time": "month", "state": "state"}


def long_table(**columns: Any) -> pa.Table:
    return pa.table(
        {
            "note": ["n0", "n1", "n2", "n3", "n4"],
            "person": ["z", "y", "z", "y", "z"],
            "month": ["10", "1", "9", "2", "2"],
            "state": ["c", "a", "b", "b", "a"],
        }
        | columns
    )


def test_rows_of_an_id_are_ordered_by_time_and_come_back_in_place() -> None:
    table = long_table()
    found = words_from_long(table, ALPHABET, **ROLES)
    # Times are numbers although they came as text: 2 < 9 < 10.
    assert found.words.to_lists() == [["a", "b", "c"], ["a", "b"]]
    assert found.published == ("note", "person", "month")
    assert found.rebuild(found.words).equals(table)
    changed = Words.from_lists(ALPHABET, [["b", "b", "a"], ["c", "a"]])
    out = found.rebuild(changed)
    assert out["state"].to_pylist() == ["a", "c", "b", "a", "b"]
    assert out.drop_columns(["state"]).equals(table.drop_columns(["state"]))


@pytest.mark.parametrize(
    "person",
    [
        pa.array([7, 3, 7, 3, 7]),
        pa.array([0.5, 1.5, 0.5, 1.5, 0.5]),
        pa.array([True, False, True, False, True]),
        pa.array(["z", "y", "z", "y", "z"], pa.string_view()),
        pa.array(["z", "y", "z", "y", "z"]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1, 2]), pa.array(["z", "y", "z"])),
        pa.chunked_array([["z", "y"], ["z", "y", "z"]]),
        pa.chunked_array([["z", "y"], ["z", "y", "z"]]).dictionary_encode(),
        pa.array([datetime.date(2020, 1, d) for d in (2, 1, 2, 1, 2)]),
    ],
    ids=str,
)
def test_ids_may_be_of_any_type(person: Any) -> None:
    table = long_table(person=person)
    found = words_from_long(table, ALPHABET, **ROLES)
    assert found.words.to_lists() == [["a", "b", "c"], ["a", "b"]]
    assert found.rebuild(found.words).equals(table)


DAYS = [datetime.date(2020, 1, d) for d in (20, 3, 3, 1)]
TIMES: list[tuple[Any, list[int]]] = [
    (["10", "9", "9", "1"], [3, 1, 2, 0]),
    (["1.5", "-2", "1.50", "0.25"], [1, 3, 0, 2]),
    (["1" + "0" * 30, "9" * 30, "3", "1"], [3, 2, 1, 0]),
    (["0.1", "0.10000000000000000001", "-.5", "5."], [2, 0, 1, 3]),
    (["+7", "007", "8", "-7"], [3, 0, 1, 2]),
    (["2020", "1999", "2021", "0999"], [3, 1, 0, 2]),
    (["2020-01-20", "2020-01-03", "2019-12-31", "2020-01-01"], [2, 3, 1, 0]),
    (["2020-02", "2020-01", "2019-12", "2021-01"], [2, 1, 0, 3]),
    (
        ["2020-01-01 10:00", "2020-01-01 09:59", "2019-01-01 23:00", "2020-01-01 10:01"],
        [2, 1, 0, 3],
    ),
    (["2020Q4", "2020Q1", "2019Q4", "2021Q1"], [2, 1, 0, 3]),
    (["2020-W10", "2020-W09", "2019-W52", "2021-W01"], [2, 1, 0, 3]),
    (pa.array([10, 9, -1, 1], pa.int8()), [2, 3, 1, 0]),
    (pa.array([0.5, 0.25, -1.0, 7.0]), [2, 1, 0, 3]),
    (pa.array(DAYS), [3, 1, 2, 0]),
    (pa.array([2, 1, 1, 0], pa.timestamp("us")), [3, 1, 2, 0]),
    (pa.array([2, 1, 1, 0], pa.duration("s")), [3, 1, 2, 0]),
    (pa.array(["10", "9", "9", "1"], pa.string_view()), [3, 1, 2, 0]),
    (pa.array(["10", "9", "9", "1"]).dictionary_encode(), [3, 1, 2, 0]),
    (
        pa.DictionaryArray.from_arrays(
            pa.array([2, 0, 1, 1]), pa.array(["spring", "summer", "autumn"]), ordered=True
        ),
        [1, 2, 3, 0],
    ),
]


@pytest.mark.parametrize(("times", "order"), TIMES, ids=lambda x: str(x)[:50])
def test_times_sort_by_what_they_mean(times: Any, order: list[int]) -> None:
    ranks = order_of_times(
        pa.chunked_array([pa.array(times)]) if isinstance(times, list) else times, "t"
    )
    assert ranks.dtype == np.int64
    assert np.argsort(ranks, kind="stable").tolist() == order


def test_times_are_equal_as_values() -> None:
    ranks = order_of_times(pa.array(["1.5", "1.50", "2", "2.0"]), "t")
    assert ranks[0] == ranks[1] < ranks[2] == ranks[3]
    ranks = order_of_times(pa.array(["0.1", "0.1000000000000000000000001"]), "t")
    assert ranks[0] < ranks[1]


@pytest.mark.parametrize(
    "times",
    [
        ["January", "February"],
        ["1/2/2020", "2/1/2020"],
        ["2020-01-01", "2020-01"],
        ["2020-01-01", "5"],
        ["t1", "t2"],
        ["1e5", "2"],
        ["nan", "2"],
        ["inf", "2"],
        ["", "2"],
    ],
)
def test_text_without_an_order_in_time_is_refused(refused: Any, times: list[str]) -> None:
    with refused(DataError) as seen:
        order_of_times(pa.array(times), "month")
    assert "'month'" in seen.text
    assert times[0] not in seen.error.message or not times[0]


@pytest.mark.parametrize(
    ("times", "row"),
    [
        (["2024-01-01 10:00", "2024-01-01 11:00", "2024-01-01T09:00"], 2),
        (["2024-01-01T10:00", "2024-01-01T10:00", "2024-01-01 10:00"], 2),
        (["2024-01-01T10:00:00Z", "2024-01-01T10:00:00.0"], 1),
        (["2024-Q1", "2024W01"], 1),
        (["2024-13-99 10:00", "2024-01-01 10:00"], 0),
        (["2024-12-01", "2024-12-01", "2024-00-01"], 2),
        (["2024-02-29", "2023-02-29"], 1),
        (["2000-02-29", "1900-02-29"], 1),
        (["2024-04-30", "2024-04-31"], 1),
        (["2024-04-30", "2024-04-00"], 1),
        (["2024-05", "2024-13"], 1),
        (["2024-05-01 23:59", "2024-05-01 24:00"], 1),
        (["2024-05-01 10:59", "2024-05-01 10:60"], 1),
        (["2024-05-01T10:59:59.5Z", "2024-05-01T10:59:60.5Z"], 1),
        (["2020-W53", "2021-W53"], 1),
        (["2015W53-4", "2016W00-4"], 1),
    ],
    ids=str,
)
def test_dates_of_two_forms_and_impossible_ones_are_refused_by_row(
    refused: Any, times: list[str], row: int
) -> None:
    with refused(DataError) as seen:
        order_of_times(pa.chunked_array([times]), "t")
    assert seen.error.position == row
    assert f"ow {row} " in seen.text
    assert not any(time in seen.error.message for time in times)


def test_the_years_with_53_weeks() -> None:
    for year in range(1900, 2101):
        try:
            datetime.date.fromisocalendar(year, 53, 1)
        except ValueError:
            with pytest.raises(DataError):
                order_of_times(pa.array([f"{year}-W53"]), "t")
        else:
            assert order_of_times(pa.array([f"{year}-W53"]), "t").size == 1


def test_a_repeated_id_and_time_is_refused(refused: Any) -> None:
    with refused(DataError) as seen:
        words_from_long(long_table(month=["10", "1", "9", "1.0", "10.0"]), ALPHABET, **ROLES)
    assert "2 rows repeat" in seen.text
    assert set(seen.error.rows) in ({0, 4}, {1, 3})


@pytest.mark.parametrize("column", ["person", "month", "state"])
def test_a_missing_value_is_refused_by_row(refused: Any, column: str) -> None:
    values = long_table()[column].to_pylist()
    table = long_table(**{column: pa.array([*values[:2], None, *values[3:]])})
    with refused(MissingValueError) as seen:
        words_from_long(table, ALPHABET, **ROLES)
    assert seen.error.position == 2
    assert f"'{column}'" in seen.text


def test_a_missing_or_unknown_state_can_have_a_symbol(refused: Any, secret: str) -> None:
    table = long_table(state=["c", "a", None, "b", secret])
    found = words_from_long(table, ALPHABET, **ROLES, missing="a", other="b")
    assert found.words.to_lists() == [["b", "a", "c"], ["a", "b"]]
    with refused(DomainError) as seen:
        words_from_long(table, ALPHABET, **ROLES, missing="a")
    assert seen.error.position == 4


def test_columns_of_a_long_table_must_be_there_and_differ(refused: Any) -> None:
    with refused(ColumnNotFoundError):
        words_from_long(long_table(), ALPHABET, **(ROLES | {"time": "year"}))
    with pytest.raises(ParameterError, match="three different columns"):
        words_from_long(long_table(), ALPHABET, **(ROLES | {"time": "state"}))


def test_typed_states_come_back_typed() -> None:
    states: list[Any] = [
        pa.array([2, 0, 1, 1, 0], pa.int8()),
        pa.array(["2", "0", "1", "1", "0"]).dictionary_encode(),
        pa.array(["2", "0", "1", "1", "0"], pa.string_view()),
    ]
    for state in states:
        found = words_from_long(long_table(state=state), Alphabet(["0", "1", "2"]), **ROLES)
        assert found.words.to_lists() == [["0", "1", "2"], ["0", "1"]]
        out = found.rebuild(found.words)["state"]
        assert out.type == state.type
        assert out.to_pylist() == state.to_pylist()


def test_words_of_other_lengths_are_not_put_back(refused: Any) -> None:
    found = words_from_long(long_table(), ALPHABET, **ROLES)
    with refused(DataError):
        found.rebuild(Words.from_lists(ALPHABET, [["a", "b"], ["a", "b", "c"]]))


def test_a_million_rows_are_read_at_the_speed_of_sorting() -> None:
    rows = 10**6
    shuffled = np.random.default_rng(0).permutation(rows)
    table = pa.table(
        {
            "person": pa.array(shuffled // 100).cast(pa.string()),
            "month": pa.array(shuffled % 100).cast(pa.string()),
            "state": pa.array(np.array(["a", "b", "c"])[shuffled % 3]),
        }
    )
    start = clock.perf_counter()
    found = words_from_long(table, ALPHABET, **ROLES)
    out = found.rebuild(found.words)
    # About 0.5 s; a loop over rows in Python takes several times this bound.
    assert clock.perf_counter() - start < 5
    assert out.equals(table)
    assert len(found.words) == rows // 100
    word = found.words[0]
    first = int(shuffled[0]) // 100 * 100
    assert word == [["a", "b", "c"][(first + i) % 3] for i in range(100)]


def wide_table(**columns: Any) -> pa.Table:
    return pa.table(
        {
            "m1": ["a", "b", "c"],
            "m2": ["b", "b", "a"],
            "m3": ["c", "a", "a"],
            "sex": ["f", "m", "f"],
        }
        | columns
    )


def test_a_row_is_a_word_in_the_order_of_the_columns_named() -> None:
    table = wide_table()
    found = words_from_wide(table, ALPHABET, ["m3", "m1"])
    assert found.words.to_lists() == [["c", "a"], ["a", "b"], ["a", "c"]]
    assert found.published == ("m2", "sex")
    assert found.rebuild(found.words).equals(table)
    out = found.rebuild(Words.from_lists(ALPHABET, [["a", "b"]] * 3))
    assert out["m3"].to_pylist() == ["a"] * 3
    assert out["m1"].to_pylist() == ["b"] * 3
    assert out.column_names == table.column_names


def test_lengths_that_differ_are_refused_unless_said(refused: Any) -> None:
    table = wide_table(m2=["b", None, "a"], m3=["c", None, None])
    with refused(MissingValueError) as seen:
        words_from_wide(table, ALPHABET, ["m1", "m2", "m3"])
    assert "Row 1 has no value in the column 'm2'; 3 values" in seen.text
    assert "ragged" in seen.text
    found = words_from_wide(table, ALPHABET, ["m1", "m2", "m3"], ragged=True)
    assert found.words.to_lists() == [["a", "b", "c"], ["b"], ["c", "a"]]
    assert found.rebuild(found.words).equals(table)


def test_a_gap_is_not_an_end(refused: Any) -> None:
    table = wide_table(m2=["b", None, None], m3=["c", "a", None])
    with refused(MissingValueError) as seen:
        words_from_wide(table, ALPHABET, ["m1", "m2", "m3"], ragged=True)
    assert "Row 1" in seen.text
    assert "1 value is" in seen.text
    found = words_from_wide(table, ALPHABET, ["m1", "m2", "m3"], ragged=True, missing="c")
    assert found.words.to_lists() == [["a", "b", "c"], ["b", "c", "a"], ["c"]]
    whole = words_from_wide(table, ALPHABET, ["m1", "m2", "m3"], missing="c")
    assert whole.words.to_lists()[2] == ["c", "c", "c"]


def test_a_row_that_never_starts_is_an_empty_word() -> None:
    table = wide_table(m1=["a", None, "b"], m2=["b", None, "b"], m3=pa.nulls(3))
    found = words_from_wide(table, ALPHABET, ["m1", "m2", "m3"], ragged=True)
    assert found.words.to_lists() == [["a", "b"], [], ["b", "b"]]
    assert found.rebuild(found.words).equals(table)


@pytest.mark.parametrize("kind", [pa.int8(), pa.string(), pa.string_view(), pa.large_string()])
def test_ragged_columns_keep_their_type(kind: Any) -> None:
    table = pa.table(
        {
            "m1": pa.array([0, 1, 1]).cast(pa.string()).cast(kind)
            if kind != pa.int8()
            else pa.array([0, 1, 1], kind),
            "m2": pa.array([1, None, 0], kind)
            if kind == pa.int8()
            else pa.array(["1", None, "0"], kind),
        }
    )
    found = words_from_wide(table, Alphabet(["0", "1"]), ["m1", "m2"], ragged=True)
    assert found.words.to_lists() == [["0", "1"], ["1"], ["1", "0"]]
    assert found.rebuild(found.words).equals(table)


def test_an_unknown_state_of_a_wide_table_is_named_by_row_and_column(
    refused: Any, secret: str
) -> None:
    with refused(DomainError) as seen:
        words_from_wide(wide_table(m2=["b", "a", secret]), ALPHABET, ["m1", "m2"])
    assert seen.error.position == 2
    assert "'m2'" in seen.text


def test_wide_columns_must_be_named_once_and_be_there(refused: Any) -> None:
    with refused(ColumnNotFoundError):
        words_from_wide(wide_table(), ALPHABET, ["m1", "m9"])
    with refused(DataError):
        words_from_wide(wide_table(), ALPHABET, ["m1", "m1"])
    with refused(ParameterError):
        words_from_wide(wide_table(), ALPHABET, [])


def test_patterns_name_columns_in_the_order_of_the_table(refused: Any) -> None:
    names = ["m10", "m2", "sex", "m1", "odd*name"]
    assert expand_columns(names, ["m*"]) == ["m10", "m2", "m1"]
    assert expand_columns(names, ["sex", "m?"]) == ["sex", "m2", "m1"]
    assert expand_columns(names, ["odd*name"]) == ["odd*name"]
    with refused(ColumnNotFoundError):
        expand_columns(names, ["q*"])
    with refused(ColumnNotFoundError):
        expand_columns(names, ["q"])
    with refused(DataError):
        expand_columns(names, ["m*", "m1"])


def test_groups_are_numbered_by_first_occurrence() -> None:
    codes, groups = group_rows(pa.chunked_array([["y", "x"], ["y", "w"]]), "person")
    assert codes.tolist() == [0, 1, 0, 2]
    assert groups == 3


def test_values_that_cannot_be_ids_are_refused(refused: Any) -> None:
    with refused(DataError):
        group_rows(pa.array([[1], [2]]), "person")


def test_ranges_of_names() -> None:
    present = [f"d{day}" for day in range(1, 13)] + ["e01", "e02", "a..b"]
    assert expand_columns(present, ["d9..d11"]) == ["d9", "d10", "d11"]
    assert expand_columns(present, ["e01..e02"]) == ["e01", "e02"]
    assert expand_columns(present, ["a..b"]) == ["a..b"]
    for missing in ("d12..d13", "d3..d1", "d1..e02"):
        with pytest.raises(ColumnNotFoundError):
            expand_columns(present, [missing])
    with pytest.raises(ColumnNotFoundError, match="is no range of columns") as caught:
        expand_columns(["mon", "tue", "wed", "thu"], ["mon..thu"])
    assert "list other columns by their names" in str(caught.value.hint)


def _array(values: Any) -> Any:
    return pa.array(pd.Series(values))


def _twice(values: Any, kind: Any) -> Any:
    """Values in two chunks with dictionaries of their own."""
    chunks = [
        pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(listed, kind))
        for listed in (values, values[::-1])
    ]
    return pa.chunked_array(chunks)


@pytest.mark.parametrize(
    "ids",
    [
        pa.array([0.0, 1.0, -0.0]),
        pa.array([0.0, 1.0, -0.0], pa.float32()),
        pa.array([0.0, 1.0, -0.0], pa.float16()),
        pa.array([0.0, 1.0, -0.0]).dictionary_encode(),
        pa.array([86_400_000, 0, 86_400_001], pa.date64()),
        pa.array(pd.Series([Decimal("1.0"), Decimal("2.0"), Decimal("1.00")], dtype=object)),
        pa.array(pd.Series([1, 2.5, 1.0], dtype=object)),
        pa.array(["a", "b", "a"], pa.string_view()),
        pa.array([b"a", b"b", b"a"], pa.binary_view()),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", "b", "a"])),
        pa.array([3600, 0, 3600], pa.timestamp("s", "Europe/Oslo")),
    ],
    ids=lambda ids: str(ids.type),
)
def test_ids_that_are_equal_are_one(ids: Any) -> None:
    for column in (ids, pa.chunked_array([ids[:2], ids[2:]])):
        codes, count = group_rows(column, "person")
        assert codes.tolist() == [0, 1, 0]
        assert count == 2


@pytest.mark.parametrize("kind", [pa.string(), pa.string_view()], ids=str)
def test_ids_in_chunks_with_dictionaries_of_their_own(kind: Any) -> None:
    codes, count = group_rows(_twice(["a", "b"], kind), "person")
    assert codes.tolist() == [0, 1, 1, 0]
    assert count == 2


@pytest.mark.parametrize(
    "ids",
    [
        pa.array([1.0, float("nan"), 2.0]),
        pa.array([1.0, float("nan"), 2.0]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(["a", None])),
        pa.DictionaryArray.from_arrays(
            pa.array([0, 1, 0]), pa.array(["a", None], pa.string_view())
        ),
    ],
    ids=["NaN", "NaN in a dictionary", "null in a dictionary", "null in a dictionary of views"],
)
def test_an_id_or_time_that_is_hidden_in_a_dictionary_is_missing(refused: Any, ids: Any) -> None:
    for read in (group_rows, order_of_times):
        with refused(MissingValueError) as seen:
            read(pa.chunked_array([ids]), "person")
        assert seen.error.position == 1


@pytest.mark.parametrize(
    "ids",
    [
        pa.array([[1], [1]]),
        pa.array([{"u": 0.0}, {"u": -0.0}]),
        pa.array([(1, 0, 0), (0, 30, 0)], pa.month_day_nano_interval()),
        _array(pd.period_range("2020", periods=2, freq="M")),
    ],
    ids=lambda ids: str(ids.type),
)
def test_values_of_which_equal_ones_look_different_are_no_ids(refused: Any, ids: Any) -> None:
    with refused(DataError) as seen:
        group_rows(pa.chunked_array([ids]), "person")
    assert "cannot be told apart" in seen.text


def test_text_ids_are_compared_character_by_character() -> None:
    composed, combining = "\u00e9", "e\u0301"
    codes, _ = group_rows(pa.array([composed, combining, "7", "07", composed]), "person")
    assert codes.tolist() == [0, 1, 2, 3, 0]


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["b", "a"])], ids=["categorical", "enum"])
def test_categories_of_polars_are_ids_and_times(kind: Any) -> None:
    frame = pl.DataFrame({"x": pl.Series(["a", "b", "a"], dtype=kind)})
    for replaced in ((), ("x",)):
        column = to_arrow(frame, replaced=replaced).table["x"]
        assert group_rows(column, "x")[0].tolist() == [0, 1, 0]
        if kind != pl.Categorical:
            assert order_of_times(column, "x").tolist() == [1, 0, 1]


def test_times_that_are_equal_have_one_rank() -> None:
    assert order_of_times(pa.array([0.0, -0.0, 1.0]), "t").tolist() in ([0, 0, 1], [1, 1, 2])
    ordered = pa.DictionaryArray.from_arrays(
        pa.array([0, 1]), pa.array(["late", "early"]), ordered=True
    )
    two = pa.chunked_array([ordered, ordered[1:]])
    assert order_of_times(two, "t").tolist() == [0, 1, 1]
    listed_twice = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2]), pa.array(["late", "early", "late"]), ordered=True
    )
    assert order_of_times(listed_twice, "t").tolist() == [0, 1, 0]
