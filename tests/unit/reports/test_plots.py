"""The error plot: the same numbers give the same picture, written whole, with nothing global."""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import matplotlib as mpl
import pytest

from privet.errors import MissingExtraError, OutputError
from privet.releasing import Curve
from privet.reports.plots import error_figure, require_matplotlib, table_figure, write_error_plot

CURVES = [
    Curve("randomised response", (0.5, 1.0, 2.0, 40.0), (0.6, 0.4, 0.1, 0.0)),
    Curve("staircase", (0.5, 1.0, 2.0, 40.0), (0.6, 0.39, 0.05, 0.0)),
]


def draw(path: Path) -> None:
    write_error_plot(path, CURVES, marked=[1.0], alphabet_size=5, length=10, adjacency=2)


def test_the_same_numbers_give_the_same_bytes_of_svg(tmp_path: Path) -> None:
    draw(tmp_path / "one.svg")
    draw(tmp_path / "two.svg")
    content = (tmp_path / "one.svg").read_bytes()
    assert content == (tmp_path / "two.svg").read_bytes()
    assert ElementTree.fromstring(content).tag.endswith("svg")


def test_the_figure_holds_every_curve_and_what_it_is_about() -> None:
    figure = error_figure(CURVES, marked=[1.0], alphabet_size=5, length=10, adjacency=2)
    axes = figure.axes[0]
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [c.title for c in CURVES]
    assert axes.get_title(loc="left") == "Words of 10 symbols over 5, any 2 of them protected"
    # A share that is 0 to a double has no place on a logarithmic axis and is left out.
    assert [len(line.get_xdata()) for line in axes.lines[:2]] == [3, 3]  # type: ignore[arg-type]  # an array, not a scalar


def test_global_settings_stay_as_they_were(tmp_path: Path) -> None:
    before = dict(mpl.rcParams)
    draw(tmp_path / "one.svg")
    assert dict(mpl.rcParams) == before


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="no folder"):
        draw(tmp_path / "missing" / "one.svg")


def test_without_matplotlib_the_line_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'privet\[plots\]'"):
        require_matplotlib()


def test_the_axes_fit_the_curves_and_the_asked_epsilons_are_marked() -> None:
    axes = error_figure(CURVES, marked=[1.0], alphabet_size=5, length=10, adjacency=2).axes[0]
    assert axes.get_xlim() == (0.5, 40.0)
    low, high = axes.get_ylim()
    assert 0.02 < low < 0.05 < 0.6 < high < 2
    assert [line.get_markevery() for line in axes.lines[:2]] == [[1], [1]]


def test_curves_that_look_the_same_are_one_line_with_all_names() -> None:
    twin = Curve("exponential (exact rate)", CURVES[0].epsilons, CURVES[0].shares_wrong)
    figure = error_figure([*CURVES, twin], marked=[], alphabet_size=5, length=10, adjacency=10)
    axes = figure.axes[0]
    legend = axes.get_legend()
    assert legend is not None
    names = [text.get_text() for text in legend.get_texts()]
    assert names == ["randomised response\n= exponential (exact rate)", "staircase"]
    assert axes.get_title(loc="left") == "Words of 10 symbols over 5, the whole word protected"


def test_the_figure_of_a_table_has_a_line_a_column() -> None:
    axes = table_figure(CURVES, marked=[1.0]).axes[0]
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [c.title for c in CURVES]
    assert axes.get_title(loc="left") == "A table of 2 columns"
    assert axes.get_ylabel() == "expected share of wrong values"
