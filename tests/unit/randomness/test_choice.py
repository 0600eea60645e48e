"""Offset laws: walked through word by word, every probability comes out exactly."""

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.errors import ParameterError
from privet.randomness import OffsetLaw
from privet.testing import ChosenSource, ReplaySource


def by_width(**choices: object) -> ChosenSource:
    """A source that answers u1, u2, u4 and u8 fills with the arrays or numbers given."""

    def choose(out: NDArray[Any]) -> Any:
        return np.asarray(choices[out.dtype.str[1:]], out.dtype)

    return ChosenSource(choose)


ALL_WORDS = np.arange(1 << 16, dtype=np.uint16)


def walk(extra: int, draw: Any) -> Counter[int]:
    """How often each outcome comes out over all 16 + extra bits of a draw, each once.

    The first 16 bits are all walked in one vector; the next `extra`, the top of the 64-bit word,
    one after the other. Bits below those are all 0, and all 1 in a second walk, which must not
    differ.
    """
    counts: list[Counter[int]] = [Counter(), Counter()]
    for low in (0, 1):
        for top in range(1 << extra):
            word = (top << (64 - extra)) + low * ((1 << (64 - extra)) - 1)
            source = by_width(u1=255 * low, u2=ALL_WORDS, u8=word)
            counts[low].update(draw(source).tolist())
    assert counts[0] == counts[1]
    return counts[0]


@pytest.mark.parametrize(
    ("size", "move", "bits"),
    [
        (2, 1, 18),
        (2, 131071, 18),
        (3, 70001, 18),
        (8, 30001, 18),
        (8, 32768, 18),  # uniform: nothing is left over
        (2, 200001, 18),  # keeping is the rarer outcome: it has fewer whole cells
        (3, 90001, 18),
        (5, 52429, 18),  # rounded up past 1/m: keeping is less likely than an offset
        (200, 1301, 18),
        (256, 1023, 18),
        (3, 5, 4),
    ],
)
def test_the_offset_law_is_exact(size: int, move: int, bits: int) -> None:
    law = OffsetLaw(size, move, bits)
    codes = np.zeros(1 << 16, law.code_dtype)

    def draw(source: ChosenSource) -> NDArray[Any]:
        out = np.empty_like(codes)
        law.apply_into(source, codes, out)
        return out

    counts = walk(2, draw)
    total = 1 << 18
    assert Fraction(counts.pop(0), total) == 1 - Fraction((size - 1) * move, 1 << bits)
    assert counts == dict.fromkeys(range(1, size), total * move >> bits)


@pytest.mark.parametrize("code", [0, 1, 5, 7])
def test_offsets_are_added_modulo_m(code: int) -> None:
    law = OffsetLaw(8, 30001, 18)
    source = by_width(u1=0, u2=ALL_WORDS, u8=1 << 62)
    offsets, moved = np.empty((2, 1 << 16), np.uint8)
    law.apply_into(source, np.zeros(1 << 16, np.uint8), offsets)
    law.apply_into(source, np.full(1 << 16, code, np.uint8), moved)
    assert (moved == (offsets.astype(int) + code) % 8).all()


