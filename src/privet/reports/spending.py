"""Spend over time: what an account of a ledger has spent after each row, and its budget beside it.

Contract. As in `privet.reports.plots`: public numbers only, the same bytes for the same rows, a
file written whole or not at all. Rows stand in the order of the ledger; a row whose clock was
behind is drawn at the time of the one before it, for order is by number and time is a remark.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from privet.ledger import Entry
from privet.reports.plots import _SETTINGS, _STYLES, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def write_spending_plot(
    path: Path, account: str, history: Sequence[Entry], *, overwrite: bool = True
) -> None:
    """Draw the history of an account into an SVG file. Errors: MissingExtraError, OutputError."""
    require_matplotlib()
    import matplotlib

    from privet.data import write_whole

    def write(file: BinaryIO) -> None:
        with matplotlib.rc_context(_SETTINGS):
            figure = spending_figure(account, history)
            figure.savefig(file, format="svg", metadata={"Date": None, "Title": "Privet: ledger"})

    write_whole(path, write, overwrite=overwrite)


def spending_figure(account: str, history: Sequence[Entry]) -> "Figure":
    """The figure itself, not tied to any window."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.8), layout="constrained")
    axes = figure.add_subplot()
    times: list[float] = _dates().date2num(_times(history)).tolist()
    spent = [float(entry.spent) for entry in history]
    _steps(axes, 0, times, spent, "spent")
    _steps(axes, 3, times, [float(entry.budget) for entry in history], "budget")
    charged = [
        number
        for number, entry in enumerate(history)
        if entry.kind == "reserve" and entry.state != "void"
    ]
    axes.plot(
        [times[number] for number in charged],
        [spent[number] for number in charged],
        color=_STYLES[0][0],
        linestyle="none",
        marker="o",
        label="a release",
    )
    _label(axes, account)
    return figure


def _times(history: Sequence[Entry]) -> list[datetime]:
    """The time of each row, never before that of the row before it."""
    times: list[datetime] = []
    for entry in history:
        time = datetime.fromisoformat(entry.time)
        times.append(max(time, times[-1]) if times else time)
    return times


def _steps(
    axes: "Axes", style: int, times: Sequence[float], values: Sequence[float], label: str
) -> None:
    color, dashes = _STYLES[style]
    look: dict[str, Any] = {"color": color, "linestyle": dashes, "linewidth": 2}
    axes.step(times, values, where="post", label=label, **look)


def _dates() -> Any:
    """matplotlib's dates, which have no types."""
    import matplotlib.dates

    return matplotlib.dates


def _label(axes: "Axes", account: str) -> None:
    locator = _dates().AutoDateLocator()
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(_dates().ConciseDateFormatter(locator))
    axes.set_title(f"Account '{account}'", loc="left", fontweight="bold", parse_math=False)
    axes.set_xlabel("time of the release (UTC)")
    axes.set_ylabel("epsilon")
    axes.set_ylim(bottom=0)
    axes.grid(visible=True, which="major", color="0.92", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.legend(loc="best", frameon=False, fontsize=9)
