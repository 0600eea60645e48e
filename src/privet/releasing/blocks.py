"""Work on words a block at a time: long work tells how far it is, and memory stays bounded.

Contract. Words are independent of one another; a block holds whole words, in their order.
"""

from collections.abc import Callable, Iterator

import numpy as np

from privet.mechanisms.base import CodeArray
from privet.symbols import Words

Progress = Callable[[str, int, int], None]
"""Called with (what is being done, symbols done, symbols in all)."""


def block_by_block(
    words: Words,
    work: Callable[[Words], Words],
    *,
    symbols: int,
    stage: str,
    progress: Progress,
) -> Words:
    """`work` on blocks of about `symbols` symbols, its results put together again."""
    total = int(words.codes.size)
    out: CodeArray = np.empty_like(words.codes)
    for first, last in _bounds(words, symbols):
        start, stop = int(words.offsets[first]), int(words.offsets[last])
        progress(stage, start, total)
        block = Words(
            words.alphabet, words.codes[start:stop], words.offsets[first : last + 1] - start
        )
        out[start:stop] = work(block).codes
    progress(stage, total, total)
    return Words(words.alphabet, out, words.offsets)


def _bounds(words: Words, symbols: int) -> Iterator[tuple[int, int]]:
    """(first word, word after the last) of each block."""
    first = 0
    while first < len(words):
        reach = words.offsets[first] + symbols
        last = max(first + 1, int(np.searchsorted(words.offsets, reach, side="right")) - 1)
        yield first, last
        first = last
