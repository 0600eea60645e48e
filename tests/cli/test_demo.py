"""`privet demo`: predicted beside measured, on public data, and what to do next."""

import json
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]


def test_the_report(run: Run) -> None:
    done = run("demo")
    assert (done.code, done.err) == (0, "")
    text = " ".join(done.out.split())
    for piece in (
        "The data below are public",
        "epsilon = 6",
        "Published without protection",
        "strong Democrat Clinton",
        "in the data",
        "permute-and-flip (paper rate)",
        "privet release table",
    ):
        assert piece in text
    assert max(len(line) for line in done.out.splitlines()) <= 100


def test_json_holds_the_same_numbers(run: Run) -> None:
    content = json.loads(run("demo", "--json").out)
    assert content["public_demo_data"] is True
    voters = content["voters"]
    for part, measured in zip(voters["receipt"]["parts"], voters["measured_errors"], strict=True):
        # 944 rows: 10 standard deviations are fewer than 160 rows.
        assert abs(part["expected_errors"] - measured) < 160
    assert sum(cell["in_the_data"] for cell in voters["cross_table"]) == pytest.approx(1)
    for run_ in content["income"]["mechanisms"]:
        assert run_["symbols"] == 48 * 81
        # 3888 symbols: 10 standard deviations are fewer than 320 symbols.
        assert abs(run_["predicted_errors"] - run_["measured_errors"]) < 320
