"""docs/ledger.md is followed to the letter: its code and its commands run, and say what it says."""

from pathlib import Path

import pytest

from pages import Page, run
from privet import Ledger

PAGE = Page("docs/ledger.md")
COMMANDS = {"init", "budget", "show", "verify", "export", "void"}


def test_the_python_examples_run_in_order(tmp_path: Path) -> None:
    lines = PAGE.python_output(tmp_path)
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


def test_the_commands_run_in_order(tmp_path: Path) -> None:
    commands = PAGE.commands()
    said = {command: run(command, tmp_path) for command in commands}
    assert [out for out in said.values() if out.startswith("refused")] == [
        "refused: only 1 is left\n"
    ]
    plans = [out for command, out in said.items() if " plan " in f" {command}" and "731" in command]
    assert "+0" in plans[0]
    for written in ("vote.csv", "first.csv", "second.csv", "spend.svg", "spend.jsonl"):
        assert (tmp_path / written).exists()
    assert not (tmp_path / "tv.csv").exists()
    with Ledger.open(tmp_path / "spend.db") as ledger:
        assert float(ledger.account("diary").spent()) == pytest.approx(1, abs=1e-6)
        assert ledger.account("survey").budget == 4
    used = {command.split()[2] for command in commands if command.split()[1] == "ledger"}
    assert used | {"void"} == COMMANDS
    assert all(f"privet ledger {name}" in PAGE.text for name in COMMANDS)


def test_two_counts_of_all_days_cost_what_the_page_says() -> None:
    from privet import MarkovChain, MarkovFramework, MarkovLaplace, datasets

    chain = MarkovChain.fit(datasets.seattle().words(), pseudocount="0.5")
    weather = MarkovFramework(chain, initial="stationary")
    loss = MarkovLaplace(weather, epsilon=1).record_loss(1461, "histogram")
    assert f"cost {float(weather.epsilon(loss + loss)):.2f}." in PAGE.text
