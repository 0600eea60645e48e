"""The picture of a hidden Markov model: its moves as a graph, the rest as shaded tables.

Contract. As `privet.reports.verify_plots`: public numbers only, and labels are left out where they
would cover each other; how dark a line is says the probability then.
"""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.chains import HiddenMarkovModel
from privet.verify.problem import Law

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_EDGE_LABELS = 18
_MOST_CELL_LABELS = 130
_LONGEST_NAME = 20

INK = "#0072B2"
OTHER_INK = "#D55E00"
"""Of what is seen, or the first law; of the laws, or the second."""


def model_figure(model: HiddenMarkovModel, laws: Mapping[str, Law]) -> "Figure":
    """States in a circle with their moves; what is seen in each, and the laws, as shaded tables."""
    from matplotlib.figure import Figure

    size, seen, known = len(model.states), len(model.observations), len(laws)
    cells = 0.55 if size * (seen + known) <= _MOST_CELL_LABELS else 0.42
    width = cells * (seen + known) + 2.4
    graph = 4.6 if size <= 4 else 5.2 if size <= 8 else 6.4
    figure = Figure(figsize=(graph + max(width, 3.4), graph), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(graph, max(width, 3.4)))
    _draw_graph(left, model)
    _draw_tables(right, model, laws)
    figure.suptitle("Hidden Markov model", x=0.01, ha="left", fontweight="bold")
    return figure


def _draw_graph(axes: "Axes", model: HiddenMarkovModel) -> None:
    size = len(model.states)
    names = _names_in_circles(model)
    angles = [math.pi / 2 - 2 * math.pi * i / size for i in range(size)]
    places = [(math.cos(angle), math.sin(angle)) for angle in angles]
    radius = min(0.2, 0.62 * math.sin(math.pi / size)) if size > 1 else 0.25
    moves = model.transition
    edges = [(i, j) for i in range(size) for j in range(size) if moves[i, j] > 0]
    labelled = sum(i != j for i, j in edges) <= _MOST_EDGE_LABELS
    # The likeliest move is drawn full, so that those of a model that mostly stays are seen.
    largest = max((float(moves[i, j]) for i, j in edges if i != j), default=1.0)
    for i, j in edges:
        share = float(moves[i, j])
        if i == j:
            _draw_loop(axes, places[i], angles[i], radius, share, labelled)
        else:
            shade = (0.3 + 0.7 * share if labelled else 0.5 * share) / largest
            _draw_move(axes, (places[i], places[j]), radius, share, (min(1.0, shade), labelled))
    for (x, y), name in zip(places, names, strict=True):
        axes.add_patch(_circle((x, y), radius))
        axes.text(
            x, y, name, ha="center", va="center", zorder=4, fontsize=8 if len(name) > 6 else 9
        )
    axes.set_aspect("equal")
    reach = 1 + 3.2 * radius + (0.14 if size <= 8 else 0.02)
    axes.set_xlim(-reach, reach)
    axes.set_ylim(-reach, reach)
    axes.set_axis_off()
    note = "moves" if labelled else "moves: the darker, the likelier"
    axes.set_title(note, fontsize=9, color="0.35")


def _names_in_circles(model: HiddenMarkovModel) -> list[str]:
    """The names of the states, or their numbers where a name would not fit."""
    names = [str(state) for state in model.states]
    most = 8 if len(names) <= 8 else 3
    return names if max(map(len, names)) <= most else [str(i) for i in range(len(names))]


def _names_of_rows(model: HiddenMarkovModel) -> list[str]:
    """The names of the states, after the numbers that stand for them in the graph, if they do."""
    names = [str(state) for state in model.states]
    if _names_in_circles(model) == names:
        return names
    return [f"{i}  {short(name)}" for i, name in enumerate(names)]


def _circle(place: tuple[float, float], radius: float) -> Any:
    from matplotlib.patches import Circle

    return Circle(place, radius, facecolor="white", edgecolor="0.2", linewidth=1.2, zorder=3)


