"""What goes wrong in a release in batches: what is there, what was drawn, and what was paid."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from accounts import NoBits
from privet import (
    Alphabet,
    IndependentRecords,
    Language,
    Ledger,
    MarkovChain,
    MarkovFramework,
    RandomizedResponse,
    WordExponential,
    release,
)
from privet.data import write_table
from privet.errors import (
    BudgetExceededError,
    DataError,
    DomainError,
    MissingValueError,
    OutputError,
    ParameterError,
)
from privet.ledger import Account
from privet.randomness import using_source

ABC = Alphabet(["a", "b", "c"])
VOTE = {"vote": RandomizedResponse(ABC, epsilon=1)}
LONG: dict[str, Any] = {"id": "who", "time": "when", "state": "vote"}


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.data.batches._MOST_ROWS", 50)


@pytest.fixture
def account(ledger: Ledger) -> Account:
    return ledger.account("survey", IndependentRecords(1), 10, unit="row")


def written(folder: Path, labels: list[Any], name: str = "table.parquet") -> Path:
    path = folder / name
    rows = len(labels)
    columns = {"who": [n % 20 for n in range(rows)], "when": [*range(rows)], "vote": labels}
    write_table(pa.table(columns), path)
    return path


def only_the_input(folder: Path) -> None:
    assert {place.name for place in folder.iterdir()} == {"table.parquet"}


@pytest.mark.parametrize(
    ("last", "kind", "says"),
    [
        ("?", DomainError, r"row 199 of the column 'vote' .* 1 row has such a label"),
        (None, MissingValueError, "Row 199 has no value in the column 'vote'"),
    ],
)
@pytest.mark.parametrize("long", [False, True])
def test_a_label_in_the_last_batch_stops_everything(
    tmp_path: Path,
    ledger: Ledger,
    account: Account,
    last: Any,
    kind: Any,
    says: str,
    long: bool,
) -> None:
    source = written(tmp_path, [*"ab"] * 99 + ["a", last])
    mechanism, more = (VOTE["vote"], LONG) if long else (VOTE, {})
    if long:
        account = ledger.account("steps", IndependentRecords(1), 10, unit="step")
    with using_source(NoBits()), pytest.raises(kind, match=says):
        release(
            mechanism,
            source,
            output=tmp_path / "o.parquet",
            ledger=account,
            batches=True,
            **more,
        )
    only_the_input(tmp_path)
    assert account.spent() == 0
    assert len(account.history()) == 1  # that it was opened


def test_a_word_outside_in_the_last_batch_is_named_by_its_row(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    write_table(pa.table({"x": ["a"] * 199 + ["c"], "y": ["b"] * 200}), path)
    language = Language.from_regex(ABC, "[ab]+")
    with pytest.raises(DomainError, match=r"Word 199 .* row 199, column 'x', of the table") as one:
        release(
            WordExponential(language, epsilon=1),
            path,
            columns=["x", "y"],
            output=tmp_path / "o.parquet",
            batches=True,
        )
    with pytest.raises(DomainError) as other:
        release(WordExponential(language, epsilon=1), path, columns=["x", "y"], batches=False)
    assert str(one.value) == str(other.value)
    assert one.value.payload == other.value.payload


def test_a_long_word_outside_is_named_by_its_row(tmp_path: Path) -> None:
    source = written(tmp_path, ["a"] * 150 + ["c"] + ["a"] * 49)
    with pytest.raises(DomainError, match=r"A word is not in the .* That is row 150 of the table"):
        release(
            RandomizedResponse(ABC, epsilon=1),
            source,
            **LONG,
            language=Language.from_regex(ABC, "[ab]+"),
            output=tmp_path / "o.parquet",
            batches=True,
        )
    only_the_input(tmp_path)


@pytest.mark.parametrize("stage", ["checking", "drawing and writing"])
@pytest.mark.parametrize("change", ["touched", "appended", "replaced", "removed"])
def test_a_file_that_changes_is_not_published(
    tmp_path: Path, account: Account, stage: str, change: str
) -> None:
    labels = [*"ab"] * 100
    source = written(tmp_path, labels)
    other = written(tmp_path, [*labels, "c"], "other.parquet")

    def progress(now: str, done: int, _total: int) -> None:
        if now != stage or done != 200:
            return
        if change == "touched":
            os.utime(source, ns=(1, source.stat().st_mtime_ns + 1))
        elif change == "appended":
            source.write_bytes(other.read_bytes())
        elif change == "replaced":
            other.replace(source)
        else:
            source.unlink()

    with pytest.raises(DataError, match="was changed while it was read") as caught:
        release(
            VOTE,
            source,
            output=tmp_path / "o.parquet",
            ledger=account,
            batches=True,
            progress=progress,
        )
    assert {place.name for place in tmp_path.iterdir()} <= {"table.parquet", "other.parquet"}
    assert account.spent() == 1
    assert "stays charged" in caught.value.hint


def test_an_output_that_exists_stays(tmp_path: Path, account: Account) -> None:
    source, output = written(tmp_path, [*"ab"] * 100), tmp_path / "o.parquet"
    output.write_text("mine")
    with using_source(NoBits()), pytest.raises(OutputError, match="exists"):
        release(VOTE, source, output=output, batches=True, ledger=account)
    assert output.read_text() == "mine"
    assert account.spent() == 0
    done = release(VOTE, source, output=output, batches=True, overwrite=True)
    assert done.data.num_rows == 200


def test_an_output_that_comes_meanwhile_stays(tmp_path: Path) -> None:
    source, output = written(tmp_path, [*"ab"] * 100), tmp_path / "o.parquet"

    def progress(stage: str, _done: int, _total: int) -> None:
        if stage == "drawing and writing":
            output.write_text("mine")

    with pytest.raises(OutputError, match="exists"):
        release(VOTE, source, output=output, batches=True, progress=progress)
    assert output.read_text() == "mine"
    assert {place.name for place in tmp_path.iterdir()} == {"table.parquet", "o.parquet"}


def test_no_output_into_the_folder_that_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    pq.write_table(pa.table({"vote": [*"ab"]}), folder / "a.parquet")
    with pytest.raises(ParameterError, match="lies in the folder of the input file"):
        release(VOTE, folder, output=folder / "released.parquet")
    assert [place.name for place in folder.iterdir()] == ["a.parquet"]


def test_parts_that_differ_are_refused_before_a_bit_is_drawn(
    tmp_path: Path, account: Account
) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    pq.write_table(pa.table({"vote": [*"ab"]}), folder / "a.parquet")
    pq.write_table(pa.table({"vote": [1, 2]}), folder / "b.parquet")
    with using_source(NoBits()), pytest.raises(DataError, match="holds int64"):
        release(VOTE, folder, output=tmp_path / "o.parquet", ledger=account)
    assert account.spent() == 0


def test_a_budget_that_does_not_suffice_draws_nothing(tmp_path: Path, ledger: Ledger) -> None:
    poor = ledger.account("poor", IndependentRecords(1), "0.5", unit="row")
    source = written(tmp_path, [*"ab"] * 100)
    with using_source(NoBits()), pytest.raises(BudgetExceededError):
        release(VOTE, source, output=tmp_path / "o.parquet", ledger=poor, batches=True)
    only_the_input(tmp_path)


def test_a_charged_release_is_committed(tmp_path: Path, account: Account) -> None:
    source = written(tmp_path, [*"ab"] * 100)
    done = release(VOTE, source, output=tmp_path / "o.parquet", ledger=account, batches=True)
    assert done.receipt.ledger is not None
    assert account.spent() == 1
    assert "committed" in [entry.state for entry in account.history()]


@pytest.mark.parametrize("long", [False, True])
def test_an_account_of_series_looks_at_every_batch(
    tmp_path: Path, ledger: Ledger, long: bool
) -> None:
    chain = MarkovChain([1, 0, 0], [[0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]], [*"abc"])
    series = ledger.account("series", MarkovFramework([chain]), 100, unit="step")
    wide = pa.table({"x": ["a"] * 200, "y": ["a"] * 199 + ["c"]})
    source = tmp_path / "table.parquet"
    options: dict[str, Any] = {"columns": ["x", "y"], "adjacency": 1}
    if long:
        written(tmp_path, ["a"] * 199 + ["c"])
        options = LONG
    else:
        write_table(wide, source)
    with using_source(NoBits()), pytest.raises(DomainError, match="cannot happen under any chain"):
        release(
            VOTE["vote"],
            source,
            **options,
            output=tmp_path / "o.parquet",
            ledger=series,
            batches=True,
        )
    assert series.spent() == 0
    only_the_input(tmp_path)


@pytest.mark.parametrize("options", [{}, LONG])
@pytest.mark.parametrize("stage", ["checking", "drawing and writing", "drawing", "writing"])
def test_an_interrupt_leaves_nothing(tmp_path: Path, options: Any, stage: str) -> None:
    source = written(tmp_path, [*"ab"] * 100)
    seen: list[str] = []

    def progress(now: str, _done: int, _total: int) -> None:
        seen.append(now)
        if now == stage:
            signal.raise_signal(signal.SIGINT)

    mechanism: Any = VOTE["vote"] if options else VOTE
    try:
        release(
            mechanism,
            source,
            **options,
            output=tmp_path / "o.parquet",
            batches=True,
            progress=progress,
        )
    except KeyboardInterrupt:
        only_the_input(tmp_path)
    else:
        assert stage not in seen  # the other kind of release has that stage


PROGRAM = """
import os, resource, signal, sys
sys.dont_write_bytecode = True  # under a limit it would be cut short, and stay
from pathlib import Path
import privet.data.batches
from privet import Alphabet, Ledger, PrivetError, RandomizedResponse, release

