"""How cost grows with size: one row and one log-log plot for each kind of work.

Contract. As `sections.py`: what fails is a row that says so. The picture is made of the figures of
the table alone and holds no date, so equal figures give equal bytes.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from outcomes import Effort
from processes import Failed, Processes
from report import Curve, Section, figure

_COLUMNS = 3
_QUICK = 2
"""Sizes that a trial of the harness measures."""


@dataclass(frozen=True)
class Work:
    """One kind of work: its case of `cases.py` by size, and which of the seconds are taken."""

    name: str
    unit: str
    case: Callable[[str], tuple[str, ...]]
    sizes: tuple[int, ...]
    seconds: str = "seconds"


def _powers(first: int, last: int) -> tuple[int, ...]:
    return tuple(10**power for power in range(first, last + 1))


WORK = (
    Work(
        "randomised response, codes", "rows", lambda n: ("codes", "sampler", n, "3"), _powers(5, 8)
    ),
    Work(
        "randomised response, Arrow strings",
        "rows",
        lambda n: ("labels", "Arrow string", n, "3"),
        _powers(4, 7),
    ),
    Work(
        "exponential, one word",
        "symbols",
        lambda n: ("words", "WordExponential", "1", n),
        _powers(3, 6),
        "first",
    ),
    Work(
        "permute-and-flip, one word",
        "symbols",
        lambda n: ("words", "WordPermuteAndFlip", "1", n),
        _powers(3, 6),
        "first",
    ),
    Work(
        "exponential on a language, words of 100",
        "words",
        lambda n: ("on-language", "WordExponential", "3", n, "100", "3"),
        _powers(2, 5),
    ),
    Work(
        "permute-and-flip on a language, words of 100",
        "words",
        lambda n: ("on-language", "WordPermuteAndFlip", "3", n, "100", "3"),
        _powers(2, 5),
    ),
    Work(
        "`decode.viterbi`, words of 100",
        "words",
        lambda n: ("decode", "viterbi", "grid world", n, "100", "3"),
        _powers(2, 5),
    ),
    Work(
        "`quilt_scale`, 51 states, stays 0.9",
        "nodes",
        lambda n: ("quilt", "0.9", "stationary", n, "3"),
        _powers(4, 7),
    ),
    Work(
        "propagation scale, 5 states, stays 0.9",
        "nodes",
        lambda n: ("propagation", "5", "0.9", n, "3"),
        _powers(4, 7),
    ),
    Work(
        "account on a chain, by quilts",
        "releases",
        lambda n: ("account-on-a-chain", "anywhere", n),
        _powers(3, 5),
        "quilt",
    ),
    Work(
        "one budget, total after each spend",
        "spends",
        lambda n: ("account-of-one-budget", n),
        _powers(3, 5),
    ),
    Work(
        "verification, dense, 8 states, 4 symbols",
        "symbols",
        lambda n: ("verify-margins", "dense", "8", "4", n, "30", "3"),
        (5, 20, 80, 320),
        "above",
    ),
)


def growth(run: Processes, effort: Effort) -> Section:
    """Every kind of work at several sizes."""
    section = Section(
        "How cost grows with size",
        "CPU seconds of each kind of work at sizes that grow, and the exponent of the size between "
        "the last two: 1 is in proportion. Below the first sizes, what is constant is in the way. "
        "Larger sizes, from file to file and on Spark: [scale.md](scale.md).",
        ("work", "unit", "sizes", "seconds", "grows as"),
    )
    for work in WORK:
        sizes = work.sizes if effort.shrink == 1 else work.sizes[:_QUICK]
        points = []
        for size in sizes:
            outcome = run.privet(*work.case(str(size)))
            if isinstance(outcome, Failed):
                section.rows.append((work.name, work.unit, f"{size:,}", "-", outcome.reason))
                break
            points.append((size, _seconds(outcome, work.seconds)))
        if points:
            section.rows.append(_row(work, points))
            section.curves.append(Curve(work.name, work.unit, tuple(points)))
    return section


def _seconds(outcome: dict[str, Any], name: str) -> float:
    return float(median(outcome[name]))


def _row(work: Work, points: list[tuple[int, float]]) -> tuple[str, ...]:
    sizes = ", ".join(f"{size:,}" for size, _ in points)
    seconds = ", ".join(figure(taken) for _, taken in points)
    return work.name, work.unit, sizes, seconds, _exponent(points)


def _exponent(points: list[tuple[int, float]]) -> str:
    if len(points) < 2 or min(taken for _, taken in points) <= 0:
        return "-"
    (small, first), (large, last) = points[-2:]
    return f"n^{math.log(last / first) / math.log(large / small):.2f}"


def draw(path: Path, curves: Sequence[Curve]) -> None:
    """A panel for each curve, with a dashed line of proportion through its last point."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "privet", "font.size": 8, "svg.fonttype": "none"})
    import matplotlib.pyplot as plt

    rows = math.ceil(len(curves) / _COLUMNS)
    figure_, panels = plt.subplots(
        rows, _COLUMNS, figsize=(9, 2.3 * rows), squeeze=False, layout="constrained"
    )
    for panel in panels.flat[len(curves) :]:
        panel.axis("off")
    for panel, curve in zip(panels.flat, curves, strict=False):
        sizes, seconds = zip(*curve.points, strict=True)
        proportion = [seconds[-1] * size / sizes[-1] for size in sizes]
        panel.loglog(sizes, proportion, "--", color="0.6", linewidth=1)
        panel.loglog(sizes, seconds, "o-", color="#1f6f8b", markersize=4)
        panel.set_title(curve.name.replace("`", ""), fontsize=8)
        panel.set_xlabel(curve.unit)
        panel.set_ylabel("CPU seconds")
    path.parent.mkdir(exist_ok=True)
    figure_.savefig(path, metadata={"Date": None}, facecolor="white")
    plt.close(figure_)
