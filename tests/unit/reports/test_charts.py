"""Charts lie inside their picture, whatever is drawn, and say in words what they show."""

import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.reports.charts import (
    HEIGHT,
    WIDTH,
    Axis,
    Line,
    Trellis,
    bar,
    cut,
    line_chart,
    round_ticks,
    trellis_chart,
)

SVG = "{http://www.w3.org/2000/svg}"


def parts(picture: str, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(picture).iter(f"{SVG}{tag}"))


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_are_round_within_the_range_and_few(low: float, size: float) -> None:
    ticks = round_ticks(low, low + size)
    assert len(ticks) <= 7
    assert all(low - 1e-6 * size <= tick <= low + size * (1 + 1e-6) for tick in ticks)


def test_one_number_is_one_tick() -> None:
    assert round_ticks(2.0, 2.0) == [2.0]
    assert round_ticks(0, 1) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])


def test_lines_go_where_their_numbers_are() -> None:
    line = Line("a", [(0.0, 0.0), (1.0, 4.0)], dots=[(1.0, 4.0)])
    x, y = Axis("x", 0, 1, [(0, "0")]), Axis("y", 0, 4, [(4, "4")])
    (drawn,) = parts(line_chart("t", "d", x, y, [line]), "polyline")
    assert drawn.get("points") == f"46,{HEIGHT - 40:g} {WIDTH - 12:g},14"
    steps = Line("a", line.points, stepped=True)
    (drawn,) = parts(line_chart("t", "d", x, y, [steps]), "polyline")
    assert str(drawn.get("points")).count(" ") == 2


def test_equal_factors_are_equal_lengths_on_a_logarithmic_axis() -> None:
    axis = Axis("x", 0.25, 4, logarithmic=True)
    assert [axis.place(v) for v in (0.25, 1, 4)] == pytest.approx([0, 0.5, 1])
    assert Axis("x", 1, 1).place(1) == 0.5


def test_a_chart_says_in_words_what_it_shows() -> None:
    made = bar("title <", "desc", 1.7)
    assert [each.text for each in parts(made, "title")] == ["title <"]
    assert [each.text for each in parts(made, "desc")] == ["desc"]
    assert 'role="img"' in made
    assert max(float(each.get("width", 0)) for each in parts(made, "rect")) == WIDTH


@given(st.integers(1, 14), st.integers(1, 12), st.text(max_size=40))
def test_a_trellis_stays_inside_its_picture(steps: int, states: int, name: str) -> None:
    even = [[1 / states] * states] * steps
    moves = [[[1 / states**2] * states] * states] * (steps - 1)
    panel = Trellis("under", even, moves, "first")
    made = trellis_chart("t", "d", [name or "x"] * steps, [name] * states, [panel, panel])
    root = ElementTree.fromstring(made)
    height = float(str(root.get("viewBox")).split()[3])
    for disc in parts(made, "circle"):
        radius = float(disc.get("r", 0))
        assert radius <= float(disc.get("cx", 0)) <= WIDTH - radius
        assert radius <= float(disc.get("cy", 0)) <= height - radius


def test_impossible_states_are_empty_discs() -> None:
    panel = Trellis("under", [[1.0, 0.0]], [], "first")
    made = trellis_chart("t", "d", ["a"], ["on", "off"], [panel])
    assert [each.get("class") for each in parts(made, "circle")] == ["dot first", "empty"]


def test_long_names_are_cut() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "ab\N{HORIZONTAL ELLIPSIS}"