privet.data.batches._MOST_ROWS = 50
what, folder = sys.argv[1], Path(sys.argv[2])

def progress(stage, done, total):
    if what == "kill" and stage == "drawing and writing" and done == 100:
        os.kill(os.getpid(), signal.SIGKILL)

with Ledger.open(folder / "spend.db") as ledger:
    if what == "full":
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    try:
        release(
            {"vote": RandomizedResponse(Alphabet(["a", "b", "c"]), epsilon=1)},
            folder / "table.parquet",
            keep=["when"],
            output=folder / "o.csv",
            ledger=None if what == "full" else ledger.account("survey"),
            batches=True,
            progress=progress,
        )
    except PrivetError as error:
        print(type(error).__name__, error)
"""


def in_process(what: str, folder: Path) -> subprocess.CompletedProcess[str]:
    with Ledger.open(folder / "spend.db", create=True) as ledger:
        ledger.account("survey", IndependentRecords(1), 10, unit="row")
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, what, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    written(tmp_path, [*"ab"] * 5000)
    told = in_process("full", tmp_path)
    assert told.stdout.startswith("OutputError"), told.stderr
    assert "o.csv" in told.stdout
    assert "File too large" in told.stdout
    assert told.stderr == ""
    left = {place.name for place in tmp_path.iterdir() if "spend.db" not in place.name}
    assert left == {"table.parquet"}


def test_a_killed_process_leaves_no_output_and_stays_charged(tmp_path: Path) -> None:
    written(tmp_path, [*"ab"] * 100)
    assert in_process("kill", tmp_path).returncode == -signal.SIGKILL
    left = {place.name for place in tmp_path.iterdir() if "spend.db" not in place.name}
    assert all(name == "table.parquet" or name.startswith(".privet-") for name in left)
    with Ledger.open(tmp_path / "spend.db") as ledger:
        assert ledger.account("survey").spent() == 1
