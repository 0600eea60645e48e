"""Bad input, kind by kind: the exit code, one line that names the place, nothing written.

Every case runs in a folder of good files, and must leave exactly those behind. The secret label of
the data appears nowhere in what is printed.
"""

import gzip
from pathlib import Path
from typing import Protocol

import pyarrow as pa
import pyarrow.parquet
import pytest

SECRET = "Eisenhower"


class Done(Protocol):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str: ...


class Run(Protocol):
    """Runs a command."""

    def __call__(self, *arguments: str) -> Done: ...


VOTE = ("--column", "vote=Clinton,Dole")
TABLE = ("release", "table", "voters.csv")
OUT = ("-o", "out.csv")
LONG = ("--id", "who", "--time", "month", "--state", "state", "--symbols", "home,work,sick")
WORDS = ("release", "words", "diary.csv")


def snapshot(folder: Path) -> dict[str, bytes | None]:
    return {path.name: path.read_bytes() if path.is_file() else None for path in folder.iterdir()}


def check(run: Run, folder: Path, code: int, place: str, *arguments: str) -> None:
    before = snapshot(folder)
    done = run(*arguments)
    assert (done.code, place in done.error) == (code, True), (done.code, done.err)
    assert SECRET not in done.err
    assert snapshot(folder) == before


BAD_EPSILON = ["nan", "inf", "-inf", "0", "0.0", "-1", "True", "abc", "", "1e-320", "1e9", "1/0"]


@pytest.mark.parametrize("epsilon", BAD_EPSILON)
def test_epsilon(run: Run, folder: Path, epsilon: str) -> None:
    check(run, folder, 2, "epsilon", *TABLE, *VOTE, "--epsilon", epsilon, *OUT)
    check(run, folder, 2, "epsilon", *WORDS, *LONG, "--epsilon", epsilon, *OUT)
    check(run, folder, 2, "epsilon", "plan", "--symbols", "a,b", "--epsilon", epsilon)


@pytest.mark.parametrize("delta", ["1", "1.5", "-0.1", "nan", "inf", "abc", "True"])
def test_delta(run: Run, folder: Path, delta: str) -> None:
    check(run, folder, 2, "delta", *TABLE, *VOTE, "-e", "1", "--delta", delta, *OUT)
    check(run, folder, 2, "delta", "plan", "--symbols", "a,b", "-e", "1", "--delta", delta)


@pytest.mark.parametrize(
    ("symbols", "place"),
    [("a", "at least two"), ("a,a", "equal"), ("a,b,a", "equal"), ("a,,b", "empty"), ("", "empty")],
)
def test_alphabets_of_one_or_with_duplicates(
    run: Run, folder: Path, symbols: str, place: str
) -> None:
    check(run, folder, 2, place, *TABLE, "-c", f"vote={symbols}", "-e", "1", *OUT)
    check(run, folder, 2, "'vote'", *TABLE, "-c", f"vote={symbols}", "-e", "1", *OUT)
    long = [*LONG[:-1], symbols]
    check(run, folder, 2, place, *WORDS, *long, "-e", "1", *OUT)
    check(run, folder, 2, place, "plan", "--symbols", symbols, "-e", "1")


@pytest.mark.parametrize("size", ["1", "0", "-3", "two", "2.5"])
def test_alphabet_sizes(run: Run, folder: Path, size: str) -> None:
    check(run, folder, 2, "alphabet-size", "plan", "--alphabet-size", size, "-e", "1")


def test_a_range_that_does_not_rise(run: Run, folder: Path) -> None:
    check(run, folder, 2, "6..0", *TABLE, "-c", "grade=6..0", "-e", "1", *OUT)
    check(run, folder, 2, "0..99999999", *TABLE, "-c", "grade=0..99999999", "-e", "1", *OUT)


def test_an_alphabet_that_nobody_gave(run: Run, folder: Path) -> None:
    check(run, folder, 2, "'vote' has no alphabet", *TABLE, "-c", "vote", "-e", "1", *OUT)
    check(run, folder, 2, "no alphabet", *WORDS, *LONG[:-2], "-e", "1", *OUT)


