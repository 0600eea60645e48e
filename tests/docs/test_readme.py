"""The README is followed to the letter: its code runs and prints what it says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def commands() -> list[str]:
    """Every `privet ...` line of the shell blocks, continuation lines joined."""
    joined = "\n".join(blocks("sh")).replace("\\\n", " ")
    return [line for line in joined.splitlines() if line.startswith("privet ")]


def shape(text: str) -> list[str]:
    """Lines with numbers and line breaks taken out: what must not change from run to run."""
    return [word for word in re.sub(r"[\d.,%─]+", "", text).split() if word]


def run(command: str | list[str], folder: Path) -> str:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
    }
    done = subprocess.run(
        command,
        shell=isinstance(command, str),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "src").symlink_to(ROOT / "src")
    return tmp_path


def test_the_python_example_prints_the_sentence_shown(tmp_path: Path) -> None:
    (example,) = blocks("python")
    printed = run([sys.executable, "-W", "error", "-c", example], tmp_path)
    assert printed.splitlines()[0] == blocks("text")[0].strip()


def test_the_commands_run_in_order_and_print_what_is_shown(folder: Path) -> None:
    assert len(commands()) == 14
    printed = [run(command, folder) for command in commands()]
    shown = shape(blocks("text")[1])
    released = shape(printed[0])
    assert released == shown[: len(released)]
    table = shown[len(released) :]
    estimated = shape(printed[1])
    start = estimated.index("symbol")
    assert estimated[start : start + len(table)] == table
    assert "recommended" in printed[2].lower()
    for written in ("released.csv", "words.csv", "top.csv", "news.csv"):
        assert (folder / written).exists()
        assert (folder / f"{written}.receipt.json").exists()


def test_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
