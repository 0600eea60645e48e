"""Exact draws from laws whose probabilities are real numbers known only by enclosures.

Contract. A draw has exactly the real law: enclosures decide when enough bits have been drawn, they
never take the place of the probabilities. Nothing is cut off: an outcome outside today's window is
found by asking for a wider one.

Proof. Let F(c) = P(category <= c), U uniform on [0, 1) and u the integer made of its first `bits`
bits, so that U 2^bits lies in [u, u + 1). The draw is the smallest c with U < F(c), whose law is P.
If u + 1 <= lower[c] <= 2^bits F(c) then U < F(c), so the draw is at most c. If
u >= upper[c] >= 2^bits F(c) then U >= F(c), so the draw is above c. Once the two meet, the draw is
known, and further bits could not change it; until then 64 more bits of the same U are drawn and
compared with finer enclosures of the same numbers. With enclosures of width O(1) in units of
2^-bits and a window that leaves out mass O(2^-bits), a draw stays undecided with probability at
most O(window / 2^bits), so the loop ends with probability 1. This is inversion in the random bit
model (Devroye, Non-Uniform Random Variate Generation, 1986, chapter XV).
"""

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.randomness.integers import random_bits
from privet.randomness.source import RandomSource

WORD_BITS = 64


@dataclass(frozen=True)
class Cumulative:
    """lower[j] <= 2^bits P(category <= first + j) <= upper[j] for a window of categories."""

    first: int
    lower: Sequence[int]
    upper: Sequence[int]


class RefinableLaw(ABC):
    """A law on 0 .. K - 1, or on all integers from 0, given by enclosures of its cumulative sums.

    `categories` is K, or None where there is no last category.
    """

    categories: int | None = None

    @abstractmethod
    def cumulative(self, bits: int) -> Cumulative:
        """Enclosures in units of 2^-bits, for bits = 64, 128, 192, ...

        Every precision encloses the same real numbers. As bits grow the enclosures tighten to a
        bounded width, and the window grows until what it leaves out is of the order of 2^-bits.
        """

    def draw(self, source: RandomSource, size: int) -> NDArray[np.int64]:
        """Independent draws (size,) int64 of exactly the real law."""
        table = self._table(WORD_BITS)
        words = source.words(size)
        drawn, decided = table.search(words)
        for row in np.flatnonzero(~decided):
            drawn[row] = self._refine(source, int(words[row]))
        return drawn

    def _refine(self, source: RandomSource, prefix: int) -> int:
        bits = WORD_BITS
        while True:
            prefix = prefix << WORD_BITS | random_bits(source, WORD_BITS)
            bits += WORD_BITS
            category = self._table(bits).find(prefix)
            if category is not None:
                return category

    def _table(self, bits: int) -> "_Table":
        # Kept in the instance's own dictionary so that frozen dataclasses can be laws too. Two
        # threads may both compute a table; they are equal, and storing one is atomic.
        tables: dict[int, _Table] = vars(self).setdefault("_tables", {})
        if bits not in tables:
            tables[bits] = _Table(self.cumulative(bits), bits, self.categories)
        return tables[bits]


class _Table:
    """One precision's enclosures, made monotone (the true values are) and ready to search."""

    def __init__(self, window: Cumulative, bits: int, categories: int | None) -> None:
        self._first = window.first
        lower = list(accumulate(window.lower, max))
        upper = list(accumulate(reversed(window.upper), min))[::-1]
        if categories is not None and window.first + len(lower) >= categories:
            # The last category's cumulative probability is 1, however the enclosure came out.
            del lower[categories - window.first :], upper[categories - window.first :]
            lower[-1] = upper[-1] = 1 << bits
        self._lower, self._upper = lower, upper
        self._arrays: tuple[int, NDArray[Any], NDArray[Any]] | None = None
        if bits == WORD_BITS:
            # u + 1 <= lower is u <= lower - 1; zeros admit no u, and 2^64 as an upper bound bars
            # none: both are left out, for they do not fit the words.
            zeros = bisect_right(lower, 0)
            short = np.array([value - 1 for value in lower[zeros:]], np.uint64)
            bars = np.array(upper[: bisect_left(upper, 1 << bits)], np.uint64)
            self._arrays = zeros, short, bars

    def search(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Categories (n,) and whether the 64-bit prefixes `words` decide them (n,)."""
        assert self._arrays is not None
        zeros, short, bars = self._arrays
        at_most = np.searchsorted(short, words, "left") + zeros
        at_least = np.searchsorted(bars, words, "right")
        decided = (at_most == at_least) & (at_most < len(self._lower))
        if self._first:
            decided &= at_most > 0
        return at_most.astype(np.int64) + self._first, decided

    def find(self, prefix: int) -> int | None:
        """The category that a prefix of this precision decides, or None."""
        at_most = bisect_left(self._lower, prefix + 1)
        if at_most == len(self._lower) or bisect_right(self._upper, prefix) != at_most:
            return None
        return self._first + at_most if at_most or not self._first else None