def test_a_column_of_one_value_whose_alphabet_is_taken_from_it(run: Run, folder: Path) -> None:
    (folder / "one.csv").write_text(f"vote\n{SECRET}\n{SECRET}\n", encoding="utf-8")
    done = run("release", "table", "one.csv", "-c", "vote", "--alphabet-from-data", "-e", "1", *OUT)
    warning, error = done.err.splitlines()
    assert done.code == 2
    assert warning.startswith("privet: warning: ")
    assert "at least two" in error
    assert SECRET not in done.err
    assert not (folder / "out.csv").exists()


def test_unknown_labels(run: Run, folder: Path) -> None:
    (folder / "odd.csv").write_text(f"vote\nDole\n{SECRET}\n", encoding="utf-8")
    place = "row 1 of the column 'vote'"
    check(run, folder, 1, place, "release", "table", "odd.csv", *VOTE, "-e", "1", *OUT)
    (folder / "odd.csv").write_text(f"who,month,state\na,1,{SECRET}\n", encoding="utf-8")
    place = "row 0 of the column 'state'"
    check(run, folder, 1, place, "release", "words", "odd.csv", *LONG, "-e", "1", *OUT)


def test_missing_values(run: Run, folder: Path) -> None:
    (folder / "gap.csv").write_text("vote,grade\nDole,1\n,2\n", encoding="utf-8")
    place = "Row 1 has no value in the column 'vote'"
    check(run, folder, 1, place, "release", "table", "gap.csv", *VOTE, "-e", "1", *OUT)
    (folder / "gap.csv").write_text("who,month,state\na,1,home\n,2,work\n", encoding="utf-8")
    check(run, folder, 1, "'who'", "release", "words", "gap.csv", *LONG, "-e", "1", *OUT)


def test_lengths_that_differ_in_a_wide_table(run: Run, folder: Path) -> None:
    (folder / "ragged.csv").write_text("m1,m2,m3\nhome,work,\nwork,home,sick\n", encoding="utf-8")
    words = ("release", "words", "ragged.csv", "--columns", "m*", "--symbols", "home,work,sick")
    check(run, folder, 1, "Row 0 has no value in the column 'm3'", *words, "-e", "1", *OUT)
    (folder / "hole.csv").write_text("m1,m2,m3\nhome,,sick\nwork,home,sick\n", encoding="utf-8")
    words = ("release", "words", "hole.csv", "--columns", "m*", "--symbols", "home,work,sick")
    check(run, folder, 1, "'m2'", *words, "--ragged", "-e", "1", *OUT)


@pytest.mark.parametrize("adjacency", ["0", "-1", "1.5", "x"])
def test_adjacency_that_is_no_count(run: Run, folder: Path, adjacency: str) -> None:
    check(run, folder, 2, "adjacency", *WORDS, *LONG, "-e", "1", "-b", adjacency, *OUT)
    check(
        run,
        folder,
        2,
        "adjacency",
        "plan",
        "--symbols",
        "a,b",
        "-n",
        "3",
        "-e",
        "1",
        "-b",
        adjacency,
    )


@pytest.mark.parametrize(
    "mechanism", ["exponential", "permute-and-flip", "staircase", "randomized-response"]
)
def test_adjacency_beyond_the_length(run: Run, folder: Path, mechanism: str) -> None:
    place = "the longest word has 2 symbols"
    options = ("-e", "1", "-b", "3", "--mechanism", mechanism)
    check(run, folder, 2, place, *WORDS, *LONG, *options, *OUT)
    check(
        run,
        folder,
        2,
        "have 3 symbols",
        "plan",
        "--symbols",
        "a,b",
        "-n",
        "3",
        "-e",
        "1",
        "-b",
        "4",
    )


def test_a_file_that_is_not_there(run: Run, folder: Path) -> None:
    check(run, folder, 1, "none.csv", "release", "table", "none.csv", *VOTE, "-e", "1", *OUT)
    (folder / "parts.csv").mkdir()
    check(run, folder, 1, "parts.csv", "release", "table", "parts.csv", *VOTE, "-e", "1", *OUT)
    check(run, folder, 1, "folder", *TABLE, *VOTE, "-e", "1", "-o", "parts.csv")


