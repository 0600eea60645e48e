"""docs/verification.md is followed to the letter: what it shows runs and prints what it says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "verification.md").read_text(encoding="utf-8")


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


def test_the_commands_print_what_is_shown(folder: Path) -> None:
    joined = "\n".join(blocks("sh")).replace("\\\n", " ")
    commands = [line for line in joined.splitlines() if line.startswith("privet ")]
    assert len(commands) == 9
    printed = [run(command, folder) for command in commands]
    model, mechanism = blocks("text")
    assert _words(printed[0].partition("Certificate:")[0]) == _words(model)
    assert "HOLDS" in printed[1]
    assert printed[2].splitlines()[-1] == "violated"
    assert "holds" in printed[3]
    assert "report-noisy-max" in printed[4]
    assert "privet verify model max.json" in printed[5]
    assert "holds" in printed[6]
    assert "VIOLATED" not in printed[6]
    assert printed[7] == mechanism
    assert printed[8].splitlines()[-1] == "violated"
    for written in ("proof.json", "profile.svg", "pictures/model.svg", "pictures/ratio.svg"):
        assert (folder / written).exists()


def _words(text: str) -> list[str]:
    """Without the rules of tables, which are as long as the widest line."""
    return text.replace("─", "").split()


def test_the_python_examples_run_in_order(folder: Path) -> None:
    code = "\n".join(blocks("python"))
    lines = run([sys.executable, "-W", "error", "-c", code], folder).splitlines()
    assert lines[0] == "['Holds', 'Holds']"
    assert lines[1:3] == ["14 None"] * 2
    assert lines[3] == "['positive', 'positive', 'positive'] 2464/471"
    assert lines[4].startswith("Holds(")
    assert lines[5].startswith("13.086")
    assert lines[6].startswith("[2.0, 3.43, 5.23")
    assert lines[7].startswith("Holds(")
    assert lines[8] == "{'p': Fraction(1, 2)} 2"
    assert lines[9].startswith("(Fraction(8, 1), ")
    assert lines[10:12] == ["2", "8"]
    assert lines[12].startswith("Holds(")
    assert lines[17] in ("one of 0 True True", "one of 4 True True")
    assert len(lines) == 18


def test_links_lead_somewhere() -> None:
    targets = [t for t in re.findall(r"\]\(([^)#]+)\)", PAGE) if "://" not in t]
    assert targets
    assert [t for t in targets if not (ROOT / "docs" / t).exists()] == []
