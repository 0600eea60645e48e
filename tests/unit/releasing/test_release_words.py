"""Sequences through `release`: long, wide, bare; the unit, the lengths, the refusals."""

import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from privet import (
    Alphabet,
    Codes,
    Exponential,
    Language,
    RandomizedResponse,
    WordExponential,
    WordPermuteAndFlip,
    Words,
    WordStaircase,
    release,
)
from privet.errors import (
    DataError,
    DomainError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
)
from privet.mechanisms import HammingMechanism
from privet.releasing import job

ALPHABET = Alphabet(["home", "work", "sick"])
LANGUAGE = Language.all(ALPHABET)
ALL: list[HammingMechanism] = [
    WordExponential(LANGUAGE, epsilon=2, adjacency=2),
    WordPermuteAndFlip(LANGUAGE, epsilon=2, adjacency=2),
    WordStaircase(ALPHABET, epsilon=2, adjacency=2),
    RandomizedResponse(ALPHABET, epsilon=1),
]
CERTAIN = WordExponential(LANGUAGE, epsilon=10_000)


def long_table() -> pa.Table:
    """Two persons whose rows are mixed and out of order in time."""
    return pa.table(
        {
            "who": ["b", "a", "b", "a", "b"],
            "month": [2, 1, 1, 2, 3],
            "state": ["work", "home", "home", "sick", "sick"],
            "note": list("vwxyz"),
        }
    )


def wide_table() -> pa.Table:
    return pa.table(
        {"m1": ["home", "work"], "who": ["a", "b"], "m2": ["sick", "home"], "m3": ["home", "home"]}
    )


@pytest.mark.parametrize("mechanism", ALL, ids=lambda mechanism: mechanism.name)
def test_a_long_table_keeps_its_rows_and_names_what_goes_out(mechanism: HammingMechanism) -> None:
    done = release(
        mechanism, long_table(), id="who", time="month", state="state", adjacency=2, keep="note"
    )
    assert done.data.drop_columns("state").equals(long_table().drop_columns("state"))
    guarantee = done.receipt.guarantee
    assert guarantee.epsilon == 2
    assert done.receipt.spent <= 2
    assert guarantee.unit == "Any 2 of the values of 'state' of one 'who'"
    assert "'who' and 'month'" in done.receipt.sentence
    assert "length of each" in done.receipt.sentence
    assert "order of the rows" in done.receipt.sentence
    assert "column 'note' as it is" in done.receipt.sentence
    expected = mechanism.expected_errors(2) + mechanism.expected_errors(3)
    assert done.receipt.expected_errors == pytest.approx(expected)
    assert done.receipt.shape == {
        "rows": 5,
        "words": 2,
        "symbols": 5,
        "shortest": 2,
        "longest": 3,
    }


def test_a_certain_mechanism_gives_the_table_back() -> None:
    done = release(CERTAIN, long_table(), id="who", time="month", state="state", keep="note")
    assert done.data.equals(long_table())
    wide = release(CERTAIN, wide_table(), columns=["m1", "m2", "m3"], keep=["who"])
    assert wide.data.equals(wide_table())


def test_a_wide_table_is_one_word_a_row() -> None:
    done = release(CERTAIN, wide_table(), columns=["m3", "m1", "m2"])
    assert done.data.column_names == ["m1", "m2", "m3"]
    assert (
        done.receipt.guarantee.unit == "Any one of the 3 values of one row (columns 'm3' to 'm2'; "
        "a person with several rows is protected row by row)"
    )
    assert done.receipt.layout["columns"] == ["m3", "m1", "m2"]


def test_words_that_end_early_need_the_flag() -> None:
    ragged = wide_table().set_column(3, "m3", pa.array([None, "home"]))
    with pytest.raises(MissingValueError, match="ragged"):
        release(CERTAIN, ragged, columns=["m1", "m2", "m3"])
    done = release(CERTAIN, ragged, columns=["m1", "m2", "m3"], ragged=True)
    assert done.data.column("m3").to_pylist() == [None, "home"]
    assert "the length of each sequence" in done.receipt.sentence


