"""Plots as SVG: the error a release would have, before it is made.

Contract. Plots show public numbers only: what follows from an alphabet, a length and a guarantee.
The same numbers give the same bytes. A file is written whole or not at all. matplotlib is an extra
and is imported when a plot is drawn, without touching its global state.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from privet.errors import MissingExtraError
from privet.releasing import Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, told apart by people with any colour vision; the dashes say it again.
_STYLES: list[tuple[str, Any]] = [
    ("#0072B2", "-"),
    ("#56B4E9", (0, (6, 2))),
    ("#009E73", "-"),
    ("#D55E00", "-"),
    ("#999999", (0, (2, 2))),
    ("#E69F00", (0, (2, 2))),
]
_SMALLEST_SHARE = 1e-5
"""The lowest share of wrong symbols that is drawn; curves run out of the picture there."""

_SAME_TO_THE_EYE = 0.01
_MARGIN = 1.5

_SETTINGS: Any = {
    "svg.hashsalt": "privet",
    "svg.fonttype": "path",
    "font.family": ["DejaVu Sans"],
    "font.size": 10.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def require_matplotlib() -> None:
    """Errors: MissingExtraError with the line that installs it."""
    try:
        import matplotlib as _  # noqa: F401  # only whether it is there
    except ImportError:
        raise MissingExtraError(
            "Plots need matplotlib, which is not installed.",
            hint="Install it with: pip install 'privet[plots]'",
        ) from None


def write_error_plot(
    path: Path,
    curves: Sequence[Curve],
    *,
    marked: Sequence[float],
    alphabet_size: int,
    length: int,
    adjacency: int,
    overwrite: bool = True,
) -> None:
    """Draw the share of wrong symbols against epsilon, a line a mechanism, into an SVG file.

    `marked`: epsilons that get a vertical line; `overwrite`: whether a file there may be replaced.
    Errors: MissingExtraError, OutputError.
    """
    require_matplotlib()
    import matplotlib

    from privet.data import write_whole

    def write(file: BinaryIO) -> None:
        with matplotlib.rc_context(_SETTINGS):
            figure = error_figure(
                curves,
                marked=marked,
                alphabet_size=alphabet_size,
                length=length,
                adjacency=adjacency,
            )
            figure.savefig(file, format="svg", metadata={"Date": None, "Title": "Privet: plan"})

    write_whole(path, write, overwrite=overwrite)


def write_table_plot(
    path: Path, curves: Sequence[Curve], *, marked: Sequence[float], overwrite: bool = True
) -> None:
    """Draw the share of wrong values of every column of a table against epsilon into an SVG file.

    `curves`: one a column, by its name; `marked`, `overwrite` and errors as of `write_error_plot`.
    """
    require_matplotlib()
    import matplotlib

    from privet.data import write_whole

    def write(file: BinaryIO) -> None:
        with matplotlib.rc_context(_SETTINGS):
            figure = table_figure(curves, marked=marked)
            figure.savefig(file, format="svg", metadata={"Date": None, "Title": "Privet: plan"})

    write_whole(path, write, overwrite=overwrite)


def table_figure(curves: Sequence[Curve], *, marked: Sequence[float]) -> "Figure":
    """The figure of `write_table_plot` itself, not tied to any window."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.8), layout="constrained")
    axes = figure.add_subplot()
    _draw_lines(axes, curves, marked)
    _mark(axes, marked)
    columns = "1 column" if len(curves) == 1 else f"{len(curves)} columns"
    _label(axes, f"A table of {columns}", "epsilon guaranteed (smaller is more private)")
    axes.set_ylabel("expected share of wrong values")
    return figure


def error_figure(
    curves: Sequence[Curve],
    *,
    marked: Sequence[float],
    alphabet_size: int,
    length: int,
    adjacency: int,
) -> "Figure":
    """The figure itself, not tied to any window."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.8), layout="constrained")
    axes = figure.add_subplot()
    blind = (alphabet_size - 1) / alphabet_size
    _draw_lines(axes, curves, marked)
    axes.axhline(blind, color="0.75", linewidth=1, zorder=0)
    axes.annotate(
        "blind guessing",
        (1.0, blind),
        xycoords=("axes fraction", "data"),
        xytext=(0, 3),
        textcoords="offset points",
        ha="right",
        color="0.45",
        fontsize=8,
    )
    _mark(axes, marked)
    symbols = "1 symbol" if length == 1 else f"{length} symbols"
    protected = "" if length == 1 else f", any {adjacency} of them protected"
    if adjacency == length > 1:
        protected = ", the whole word protected"
    title = f"Words of {symbols} over {alphabet_size}{protected}"
    _label(axes, title, "epsilon guaranteed (smaller is more private)")
    return figure


def _mark(axes: "Axes", epsilons: Sequence[float]) -> None:
    for epsilon in epsilons:
        axes.axvline(epsilon, color="0.55", linewidth=1, linestyle=(0, (1, 2)), zorder=0)


def _draw_lines(axes: "Axes", curves: Sequence[Curve], marked: Sequence[float]) -> None:
    lines = _grouped(curves)
    for number, (label, curve) in enumerate(lines):
        color, dashes = _STYLES[number % len(_STYLES)]
        points = [
            (epsilon, share)
            for epsilon, share in zip(curve.epsilons, curve.shares_wrong, strict=True)
            if share >= _SMALLEST_SHARE
        ]
        xs, ys = [epsilon for epsilon, _ in points], [share for _, share in points]
        asked = [place for place, epsilon in enumerate(xs) if epsilon in set(marked)]
        axes.plot(
            xs,
            ys,
            color=color,
            linestyle=dashes,
            # Earlier lines lie broad below later ones, so that one on top of another is seen.
            linewidth=1.6 + 0.9 * (len(lines) - 1 - number),
            marker="o",
            markevery=asked,
            label=label,
        )
    axes.set_xscale("log")
    axes.set_yscale("log")
    shown = [y for _, curve in lines for y in curve.shares_wrong if y >= _SMALLEST_SHARE]
    axes.set_ylim(min(shown, default=_SMALLEST_SHARE) / _MARGIN, 1.3)
    epsilons = [epsilon for curve in curves for epsilon in curve.epsilons]
    axes.set_xlim(min(epsilons), max(epsilons))
    axes.legend(loc="lower left", frameon=False, fontsize=9)


def _grouped(curves: Sequence[Curve]) -> list[tuple[str, Curve]]:
    """(names, curve): curves that no eye could tell apart are one line with all their names."""
    groups: list[tuple[list[str], Curve]] = []
    for curve in curves:
        for titles, first in groups:
            if all(
                math.isclose(a, b, rel_tol=_SAME_TO_THE_EYE, abs_tol=_SMALLEST_SHARE)
                for a, b in zip(first.shares_wrong, curve.shares_wrong, strict=True)
            ):
                titles.append(curve.title)
                break
        else:
            groups.append(([curve.title], curve))
    return [("\n= ".join(titles), curve) for titles, curve in groups]


def _label(axes: "Axes", title: str, across: str) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_title(title, loc="left", fontweight="bold")
    axes.set_xlabel(across)
    axes.set_ylabel("expected share of wrong symbols")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.4g} %"))
    axes.grid(visible=True, which="major", color="0.92", linewidth=0.8)
    axes.set_axisbelow(True)
