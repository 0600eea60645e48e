"""docs/reports.md is followed to the letter: its commands and its code run, and its links lead."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)


def run(command: list[str] | str, folder: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("reports")
    (made / "src").symlink_to(ROOT / "src")
    joined = "\n".join(blocks("sh")).replace("\\\n", " ")
    commands = [line for line in joined.splitlines() if line.startswith("privet ")]
    said = [run(command, made) for command in commands]
    assert [out for out in said if out.endswith("violated\n")]
    return made


def test_the_commands_write_the_pages(folder: Path) -> None:
    says = {
        "release.html": "has this SHA-256",
        "ledger.html": "Verified for this report",
        "survey.html": "Account",
        "verdict.html": "Not as private as claimed",
    }
    for name, text in says.items():
        assert text in (folder / name).read_text(encoding="utf-8")


def test_the_python_examples_run_in_order(folder: Path) -> None:
    code = "\n".join(blocks("python"))
    assert run([sys.executable, "-W", "error", "-c", code], folder) == "True\n"
    for name in ("again.html", "proof.html"):
        assert (folder / name).exists()


def test_links_lead_somewhere_and_pictures_are_small() -> None:
    targets = [t for t in re.findall(r"\]\(([^)#]+)\)", PAGE) if "://" not in t]
    assert len(targets) == 3
    assert [t for t in targets if not (ROOT / "docs" / t).exists()] == []
    assert all((ROOT / "docs" / t).stat().st_size < 150_000 for t in targets)
