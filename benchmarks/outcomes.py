"""What every section does with an outcome: how much is measured, and how figures are shown.

Contract. A `Failed` outcome is shown as "-", and never raises.
"""

from dataclasses import dataclass
from statistics import median

from processes import Failed, Outcome
from report import figure


@dataclass(frozen=True)
class Effort:
    """How much is measured: rows are divided by `shrink`, and each figure is of `repeats`."""

    repeats: int = 5
    shrink: int = 1

    @property
    def more(self) -> str:
        """Repetitions, as an argument, where a goal hangs on a figure of a tenth of a second."""
        return str(2 * self.repeats + 1)

    def rows(self, full: int) -> str:
        """The rows of a case, as its argument."""
        return str(full // self.shrink)


def speed_of(outcome: Outcome) -> float | None:
    """Rows per second of CPU time, by the median repetition."""
    if isinstance(outcome, Failed):
        return None
    return float(outcome["rows"] / median(outcome["seconds"]))


def in_millions(speed: float | None) -> str:
    """Millions a second, as a cell."""
    return "-" if speed is None else figure(speed / 1e6)


def rows_of(outcome: Outcome) -> str:
    """The rows that were worked on, as a cell."""
    return "-" if isinstance(outcome, Failed) else f"{outcome['rows']:,}"


def extra_of(outcome: Outcome) -> str:
    """Megabytes beyond the input, as a cell."""
    return "-" if isinstance(outcome, Failed) else figure(outcome["extra"] / 1e6)


def failed_row(row: tuple[str, ...], outcome: Failed) -> tuple[str, ...]:
    """`row` with the reason of the failure in its last cell."""
    return (*row[:-1], f"failed: {outcome.reason}")


def in_seconds(value: float | None) -> str:
    """Seconds, as a cell."""
    return "-" if value is None else f"{figure(value)} s"
