"""Private rows on a disk, unreadable without a key that never leaves the memory.

Contract. A `Seal` has keys of its own, drawn from the operating system, which go when it goes: what
was sealed with it is then lost to everybody. Ids become tokens of 128 bits that are equal where the
ids are equal and say nothing else; the row and the state of one entry become 128 bits together.
Tokens of numbers and of text up to 15 bytes differ where the ids differ, for certain; those of
longer text are keyed hashes, of which two among n agree by chance with probability below n^2/2^129.
A `SealedFile` has no name from the start, so nothing of it is left when the process ends, however
it ends.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from privet.data.arrow import pa
from privet.data.keys import Numbers, keys_of

_BLOCK = 16
_SHORT = 15


class Seal:
    """AES-256 [nist-2001] under fresh keys, one for ids and one for rows."""

    def __init__(self) -> None:
        self._ids, self._rows, self._long = (os.urandom(32) for _ in range(3))

    def tokens(self, values: Any) -> Numbers:
        """(values, 2) int64 for an array of ids without nulls, in plain form (`plain_values`)."""
        if pa.types.is_decimal(values.type):
            values = values.cast(pa.large_string())
        keys = keys_of(values)
        if keys.rest is None:
            return _encrypted(np.stack([keys.numbers, np.zeros_like(keys.numbers)], 1), self._ids)
        return self._tokens_of_text(keys.rest)

    def rows(self, rows: Numbers, codes: npt.NDArray[Any]) -> Numbers:
        """(rows, 2) int64 that hold the number of each row and its code; every row is another."""
        return _encrypted(np.stack([rows, codes.astype(np.int64)], 1), self._rows)

    def opened(self, sealed: Numbers) -> tuple[Numbers, Numbers]:
        """The numbers of the rows and their codes."""
        # One block for each number of a row: nothing is sealed twice, so blocks do not repeat.
        cipher = Cipher(algorithms.AES(self._rows), modes.ECB()).decryptor()
        pairs = np.frombuffer(cipher.update(_bytes(sealed)), np.int64)
        return pairs[0::2], pairs[1::2]

    def _tokens_of_text(self, texts: Any) -> Numbers:
        offsets = np.frombuffer(texts.buffers()[1], np.int64)
        offsets = offsets[texts.offset : texts.offset + len(texts) + 1]
        content = texts.buffers()[2]
        letters = np.frombuffer(b"" if content is None else content, np.uint8)
        lengths = np.diff(offsets)
        blocks = np.zeros((len(texts), _BLOCK), np.uint8)
        for place in range(min(_SHORT, int(lengths.max(initial=0)))):
            has = lengths > place
            blocks[has, place] = letters[offsets[:-1][has] + place]
        blocks[:, _SHORT] = np.minimum(lengths, _SHORT)
        tokens = _encrypted(blocks.view(np.int64), self._ids)
        for row in np.flatnonzero(lengths > _SHORT):
            text = letters[offsets[row] : offsets[row + 1]].tobytes()
            digest = hashlib.blake2b(text, digest_size=_BLOCK, key=self._long).digest()
            tokens[row] = np.frombuffer(digest, np.int64)
        return tokens


def _encrypted(pairs: Numbers, key: bytes) -> Numbers:
    """(n, 2) int64, each pair one block: a permutation, so pairs that differ stay different."""
    cipher = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    sealed = bytearray(pairs.nbytes + _BLOCK - 1)
    cipher.update_into(_bytes(pairs), sealed)
    return np.frombuffer(sealed, np.int64, pairs.size).reshape(-1, 2)


def _bytes(array: npt.NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


class SealedFile:
    """Arrays written one after the other and read again in that order, as often as wanted.

    On the disk they are AES-256 in counter mode [dworkin-2001] under a key of this file's own.
    """

    def __init__(self, folder: Path) -> None:
        key, counter = os.urandom(32), os.urandom(_BLOCK)
        self._cipher = Cipher(algorithms.AES(key), modes.CTR(counter))
        self._encryptor = self._cipher.encryptor()
        self._file: Any = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  # open until `close`
        self._at_end = True
        self._shapes: list[list[tuple[np.dtype[Any], int]]] = []

    def write(self, arrays: Sequence[npt.NDArray[Any]]) -> None:
        """Add some arrays, which come back together. Errors: OSError for a full disk.

        The last of them may wait in memory: `flush` before they are read.
        """
        if not self._at_end:
            self._file.seek(0, os.SEEK_END)
            self._at_end = True
        for array in arrays:
            self._file.write(self._encryptor.update(_bytes(array)))
        self._shapes.append([(array.dtype, array.size) for array in arrays])

    def __iter__(self) -> Iterator[list[npt.NDArray[Any]]]:
        decryptor, place = self._cipher.decryptor(), 0
        self._at_end = False
        for shapes in self._shapes:
            self._file.seek(place)
            found = []
            for dtype, size in shapes:
                content = self._file.read(dtype.itemsize * size)
                place += len(content)
                found.append(np.frombuffer(decryptor.update(content), dtype, size))
            yield found

    def flush(self) -> None:
        """Put all that was added on the disk. Errors: OSError for a full one."""
        self._file.flush()

    def close(self) -> None:
        """Give the space back."""
        with suppress(OSError):  # what waits in memory need not fit on the disk any more
            self._file.close()
