"""Help: an example for every command, quickly, and without loading what computes."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]

COMMANDS = [["demo"], ["plan"], ["release", "table"], ["release", "words"], ["estimate"]]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_an_example_and_json(run: Run, command: list[str]) -> None:
    done = run(*command, "--help")
    text = " ".join(done.out.split())
    assert done.code == 0
    assert f"Example: privet {' '.join(command)}" in text
    assert "--json" in text


def test_the_example_of_the_plan_runs(run: Run) -> None:
    from privet.cli import plan

    assert plan.EXAMPLE.startswith("privet plan ")
    assert run(*plan.EXAMPLE.split()[1:]).code == 0


def test_the_commands_are_listed(run: Run) -> None:
    done = run("--help")
    for name in ("demo", "plan", "release", "estimate"):
        assert f" {name} " in done.out


def test_no_command_shows_help(run: Run) -> None:
    for arguments in ([], ["release"]):
        done = run(*arguments)
        assert done.code == 2
        assert "Usage: privet" in done.out
        assert done.err == ""


def test_the_version(run: Run) -> None:
    import privet

    assert run("--version").out == f"privet {privet.__version__}\n"


def test_help_loads_nothing_that_computes() -> None:
    code = (
        "import sys; from privet.cli import main; main(['release', 'table', '--help'])\n"
        "print(*(name for name in ('numpy', 'scipy', 'pyarrow', 'flint', 'matplotlib')"
        " if name in sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr.strip() == ""
