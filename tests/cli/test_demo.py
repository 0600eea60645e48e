"""`privet demo`: predicted beside measured, on public data, and what to do next."""

import json
import shlex
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]


def test_the_report(run: Run) -> None:
    done = run("demo")
    assert (done.code, done.err) == (0, "")
    text = " ".join(done.out.split())
    for piece in (
        "These data are public",
        "epsilon = 4",
        "Published without protection",
        "strong Democrat Clinton",
        "in the data",
        "staircase *",
        "about 95 in 100 are expected to",
        "4. A series whose steps depend on each other",
        "best of both *",
        "Released days: drizzle",
        "5. A proof, or what breaks it",
        "more than 14 times as likely: proved for words of every length",
        "at most 4 times is violated: positive x3",
        "privet release table",
    ):
        assert piece in text
    lines = done.out.splitlines()
    assert len(lines) <= 60
    assert not [line for line in lines if line != line.rstrip()]


def test_the_next_commands_run_as_printed(run: Run) -> None:
    lines = [line.strip() for line in run("demo").out.splitlines() if line.startswith("  privet ")]
    assert len(lines) == 3
    for line in lines:
        assert run(*shlex.split(line)[1:]).code == 0, line


def test_json_holds_the_same_numbers(run: Run) -> None:
    content = json.loads(run("demo", "--json").out)
    assert content["public_demo_data"] is True
    voters = content["voters"]
    for part, measured in zip(
        voters["receipt"]["parts"], voters["measured_errors_by_column"], strict=True
    ):
        # 944 rows: 10 standard deviations are fewer than 160 rows.
        assert abs(part["expected_errors"] - measured) < 160
    assert sum(cell["in_the_data"] for cell in voters["cross_table"]) == pytest.approx(1)
    for run_ in content["income"]["mechanisms"]:
        assert run_["symbols"] == 48 * 4
        # 48 words of 4 symbols, each word within 0..4: 6 standard deviations are at most 84.
        assert abs(run_["predicted_errors"] - run_["measured_errors"]) < 84
    seattle = content["seattle"]
    part = seattle["receipt"]["parts"][0]
    for row in seattle["answer"]:
        # The noise has scale 16; P(|noise| > 400) is below 1e-10.
        assert abs(row["value"] - row["in_the_data"]) < 400
        assert row["upper"] - row["value"] == part["noise"]["half_width"]
    assert sum(row["in_the_data"] for row in seattle["answer"]) == 1461
    assert seattle["plan"]["recommended"] == "best of both"
    infection = content["infection"]
    assert infection["verdicts"] == ["holds", "holds"]
    assert infection["words"] == [["positive"] * 3, ["negative"] * 3]
