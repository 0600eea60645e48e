"""Rows of a long table on the disk, sealed, in buckets small enough to be sorted one by one.

Contract. All rows of a person are in one bucket, which the first bits of the person's token name:
tokens are as good as random, so buckets are about equal whatever the ids are. Nothing in them can
be read without keys that never leave the memory, and they have no names, so nothing of them is
left when the process ends, however it ends.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.data.arrow import pa
from privet.data.keys import Keys, no_rest, rest_of, rest_parts
from privet.data.long_rows import LongRows
from privet.data.sealing import Seal, SealedFile

COUNT_BITS = 6
ROWS_TOGETHER = 1 << 20
"""Buckets are sorted together as long as they have no more rows than this."""

_NAMES = ("i", "j", "time", "tie", "p", "q")


class Buckets:
    """Rows that wait to be sorted by person and time."""

    def __init__(self, folder: Path, seal: Seal) -> None:
        self._seal = seal
        self._files = [SealedFile(folder) for _ in range(1 << COUNT_BITS)]
        self._sizes = [0] * len(self._files)
        self._ties = False

    @property
    def query(self) -> str:
        """How DuckDB is to sort the rows."""
        return f"SELECT * FROM given ORDER BY {', '.join(self.schema.names[:-2])}"

    @property
    def schema(self) -> Any:
        """Of the batches: the token of the person, the time, and row and state sealed together."""
        kinds = {"tie": pa.large_binary()}
        names = [name for name in _NAMES if self._ties or name != "tie"]
        return pa.schema([(name, kinds.get(name, pa.int64())) for name in names])

    def add(self, part: LongRows) -> None:
        """Put some rows away. Errors: OSError for a full disk."""
        token = part.persons[:, 0].view(np.uint64)
        place = (token >> np.uint64(64 - COUNT_BITS)).astype(np.uint8)
        order = np.argsort(place, kind="stable")
        ends = np.cumsum(np.bincount(place, minlength=len(self._files)))
        sealed = self._seal.rows(part.rows, part.codes)
        for bucket, chosen in enumerate(np.split(order, ends[:-1])):
            if chosen.size:
                self._write(bucket, part.persons[chosen], part.times.take(chosen), sealed[chosen])

    def _write(self, bucket: int, persons: Any, times: Keys, sealed: Any) -> None:
        rest = () if times.rest is None else rest_parts(times.rest)
        self._ties |= bool(rest)
        self._files[bucket].write([*persons.T, times.numbers, *sealed.T, *rest])
        self._sizes[bucket] += len(times)

    def flush(self) -> None:
        """After the last rows, before `together`. Errors: OSError for a full disk."""
        for file in self._files:
            file.flush()

    def together(self) -> Iterator[Iterator[Any]]:
        """The RecordBatches of a few buckets at a time; each is gone once the next is asked for."""
        waiting: list[SealedFile] = []
        rows = 0
        for file, size in zip(self._files, self._sizes, strict=True):
            if waiting and rows + size > ROWS_TOGETHER:
                yield self._batches(waiting)
                _close(waiting)
                waiting, rows = [], 0
            waiting.append(file)
            rows += size
        yield self._batches(waiting)

    def opened(self, batch: Any, dtype: npt.DTypeLike) -> LongRows:
        """The rows of a sorted batch, with codes of `dtype`."""
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        tie = columns.pop("tie", None)
        i, j, time, p, q = (np.asarray(column) for column in columns.values())
        rows, codes = self._seal.opened(np.stack([p, q], 1))
        times = Keys(time, None if tie is None else tie.cast(pa.large_binary()))
        return LongRows(np.stack([i, j], 1), times, rows, codes.astype(dtype))

    def close(self) -> None:
        """Give the room back."""
        _close(self._files)

    def _batches(self, files: list[SealedFile]) -> Iterator[Any]:
        for file in files:
            for i, j, time, p, q, *rest in file:
                tie = (rest_of(*rest) if rest else no_rest(time.size),) if self._ties else ()
                arrays = [pa.array(column) for column in (i, j, time, *tie, p, q)]
                yield pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def _close(files: list[SealedFile]) -> None:
    for file in files:
        file.close()
