"""How many different values a column has, from its parts and in bounded memory.

Contract. Varieties of parts add up to that of the whole, in any order. Each value is marked by 64
bits that depend on the value alone, in every process alike. Up to 2^16 different values the count
is exact (but for two values with one mark, of chance 2^-33); beyond it only every second mark is
kept, then every fourth, and so on, and the count is right within about one part in a hundred. It is
used for remarks, never for a promise.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.data.arrow import pa, pc

_MOST, _BLOCK = 1 << 16, 1 << 17

Marks = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Variety:
    """`marks`: sorted, of the values whose mark is a multiple of 2^level; `level`: from 0."""

    marks: Marks
    level: int = 0

    @classmethod
    def of(cls, column: Any) -> "Variety | None":
        """Of one column (ChunkedArray); None for nested values, which are not compared."""
        found, level = cls(_distinct()), 0
        fresh: list[Marks] = []
        # Some rows at a time: few values are found fastest where their table is small, and of many
        # most marks are dropped before they are sorted.
        for start in range(0, max(len(column), 1), _BLOCK):
            rows = column.slice(start, _BLOCK)
            try:
                parts = rows.chunks if level and _is_narrow(column.type) else [rows.unique()]
            except pa.ArrowNotImplementedError:
                return None
            fresh += [_every(_marks(values), level) for values in parts]
            if sum(marks.size for marks in fresh) > _MOST:
                found += cls(_distinct(*fresh), level)
                fresh, level = [], found.level
        return found + cls(_distinct(*fresh), level)

    @property
    def count(self) -> int:
        """How many different values there are; no value at all counts as one of them."""
        return int(self.marks.size) << self.level

    def __add__(self, other: "Variety") -> "Variety":
        level = max(self.level, other.level)
        marks = [_every(one.marks, level) for one in (self, other)]
        return Variety(_distinct(*marks), level)._thinned()

    def _thinned(self) -> "Variety":
        marks, level = self.marks, self.level
        while marks.size > _MOST:
            level += 1
            marks = _every(marks, level)
        return Variety(marks, level)


def _distinct(*parts: Marks) -> Marks:
    """All marks, sorted, each once; by sorting, as `np.unique` hashes and is ten times slower."""
    marks = np.concatenate([np.zeros(0, np.uint64), *parts])
    marks.sort()
    first = np.ones(marks.size, bool)
    np.not_equal(marks[1:], marks[:-1], out=first[1:])
    return marks[first]


def _every(marks: Marks, level: int) -> Marks:
    return np.asarray(marks[marks & np.uint64((1 << level) - 1) == 0])


def _marks(values: Any) -> Marks:
    """A mark for each of an array of values, and one for those that are missing, if any are."""
    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    nothing = np.zeros(int(values.null_count > 0), np.uint64)
    values = values.drop_null()
    if len(values) == 0:
        return nothing
    if _is_narrow(values.type):
        # A value that fits is its own number, and mixing gives different numbers different marks.
        return np.append(_mix(_numbers(values)), nothing)
    return np.append(_marks_of_bytes(values), nothing)


def _is_narrow(kind: Any) -> bool:
    return bool(pa.types.is_primitive(kind)) and kind.bit_width in (8, 16, 32, 64)


def _numbers(values: Any) -> Marks:
    """The bits of each of some values of a fixed width, none of them missing."""
    width = values.type.bit_width // 8
    bits = np.frombuffer(values.buffers()[1], f"u{width}")
    return bits[values.offset : values.offset + len(values)].astype(np.uint64)


def _marks_of_bytes(values: Any) -> Marks:
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.uint8())
    kind = values.type
    tests = (pa.types.is_primitive, pa.types.is_decimal, pa.types.is_fixed_size_binary)
    if any(test(kind) for test in tests):
        width = values.type.bit_width // 8
        start, stop = values.offset * width, (values.offset + len(values)) * width
        content = np.frombuffer(values.buffers()[1], np.uint8)[start:stop]
        lengths = np.full(len(values), width, np.int64)
    else:
        values = pc.cast(values, pa.large_binary())
        ends = np.frombuffer(values.buffers()[1], np.int64)
        ends = ends[values.offset : values.offset + len(values) + 1]
        text = values.buffers()[2]
        content = np.frombuffer(b"" if text is None else text, np.uint8)[ends[0] : ends[-1]]
        lengths = np.diff(ends)
    return _mixed_sums(content, lengths)


def _mixed_sums(content: npt.NDArray[np.uint8], lengths: npt.NDArray[np.int64]) -> Marks:
    """For each run of bytes: the mixed sum of its bytes, each mixed with its place."""
    first = np.cumsum(lengths) - lengths
    places = (np.arange(content.size) - np.repeat(first, lengths)).astype(np.uint64)
    mixed = _mix(places << np.uint64(8) | content)
    sums = lengths.astype(np.uint64)
    full = lengths > 0
    if full.any():
        sums[full] += np.add.reduceat(mixed, first[full])
    return _mix(sums)


def _mix(values: Marks) -> Marks:
    """A bijection that scatters: the finishing steps of the splitmix generator."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ values >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ values >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return values ^ values >> np.uint64(31)
