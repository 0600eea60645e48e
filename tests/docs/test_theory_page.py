"""docs/theory: each statement names its source and its code, and what is named is there."""

import importlib
import re
from pathlib import Path

import pytest

from pages import DOCS, ROOT

PAGES = {page.name: page.read_text(encoding="utf-8") for page in (DOCS / "theory").glob("*.md")}
TEXT = "\n".join(PAGES.values())
STATEMENTS = [
    pytest.param(text, id=f"{name}: {text.splitlines()[0]}")
    for name, page in sorted(PAGES.items())
    if name != "index.md"
    for text in page.split("\n## ")[1:]
]


# ------------------------------------------------------------------------------- what is named


def test_every_name_of_the_code_exists() -> None:
    names = set(re.findall(r"`(privet(?:\.\w+)+)`", TEXT))
    assert len(names) > 60
    assert sorted(name for name in names if not exists(name)) == []


def exists(name: str) -> bool:
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            thing: object = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            if not hasattr(thing, part):
                return False
            thing = getattr(thing, part)
        return True
    return False


def test_a_name_that_is_not_there_is_noticed() -> None:
    assert exists("privet.verify.finite.smallest_delta")
    assert not exists("privet.verify.finite.smallest_epsilon_of_all")
    assert not exists("privet.verify.infinite")


def test_every_proof_is_named_and_is_there() -> None:
    named = set(re.findall(r"`(src/privet/[\w/]+/PROOF\.md)`", TEXT))
    there = {str(path.relative_to(ROOT)) for path in (ROOT / "src").rglob("PROOF.md")}
    assert named == there


def test_every_test_file_that_is_named_exists() -> None:
    named = set(re.findall(r"`(tests/[\w/.]+)`", TEXT))
    assert named
    assert sorted(place for place in named if not (ROOT / place).exists()) == []


def test_every_part_is_reached_from_the_first() -> None:
    assert {f"{name}\n" in PAGES["index.md"] for name in ("symbols", "words", "series")} == {True}
    for name in PAGES:
        if name != "index.md":
            assert f"\n{Path(name).stem}\n" in PAGES["index.md"]


@pytest.mark.parametrize("text", STATEMENTS)
def test_every_statement_has_its_source_and_its_code(text: str) -> None:
    assert "\n- Source: " in text
    assert "\n- Code: `privet." in text


@pytest.mark.parametrize("name", sorted(PAGES))
def test_links_lead_somewhere(name: str) -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", PAGES[name])
    own = [target for target in targets if "://" not in target]
    assert [target for target in own if not (DOCS / "theory" / target).exists()] == []
