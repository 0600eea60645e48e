"""Plots for queries about series: the noise of each mechanism, and how far influence reaches.

Contract. As in `privet.reports.plots`: public numbers only, the same bytes for the same numbers, a
file written whole or not at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from privet.releasing import ScaleCurve
from privet.reports.plots import _SETTINGS, _STYLES, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SAME_TO_THE_EYE = 0.01
_LEAST = 1e-6
"""The lowest influence that is drawn."""

_FEW_STATES = 16
"""Beyond them the two sides are not drawn by themselves."""


class Influenced(Protocol):
    """A framework that knows the max-influence of quilts."""

    def max_influence(self, length: int, node: int, quilt: Sequence[int]) -> float:
        """An upper bound of the log-ratio of the quilt's laws given two states of the node."""


@dataclass(frozen=True)
class InfluenceCurve:
    """What the nodes at each distance tell of one in the middle: before it, after it, and both.

    `left` and `right` are empty where only both were asked about.
    """

    distances: tuple[int, ...]
    left: tuple[float, ...]
    right: tuple[float, ...]
    both: tuple[float, ...]


def influence_curve(framework: Any, length: int, farthest: int) -> InfluenceCurve:
    """Max-influence of the quilts at distance d = 1, 2, ... from the middle of a series."""
    chains: Influenced = framework
    middle = length // 2
    reach = min(farthest, middle, length - 1 - middle)
    is_small = len(framework.alphabet) <= _FEW_STATES
    distances, left, right, both = [], [], [], []
    for distance in _spaced(reach):
        before, after = middle - distance, middle + distance
        distances.append(distance)
        both.append(chains.max_influence(length, middle, [before, after]))
        if is_small:
            left.append(chains.max_influence(length, middle, [before]))
            right.append(chains.max_influence(length, middle, [after]))
        if both[-1] < _LEAST:
            break
    return InfluenceCurve(tuple(distances), tuple(left), tuple(right), tuple(both))


def _spaced(reach: int) -> list[int]:
    """Distances that grow by a fifth: each is an exact computation, long for many states."""
    chosen, distance = [], 1
    while distance <= reach:
        chosen.append(distance)
        distance += max(1, distance // 5)
    return chosen


def write_query_plot(
    path: Path,
    curves: Sequence[ScaleCurve],
    influence: InfluenceCurve,
    *,
    marked: Sequence[float],
    title: str,
) -> None:
    """Draw both pictures into one SVG file. Errors: MissingExtraError, OutputError."""
    require_matplotlib()
    import matplotlib

    from privet.data import write_whole

    def write(file: BinaryIO) -> None:
        with matplotlib.rc_context(_SETTINGS):
            figure = query_figure(curves, influence, marked=marked, title=title)
            figure.savefig(file, format="svg", metadata={"Date": None, "Title": "Privet: plan"})

    write_whole(path, write)


def query_figure(
    curves: Sequence[ScaleCurve],
    influence: InfluenceCurve,
    *,
    marked: Sequence[float],
    title: str,
) -> "Figure":
    """The figure itself, not tied to any window: noise on the left, influence on the right."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 4.8), layout="constrained")
    noise, reach = figure.subplots(1, 2)
    _draw_noise(noise, curves, marked)
    _draw_influence(reach, influence)
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    return figure


def _draw_noise(axes: "Axes", curves: Sequence[ScaleCurve], marked: Sequence[float]) -> None:
    lines = _grouped(curves)
    for number, (label, curve) in enumerate(lines):
        color, dashes = _STYLES[number % len(_STYLES)]
        points = [
            (epsilon, scale)
            for epsilon, scale in zip(curve.epsilons, curve.scales, strict=True)
            if scale is not None and scale > 0
        ]
        axes.plot(
            [epsilon for epsilon, _ in points],
            [scale for _, scale in points],
            color=color,
            linestyle=dashes,
            # Earlier lines lie broad below later ones, so that one on top of another is seen.
            linewidth=1.6 + 0.9 * (len(lines) - 1 - number),
            marker="o",
            markevery=[place for place, (epsilon, _) in enumerate(points) if epsilon in marked],
            label=label,
        )
    for epsilon in marked:
        axes.axvline(epsilon, color="0.55", linewidth=1, linestyle=(0, (1, 2)), zorder=0)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("epsilon guaranteed (smaller is more private)")
    axes.set_ylabel("scale of the noise on each number")
    _plain_ticks(axes, both=True)
    if lines:
        axes.legend(loc="best", frameon=False, fontsize=9)


def _draw_influence(axes: "Axes", influence: InfluenceCurve) -> None:
    import math

    sides = {
        "both sides": influence.both,
        "the step before": influence.left,
        "the step after": influence.right,
    }
    drawn = False
    for (label, values), (color, dashes) in zip(sides.items(), _STYLES, strict=False):
        points = [
            (distance, value)
            for distance, value in zip(influence.distances, values, strict=bool(values))
            if math.isfinite(value) and value >= _LEAST
        ]
        if points:
            drawn = True
            axes.plot(
                [distance for distance, _ in points],
                [value for _, value in points],
                color=color,
                linestyle=dashes,
                label=label,
            )
    axes.set_xlabel("distance in steps")
    axes.set_ylabel("max-influence on the step in the middle")
    if not drawn:
        axes.text(0.5, 0.5, "infinite, or none, at every distance", ha="center", color="0.45")
        return
    axes.set_yscale("log")
    _plain_ticks(axes, both=False)
    axes.legend(loc="best", frameon=False, fontsize=9)


def _plain_ticks(axes: "Axes", *, both: bool) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for axis in (axes.xaxis, axes.yaxis) if both else (axes.yaxis,):
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if both else (1.0,)))
        axis.set_minor_formatter(NullFormatter())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.grid(visible=True, which="major", color="0.92", linewidth=0.8)
    axes.set_axisbelow(True)


def _grouped(curves: Sequence[ScaleCurve]) -> list[tuple[str, ScaleCurve]]:
    """(names, curve): curves that no eye could tell apart are one line with all their names."""
    groups: list[tuple[list[str], ScaleCurve]] = []
    for curve in curves:
        for titles, first in groups:
            if all(map(_alike, first.scales, curve.scales)):
                titles.append(curve.title)
                break
        else:
            groups.append(([curve.title], curve))
    return [("\n= ".join(titles), curve) for titles, curve in groups]


def _alike(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= _SAME_TO_THE_EYE * max(one, other)
