"""Spark frames go out as the same rows would from one machine: schema, order, receipt and law."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet import (
    Alphabet,
    Language,
    MarkovChain,
    MarkovFramework,
    MarkovLaplace,
    RandomizedResponse,
    Receipt,
    WordExponential,
    estimate,
    release,
    words_from_table,
)
from privet.data import read_table
from privet.errors import (
    ColumnNotFoundError,
    DataError,
    DomainError,
    MissingValueError,
    ParameterError,
    PrivacyLeakWarning,
)
from privet.releasing.spark.estimates import frequencies, transitions
from privet.releasing.spark.sessions import warn_of_order
from privet.testing import chi_square_agrees

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

STATES = Alphabet(["a", "b", "c"])
SURE = RandomizedResponse(STATES, epsilon=60)
"""It changes a symbol with a chance below 1e-25: what goes out is what went in, at its place."""


def released_rows(output: Path) -> pa.Table:
    """The rows of a folder, its parts in the order of their names."""
    return pa.concat_tables([pq.read_table(path) for path in sorted(output.iterdir())])


def same_receipts(first: Receipt, second: Receipt) -> None:
    """They agree in all but the time and what they say of files."""
    mine, other = first.to_json(), second.to_json()
    for receipt in (mine, other):
        del receipt["created"], receipt["output"]
    assert mine == other


def both(
    frame: "DataFrame", folder: Path, mechanism: Any, **options: Any
) -> tuple[pa.Table, pa.Table]:
    """What goes out from Spark and, of the same rows in the same order, from memory."""
    spark = release(mechanism, frame, output=folder / "spark", **options)
    memory = release(mechanism, frame.toArrow(), output=folder / "memory.parquet", **options)
    same_receipts(spark.receipt, memory.receipt)
    assert Receipt.read(folder / "spark.receipt.json") == spark.receipt
    # One machine reads the folder as one table, in the order of the rows.
    assert read_table(folder / "spark").equals(released_rows(folder / "spark"))
    rows, expected = released_rows(folder / "spark"), pq.read_table(folder / "memory.parquet")
    # Spark marks columns that hold no null; nothing else of the schema may differ.
    assert [(each.name, each.type) for each in rows.schema] == [
        (each.name, each.type) for each in expected.schema
    ]
    assert spark.data.toArrow().schema.names == expected.schema.names
    return rows, expected


def test_columns_of_a_table(
    spark: "SparkSession", tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Two partitions of 250 rows: parts are cut by rows, not where Spark divided the frame.
    monkeypatch.setattr("privet.releasing.spark.staging.PART_ROWS", 300)
    rows = [(number, "abc"[number % 3], number % 2 == 0, number % 7, 1.5) for number in range(500)]
    named = "`who.is` long, s string, yes boolean, n short, left double"
    frame = spark.createDataFrame(rows, named)
    mechanisms = {
        "s": SURE,
        "yes": RandomizedResponse(Alphabet([True, False]), epsilon=60),
        "n": RandomizedResponse(Alphabet(range(7)), epsilon=60),
    }
    out, expected = both(frame, tmp_path, mechanisms, keep="who.is")
    assert out.equals(expected)
    assert out.column_names == ["who.is", "s", "yes", "n"]
    files = Receipt.read(tmp_path / "spark.receipt.json").to_json()["output"]["files"]
    assert [file["rows"] for file in files] == [300, 200]


def test_words_of_a_wide_table_that_end_early(spark: "SparkSession", tmp_path: Path) -> None:
    words = [list("abc"), list("a"), [], list("cb"), ["b"]] * 20
    rows = [(number, *word, *[None] * (3 - len(word))) for number, word in enumerate(words)]
    frame = spark.createDataFrame(rows, "who long, d1 string, d2 string, d3 string")
    mechanism = WordExponential(Language.all(STATES), epsilon=60, adjacency=2)
    options: dict[str, Any] = {"columns": "d*", "keep": "who", "ragged": True}
    out, expected = both(frame, tmp_path, mechanism, **options)
    assert out.equals(expected)


def test_words_of_a_long_table_in_any_order(spark: "SparkSession", tmp_path: Path) -> None:
    # Times are text, and 10 comes after 9; the rows of a person are everywhere.
    rows = [
        (f"p{number * 7 % 30}", str(number // 30), "abc"[number * number % 3], number)
        for number in range(360)
    ]
    frame = spark.createDataFrame(rows, "who string, t string, s string, kept int")
    mechanism = WordExponential(Language.all(STATES), epsilon=60)
    names = {"id": "who", "time": "t", "state": "s"}
    out, expected = both(frame, tmp_path, mechanism, keep="kept", **names)
    assert out.equals(expected)


def test_words_are_read_in_the_order_of_time(spark: "SparkSession", tmp_path: Path) -> None:
    # Only words that ascend are possible, so a word read in another order would be refused.
    rows = [(who, str(time), "abc"[time // 4]) for time in range(11, -1, -1) for who in range(9)]
    frame = spark.createDataFrame(rows, "who int, t string, s string")
    ascending = Language.from_regex(STATES, "a*b*c*")
    release(SURE, frame, id="who", time="t", state="s", language=ascending, output=tmp_path / "out")
    assert Counter(released_rows(tmp_path / "out")["s"].to_pylist()) == {"a": 36, "b": 36, "c": 36}


def test_persons_with_too_many_rows_are_counted(spark: "SparkSession", tmp_path: Path) -> None:
    rows = [(who, "a") for who in range(5) for _ in range(who + 1)]
    frame = spark.createDataFrame(rows, "who int, s string")
    options: dict[str, Any] = {"columns": "s", "person": "who", "output": tmp_path / "out"}
    with pytest.raises(DataError, match="2 persons in column 'who' have more than 3 rows"):
        release(SURE, frame, rows_per_person=3, **options)
    nobody = spark.createDataFrame([(None, "a"), (1, "b")], "who int, s string")
    with pytest.raises(MissingValueError, match="1 row has no value in the column 'who'"):
        release(SURE, nobody, rows_per_person=3, **options)
    assert list(tmp_path.iterdir()) == []
    assert release(SURE, frame, rows_per_person=5, **options).receipt.guarantee.epsilon == 300


def test_the_law_is_the_mechanism_s(spark: "SparkSession", tmp_path: Path) -> None:
    # alpha = 1e-9 on 40 000 rows; the wrong twin has 10% more epsilon.
    mechanism, twin = (RandomizedResponse(STATES, epsilon=e) for e in ("1", "1.1"))
    frame = spark.range(0, 40_000, 1, 4).selectExpr("'a' as s")
    out = release(mechanism, frame, columns="s", demo=True, output=tmp_path / "out")
    seen = Counter(released_rows(tmp_path / "out")["s"].to_pylist())
    counts = [seen[symbol] for symbol in "abc"]
    right, wrong = (np.asarray(each.response_matrix)[0] for each in (mechanism, twin))
    assert out.realised_errors == (40_000 - counts[0],)
    assert frequencies(out).tally.counts.tolist() == counts
    with pytest.raises(ColumnNotFoundError, match="no column 't' that was drawn"):
        frequencies(out, "t")
    assert not chi_square_agrees(counts, right, 1e-9).rejected
    assert chi_square_agrees(counts, wrong, 1e-9).rejected


def test_a_label_that_is_unknown_is_named_by_its_row(spark: "SparkSession", tmp_path: Path) -> None:
    frame = spark.range(0, 100, 1, 4).selectExpr("id", "if(id >= 98, 'x', 'a') as s")
    with pytest.raises(DomainError, match=r"row 98 of the column 's'.*; 2 rows have") as caught:
        release(SURE, frame, columns="s", output=tmp_path / "out")
    assert "x" not in str(caught.value).split()
    long = frame.selectExpr("id % 5 as who", "id as t", "s")
    with pytest.raises(DomainError, match=r"is row 2[34] of partition 3 of the frame"):
        release(SURE, long, id="who", time="t", state="s", output=tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_long_tables_that_are_no_words_are_refused(spark: "SparkSession", tmp_path: Path) -> None:
    names: dict[str, Any] = {"id": "who", "time": "t", "state": "s", "output": tmp_path / "out"}
    twice = spark.createDataFrame([(1, "1", "a"), (1, "1", "b")], "who int, t string, s string")
    with pytest.raises(DataError, match="the same 'who' and 't'"):
        release(SURE, twice, **names)
    # Each person's times are of one form, the column's are not.
    forms = [(1, "2024", "a"), (1, "2023", "a"), (2, "2024-01", "b")]
    mixed = spark.createDataFrame(forms, "who int, t string, s string")
    with pytest.raises(DataError, match="in several forms"):
        release(SURE, mixed, **names)
    assert list(tmp_path.iterdir()) == []


def test_columns_that_do_not_read_back_are_refused(spark: "SparkSession", tmp_path: Path) -> None:
    frame = spark.sql("select 'a' as s, array(interval 1 day) as k, struct(1 as n, null as v) as v")
    for name in ("k", "v"):
        with pytest.raises(DataError, match=f"column '{name}' do not read back from Parquet"):
            release(SURE, frame, columns="s", keep=name, output=tmp_path / "out")
    nested = spark.sql("select 'a' as s, map('x', array(date'2024-05-01')) as k, 1.50 as d")
    out = release(SURE, nested, columns="s", keep=["k", "d"], output=tmp_path / "out")
    assert out.data.collect() == nested.collect()


def test_an_answer_to_a_query_is_not_drawn_by_tasks(spark: "SparkSession", tmp_path: Path) -> None:
    frame = spark.createDataFrame([("a",)], "s string")
    chain = MarkovChain(["1/3"] * 3, [["1/3"] * 3] * 3, states=["a", "b", "c"])
    laplace = MarkovLaplace(MarkovFramework([chain]), epsilon=1)
    with pytest.raises(ParameterError, match="From a frame of Spark go columns"):
        release(laplace, frame, columns="s", query="histogram", output=tmp_path / "out")
    with pytest.raises(DataError, match="no rows"):
        release(SURE, frame.where("s = 'b'"), columns="s", output=tmp_path / "out")


def test_rows_arranged_by_what_is_released_are_warned_of(
    spark: "SparkSession", tmp_path: Path
) -> None:
    from pyspark.sql import functions

    frame = spark.createDataFrame([("a", 1), ("b", 2), ("c", 3)], "s string, n int")
    arranged = [
        frame.sort("n", "s"),
        frame.repartition(2, "s"),
        frame.groupBy("s").count(),
        frame.repartition(2, functions.upper("s")).where("n < 5"),
    ]
    for each in arranged:
        with pytest.warns(PrivacyLeakWarning, match="divided by 's', which is released"):
            warn_of_order(each, ["s"])
    for each in (frame, frame.sort("n"), frame.repartition(3), frame.where("s = 'a'")):
        warn_of_order(each, ["s"])
    with pytest.warns(PrivacyLeakWarning, match="which is released") as caught:
        release(SURE, frame.sort("s"), columns="s", output=tmp_path / "out")
    assert caught[0].filename == __file__


def test_a_chain_is_learnt_from_the_counts_of_words(spark: "SparkSession", tmp_path: Path) -> None:
    rows = [(n // 4, n % 4, "abc"[n * n % 3]) for n in range(400)]
    frame = spark.createDataFrame(rows, "who int, t int, s string")
    mechanism = RandomizedResponse(STATES, epsilon=2)
    options: dict[str, Any] = {"id": "who", "time": "t", "state": "s"}
    long = release(mechanism, frame, **options, output=tmp_path / "long")
    words = words_from_table(pq.read_table(tmp_path / "long"), STATES, **options)
    one = estimate.transitions(words, mechanism)
    other = transitions(long)
    assert np.allclose(other.chain.transition, one.chain.transition, atol=1e-6)
    assert (other.words, other.symbols) == (100, 400)
    pivoted = spark.createDataFrame([("a", "b", "c")] * 100, "d1 string, d2 string, d3 string")
    wide = release(mechanism, pivoted, columns="d1..d3", adjacency=1, output=tmp_path / "wide")
    assert transitions(wide).words == 100
    with pytest.raises(DataError, match="not of released sequences"):
        transitions(release(SURE, frame, columns="s", output=tmp_path / "table"))


LISTS: dict[str, Any] = {"columns": "w", "adjacency": 1, "ragged": True}


def lists_of(spark: "SparkSession", rows: int = 500) -> "DataFrame":
    """A frame of words of zero to four letters, and numbers beside them."""
    word = "transform(sequence(1, id % 5), n -> substring('abc', 1 + (id + n) % 3, 1))"
    listed = f"if(id % 5 = 0, array(), {word}) as w"
    return spark.range(0, rows, 1, 2).selectExpr("id", listed)


@pytest.mark.parametrize(
    ("mechanism", "options"),
    [
        (SURE, LISTS),
        (SURE, {**LISTS, "adjacency": 2}),
        (WordExponential(Language.all(STATES), epsilon=60, adjacency=2), {**LISTS, "adjacency": 2}),
    ],
    ids=["randomised response", "two symbols", "exponential"],
)
def test_lists_are_words(
    spark: "SparkSession", tmp_path: Path, mechanism: Any, options: dict[str, Any]
) -> None:
    frame = lists_of(spark)
    out, expected = both(frame, tmp_path, mechanism, keep="id", **options)
    assert out.equals(expected)
    assert out["w"].to_pylist() == frame.toArrow()["w"].to_pylist()
    assert out["w"].to_pylist()[:2] == [[], ["c"]]


def test_lists_of_numbers_keep_their_type(spark: "SparkSession", tmp_path: Path) -> None:
    frame = spark.createDataFrame([([1, 2],), ([0, 2],)], "w array<smallint>")
    numbers = RandomizedResponse(Alphabet([0, 1, 2]), epsilon=60)
    made = release(numbers, frame, columns="w", adjacency=1, output=tmp_path / "out")
    assert made.data.schema == frame.schema
    assert [row["w"] for row in made.data.collect()] == [[1, 2], [0, 2]]
    assert "length" not in made.receipt.sentence


def test_the_law_of_lists_is_the_mechanism_s(spark: "SparkSession", tmp_path: Path) -> None:
    # alpha = 1e-9 on 40 000 symbols; the wrong twin has 10% more epsilon.
    mechanism, twin = (RandomizedResponse(STATES, epsilon=e) for e in ("1", "1.1"))
    frame = spark.range(0, 10_000, 1, 4).selectExpr("array_repeat('a', int(2 + 4 * (id % 2))) as w")
    made = release(mechanism, frame, **LISTS, demo=True, output=tmp_path / "out")
    words: Any = released_rows(tmp_path / "out")["w"].to_pylist()
    seen = Counter(symbol for word in words for symbol in word)
    counts = [seen[symbol] for symbol in "abc"]
    right, wrong = (np.asarray(each.response_matrix)[0] for each in (mechanism, twin))
    assert made.realised_errors == (40_000 - counts[0],)
    assert not chi_square_agrees(counts, right, 1e-9).rejected
    assert chi_square_agrees(counts, wrong, 1e-9).rejected
    # Estimates see the symbols and the words.
    assert frequencies(made, "w").tally.counts.tolist() == counts
    chain = transitions(made)
    assert (chain.words, chain.symbols) == (10_000, 40_000)


def test_lists_that_are_no_words_are_named_by_row(spark: "SparkSession", tmp_path: Path) -> None:
    frame = lists_of(spark, 100)
    wrong = {
        "array('a', 'z', 'z')": (DomainError, "label in row 99 of the column 'w'.*; 2 entries are"),
        "array('a', null)": (MissingValueError, "entry in row 99 of the column 'w' has no value"),
        "null": (MissingValueError, "Row 99 has no list in the column 'w'"),
    }
    for word, (error, message) in wrong.items():
        late = frame.selectExpr("id", f"if(id = 99, {word}, w) as w")
        with pytest.raises(error, match=message):
            release(SURE, late, **LISTS, output=tmp_path / "out")
    with pytest.raises(DataError, match="have different lengths"):
        release(SURE, frame, columns="w", adjacency=1, output=tmp_path / "out")
    with pytest.raises(DomainError, match="holds list, which"):
        release(SURE, frame, columns="w", output=tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
    given: dict[str, Any] = {"missing": "b", "other": "c", "output": tmp_path / "out"}
    holes = spark.createDataFrame([(["a", None, "z"],), ([],)], "w array<string>")
    release(SURE, holes, **LISTS, **given)
    assert released_rows(tmp_path / "out")["w"].to_pylist() == [["a", "b", "c"], []]
