"""Help: an example for every command, quickly, and without loading what computes."""

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

MODEL = "With a model:"
QUERY = "Of a query:"
TABLE = "Of a table:"

COMMANDS = [
    ["demo"],
    ["plan"],
    ["release", "table"],
    ["release", "words"],
    ["release", "query"],
    ["estimate"],
    ["fit"],
    ["account"],
    ["report"],
    *(["ledger", name] for name in ("init", "budget", "show", "verify", "export", "void")),
    *(["verify", name] for name in ("model", "mechanism", "certificate", "library")),
]


@pytest.fixture(autouse=True)
def _sources(folder: Path) -> None:
    """Examples name files from the folder in which the program was loaded, by whatever test."""
    (folder / "src").symlink_to(Path(__file__).parents[2] / "src")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_an_example_and_json(run: Run, command: list[str]) -> None:
    done = run(*command, "--help")
    text = " ".join(done.out.split())
    assert done.code == 0
    assert f"Example: privet {' '.join(command)}" in text
    assert "FILE" in text or command[0] in ("demo", "plan", "estimate", "ledger")
    assert "--json" in text


def test_every_example_runs_as_printed(run: Run) -> None:
    """In this order, since the estimate reads what the release of the table wrote."""
    for command in (
        ["release", "table"],
        ["release", "words"],
        ["release", "query"],
        ["estimate"],
        ["plan"],
        ["demo"],
        ["account"],
        ["verify", "model"],
        ["verify", "mechanism"],
        ["verify", "certificate"],
    ):
        example = example_in(run(*command, "--help").out)
        assert example.startswith(f"privet {' '.join(command)}")
        done = run(*shlex.split(example)[1:])
        assert (done.code, done.err) == (0, ""), example
    for group in ([], ["release"], ["verify"]):
        assert example_in(run(*group, "--help").out).startswith("privet ")


def test_the_examples_with_models_run_as_printed(run: Run) -> None:
    """Each may say one thing, and no more, on the standard error."""
    said = {
        "release words": "the released words were decoded",
        "fit": "the chain holds the transitions",
    }
    for command in (["plan"], ["release", "words"], ["fit"]):
        example = example_in(run(*command, "--help").out, MODEL)
        if command == ["fit"]:
            example = example_in(run("fit", "--help").out)
        done = run(*shlex.split(example)[1:])
        assert done.code == 0, example
        note = said.get(" ".join(command))
        assert len(done.err.splitlines()) == (note is not None)
        assert done.err.startswith(f"privet: note: {note}" if note else "")


@pytest.mark.parametrize(("mark", "option"), [(QUERY, "--query"), (TABLE, "--column")])
def test_the_further_examples_of_plan_run_as_printed(run: Run, mark: str, option: str) -> None:
    example = example_in(run("plan", "--help").out, mark)
    assert example.startswith(f"privet plan {option}")
    done = run(*shlex.split(example)[1:])
    assert (done.code, done.err) == (0, "")


def example_in(text: str, mark: str = "Example:") -> str:
    after = text.partition(mark)[2]
    for other in (MODEL, QUERY, TABLE):
        after = after.partition(other)[0]
    return " ".join(after.replace(" \\\n", " ").split())


def test_narrow_help_cuts_no_word() -> None:
    """In a process of its own: the width is read when the commands are made."""
    for command in ([], *COMMANDS):
        code = f"from privet.cli import main; main({[*command, '--help']!r})"
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "COLUMNS": "60"},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        assert "\N{HORIZONTAL ELLIPSIS}" not in done.stdout
        assert "Example:" in done.stdout
        for option in ("--alphabet-from-data", "--rows-per-person"):
            assert (option in done.stdout) == (
                command == ["release", "table"]
                or (option == "--alphabet-from-data" and command == ["release", "words"])
                or (option == "--rows-per-person" and command == ["plan"])
            )


def test_flags_and_arguments_are_shown_as_they_are_typed(run: Run) -> None:
    for command in ([], ["release"], ["ledger"], ["verify"], *COMMANDS):
        text = run(*command, "--help").out
        assert "<bool>" not in text
        assert "{" not in text


def test_the_commands_are_listed(run: Run) -> None:
    done = run("--help")
    names = "demo", "plan", "release", "estimate", "fit", "account", "ledger", "report", "verify"
    for name in names:
        assert f" {name} " in done.out
    assert "..." not in done.out.partition("Commands:")[2]


def test_no_command_shows_help(run: Run) -> None:
    for arguments in ([], ["release"], ["ledger"], ["verify"]):
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


def test_commands_stand_in_the_order_of_the_work(run: Run) -> None:
    shown = run("--help").out.partition("Commands:")[2].split("Example:")[0]
    names = [line.split()[0] for line in shown.splitlines() if line.strip()]
    assert names[:4] == ["demo", "plan", "release", "estimate"]
    assert names.index("ledger") < names.index("account") < names.index("report")
