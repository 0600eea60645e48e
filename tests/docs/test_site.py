"""The pages build as a site without a warning, lead somewhere, and say what the program says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from pages import DOCS, ROOT

BELOW = [page.relative_to(DOCS).as_posix() for page in sorted(DOCS.rglob("*.md"))]
PAGES = ["README.md", *(f"docs/{page}" for page in BELOW if not page.startswith("_build/"))]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    done = run(
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-b",
        "html",
        "-d",
        str(tmp_path / "doctrees"),
        "docs",
        str(tmp_path / "site"),
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "site" / "index.html").is_file()


def test_every_page_is_reached_from_the_first() -> None:
    pages = {page.removeprefix("docs/").removesuffix(".md") for page in PAGES[1:]}
    assert reached_from("index") == pages


def reached_from(name: str) -> set[str]:
    """A page and all that its tables of contents lead to."""
    page = DOCS / f"{name}.md"
    tables = re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    entries = [line for table in tables for line in table.splitlines() if line[:1] not in (":", "")]
    below = [(page.parent / entry).relative_to(DOCS).as_posix() for entry in entries]
    return {name}.union(*map(reached_from, below))


def test_the_reference_is_what_the_program_says() -> None:
    done = run("docs/generate.py", "--check")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("place", PAGES)
def test_links_lead_somewhere(place: str) -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", (ROOT / place).read_text(encoding="utf-8"))
    own = [target for target in targets if "://" not in target]
    assert [target for target in own if not (ROOT / place).parent.joinpath(target).exists()] == []