CSV = f"vote,grade\nDole,{SECRET}\n".encode()


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("empty.csv", b"", "empty.csv is empty"),
        ("empty.parquet", b"", "empty.parquet is empty"),
        ("empty.csv.gz", b"", "empty.csv.gz is empty"),
        ("header.csv", b"vote\n", "no rows"),
        ("text.parquet", CSV, "text.parquet"),
        ("text.arrow", CSV, "text.arrow"),
        ("packed.csv", gzip.compress(CSV, mtime=0), "packed.csv"),
        ("plain.csv.gz", CSV, "plain.csv.gz"),
        ("cut.parquet", b"PAR1" + CSV, "cut.parquet"),
        ("cut.csv.gz", gzip.compress(CSV, mtime=0)[:20], "cut.csv.gz"),
        ("bytes.csv", b"vote\n\xff\xfe\x00\n", "bytes.csv"),
        ("ragged.csv", f"vote\nDole\nDole,{SECRET}\n".encode(), "ragged.csv"),
        ("twice.csv", f"vote,vote\nDole,{SECRET}\n".encode(), "twice.csv"),
        ("table.xlsx", b"PK\x03\x04", "table.xlsx"),
        ("noending", CSV, "noending"),
    ],
)
def test_a_file_that_is_not_what_its_ending_says(
    run: Run, folder: Path, name: str, content: bytes, place: str
) -> None:
    (folder / name).write_bytes(content)
    code = 2 if name in ("table.xlsx", "noending") else 1
    check(run, folder, code, place, "release", "table", name, *VOTE, "-e", "1", *OUT)


def test_a_column_that_is_not_there(run: Run, folder: Path) -> None:
    check(run, folder, 1, "'vot'", *TABLE, "-c", "vot=a,b", "-e", "1", *OUT)
    check(run, folder, 1, "'vot'", *TABLE, "-c", "vot", "--alphabet-from-data", "-e", "1", *OUT)
    check(run, folder, 1, "'town'", *TABLE, *VOTE, "--keep", "town", "-e", "1", *OUT)
    person = ("--person", "town", "--rows-per-person", "1")
    check(run, folder, 1, "'town'", *TABLE, *VOTE, *person, "-e", "1", *OUT)
    long = ["--id", "whom", *LONG[2:]]
    check(run, folder, 1, "'whom'", *WORDS, *long, "-e", "1", *OUT)
    wide = ("release", "words", "wide.csv", "--symbols", "home,work,sick", "-e", "1")
    check(run, folder, 1, "'q*'", *wide, "--columns", "q*", *OUT)
    check(run, folder, 1, "'m9'", *wide, "--columns", "m1,m9", *OUT)


def test_a_column_that_is_not_categorical_in_the_alphabets_type(run: Run, folder: Path) -> None:
    table = pa.table({"grade": pa.array([1, 2], pa.int8())})
    pa.parquet.write_table(table, folder / "typed.parquet")
    command = ("release", "table", "typed.parquet", "-c", "grade=low,high", "-e", "1")
    check(run, folder, 1, "'grade'", *command, *OUT)


def test_columns_of_a_word_that_have_different_types(run: Run, folder: Path) -> None:
    table = pa.table({"m1": pa.array([1, 2], pa.int8()), "m2": ["x", "y"]})
    pa.parquet.write_table(table, folder / "typed.parquet")
    command = ("release", "words", "typed.parquet", "--columns", "m*", "-e", "1")
    check(run, folder, 1, "different types", *command, "--alphabet-from-data", *OUT)
    check(run, folder, 1, "'m1'", *command, "--symbols", "x,y", *OUT)


def test_rows_of_persons(run: Run, folder: Path) -> None:
    (folder / "many.csv").write_text(f"who,vote\n{SECRET},Dole\n{SECRET},Dole\n", encoding="utf-8")
    many = ("release", "table", "many.csv", *VOTE, "-e", "1")
    person = ("--person", "who", "--rows-per-person")
    check(run, folder, 1, "1 person in column 'who' has more than 1 row", *many, *person, "1", *OUT)
    check(run, folder, 1, "--rows-per-person N", *many, *person, "1", *OUT)
    check(run, folder, 2, "rows_per_person", *many, *person, "0", *OUT)
    check(run, folder, 2, "rows-per-person", *many, *person, "x", *OUT)
    check(run, folder, 2, "go together", *many, "--person", "who", *OUT)
    check(run, folder, 2, "go together", *many, "--rows-per-person", "2", *OUT)


