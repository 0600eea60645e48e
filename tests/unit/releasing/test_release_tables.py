"""Tables through `release`: what is promised, what goes out, what is refused."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from privet import RandomizedResponse, WordExponential, release
from privet.data import encode_column, read_table, write_table
from privet.errors import (
    ColumnNotFoundError,
    DataError,
    DomainError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
)
from privet.randomness.source import using_source
from privet.releasing import table_mechanisms
from privet.releasing.reading import as_symbols
from privet.symbols import Alphabet
from privet.testing import ChosenSource, ReplaySource

VOTE = Alphabet(["Clinton", "Dole", "none"])
GRADE = Alphabet([1, 2, 3])
MECHANISMS = table_mechanisms({"vote": VOTE, "grade": GRADE}, 2)
SECRET = "Eisenhower"


def table(rows: int = 60) -> pa.Table:
    return pa.table(
        {
            "name": [f"person {row % 20}" for row in range(rows)],
            "grade": pa.array([1 + row % 3 for row in range(rows)], pa.int16()),
            "age": list(range(rows)),
            "vote": [["Clinton", "Dole"][row % 2] for row in range(rows)],
        }
    )


def test_the_promise_is_the_sum_over_columns_and_names_its_unit() -> None:
    receipt = release(MECHANISMS, table()).receipt
    assert receipt.guarantee.epsilon == 2
    assert receipt.spent <= 2
    assert receipt.spent > Fraction(199, 100)
    assert "one row" in receipt.sentence
    assert "'vote', 'grade'" in receipt.sentence
    assert "the number and the order of the rows" in receipt.sentence


def test_only_released_and_kept_columns_go_out_in_their_order_and_types() -> None:
    done = release(MECHANISMS, table(), keep=["age"])
    assert done.data.column_names == ["grade", "age", "vote"]
    assert done.data.schema.field("grade").type == pa.int16()
    assert done.data.column("age").equals(table().column("age"))
    assert "column 'age' as it is" in done.receipt.sentence
    assert done.receipt.layout["kept"] == ["age"]


def test_predicted_errors_are_those_of_the_mechanisms() -> None:
    receipt = release(MECHANISMS, table()).receipt
    expected = [60 * mechanism.expected_errors(1) for mechanism in MECHANISMS.values()]
    assert [part.expected_errors for part in receipt.parts] == pytest.approx(expected)
    assert receipt.shape == {"rows": 60, "columns": 2}


def test_a_person_bound_is_checked_and_costs_the_bound() -> None:
    mechanisms = table_mechanisms({"vote": VOTE}, 3, rows_per_person=3)
    done = release(mechanisms, table(), person="name", rows_per_person=3)
    assert mechanisms["vote"].epsilon == 1
    assert done.receipt.guarantee.epsilon == 3
    assert Fraction(299, 100) < done.receipt.spent <= 3
    assert "any one person (column 'name', at most 3 rows)" in done.receipt.sentence
    assert done.data.column_names == ["vote"]


def test_a_person_above_the_bound_is_refused_by_number_only() -> None:
    mechanisms = table_mechanisms({"vote": VOTE}, 2, rows_per_person=2)
    with pytest.raises(DataError, match="20 persons in column 'name' have more than 2 rows") as e:
        release(mechanisms, table(), person="name", rows_per_person=2)
    assert "person 1" not in str(e.value)


def test_a_row_without_a_person_is_refused() -> None:
    frame = table().set_column(0, "name", pa.array([None] + ["x"] * 59))
    with pytest.raises(MissingValueError, match="name"):
        release(table_mechanisms({"vote": VOTE}, 1), frame, person="name", rows_per_person=59)


@pytest.mark.parametrize("library", ["pandas", "polars", "lazy", "arrow"])
def test_the_frame_comes_back_in_its_own_kind(library: str) -> None:
    makers: dict[str, Any] = {
        "pandas": table().to_pandas(),
        "polars": pl.from_arrow(table()),
        "lazy": pl.LazyFrame(pl.from_arrow(table())),
        "arrow": table(),
    }
    frame = makers[library]
    done = release(MECHANISMS, frame, keep="age")
    assert type(done.data) is type(frame)
    back = done.data.collect() if library == "lazy" else done.data
    assert len(back) == 60


def test_a_pandas_index_that_goes_out_is_named() -> None:
    frame = table().to_pandas().set_index("name")
    sentence = release(MECHANISMS, frame).receipt.sentence
    assert "index 'name' as it is" in sentence


def test_a_categorical_column_stays_one_with_the_public_alphabet() -> None:
    frame = pd.DataFrame({"vote": pd.Categorical(["Dole", "Clinton"] * 5)})
    back = release({"vote": MECHANISMS["vote"]}, frame).data
    assert list(back["vote"].cat.categories) == ["Clinton", "Dole", "none"]


def test_one_mechanism_for_several_columns() -> None:
    frame = pa.table({"a": ["x", "y"], "b": ["y", "y"]})
    mechanism = RandomizedResponse(Alphabet(["x", "y"]), epsilon="0.5")
    done = release(mechanism, frame, columns=["a", "b"])
    assert done.receipt.kind == "table"
    assert done.receipt.guarantee.epsilon == 1


def test_delta_adds_up() -> None:
    mechanisms = table_mechanisms({"vote": VOTE, "grade": GRADE}, 1, delta="0.01")
    guarantee = release(mechanisms, table()).receipt.guarantee
    assert (guarantee.epsilon, guarantee.delta) == (Fraction(1), Fraction(1, 100))


def test_deltas_that_add_up_to_one_promise_nothing() -> None:
    weak = RandomizedResponse(VOTE, epsilon=1, delta="0.6")
    with pytest.raises(ParameterError, match="add up to 1 or more"):
        release({"vote": weak, "again": weak}, table())


def test_one_phrase_of_what_is_published_is_one_phrase() -> None:
    vote = RandomizedResponse(VOTE, epsilon=1)
    done = release({"vote": vote}, table(), published="the region of the survey")
    assert "the region of the survey" in done.receipt.published


def test_the_realised_error_is_seen_for_demo_data_only() -> None:
    hidden = release(MECHANISMS, table())
    assert hidden.realised_errors is None
    shown = release(MECHANISMS, table(), demo=True)
    different = [
        sum(
            a != b
            for a, b in zip(shown.data[name].to_pylist(), table()[name].to_pylist(), strict=True)
        )
        for name in ("vote", "grade")
    ]
    assert list(shown.realised_errors or ()) == different
    assert "realised" not in shown.receipt.to_text()
    assert shown.receipt.demo


def test_the_receipt_of_two_data_sets_of_one_shape_is_the_same() -> None:
    """Nothing measured on the data: only the time of the release may differ."""
    other = table().set_column(3, "vote", pa.array(["Dole"] * 60))
    texts = []
    for frame in (table(), other):
        content = release(MECHANISMS, frame).receipt.to_json()
        texts.append(json.dumps({**content, "created": ""}))
    assert texts[0] == texts[1]


def test_a_seeded_source_is_confessed() -> None:
    with using_source(ReplaySource(7)):
        assert release(MECHANISMS, table()).receipt.randomness == "seeded, not private"


def test_files_in_and_out_with_the_receipt(tmp_path: Path) -> None:
    source, output = tmp_path / "in.parquet", tmp_path / "out.csv"
    write_table(table(), source)
    done = release(MECHANISMS, source, keep=["age"], output=output)
    assert read_table(output).column_names == ["grade", "age", "vote"]
    written = json.loads((tmp_path / "out.csv.receipt.json").read_text(encoding="utf-8"))
    assert written == done.receipt.to_json()
    assert written["output"]["name"] == "out.csv"


def test_missing_and_unknown_values_take_their_symbols() -> None:
    frame = pa.table({"vote": ["Clinton", None, SECRET]})
    mechanisms = {"vote": RandomizedResponse(VOTE, epsilon=10_000)}
    done = release(mechanisms, frame, missing="none", other={"vote": "Dole"})
    assert done.data.column("vote").to_pylist() == ["Clinton", "none", "Dole"]
    part = done.receipt.parts[0]
    assert (part.missing, part.other) == ("none", "Dole")


def refuse(kind: type[Exception], match: str, *args: Any, **kwargs: Any) -> None:
    with pytest.raises(kind, match=match) as caught:
        release(*args, **kwargs)
    assert SECRET not in str(caught.value)
    assert SECRET not in repr(caught.value)


def test_refusals_name_the_place_and_no_value() -> None:
    odd = pa.table({"vote": ["Clinton", SECRET], "grade": [1, 2]})
    gap = pa.table({"vote": ["Clinton", None], "grade": [1, 2]})
    refuse(DomainError, "row 1 of the column 'vote'", MECHANISMS, odd)
    refuse(MissingValueError, "Row 1 has no value in the column 'vote'", MECHANISMS, gap)
    refuse(ColumnNotFoundError, "'grade'", MECHANISMS, pa.table({"vote": ["Dole"]}))
    refuse(DataError, "no rows", MECHANISMS, table(0))
    refuse(ParameterError, "both released and kept", MECHANISMS, table(), keep=["vote"])
    refuse(ParameterError, "not in the alphabet", MECHANISMS, table(), missing="n/a")
    refuse(ColumnNotFoundError, "'age'", MECHANISMS, table(), other={"age": "1"})
    refuse(ParameterError, "go together", MECHANISMS, table(), person="name")
    refuse(ParameterError, "go together", MECHANISMS, table(), rows_per_person=3)
    refuse(
        ParameterError, "names the person", MECHANISMS, table(), person="vote", rows_per_person=60
    )
    refuse(ParameterError, "No column", {}, table())
    refuse(ParameterError, "ledger", MECHANISMS, table(), ledger="sqlite://")
    refuse(ParameterError, "twice", MECHANISMS["vote"], table(), columns=["vote", "vote"])
    refuse(ParameterTypeError, "not a mechanism", RandomizedResponse, table(), columns=["vote"])
    refuse(ParameterError, "columns", MECHANISMS, table(), columns=["vote"])
    refuse(ParameterError, "id, time or state", MECHANISMS, table(), id="name")
    words = {"vote": WordExponential(VOTE, epsilon=1)}
    refuse(ParameterError, "WordExponential", words, table())
    refuse(DataError, "has no columns", MECHANISMS, ["Clinton"])
    refuse(ParameterTypeError, "int", MECHANISMS, 5)
    refuse(ParameterError, "receipt", MECHANISMS, table(), receipt="x.json")


def test_nothing_is_drawn_before_everything_is_checked(tmp_path: Path) -> None:
    def forbidden(_out: Any) -> Any:
        raise AssertionError("a random bit was used")

    odd = pa.table({"vote": ["Clinton"] * 5 + [SECRET], "grade": [1] * 6})
    with using_source(ChosenSource(forbidden)):
        with pytest.raises(DomainError):
            release(MECHANISMS, odd, output=tmp_path / "out.csv")
        with pytest.raises(AssertionError):
            release(MECHANISMS, table())
    assert list(tmp_path.iterdir()) == []


def test_a_table_without_columns_says_what_is_missing() -> None:
    for frame in (table(), table().to_pandas(), pl.from_arrow(table())):
        refuse(ParameterError, r"columns=\[\.\.\.\]", MECHANISMS["vote"], frame)


@pytest.mark.parametrize("library", ["pandas", "polars", "array", "chunks"])
def test_a_series_comes_back_in_its_own_kind(library: str) -> None:
    labels = ["Clinton", "Dole", None, SECRET]
    makers: dict[str, Any] = {
        "pandas": pd.Series(labels, name="vote", index=[5, 6, 7, 8]),
        "polars": pl.Series("vote", labels),
        "array": pa.array(labels),
        "chunks": pa.chunked_array([labels]),
    }
    series = makers[library]
    certain = RandomizedResponse(VOTE, epsilon=10_000)
    done = release(certain, series, missing="none", other="Dole")
    assert type(done.data) is type(series)
    assert list(map(str, done.data)) == ["Clinton", "Dole", "none", "Dole"]
    assert getattr(done.data, "name", "vote") == "vote"
    assert done.receipt.kind == "symbols"
    assert ("index" in done.receipt.sentence) == (library == "pandas")
    refuse(DomainError, "row 3", certain, series, missing="none")
    refuse(MissingValueError, "Row 2", certain, series, other="Dole")


def test_a_series_is_one_word_for_a_mechanism_on_words() -> None:
    done = release(WordExponential(VOTE, epsilon=1, adjacency=2), pd.Series(["Dole"] * 3))
    assert "Any 2 of the 3 symbols of the word" in done.receipt.sentence


def test_columns_take_patterns_and_ranges() -> None:
    frame = pa.table({name: ["x", "y"] for name in ("d1", "d2", "d3", "e1")})
    mechanism = RandomizedResponse(Alphabet(["x", "y"]), epsilon=1)
    for given in ("d*", "d1..d3", ["d1", "d2..d3"]):
        done = release(mechanism, frame, columns=given, keep="e*")
        assert done.receipt.layout["columns"] == ["d1", "d2", "d3"]
        assert done.receipt.layout["kept"] == ["e1"]
    refuse(ColumnNotFoundError, "'q\\*'", mechanism, frame, columns="q*")


def test_what_is_printed_is_the_sentence_and_the_repr_is_short() -> None:
    done = release(MECHANISMS, table())
    assert str(done).startswith(done.receipt.sentence)
    assert "Epsilon spent: 1 + 1 = 2, of 2 promised." in str(done)
    assert len(repr(done)) < 150
    assert "Clinton" not in repr(done)


def test_columns_left_out_are_listed_and_revealing_ones_noted() -> None:
    receipt = release(MECHANISMS, table(), keep=["age"]).receipt
    assert receipt.layout["left_out"] == ["name"]
    (note,) = receipt.notes
    assert "'age' has nearly as many values as rows" in note
    person = release(MECHANISMS, table(), person="name", rows_per_person=3).receipt
    assert person.layout["left_out"] == ["name", "age"]
    assert person.notes == ()


def test_weak_parameters_are_in_the_receipt() -> None:
    weak = release(table_mechanisms({"vote": VOTE}, 12, delta="0.1"), table()).receipt
    assert ["epsilon = 12" in weak.notes[0], "delta = 0.1" in weak.notes[1]] == [True, True]
    assert release(table_mechanisms({"vote": VOTE}, 1, delta="0.001"), table()).receipt.notes == ()


def test_an_alphabet_from_the_data_is_a_condition_of_the_promise() -> None:
    sentence = release(MECHANISMS, table(), alphabets_from_data="vote").receipt.sentence
    assert "This assumes: the rows are independent of one another; the categories of" in sentence
    assert "whose category is rare or unique the promise does not hold" in sentence
    assert "which values occur in 'vote'" in sentence
    assert "rare" not in release(MECHANISMS, table()).receipt.sentence


def test_the_law_that_ran_is_recorded() -> None:
    law = release(MECHANISMS, table()).receipt.parts[0].law
    assert law["rate"] == pytest.approx(1)
    assert 0 < law["keep_probability"] < 1


def test_numpy_numbers_are_written_to_receipts(tmp_path: Path) -> None:
    done = release(
        {"grade": RandomizedResponse(GRADE, epsilon=1)},
        pa.table({"grade": [1, 2, 9], "who": [1, 1, 2]}),
        person="who",
        rows_per_person=np.int64(2),  # type: ignore[arg-type]  # what a user computes with numpy
        other=np.int64(2),
        output=tmp_path / "out.csv",
    )
    assert type(done.receipt.parts[0].other) is int
    wide = release(
        RandomizedResponse(GRADE, epsilon=1),
        pa.table({"a": [1, 2], "b": [1, 2]}),
        columns=["a", "b"],
        adjacency=np.int64(2),  # type: ignore[arg-type]  # as above
        output=tmp_path / "wide.csv",
    )
    assert wide.receipt.layout["adjacency"] == 2


@pytest.mark.parametrize("parameter", ["notes", "published"])
def test_notes_are_text(parameter: str, tmp_path: Path) -> None:
    given: Any
    for given in ([b"x"], b"x", 5, [5], None):
        with pytest.raises(ParameterTypeError, match=f"{parameter} must be text"):
            release(MECHANISMS, table(), output=tmp_path / "out.csv", **{parameter: given})
    assert not list(tmp_path.iterdir())


def test_one_note_may_be_given_by_itself() -> None:
    assert release(MECHANISMS, table(), notes="one note").receipt.notes == ("one note",)


UNREADABLE: list[tuple[list[Any], Any]] = [
    (["", "a"], pa.string()),
    (["a\0b", "a"], pa.string()),
    (["True", "False"], pa.bool_()),
    (["0.5", "1.0"], pa.float64()),
    ([10**17, 1], pa.float64()),
]


@pytest.mark.parametrize(("symbols", "kind"), UNREADABLE)
@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_symbols_that_csv_would_change_are_refused_before_the_draw(
    symbols: list[Any], kind: pa.DataType, ending: str, tmp_path: Path
) -> None:
    mechanism = RandomizedResponse(Alphabet(symbols), epsilon=1)
    given = {"string": "a", "bool": True, "double": 1.0}[str(kind)]
    data = pa.table({"x": pa.array([given, given], kind)})
    source = ReplaySource(1)
    with (
        using_source(source),
        pytest.raises(ParameterError, match=r"'x' would not read back from CSV.*\.parquet"),
    ):
        release({"x": mechanism}, data, output=tmp_path / f"out.{ending}")
    assert not list(tmp_path.iterdir())
    release({"x": mechanism}, data, output=tmp_path / "out.parquet")


@pytest.mark.parametrize(
    ("symbols", "values"),
    [
        ([0.5, 1.0, 1e-7, 1e300], pa.array([0.5])),
        ([0.1, 2], pa.array([0.1], pa.float32())),
        ([True, False], pa.array([True])),
        ([1, 2], pa.array([1.0])),
        ([1, 2], pa.array(["1"])),
        (["a,b", 'say "a"', "a\r\nb", "a\rb", " a", "é"], pa.array([" a"])),
        (["1", "2"], pa.array([1], pa.int8())),
        (["x", "y"], pa.array(["x"]).dictionary_encode()),
    ],
)
def test_symbols_that_csv_holds_are_read_back(
    symbols: list[Any], values: Any, tmp_path: Path
) -> None:
    alphabet = Alphabet(symbols)
    data = pa.table({"x": pa.concat_arrays([values] * 50)})
    mechanism = RandomizedResponse(alphabet, epsilon="0.01")
    done = release({"x": mechanism}, data, output=tmp_path / "out.csv")
    column = read_table(tmp_path / "out.csv").column("x")
    again = encode_column(as_symbols(column, alphabet), alphabet, name="x")
    sent = encode_column(done.data.column("x"), alphabet, name="x")
    assert again.tolist() == sent.tolist()
