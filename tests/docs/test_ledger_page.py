"""docs/ledger.md: its figures are those of its code and its commands."""

import re

import pytest

from pages import Follow, Page
from privet import Ledger

PAGE = Page("docs/ledger.md")
COMMANDS = {"init", "budget", "show", "verify", "export", "void"}


def test_the_figures_are_those_of_the_code(follow: Follow) -> None:
    lines = follow(PAGE).lines("python")
    assert lines[:2] == ["2", "0 2"]
    assert "from epsilon 2 to 4, above its budget of 3" in lines[2]
    assert lines[3] == "True"
    spent, left = map(float, lines[4].split())
    assert spent == pytest.approx(1, abs=1e-6)
    assert left == pytest.approx(1, abs=1e-6)
    assert [line.split()[0] for line in lines[5:7]] == ["survey", "diary"]
    assert [line.split()[1] for line in lines[7:12]] == ["account", *["reserve", "commit"] * 2]
    assert lines[12] == "reserved"
    assert lines[13].startswith("True")
    assert lines[14:] == ["True"]


def test_the_commands_spend_what_the_page_says(follow: Follow) -> None:
    followed = follow(PAGE)
    said = followed.lines("sh")
    assert [line for line in said if line.startswith("refused")] == ["refused: only 1 is left"]
    assert not (followed.folder / "tv.csv").exists()
    with Ledger.open(followed.folder / "spend.db") as ledger:
        assert float(ledger.account("diary").spent()) == pytest.approx(1, abs=1e-6)
        assert ledger.account("survey").budget == 4


def test_every_command_of_ledgers_is_on_the_page() -> None:
    assert set(re.findall(r"privet ledger (\w+)", PAGE.text)) == COMMANDS


def test_two_counts_of_all_days_cost_what_the_page_says() -> None:
    from privet import MarkovChain, MarkovFramework, MarkovLaplace, datasets

    chain = MarkovChain.fit(datasets.seattle().words(), pseudocount="0.5")
    weather = MarkovFramework(chain, initial="stationary")
    loss = MarkovLaplace(weather, epsilon=1).record_loss(1461, "histogram")
    assert f"cost {float(weather.epsilon(loss + loss)):.2f}." in PAGE.text
