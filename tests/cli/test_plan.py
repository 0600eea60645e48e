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
    assert [plan["epsilon"] for plan in plans] == ["1/2", "1", "2"]
    for plan in plans:
        assert [row["title"] for row in plan["mechanisms"]] == TITLES
        assert plan["recommended"] == "randomised response"
        for row in plan["mechanisms"]:
            assert row["spent_rounded_up"] <= float(eval_fraction(plan["epsilon"])) + 1e-15


def eval_fraction(text: str) -> float:
    top, _, bottom = text.partition("/")
    return int(top) / int(bottom or 1)


def test_the_words_around_the_numbers(run: Run) -> None:
    several = run("plan", "--symbols", "0..4", "-n", "9", "-b", "3", "-e", "1", "--delta", "1e-6")
    text = " ".join(several.out.split())
    assert "delta = 1e-06: words of 9 symbols over 5, protecting any 3 of them" in text
    assert "nothing is promised about several symbols" in text
    single = run("plan", "--symbols", "a,b", "-e", "1")
    assert "words of 1 symbol over 2, protecting it" in single.out


def test_a_plot_is_written_whole_and_named(run: Run, folder: Path) -> None:
    command = ("plan", "--symbols", "a,b,c", "-n", "5", "-e", "1", "--plot", "errors.svg")
    done = run(*command, "--json")
    assert json.loads(done.out)["plot"] == "errors.svg"
    first = (folder / "errors.svg").read_bytes()
    assert first.startswith(b"<?xml")
    assert run(*command).code == 1
    assert run(*command, "--overwrite").code == 0
    assert (folder / "errors.svg").read_bytes() == first