def test_the_budget_split(run: Run, folder: Path) -> None:
    columns = (*TABLE, *VOTE, "-c", "grade=1..3", "-e", "1")
    check(run, folder, 2, "'grade'", *columns, "--split", "vote=1", *OUT)
    check(run, folder, 2, "NAME=SHARE", *columns, "--split", "vote", *OUT)
    check(run, folder, 2, "two shares", *columns, "--split", "vote=1", "--split", "vote=2", *OUT)
    bad = ("--split", "vote=1", "--split", "grade=x")
    check(run, folder, 2, "share of 'grade'", *columns, *bad, *OUT)
    other = ("--split", "vote=1", "--split", "grade=1", "--split", "age=1")
    check(run, folder, 1, "'age'", *columns, *other, *OUT)


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("", "line 1"),
        ("{", "line 1"),
        ('{"columns": {}', "line 1"),
        ("[]", "the whole file"),
        ("{}", "columns: field required"),
        ('{"columns": []}', "columns"),
        ('{"columns": {"vote": "Clinton"}}', "columns.vote"),
        ('{"columns": {"vote": ["Clinton", 1.5]}}', "columns.vote[1]"),
        ('{"columns": {"vote": ["Clinton", null]}}', "columns.vote[1]"),
        ('{"columns": {"vote": ["Clinton", true]}}', "columns.vote[1]"),
        ('{"columns": {"str": ["Clinton", true]}}', "columns.str[1]: input should be a valid str"),
        ('{"columns": {"a[b": ["Clinton", true]}}', "columns.a[b[1]: input should be a valid str"),
        ('{"columns": {"vote": ["Clinton"]}}', "'vote': An alphabet needs at least two"),
        ('{"columns": {"vote": ["a", "b"], "vote": ["c", "d"]}}', "'vote' is there twice"),
        ('{"columns": {"vote": ["a", "b"]}, "colour": 1}', "colour"),
        ('{"columns": {"vote": ["a", "b"]}, "missing": 1.5}', "missing"),
    ],
)
def test_a_schema_that_cannot_be_used(run: Run, folder: Path, content: str, place: str) -> None:
    (folder / "schema.json").write_text(content, encoding="utf-8")
    check(run, folder, 2, place, *TABLE, "--schema", "schema.json", "-e", "1", *OUT)


def test_a_schema_file_that_cannot_be_read(run: Run, folder: Path) -> None:
    check(run, folder, 1, "no file none.json", *TABLE, "--schema", "none.json", "-e", "1", *OUT)
    (folder / "schema.json").write_bytes(b"\xff\xfe\x00")
    check(run, folder, 2, "UTF-8", *TABLE, "--schema", "schema.json", "-e", "1", *OUT)


def test_places_to_write_to(run: Run, folder: Path) -> None:
    command = (*TABLE, *VOTE, "-e", "1")
    check(run, folder, 2, "input file", *command, "-o", "voters.csv")
    check(run, folder, 2, "input file", *command, "-o", "voters.csv", "--overwrite")
    check(run, folder, 2, "input file", *command, *OUT, "--receipt", "voters.csv", "--overwrite")
    check(run, folder, 2, "same file", *command, *OUT, "--receipt", "out.csv")
    check(run, folder, 1, "no folder", *command, "-o", "none/out.csv")
    check(run, folder, 1, "diary.csv exists", *command, "-o", "diary.csv")
    check(run, folder, 1, "diary.csv exists", *command, *OUT, "--receipt", "diary.csv")
    check(run, folder, 2, "out.txt", *command, "-o", "out.txt")
    check(run, folder, 2, ".svg", "plan", "--symbols", "a,b", "-e", "1", "--plot", "plot.png")
    svg = ("plan", "--symbols", "a,b", "-e", "1", "--plot", "none/plot.svg")
    check(run, folder, 1, "no folder", *svg)


