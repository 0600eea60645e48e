"""Which lengths a search covers, how long it may take, and what says that it is over.

Contract. Limits bound the work, never the answer: a search that reaches one says so and gives what
it has. An interrupt (KeyboardInterrupt) during a search is one more such reason.
"""

import math
import time
from dataclasses import dataclass

from privet.errors import UndecidedError

SHORT_WORD = 32
"""Symbols of a word that is evaluated whatever the time: it takes no time to speak of."""


@dataclass(frozen=True)
class Lengths:
    """`shortest`..`longest` symbols; None: no bound."""

    shortest: int
    longest: int | None

    def after(self) -> "Lengths":
        """What is left after one symbol."""
        longest = None if self.longest is None else self.longest - 1
        return Lengths(max(self.shortest - 1, 0), longest)

    def covers(self, other: "Lengths") -> bool:
        """Whether every length of the other is one of these."""
        if self.shortest > other.shortest:
            return False
        return self.longest is None or (other.longest is not None and self.longest >= other.longest)


@dataclass(frozen=True)
class Limits:
    """`seconds` of wall time (None: no limit); `nodes`: prefixes kept in memory."""

    seconds: float | None = 60.0
    nodes: int = 100_000


class Clock:
    """The limits of one question, started; several searches share it."""

    def __init__(self, limits: Limits, whole: "Clock | None" = None) -> None:
        self.limits = limits
        self._end = math.inf if limits.seconds is None else time.monotonic() + limits.seconds
        self._whole, self._is_interrupted = whole, False

    @property
    def left(self) -> float:
        """Seconds that remain, possibly infinitely many; none after an interrupt."""
        return -1.0 if self.is_interrupted else self._end - time.monotonic()

    @property
    def is_interrupted(self) -> bool:
        """Whether this clock, or one that it is a part of, was told of an interrupt."""
        return self._is_interrupted or (self._whole is not None and self._whole.is_interrupted)

    def interrupt(self) -> None:
        """All that this clock measures, and the clock it is a part of, is over."""
        self._is_interrupted = True
        if self._whole is not None:
            self._whole.interrupt()

    def spent(self, nodes: int, cap: int | None = None) -> str:
        """Why to stop after so many nodes, "" if there is no reason."""
        if nodes >= (self.limits.nodes if cap is None else min(cap, self.limits.nodes)):
            return "node limit"
        if self.is_interrupted:
            return "interrupted"
        return "time limit" if time.monotonic() > self._end else ""

    def check(self) -> None:
        """Errors: UndecidedError once the time is over; the engine turns it into a bracket."""
        if self.left <= 0:
            raise UndecidedError(
                "The time limit came before a word was evaluated.",
                hint="Raise time_limit, or ask about shorter words.",
            )

    def part(self, share: float, nodes: int | None = None) -> "Clock":
        """A clock for a share of the time that is left, and perhaps for fewer nodes."""
        seconds = None if self.limits.seconds is None else max(0.0, self.left) * share
        most = self.limits.nodes if nodes is None else min(nodes, self.limits.nodes)
        return Clock(Limits(seconds, most), self)
