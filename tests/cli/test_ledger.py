"""`privet ledger`, and releases and plans that are charged to an account."""

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from privet import Ledger
from privet.releasing import Receipt

Run = Callable[..., Any]
Spawn = Callable[..., "subprocess.Popen[str]"]

LEDGER = ("--ledger", "spend.db")
SURVEY = (*LEDGER, "--account", "survey")
DIARY = (*LEDGER, "--account", "diary")
TABLE = ("release", "table", "voters.csv", "-c", "vote=Clinton,Dole", "-e", "1")
WORDS = ("release", "words", "diary.csv", "--id", "who", "--time", "month", "--state", "state")
CHAIN = """{"kind": "markov-chain", "states": ["home", "work", "sick"],
 "initial": ["1/2", "1/4", "1/4"],
 "transition": [["3/5", "1/5", "1/5"], ["1/5", "3/5", "1/5"], ["1/4", "1/4", "1/2"]]}"""
QUERY = (
    *("release", "query", "diary.csv", "--id", "who", "--time", "month", "--state", "state"),
    *("--query", "histogram", "--chain", "chain.json", "-e", "1"),
)

RUN = "import sys; from privet.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture
def survey(run: Run) -> Run:
    """`run` in a folder with an account of rows, budget 2."""
    assert run("ledger", "init", *SURVEY, "--budget", "2").code == 0
    return run


@pytest.fixture
def diary(run: Run, folder: Path) -> Run:
    """`run` in a folder with an account of series, budget 3, and its chain."""
    (folder / "chain.json").write_text(CHAIN, encoding="utf-8")
    done = run("ledger", "init", *DIARY, "--budget", "3", "--chain", "chain.json")
    assert done.code == 0
    return run


def read(run: Run, *arguments: str) -> Any:
    done = run(*arguments, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


# ------------------------------------------------------------------------------------- accounts


def test_an_account_is_made_with_its_ledger(run: Run, folder: Path) -> None:
    done = run("ledger", "init", *SURVEY, "--budget", "2")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "Account 'survey': 0 spent of a budget of 2, 2 left.",
        "Protected: any one row, if the rows are independent of one another.",
        "Ledger: spend.db (this is its first account)",
    ]
    more = run("ledger", "init", *LEDGER, "--account", "my survey", "--budget", "1/3")
    assert more.out.splitlines()[-1] == "Ledger: spend.db"  # a slip in the name would be seen
    assert "0 spent of a budget of 0.33333, 0.33333 left" in more.out  # never more than it is
    assert (folder / "spend.db").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--unit", "4"), "any 4 rows, if the rows are independent of one another"),
        (("--unit", "all"), "all rows at once"),
        (
            ("--records", "step", "--unit", "7"),
            "any 7 symbols of a sequence, if the symbols of a sequence are independent",
        ),
        (("--records", "choice"), "any one choice"),
        (("--chain", "chain.json", "--initial", "any"), "any one step of a series, if the series"),
    ],
)
def test_what_an_account_protects(
    run: Run, folder: Path, options: tuple[str, ...], words: str
) -> None:
    (folder / "chain.json").write_text(CHAIN, encoding="utf-8")
    made = read(run, "ledger", "init", *SURVEY, "--budget", "0.1", *options)
    assert made["protected"].startswith(words)
    assert made["exact"] == {"budget": "1/10", "spent": "0", "remaining": "1/10"}
    assert made["budget"] <= 0.1


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (("--unit", "some"), 2, "--unit is neither a whole number from 1 on nor all"),
        (("--unit", "0"), 2, "unit"),
        (("--unit", "2", "--chain", "chain.json"), 2, "any one step is protected"),
        (("--initial", "any"), 2, "--initial is about chains"),
        (("--records", "person"), 2, "'person' is not what one record of an account can be."),
        (("--records", "person"), 2, "one of row, step, value, choice. The option is --records."),
        (("--records", "row", "--chain", "chain.json"), 2, "its steps, not of the kind 'row'"),
        (("--chain", "chain.json", "--box", "chain.json"), 2, "answers to one question"),
        (("--chain", "none.json"), 1, "none.json"),
    ],
)
def test_accounts_that_cannot_be_made(
    run: Run, folder: Path, options: tuple[str, ...], code: int, says: str
) -> None:
    (folder / "chain.json").write_text(CHAIN, encoding="utf-8")
    done = run("ledger", "init", *SURVEY, "--budget", "1", *options)
    assert (done.code, says in done.error) == (code, True), done.error
    assert not (folder / "spend.db").exists()


