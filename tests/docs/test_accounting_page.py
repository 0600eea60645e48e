"""docs/accounting.md: its figures are those of its code, and its tables are computed."""

import importlib.util
import tomllib
from typing import Any

import pytest

from pages import ROOT, Follow, Page
from privet.accounting import rules
from privet.cli.account_spec import Spec

PAGE = Page("docs/accounting.md")


def test_the_figures_are_those_of_the_code(follow: Follow) -> None:
    lines = follow(PAGE).lines("python")
    assert lines[0] == "2.69"  # as the page says
    assert lines[1] == "True True"
    assert lines[2].startswith("Epsilon 2.69")
    assert lines[-3:] == ["0 0 inf", "10.0 4.77", "1.0 0.917"]
    assert "weekly report" in "\n".join(lines)


def test_the_spec_of_the_page_is_one() -> None:
    (text,) = PAGE.blocks("toml")
    spec = Spec.model_validate(tomllib.loads(text))
    assert [each.times for each in spec.releases] == [10, 1]
    assert spec.releases[0].record_loss() is not None


def test_every_rule_is_on_the_page() -> None:
    functions = {name for name in rules.__all__ if name[0].islower()} - {"pufferfish_epsilon"}
    assert {name for name in functions if f"| `{name}` |" in PAGE.text} == functions


@pytest.mark.parametrize("name", ["parts", "repeats", "responses"])
def test_the_tables_are_what_is_computed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other takes longer; `make tables` writes them all."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    place = ROOT / "benchmarks" / "accounting_tables.py"
    spec = importlib.util.spec_from_file_location("accounting_tables", place)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.put(PAGE.text, name, module.TABLES[name]()) == PAGE.text
