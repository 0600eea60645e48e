"""docs/glossary.md: what it names exists, and words that it rules out are not used."""

import ast
import importlib
import re

import pytest

from pages import DOCS, ROOT, Page

PAGE = Page("docs/glossary.md")
ROWS = [
    [cell.strip() for cell in line.strip("| \n").split(" | ")] for line in PAGE.text.splitlines()
]
TERMS = [row for row in ROWS if len(row) >= 3 and row[0] != "term" and not row[0].startswith("---")]
AVOIDED = sorted({word for row in TERMS if len(row) > 3 for word in row[3].strip(" |").split(", ")})
FREE = {"glossary.md"}


def test_every_term_is_there_once() -> None:
    terms = [term for row in TERMS for term in row[0].split(", ")]
    assert len(terms) > 45
    assert sorted(set(terms)) == sorted(terms)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`(privet(?:\.\w+)+)`", PAGE.text))))
def test_a_name_of_the_code_exists(name: str) -> None:
    _, first, *rest = name.split(".")
    thing = getattr(importlib.import_module("privet"), first, None)
    if thing is None:
        thing = importlib.import_module(f"privet.{first}")
    for part in rest:
        assert hasattr(thing, part), part
        thing = getattr(thing, part)


def test_every_option_and_command_exists() -> None:
    commands = (DOCS / "reference" / "command-line.md").read_text(encoding="utf-8")
    options = set(re.findall(r"`(--[a-z-]+)`", PAGE.text))
    assert len(options) > 15
    assert sorted(option for option in options if option not in commands) == []
    for command in re.findall(r"`privet ([a-z]+)`", PAGE.text):
        assert f"\n## privet {command}" in commands


def prose() -> list[tuple[str, str]]:
    """(place, text): the pages, and every docstring and message of the program."""
    pages = [ROOT / "README.md", *DOCS.rglob("*.md")]
    found = [
        (str(page.relative_to(ROOT)), page.read_text(encoding="utf-8"))
        for page in pages
        if page.name not in FREE
    ]
    for path in sorted((ROOT / "src").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        text = "\n".join(
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )
        found.append((str(path.relative_to(ROOT)), text))
    return found


def uses(word: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}s?(?![\w-])", text, re.IGNORECASE) is not None


def test_no_word_that_is_ruled_out_is_used() -> None:
    assert len(AVOIDED) > 20
    texts = prose()
    assert [(word, place) for word in AVOIDED for place, text in texts if uses(word, text)] == []


def test_a_word_that_is_used_is_noticed() -> None:
    assert uses("privacy budget", "what the Privacy Budgets allow")
    assert not uses("item", "an itemised bill")
