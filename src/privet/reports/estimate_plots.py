"""Plots of estimates: each category's share with its intervals, a panel for each estimate.

Contract. As in `privet.reports.plots`. What is drawn was estimated from a release, so it is as
public as that. Shares are shown as they were estimated: one may lie outside 0 to 100 %, where no
interval reaches.
"""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from privet.errors import ParameterError
from privet.reports.plots import _SETTINGS, _STYLES, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from privet.estimate.table import TableEstimate

LARGEST_PLOT = 150
"""Cells of the largest picture: at a quarter of an inch each it is more than a page of paper."""

_ROW_INCHES = 0.26
_PANEL_INCHES = 0.75
_LONGEST_LABEL = 40

_SINGLE, _TOGETHER = "one at a time", "all at once"


def check_cells(cells: int) -> None:
    """Errors: ParameterError for more cells than can be told apart."""
    if cells > LARGEST_PLOT:
        raise ParameterError(
            f"A plot of {cells:,} cells could not be read; the limit is {LARGEST_PLOT}.",
            hint="Name fewer columns with --column, or take the numbers from --json.",
            parameter="plot",
        )


def write_estimate_plot(
    path: Path, estimates: Sequence[tuple[str, "TableEstimate"]], *, overwrite: bool = True
) -> None:
    """Draw the shares of (title, estimate) pairs and their intervals into an SVG file.

    Errors: MissingExtraError, OutputError, ParameterError for more than `LARGEST_PLOT` cells.
    """
    check_cells(sum(one.shares.size for _, one in estimates))
    require_matplotlib()
    import matplotlib

    from privet.data import write_whole

    def write(file: BinaryIO) -> None:
        with matplotlib.rc_context(_SETTINGS):
            figure = estimate_figure(estimates)
            metadata = {"Date": None, "Title": "Privet: estimate"}
            figure.savefig(file, format="svg", metadata=metadata)

    write_whole(path, write, overwrite=overwrite)


def estimate_figure(estimates: Sequence[tuple[str, "TableEstimate"]]) -> "Figure":
    """The figure itself, not tied to any window."""
    from matplotlib.figure import Figure

    heights = [_PANEL_INCHES + _ROW_INCHES * one.shares.size for _, one in estimates]
    figure = Figure(figsize=(8.0, sum(heights)), layout="constrained")
    panels = figure.subplots(len(estimates), squeeze=False, gridspec_kw={"height_ratios": heights})
    for axes, (title, one) in zip(panels[:, 0], estimates, strict=True):
        _draw(axes, title, one)
    last = panels[-1, 0]
    confidence = f"{float(estimates[0][1].confidence):.4g}"
    last.set_xlabel(f"share, with intervals of confidence {confidence}")
    return figure


def _draw(axes: "Axes", title: str, found: "TableEstimate") -> None:
    from matplotlib.ticker import FuncFormatter

    rows = found.cell_numbers()
    cells = product(*(alphabet.symbols for alphabet in found.alphabets))
    places = range(len(rows))
    thick, thin = _STYLES[0][0], _STYLES[1][0]
    axes.hlines(
        places,
        [row["simultaneous_lower"] for row in rows],
        [row["simultaneous_upper"] for row in rows],
        color=thin,
        linewidth=1.5,
        label=_TOGETHER,
    )
    axes.hlines(
        places,
        [row["lower"] for row in rows],
        [row["upper"] for row in rows],
        color=thick,
        linewidth=4,
        label=_SINGLE,
    )
    axes.plot([row["share"] for row in rows], places, "o", color="black", markersize=4)
    axes.set_yticks(places, [_label(cell) for cell in cells])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_title(title, loc="left", fontweight="bold")
    axes.axvline(0, color="0.75", linewidth=1, zorder=0)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.4g} %"))
    axes.grid(visible=True, axis="x", color="0.92", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.legend(loc="best", frameon=False, fontsize=8)


def _label(symbols: Sequence[object]) -> str:
    """The symbols of a cell, cut where they are long."""
    text = ", ".join(str(symbol) for symbol in symbols)
    # matplotlib reads what stands between dollars as mathematics.
    short = text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1]}\u2026"
    return short.replace("$", r"\$")
