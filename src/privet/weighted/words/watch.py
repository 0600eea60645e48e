"""The clock of one bracket: it also tells how far the work has come, and ends what takes too long.

Contract. Whoever looks at the time, or asks whether to go on, lets the caller's `progress` be
called, at most a few times a second: (stage, done), done being the larger of the part of the time
limit and the part of the nodes of the present search that are used, 0..1. What `progress` raises,
KeyboardInterrupt among it, ends the work and reaches the caller.
"""

import time
from collections.abc import Callable

from privet.weighted.limits import Clock, Limits

Progress = Callable[[str, float], None]

_SECONDS_BETWEEN = 0.25


class OutOfTime(Exception):
    """Raised by `Watch.go_on`, and caught where what is found so far can be used."""


class Bell:
    """What is said, and when it was said last."""

    def __init__(self, progress: Progress | None, seconds: float | None) -> None:
        self.progress, self.seconds, self.stage = progress, seconds, ""
        self._start, self._last = time.monotonic(), 0.0

    def ring(self, nodes: float = 0.0) -> None:
        """Tells, unless something was told just now."""
        now = time.monotonic()
        if self.progress is None or now < self._last + _SECONDS_BETWEEN:
            return
        self._last = now
        used = (now - self._start) / self.seconds if self.seconds else 0.0
        self.progress(self.stage, min(1.0, max(used, nodes)))


class Watch(Clock):
    """A clock whose parts share one bell."""

    def __init__(
        self, limits: Limits, progress: Progress | None = None, whole: "Watch | None" = None
    ) -> None:
        super().__init__(limits, whole)
        self.bell: Bell = Bell(progress, limits.seconds) if whole is None else whole.bell

    @property
    def left(self) -> float:
        """Seconds that remain, possibly infinitely many."""
        self.bell.ring()
        return super().left

    def spent(self, nodes: int, cap: int | None = None) -> str:
        """Why to stop after so many nodes, "" if there is no reason."""
        self.bell.ring(nodes / max(1, self.limits.nodes if cap is None else cap))
        return super().spent(nodes, cap)

    def part(self, share: float, nodes: int | None = None) -> "Watch":
        """A clock for a share of the time that is left, and perhaps for fewer nodes."""
        seconds = None if self.limits.seconds is None else max(0.0, self.left) * share
        most = self.limits.nodes if nodes is None else min(nodes, self.limits.nodes)
        return Watch(Limits(seconds, most), None, self)

    def go_on(self) -> None:
        """Errors: OutOfTime when no time is left."""
        if self.left < 0:
            raise OutOfTime
