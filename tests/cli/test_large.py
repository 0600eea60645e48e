"""Folders and large files from the command line: released in batches, and estimated in batches."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.data import read_table, write_table

Run = Callable[..., Any]

VOTE = ("--column", "vote=yes,no", "--epsilon", "2")
ROWS = 3000


@pytest.fixture
def survey(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of three parts, read a thousand rows at a time at most."""
    monkeypatch.setattr("privet.data.batches._MOST_ROWS", 700)
    draw = np.random.default_rng(1)
    parts = folder / "survey"
    parts.mkdir()
    for number in range(3):
        columns: dict[str, Any] = {
            "row": np.arange(1000) + 1000 * number,
            "vote": draw.choice(["yes", "no"], 1000, p=[0.8, 0.2]),
            "weight": draw.integers(1, 4, 1000),
            "d1": draw.choice(["a", "b"], 1000),
            "d2": draw.choice(["a", "b"], 1000),
        }
        table = pa.table(columns)
        pq.write_table(table, parts / f"part-{number}.parquet")
    return parts


def share(run: Run, *arguments: str) -> Any:
    done = run("estimate", *arguments, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)["estimates"]


def test_a_folder_is_released_and_estimated(run: Run, survey: Path, folder: Path) -> None:
    keep = ("--keep", "row,weight")
    done = run("release", "table", survey.name, *VOTE, *keep, "-o", "out.parquet")
    assert done.code == 0, done.err
    assert "Release: out.parquet (3,000 rows)" in done.out
    table = read_table(folder / "out.parquet")
    assert table.column("row").to_pylist() == [*range(ROWS)]
    (found,) = share(run, "out.parquet", "--weights", "weight")
    assert found["cells"][0]["share"] == pytest.approx(0.8, abs=0.1)
    assert not [place for place in folder.iterdir() if place.name.startswith(".privet")]


