"""Bit sources for tests: reproducible, or chosen word by word. Never private.

Contract. Both declare `private = False`, so receipts of releases made under them say "seeded, not
private". Put one in force with `privet.randomness.using_source`; there is no other way to make a
release reproducible.
"""

import hashlib
from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike, NDArray

from privet.exact import read_count
from privet.randomness.source import BLOCK_BYTES, KeyStream, RandomSource


class ReplaySource(RandomSource):
    """The same bits for the same seed, on every machine of the same byte order.

    AES-256-CTR under the SHA-256 of the seed, a whole number from 0.
    """

    private = False

    def __init__(self, seed: int) -> None:
        text = f"privet replay {read_count(seed, 'seed', 0)}"
        self._stream = KeyStream(hashlib.sha256(text.encode()).digest(), bytes(BLOCK_BYTES))

    def fill(self, out: NDArray[Any]) -> None:
        """Overwrite `out` with the next bits of the sequence."""
        self._stream.fill(out)


class ChosenSource(RandomSource):
    """Words that a test chooses: `choose(out)` gives what an array like `out` is filled with.

    For walking through all words of a small law, or forcing the ties that chance never shows.
    """

    private = False

    def __init__(self, choose: Callable[[NDArray[Any]], ArrayLike]) -> None:
        self._choose = choose

    def fill(self, out: NDArray[Any]) -> None:
        """Overwrite `out` with the chosen words."""
        out[...] = self._choose(out)
