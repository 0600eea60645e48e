"""docs/series.md: its figures are those of its code, and its tables are what is computed."""

import importlib.util
from typing import Any

import pytest

from pages import ROOT, Follow, Page

PAGE = Page("docs/series.md")


def test_the_figures_are_those_of_the_code(follow: Follow) -> None:
    lines = follow(PAGE).lines("python")
    assert lines[0].startswith("MarkovLaplace (best of both, the default) needs the least noise")
    assert lines[1].startswith("Any one step of a series")
    assert [line.split()[0] for line in lines[2:7]] == ["drizzle", "fog", "rain", "snow", "sun"]
    share, lower, upper = map(float, lines[7].split())
    assert lower < share < upper
    assert lines[9].startswith("False")
    assert "cannot help here" in lines[9]
    assert lines[10].startswith("2.1")  # as the page says
    assert len(lines) == 12


@pytest.mark.parametrize("name", ["binary", "box"])
def test_the_tables_are_what_is_computed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others take longer; `make tables` writes them all."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    spec = importlib.util.spec_from_file_location("series", ROOT / "benchmarks" / "series.py")
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.put(PAGE.text, name, module.TABLES[name]()) == PAGE.text
