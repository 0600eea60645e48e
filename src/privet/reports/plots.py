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
) -> None:
    """Draw the share of wrong symbols against epsilon, a line a mechanism, into an SVG file.

    `marked`: epsilons that get a vertical line. Errors: MissingExtraError, OutputError.
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

    write_whole(path, write)


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
    _draw_lines(axes, curves)
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
    for epsilon in marked:
        axes.axvline(epsilon, color="0.55", linewidth=1, linestyle=(0, (1, 2)), zorder=0)
    _label(axes, alphabet_size, length, adjacency)
    return figure


def _draw_lines(axes: "Axes", curves: Sequence[Curve]) -> None:
    lowest = 1.0
    for number, curve in enumerate(curves):
        color, dashes = _STYLES[number % len(_STYLES)]
        points = [
            (epsilon, share)
            for epsilon, share in zip(curve.epsilons, curve.shares_wrong, strict=True)
            if share > 0
        ]
        axes.plot(
            [epsilon for epsilon, _ in points],
            [share for _, share in points],
            color=color,
            linestyle=dashes,
            # The first curve lies broad below the others, so that one on top of it is seen.
            linewidth=4 if number == 0 else 1.8,
            label=curve.title,
        )
        lowest = min([lowest, *(share for _, share in points)])
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(max(10 ** math.floor(math.log10(lowest)), _SMALLEST_SHARE), 1.3)
    axes.legend(loc="lower left", frameon=False, fontsize=9)


def _label(axes: "Axes", alphabet_size: int, length: int, adjacency: int) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    symbols = "1 symbol" if length == 1 else f"{length} symbols"
    protected = "" if length == 1 else f", any {adjacency} of them protected"
    axes.set_title(
        f"Words of {symbols} over {alphabet_size}{protected}", loc="left", fontweight="bold"
    )
    axes.set_xlabel("epsilon guaranteed (smaller is more private)")
    axes.set_ylabel("expected share of wrong symbols")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.4g} %"))
    axes.grid(visible=True, which="major", color="0.92", linewidth=0.8)
    axes.set_axisbelow(True)
