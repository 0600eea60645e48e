"""docs/series.md is followed to the letter: its code runs, and its tables are what is computed."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "series.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


def run(command: list[str] | str, folder: Path) -> str:
    done = subprocess.run(
        command,
        shell=isinstance(command, str),
        cwd=folder,
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        },
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


def test_the_python_examples_run_in_order(tmp_path: Path) -> None:
    code = "\n".join(blocks("python"))
    lines = run([sys.executable, "-W", "error", "-c", code], tmp_path).splitlines()
    assert lines[0].startswith("MarkovLaplace (best of both, the default) needs the least noise")
    assert lines[1].startswith("Any one step of a series")
    assert [line.split()[0] for line in lines[2:7]] == ["drizzle", "fog", "rain", "snow", "sun"]
    share, lower, upper = map(float, lines[7].split())
    assert lower < share < upper
    assert lines[9].startswith("False")
    assert "cannot help here" in lines[9]
    assert lines[10].startswith("2.1")  # as the page says
    assert len(lines) == 12


def test_the_commands_run_in_order(folder: Path) -> None:
    joined = "\n".join(blocks("sh")).replace("\\\n", " ")
    commands = [line for line in joined.splitlines() if line.startswith("privet ")]
    assert len(commands) == 4
    for command in commands:
        run(command, folder)
    for written in ("weather.json", "noise.svg", "histogram.csv", "top.json"):
        assert (folder / written).exists()


@pytest.mark.parametrize("name", ["binary", "box"])
def test_the_tables_are_what_is_computed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others take longer; `make tables` writes them all."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    spec = importlib.util.spec_from_file_location("series", ROOT / "benchmarks" / "series.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.put(PAGE, name, module.TABLES[name]()) == PAGE


def test_links_lead_somewhere() -> None:
    targets = [t for t in re.findall(r"\]\(([^)#]+)\)", PAGE) if "://" not in t]
    assert [t for t in targets if not (ROOT / "docs" / t).exists()] == []
