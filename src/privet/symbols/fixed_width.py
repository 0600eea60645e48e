"""Arrays of fixed-width text looked up in an alphabet, many rows a call.

Contract. The same answer as looking up each label by itself. A hash proposes a symbol for each row
and the row is then compared with it letter by letter, so a collision can cost time, never an error.
Rows that are no symbol get -1.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

_BLOCK_ROWS = 1 << 14
_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)
"""Odd, so that multiplying is invertible; the first under which the symbols differ is used."""


def look_up_text(
    labels: npt.NDArray[Any], symbols: Sequence[object]
) -> npt.NDArray[np.int64] | None:
    """(n,) int64 codes of `labels` (n,) of dtype U, -1 where there is none.

    None if no multiplier keeps the symbols apart: look the labels up one by one then.
    """
    width = labels.dtype.itemsize // 4
    codes = [
        c for c, symbol in enumerate(symbols) if isinstance(symbol, str) and len(symbol) <= width
    ]
    # numpy pads text with NUL and drops it at the end, so such a symbol never comes back as itself.
    codes = [c for c in codes if not str(symbols[c]).endswith("\0")]
    found = np.full(labels.size, -1, np.int64)
    if not codes or width == 0:
        return found if width else None
    table = _letters(np.array([symbols[c] for c in codes], labels.dtype.newbyteorder("=")), width)
    for multiplier in _MULTIPLIERS:
        keys = _hash(table, multiplier)
        order = np.argsort(keys)
        if np.unique(keys).size == keys.size:
            break
    else:
        return None
    keys, table, numbers = keys[order], table[order], np.array(codes)[order]
    for start in range(0, labels.size, _BLOCK_ROWS):
        block = labels[start : start + _BLOCK_ROWS]
        rows = _letters(np.ascontiguousarray(block, labels.dtype.newbyteorder("=")), width)
        place = np.minimum(np.searchsorted(keys, _hash(rows, multiplier)), keys.size - 1)
        same = (table[place] == rows).all(axis=1)
        found[start : start + _BLOCK_ROWS] = np.where(same, numbers[place], -1)
    return found


def _letters(text: npt.NDArray[Any], width: int) -> npt.NDArray[np.uint32]:
    """(n, width) code points, 0 after the end of a label."""
    return text.view(np.uint32).reshape(text.size, width)


def _hash(letters: npt.NDArray[np.uint32], multiplier: int) -> npt.NDArray[np.uint64]:
    """(n,) a polynomial in the letters modulo 2^64."""
    key = np.zeros(len(letters), np.uint64)
    for column in letters.T:
        key *= np.uint64(multiplier)
        key ^= column
    return key