def test_a_budget_that_is_none(run: Run) -> None:
    for text in ("0", "-1", "much", "nan"):
        done = run("ledger", "init", *SURVEY, "--budget", text)
        assert done.code == 2
        assert "budget" in done.error


def test_an_account_is_made_once(survey: Run) -> None:
    done = survey("ledger", "init", *SURVEY, "--budget", "9")
    assert done.code == 1
    assert "privet ledger budget" in done.error
    assert read(survey, "ledger", "show", *SURVEY)["budget"] == 2


def test_a_ledger_that_is_not_there(run: Run, folder: Path) -> None:
    for arguments in (
        ("ledger", "show", *LEDGER),
        ("ledger", "verify", *LEDGER),
        ("ledger", "budget", *SURVEY, "--budget", "1"),
        (*TABLE, "-o", "out.csv", *SURVEY),
        ("plan", "--symbols", "a,b", "-e", "1", *SURVEY),
    ):
        done = run(*arguments)
        assert done.code == 1
        assert "There is no ledger at spend.db" in done.error
    assert not (folder / "spend.db").exists()
    assert not (folder / "out.csv").exists()


def test_a_ledger_or_an_account_that_is_not_named(survey: Run) -> None:
    done = survey("ledger", "show")
    assert (done.code, "--ledger spend.db" in done.error) == (2, True)
    done = survey(*TABLE, "-o", "out.csv", "--ledger", "spend.db")
    assert (done.code, "no account" in done.error) == (2, True)
    done = survey(*TABLE, "-o", "out.csv", "--account", "survey")
    assert (done.code, "No ledger was named" in done.error) == (2, True)
    done = survey(*TABLE, "-o", "out.csv", *LEDGER, "--account", "other")
    assert (done.code, "it has 'survey'" in done.error) == (1, True)