def test_randomised_response_covers_several_symbols_at_its_price() -> None:
    mechanism = RandomizedResponse(ALPHABET, epsilon="0.5")
    receipt = release(mechanism, wide_table(), columns=["m1", "m2", "m3"], adjacency=3).receipt
    assert receipt.kind == "words"
    assert receipt.guarantee.epsilon == Fraction(3, 2)
    assert receipt.guarantee.unit.startswith("The whole word: all 3 values")
    assert Fraction(149, 100) < receipt.spent <= Fraction(3, 2)


def test_with_delta_the_sentence_says_one_symbol_only() -> None:
    mechanism = RandomizedResponse(ALPHABET, epsilon=1, delta="0.01")
    receipt = release(mechanism, wide_table(), columns=["m1", "m2"], adjacency=1).receipt
    assert "only one symbol of a word differs" in receipt.sentence
    with pytest.raises(ParameterError, match="delta"):
        release(mechanism, wide_table(), columns=["m1", "m2"], adjacency=2)


def test_bare_words_come_back_as_words() -> None:
    words = Words.from_lists(ALPHABET, [["home", "work"], [], ["sick"] * 3])
    done = release(ALL[0], words)
    assert done.data.lengths.tolist() == [2, 0, 3]
    assert "the length of each" in done.receipt.sentence
    assert release(CERTAIN, words).data == words


def test_lists_arrays_and_codes_come_back_in_kind() -> None:
    word = ["home", "work", "sick"]
    assert release(CERTAIN, word).data == word
    codes = release(CERTAIN, Codes(np.array([0, 1, 2], np.uint8)))
    assert codes.data.array.tolist() == [0, 1, 2]
    assert codes.receipt.shape == {"symbols": 3}
    assert "Any one of the 3 symbols of the word" in codes.receipt.sentence
    grid = np.array([[0, 1], [2, 0]], np.uint8)
    assert release(RandomizedResponse(ALPHABET, epsilon=1), grid).data.shape == (2, 2)


def test_a_choice_by_scores() -> None:
    mechanism = Exponential(
        ["x", "y"], scores={"x": [1, 0], "y": [0, 1]}, sensitivity=1, epsilon=1, inputs=["x", "y"]
    )
    done = release(mechanism, "x")
    assert done.data in ("x", "y")
    assert done.receipt.kind == "choice"
    assert done.receipt.spent <= 1
    with pytest.raises(DomainError):
        release(mechanism, "z")


def test_long_draws_go_in_blocks_and_tell_how_far_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(job, "BLOCK_SYMBOLS", 5)
    words = Words.from_lists(ALPHABET, [["home"] * n for n in (2, 2, 7, 0, 1, 3)])
    told: list[tuple[int, int]] = []
    out = job.draw_words(CERTAIN, words, lambda _stage, done, total: told.append((done, total)))
    assert out == words
    assert told == [(0, 15), (4, 15), (11, 15), (15, 15)]


def refuse(kind: type[Exception], match: str, *args: Any, **kwargs: Any) -> None:
    with pytest.raises(kind, match=match):
        release(*args, **kwargs)


