"""Pictures of a verification: the model as a graph, the worst ratio by length, a word as a trellis.

Contract. As `privet.reports.plots`: public numbers only, the same numbers give the same bytes, a
file is written whole or not at all, and matplotlib is imported when a picture is drawn. The ending
.png of a path asks for PNG, any other for SVG. Labels are left out where they would cover each
other; how dark a line is says the probability then.
"""

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from privet.chains import HiddenMarkovModel
from privet.reports.model_plots import INK, OTHER_INK, model_figure, short
from privet.reports.plots import _SETTINGS, _STYLES, require_matplotlib
from privet.verify.finite import PrivacyProfile
from privet.verify.outcome import Bracket
from privet.verify.problem import Law

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "RatioCurve",
    "WordPicture",
    "model_figure",
    "path_shares",
    "profile_figure",
    "ratio_figure",
    "trellis_figure",
    "write_picture",
]

FloatArray = NDArray[np.float64]

_MOST_STEPS = 24
_LETTERS_AN_INCH = 9
_LEAST_SHARE = 0.004
"""Smaller shares of the probability are not drawn."""


@dataclass(frozen=True)
class RatioCurve:
    """`brackets[i]`: the worst ratio, one law over another, of words of `lengths[i]` symbols."""

    title: str
    lengths: tuple[int, ...]
    brackets: tuple[Bracket, ...]


@dataclass(frozen=True)
class WordPicture:
    """A word, and the two laws of the first state under which it is compared."""

    word: tuple[object, ...]
    laws: Mapping[str, Law]
    title: str


def write_picture(path: Path, make: "Callable[[], Figure]", *, title: str) -> None:
    """Draw a figure into an SVG or PNG file. Errors: MissingExtraError, OutputError."""
    require_matplotlib()
    import matplotlib

    from privet.whole_files import write_whole

    def write(file: BinaryIO) -> None:
        with matplotlib.rc_context(_SETTINGS):
            figure = make()
            if path.suffix.lower() == ".png":
                figure.savefig(file, format="png", dpi=130, metadata={"Software": None})
            else:
                figure.savefig(file, format="svg", metadata={"Date": None, "Title": title})

    write_whole(path, write)


# ------------------------------------------------------------------------------ ratio by length


def ratio_figure(
    curves: Sequence[RatioCurve], *, claimed: float | None, pairs: int | None = None
) -> "Figure":
    """The worst ratio of each pair of laws against the number of symbols, and the claim.

    `pairs`: how many there are, if these curves are those of a few that tell most.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(8.0, 4.8), layout="constrained")
    axes = figure.add_subplot()
    for number, curve in enumerate(curves):
        _draw_curve(axes, curve, number, len(curves))
    if claimed is not None:
        axes.axhline(claimed, color="0.3", linewidth=1, linestyle=(0, (1, 2)), zorder=0)
        axes.annotate(
            f"claimed: {claimed:.4g}",
            (1.0, claimed),
            xycoords=("axes fraction", "data"),
            xytext=(0, 3),
            textcoords="offset points",
            ha="right",
            color="0.3",
            fontsize=9,
        )
    few = "" if pairs is None or pairs <= len(curves) else f" ({len(curves)} of {pairs} pairs)"
    title = f"The word that tells most, by its length{few}"
    axes.set_title(title, loc="left", fontweight="bold")
    axes.set_xlabel("symbols of a word")
    axes.set_ylabel("largest ratio of its probabilities")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _scale_of_ratios(axes, curves)
    axes.grid(visible=True, which="major", color="0.92", linewidth=0.8)
    axes.set_axisbelow(True)
    if curves:
        axes.legend(loc="best", frameon=False, fontsize=9)
    return figure


def _draw_curve(axes: "Axes", curve: RatioCurve, number: int, count: int) -> None:
    color, dashes = _STYLES[number % len(_STYLES)]
    points = [
        (length, float(bracket.low), float(bracket.high))
        for length, bracket in zip(curve.lengths, curve.brackets, strict=True)
        if math.isfinite(bracket.low)
    ]
    endless = len(curve.lengths) - len(points)
    title = (
        f"{curve.title} (infinite from {curve.lengths[len(points)]})" if endless else curve.title
    )
    axes.plot(
        [length for length, _, _ in points],
        [low for _, low, _ in points],
        color=color,
        linestyle=dashes,
        linewidth=1.6 + 0.9 * (count - 1 - number),
        marker="o" if len(points) <= 30 else None,
        markersize=4,
        label=title,
    )
    for length, low, high in points:
        if high > low and math.isfinite(high):
            axes.plot([length, length], [low, high], color=color, linewidth=3, alpha=0.35)


def _scale_of_ratios(axes: "Axes", curves: Sequence[RatioCurve]) -> None:
    """Logarithmic where ratios differ by more than a factor 20."""
    finite = [
        float(bracket.low)
        for curve in curves
        for bracket in curve.brackets
        if math.isfinite(bracket.low) and bracket.low > 0
    ]
    if finite and max(finite) > 20 * min(finite):
        from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axes.yaxis.set_minor_formatter(NullFormatter())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


# --------------------------------------------------------------------------- delta by epsilon


def profile_figure(
    profile: PrivacyProfile, *, claimed: "tuple[float, float] | None" = None
) -> "Figure":
    """The smallest delta against epsilon; `claimed`: a point (epsilon, delta)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.8), layout="constrained")
    axes = figure.add_subplot()
    epsilons = [float(epsilon) for epsilon in profile.epsilons]
    axes.plot(epsilons, [float(delta) for delta in profile.deltas], color=INK, linewidth=2)
    axes.fill_between(epsilons, [float(d) for d in profile.deltas], color=INK, alpha=0.08)
    axes.text(0.03, 0.05, "not private", transform=axes.transAxes, color=INK, fontsize=9)
    if claimed is not None:
        axes.plot(*claimed, marker="o", color=OTHER_INK, clip_on=False, linestyle="none")
        axes.annotate(
            "claimed",
            claimed,
            xytext=(6, 7),
            textcoords="offset points",
            color=OTHER_INK,
            fontsize=9,
        )
    axes.set_title("What the mechanism guarantees", loc="left", fontweight="bold")
    axes.set_xlabel("epsilon")
    axes.set_ylabel("smallest delta")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.grid(visible=True, which="major", color="0.92", linewidth=0.8)
    axes.set_axisbelow(True)
    return figure


