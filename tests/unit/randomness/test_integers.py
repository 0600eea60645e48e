"""Uniform integers and subsets: exact for chosen words, refused out of range."""

from itertools import combinations

import numpy as np
import pytest

from privet.errors import ParameterError
from privet.randomness import (
    random_bits,
    random_subset_masks,
    uniform_below,
    uniform_integer,
)
from privet.testing import ChosenSource, ReplaySource


class Script(ChosenSource):
    """Gives the arrays of a list in turn."""

    def __init__(self, *parts: object) -> None:
        self.left = list(parts)
        super().__init__(lambda out: np.array(self.left.pop(0), out.dtype).reshape(out.shape))


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 100, 2**16, 2**16 + 1, 10**12, 2**63, 2**64])
def test_uniform_below_stays_below(bound: int) -> None:
    values = uniform_below(ReplaySource(bound), bound, 2000)
    assert values.dtype == np.uint64
    assert max(map(int, values)) < bound
    assert bound < 10 or len(np.unique(values)) > 90


def test_every_value_has_the_same_number_of_words() -> None:
    # The boundaries of the 32-bit words of bound 3: a third of 2^32 - 1 each, one word left over.
    width = (2**32 - 1) // 3
    words = [0, width - 1, width, 2 * width - 1, 2 * width, 3 * width - 1, 3 * width]
    script = Script(words, [3 * width], [2**32 - 1], [width])
    assert uniform_below(script, 3, 7).tolist() == [0, 0, 1, 1, 2, 2, 1]
    assert script.left == []


def test_large_bounds_redraw_the_left_over_words() -> None:
    bound = 2**63 + 1  # one word a value; the rest, nearly half, is drawn again
    script = Script([2**64 - 1, bound - 1, bound], [bound, 7], [0])
    assert uniform_below(script, bound, 3).tolist() == [0, bound - 1, 7]


@pytest.mark.parametrize("bound", [0, -1, 2**64 + 1])
def test_bounds_out_of_range_are_refused(bound: int) -> None:
    with pytest.raises(ParameterError):
        uniform_below(ReplaySource(1), bound, 3)


def test_uniform_integer_of_any_size() -> None:
    bound = 3**400
    values = [uniform_integer(ReplaySource(seed), bound) for seed in range(40)]
    assert max(values) < bound
    assert max(values) > bound // 2 > min(values)
    assert uniform_integer(ReplaySource(1), 1) == 0
    # 3 needs two bits: the word 0b11 is refused, 0b10 taken.
    assert uniform_integer(Script([0b1100_0000], [0b1011_1111]), 3) == 2


def test_random_bits() -> None:
    assert random_bits(ReplaySource(1), 0) == 0
    assert random_bits(Script([0xAB, 0xC7]), 12) == 0xABC
    assert max(random_bits(ReplaySource(s), 5) for s in range(200)) == 31


@pytest.mark.parametrize("length", [1, 5, 300])
def test_subsets_have_the_sizes_asked(length: int) -> None:
    sizes = np.arange(3000, dtype=np.int64) % (length + 1)
    masks = random_subset_masks(ReplaySource(5), sizes, length)
    assert masks.shape == (3000, length)
    assert (masks.sum(axis=1) == sizes).all()


def test_a_long_word_has_its_subset() -> None:
    masks = random_subset_masks(ReplaySource(5), np.array([250_000]), 2_000_000)
    assert masks.sum() == 250_000


def test_a_tie_at_the_boundary_is_drawn_again_and_others_are_not() -> None:
    sizes = np.array([1, 2], np.int64)
    script = Script([5, 5, 9, 4, 4, 9], [8, 7, 9])  # the first row's tie decides, the second's not
    masks = random_subset_masks(script, sizes, 3)
    assert masks.tolist() == [[False, True, False], [True, True, False]]
    assert script.left == []


def test_all_small_key_matrices_give_every_subset_alike() -> None:
    # Keys from {0, 1, 2} on 3 positions, rows without a tie at the boundary: exactly uniform.
    seen: dict[tuple[int, ...], int] = {}
    for keys in np.ndindex(3, 3, 3):
        if sorted(keys)[0] == sorted(keys)[1]:
            continue
        mask = random_subset_masks(Script([*keys]), np.array([1]), 3)[0]
        chosen = tuple(np.flatnonzero(mask).tolist())
        seen[chosen] = seen.get(chosen, 0) + 1
    assert set(seen) == set(combinations(range(3), 1))
    assert len(set(seen.values())) == 1


def test_impossible_sizes_are_refused_and_no_words_are_fine() -> None:
    for wrong in (-1, 4):
        with pytest.raises(ParameterError, match="between 0 and 3"):
            random_subset_masks(ReplaySource(1), np.array([wrong]), 3)
    assert random_subset_masks(ReplaySource(1), np.zeros(0, np.int64), 3).shape == (0, 3)
    assert random_subset_masks(ReplaySource(1), np.zeros(2, np.int64), 0).shape == (2, 0)
