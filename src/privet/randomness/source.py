"""Where random bits come from.

Contract. A `RandomSource` fills arrays with independent, uniform bits; every law of this package
is exact for such a source and reads randomness from nowhere else. `SystemSource`, the one used
unless a test puts another in force, is AES-256 [nist-2001] in counter mode [dworkin-2001] under a
key and a counter drawn from the operating system. It never gives two processes the same bits: its
key is renewed after a fork, it cannot be pickled or copied, and nothing takes a seed. Arrays that
are not contiguous unsigned integers are refused. A source serves one thread at a time;
`current_source` gives each thread its own.
"""

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NoReturn

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import DTypeLike, NDArray

from privet.errors import ParameterTypeError, RandomnessError

KEY_BYTES = 32
BLOCK_BYTES = 16
CHUNK_BYTES = 1 << 18
REKEY_AFTER_BYTES = 1 << 36
"""2^32 cipher blocks: counter mode differs from random bits by at most 2^-64 within one key."""

_ZEROS = bytes(CHUNK_BYTES)  # the plaintext; immutable, so nothing can turn the keystream biased


class SourceCopyError(RandomnessError, TypeError):
    """A bit source was about to be copied or pickled, so two holders would draw the same bits."""


class RandomSource(ABC):
    """Independent uniform bits; `private` is False where somebody could know them."""

    private: bool = True

    @abstractmethod
    def fill(self, out: NDArray[Any]) -> None:
        """Overwrite `out`, a C-contiguous array of u1, u2, u4 or u8, with uniform bits."""

    def words(self, count: int, dtype: DTypeLike = np.uint64) -> NDArray[Any]:
        """A fresh array (count,) of uniform unsigned integers of `dtype`."""
        out = np.empty(count, dtype)
        self.fill(out)
        return out


class KeyStream:
    """The keystream of AES-256-CTR under one key, written straight into the caller's array.

    No buffer of its own: used keystream is left nowhere but where the caller put it.
    """

    def __init__(self, key: bytes, counter: bytes) -> None:
        self._encryptor = Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor()
        self.used = 0

    def fill(self, out: NDArray[Any]) -> None:
        """The next out.nbytes bytes of the keystream."""
        view = byte_view(out)
        for start in range(0, len(view), CHUNK_BYTES):
            part = view[start : start + CHUNK_BYTES]
            zeros = _ZEROS if len(part) == CHUNK_BYTES else memoryview(_ZEROS)[: len(part)]
            self._encryptor.update_into(zeros, part)
        self.used += len(view)


def byte_view(out: NDArray[Any]) -> memoryview:
    """The bytes of a C-contiguous, writable, unsigned integer array.

    Errors: ParameterTypeError for any other array.
    """
    if out.dtype.kind != "u" or not out.flags.c_contiguous or not out.flags.writeable:
        raise ParameterTypeError(
            "Random bits need a writable, C-contiguous array of unsigned integers.",
            hint="Allocate it with numpy.empty(n, numpy.uint64), say.",
        )
    return out.reshape(-1).view(np.uint8).data


_forks = 0  # how many forks lie between this process and the one that loaded the module


def _count_fork() -> None:
    global _forks
    _forks += 1


if hasattr(os, "register_at_fork"):  # there is no fork on Windows
    os.register_at_fork(after_in_child=_count_fork)


class SystemSource(RandomSource):
    """Cryptographic bits keyed from `os.urandom`, unrelated between processes, threads, objects."""

    def __init__(self) -> None:
        self._renew()

    def _renew(self) -> None:
        # Two signs of a fork: the hook misses a fork made by foreign code that skips Python's
        # hooks, the process number misses a number used again.
        self._home = (os.getpid(), _forks)
        self._stream = KeyStream(os.urandom(KEY_BYTES), os.urandom(BLOCK_BYTES))

    def fill(self, out: NDArray[Any]) -> None:
        """Overwrite `out` with fresh bits (see `RandomSource.fill`)."""
        if (
            self._home != (os.getpid(), _forks)
            or self._stream.used + out.nbytes > REKEY_AFTER_BYTES
        ):
            self._renew()
        self._stream.fill(out)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        # pickle, copy and deepcopy all come through here.
        raise SourceCopyError(
            "A source of random bits cannot be copied or pickled: two holders would draw the same "
            "noise, which cancels out.",
            hint="Call privet.randomness.current_source() where the bits are needed.",
        )


class _ThreadSources(threading.local):
    """One SystemSource for each thread, made when the thread first asks."""

    def __init__(self) -> None:
        self.source = SystemSource()


_threads = _ThreadSources()
_in_force: ContextVar[RandomSource | None] = ContextVar("privet_source", default=None)


def current_source() -> RandomSource:
    """The source in force here: this thread's SystemSource unless `using_source` says otherwise."""
    source = _in_force.get()
    return _threads.source if source is None else source


@contextmanager
def using_source(source: RandomSource) -> Iterator[RandomSource]:
    """Put `source` in force within a `with` block, for tests and reproducible examples.

    Only the current context sees it: other threads, and tasks started earlier, keep their private
    source. Receipts of releases made inside carry `source.private`.
    """
    token = _in_force.set(source)
    try:
        yield source
    finally:
        _in_force.reset(token)
