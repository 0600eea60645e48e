"""The plot of an account: the same rows give the same picture, in the order of the ledger."""

import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from privet.errors import OutputError
from privet.ledger import Entry
from privet.reports.spending import spending_figure, write_spending_plot

FIRST = Entry(1, "a", "account", "2026-01-01T10:00:00.000Z", "ada@there", Fraction(0), Fraction(2))
HISTORY = [
    FIRST,
    replace(FIRST, number=2, kind="reserve", time="2026-01-02T10:00:00.000Z", spent=Fraction(1)),
    # This machine's clock is a day behind.
    replace(FIRST, number=3, kind="commit", time="2026-01-01T10:00:01.000Z", spent=Fraction(1)),
    replace(
        FIRST,
        number=4,
        kind="budget",
        time="2026-01-03T10:00:00.000Z",
        spent=Fraction(1),
        budget=Fraction(3),
    ),
]


def test_the_same_rows_give_the_same_bytes_of_svg(tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        write_spending_plot(tmp_path / name, "a$b", HISTORY)
    content = (tmp_path / "one.svg").read_bytes()
    assert content == (tmp_path / "two.svg").read_bytes()
    assert ElementTree.fromstring(content).tag.endswith("svg")
    with pytest.raises(OutputError):
        write_spending_plot(tmp_path / "one.svg", "a$b", HISTORY, overwrite=False)


def test_time_never_runs_back_and_every_row_is_there() -> None:
    axes = spending_figure("a$b", HISTORY).axes[0]
    spent, budget, releases = axes.lines
    times = np.asarray(spent.get_xdata())
    assert (np.diff(times) >= 0).all()
    assert times[1] == times[2]
    assert np.asarray(spent.get_ydata()).tolist() == [0, 1, 1, 1]
    assert np.asarray(budget.get_ydata()).tolist() == [2, 2, 2, 3]
    assert np.asarray(releases.get_xdata()).tolist() == [times[1]]
    assert axes.get_title(loc="left") == "Account 'a$b'"


def test_an_account_of_which_nothing_was_released() -> None:
    assert len(spending_figure("a", [FIRST]).axes[0].lines) == 3