# ---------------------------------------------------------------------------- a word as a trellis


def trellis_figure(model: HiddenMarkovModel, picture: WordPicture) -> "Figure":
    """How the word comes about under either law, and how its ratio grows.

    A disc is the share of a state among the ways to read the whole word, a line the share of a
    move; so what is dark is how the word is most likely made. Words of more than 24 symbols are
    drawn up to there.
    """
    from matplotlib.figure import Figure

    codes = [model.observations.index(symbol) for symbol in picture.word]
    shown = min(len(codes), _MOST_STEPS)
    size = len(model.states)
    height = min(1.2 + 0.36 * size, 1.9 + 0.2 * size)
    width = max(6.5, 1.9 + 0.46 * shown)
    figure = Figure(figsize=(width, 2 * height + 1.9), layout="constrained")
    panels = figure.subplots(3, 1, sharex=True, height_ratios=(height, height, 1.9))
    for number, (name, law) in enumerate(picture.laws.items()):
        first = np.array([float(share) for share in law])
        _draw_trellis(panels[number], model, first, codes, shown, _ink(number))
        panels[number].set_title(f"under {name!s}", loc="left", fontsize=10)
    ratios = _ratios(model, list(picture.laws.values()), codes)[:shown]
    _draw_ratios(panels[2], ratios)
    names = [short(symbol) for symbol in picture.word[:shown]]
    tilt = max(map(len, names)) > 4
    panels[2].set_xticks(
        range(shown),
        names,
        rotation=50 if tilt else 0,
        ha="right" if tilt else "center",
        rotation_mode="anchor",
    )
    panels[2].set_xlabel("the word" if shown == len(codes) else f"its first {shown} symbols")
    title = textwrap.fill(picture.title, round(_LETTERS_AN_INCH * width))
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold", fontsize=11)
    return figure


def _ink(number: int) -> str:
    return (INK, OTHER_INK)[number % 2]


