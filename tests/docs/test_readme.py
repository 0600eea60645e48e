"""The README is followed to the letter: its code runs and prints what it says."""

import re
import sys
from pathlib import Path

from pages import Page, run

PAGE = Page("README.md")


def shape(text: str) -> list[str]:
    """Lines with numbers and line breaks taken out: what must not change from run to run."""
    return [word for word in re.sub(r"[\d.,%─]+", "", text).split() if word]


def test_the_python_example_prints_the_sentence_shown(tmp_path: Path) -> None:
    (example,) = PAGE.blocks("python")
    printed = run([sys.executable, "-W", "error", "-c", example], tmp_path)
    assert printed.splitlines()[0] == PAGE.blocks("text")[0].strip()


def test_the_commands_run_in_order_and_print_what_is_shown(tmp_path: Path) -> None:
    assert len(PAGE.commands()) == 14
    printed = [run(command, tmp_path) for command in PAGE.commands()]
    shown = shape(PAGE.blocks("text")[1])
    released = shape(printed[0])
    assert released == shown[: len(released)]
    table = shown[len(released) :]
    estimated = shape(printed[1])
    start = estimated.index("symbol")
    assert estimated[start : start + len(table)] == table
    assert "recommended" in printed[2].lower()
    for written in ("released.csv", "words.csv", "top.csv", "news.csv"):
        assert (tmp_path / written).exists()
        assert (tmp_path / f"{written}.receipt.json").exists()
