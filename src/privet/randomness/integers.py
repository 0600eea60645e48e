"""Uniform integers and uniform subsets, exactly.

Contract. Every value has the same probability, to the last bit: a word that would favour some value
is drawn again, never folded back. A bound below 1 is refused.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.exact import read_count
from privet.randomness.source import RandomSource

_BLOCK_BYTES = 1 << 19


def random_bits(source: RandomSource, count: int) -> int:
    """An integer uniform on 0 .. 2^count - 1, for a count of any size (0 gives 0)."""
    size = -(-count // 8)
    return int.from_bytes(source.words(size, np.uint8).tobytes(), "big") >> (8 * size - count)


def uniform_integer(source: RandomSource, bound: int) -> int:
    """An integer uniform on 0 .. bound - 1, for a bound of any size."""
    bits = (read_count(bound, "bound") - 1).bit_length()
    while (value := random_bits(source, bits)) >= bound:
        pass
    return value


def uniform_below(source: RandomSource, bound: int, size: int) -> NDArray[np.uint64]:
    """Independent integers (size,) uint64, each uniform on 0 .. bound - 1; 1 <= bound <= 2^64."""
    if read_count(bound, "bound") > 1 << 64:
        raise ParameterError(
            "bound is above 2^64.", hint="Use uniform_integer for larger bounds.", parameter="bound"
        )
    if bound == 1 << 64:
        return source.words(size)
    if bound <= 1 << 16:
        # Half the random bits; at most one word in 2^16 is drawn again.
        width = np.uint32((2**32 - 1) // bound)
        small: NDArray[np.uint32] = source.words(size, np.uint32) // width
        _redraw(small, np.uint32(bound), lambda rows: source.words(len(rows), np.uint32) // width)
        return small.astype(np.uint64)
    step = np.uint64((2**64 - 1) // bound)
    values: NDArray[np.uint64] = source.words(size) // step
    _redraw(values, np.uint64(bound), lambda rows: source.words(len(rows)) // step)
    return values


def _redraw(
    values: NDArray[Any], bound: Any, again: Callable[[NDArray[np.intp]], NDArray[Any]]
) -> None:
    """Replace the entries at or above `bound` until there are none.

    With step = floor((2^w - 1) / bound), each value below the bound has exactly `step` words, so
    the accepted values are uniform whatever the remainder is.
    """
    rows = np.flatnonzero(values >= bound)
    while rows.size:
        values[rows] = again(rows)
        rows = rows[values[rows] >= (bound if np.ndim(bound) == 0 else bound[rows])]


def random_subset_masks(
    source: RandomSource, sizes: NDArray[np.int64], length: int
) -> NDArray[np.bool_]:
    """Masks (w, length): row i marks a uniform subset of sizes[i] of `length` positions.

    The positions of the sizes[i] smallest of `length` independent uniform keys. Keys are
    exchangeable, and so they stay given that the sizes[i]-th and the next differ; rows where they
    are equal are drawn again. Memory beyond the result stays below 4 MB plus a few rows.
    """
    wanted = np.asarray(sizes, np.int64)
    if wanted.size and (wanted.min() < 0 or wanted.max() > length):
        raise ParameterError(
            f"A subset of {length} positions has between 0 and {length} of them.",
            parameter="sizes",
        )
    masks = np.zeros((wanted.size, length), np.bool_)
    masks[wanted == length] = True
    rows = np.flatnonzero((wanted > 0) & (wanted < length))
    # Keys just long enough that a tie at the boundary, of chance about length / 2^bits, is rare.
    kind = np.uint16 if length <= 1 << 8 else np.uint32 if length <= 1 << 20 else np.uint64
    step = max(1, _BLOCK_BYTES // max(1, length * np.dtype(kind).itemsize))
    for start in range(0, rows.size, step):
        block = rows[start : start + step]
        while block.size:
            keys = source.words(block.size * length, kind).reshape(-1, length)
            ranked = np.sort(keys, axis=1)
            row, size = np.arange(block.size), wanted[block]
            last = ranked[row, size - 1]
            clear = last < ranked[row, size]
            masks[block[clear]] = keys[clear] <= last[clear, None]
            block = block[~clear]
    return masks