def test_options_that_do_not_go_together(run: Run, folder: Path) -> None:
    words = ("release", "words", "wide.csv", "--symbols", "home,work,sick", "-e", "1")
    check(run, folder, 2, "either", *words, *OUT)
    check(run, folder, 2, "either", *words, "--columns", "m1", "--id", "who", *OUT)
    check(run, folder, 2, "--id, --time and --state together", *words, "--id", "who", *OUT)
    check(
        run,
        folder,
        2,
        "no mechanism 'magic'",
        *words,
        "--columns",
        "m*",
        "--mechanism",
        "magic",
        *OUT,
    )
    columns = (*words, "--columns", "m*")
    check(run, folder, 2, "calibration", *columns, "--calibration", "best", *OUT)
    stairs = ("--mechanism", "staircase", "--calibration", "paper")
    check(run, folder, 2, "no calibration", *columns, *stairs, *OUT)
    check(run, folder, 2, "released and kept", *TABLE, *VOTE, "--keep", "vote", "-e", "1", *OUT)
    check(run, folder, 2, "named twice", *TABLE, *VOTE, *VOTE, "-e", "1", *OUT)
    check(run, folder, 2, "No column", *TABLE, "-e", "1", *OUT)
    check(run, folder, 2, "either", "plan", "-e", "1")
    check(run, folder, 2, "either", "plan", "--symbols", "a,b", "--alphabet-size", "2", "-e", "1")


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (["plan"], "--epsilon"),
        (["plna"], "plna"),
        (["release", "tables"], "tables"),
        (["release", "table"], "FILE"),
        ([*TABLE, *VOTE, "-e", "1"], "--output"),
        (["plan", "--colour"], "--colour"),
        (["estimate"], "RELEASED"),
    ],
)
def test_usage(run: Run, folder: Path, arguments: list[str], place: str) -> None:
    check(run, folder, 2, place, *arguments)
    assert "--help'." in run(*arguments).err


def test_estimates_from_what_is_no_release(run: Run, folder: Path) -> None:
    assert run(*TABLE, *VOTE, "-e", "1", *OUT).code == 0
    check(run, folder, 1, "receipt voters.csv.receipt.json", "estimate", "voters.csv")
    check(run, folder, 1, "voters.csv", "estimate", "out.csv", "--receipt", "voters.csv")
    check(run, folder, 1, "'grade'", "estimate", "out.csv", "-c", "grade")
    check(run, folder, 2, "confidence", "estimate", "out.csv", "--confidence", "2")
    check(run, folder, 2, "variance", "estimate", "out.csv", "--variance", "none")
    check(run, folder, 1, "'age'", "estimate", "out.csv", "--weights", "age")
    (folder / "other.csv").write_text(f"vote\n{SECRET}\n", encoding="utf-8")
    receipt = ("--receipt", "out.csv.receipt.json")
    check(run, folder, 1, "not, byte for byte", "estimate", "other.csv", *receipt)
    place = "not the file of this receipt: the label in row 0 of the column 'vote'"
    check(run, folder, 1, place, "estimate", "other.csv", *receipt, "--changed-file")


def test_a_kept_column_cannot_be_estimated(run: Run, folder: Path) -> None:
    assert run(*TABLE, *VOTE, "--keep", "age", "-e", "1", *OUT).code == 0
    check(run, folder, 1, "'age' was kept, not released", "estimate", "out.csv", "-c", "age")
    assert "Count its values directly" in run("estimate", "out.csv", "-c", "age").error