def test_the_ledger_of_the_environment(
    survey: Run, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    """With it, a release without an account is refused: nobody releases past it by forgetting."""
    monkeypatch.setenv("PRIVET_LEDGER", "spend.db")
    done = survey(*TABLE, "-o", "out.csv")
    assert (done.code, "PRIVET_LEDGER" in done.error) == (2, True)
    assert not (folder / "out.csv").exists()
    assert survey(*TABLE, "-o", "out.csv", "--account", "survey").code == 0
    assert read(survey, "ledger", "show", "--account", "survey")["spent"] == 1


def test_a_password_in_the_address_is_not_shown(run: Run) -> None:
    done = run("ledger", "show", "--ledger", "mysql://ada:hunter2@there/spend")
    assert done.code == 2
    assert "hunter2" not in done.err


# ------------------------------------------------------------------------------------- releases


def test_releases_are_charged_until_nothing_is_left(survey: Run, folder: Path) -> None:
    for number in (1, 2):
        done = survey(*TABLE, "-o", f"out{number}.csv", *SURVEY)
        assert (done.code, done.err) == (0, "")
        assert f"{number - 1} spent before, {number} with this release" in done.out
    done = survey(*TABLE, "-o", "out3.csv", *SURVEY)
    assert done.code == 1
    assert "from epsilon 2 to 3, above its budget of 2" in done.error
    assert "privet ledger budget" in done.error
    assert not (folder / "out3.csv").exists()
    assert survey("ledger", "budget", *SURVEY, "--budget", "3").code == 0
    assert survey(*TABLE, "-o", "out3.csv", *SURVEY).code == 0
    shown = read(survey, "ledger", "show", *SURVEY)
    assert (shown["spent"], shown["remaining"]) == (3, 0)
    kinds = [row["kind"] for row in shown["history"]]
    pair = ["reserve", "commit"]
    assert kinds == ["account", *pair, *pair, "budget", *pair]
    receipt = Receipt.read(folder / "out3.csv.receipt.json")
    assert receipt.ledger is not None
    assert receipt.ledger["entry"] == shown["history"][-2]["entry"]


def test_words_and_queries_are_charged_to_one_account_of_series(diary: Run, folder: Path) -> None:
    done = diary(*QUERY, "-o", "counts.csv", *DIARY)
    assert (done.code, done.err) == (0, "")
    first = read(diary, "ledger", "show", *DIARY)["spent"]
    done = diary(*WORDS, "--symbols", "home,work,sick", "-e", "0.5", "-o", "words.csv", *DIARY)
    assert done.code == 0, done.err
    assert read(diary, "ledger", "show", *DIARY)["spent"] > first
    done = diary(*WORDS, "--symbols", "home,work,sick", "-e", "9", "-o", "more.csv", *DIARY)
    assert (done.code, "above its budget of 3" in done.error) == (1, True)
    done = diary(*TABLE, "-o", "rows.csv", *DIARY)
    assert (done.code, "this release is of rows" in done.error) == (2, True)
    assert done.error.endswith("use an account of theirs, made with --records row.")
    done = diary(*WORDS, "--symbols", "home,work,sick", "-e", "1", "-b", "2", "-o", "x.csv", *DIARY)
    assert (done.code, "Release with --adjacency 1" in done.error) == (2, True)
    assert done.error.endswith("an account made with --unit 2.")
    assert not (folder / "more.csv").exists()
    assert not (folder / "rows.csv").exists()


def test_json_of_a_release_names_its_entry(survey: Run) -> None:
    content = read(survey, *TABLE, "-o", "out.csv", *SURVEY)
    assert content["receipt"]["ledger"]["account"] == "survey"
    assert read(survey, *TABLE, "-o", "free.csv")["receipt"]["ledger"] is None


# ---------------------------------------------------------------------------------------- plans


def test_a_plan_knows_the_history(survey: Run) -> None:
    assert survey(*TABLE, "-o", "out.csv", *SURVEY).code == 0
    plans = read(survey, "plan", "--symbols", "a,b", "-e", "0.5,2", *SURVEY)["plans"]
    first, second = (plan["mechanisms"][0]["ledger"] for plan in plans)
    assert (first["cost"], first["spent_after"], first["allowed"]) == (0.5, 1.5, True)
    assert (second["allowed"], second["spent_after"]) == (False, 3)
    done = survey("plan", "--symbols", "a,b", "-e", "0.5,2", *SURVEY)
    assert done.code == 0
    assert "'account': what the release would add to the 1 that is spent" in done.out
    assert read(survey, "ledger", "show", *SURVEY)["spent"] == 1


def test_a_plan_of_a_query_knows_the_history(diary: Run) -> None:
    ask = ("plan", "--query", "histogram", "--chain", "chain.json", "--length", "30", "-e", "1")
    before = read(diary, *ask, *DIARY)["plans"][0]["mechanisms"]
    assert diary(*QUERY, "-o", "counts.csv", *DIARY).code == 0
    after = read(diary, *ask, *DIARY)["plans"][0]["mechanisms"]
    best = [next(row for row in rows if row["method"] == "best") for rows in (before, after)]
    assert best[0]["ledger"]["spent_after"] < best[1]["ledger"]["spent_after"]
    assert "allowed" in diary(*ask, *DIARY).out
    done = diary(*ask, "--initial", "any", *DIARY)
    assert (done.code, "another start" in done.error) == (2, True)


# ------------------------------------------------------------------------------ show, verify, void


def test_show_lists_all_accounts(diary: Run) -> None:
    assert diary("ledger", "init", *SURVEY, "--budget", "2").code == 0
    done = diary("ledger", "show", *LEDGER)
    assert [line.split() for line in done.out.splitlines()[2:4]] == [
        ["diary", "step", "3", "0", "3"],
        ["survey", "row", "2", "0", "2"],
    ]
    listed = read(diary, "ledger", "show", *LEDGER)["accounts"]
    assert [account["account"] for account in listed] == ["diary", "survey"]


def test_show_draws_what_was_spent(survey: Run, folder: Path) -> None:
    assert survey(*TABLE, "-o", "out.csv", *SURVEY).code == 0
    done = survey("ledger", "show", *SURVEY, "--plot", "spend.svg")
    assert (done.code, done.err) == (0, "")
    assert "table: 'vote', randomized-response, epsilon 1" in done.out
    assert (folder / "spend.svg").read_text(encoding="utf-8").startswith("<?xml")
    done = survey("ledger", "show", *SURVEY, "--plot", "spend.svg")
    assert (done.code, "spend.svg" in done.error) == (1, True)
    done = survey("ledger", "show", *LEDGER, "--plot", "all.svg")
    assert (done.code, "of one account" in done.error) == (2, True)
    done = survey("ledger", "show", *SURVEY, "--plot", "spend.png")
    assert done.code == 2


def test_verify_prints_the_head_and_finds_a_changed_row(survey: Run, folder: Path) -> None:
    import sqlite3

    assert survey(*TABLE, "-o", "out.csv", *SURVEY).code == 0
    found = read(survey, "ledger", "verify", *LEDGER)
    assert (found["ok"], found["rows"], found["fault"]) == (True, 3, None)
    assert survey("ledger", "verify", *LEDGER, "--head", found["head"]).code == 0
    assert survey("ledger", "verify", *LEDGER, "--head", "0" * 63 + "1").code == 1
    with sqlite3.connect(folder / "spend.db") as database:
        tables = [
            (table, column)
            for (table,) in database.execute("select name from sqlite_master where type='table'")
            for _, column, *_ in database.execute(f"pragma table_info('{table}')")
            if column == "body"
        ]
        (table, column) = tables[0]
        database.execute(f"update {table} set {column} = replace({column}, 'budget', 'budge')")
    database.close()
    done = survey("ledger", "verify", *LEDGER)
    assert done.code == 1
    assert "was changed" in done.out
    done = survey("ledger", "verify", *LEDGER, "--json")
    assert (done.code, json.loads(done.out)["ok"]) == (1, False)
    done = survey(*TABLE, "-o", "more.csv", *SURVEY)
    assert (done.code, "privet ledger verify" in done.error) == (1, True)
    assert not (folder / "more.csv").exists()


def test_export_is_a_row_a_line_or_one_array(survey: Run, folder: Path) -> None:
    assert survey(*TABLE, "-o", "out.csv", *SURVEY).code == 0
    lines = [json.loads(line) for line in survey("ledger", "export", *LEDGER).out.splitlines()]
    assert [row["kind"] for row in lines] == ["account", "reserve", "commit"]
    assert json.loads(survey("ledger", "export", *LEDGER, "--json").out) == lines
    assert survey("ledger", "export", *LEDGER, "-o", "rows.jsonl").out.endswith("(3 rows)\n")
    array = survey("ledger", "export", *LEDGER, "--json", "-o", "rows.json")
    assert (array.code, json.loads(array.out)) == (0, {"output": "rows.json", "rows": 3})
    written = (folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in written] == lines
    done = survey("ledger", "export", *LEDGER, "-o", "rows.jsonl")
    assert (done.code, "rows.jsonl" in done.error) == (1, True)


def test_void_gives_back_what_never_left(survey: Run, folder: Path) -> None:
    from privet import RecordLoss

    with Ledger.open(folder / "spend.db") as ledger:
        entry = ledger.account("survey").reserve(RecordLoss.constant(4, 1)).id
    assert "reserved" in survey("ledger", "show", *SURVEY).out
    done = survey("ledger", "void", entry, *LEDGER, "--reason", " ")
    assert (done.code, "reason" in done.error) == (2, True)
    done = survey("ledger", "void", entry, *LEDGER, "--reason", "the disk was full")
    assert (done.code, "0 spent" in done.out) == (0, True)
    assert "the disk was full" in survey("ledger", "show", *SURVEY).out
    assert survey("ledger", "void", entry, *LEDGER, "--reason", "again").code == 1
    assert survey("ledger", "void", "no such", *LEDGER, "--reason", "again").code == 1
    assert survey(*TABLE, "-o", "out.csv", *SURVEY).code == 0
    released = read(survey, "ledger", "show", *SURVEY)["history"][-1]["entry"]
    done = survey("ledger", "void", released, *LEDGER, "--reason", "regret")
    assert (done.code, "committed" in done.error) == (1, True)


def test_the_examples_run_in_order_as_printed(run: Run, folder: Path) -> None:
    for command in ("init", "budget", "show", "verify", "export"):
        text = run("ledger", command, "--help").out.partition("Example:")[2]
        example = " ".join(text.replace(" \\\n", " ").split())
        assert example.startswith(f"privet ledger {command}")
        done = run(*shlex.split(example)[1:])
        assert (done.code, done.err) == (0, ""), example
    text = run("ledger", "void", "--help").out.partition("Example:")[2]
    example = " ".join(text.replace(" \\\n", " ").split())
    done = run(*shlex.split(example)[1:])
    assert (done.code, "no reservation of that id" in done.error) == (1, True)
    assert {"spend.db", "spend.svg", "spend.jsonl"} <= {path.name for path in folder.iterdir()}


def test_an_interrupt_says_that_the_budget_stays_spent(
    survey: Run, spawn: Spawn, folder: Path
) -> None:
    stuck = """
import pathlib, sys, time
from privet.releasing import tables
def wait(*_):
    pathlib.Path("ready").touch()
    time.sleep(60)
tables.count_different = wait
from privet.cli import main
sys.exit(main(sys.argv[1:]))
"""
    import signal

    process = spawn(stuck, *TABLE, "-o", "out.csv", *SURVEY)
    deadline = time.monotonic() + 60
    while not (folder / "ready").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "The release stays charged to account 'survey' (entry" in err
    assert not (folder / "out.csv").exists()
    assert read(survey, "ledger", "show", *SURVEY)["spent"] == 1


# -------------------------------------------------------------------------------- all at once

AT_ONCE = """
import sys
from privet.cli import main
name, codes = sys.argv[1], []
for number in range(3):
    codes.append(main([*sys.argv[2:], "-o", f"{name}{number}.csv"]))
sys.exit(codes.count(0) * 10 + codes.count(1))
"""


def test_processes_at_once_never_exceed_the_budget(run: Run, spawn: Spawn, folder: Path) -> None:
    """Twelve releases of 1 from four processes where five are allowed: exactly five are made."""
    assert run("ledger", "init", *SURVEY, "--budget", "5").code == 0
    processes = [spawn(AT_ONCE, name, *TABLE, *SURVEY) for name in "wxyz"]
    done = []
    for process in processes:
        _, err = process.communicate(timeout=240)
        made, refused = divmod(process.returncode, 10)
        assert made + refused == 3, err
        assert all("above its budget of 5" in line for line in err.splitlines())
        done.append(made)
    assert sum(done) == 5
    shown = read(run, "ledger", "show", *SURVEY)
    assert shown["exact"]["spent"] == "5"
    committed = {row["entry"] for row in shown["history"] if row["state"] == "committed"}
    written = [Receipt.read(path).ledger for path in folder.glob("[wxyz]?.csv.receipt.json")]
    assert {entry["entry"] for entry in written if entry is not None} == committed
    assert len(written) == len(committed) == len(list(folder.glob("[wxyz]?.csv"))) == 5
    assert read(run, "ledger", "verify", *LEDGER)["ok"]


def test_a_missing_library_names_its_extra(survey: Run, spawn: Spawn) -> None:
    assert survey("ledger", "show", *LEDGER).code == 0
    bare = f"import sys; sys.modules['sqlalchemy'] = None\n{RUN}"
    process = spawn(bare, "ledger", "show", *LEDGER)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "pip install 'privet[ledger]'" in err


def test_help_of_a_ledger_loads_no_database_library() -> None:
    code = (
        "import sys; from privet.cli import main; main(['ledger', 'show', '--help'])\n"
        "print(*(name for name in ('numpy', 'sqlalchemy', 'alembic', 'flint', 'matplotlib')"
        " if name in sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ},
    )
    assert done.stderr.strip() == ""


# --------------------------------------------------------------------------- a newcomer's slips


@pytest.mark.parametrize(
    "command",
    [
        ("ledger", "export", *LEDGER, "-o", "spend.db", "--overwrite"),
        (*TABLE, "-o", "out.csv", "--receipt", "spend.db", "--overwrite"),
        (*TABLE, "-o", "spend.csv", "--overwrite"),
        (*TABLE, "-o", "out.csv", "--receipt", "spend.db", "--overwrite", *SURVEY),
    ],
)
def test_a_ledger_is_never_overwritten(survey: Run, folder: Path, command: tuple[str, ...]) -> None:
    assert survey(*TABLE, *SURVEY, "-o", "first.csv").code == 0
    (folder / "spend.csv").symlink_to("spend.db")
    error = survey(*command).error
    assert "it is a database, perhaps a ledger, which is never overwritten." in error
    assert read(survey, "ledger", "show", *SURVEY)["spent"] <= 1  # nothing was drawn or lost


@pytest.mark.parametrize("place", [".", "/"])
def test_a_release_into_a_folder_names_no_file(survey: Run, place: str) -> None:
    assert "is a folder" in survey(*TABLE, *SURVEY, "-o", place).error
    assert read(survey, "ledger", "show", *SURVEY)["spent"] == 0


@pytest.mark.parametrize("head", ["abc", "3:abc", "", "1:" + "0" * 65])
def test_what_is_no_head_says_nothing_about_the_ledger(survey: Run, head: str) -> None:
    done = survey("ledger", "verify", *LEDGER, "--head", head)
    assert (done.code, "Give the whole head" in done.error) == (2, True)


def test_an_export_says_where_it_is(survey: Run) -> None:
    assert (
        survey("ledger", "export", *LEDGER, "-o", "rows.jsonl").out
        == "Export: rows.jsonl (1 row)\n"
    )


def test_an_account_that_is_missing_has_its_remedy(survey: Run) -> None:
    error = survey("ledger", "show", *LEDGER, "--account", "servey").error
    assert "it has 'survey'. Check the name; `privet ledger init` makes an account" in error


def test_a_query_wants_an_account_of_its_chains(diary: Run) -> None:
    assert diary("ledger", "init", *SURVEY, "--budget", "2").code == 0
    for account in (SURVEY, (*LEDGER, "--account", "steps")):
        if account is not SURVEY:
            made = diary("ledger", "init", *account, "--budget", "1", "--records", "step")
            assert made.code == 0
        error = diary(*QUERY, *account, "-o", "out.csv").error
        assert "made with the --chain (or --box) and the --initial of the query" in error


@pytest.mark.usefixtures("folder")
def test_the_note_of_a_query_without_columns_says_series() -> None:
    from privet import MarkovChain, MarkovFramework, MarkovLaplace, Words, release

    chain = MarkovChain(["1/2", "1/2"], [["3/4", "1/4"], ["1/4", "3/4"]])
    framework = MarkovFramework(chain)
    with Ledger.open("notes.db", create=True) as ledger:
        account = ledger.account("diary", framework, 3)
        words = Words.from_lists(framework.alphabet, [[0, 1, 1]])
        release(MarkovLaplace(framework, epsilon=1), words, query="histogram", ledger=account)
        note = account.history()[1].note
    assert note.startswith("query: histogram of series, markov-laplace")


@pytest.mark.parametrize(
    ("missing", "command", "line"),
    [
        ("sqlalchemy", ("ledger", "show", *LEDGER), "pip install 'privet[ledger]'"),
        ("sqlalchemy", (*TABLE, "-o", "out.csv", *SURVEY), "pip install 'privet[ledger]'"),
        ("sqlalchemy", ("plan", "--symbols", "a,b", "-e", "1", *SURVEY), "'privet[ledger]'"),
        ("alembic", ("ledger", "init", *SURVEY, "--budget", "1"), "pip install 'privet[ledger]'"),
        ("psycopg", ("ledger", "show", "--ledger", "postgresql://h/x"), "'privet[postgres]'"),
        ("matplotlib", ("ledger", "show", *SURVEY, "--plot", "p.svg"), "'privet[plots]'"),
    ],
)
def test_a_missing_extra_is_named_with_its_line(
    spawn: Spawn, missing: str, command: tuple[str, ...], line: str
) -> None:
    """In a process of its own, in which the library is not found."""
    code = f"import sys; sys.modules[{missing!r}] = None; {RUN}"
    process = spawn(code, *command)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (1, "")
    assert line in err


def test_one_person_alone_is_charged(diary: Run, folder: Path) -> None:
    rows = (folder / "diary.csv").read_text(encoding="utf-8").splitlines()
    first = rows[1].split(",")[0]
    own = [rows[0], *(row for row in rows[1:] if row.startswith(f"{first},"))]
    (folder / "one.csv").write_text("\n".join(own) + "\n", encoding="utf-8")
    person = (*DIARY, "--charge-person", "ada")
    query = [*QUERY]
    query[2] = "one.csv"
    assert diary(*query, "-o", "a.csv", *person).code == 0
    shown = diary("ledger", "show", *DIARY)
    assert "person 'ada'" in shown.out
    refused = diary(*QUERY, "-o", "b.csv", *person)
    assert (refused.code, refused.out) == (2, "")
    assert "series, which may be of several" in refused.err
    words = [*WORDS, "-e", "1", "--symbols", "home,work,sick", "-o", "w.csv"]
    words[2] = "one.csv"
    assert diary(*words, *person).code == 0
    nobody = diary(*query, "-o", "c.csv", "--charge-person", "ada")
    assert nobody.code == 2
    assert "Add --account NAME" in nobody.err
