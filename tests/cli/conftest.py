"""Running commands as a user does, in the same process or in one of their own."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from privet.cli import main

VOTERS = """name,vote,grade,age
Ann,Clinton,1,30
Bob,Dole,2,41
Cay,Clinton,3,52
Dan,Clinton,1,63
"""
DIARY = """who,month,state,note
b,2,work,x
a,1,home,y
b,1,home,z
a,2,sick,x
"""
WIDE = """who,m1,m2,m3
a,home,work,sick
b,work,work,home
"""


@dataclass(frozen=True)
class Done:
    """What a command did: its exit code and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The one line that a refusal is."""
        assert self.out == ""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        assert lines[0].startswith("privet: error: ")
        return lines[0].removeprefix("privet: error: ")


Run = Callable[..., Done]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with a table, a long and a wide table of sequences."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "voters.csv").write_text(VOTERS, encoding="utf-8")
    (tmp_path / "diary.csv").write_text(DIARY, encoding="utf-8")
    (tmp_path / "wide.csv").write_text(WIDE, encoding="utf-8")
    return tmp_path


@pytest.fixture(autouse=True)
def _no_ledger_around(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRIVET_LEDGER", raising=False)


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("plan", "--symbols", "a,b")`, in this process, in `folder`."""
    assert folder.is_dir()

    def call(*arguments: str) -> Done:
        capsys.readouterr()
        code = main(arguments)
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return call


@pytest.fixture
def spawn(folder: Path) -> Callable[..., "subprocess.Popen[str]"]:
    """`spawn(code, argument, ...)`: Python code in a process of its own, in `folder`."""

    def start(code: str, *arguments: str, **options: object) -> "subprocess.Popen[str]":
        return subprocess.Popen(  # type: ignore[call-overload, no-any-return]  # options are passed on
            [sys.executable, "-c", code, *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            text=True,
            stdout=options.pop("stdout", subprocess.PIPE),
            stderr=subprocess.PIPE,
            **options,
        )

    return start