def _draw_move(
    axes: "Axes",
    ends: tuple[tuple[float, float], tuple[float, float]],
    radius: float,
    share: float,
    look: tuple[float, bool],
) -> None:
    """A bent arrow, so that those of both directions lie side by side; `look`: opacity, label."""
    from matplotlib.patches import FancyArrowPatch

    bend, (shade, labelled) = 0.16, look
    (x, y), (u, v) = ends
    length = math.hypot(u - x, v - y)
    # The arrow ends on the circles: they are cut off along the bent line's own directions.
    along, across = ((u - x) / length, (v - y) / length), ((v - y) / length, -(u - x) / length)
    start = (x + radius * (along[0] + bend * across[0]), y + radius * (along[1] + bend * across[1]))
    end = (u - radius * (along[0] - bend * across[0]), v - radius * (along[1] - bend * across[1]))
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            connectionstyle=f"arc3,rad={bend}",
            arrowstyle="-|>",
            mutation_scale=11 if labelled else 8,
            linewidth=0.9 + 2.0 * share,
            color=INK,
            alpha=max(0.05, shade),
            zorder=2,
            shrinkA=0,
            shrinkB=0,
        )
    )
    if labelled:
        middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        off = bend * math.hypot(end[0] - start[0], end[1] - start[1]) / 2
        _label(axes, (middle[0] + off * across[0], middle[1] + off * across[1]), share)


def _draw_loop(
    axes: "Axes",
    place: tuple[float, float],
    angle: float,
    radius: float,
    share: float,
    labelled: bool,
) -> None:
    """A circle on the outside of the state's own."""
    from matplotlib.patches import Circle

    away = (math.cos(angle), math.sin(angle))
    center = (place[0] + 1.55 * radius * away[0], place[1] + 1.55 * radius * away[1])
    axes.add_patch(
        Circle(
            center,
            0.8 * radius,
            fill=False,
            linewidth=0.7 + 2.2 * share,
            edgecolor=INK,
            alpha=0.15 + 0.85 * share,
            zorder=1,
        )
    )
    if labelled:
        far = 2.35 * radius
        _label(axes, (place[0] + far * away[0], place[1] + far * away[1]), share)


def _label(axes: "Axes", place: tuple[float, float], share: float) -> None:
    axes.text(
        *place,
        _number(share),
        ha="center",
        va="center",
        fontsize=8,
        color="0.15",
        zorder=5,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.9},
    )


def _draw_tables(axes: "Axes", model: HiddenMarkovModel, laws: Mapping[str, Law]) -> None:
    """Emissions, and the laws of the first state beside them; a row a state."""
    size, seen = len(model.states), len(model.observations)
    columns = [model.emission, *(np.array([[float(p)] for p in law]) for law in laws.values())]
    shares = np.concatenate(columns, axis=1)
    gap = 0.6
    lefts = [place + (gap if place >= seen else 0.0) for place in range(shares.shape[1])]
    labelled = shares.size <= _MOST_CELL_LABELS
    for i in range(size):
        for place, left in enumerate(lefts):
            _draw_cell(axes, (left, i), float(shares[i, place]), place < seen, labelled)
    names = [short(x) for x in model.observations] + [short(name) for name in laws]
    tilt = max(map(len, names)) > 4
    axes.set_xticks(
        [left + 0.5 for left in lefts],
        names,
        rotation=40 if tilt else 0,
        ha="left" if tilt else "center",
        rotation_mode="anchor",
    )
    axes.set_yticks([i + 0.5 for i in range(size)], _names_of_rows(model))
    axes.tick_params(
        length=0, labelsize=9, top=True, labeltop=True, bottom=False, labelbottom=False
    )
    axes.set_xlim(0, lefts[-1] + 1)
    axes.set_ylim(size, 0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_xlabel("seen in a state (blue), laws of the first state (orange)", fontsize=9)


def _draw_cell(
    axes: "Axes", corner: tuple[float, float], share: float, is_seen: bool, labelled: bool
) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(
        Rectangle(
            (corner[0] + 0.03, corner[1] + 0.03),
            0.94,
            0.94,
            facecolor=INK if is_seen else OTHER_INK,
            alpha=0.04 + 0.9 * share,
            linewidth=0,
        )
    )
    if labelled and share:
        axes.text(
            corner[0] + 0.5,
            corner[1] + 0.5,
            _number(share),
            ha="center",
            va="center",
            fontsize=7.5,
            color="white" if share > 0.55 else "0.1",
        )


def short(name: object) -> str:
    """A name cut to a length that fits beside an axis."""
    text = str(name)
    return (
        text
        if len(text) <= _LONGEST_NAME
        else f"{text[: _LONGEST_NAME - 1]}\N{HORIZONTAL ELLIPSIS}"
    )


def _number(share: float) -> str:
    text = f"{share:.2g}"
    return text.removeprefix("0") if text.startswith("0.") else text
