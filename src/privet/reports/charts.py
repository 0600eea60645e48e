"""Small charts as inline SVG: lines over epsilon, steps over time, and a word on its trellis.

Contract. Colours are classes of page.css, so a chart follows the page into the dark; every chart
has a title and a description for those who do not see it, and says nothing by colour alone.
Coordinates are rounded to a tenth, so the same numbers give the same bytes. Widths are those of a
telephone, where letters then have their own size.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from privet.reports.html import Html, element

WIDTH, HEIGHT = 360.0, 220.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 12.0, 14.0, 40.0

Kind = Literal["first", "second", "ink"]
Point = tuple[float, float]


@dataclass(frozen=True)
class Line:
    """`points`: (x, y); `stepped`: y holds until the next x; `dots`: the points that are marked."""

    title: str
    points: Sequence[Point]
    kind: Kind = "first"
    stepped: bool = False
    dashed: bool = False
    dots: Sequence[Point] = ()


@dataclass(frozen=True)
class Axis:
    """`ticks`: values with what is written at them; `logarithmic`: equal factors, equal lengths."""

    title: str
    low: float
    high: float
    ticks: Sequence[tuple[float, str]] = field(default_factory=tuple)
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """Where a value lies, from 0 to 1."""
        low, high = self.low, self.high
        if self.logarithmic:
            low, high, value = math.log(low), math.log(high), math.log(max(value, low))
        return (value - low) / (high - low) if high > low else 0.5


def line_chart(title: str, description: str, x: Axis, y: Axis, lines: Sequence[Line]) -> Html:
    """Lines with their names below; what is drawn first lies below."""
    legend = 16.0 * len(lines)
    right, bottom = WIDTH - _RIGHT, HEIGHT - _BOTTOM

    def at(point: Point) -> Point:
        return (
            _LEFT + (right - _LEFT) * x.place(point[0]),
            bottom - (bottom - _TOP) * y.place(point[1]),
        )

    parts: list[Html] = []
    for value, text in y.ticks:
        _, height = at((x.low, value))
        parts += [_line((_LEFT, height), (right, height), "grid")]
        parts += [_text((_LEFT - 5, height + 4), text, "soft", "end")]
    for value, text in x.ticks:
        across, _ = at((value, y.low))
        parts += [_line((across, bottom), (across, bottom + 4), "axis")]
        # The outer labels stay inside the picture.
        anchor = "start" if across < _LEFT + 20 else "end" if across > right - 20 else "middle"
        anchor = anchor if len(text) > 5 else "middle"
        parts += [_text((across, bottom + 15), text, "soft", anchor)]
    parts += [
        _line((_LEFT, bottom), (right, bottom), "axis"),
        _text(((_LEFT + right) / 2, HEIGHT - 8), x.title, "soft", "middle"),
        _text((2, 10), y.title, "soft", "start"),
    ]
    for place, each in enumerate(lines):
        parts += _drawn(each, at)
        parts += _named(each, HEIGHT + 12 + 16 * place)
    return _svg(title, description, HEIGHT + legend + 4, parts)


def _drawn(each: Line, at: Callable[[Point], Point]) -> list[Html]:
    points = list(each.points)
    if each.stepped:
        points = points[:1] + [
            corner
            for before, after in pairwise(points)
            for corner in ((after[0], before[1]), after)
        ]
    path = " ".join(f"{_round(a)},{_round(b)}" for a, b in map(at, points))
    kind = f"line {each.kind}{' dashed' if each.dashed else ''}"
    dots = [
        element("circle", cx=_round(a), cy=_round(b), r=4, class_=f"dot {each.kind}")
        for a, b in map(at, each.dots)
    ]
    return [element("polyline", points=path, class_=kind), *dots]


def _named(each: Line, height: float) -> list[Html]:
    kind = f"line {each.kind}{' dashed' if each.dashed else ''}"
    dot = [element("circle", cx=18, cy=_round(height - 4), r=4, class_=f"dot {each.kind}")]
    return [
        _line((6, height - 4), (30, height - 4), kind),
        *(dot if each.dots else []),
        _text((36, height), each.title, None, "start"),
    ]


def bar(title: str, description: str, share: float) -> Html:
    """How much of a whole is used, as a bar."""
    used = max(0.0, min(1.0, share)) * WIDTH
    return _svg(
        title,
        description,
        16,
        [
            element("rect", x=0, y=2, width=_round(WIDTH), height=12, rx=2, class_="rest"),
            element("rect", x=0, y=2, width=_round(used), height=12, rx=2, class_="bar"),
        ],
    )


@dataclass(frozen=True)
class Trellis:
    """How a word comes about under one law of the first state.

    `states[t][i]`: the share of state i at step t among the ways to read the word; `moves[t][i][j]`
    that of the move from i to j after step t.
    """

    title: str
    states: Sequence[Sequence[float]]
    moves: Sequence[Sequence[Sequence[float]]]
    kind: Kind


_LEAST_SHARE = 0.004
"""Smaller shares are not drawn."""

_ROW, _NAMES = 26.0, 92.0
_LONGEST_NAME, _LONGEST_SYMBOL = 13, 11


def trellis_chart(
    title: str,
    description: str,
    word: Sequence[str],
    states: Sequence[str],
    panels: Sequence[Trellis],
) -> Html:
    """A panel a law: a disc is a state at a step, a line a move; the larger, the likelier."""
    letters = 6.0 * max(min(len(symbol), _LONGEST_SYMBOL) for symbol in word)
    step = (WIDTH - _NAMES - max(16.0, letters / 2)) / max(1, len(word) - 1)
    parts: list[Html] = []
    top = 0.0
    for panel in panels:
        parts.append(_text((2, top + 12), panel.title, panel.kind, "start"))
        parts += _panel(panel, states, top + 32, step)
        top += 32 + _ROW * len(states)
    slanted = letters > step
    for place, symbol in enumerate(word):
        across = _NAMES + step * place
        turn = f"rotate(-55 {_round(across)} {_round(top + 8)})" if slanted else None
        parts.append(
            element(
                "text",
                cut(symbol, _LONGEST_SYMBOL),
                x=_round(across),
                y=_round(top + 8),
                text_anchor="end" if slanted else "middle",
                transform=turn,
            )
        )
    parts.append(_text((2, top + 8), "the word:", "soft", "start"))
    return _svg(title, description, top + (70 if slanted else 16), parts)


def _panel(panel: Trellis, states: Sequence[str], top: float, step: float) -> list[Html]:
    parts: list[Html] = []

    def at(place: int, state: int) -> Point:
        return _NAMES + step * place, top + _ROW * state

    for place, moves in enumerate(panel.moves):
        for i, row in enumerate(moves):
            for j, share in enumerate(row):
                if share >= _LEAST_SHARE:
                    look = {
                        "stroke_width": _round(0.6 + 4 * share),
                        "stroke_opacity": _round(min(1.0, 0.25 + share)),
                    }
                    parts.append(_line(at(place, i), at(place + 1, j), panel.kind, **look))
    for i, name in enumerate(states):
        parts.append(_text((2, top + _ROW * i + 4), cut(name, _LONGEST_NAME), "soft", "start"))
    for place, shares in enumerate(panel.states):
        for i, share in enumerate(shares):
            across, height = at(place, i)
            present = share >= _LEAST_SHARE
            parts.append(
                element(
                    "circle",
                    cx=_round(across),
                    cy=_round(height),
                    r=_round(2.5 + 6 * math.sqrt(share)) if present else 2.5,
                    class_=f"dot {panel.kind}" if present else "empty",
                )
            )
    return parts


def cut(text: str, longest: int) -> str:
    """A name cut to what there is room for."""
    return text if len(text) <= longest else f"{text[: longest - 1]}\N{HORIZONTAL ELLIPSIS}"


def round_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers from `low` to `high`, at most about `most` of them."""
    if not high > low:
        return [low]
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    size = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    first = math.ceil(low / size - 1e-9)
    return [size * number for number in range(first, math.floor(high / size + 1e-9) + 1)]


def _svg(title: str, description: str, height: float, parts: Sequence[Html]) -> Html:
    return element(
        "svg",
        element("title", title),
        element("desc", description),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_round(WIDTH)} {_round(height)}",
        role="img",
        aria_label=f"{title}. {description}",
    )


def _line(start: Point, end: Point, kind: str, **look: object) -> Html:
    places = dict(zip(("x1", "y1", "x2", "y2"), map(_round, (*start, *end)), strict=True))
    return element("line", **places, class_=kind, **look)


def _text(place: Point, text: str, kind: str | None, anchor: str) -> Html:
    x, y = map(_round, place)
    return element("text", text, x=x, y=y, text_anchor=anchor, class_=kind)


def _round(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
