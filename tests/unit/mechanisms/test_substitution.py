"""Words at a given distance: exactly that distance, every word by itself, bounded memory."""

import tracemalloc
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from privet.mechanisms.substitution import draw_by_level, substitute
from privet.testing import ReplaySource


@pytest.mark.parametrize(
    ("size", "dtype"), [(2, np.uint8), (256, np.uint8), (257, np.uint16), (70_000, np.uint32)]
)
def test_every_row_changes_in_exactly_its_number_of_places(size: int, dtype: type) -> None:
    codes: npt.NDArray[Any] = (np.arange(56) * 977 % size).astype(dtype).reshape(8, 7)
    levels = np.arange(8)
    out = substitute(ReplaySource(1), codes, levels, size)
    assert out.dtype == dtype
    assert np.count_nonzero(out != codes, axis=1).tolist() == levels.tolist()
    assert int(out.max()) < size
    assert not np.shares_memory(out, codes)


def test_codes_of_two_symbols_are_flipped() -> None:
    codes = np.array([[0, 1, 0, 1]], np.uint8)
    assert substitute(ReplaySource(1), codes, np.array([4]), 2).tolist() == [[1, 0, 1, 0]]


def test_ragged_words_get_levels_of_their_own_length() -> None:
    lengths = np.array([3, 0, 5, 1, 3, 0, 700, 1])
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    codes = np.zeros(offsets[-1], np.uint8)
    asked: list[tuple[int, int]] = []

    def levels(length: int, count: int) -> npt.NDArray[np.int64]:
        asked.append((length, count))
        return np.full(count, length - 1)

    out = draw_by_level(ReplaySource(1), codes, offsets, 4, levels)
    changed = [int(np.count_nonzero(out[a:b])) for a, b in pairwise(offsets)]
    assert changed == [2, 0, 4, 0, 2, 0, 699, 0]
    assert sorted(asked) == [(1, 2), (3, 2), (5, 1), (700, 1)]


def test_no_words_and_empty_words_need_no_levels() -> None:
    def levels(*_: int) -> npt.NDArray[np.int64]:
        raise AssertionError

    for offsets in ([0], [0, 0, 0]):
        codes = np.zeros(0, np.uint8)
        assert draw_by_level(ReplaySource(1), codes, np.array(offsets), 4, levels).size == 0


def test_memory_beyond_input_and_output_is_bounded() -> None:
    codes = np.zeros(4_000_000, np.uint8)
    offsets = np.arange(0, 4_000_001, 100)
    tracemalloc.start()
    draw_by_level(ReplaySource(1), codes, offsets, 8, lambda _, count: np.full(count, 30))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < codes.nbytes + 32_000_000