def test_remedies_are_options(run: Run, folder: Path) -> None:
    (folder / "odd.csv").write_text(f"vote\nDole\n{SECRET}\n\n", encoding="utf-8")
    odd = ("release", "table", "odd.csv", *VOTE, "-e", "1", *OUT)
    check(run, folder, 1, "--other 'vote=SYMBOL'", *odd)
    check(run, folder, 1, "1 row has such a label", *odd)
    check(run, folder, 1, "Rows are counted from 0, without the header", *odd)
    check(run, folder, 1, "--missing 'vote=SYMBOL'", *odd, "--other", "else")
    (folder / "gap.csv").write_text("m1,m2\nhome,\nwork,home\n", encoding="utf-8")
    gap = ("release", "words", "gap.csv", "--columns", "m*", "--symbols", "home,work", "-e", "1")
    check(run, folder, 1, "add --ragged", *gap, *OUT)
    split = (*TABLE, *VOTE, "-c", "grade=1..3", "-e", "1", "--split", "vote=1", *OUT)
    check(run, folder, 2, "--split NAME=SHARE", *split)
    check(run, folder, 2, "--rows-per-person", *TABLE, *VOTE, "-e", "1", "--person", "name", *OUT)


@pytest.mark.parametrize(("sign", "name"), [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")])
def test_another_separator_than_a_comma(run: Run, folder: Path, sign: str, name: str) -> None:
    (folder / "other.csv").write_text(f"vote{sign}age\nDole{sign}5\n", encoding="utf-8")
    place = f"separated by {name}, but the separator must be a comma"
    check(run, folder, 1, place, "release", "table", "other.csv", *VOTE, "-e", "1", *OUT)
    words = ("release", "words", "other.csv", "--columns", "v*", "--symbols", "a,b", "-e", "1")
    check(run, folder, 1, place, *words, *OUT)


@pytest.mark.parametrize(("sign", "name"), [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")])
def test_another_separator_beside_a_comma_in_a_name(
    run: Run, folder: Path, sign: str, name: str
) -> None:
    header = sign.join(["vote", "size, in m", "age"])
    (folder / "other.csv").write_text(f"{header}\nDole{sign}1,8{sign}5\n", encoding="utf-8")
    table = ("release", "table", "other.csv", *VOTE, "-e", "1")
    check(run, folder, 1, f"separated by {name}, but the separator must be a comma", *table, *OUT)
    words = ("release", "words", "other.csv", "--columns", "m*", "--symbols", "a,b", "-e", "1")
    check(run, folder, 1, f"has {name} where the separator", *words, *OUT)
    named = f"vote,a{sign}b,c{sign}d\nDole,1,2\n"  # a column that is asked for is there
    (folder / "named.csv").write_text(named, encoding="utf-8")
    assert run("release", "table", "named.csv", *VOTE, "-e", "1", *OUT).code == 0


def test_an_identifier_gives_no_alphabet(run: Run, folder: Path) -> None:
    rows = "".join(f"person {row}\n" for row in range(40))
    (folder / "ids.csv").write_text(f"who\n{rows}", encoding="utf-8")
    command = ("release", "table", "ids.csv", "-c", "who", "--alphabet-from-data", "-e", "1")
    check(run, folder, 1, "more than half as many different values as rows", *command, *OUT)


def test_an_error_that_nobody_foresaw_tells_no_value(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise ValueError(f"cannot digest {SECRET}")

    monkeypatch.setattr("privet.releasing.release", fail)
    check(run, folder, 1, "internal error ValueError at", *TABLE, *VOTE, "-e", "1", *OUT)


def test_names_from_files_cannot_steer_the_terminal(run: Run, folder: Path) -> None:
    (folder / "odd.csv").write_text("\x1b[2Jvote\x07,x\nDole,1\n", encoding="utf-8")
    done = run("release", "table", "odd.csv", *VOTE, "-e", "1", *OUT)
    assert done.code == 1
    assert "\x1b" not in done.error
    assert "\x07" not in done.error


@pytest.mark.parametrize("place", ["--receipt", "-o"])
def test_the_schema_is_never_overwritten(run: Run, folder: Path, place: str) -> None:
    schema = folder / "schema.csv"
    text = '{"columns": {"vote": ["Clinton", "Dole"]}}'
    schema.write_text(text, encoding="utf-8")
    given = ["-o", "out.csv", "--receipt", "r.json"]
    given[given.index(place) + 1] = "schema.csv"
    check(
        run,
        folder,
        2,
        "schema.csv",
        *TABLE,
        "--schema",
        "schema.csv",
        "-e",
        "1",
        *given,
        "--overwrite",
    )
    assert schema.read_text(encoding="utf-8") == text
