"""`privet release`: files in, files out, the sentence on the screen, the receipt beside it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.csv
import pytest

from privet.data import read_table
from privet.releasing import Receipt
from privet.symbols import Alphabet

Run = Callable[..., Any]

TABLE = ("release", "table", "voters.csv", "-o", "out.csv")
DIARY = ("release", "words", "diary.csv", "--id", "who", "--time", "month", "--state", "state")
SYMBOLS = ("--symbols", "home,work,sick")


def receipt(folder: Path, name: str = "out.csv") -> Receipt:
    return Receipt.read(folder / f"{name}.receipt.json")


def test_a_table(run: Run, folder: Path) -> None:
    done = run(*TABLE, "-c", "vote=Clinton,Dole", "-c", "grade=1..3", "-e", "2", "--keep", "age")
    assert (done.code, done.err) == (0, "")
    told = " ".join(done.out.split())
    assert receipt(folder).sentence in told
    assert "Release: out.csv" in told
    assert "Receipt: out.csv.receipt.json" in told
    table = read_table(folder / "out.csv")
    assert table.column_names == ["vote", "grade", "age"]
    assert table.column("age").to_pylist() == ["30", "41", "52", "63"]
    assert set(table.column("vote").to_pylist()) <= {"Clinton", "Dole"}


def test_no_private_value_and_no_realised_error_is_printed(run: Run, folder: Path) -> None:
    done = run(*TABLE, "-c", "vote=Clinton,Dole", "-e", "2")
    texts = done.out, (folder / "out.csv.receipt.json").read_text(encoding="utf-8")
    for text in texts:
        assert not any(name in text for name in ("Ann", "Bob", "Cay", "Dan"))
        assert "measured" not in text
        assert "realised" not in text


def test_json_is_the_receipt_and_the_places(run: Run, folder: Path) -> None:
    done = run(*TABLE, "-c", "vote=Clinton,Dole", "-e", "2", "--json")
    assert json.loads(done.out) == {
        "output": "out.csv",
        "receipt_file": "out.csv.receipt.json",
        "receipt": receipt(folder).to_json(),
    }
    assert done.err == ""


def test_the_budget(run: Run, folder: Path) -> None:
    columns = ("-c", "vote=Clinton,Dole", "-c", "grade=1..3")
    run(*TABLE, *columns, "-e", "3", "--split", "vote=2", "--split", "grade=1", "--delta", "0.03")
    parts = {part.column: part.mechanism for part in receipt(folder).parts}
    assert (parts["vote"]["epsilon"], parts["vote"]["delta"]) == ("2", "1/50")
    assert (parts["grade"]["epsilon"], parts["grade"]["delta"]) == ("1", "1/100")
    assert "delta = 0.03" in receipt(folder).sentence


def test_persons(run: Run, folder: Path) -> None:
    options = ("--person", "name", "--rows-per-person", "2")
    assert run(*TABLE, "-c", "vote=Clinton,Dole", "-e", "2", *options).code == 0
    made = receipt(folder)
    assert made.parts[0].mechanism["epsilon"] == "1"
    assert made.guarantee.epsilon == 2
    assert "any one person (column 'name', at most 2 rows)" in made.sentence


def test_a_schema(run: Run, folder: Path) -> None:
    (folder / "gap.csv").write_text("vote,grade\nDole,1\n,2\nPerot,3\n", encoding="utf-8")
    schema = {
        "columns": {"vote": ["Clinton", "Dole"], "grade": [1, 2, 3]},
        "missing": {"vote": "nobody"},
        "other": "another",
    }
    (folder / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
    command = ("release", "table", "gap.csv", "-o", "out.csv", "--schema", "schema.json", "-e", "2")
    assert run(*command).code == 0
    parts = {part.column: part for part in receipt(folder).parts}
    assert parts["vote"].mechanism["alphabet"] == ["Clinton", "Dole", "nobody", "another"]
    assert (parts["vote"].missing, parts["vote"].other) == ("nobody", "another")
    assert parts["grade"].mechanism["alphabet"] == [1, 2, 3, "another"]
    assert run(*command, "--overwrite", "-c", "grade").code == 0
    assert [part.column for part in receipt(folder).parts] == ["grade"]


def test_missing_and_other_on_the_command_line(run: Run, folder: Path) -> None:
    (folder / "gap.csv").write_text("vote,town\nDole,x\n,y\nPerot,\n", encoding="utf-8")
    columns = ("-c", "vote=Clinton,Dole", "-c", "town=x,y", "--other", "vote=another")
    command = ("release", "table", "gap.csv", "-o", "out.csv", "-e", "2", "--missing", "none")
    assert run(*command, *columns).code == 0
    parts = {part.column: part.mechanism["alphabet"] for part in receipt(folder).parts}
    assert parts == {"vote": ["Clinton", "Dole", "none", "another"], "town": ["x", "y", "none"]}


def test_an_alphabet_from_the_data_is_a_warning_and_is_published(run: Run, folder: Path) -> None:
    done = run(*TABLE, "-c", "vote", "--alphabet-from-data", "-e", "1")
    assert done.code == 0
    assert len(done.err.splitlines()) == 1
    assert done.err.startswith("privet: warning: The alphabet of the column 'vote'")
    assert "which values occur in 'vote'" in receipt(folder).sentence
    assert "rare or unique the promise does not hold" in receipt(folder).sentence


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet", ".arrow", ".feather", ".ipc"])
def test_every_format(run: Run, folder: Path, ending: str) -> None:
    first = f"one{ending}"
    assert run(*TABLE[:3], "-o", first, "-c", "vote=Clinton,Dole", "-e", "1").code == 0
    again = ("release", "table", first, "-o", f"two{ending}", "-c", "vote=Clinton,Dole", "-e", "1")
    assert run(*again).code == 0
    assert read_table(folder / f"two{ending}").num_rows == 4


def test_an_existing_release_is_replaced_only_if_that_is_said(run: Run, folder: Path) -> None:
    command = (*TABLE, "-c", "vote=Clinton,Dole", "-e", "1")
    assert run(*command).code == 0
    before = (folder / "out.csv.receipt.json").read_bytes()
    assert run(*command).code == 1
    assert (folder / "out.csv.receipt.json").read_bytes() == before
    assert run(*command, "--overwrite").code == 0


@pytest.mark.parametrize(
    ("mechanism", "spent"),
    [("exponential", 4), ("permute-and-flip", 4), ("staircase", 4), ("randomized-response", 4)],
)
def test_long_sequences(run: Run, folder: Path, mechanism: str, spent: int) -> None:
    options = ("--mechanism", mechanism, "-e", "4", "-b", "2", "--keep", "note", "-o", "out.csv")
    done = run(*DIARY, *SYMBOLS, *options)
    assert (done.code, done.err) == (0, "")
    made = receipt(folder)
    assert made.guarantee.epsilon == spent
    assert made.guarantee.unit == "The whole word: all 2 values of 'state' of one 'who'"
    before, after = (read_table(folder / name) for name in ("diary.csv", "out.csv"))
    assert after.column_names == before.column_names
    assert after.drop_columns("state").equals(before.drop_columns("state"))


def test_the_published_rate(run: Run, folder: Path) -> None:
    options = ("-e", "4", "--mechanism", "exponential", "--calibration", "paper", "-o", "out.csv")
    assert run(*DIARY, *SYMBOLS, *options).code == 0
    assert receipt(folder).spent <= 2


def test_wide_sequences_by_pattern(run: Run, folder: Path) -> None:
    wide = ("release", "words", "wide.csv", *SYMBOLS, "-e", "1", "-o", "out.csv")
    assert run(*wide, "--columns", "m*", "--keep", "who").code == 0
    table = pyarrow.csv.read_csv(folder / "out.csv")
    assert table.column_names == ["who", "m1", "m2", "m3"]
    assert receipt(folder).layout["columns"] == ["m1", "m2", "m3"]
    assert run(*wide, "--columns", "m3,m1", "--overwrite").code == 0
    assert receipt(folder).layout["columns"] == ["m3", "m1"]


def test_sequences_of_different_lengths(run: Run, folder: Path) -> None:
    (folder / "ragged.csv").write_text("m1,m2,m3\nhome,work,\nsick,,\n", encoding="utf-8")
    command = ("release", "words", "ragged.csv", "--columns", "m*", *SYMBOLS, "-e", "1")
    assert run(*command, "--ragged", "-o", "out.csv").code == 0
    assert read_table(folder / "out.csv").column("m3").to_pylist() == [None, None]
    assert "the length of each sequence" in receipt(folder).sentence


def test_words_with_an_alphabet_from_the_data(run: Run, folder: Path) -> None:
    wide = ("release", "words", "wide.csv", "--columns", "m*", "--alphabet-from-data", "-e", "1")
    done = run(*wide, "-o", "out.csv")
    assert done.code == 0
    assert done.err.startswith("privet: warning: ")
    mechanism: Any = receipt(folder).mechanism()
    assert set(mechanism.alphabet.symbols) == {"home", "work", "sick"}
    assert "which values occur in" in receipt(folder).sentence


def test_words_take_a_schema(run: Run, folder: Path) -> None:
    schema = {"columns": {"state": ["home", "work", "sick"]}}
    (folder / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
    assert run(*DIARY, "--schema", "schema.json", "-e", "1", "-o", "out.csv").code == 0
    mechanism: Any = receipt(folder).mechanism("state")
    assert mechanism.alphabet == Alphabet(["home", "work", "sick"])


def test_symbols_that_join_an_alphabet_are_said(run: Run, folder: Path) -> None:
    done = run(
        *TABLE, "-c", "vote=Clinton,Perot", "-e", "1", "--other", "else", "--missing", "vote=NA"
    )
    assert done.code == 0
    said = "'NA' and 'else' were added to 'vote': 4 categories"
    assert f"{said}." in done.out
    assert receipt(folder).notes == (said,)
    assert done.err == ""
    assert "categories" in done.out


def test_what_stays_behind_and_what_goes_out_is_listed(run: Run) -> None:
    done = run(*TABLE, "-c", "vote=Clinton,Dole", "-e", "2", "--keep", "age")
    assert "Left out: name, grade.\n" in done.out
    assert "Kept: age.\n" in done.out


def test_weak_parameters_are_noted_on_the_standard_error(run: Run, folder: Path) -> None:
    done = run(*TABLE, "-c", "vote=Clinton,Dole", "-e", "30", "--delta", "0.5")
    first, second = done.err.splitlines()
    assert first.startswith("privet: note: epsilon = 30 is weak")
    assert second.startswith("privet: note: delta = 0.5 is not below 1 / rows = 0.25")
    assert len(receipt(folder).notes) == 2


def test_what_was_spent_is_a_sum_that_adds_up(run: Run) -> None:
    columns = ("-c", "vote=Clinton,Dole", "-c", "grade=1..3")
    person = ("--person", "name", "--rows-per-person", "4")
    done = run(*TABLE, *columns, *person, "-e", "8", "--delta", "0.08")
    assert "Epsilon spent: (1 + 1) x 4 rows = 8, of 8 promised.\n" in done.out
    assert "Delta spent: (0.01 + 0.01) x 4 rows = 0.08.\n" in done.out
    assert "epsilon per row" in done.out


def test_words_are_released_by_what_can_be_estimated(run: Run, folder: Path) -> None:
    done = run(*DIARY, *SYMBOLS, "-e", "4", "-b", "2", "-o", "out.csv")
    assert "randomised response" in done.out
    assert "cannot be estimated" not in done.out
    assert receipt(folder).parts[0].mechanism["mechanism"] == "randomized-response"
    assert "Epsilon spent: 2 x 2 symbols = 4, of 4 promised." in done.out
    british = ("--mechanism", "randomised-response", "--overwrite", "-o", "out.csv")
    assert run(*DIARY, *SYMBOLS, "-e", "4", *british).code == 0
    stairs = ("--mechanism", "staircase", "--overwrite", "-o", "out.csv")
    assert "Shares cannot be estimated" in run(*DIARY, *SYMBOLS, "-e", "4", *stairs).out


def test_columns_by_range(run: Run, folder: Path) -> None:
    wide = ("release", "words", "wide.csv", *SYMBOLS, "-e", "1", "-o", "out.csv")
    assert run(*wide, "--columns", "m1..m3").code == 0
    assert receipt(folder).layout["columns"] == ["m1", "m2", "m3"]


def test_what_a_program_reads_is_not_wrapped(run: Run) -> None:
    done = run(*TABLE, "-c", "vote=Clinton,Dole", "-e", "2")
    assert done.out.splitlines()[0].endswith("the number and the order of the rows.")
    assert not [line for line in done.out.splitlines() if line != line.rstrip()]


def test_the_remedy_for_a_gap_in_a_wide_table_works_as_said(run: Run, folder: Path) -> None:
    (folder / "gap.csv").write_text("m1,m2\nhome,\nwork,home\n", encoding="utf-8")
    gap = ("release", "words", "gap.csv", "--columns", "m*", *SYMBOLS, "-e", "1", "-o", "out.csv")
    assert "--missing SYMBOL" in run(*gap).error
    for missing in ("none", "m2=none"):
        done = run(*gap, "--missing", missing, "--overwrite")
        assert done.code == 0
        assert "'none' was added to all columns: 4 categories.\n" in done.out
