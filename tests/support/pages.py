"""A page of the documentation, to be followed to the letter.

In a page, ```python and ```sh blocks are run (follow_page.py), but for those whose fence says
`no-test`. A ```text block after one that is run is what was printed, word for word; if its fence
says `varies`, numbers aside. A line `...` stands for any lines. Other blocks are read by nobody.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RUN = ("python", "sh")
BREAK = "\x1e"  # on a line of its own after what a block printed
SECONDS = 900  # for a page
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the other words of its fence, its first line and its text."""

    language: str
    marks: tuple[str, ...]
    line: int
    text: str

    @property
    def is_run(self) -> bool:
        """Whether it is run."""
        return self.language in RUN and "no-test" not in self.marks


@dataclass(frozen=True)
class Page:
    """A page by its path below the root of the repository."""

    path: str

    @property
    def place(self) -> str:
        """Where it is."""
        return str(ROOT / self.path)

    @property
    def text(self) -> str:
        """What it says."""
        return (ROOT / self.path).read_text(encoding="utf-8")

    def all_blocks(self) -> list[Block]:
        """Its fenced blocks in the order they stand."""
        text = self.text
        return [
            Block(
                found[1],
                tuple(found[2].split()),
                text.count("\n", 0, found.start(3)) + 1,
                found[3],
            )
            for found in FENCE.finditer(text)
        ]

    def run_blocks(self) -> list[Block]:
        """The blocks that are run."""
        return [block for block in self.all_blocks() if block.is_run]

    def blocks(self, language: str) -> list[str]:
        """The text of the blocks of that language."""
        return [block.text for block in self.all_blocks() if block.language == language]

    def follow(self, folder: Path) -> "Followed":
        """Run its blocks in a folder that has `src` as the repository has it.

        Python blocks share one namespace, and their warnings are errors.
        """
        program = str(ROOT / "tests" / "support" / "follow_page.py")
        printed = run([sys.executable, "-W", "error", program, self.path], folder, SECONDS)
        return Followed(self, folder, tuple(printed.split(f"{BREAK}\n")[:-1]))


@dataclass(frozen=True)
class Followed:
    """A page that was followed: what each block that is run printed, and where its files are."""

    page: Page
    folder: Path
    printed: tuple[str, ...]

    def lines(self, language: str) -> list[str]:
        """The lines of what the blocks of that language printed."""
        both = zip(self.page.run_blocks(), self.printed, strict=True)
        return "".join(text for block, text in both if block.language == language).splitlines()

    def not_printed(self) -> list[int]:
        """The lines of the text blocks that are not among what the blocks before them printed."""
        missing, so_far = [], 0
        for block in self.page.all_blocks():
            so_far += block.is_run
            if block.language == "text" and so_far:
                varies = "varies" in block.marks
                parts = re.split(r"^ *\.\.\.$", block.text, flags=re.MULTILINE)
                wanted = [words(part, varies) for part in parts]
                pattern = "( .*)? ".join(re.escape(part) for part in wanted if part)
                before = words("".join(self.printed[:so_far]), varies)
                if not re.search(f" {pattern} ", f" {before} "):
                    missing.append(block.line)
        return missing


Follow = Callable[[Page], Followed]  # the fixture `follow`: once for each page in a test run


def words(text: str, varies: bool) -> str:
    """The words with one space between; without the rules of tables, which fit the terminal."""
    return " ".join(re.sub(r"[\d.,%─]+" if varies else "─+", "", text).split())


def run(command: list[str] | str, folder: Path, seconds: int = 300) -> str:
    """What a command of a page prints, in a folder that has `src` as the repository has it."""
    source = folder / "src"
    if not source.exists():
        source.symlink_to(ROOT / "src")
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
    }
    environment.pop("PRIVET_LEDGER", None)
    done = subprocess.run(
        command,
        shell=isinstance(command, str),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
