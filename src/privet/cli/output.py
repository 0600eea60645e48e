"""What the commands print: a report for people, or one JSON value.

Contract. Reports and JSON go to the standard output, progress to the standard error and only where
it is a terminal. Progress appears after a second and leaves no trace. Text that comes from files or
arguments is never read as markup.
"""

import json
import sys
import threading
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table

_PLAIN_WIDTH = 100
"""Width of reports that go to a file or a pipe."""

_PATIENCE_SECONDS = 1.0


def console() -> "Console":
    """The standard output; of a fixed width where it is not a terminal."""
    from rich.console import Console

    class Report(Console):
        """A console that leaves it to the command what a broken pipe means."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    width = None if sys.stdout.isatty() else _PLAIN_WIDTH
    return Report(width=width, highlight=False, soft_wrap=False)


def print_json(value: Any) -> None:
    """One JSON value on the standard output."""
    sys.stdout.write(json.dumps(value, indent=2, allow_nan=False) + "\n")


def print_text(text: str, style: str = "") -> None:
    """A paragraph, wrapped, without markup."""
    from rich.text import Text

    console().print(Text(printable(text), style=style))


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
    text_after: int = 0,
    marked: Sequence[int] = (),
) -> None:
    """A table; `marked` rows stand out, by an asterisk too.

    Its first `text_columns` and last `text_after` columns are text, the others numbers.
    """
    is_text = [
        place < text_columns or place >= len(columns) - text_after for place in range(len(columns))
    ]
    console().print(_table(title, columns, rows, is_text, marked))


def _table(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    is_text: Sequence[bool],
    marked: Sequence[int],
) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(printable(title), style="bold") if title else None,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        header_style="bold",
    )
    for name, left in zip(columns, is_text, strict=True):
        table.add_column(
            Text(printable(name)),
            justify="left" if left else "right",
            overflow="fold",
            no_wrap=not left,
        )
    for number, row in enumerate(rows):
        is_marked = number in marked
        first = f"{row[0]} *" if is_marked else row[0]
        table.add_row(
            *(Text(printable(cell)) for cell in (first, *row[1:])),
            style="bold green" if is_marked else "",
        )
    return table


class Ticker:
    """Shows how far long work is: `with Ticker() as tick: tick(stage, done, total)`."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._task: Any = None
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

            self._bar = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._task = self._bar.add_task("starting", total=None)
            self._timer = threading.Timer(_PATIENCE_SECONDS, self._bar.start)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Work is at `stage`, `done` of `total` symbols done; 0 of 0 if nobody can tell."""
        if self._bar is not None:
            known = total if done else None
            self._bar.update(self._task, description=stage, completed=done, total=known)

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