def _draw_trellis(
    axes: "Axes",
    model: HiddenMarkovModel,
    law: FloatArray,
    codes: Sequence[int],
    shown: int,
    color: str,
) -> None:
    states, moves = path_shares(model, law, codes)
    size = len(model.states)
    for step in range(shown - 1):
        for i, j in _likely(moves[step]):
            share = float(moves[step][i, j])
            axes.plot(
                [step, step + 1],
                [i, j],
                color=color,
                linewidth=0.5 + 3.5 * share,
                alpha=min(1.0, 0.12 + share),
                solid_capstyle="round",
                zorder=1,
            )
    steps, rows = np.meshgrid(np.arange(shown), np.arange(size), indexing="ij")
    shares = np.asarray(states[:shown])
    present = shares.ravel() >= _LEAST_SHARE
    axes.scatter(
        steps.ravel()[~present],
        rows.ravel()[~present],
        s=10,
        color="white",
        edgecolors="0.8",
        linewidths=0.8,
        zorder=2,
    )
    axes.scatter(
        steps.ravel()[present],
        rows.ravel()[present],
        s=12 + 130 * shares.ravel()[present],
        color=color,
        edgecolors="white",
        linewidths=0.6,
        zorder=3,
    )
    axes.set_yticks(range(size), [short(state) for state in model.states], fontsize=8)
    axes.set_ylim(size - 0.4, -0.6)
    axes.set_xlim(-0.6, shown - 0.4)
    axes.tick_params(length=0, labelbottom=False)
    axes.spines["bottom"].set_visible(False)
    if not shares.any():
        axes.text(0.5, 0.5, "impossible", transform=axes.transAxes, ha="center", color="0.4")


def _likely(moves: FloatArray) -> list[tuple[int, int]]:
    """The moves of a step that are drawn: enough to see where most of the probability goes."""
    most = 4 * len(moves)
    least = max(_LEAST_SHARE, float(np.sort(moves, axis=None)[-most:][0]))
    return [(int(i), int(j)) for i, j in np.argwhere(moves >= least)]


def path_shares(
    model: HiddenMarkovModel, law: FloatArray, codes: Sequence[int]
) -> tuple[list[FloatArray], list[FloatArray]]:
    """(step, state) and (step, state, next state): shares among the ways to read the whole word.

    In doubles, scaled at every step, for a picture only [rabiner-1989]. Zeros for an impossible
    word.
    """
    size = len(law)
    forward = [_scaled(law * model.emission[:, codes[0]])]
    for code in codes[1:]:
        forward.append(_scaled((forward[-1] @ model.transition) * model.emission[:, code]))
    backward = [np.ones(size)]
    for code in reversed(codes[1:]):
        backward.append(_scaled(model.transition @ (model.emission[:, code] * backward[-1])))
    backward.reverse()
    states = [_scaled(a * b) for a, b in zip(forward, backward, strict=True)]
    moves = [
        _scaled(
            forward[t][:, None] * model.transition * (model.emission[:, code] * backward[t + 1])
        )
        for t, code in enumerate(codes[1:])
    ]
    return states, moves


def _scaled(weights: FloatArray) -> FloatArray:
    total = float(weights.sum())
    return np.asarray(weights / total if total > 0 else np.zeros_like(weights))


def _ratios(model: HiddenMarkovModel, laws: Sequence[Law], codes: Sequence[int]) -> list[float]:
    """Of every beginning of the word: its probability under the first law over the second's."""
    fronts = [np.array([float(share) for share in law]) for law in laws]
    ratios = []
    for step, code in enumerate(codes):
        if step:
            fronts = [front @ model.transition for front in fronts]
        fronts = [front * model.emission[:, code] for front in fronts]
        over, under = (float(front.sum()) for front in fronts)
        ratios.append(over / under if under > 0 else math.inf)
        scale = max(over, under) or 1.0
        fronts = [front / scale for front in fronts]
    return ratios


def _draw_ratios(axes: "Axes", ratios: Sequence[float]) -> None:
    finite = [ratio if math.isfinite(ratio) else math.nan for ratio in ratios]
    axes.step(range(len(ratios)), finite, where="mid", color="0.25", linewidth=1.4)
    # A line of one point, or of points beside infinite ones, is not seen.
    axes.plot(range(len(ratios)), finite, "o", color="0.25", markersize=3)
    axes.set_ylabel("ratio so far", fontsize=9)
    axes.grid(visible=True, axis="y", color="0.92", linewidth=0.8)
    axes.tick_params(labelsize=8)
    axes.margins(y=0.15)
    beyond = next((step for step, ratio in enumerate(ratios) if math.isinf(ratio)), None)
    if beyond is not None:
        axes.text(0.99, 0.5, "infinite", transform=axes.transAxes, ha="right", color="0.3")
