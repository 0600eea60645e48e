"""Uniform words at a given Hamming distance, for many words at once.

Contract. Given its level, a release is uniform among the C(n, l) (m-1)^l words at that distance:
the positions are a uniform subset and each gets one of the m - 1 other symbols. Memory beyond input
and output is bounded by a block (or by one word where a word is longer than that).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.randomness import RandomSource, random_subset_masks, uniform_below

CodeArray = npt.NDArray[np.unsignedinteger[Any]]
LevelDraw = Callable[[int, int], npt.NDArray[np.int64]]
"""(length, count) -> `count` independent levels (count,) int64 for words of that length."""

_BLOCK_SYMBOLS = 1 << 18


def substitute(
    source: RandomSource, codes: CodeArray, levels: npt.NDArray[np.int64], size: int
) -> CodeArray:
    """Row i of `codes` (w, n) replaced by a uniform word at Hamming distance levels[i] from it.

    The result is a new array of the same dtype, independent over the rows.
    """
    changed = random_subset_masks(source, levels, codes.shape[1])
    released = codes.copy()
    before = codes[changed].astype(np.uint64)
    offsets = uniform_below(source, size - 1, before.size) + np.uint64(1)
    released[changed] = (before + offsets) % np.uint64(size)
    return released


def draw_by_level(
    source: RandomSource,
    codes: CodeArray,
    offsets: npt.NDArray[np.int64],
    size: int,
    levels_of_length: LevelDraw,
) -> CodeArray:
    """A release of each word codes[offsets[i]:offsets[i+1]] by level, flat, of the same dtype.

    Words are grouped by length; `levels_of_length` is asked for the levels of each group, a block
    of words at a time, and never for words without symbols.
    """
    released = np.empty_like(codes)
    lengths = np.diff(offsets)
    order = np.argsort(lengths, kind="stable")
    kinds, firsts = np.unique(lengths[order], return_index=True)
    for length, first, stop in zip(
        kinds.tolist(), firsts.tolist(), [*firsts.tolist(), lengths.size][1:], strict=True
    ):
        if length == 0:
            continue
        rows_at_once = max(1, _BLOCK_SYMBOLS // length)
        for start in range(first, stop, rows_at_once):
            words = order[start : min(stop, start + rows_at_once)]
            where = offsets[words][:, None] + np.arange(length)
            levels = levels_of_length(length, words.size)
            released[where] = substitute(source, codes[where], levels, size)
    return released
