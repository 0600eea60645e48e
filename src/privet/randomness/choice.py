"""Exact draws from finite laws whose probabilities are integers over a power of two.

Contract. A law here is what its weights say, exactly: P(i) = weights[i] / 2^bits for `bits` of any
size, and a positive weight, however small, can be drawn. No float takes part.

How. Think of the 2^w values of a w-bit word as equal cells. Each outcome owns the whole cells that
fit its probability; what is left over of all outcomes together makes up R further whole cells, the
residue (R is at most the number of outcomes). A word in an owned cell is decided at once, in bulk.
A word in the residue, chance R / 2^w, is uniform on the R cells: with further bits it becomes a
uniform point on [0, R 2^(bits - w)), whose place among the cumulative left-over weights is the
outcome. Outcome i thus has whole cells / 2^w + left-over / 2^bits = weights[i] / 2^bits.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.exact import read_count
from privet.randomness.integers import random_bits
from privet.randomness.source import RandomSource

_BLOCK_BYTES = 1 << 17
_PENDING = 1 << 10
_RAREST_KEEP = 60


def _code_dtype(size: int) -> np.dtype[Any]:
    """The smallest unsigned type that holds the codes 0 .. size - 1."""
    return np.min_scalar_type(size - 1)


class _Residue:
    """Places a uniform point of [0, cells 2^low), known up to its cell, among thresholds.

    The first bits below the cell are compared as 64-bit keys; only a point whose key equals a
    threshold's (chance about thresholds / 2^48) needs all its `low` bits.
    """

    def __init__(self, thresholds: Sequence[int], cells: int, low: int) -> None:
        self._thresholds = thresholds  # increasing, in (0, cells 2^low]
        self._shift = 64 - cells.bit_length()
        self._rest = low - self._shift
        self._heads = np.array([t >> self._rest for t in thresholds], np.uint64)

    def place(self, source: RandomSource, cell: NDArray[Any]) -> NDArray[np.intp]:
        """For each point, of the given cell (k,), how many thresholds are at or below it (k,)."""
        shift = np.uint64(self._shift)
        keys = cell.astype(np.uint64) << shift
        keys |= source.words(len(cell)) >> (np.uint64(64) - shift)
        passed = np.searchsorted(self._heads, keys, "right")
        for row in np.flatnonzero(np.searchsorted(self._heads, keys, "left") != passed):
            point = int(keys[row]) << self._rest | random_bits(source, self._rest)
            passed[row] = bisect_right(self._thresholds, point)
        return passed


def _blocks(size: int, rows: int) -> Iterator[slice]:
    return (slice(start, min(start + rows, size)) for start in range(0, size, rows))


class OffsetLaw:
    """The offset of m-ary randomised response, added to codes modulo m.

    P(0) = 1 - (m - 1) move / 2^bits and P(j) = move / 2^bits for j = 1 .. m - 1: Theorem 7 of the
    categorical mechanism with p = move / 2^bits, which may be as small as wished but not 0.

    Parameters: `size` m from 2 to 2^32; `move` >= 1, so that every offset is possible, and offset 0
    with a probability of at least 2^-60 (randomised response keeps with 1/m or more). Errors:
    ParameterError.
    """

    def __init__(self, size: int, move: int, bits: int) -> None:
        self.size = read_count(size, "size", 2)
        self.move = read_count(move, "move")
        self.bits = read_count(bits, "bits", 0)
        kept = (1 << self.bits) - (self.size - 1) * self.move
        if kept << _RAREST_KEEP < 1 << self.bits or self.size > 1 << 32:
            raise ParameterError(
                "An offset law keeps with a probability of 2^-60 or more and has at most 2^32 "
                "codes.",
                parameter="move",
            )
        self.code_dtype = _code_dtype(self.size)
        # Words twice as wide as the codes: the residue is below one row in 2^8, 2^16, 2^32.
        width = 16 * self.code_dtype.itemsize
        self._word = np.dtype(f"u{width // 8}")
        pad = max(0, width + 64 - self.bits)
        low = self.bits + pad - width
        move <<= pad
        keep = (1 << (self.bits + pad)) - (self.size - 1) * move
        # Offset 0 needs as many whole cells as another offset has (it nearly always has more).
        self._whole = min(move, keep) >> low
        left = move - (self._whole << low)
        self._first_residual = (self.size - 1) * self._whole + (keep >> low)
        cells = (1 << width) - self._first_residual
        self._residue: _Residue | None = None
        if cells:
            # A range is a sequence of big integers that takes no memory.
            self._residue = _Residue(range(left, self.size * left, left), cells, low)
        # Arithmetic in the narrowest type that holds a code plus m.
        self._sum = _code_dtype(2 * self.size)

    def apply_into(self, source: RandomSource, codes: NDArray[Any], out: NDArray[Any]) -> None:
        """Write (codes + independent offsets) mod m to `out`.

        `out` is `codes` itself or shares no memory with it.

        `codes` (n,) holds integers in 0 .. m - 1, which is the caller's to check; `out` (n,) is of
        any unsigned type that holds them. Memory beyond them stays below 1 MB at m <= 65536.
        """
        rows = min(len(codes), _BLOCK_BYTES // self._word.itemsize)
        words, residual = np.empty(rows, self._word), np.empty(rows, np.bool_)
        total, other = np.empty(rows, self._sum), np.empty(rows, self._sum)
        # numpy's minimum is ten times faster with an array than with a scalar (2.4).
        cap = np.full(rows, self.size, self._word)
        pending = _Pending(self, source, out)
        for block in _blocks(len(codes), max(1, rows)):
            count = block.stop - block.start
            w, s, t = words[:count], total[:count], other[:count]
            source.fill(w)
            if self._residue is not None:
                np.greater_equal(w, self._first_residual, out=residual[:count])
                (hits,) = residual[:count].nonzero()
                if hits.size:
                    pending.add(hits + block.start, w[hits], codes[block][hits])
            np.copyto(s, codes[block], casting="unsafe")
            if self._whole:
                # Cells in order: `whole` of offset 0, of 1, ..., of m - 1, then the rest of
                # offset 0, for which m stands.
                np.floor_divide(w, self._whole, out=w)
                np.minimum(w, cap[:count], out=w)
                np.copyto(t, w, casting="unsafe")
                np.add(s, t, out=s)
                # Modulo m: s <= 2 m - 1, and s - m wraps around to more than s where s < m.
                np.subtract(s, self.size, out=t)
                np.minimum(s, t, out=s)
            np.copyto(out[block], s, casting="unsafe")
            if pending.rows > _PENDING:
                pending.flush()
        pending.flush()
        words.fill(0)


class _Pending:
    """Rows of one call that fell into the residue, kept until there are enough for arrays."""

    def __init__(self, law: OffsetLaw, source: RandomSource, out: NDArray[Any]) -> None:
        self._law, self._source, self._out = law, source, out
        self._parts: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = []
        self.rows = 0

    def add(self, where: NDArray[Any], words: NDArray[Any], codes: NDArray[Any]) -> None:
        self._parts.append((where, words, codes))
        self.rows += len(where)

    def flush(self) -> None:
        law, residue = self._law, self._law._residue
        if residue is None or not self.rows:
            return
        where, words, codes = map(np.concatenate, zip(*self._parts, strict=True))
        cell = words.astype(np.uint64) - np.uint64(law._first_residual)
        # The thresholds passed are 0 .. m - 1, for the offsets 1 .. m - 1 and 0 in this order.
        offset = residue.place(self._source, cell) + 1
        self._out[where] = (codes.astype(np.int64) + offset) % law.size
        self._parts, self.rows = [], 0
