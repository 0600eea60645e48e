"""`privet plan`: every mechanism, nominal and spent epsilon, one recommended, a plot."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Run = Callable[..., Any]

TITLES = [
    "randomised response",
    "exponential (exact rate)",
    "staircase",
    "permute-and-flip (exact rate)",
    "exponential (paper rate)",
    "permute-and-flip (paper rate)",
]


def test_the_table_holds_every_mechanism_and_marks_one(run: Run) -> None:
    done = run("plan", "--alphabet-size", "5", "-n", "10", "-e", "10", "-b", "2")
    assert (done.code, done.err) == (0, "")
    rows = {line.split("  ")[0].strip(): line for line in done.out.splitlines()}
    assert {"staircase *", *TITLES} - {"staircase"} <= set(rows)
    assert "0.06542" in rows["staircase *"]
    assert "Recommended: Staircase" in done.out


def test_several_epsilons_and_json(run: Run) -> None:
    done = run("plan", "--symbols", "a,b,c", "-e", "1/2,1", "-e", "2", "--json", "-n", "4")
    plans = json.loads(done.out)["plans"]
    assert [plan["exact"]["epsilon"] for plan in plans] == ["1/2", "1", "2"]
    for plan in plans:
        assert [row["title"] for row in plan["mechanisms"]] == TITLES
        assert plan["recommended"] == "randomised response"
        for row in plan["mechanisms"]:
            assert row["spent"] <= plan["epsilon"] + 1e-15
            assert len(row["error_bounds"]) == 2


def test_the_words_around_the_numbers(run: Run) -> None:
    several = run("plan", "--symbols", "0..4", "-n", "9", "-b", "3", "-e", "1", "--delta", "1e-6")
    text = " ".join(several.out.split())
    assert "delta = 1e-06 (not used): words of 9 symbols out of 5, protecting any 3 of" in text
    assert "nothing is promised about several symbols" in text
    single = run("plan", "--symbols", "a,b", "-e", "1")
    assert "epsilon = 1: 1 symbol out of 2\n" in single.out
    whole = run("plan", "--symbols", "a,b", "-e", "1", "-n", "4", "-b", "4")
    assert "protecting the whole word" in whole.out


def test_a_plot_is_written_whole_and_named(run: Run, folder: Path) -> None:
    command = ("plan", "--symbols", "a,b,c", "-n", "5", "-e", "1", "--plot", "errors.svg")
    done = run(*command, "--json")
    assert json.loads(done.out)["plot"] == "errors.svg"
    first = (folder / "errors.svg").read_bytes()
    assert first.startswith(b"<?xml")
    assert run(*command).code == 1
    assert run(*command, "--overwrite").code == 0
    assert (folder / "errors.svg").read_bytes() == first


def test_what_is_said_once_is_said_once(run: Run) -> None:
    done = run("plan", "--alphabet-size", "5", "-n", "9", "-b", "2", "-e", "1,2,4")
    assert done.out.count("the same law as randomised response") == 1
    assert done.out.count("* marks the recommended mechanism") == 1
    assert "bounds" not in done.out


def test_rows_add_the_standard_error_of_a_share(run: Run) -> None:
    command = ("plan", "--symbols", "a,b", "-e", "1", "--rows", "944")
    assert "std. error" in run(*command).out
    (made,) = json.loads(run(*command, "--json").out)["plans"]
    # k = e / (1 + e): sqrt(k (1 - k) / 944) / (2 k - 1).
    assert abs(made["mechanisms"][0]["standard_error"] - 0.031230) < 1e-5
    assert made["mechanisms"][2]["standard_error"] is None
    assert run("plan", "--symbols", "a,b", "-e", "1", "--rows", "0").code == 2


def test_whether_a_release_can_be_estimated_is_a_column(run: Run) -> None:
    done = run("plan", "--alphabet-size", "5", "-n", "4", "-b", "4", "-e", "5")
    rows = {line.split("  ")[0].strip(): line for line in done.out.splitlines()}
    assert rows["staircase *"].endswith(" no")
    assert rows["randomised response"].endswith(" yes")
    assert "`privet estimate` cannot read a staircase release" in done.out


def test_a_table_is_planned_by_its_columns(run: Run) -> None:
    command = ("plan", "-c", "vote=a,b", "-c", "news=0..7", "-e", "2,4", "--rows", "944")
    done = run(*command)
    assert (done.code, done.err) == (0, "")
    assert "epsilon = 2 for any one row\n" in done.out
    assert "all, joint table" in done.out
    first, second = json.loads(run(*command, "--json").out)["plans"]
    assert [column["exact"]["epsilon"] for column in first["columns"]] == ["1", "1"]
    # k = e / (1 + e): sqrt(k (1 - k) / 944) / (2 k - 1), as for one column planned by itself.
    assert abs(first["columns"][0]["standard_error"] - 0.031230) < 1e-5
    assert first["joint_standard_error"] > second["joint_standard_error"] > 0


def test_a_table_is_planned_as_it_is_released(run: Run, folder: Path) -> None:
    schema = {"columns": {"vote": ["Clinton", "Dole"], "grade": ["1", "2", "3"]}}
    (folder / "columns.json").write_text(json.dumps(schema), encoding="utf-8")
    options = ("--schema", "columns.json", "-e", "2", "--split", "vote=1", "--split", "grade=3")
    (planned,) = json.loads(run("plan", *options, "--json").out)["plans"]
    run("release", "table", "voters.csv", *options, "-o", "out.csv")
    receipt = json.loads((folder / "out.csv.receipt.json").read_text(encoding="utf-8"))
    released = {part["column"]: part["mechanism"] for part in receipt["parts"]}
    assert {each["column"]: each["mechanism"] for each in planned["columns"]} == released


def test_a_plan_of_a_table_takes_no_options_of_words_or_queries(run: Run) -> None:
    table = ("plan", "-c", "vote=a,b", "-e", "1")
    for extra in (("--symbols", "a,b"), ("-n", "4"), ("-b", "2"), ("-q", "histogram")):
        done = run(*table, *extra)
        assert done.code == 2
        assert "are not for tables" in done.error
    alone = run("plan", "-e", "1", "--split", "vote=2")
    assert "Add --column" in alone.error
    assert "has no alphabet" in run("plan", "-e", "1", "-c", "vote").error


def test_a_plan_of_a_table_asks_the_account(run: Run) -> None:
    run("ledger", "init", "--ledger", "s.db", "--account", "voters", "--budget", "3")
    options = ("-c", "vote=a,b", "-e", "2,4", "--ledger", "s.db", "--account", "voters")
    done = run("plan", *options)
    assert "account 'voters': 2 on top of 0, of a budget of 3" in done.out
    assert done.out.count("The account does not allow it") == 1
    fits, does_not = json.loads(run("plan", *options, "--json").out)["plans"]
    assert fits["ledger"]["allowed"]
    assert not does_not["ledger"]["allowed"]


def test_the_plot_of_a_table_has_a_line_a_column(run: Run, folder: Path) -> None:
    command = ("plan", "-c", "vote=a,b", "-c", "news=0..7", "-e", "2", "--plot", "table.svg")
    assert "table.svg" in run(*command).out
    assert (folder / "table.svg").read_bytes().startswith(b"<?xml")
    assert "exists" in run(*command).error
    assert run(*command, "--overwrite").code == 0
