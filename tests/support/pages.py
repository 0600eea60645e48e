"""A page of the documentation, to be followed to the letter."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@dataclass(frozen=True)
class Page:
    """A page by its path below the root of the repository."""

    path: str

    @property
    def text(self) -> str:
        """What it says."""
        return (ROOT / self.path).read_text(encoding="utf-8")

    def blocks(self, language: str) -> list[str]:
        """The fenced blocks of that language."""
        return re.findall(rf"```{language}\n(.*?)```", self.text, flags=re.DOTALL)

    def commands(self) -> list[str]:
        """Every `privet ...` line of the shell blocks, continuation lines joined."""
        joined = "\n".join(self.blocks("sh")).replace("\\\n", " ")
        return [line for line in joined.splitlines() if line.startswith("privet ")]

    def python_output(self, folder: Path) -> list[str]:
        """The lines that the Python blocks print, one after the other, warnings being errors."""
        code = "\n".join(self.blocks("python"))
        return run([sys.executable, "-W", "error", "-c", code], folder).splitlines()


def run(command: list[str] | str, folder: Path) -> str:
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
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
