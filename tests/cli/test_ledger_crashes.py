"""Killed at each point of a charged release: the budget stays spent, and no file is half there.

Each point is reached in a process of its own, which kills itself there with SIGKILL: nothing is
unwound. The ledger is a file of SQLite.
"""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from privet import IndependentRecords, Ledger
from privet.ledger import Account
from privet.releasing import Receipt
from privet.releasing.files import sha256_of

Spawn = Callable[..., "subprocess.Popen[str]"]

TABLE = ("release", "table", "voters.csv", "-c", "vote=Clinton,Dole", "-e", "1")
SURVEY = ("--ledger", "spend.db", "--account", "survey")
GOOD = {"voters.csv", "diary.csv", "wide.csv", "spend.db"}

BEGIN = """
import io, os, signal, sys
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
"""
END = """
from privet.cli import main
sys.exit(main(sys.argv[1:]))
"""

POINTS = {
    "before the reservation": """
from privet.ledger import Account
Account.reserve = die
""",
    "after the reservation": """
from privet.ledger import Account
reserve = Account.reserve
def reserve_and_die(*given, **options):
    reserve(*given, **options)
    die()
Account.reserve = reserve_and_die
""",
    "after the draw": """
from privet.ledger import Reservation
Reservation.commit = die
""",
    "after the commit": """
from privet.ledger import Reservation
commit = Reservation.commit
def commit_and_die(*given, **options):
    commit(*given, **options)
    die()
Reservation.commit = commit_and_die
""",
    "in the middle of the file": """
import privet.data.formats as formats
before = formats.write_csv
def write(table, sink, *arguments, **options):
    if isinstance(sink, io.BytesIO):  # a trial before the draw
        return before(table, sink, *arguments, **options)
    sink.write(b"half of the rele")
    sink.flush()
    die()
formats.write_csv = write
""",
    "before the names are given": """
from privet.releasing import files
files._give_names = die
""",
    "between the two names": """
from privet.releasing import files
def give(staged_data, output, staged_receipt, receipt):
    staged_receipt.replace(receipt)
    die()
files._give_names = give
""",
    "after everything": """
import privet.cli.release_table as command
command.print_release = die
""",
}
SPENT = [point for point in POINTS if point != "before the reservation"]


@pytest.fixture
def survey(folder: Path) -> Iterator[Account]:
    """An account of rows with budget 2, in a file."""
    with Ledger.open(folder / "spend.db", create=True) as ledger:
        yield ledger.account("survey", IndependentRecords(), 2)


def states(survey: Account) -> list[str | None]:
    return [entry.state for entry in survey.history() if entry.kind == "reserve"]


def named(folder: Path) -> set[str]:
    """Files that somebody asked for: neither temporary ones nor those that SQLite keeps."""
    return {
        path.name
        for path in folder.iterdir()
        if not path.name.startswith((".", "spend.db-")) and path.name not in GOOD
    }


def killed_at(point: str, spawn: Spawn) -> None:
    process = spawn(BEGIN + POINTS[point] + END, *TABLE, "-o", "out.csv", *SURVEY)
    _, err = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL, err


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_a_point(survey: Account, spawn: Spawn, folder: Path, point: str) -> None:
    killed_at(point, spawn)
    expected = {
        "before the reservation": [],
        "after the reservation": ["reserved"],
        "after the draw": ["reserved"],
    }
    assert states(survey) == expected.get(point, ["committed"])
    assert survey.spent() == (point in SPENT)
    files = {"out.csv", "out.csv.receipt.json"} if point == "after everything" else set()
    if point == "between the two names":
        files = {"out.csv.receipt.json"}  # at worst a receipt without data, which is spent
    assert named(folder) == files
    with Ledger.open(folder / "spend.db") as ledger:
        assert ledger.verify().ok


@pytest.mark.parametrize("point", ["after the reservation", "in the middle of the file"])
def test_what_a_crash_spent_counts_for_the_next_release(
    survey: Account, spawn: Spawn, folder: Path, point: str
) -> None:
    killed_at(point, spawn)
    for number, code in ((1, 0), (2, 1)):
        process = spawn(BEGIN + END, *TABLE, "-o", f"next{number}.csv", *SURVEY)
        _, err = process.communicate(timeout=120)
        assert process.returncode == code, err
    assert survey.spent() == 2
    assert named(folder) == {"next1.csv", "next1.csv.receipt.json"}


MANY = """
import sys
from privet.cli import main
for number in range(1000):
    main([*sys.argv[1:], "-o", f"out{number}.csv"])
"""


def test_killed_at_any_time(survey: Account, spawn: Spawn, folder: Path) -> None:
    """Releases one after the other, killed from outside at no chosen moment, three times."""
    survey.set_budget(1000)
    for moment in range(3):
        process = spawn(MANY, *TABLE, *SURVEY, "--overwrite", stdout=subprocess.DEVNULL)
        before = len(states(survey))
        deadline = time.monotonic() + 120
        while len(states(survey)) < before + 2 + moment:
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
        time.sleep(0.007 * moment)
        process.kill()
        process.communicate(timeout=60)
        check_what_is_there(survey, folder)
    assert survey.spent() == len(states(survey)) >= 9


def check_what_is_there(survey: Account, folder: Path) -> None:
    """Every file has the receipt of exactly that file, and each receipt has a committed row."""
    committed = {
        entry.reservation: entry for entry in survey.history() if entry.state == "committed"
    }
    receipts = {
        path.name: Receipt.from_json(json.loads(path.read_text(encoding="utf-8")))
        for path in folder.glob("out*.receipt.json")
    }
    for receipt in receipts.values():
        assert receipt.ledger is not None
        assert receipt.ledger["entry"] in committed
    for output in folder.glob("out*.csv"):
        written = receipts[f"{output.name}.receipt.json"].output
        assert written is not None
        assert written["sha256"] == sha256_of(output)
    with Ledger.open(folder / "spend.db") as ledger:
        assert ledger.verify().ok
