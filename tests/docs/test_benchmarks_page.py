"""docs/benchmarks.md is what `make bench ARGS=--write` writes: all sections, and the picture."""

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pages import DOCS, ROOT, Page, run

PAGE = Page("docs/benchmarks.md")


@pytest.fixture
def harness(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The modules of the benchmarks, as `benchmarks/run.py` has them."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    yield importlib.import_module("growth"), importlib.import_module("report")
    for name, module in [*sys.modules.items()]:
        if str(ROOT / "benchmarks") in str(getattr(module, "__file__", None)):
            del sys.modules[name]


def test_the_page_has_every_section_in_the_order_of_the_run() -> None:
    listed = "from sections import SECTIONS; print(len(SECTIONS))"
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, 'benchmarks'); {listed}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    headings = [line for line in PAGE.text.splitlines() if line.startswith("## ")]
    assert headings[0] == "## Goals"
    assert len(headings) == 1 + int(done.stdout)
    assert not [heading for heading in headings if "not measured" in heading]
    assert headings[-1] == "## How cost grows with size"
    assert "](pictures/growth.svg)" in PAGE.text
    assert (DOCS / "pictures" / "growth.svg").exists()


def test_a_section_is_measured_and_printed(tmp_path: Path) -> None:
    peers = str(tmp_path / "none")
    program = str(ROOT / "benchmarks" / "run.py")
    printed = run([sys.executable, program, "--peers", peers, "--quick", "--only", "words"], ROOT)
    assert "| staircase" in printed
    assert "| goal " in printed
    assert "failed" not in printed


def test_equal_figures_give_an_equal_picture(harness: Any, tmp_path: Path) -> None:
    growth, report = harness
    curves = [
        report.Curve(work.name, work.unit, tuple((size, size / 1e6) for size in work.sizes))
        for work in growth.WORK[:4]
    ]
    for name in ("one.svg", "two.svg"):
        growth.draw(tmp_path / name, curves)
    first = (tmp_path / "one.svg").read_bytes()
    assert first == (tmp_path / "two.svg").read_bytes()
    assert first.count(b"CPU seconds") >= len(curves)
    growth.draw(tmp_path / "other.svg", curves[:-1])
    assert first != (tmp_path / "other.svg").read_bytes()


def test_growth_is_read_off_the_last_two_sizes(harness: Any) -> None:
    growth, _ = harness
    assert growth._exponent([(1, 5.0), (10, 1.0), (1000, 100.0)]) == "n^1.00"
    assert growth._exponent([(10, 1.0), (100, 100.0)]) == "n^2.00"
    assert growth._exponent([(10, 1.0)]) == "-"
