"""Replayable bits for simulating errors on public words: the same prediction every time.

Contract. For predictions only: what is drawn with these bits is thrown away but for its average,
and the words it is drawn for are public ones, made with the same bits. No release is ever drawn
with them: they are passed by hand, or are in force within one `with` block around a simulation.
"""

from typing import Any

from numpy.typing import NDArray

from privet.randomness.source import BLOCK_BYTES, KEY_BYTES, KeyStream, RandomSource


class SimulationSource(RandomSource):
    """AES-256-CTR under the key 0: uniform, known to everybody, the same each time."""

    private = False

    def __init__(self) -> None:
        self._stream = KeyStream(bytes(KEY_BYTES), bytes(BLOCK_BYTES))

    def fill(self, out: NDArray[Any]) -> None:
        """Overwrite `out` with the next bits of the sequence."""
        self._stream.fill(out)