def test_batches_are_estimated_as_the_whole(
    run: Run, survey: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = ("--column", "d1=a,b", "--column", "d2=a,b", "--keep", "weight")
    run("release", "table", survey.name, *VOTE, *columns, "-o", "out.csv")
    questions: list[tuple[str, ...]] = [
        (),
        ("--weights", "weight"),
        ("--column", "vote,d1", "--weights", "weight"),
        ("--column", "d2,vote,d1", "--variance", "sampling"),
    ]
    parts = [share(run, "out.csv", *question) for question in questions]
    monkeypatch.setattr("privet.data.batches._MOST_ROWS", 1 << 20)
    assert parts == [share(run, "out.csv", *question) for question in questions]


def test_words_are_estimated_in_batches(
    run: Run, survey: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--columns", "d1,d2", "--symbols", "a,b", "--epsilon", "2")
    assert run("release", "words", survey.name, *words, "-o", "out.arrow").code == 0
    parts = [share(run, "out.arrow"), share(run, "out.arrow", "--column", "d2")]
    monkeypatch.setattr("privet.data.batches._MOST_ROWS", 1 << 20)
    assert parts == [share(run, "out.arrow"), share(run, "out.arrow", "--column", "d2")]


def test_a_released_folder_is_estimated_if_it_is_the_one_of_the_receipt(
    run: Run, survey: Path, folder: Path
) -> None:
    run("release", "table", survey.name, *VOTE, "-o", "out.parquet")
    parts = folder / "released"
    parts.mkdir()
    table = read_table(folder / "out.parquet")
    for number in range(3):
        write_table(table.slice(1000 * number, 1000), parts / f"part-{number}.parquet")
    receipt = ("--receipt", "out.parquet.receipt.json")
    done = run("estimate", parts.name, *receipt)
    assert (done.code, "not, byte for byte" in done.error) == (1, True)
    found = share(run, parts.name, *receipt, "--changed-file")
    assert found == share(run, "out.parquet")


def test_an_alphabet_from_batches(run: Run, survey: Path) -> None:
    options = ("--alphabet-from-data", "--epsilon", "1", "-o", "out.csv")
    done = run("release", "table", survey.name, "--column", "vote", *options)
    assert done.code == 0, done.err
    assert "taken from the protected data" in done.err
    receipt = json.loads(Path("out.csv.receipt.json").read_text(encoding="utf-8"))
    assert receipt["parts"][0]["mechanism"]["alphabet"] == ["no", "yes"]


def test_a_label_in_the_last_part_publishes_nothing(run: Run, survey: Path, folder: Path) -> None:
    pq.write_table(
        pa.table(
            {
                "row": [1],
                "vote": ["secret"],
                "weight": [1],
                "d1": ["a"],
                "d2": ["b"],
            }
        ),
        survey / "part-9.parquet",
    )
    done = run("release", "table", survey.name, *VOTE, "-o", "out.parquet")
    assert done.code == 1
    assert "row 3000 of the column 'vote'" in done.error
    assert "secret" not in done.err
    assert not (folder / "out.parquet").exists()


def test_parts_that_differ_and_outputs_inside_are_refused(run: Run, survey: Path) -> None:
    done = run("release", "table", survey.name, *VOTE, "-o", "survey/out.parquet")
    assert "lies in the folder of the input" in done.error
    pq.write_table(pa.table({"vote": ["yes"]}), survey / "part-9.parquet")
    done = run("release", "table", survey.name, *VOTE, "-o", "out.parquet")
    assert "part-9.parquet does not have the columns of part-0.parquet" in done.error


def test_places_are_counted_over_all_batches(run: Run, survey: Path, folder: Path) -> None:
    keep = ("--keep", "weight")
    run("release", "table", survey.name, *VOTE, *keep, "-o", "out.csv")
    lines = (folder / "out.csv").read_text(encoding="utf-8").splitlines()
    for wrong, says in (("maybe,1", "label in row 2998"), ("yes,-1", "weight at position 2998")):
        (folder / "out.csv").write_text(
            "\n".join([*lines[:2999], wrong, lines[3000]]) + "\n", encoding="utf-8"
        )
        done = run("estimate", "out.csv", "--changed-file", "--weights", "weight")
        assert done.code == 1
        assert says in done.error


@pytest.mark.parametrize("order", ["in order", "in disorder"])
def test_a_query_about_the_series_of_a_folder(run: Run, folder: Path, order: str) -> None:
    draw = np.random.default_rng(2)
    at = np.arange(3000) if order == "in order" else draw.permutation(3000)
    what: Any = draw.choice(["home", "out"], 3000)
    columns: dict[str, Any] = {"who": at // 30, "day": at % 30, "what": what}
    table, parts = pa.table(columns), folder / "diaries"
    parts.mkdir()
    for number in range(3):
        pq.write_table(table.slice(1000 * number, 1000), parts / f"part-{number}.parquet")
    half = ["1/2", "1/2"]
    chain = {"kind": "markov-chain", "states": ["home", "out"], "transition": [half, half]}
    (folder / "chain.json").write_text(json.dumps({**chain, "initial": half}), encoding="utf-8")
    options = ("--id", "who", "--time", "day", "--state", "what", "--query", "count=out")
    done = run(
        "release", "query", "diaries", *options, "--chain", "chain.json", "-e", "5", "-o", "o.json"
    )
    assert done.code == 0, done.err
    (answer,) = json.loads((folder / "o.json").read_text(encoding="utf-8"))
    assert abs(answer["value"] - np.count_nonzero(what == "out")) < 20
    receipt = json.loads((folder / "o.json.receipt.json").read_text(encoding="utf-8"))
    assert (receipt["shape"]["series"], receipt["shape"]["steps"]) == (100, 3000)
    assert not [place for place in folder.iterdir() if place.name.startswith(".privet")]


@pytest.mark.parametrize("rows", [40, 3000])
def test_a_column_of_lists_is_released_and_read_back(
    run: Run, folder: Path, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In memory and, as a folder, in batches."""
    monkeypatch.setattr("privet.data.batches._MOST_ROWS", 700)
    lists = pa.table({"who": range(rows), "days": [[*"aab"[: n % 4]] for n in range(rows)]})
    place = folder / "diary.parquet"
    if rows > 1000:
        place = folder / "diary"
        place.mkdir()
    pq.write_table(lists, place / "part.parquet" if place.is_dir() else place)
    words = ("release", "words", place.name, "--columns", "days", "--symbols", "a,b", "-o")
    done = run(*words, "out.parquet", "--epsilon", "2")
    differ = "The lists of the column 'days' have different lengths."
    assert done.error == f"{differ} Their lengths would go out: add --ragged."
    done = run(*words, "out.parquet", "--epsilon", "2", "--ragged", "--keep", "who")
    assert done.code == 0, done.err
    assert "of one row (column 'days'" in " ".join(done.out.split())
    table = read_table(folder / "out.parquet")
    days: Any = table.column("days").to_pylist()
    lengths = [len(word) for word in days]
    assert lengths == [n % 4 for n in range(rows)]
    (found,) = share(run, "out.parquet")
    assert found["cells"][0]["share"] == pytest.approx(2 / 3 + 1 / 6, abs=0.15)
    receipt = ("--receipt", "out.parquet.receipt.json")
    assert run("fit", "out.parquet", *receipt, "-o", "chain.json").code == 0
    chain = ("--chain", "chain.json", "-o", "likely.parquet")
    done = run("decode", "out.parquet", *chain)
    assert done.code == 0, done.err
    assert read_table(folder / "likely.parquet").schema == table.schema
