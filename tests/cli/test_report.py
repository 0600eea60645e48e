"""`privet report`: one page from a receipt, a ledger or a certificate, whole or not at all."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from privet import datasets
from seals import sealed_again

Run = Callable[..., Any]

TABLE = ("release", "table", "voters.csv", "-c", "vote=Clinton,Dole", "-e", "1")
LEDGER = ("--ledger", "spend.db")


@pytest.fixture
def charged(run: Run) -> Run:
    """`run` in a folder with a ledger and a release that it was charged for."""
    assert run("ledger", "init", *LEDGER, "--account", "survey", "--budget", "2").code == 0
    assert run(*TABLE, "-o", "out.csv", *LEDGER, "--account", "survey").code == 0
    return run


@pytest.mark.parametrize("source", ["out.csv.receipt.json", "spend.db"])
def test_a_page_is_written_and_its_place_is_told(charged: Run, folder: Path, source: str) -> None:
    done = charged("report", source, "-o", "page.html")
    assert (done.code, done.err) == (0, "")
    assert done.out == "Report: page.html\n"
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "survey" in page
    assert page.endswith("</html>\n")
    assert [path.name for path in folder.glob(".privet*")] == []


def test_json_has_the_digest_of_the_page(charged: Run, folder: Path) -> None:
    done = charged("report", "spend.db", "--account", "survey", "--json")
    content = json.loads(done.out)
    page = (folder / "report.html").read_bytes()
    assert content == {"output": "report.html", "sha256": hashlib.sha256(page).hexdigest()}


def test_a_page_is_not_replaced_unless_asked_for(charged: Run, folder: Path) -> None:
    (folder / "page.html").write_text("mine")
    done = charged("report", "spend.db", "-o", "page.html")
    assert done.code == 1
    assert "page.html exists" in done.error
    assert (folder / "page.html").read_text() == "mine"
    assert charged("report", "spend.db", "-o", "page.html", "--overwrite").code == 0


def test_neither_a_ledger_nor_the_source_is_ever_overwritten(charged: Run, folder: Path) -> None:
    before = (folder / "spend.db").read_bytes()
    receipt = "out.csv.receipt.json"
    for source, place in ((receipt, "spend.db"), ("spend.db", "spend.db"), (receipt, receipt)):
        assert charged("report", source, "-o", place, "--overwrite").code in (1, 2)
    assert (folder / "spend.db").read_bytes() == before


def test_the_ledger_of_the_environment(charged: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert charged("report").code == 2
    monkeypatch.setenv("PRIVET_LEDGER", "spend.db")
    assert charged("report", "-o", "one.html").code == 0
    assert charged("report", "out.csv.receipt.json", "-o", "two.html").code == 0


def test_a_certificate_is_checked_and_a_changed_one_refused(run: Run, folder: Path) -> None:
    model = str(Path(datasets.__file__).parent / "infection.toml")
    done = run("verify", "model", model, "--ratio", "4", "--save-certificate", "broken.json")
    assert done.code == 1
    assert run("report", "broken.json", "-o", "page.html").code == 0
    assert "Not as private as claimed" in (folder / "page.html").read_text(encoding="utf-8")
    changed = json.loads((folder / "broken.json").read_text())
    for shown in changed["certificates"]:
        shown["ratio"] = "40"
    (folder / "broken.json").write_text(json.dumps(sealed_again(changed)))
    done = run("report", "broken.json", "-o", "other.html")
    assert done.code == 1
    assert "does not break the claim" in done.error
    assert not (folder / "other.html").exists()


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("mechanism", "geometric.csv", "--epsilon", "1", "--delta", "0.1"), "to be violated"),
        (("mechanism", "geometric.csv"), "Nothing was claimed"),
        (("model", "infection.toml", "--ratio", "4"), "to be violated"),
        (("model", "infection.toml"), "to hold"),
        (("model", "infection.toml", "--time-limit", "0.000001"), "Undecided"),
    ],
)
def test_a_printed_verdict_makes_a_page_that_says_it_was_not_checked(
    run: Run, folder: Path, command: tuple[str, ...], says: str
) -> None:
    kind, name, *rest = command
    place = str(Path(datasets.__file__).parent / name)
    printed = run("verify", kind, place, *rest, "--json").out
    (folder / "verdict.json").write_text(printed, encoding="utf-8")
    assert run("report", "verdict.json", "-o", "page.html").code == 0
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert says in page
    assert "Not checked for this report" in page


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("nowhere.json",), 1, "There is no file nowhere.json"),
        (("voters.csv",), 1, "neither a receipt, a ledger nor a verdict"),
        (("out.csv.receipt.json", "--account", "survey"), 2, "no ledger"),
        (("spend.db", "--account", "other"), 1, "other"),
        (("spend.db", "-o", "no/such/folder.html"), 1, "no folder"),
    ],
)
def test_what_cannot_be_reported_is_refused_in_one_line(
    charged: Run, arguments: tuple[str, ...], code: int, says: str
) -> None:
    done = charged("report", *arguments)
    assert done.code == code
    assert says in done.error
