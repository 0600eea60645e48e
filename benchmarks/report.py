"""Tables of figures, the same for the terminal and for the documentation page.

Contract. Markdown whose columns line up, so that it reads as it stands. Figures have three
significant digits; more would be noise.
"""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Target:
    """A goal that was set beforehand. `value` is None where nothing could be measured."""

    name: str
    goal: float
    unit: str
    value: float | None
    at_least: bool = False

    @property
    def verdict(self) -> str:
        """Whether the goal is met, and by how much it is missed."""
        if self.value is None:
            return "not measured"
        met = self.value >= self.goal if self.at_least else self.value <= self.goal
        return "met" if met else f"falls short: {figure(self.value / self.goal)} times the goal"

    def row(self) -> tuple[str, ...]:
        """Name, goal, figure, verdict."""
        sign = "at least" if self.at_least else "at most"
        value = "-" if self.value is None else f"{figure(self.value)} {self.unit}"
        return self.name, f"{sign} {self.goal:g} {self.unit}", value, self.verdict


@dataclass(frozen=True)
class Curve:
    """(size, seconds) of one kind of work, to be drawn."""

    name: str
    unit: str
    points: tuple[tuple[int, float], ...]


@dataclass
class Section:
    """One question, its table, and the targets that its figures answer."""

    title: str
    text: str
    header: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)

    def markdown(self) -> str:
        """Heading, text and table."""
        text = textwrap.fill(self.text, 100, break_long_words=False, break_on_hyphens=False)
        return f"## {self.title}\n\n{text}\n\n{table(self.header, self.rows)}"


def figure(value: float) -> str:
    """Three significant digits, without an exponent."""
    if value == 0:
        return "0"
    decimals = 2 - math.floor(math.log10(abs(value)))
    return f"{round(value, decimals):,.{max(0, decimals)}f}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table with padded columns; columns of numbers are set to the right."""
    columns = list(zip(header, *rows, strict=True))
    widths = [max(3, *map(len, column)) for column in columns]
    right = [bool(rows) and all(map(_is_number, column[1:])) for column in columns]
    rule = ["-" * (w - r) + ":" * r for w, r in zip(widths, right, strict=True)]
    lines = [_line(header, widths, right), f"| {' | '.join(rule)} |"]
    return "\n".join([*lines, *(_line(row, widths, right) for row in rows)]) + "\n"


def _is_number(cell: str) -> bool:
    return cell == "-" or cell.removesuffix(" s").replace(",", "").replace(".", "").isdigit()


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padded = (
        cell.rjust(w) if r else cell.ljust(w)
        for cell, w, r in zip(cells, widths, right, strict=True)
    )
    return f"| {' | '.join(padded)} |".rstrip()
