"""Ragged words in batches that go through a recursion together, and recursions of any length.

Contract. A batch holds words longest first, so that at every position the words that are that long
are the first ones, and whatever belongs to position t is an array over them. Words without symbols
are in no batch. Memory: a recursion keeps at most `SEGMENT` numbers of its states at a time besides
one state for each segment; what was dropped is computed again.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

SEGMENT = 1 << 22
"""Numbers of a recursion's states kept at once: 32 MB."""

IndexArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Batch:
    """`words`: (w,) which words of the data these are; `starts`, `lengths`: (w,) in `codes`."""

    codes: npt.NDArray[Any]
    words: IndexArray
    starts: IndexArray
    lengths: IndexArray

    @property
    def longest(self) -> int:
        """The length of the first word."""
        return int(self.lengths[0])

    def active(self) -> list[int]:
        """For each position, the number of words that have it."""
        positions = np.arange(self.longest)
        shorter = np.searchsorted(self.lengths[::-1], positions, "right")
        counts: list[int] = (len(self.words) - shorter).tolist()
        return counts

    def symbols(self, position: int, active: int) -> npt.NDArray[np.intp]:
        """(active,) the codes at that position."""
        return self.codes[self.starts[:active] + position].astype(np.intp)

    def select(self, chosen: npt.NDArray[np.bool_]) -> "Batch":
        """The batch of the chosen words (w,)."""
        return Batch(self.codes, self.words[chosen], self.starts[chosen], self.lengths[chosen])


def batches(codes: npt.NDArray[Any], offsets: IndexArray, words_at_once: int) -> Iterator[Batch]:
    """All words that have symbols, longest first, at most `words_at_once` in a batch."""
    lengths = np.diff(offsets)
    order = np.argsort(-lengths, kind="stable")
    order = order[: int((lengths > 0).sum())]
    for start in range(0, len(order), words_at_once):
        words = order[start : start + words_at_once]
        yield Batch(codes, words, offsets[words], lengths[words])


class Sized(Protocol):
    """A state of a recursion that says how many numbers it holds."""

    @property
    def size(self) -> int:
        """The number of numbers."""


State = TypeVar("State", bound=Sized)


def backwards(
    first: State, advance: Callable[[State, int], State], length: int
) -> Iterator[tuple[int, State]]:
    """(t, state at position t) for t = length - 1 down to 0.

    `first`: the state at position 0, the largest of all; `advance(state at t - 1, t)`: the state at
    t, a pure function.
    """
    span = max(1, SEGMENT // max(1, first.size))
    marks, kept = [first], [first]
    for position in range(1, length):
        state = advance(kept[-1], position)
        if position % span == 0:
            marks.append(state)
            kept = []
        kept.append(state)
    while marks:
        start = (len(marks) - 1) * span
        if not kept:
            kept = [marks[-1]]
            for position in range(start + 1, start + span):
                kept.append(advance(kept[-1], position))
        while kept:
            yield start + len(kept) - 1, kept.pop()
        marks.pop()
