"""What the commands print: a report for people, or one JSON value.

Contract. Reports and JSON go to the standard output, progress to the standard error and only where
it is a terminal. Progress appears after a second and leaves no trace. Text that comes from files or
arguments is never read as markup. A terminal gets lines of its width, broken between words; a file
or a pipe gets a paragraph a line.
"""

import json
import sys
import textwrap
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from privet.plain_text import count, percent, plain, table_lines

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

__all__ = [
    "AsJson",
    "Ticker",
    "answered",
    "console",
    "count",
    "line_width",
    "listed",
    "percent",
    "plain",
    "print_blank",
    "print_json",
    "print_table",
    "print_text",
    "printable",
    "table_lines",
]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead.")]

_PATIENCE_SECONDS = 1.0


def console() -> "Console":
    """The standard output."""
    from rich.console import Console

    class Report(Console):
        """A console that leaves it to the command what a broken pipe means."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Report(highlight=False)


def line_width() -> int | None:
    """The width that text is wrapped to; None, no wrapping, where a program reads along."""
    return console().width if sys.stdout.isatty() else None


class _Answered:
    """Whether the running command has printed its one JSON value."""

    yes = False


answered = _Answered()


def print_json(value: Any) -> None:
    """One JSON value on the standard output, which gets no other."""
    text = json.dumps(value, indent=2, allow_nan=False)
    answered.yes = True
    sys.stdout.write(text + "\n")


def print_text(text: str, style: str = "", indent: str = "") -> None:
    """A paragraph, wrapped to a terminal between words, without markup."""
    width = line_width()
    safe = printable(text)
    lines = [safe]
    if width is not None:
        lines = textwrap.wrap(
            safe,
            width,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    for line in lines or [""]:
        _print_line(line, style)


def _print_line(text: str, style: str) -> None:
    from rich.text import Text

    console().print(Text(text.rstrip(), style=style), soft_wrap=True)


def printable(text: str) -> str:
    """`text` without what could steer a terminal: names come from files."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in text)


def print_blank() -> None:
    """An empty line."""
    sys.stdout.write("\n")


def print_table(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    text_columns: int = 1,
    marked: Sequence[int] = (),
) -> None:
    """A table; `marked` rows stand out, by an asterisk too.

    Its first `text_columns` columns are text, the others numbers.
    """
    cells = [
        [f"{cell} *" if number in marked and not place else cell for place, cell in enumerate(row)]
        for number, row in enumerate(rows)
    ]
    table = [[printable(cell) for cell in row] for row in (columns, *cells)]
    lines = table_lines(table, text_columns, line_width())
    if title:
        print_text(title, style="bold")
    for line in lines[0]:
        _print_line(line, "bold")
    _print_line("\N{BOX DRAWINGS LIGHT HORIZONTAL}" * max(len(x) for y in lines for x in y), "")
    for number, row_lines in enumerate(lines[1:]):
        for line in row_lines:
            _print_line(line, "bold green" if number in marked else "")
    print_blank()


class Ticker:
    """Shows how far long work is: `with Ticker() as tick: tick(stage, done, total)`."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._task: Any = None
        self._timer: threading.Timer | None = None
        self._stage, self._started, self._before = "", 0.0, 0

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            self._started = time.monotonic()

            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TextColumn("{task.fields[rate]}", markup=False),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task("starting", total=None, rate="")
            self._timer = threading.Timer(_PATIENCE_SECONDS, self._bar.start)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Work is at `stage`, `done` of `total` rows or symbols done; a total of 0 is not known."""
        if self._bar is None:
            return
        if stage != self._stage:
            self._stage, self._started, self._before = stage, time.monotonic(), done
        known = (total or None) if done else None
        rate = self._rate(done)
        self._bar.update(self._task, description=stage, completed=done, total=known, rate=rate)

    def _rate(self, done: int) -> str:
        """How fast this stage goes: "1,234,000/s", empty as long as nobody can tell."""
        seconds = time.monotonic() - self._started
        if done <= self._before or seconds < _PATIENCE_SECONDS:
            return ""
        each_second = (done - self._before) / seconds
        return f"{count(int(each_second))}/s"

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if self._timer is not None and self._bar is not None:
            self._timer.cancel()
            self._timer.join()
            self._bar.stop()


def listed(items: Sequence[str]) -> str:
    """'a', 'b' and 'c'."""
    quoted = [f"'{item}'" for item in items]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"
