"""Refusals whose remedy works, and outcomes that nobody should learn too late."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import privet
from privet import Language
from privet.symbols import Alphabet

Run = Callable[..., Any]

ROLES = ("--id", "who", "--time", "month", "--state", "state")
LONG = ("release", "words", "diary.csv", *ROLES, "-e", "1", "-o", "out.csv")
WIDE = ("release", "words", "wide.csv", "-e", "1", "-o", "out.csv")
STATES = ["home", "work", "sick"]
CHAIN = {
    "kind": "markov-chain",
    "states": STATES,
    "initial": ["1/2", "1/2", 0],
    "transition": [["1/2", "1/2", 0], ["1/4", "1/2", "1/4"], ["1/2", 0, "1/2"]],
}
FORWARD = [[1, 1, 1], [0, 1, 1], [1, 0, 1]]


@pytest.fixture(autouse=True)
def models(folder: Path) -> None:
    states = {"states": ["home", "work"], "initial": [1, 0], "transition": [[1, 0], [0, 1]]}
    models: dict[str, Any] = {
        "chain": CHAIN,
        "small": {"kind": "markov-chain", **states},
        "rooms": {"kind": "markov-chain", **states, "states": ["hall", "bath"]},
        "steps": {"kind": "language", "alphabet": STATES, "allowed": FORWARD},
        "full": {"kind": "language", "alphabet": STATES, "pattern": ". .+"},
        "closing": {"kind": "language", "alphabet": STATES, "pattern": "(home|work)* sick"},
        "turned": {
            "kind": "language",
            "alphabet": ["work", "sick", "home"],
            "pattern": "home work sick | work work home | (home|work|sick){7} home*",
        },
        "huge": CHAIN | {"initial": ["1e400", "0", 0]},
        "tiny": CHAIN | {"initial": ["1e-400", 1, 0]},
    }
    for name, content in models.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    (folder / "digits.json").write_text('{"kind": ' + "1" * 5000 + "}", encoding="utf-8")
    (folder / "deep.json").write_text("[" * 200_000, encoding="utf-8")


def test_a_language_without_the_empty_word_agrees_with_a_chain(run: Run, folder: Path) -> None:
    own = Language.from_regex(Alphabet(STATES), "(home|work|sick)+")
    (folder / "own.json").write_text(json.dumps(own.to_json()), encoding="utf-8")
    planned = run("plan", "--language", "own.json", "--chain", "chain.json", "-n", "2", "-e", "1")
    assert planned.code == 0, planned.err
    refused = run("plan", "--language", "closing.json", "--chain", "chain.json", "-n2", "-e1")
    assert "words that the language forbids: words of 2 symbols that end after" in refused.error
    options = ("--language", "full.json", "--decode", "chain.json")
    assert "may leave" not in run(*LONG, *options).err
    fit = ("fit", "wide.csv", "--columns", "m1..m3", "--pseudocount", "1", "-o", "new.json")
    assert "can leave" not in run(*fit, "--support", "full.json").err
    warned = run(*fit, "--support", "turned.json", "--overwrite", "--symbols", "home,work,sick")
    assert warned.code == 0, warned.err
    assert "can leave the language of --support: words of 3 symbols" in warned.err
    assert run(*LONG, "--symbols", "home,work,sick", "--overwrite").code == 0
    learn = ("fit", "out.csv", "--receipt", "out.csv.receipt.json", "-o", "learnt.json")
    learnt = run(*learn, "--support", "turned.json")
    assert learnt.code == 0, learnt.err
    assert "can leave the language of --support: words of 3 symbols" in learnt.err
    # Steps alone are kept, and they are compared symbol by symbol, in whatever order they stand.
    rows = {"work": "work sick", "sick": "home sick", "home": "home"}
    names = ["work", "sick", "home"]
    allowed = [[int(name in rows[row].split()) for name in names] for row in names]
    own_steps = {"kind": "language", "alphabet": names, "allowed": allowed}
    (folder / "own.json").write_text(json.dumps(own_steps), encoding="utf-8")
    kept = run(*learn, "--support", "own.json", "--overwrite")
    assert kept.code == 0, kept.err
    assert "can leave" not in kept.err


@pytest.mark.parametrize("options", [(), ("--decode", "chain.json")])
def test_sequences_outside_a_language_are_refused_by_every_mechanism(
    run: Run, folder: Path, options: tuple[str, ...]
) -> None:
    (folder / "own.json").write_text(
        json.dumps({"kind": "language", "alphabet": STATES, "allowed": [[1, 1, 0]] * 3}), "utf-8"
    )
    command = (*LONG, "--language", "own.json", "--mechanism", "randomized-response", *options)
    done = run(*command)
    assert done.code == 1
    assert "Word 1 is not in the language: it is impossible at position 1" in done.error
    assert "That is row 3 of the table" in done.error
    assert "--outside allow" in done.error
    assert "all the same" not in done.error
    assert not (folder / "out.csv").exists()
    assert run(*command, "--outside", "allow").code == 0
    text = json.loads((folder / "out.csv.receipt.json").read_text(encoding="utf-8"))
    assert text["layout"]["language"]["outside"] == "allow"


REMEDIES: list[tuple[str, tuple[str, ...]]] = [
    (
        "The symbols come from small.json: correct the data, or add the state to the model.",
        (*LONG, "--decode", "small.json"),
    ),
    (
        "No label of the column 'state' is a state of rooms.json (hall, bath). Is it the right",
        (*LONG, "--decode", "rooms.json"),
    ),
    (
        "No label of the column 'state' is a state of rooms.json",
        ("fit", "diary.csv", *ROLES, "--support", "rooms.json", "-o", "new.json"),
    ),
    (
        "No label of it is: is it a column of such symbols (home, work, sick)?",
        (*WIDE, "--columns", "*", "--symbols", "home,work,sick"),
    ),
    (
        "No label of the column 'who' is a state of chain.json",
        (*WIDE, "--columns", "*", "--language", "chain.json"),
    ),
    (
        "only the model has 'hall', 'bath'; only the symbols have 'home', 'work'",
        (*LONG, "--decode", "rooms.json", "--symbols", "home,work"),
    ),
    ("--language for the words", (*LONG, "--mechanism", "permute-and-flip")),
    ("--support MODEL.json", ("fit", "diary.csv", *ROLES, "-o", "new.json")),
    ("There is no file none.csv", ("fit", "none.csv", "-o", "new.json")),
    ("There is no file none.csv", ("release", "words", "none.csv", "-e", "1", "-o", "o.csv")),
    ("There is no file none.csv", ("release", "table", "none.csv", "-e", "1", "-o", "o.csv")),
    ("There is no file none.csv", ("estimate", "none.csv")),
    ("There is no file room.json. Check the path.", (*LONG, "--language", "room.json")),
    ("--outside takes refuse or allow, not 'ignore'", (*LONG, "--outside", "ignore")),
    (
        "The commands are privet release query, privet release table, privet release words",
        ("release", "trips.csv"),
    ),
    ("between 0.1 and 3", ("plan", "--symbols", "a,b", "-e", "0")),
    (
        "closing.json is no support of a chain: Words end after state 'sick'",
        ("fit", "wide.csv", "--columns", "m*", "--support", "closing.json", "-o", "new.json"),
    ),
    ("entry above 1", (*LONG, "--decode", "huge.json")),
    ("does not sum to exactly 1: it is 1e-400 too much", (*LONG, "--decode", "tiny.json")),
    ("too many digits", (*LONG, "--decode", "digits.json")),
    ("nested too deeply", (*LONG, "--language", "deep.json")),
]


@pytest.mark.parametrize(("place", "command"), REMEDIES)
def test_remedies(run: Run, folder: Path, place: str, command: tuple[str, ...]) -> None:
    before = sorted(path.name for path in folder.iterdir())
    done = run(*command)
    assert done.code in (1, 2)
    assert place in done.error, done.err
    assert "internal error" not in done.err
    assert sorted(path.name for path in folder.iterdir()) == before


def test_a_stand_in_is_not_suggested_where_it_would_be_refused(run: Run) -> None:
    for option in ("--decode", "--language"):
        done = run(*LONG, option, "small.json")
        assert "--other" not in done.error
        assert "Rows are counted from 0" in done.error


def test_an_option_is_named_only_where_there_is_one(run: Run, folder: Path) -> None:
    (folder / "own.json").write_text(
        json.dumps({"kind": "language", "alphabet": STATES, "pattern": "home{7}"}), "utf-8"
    )
    released = run(*LONG, "--language", "own.json")
    assert "no word of length 2" in released.error
    assert "--length" not in released.error
    planned = run("plan", "--language", "own.json", "-n", "2", "-e", "1")
    assert "The option is --length" in planned.error


def test_what_rates_are_called_and_what_is_read_is_explained(run: Run) -> None:
    planned = run("plan", "--symbols", "a,b", "-n", "3", "-e", "1").out
    assert "'paper rate': the published rate" in planned
    assert "'exact rate': the largest" in planned
    on_language = run("plan", "--language", "steps.json", "-n", "3", "-e", "1").out
    assert "'paper rate'" in on_language
    assert "'exact rate'" not in on_language
    done = run(*LONG, "--language", "steps.json")
    assert done.code == 0, done.err
    assert "of exponential on all words, only" in done.out


DATASETS = Path(privet.__file__).parent / "datasets"
_SERIES = ("release", "query", str(DATASETS / "income.csv"), "--id", "state", "--time", "year")
_ASKED = (*_SERIES, "--state", "quintile", "--query", "histogram", "--initial", "any", "-e", "1")
QUERY = (*_ASKED, "--chain", str(DATASETS / "quintiles.json"), "-o", "out.csv")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("extra", [(), ("--json",)])
@pytest.mark.parametrize(
    "command",
    [
        (*LONG, "--symbols", "home,work,sick"),
        ("release", "table", "voters.csv", "-c", "vote=Clinton,Dole", "-e", "1", "-o", "out.csv"),
        QUERY,
    ],
)
def test_a_release_whose_report_is_lost_is_not_made_again(
    folder: Path, command: tuple[str, ...], extra: tuple[str, ...]
) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "privet", *command, *extra],
            cwd=folder,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=120,
        )
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if "error" in line]
    assert "the release was made: out.csv, with its receipt out.csv.receipt.json" in line
    assert "Do not release again" in line
    assert (folder / "out.csv").exists()
    assert (folder / "out.csv.receipt.json").exists()


def test_a_release_stands_for_its_receipt_and_not_the_other_way(run: Run, folder: Path) -> None:
    """The receipt lies beside the release: whoever names the one may mean the other."""
    run("release", "table", "voters.csv", "-c", "vote=Clinton,Dole", "-e", "1", "-o", "out.csv")
    assert run("report", "out.csv", "-o", "of_release.html").code == 0
    assert run("report", "out.csv.receipt.json", "-o", "of_receipt.html").code == 0
    pages = [folder / f"of_{what}.html" for what in ("release", "receipt")]
    assert pages[0].read_bytes() == pages[1].read_bytes()
    assert run("account", "out.csv").out == run("account", "out.csv.receipt.json").out
    twice = run("account", "out.csv", "out.csv.receipt.json")
    assert "named twice" in twice.err
    done = run("estimate", "out.csv.receipt.json")
    assert (
        done.error
        == "out.csv.receipt.json is the receipt of a release. Name the release itself, out.csv."
    )


def test_a_ledger_that_is_not_there_is_made_with_a_command(run: Run) -> None:
    done = run("ledger", "show", "--ledger", "none.db")
    assert "Make one with privet ledger init" in done.error
    assert "create=" not in done.error