@pytest.mark.parametrize("size", [2, 3, 128, 129, 255, 256, 257, 32768, 32769, 65536, 65537])
def test_every_code_and_offset_is_in_range(size: int) -> None:
    law = OffsetLaw(size, (1 << 100) // size, 100)
    codes = np.arange(100_000) % size
    codes[:50] = size - 1
    out = np.empty(codes.size, law.code_dtype)
    law.apply_into(ReplaySource(size), codes.astype(law.code_dtype), out)
    offsets = (out.astype(int) - codes) % size
    assert out.max() < size
    assert offsets.min() >= 0
    assert len(np.unique(offsets)) > min(size, 50_000) * 0.7


@pytest.mark.parametrize(("size", "width"), [(300, 32), (1000, 32), (65536, 32), (70_000, 64)])
def test_wide_words_give_each_offset_its_whole_cells(size: int, width: int) -> None:
    move, bits = (7 << 120) // (9 * size), 120
    law = OffsetLaw(size, move, bits)
    whole = (move << width) >> bits
    keep = ((1 << bits) - (size - 1) * move) << width >> bits
    residue = (size - 1) * whole + keep
    assert (1 << width) - residue <= size
    probes = [(0, 0), (whole - 1, 0), (residue - 1, 0), (size * whole, 0)]
    for j in (1, 2, size // 2, size - 1):
        probes += [(j * whole, j), ((j + 1) * whole - 1, j)]
    words = np.array([word for word, _ in probes], np.uint64)
    out = np.empty(len(probes), law.code_dtype)
    source = ChosenSource(lambda into: words.astype(into.dtype))
    law.apply_into(source, np.zeros(len(probes), law.code_dtype), out)
    assert out.tolist() == [offset for _, offset in probes]


def test_a_probability_of_two_to_the_minus_5000_can_be_drawn() -> None:
    law = OffsetLaw(3, 1, 5000)
    # Only the last 16-bit word is not wholly "keep"; then come 63 bits and the last 4921 bits.
    rest = 5000 - 16 - 63

    def last_bits(value: int) -> ChosenSource:
        def choose(out: NDArray[Any]) -> Any:
            if out.dtype == np.uint8:
                size = -(-rest // 8)
                return np.frombuffer((value << (8 * size - rest)).to_bytes(size, "big"), np.uint8)
            return np.full(out.shape, 0xFFFF if out.dtype == np.uint16 else 0, out.dtype)

        return ChosenSource(choose)

    drawn = []
    for value in (0, 1, 2, (1 << rest) - 1):
        out = np.zeros(1, np.uint8)
        law.apply_into(last_bits(value), out, out)
        drawn.append(int(out[0]))
    assert drawn == [1, 2, 0, 0]


def test_rows_in_the_residue_are_put_back_where_they_came_from() -> None:
    law = OffsetLaw(2, 1, 17)  # moves with half the probability of the last word
    rows = [5, 70_000, 131_072, 199_999]
    words = np.zeros(200_000, np.uint16)
    words[rows] = 0xFFFF
    taken = 0

    def choose(out: NDArray[Any]) -> Any:
        nonlocal taken
        if out.dtype != np.uint16:
            return 0
        taken += out.size
        return words[taken - out.size : taken]

    out = np.zeros(200_000, np.uint8)
    law.apply_into(ChosenSource(choose), out, out)
    assert np.flatnonzero(out).tolist() == rows


def test_in_place_strided_and_wider_arrays_agree_with_the_plain_call() -> None:
    law = OffsetLaw(8, 30001, 18)
    codes = (np.arange(200_003) % 8).astype(np.uint8)
    plain = np.empty_like(codes)
    law.apply_into(ReplaySource(4), codes, plain)
    same = codes.copy()
    law.apply_into(ReplaySource(4), same, same)
    wide = np.empty(codes.size, np.uint32)
    law.apply_into(ReplaySource(4), codes.astype(np.int64), wide)
    spread = np.zeros(2 * codes.size, np.uint8)
    law.apply_into(ReplaySource(4), codes, spread[::2])
    for other in (same, wide, spread[::2]):
        assert (other == plain).all()
    assert not spread[1::2].any()
    assert (codes == np.arange(200_003) % 8).all()


def test_an_empty_column_is_left_empty() -> None:
    nothing = np.zeros(0, np.uint8)
    OffsetLaw(8, 1, 10).apply_into(ReplaySource(1), nothing, nothing)


@pytest.mark.parametrize(
    ("size", "move", "bits"),
    [
        (1, 1, 3),
        (2, 0, 3),
        (2, 8, 3),
        (9, 1, 3),
        (2, -1, 3),
        (2, 1, -1),
        (65537, ((1 << 130) - 1) // 65536, 130),  # keeps with 2^-130 or so
    ],
)
def test_offset_laws_that_are_none_are_refused(size: int, move: int, bits: int) -> None:
    with pytest.raises(ParameterError):
        OffsetLaw(size, move, bits)
