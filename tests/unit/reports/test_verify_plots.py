"""The pictures of a verification: the same numbers give the same picture, and nothing overlaps."""

import math
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet import HiddenMarkovModel, verify
from privet.reports.verify_plots import (
    RatioCurve,
    WordPicture,
    model_figure,
    path_shares,
    profile_figure,
    ratio_figure,
    trellis_figure,
    write_picture,
)
from privet.verify.outcome import Bracket

HALF = Fraction(1, 2)


def ring(size: int, names: list[str] | None = None) -> HiddenMarkovModel:
    """Each state stays or moves on."""
    steps = [[0] * size for _ in range(size)]
    moved: list[list[Any]] = [[*row] for row in steps]
    for i in range(size):
        moved[i][i], moved[i][(i + 1) % size] = "9/10", "1/10"
    seen = [["3/4", "1/4"] if i % 2 else ["1/4", "3/4"] for i in range(size)]
    return HiddenMarkovModel(moved, seen, states=names)


def laws(size: int) -> dict[str, tuple[Fraction, ...]]:
    first = tuple(Fraction(int(i == 0)) for i in range(size))
    return {"first": first, "second": tuple([Fraction(1, size)] * size)}


def word(size: int, length: int) -> WordPicture:
    return WordPicture(tuple(i % 2 for i in range(length)), laws(size), "a long title " * 12)


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_the_same_numbers_give_the_same_bytes(tmp_path: Path, ending: str) -> None:
    for name in ("one", "two"):
        path = tmp_path / f"{name}.{ending}"
        write_picture(path, lambda: trellis_figure(ring(3), word(3, 5)), title="x")
    content = (tmp_path / f"one.{ending}").read_bytes()
    assert content == (tmp_path / f"two.{ending}").read_bytes()
    if ending == "svg":
        assert ElementTree.fromstring(content).tag.endswith("svg")
    else:
        assert content.startswith(b"\x89PNG")


def boxes(figure: Any, axes: Any) -> list[Any]:
    """The rectangles of all words in a figure that are not empty."""
    figure.canvas.draw()
    renderer = figure.canvas.get_renderer()
    shown = [text for text in axes.texts if text.get_text() and text.get_visible()]
    return [text.get_window_extent(renderer).shrunk(0.9, 0.9) for text in shown]


@pytest.mark.parametrize("size", [2, 3, 5, 8, 12, 16])
def test_labels_of_a_graph_do_not_overlap(size: int) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = model_figure(ring(size), laws(size))
    FigureCanvasAgg(figure)
    for axes in figure.axes:
        rectangles = boxes(figure, axes)
        assert len(rectangles) >= size
        for number, one in enumerate(rectangles):
            assert not any(one.overlaps(other) for other in rectangles[number + 1 :])


def test_names_too_long_for_a_circle_become_numbers() -> None:
    names = ["healthy", "infectious, not yet ill", "recovered"]
    graph, table = model_figure(ring(3, names), laws(3)).axes
    assert [text.get_text() for text in graph.texts if text.get_text() in "012"] == ["0", "1", "2"]
    rows = [label.get_text() for label in table.get_yticklabels()]
    assert rows[0] == "0  healthy"
    assert rows[1].startswith("1  infectious")
    short = model_figure(ring(3, ["a", "b", "c"]), laws(3)).axes[0]
    assert {"a", "b", "c"} <= {text.get_text() for text in short.texts}


def test_path_shares_are_those_of_all_paths() -> None:
    """Against the sum over all paths of three states, four steps."""
    from itertools import product

    model, law, codes = ring(3), np.array([0.5, 0.25, 0.25]), [0, 1, 1, 0]
    weights = {}
    for path in product(range(3), repeat=4):
        weight = law[path[0]] * model.emission[path[0], codes[0]]
        for t in range(1, 4):
            weight *= model.transition[path[t - 1], path[t]] * model.emission[path[t], codes[t]]
        weights[path] = weight
    total = sum(weights.values())
    states, moves = path_shares(model, law, codes)
    for t in range(4):
        for s in range(3):
            share = sum(w for path, w in weights.items() if path[t] == s) / total
            assert states[t][s] == pytest.approx(share)
            for u in range(3) if t < 3 else ():
                both = sum(w for p, w in weights.items() if (p[t], p[t + 1]) == (s, u)) / total
                assert moves[t][s, u] == pytest.approx(both)


def test_an_impossible_word_says_so() -> None:
    model = HiddenMarkovModel([[1, 0], [0, 1]], [[1, 0], [0, 1]])
    known = {"a": (Fraction(1), Fraction(0)), "b": (Fraction(0), Fraction(1))}
    figure = trellis_figure(model, WordPicture((0, 0), known, "x"))
    assert [len(axes.texts) for axes in figure.axes] == [0, 1, 1]
    assert figure.axes[1].texts[0].get_text() == "impossible"
    assert figure.axes[2].texts[0].get_text() == "infinite"


def test_long_words_are_drawn_as_far_as_they_fit() -> None:
    figure = trellis_figure(ring(16), word(16, 100))
    assert figure.axes[2].get_xlabel() == "its first 24 symbols"
    assert len(figure.axes[2].get_xticks()) == 24


def test_the_ratios_of_a_trellis_end_at_the_ratio_of_the_word() -> None:
    model, known = ring(3), laws(3)
    ratio, witness = verify.worst_ratio(model, known["first"], known["second"], 6)
    axes = trellis_figure(model, WordPicture(tuple(witness), known, "x")).axes[2]
    assert axes.lines[0].get_ydata()[-1] == pytest.approx(float(ratio))  # type: ignore[index]  # an array


def test_the_curve_shows_brackets_and_where_it_is_infinite() -> None:
    brackets = (Bracket(HALF, HALF), Bracket(Fraction(1), Fraction(2)), Bracket(math.inf, math.inf))
    figure = ratio_figure([RatioCurve("a against b", (1, 2, 3), brackets)], claimed=1.5)
    (axes,) = figure.axes
    legend = axes.get_legend()
    assert legend is not None
    assert legend.get_texts()[0].get_text() == "a against b (infinite from 3)"
    assert "claimed: 1.5" in [text.get_text() for text in axes.texts]
    assert axes.lines[0].get_xdata().tolist() == [1, 2]  # type: ignore[union-attr]  # an array
    assert axes.lines[1].get_ydata().tolist() == [1.0, 2.0]  # type: ignore[union-attr]  # an array
    endless = ratio_figure([RatioCurve("x", (1,), brackets[2:])], claimed=None)
    assert "infinite from 1" in str(endless.axes[0].get_legend().get_texts()[0])  # type: ignore[union-attr]  # there is one


def test_the_profile_is_what_is_computed() -> None:
    rows = [["2/3", "1/3"], ["1/3", "2/3"]]
    profile = verify.privacy_profile(rows, epsilons=[0, "0.5", 1])
    (axes,) = profile_figure(profile, claimed=(0.5, 0.1)).axes
    assert axes.lines[0].get_ydata().tolist() == [float(delta) for delta in profile.deltas]  # type: ignore[union-attr]  # an array
    assert axes.texts[1].get_text() == "claimed"
