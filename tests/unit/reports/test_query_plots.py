"""The plots of query plans: the same numbers give the same picture, and it holds every curve."""

import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from privet import MarkovChain
from privet.chains.influence import max_influence
from privet.errors import OutputError
from privet.privacy import MarkovFramework
from privet.releasing import ScaleCurve
from privet.reports.query_plots import (
    InfluenceCurve,
    influence_curve,
    query_figure,
    write_query_plot,
)

CURVES = [
    ScaleCurve("group DP", (0.5, 1.0, 2.0), (200.0, 100.0, 50.0)),
    ScaleCurve("MQM approximate", (0.5, 1.0, 2.0), (None, 24.0, 11.0)),
    ScaleCurve("MQM exact", (0.5, 1.0, 2.0), (200.0, 100.0, 49.9)),
]
INFLUENCE = InfluenceCurve((1, 2, 3), (1.0, 0.5, 0.2), (0.9, 0.4, 0.1), (1.9, 0.9, 0.3))


def draw(path: Path, influence: InfluenceCurve = INFLUENCE) -> None:
    write_query_plot(path, CURVES, influence, marked=[1.0], title="count of one series")


def test_the_same_numbers_give_the_same_bytes_of_svg(tmp_path: Path) -> None:
    draw(tmp_path / "one.svg")
    draw(tmp_path / "two.svg")
    content = (tmp_path / "one.svg").read_bytes()
    assert content == (tmp_path / "two.svg").read_bytes()
    assert ElementTree.fromstring(content).tag.endswith("svg")


def test_the_figure_holds_every_curve_and_equal_ones_as_one() -> None:
    figure = query_figure(CURVES, INFLUENCE, marked=[1.0], title="x")
    noise, reach = figure.axes
    names = []
    for axes in (noise, reach):
        legend = axes.get_legend()
        assert legend is not None
        names.append([text.get_text() for text in legend.get_texts()])
    assert names[0] == ["group DP\n= MQM exact", "MQM approximate"]
    assert names[1] == ["both sides", "the step before", "the step after"]
    # Where a mechanism cannot run there is no point.
    assert [len(line.get_xdata()) for line in noise.lines[:2]] == [3, 2]  # type: ignore[arg-type]  # an array, not a scalar
    assert [line.get_markevery() for line in noise.lines[:2]] == [[1], [0]]


def test_infinite_influence_has_no_curve() -> None:
    endless = InfluenceCurve((1,), (math.inf,), (math.inf,), (math.inf,))
    reach = query_figure(CURVES, endless, marked=[], title="x").axes[1]
    assert reach.get_legend() is None
    assert "infinite" in reach.texts[0].get_text()


def test_the_influence_is_that_of_the_framework() -> None:
    chain = MarkovChain(["1/2", "1/2"], [["4/5", "1/5"], ["1/5", "4/5"]])
    curve = influence_curve(MarkovFramework(chain, initial="stationary"), 101, 20)
    assert curve.distances[:3] == (1, 2, 3)
    assert list(curve.both) == sorted(curve.both, reverse=True)
    for left, right, both in zip(curve.left, curve.right, curve.both, strict=True):
        assert both <= left + right + 1e-12
        assert right == pytest.approx(left)  # the chain runs backwards as it runs forwards
    framework = MarkovFramework(chain, initial="stationary")
    assert curve.both[1] == framework.max_influence(101, 50, [48, 52])
    assert max_influence(chain, 101, 50, [48, 52]) == pytest.approx(curve.both[1])


def test_series_too_short_for_any_distance() -> None:
    chain = MarkovChain(["1/2", "1/2"], [["4/5", "1/5"], ["1/5", "4/5"]])
    curve = influence_curve(MarkovFramework(chain), 1, 20)
    assert curve == InfluenceCurve((), (), (), ())


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="no folder"):
        draw(tmp_path / "missing" / "one.svg")
