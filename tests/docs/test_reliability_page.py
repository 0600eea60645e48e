"""Each row of the table of faults names tests that exist."""

import re
import shlex

import pytest

from pages import ROOT, Page

PAGE = Page("docs/reliability.md")
COMMANDS = re.findall(r"\| `(tests/[^`]+)` \|$", PAGE.text, re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_of_a_row_runs_a_test(command: str) -> None:
    path, *options = shlex.split(command)
    names = re.findall(r"^def (test_\w+)", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    assert names
    if options:
        flag, expression = options
        assert flag == "-k"
        for word in expression.split(" or "):
            assert any(word in name for name in names), word


def test_every_row_of_the_table_has_a_command() -> None:
    rows = [line for line in PAGE.text.splitlines() if line.startswith("|")][2:]
    assert len(rows) >= len(COMMANDS) > 20
    table = PAGE.text.split("## What is durable")[0]
    assert len([line for line in table.splitlines() if line.startswith("| ")]) - 1 == len(COMMANDS)
