"""Tables and numbers as plain text, for what is printed in Python and on the command line.

Contract. Text is neither styled nor read as markup. Numbers and words are never broken.
"""

import textwrap
from collections.abc import Sequence

_GAP = "  "


def text_table(columns: Sequence[str], rows: Sequence[Sequence[str]], text_columns: int = 1) -> str:
    """A header, a rule and the rows; the first `text_columns` columns are text, others numbers."""
    lines = table_lines([columns, *rows], text_columns, None)
    flat = [line for row in lines for line in row]
    rule = "\N{BOX DRAWINGS LIGHT HORIZONTAL}" * max(map(len, flat))
    return "\n".join([*lines[0], rule, *flat[len(lines[0]) :]])


def table_lines(
    table: Sequence[Sequence[str]], text_columns: int, width: int | None
) -> list[list[str]]:
    """The lines of each row of a table, the first of which is its header.

    Headers and text wrap between words where `width` asks for it; numbers never wrap, and no word
    is ever broken: what is narrower than its longest words is left to the terminal.
    """
    widest, least = [], []
    for place, column in enumerate(zip(*table, strict=True)):
        unbroken = [column[0].split(), *([cell] for cell in column[1:])]
        if place < text_columns:
            unbroken = [cell.split() for cell in column]
        widest.append(max(map(len, column)))
        least.append(max(len(word) for words in unbroken for word in words or [""]))
    # A character at a time, headers of numbers give way first, then the widest text.
    while width is not None and sum(widest) + len(_GAP) * (len(widest) - 1) > width:
        spare = [(n >= text_columns, wide, n) for n, wide in enumerate(widest) if wide > least[n]]
        if not spare:
            break
        widest[max(spare)[2]] -= 1
    return [_row_lines(row, widest, text_columns) for row in table]


def _row_lines(row: Sequence[str], widths: Sequence[int], text_columns: int) -> list[str]:
    cells = [
        textwrap.wrap(cell, width, break_long_words=False, break_on_hyphens=False)
        if len(cell) > width
        else [cell]
        for cell, width in zip(row, widths, strict=True)
    ]
    height = max(map(len, cells))
    for place, lines in enumerate(cells):
        padding = [""] * (height - len(lines))
        cells[place] = [*lines, *padding] if place < text_columns else [*padding, *lines]
    return [
        _GAP.join(
            line.ljust(width) if place < text_columns else line.rjust(width)
            for place, (line, width) in enumerate(zip(lines, widths, strict=True))
        ).rstrip()
        for lines in zip(*cells, strict=True)
    ]


def count(number: int) -> str:
    """12,345."""
    return f"{number:,}"


def plain(number: float, digits: int = 4) -> str:
    """A number for reading: `digits` significant ones, no needless exponent."""
    if number == 0:
        return "0"
    if abs(number) >= 10**digits and abs(number) < 1e15:
        return f"{number:,.0f}"
    return f"{number:.{digits}g}"


def percent(share: float) -> str:
    """A share for reading: 12.3 %, and small ones without rounding to nothing."""
    value = 100 * share
    return f"{value:.1f} %" if value >= 0.1 or value == 0 else f"{value:.2g} %"
