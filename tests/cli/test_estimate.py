"""`privet estimate`: from the file and its receipt to shares with intervals."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from privet import Alphabet, release
from privet.releasing import table_mechanisms

Run = Callable[..., Any]

ROWS = 3_000
WORDS = ("release", "words", "diary.csv", "--id", "who", "--time", "month", "--state", "state")


@pytest.fixture
def released(run: Run, folder: Path) -> Path:
    """A release of a table in which a third voted Dole, each of grade 2, and the rest grade 1."""
    rows = "".join(("Dole,2,1\n", "Clinton,1,1\n", "Clinton,1,2\n")[row % 3] for row in range(ROWS))
    (folder / "many.csv").write_text(f"vote,grade,weight\n{rows}", encoding="utf-8")
    columns = ("-c", "vote=Clinton,Dole", "-c", "grade=1..3", "--keep", "weight")
    assert run("release", "table", "many.csv", *columns, "-e", "8", "-o", "out.csv").code == 0
    return folder / "out.csv"


def test_every_column_by_itself(run: Run, released: Path) -> None:
    done = run("estimate", released.name, "--json")
    assert done.err == ""
    found = {one["title"]: one for one in json.loads(done.out)["estimates"]}
    assert set(found) == {"vote", "grade"}
    cells = {cell["cell"][0]: cell for cell in found["vote"]["cells"]}
    # Epsilon 4 a column: the standard error is about 0.0025, so this fails once in 10^9 runs.
    assert cells["Dole"]["share"] == pytest.approx(1 / 3, abs=0.016)
    assert cells["Dole"]["lower"] < cells["Dole"]["share"] < cells["Dole"]["upper"]


def test_a_joint_table(run: Run, released: Path) -> None:
    done = run("estimate", released.name, "-c", "vote", "-c", "grade", "--json")
    (joint,) = json.loads(done.out)["estimates"]
    cells = {tuple(cell["cell"]): cell["share"] for cell in joint["cells"]}
    assert cells["Dole", "2"] == pytest.approx(1 / 3, abs=0.025)
    assert cells["Clinton", "1"] == pytest.approx(2 / 3, abs=0.025)
    assert cells["Dole", "1"] == pytest.approx(0, abs=0.025)


def test_weights_and_confidence(run: Run, released: Path) -> None:
    done = run("estimate", released.name, "-c", "vote", "--weights", "weight", "--json")
    (found,) = json.loads(done.out)["estimates"]
    assert found["weighted"]
    assert found["shares"][1] == pytest.approx(1 / 4, abs=0.02)
    narrow, wide = (
        json.loads(
            run("estimate", released.name, "-c", "vote", "--confidence", level, "--json").out
        )["estimates"][0]["intervals"][0]
        for level in ("0.5", "0.99")
    )
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_the_report_says_which_variance(run: Run, released: Path) -> None:
    text = " ".join(run("estimate", released.name).out.split())
    assert "Clinton" in text
    assert "mechanism's noise alone" in text
    sampling = run("estimate", released.name, "--variance", "sampling")
    assert "sampling" in sampling.out


def test_another_file_than_the_receipts_is_refused(run: Run, released: Path) -> None:
    with released.open("a", encoding="utf-8") as file:
        file.write("Dole,2,1\n")
    done = run("estimate", released.name, "-c", "vote")
    assert done.code == 1
    assert "out.csv is not, byte for byte, the file that this receipt" in done.error
    assert "--changed-file" in done.error
    (found,) = json.loads(
        run("estimate", released.name, "-c", "vote", "--changed-file", "--json").out
    )["estimates"]
    assert found["size"] == ROWS + 1


def test_columns_may_be_separated_by_commas(run: Run, released: Path) -> None:
    (joint,) = json.loads(run("estimate", released.name, "-c", "vote,grade", "--json").out)[
        "estimates"
    ]
    assert joint["title"] == "vote by grade"


@pytest.mark.parametrize("mechanism", ["exponential", "randomized-response"])
def test_words_are_pooled(run: Run, mechanism: str) -> None:
    options = ("--symbols", "home,work,sick", "-e", "20", "-b", "2", "--mechanism", mechanism)
    assert run(*WORDS, *options, "-o", "out.csv").code == 0
    (found,) = json.loads(run("estimate", "out.csv", "--json").out)["estimates"]
    assert found["size"] == 4
    assert found["title"] == "state"


def test_wide_words_together_and_by_position(run: Run, folder: Path) -> None:
    (folder / "ragged.csv").write_text("m1,m2,m3\nhome,work,\nsick,,\n", encoding="utf-8")
    command = ("release", "words", "ragged.csv", "--columns", "m*", "--ragged")
    assert run(*command, "--symbols", "home,work,sick", "-e", "9", "-o", "out.csv").code == 0
    (found,) = json.loads(run("estimate", "out.csv", "--json").out)["estimates"]
    assert found["size"] == 3
    (second,) = json.loads(run("estimate", "out.csv", "-c", "m2", "--json").out)["estimates"]
    assert second["size"] == 1
    assert run("estimate", "out.csv", "-c", "m1", "-c", "m2").code == 2


def test_what_cannot_be_estimated_is_refused(run: Run) -> None:
    options = ("--symbols", "home,work,sick", "-e", "2", "-b", "2", "--mechanism", "staircase")
    assert run(*WORDS, *options, "-o", "out.csv").code == 0
    done = run("estimate", "out.csv")
    assert done.code == 1
    assert "staircase mechanism on words" in done.error
    assert "--mechanism randomized-response" in done.error
    assert "costs its epsilon on top" in done.error


def test_ids_and_times_are_not_estimated(run: Run) -> None:
    roles = ("--id", "who", "--time", "month", "--state", "state")
    command = ("release", "words", "diary.csv", *roles, "--symbols", "home,work,sick")
    assert run(*command, "-e", "2", "-o", "out.csv").code == 0
    assert "'who' was kept, not released" in run("estimate", "out.csv", "-c", "who").error


def change(released: Path, edit: Callable[[Any], object]) -> None:
    """Edit the receipt of a release."""
    path = released.with_name("out.csv.receipt.json")
    content = json.loads(path.read_text(encoding="utf-8"))
    edit(content)
    path.write_text(json.dumps(content), encoding="utf-8")


@pytest.mark.parametrize(
    "edit",
    [
        lambda content: content["parts"][0]["mechanism"].update(epsilon="10"),
        lambda content: content["parts"][0]["mechanism"]["alphabet"].append("Perot"),
        lambda content: content["parts"].append(content["parts"][0]),
        lambda content: content.update(kind="words"),
        lambda content: content["shape"].update(rows=ROWS + 1),
        lambda content: content["layout"].update(kept=None),
    ],
)
def test_a_receipt_that_contradicts_itself_is_refused(
    run: Run, released: Path, edit: Callable[[Any], object]
) -> None:
    change(released, edit)
    done = run("estimate", released.name)
    assert done.code == 1
    assert "The receipt contradicts itself" in done.error


def test_a_receipt_of_no_file_is_taken_for_that_of_a_changed_one(run: Run, released: Path) -> None:
    change(released, lambda content: content.update(output=None))
    done = run("estimate", released.name)
    assert done.code == 1
    assert "does not say that it was written for out.csv" in done.error
    assert "--changed-file" in done.error
    assert run("estimate", released.name, "--changed-file").code == 0


def test_numbers_and_truth_values_are_read_from_csv(run: Run, folder: Path) -> None:
    data = pa.table({"dose": [0.5, 1.0] * 50, "ill": [True, False] * 50})
    mechanisms = table_mechanisms({"dose": Alphabet([0.5, 1.0]), "ill": Alphabet([True, False])}, 8)
    release(mechanisms, data, output=folder / "out.csv")
    done = run("estimate", "out.csv", "-c", "dose,ill", "--json")
    assert done.err == ""
    assert json.loads(done.out)["estimates"][0]["size"] == 100


@pytest.mark.parametrize("variance", ["mechanism", "sampling"])
def test_symbols_of_words_are_not_called_rows(run: Run, variance: str) -> None:
    command = ("release", "words", "wide.csv", "--columns", "m*", "--symbols", "home,work,sick")
    assert run(*command, "-e", "9", "-o", "out.csv").code == 0
    options = ("estimate", "out.csv", "--variance", variance)
    (found,) = json.loads(run(*options, "--json").out)["estimates"]
    assert found["description"].startswith("Estimated from 6 released symbols.")
    assert "rows" not in found["description"]
    assert "6 released symbols" in " ".join(run(*options).out.split())


def test_shares_are_drawn_before_anything_is_printed(run: Run, released: Path) -> None:
    command = ("estimate", released.name, "--plot", "shares.svg")
    assert "Shares and intervals: shares.svg" in run(*command).out
    assert (released.parent / "shares.svg").read_bytes().startswith(b"<?xml")
    assert "exists" in run(*command).error
    again = run(*command, "--overwrite", "--json", "-c", "vote,grade")
    assert json.loads(again.out)["plot"] == "shares.svg"


def test_a_picture_that_nobody_could_read_is_refused_at_once(run: Run, folder: Path) -> None:
    command = ("release", "table", "voters.csv", "-c", "age=1..200", "-e", "1", "-o", "many.csv")
    assert run(*command).code == 0
    done = run("estimate", "many.csv", "--plot", "many.svg")
    assert "A plot of 200 cells could not be read" in done.error
    assert not (folder / "many.svg").exists()