def test_refusals_name_the_place(tmp_path: Path) -> None:
    long: dict[str, Any] = {"id": "who", "time": "month", "state": "state"}
    frame = long_table()
    refuse(ParameterError, "id, a time and a state", CERTAIN, frame, id="who", time="month")
    refuse(ParameterError, "either", CERTAIN, frame, **long, columns=["note"])
    refuse(ParameterError, "made for 2", ALL[0], frame, **long, adjacency=1)
    three = WordExponential(LANGUAGE, epsilon=1, adjacency=4)
    refuse(ParameterError, "longest word has 3", three, frame, **long)
    refuse(ParameterError, "adjacency", ALL[3], frame, **long, adjacency=0)
    refuse(ParameterError, "kept as well", CERTAIN, frame, **long, keep=["month"])
    refuse(ParameterError, "named twice", CERTAIN, frame, id="who", time="who", state="state")
    refuse(ParameterError, "ragged", CERTAIN, frame, **long, ragged=True)
    refuse(ParameterError, "person", CERTAIN, frame, **long, person="who", rows_per_person=3)
    refuse(ParameterError, "not in the alphabet", CERTAIN, frame, **long, missing="gone")
    odd = frame.set_column(2, "state", pa.array(["home"] * 4 + ["lost"]))
    refuse(DomainError, "row 4 of the column 'state'", CERTAIN, odd, **long)
    refuse(ParameterError, "columns to release", CERTAIN, "file.csv")
    refuse(ParameterError, "Only a table", CERTAIN, ["home"], output=tmp_path / "x.csv")
    refuse(ParameterError, "keep", CERTAIN, ["home"], keep=["note"])
    refuse(ParameterError, "missing", CERTAIN, ["home"], missing="sick")
    refuse(ParameterError, "longest word has 1", ALL[0], ["home"])
    refuse(ParameterTypeError, "set", CERTAIN, {"home"})
    refuse(DataError, "no words", CERTAIN, Words.from_lists(ALPHABET, []))
    choice = Exponential(["x", "y"], scores=lambda _x, _y: 0, sensitivity=1, epsilon=1)
    refuse(ParameterError, "does not release words", choice, frame, **long)


@pytest.mark.parametrize(
    ("mechanism", "calibration"),
    [
        (WordExponential(LANGUAGE, epsilon=2, adjacency=2), "exact"),
        (WordExponential(LANGUAGE, epsilon=2, adjacency=2, calibration="paper"), "paper"),
        (WordPermuteAndFlip(LANGUAGE, epsilon=2, adjacency=2), "exact"),
        (WordPermuteAndFlip(LANGUAGE, epsilon=2, adjacency=2, calibration="paper"), "paper"),
        # So small that no rate can be searched for: the published one runs, whatever was asked.
        (WordPermuteAndFlip(LANGUAGE, epsilon="1e-12", adjacency=2), "paper"),
    ],
)
def test_the_calibration_that_ran_is_recorded(
    mechanism: HammingMechanism, calibration: str
) -> None:
    law = release(mechanism, ["home"] * 6).receipt.parts[0].law
    assert law["calibration"] == calibration
    assert law["rate"] > 0


def test_a_word_protected_as_a_whole_is_called_that() -> None:
    whole = release(ALL[0], ["home", "work"]).receipt
    assert whole.guarantee.unit == "The whole word: all 2 symbols of the word"
    assert whole.guarantee.assumptions == ("the sequences are independent of one another",)
    part = release(ALL[0], ["home", "work", "sick"]).receipt
    assert part.guarantee.unit == "Any 2 of the 3 symbols of the word"
    assert "symbols within one" in part.guarantee.assumptions[0]


def test_symbols_answered_one_by_one_add_up() -> None:
    lines = release(ALL[3], wide_table(), columns="m1..m3", adjacency=2).receipt.spent_lines
    assert lines == ("Epsilon spent: 1 x 2 symbols = 2, of 2 promised.",)


def test_a_choice_needs_no_table_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "privet.data", None)
    mechanism = Exponential(
        ["x", "y"], scores={"x": [1, 0], "y": [0, 1]}, sensitivity=1, epsilon=1, inputs=["x", "y"]
    )
    assert release(mechanism, "x").data in ("x", "y")
    assert release(CERTAIN, ["home"]).data == ["home"]


@pytest.mark.parametrize("role", ["other", "missing"])
def test_stand_ins_that_name_no_released_column_are_refused(role: str) -> None:
    stand_in: Any = {role: {"elsewhere": "home"}}
    with pytest.raises(DataError, match="not released"):
        release(CERTAIN, wide_table(), columns=["m1", "m2", "m3"], **stand_in)
    with pytest.raises(DataError, match="not released"):
        release(CERTAIN, long_table(), id="who", time="month", state="state", **stand_in)
