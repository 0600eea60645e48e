"""Refinable laws: the draw is the exact inverse of the real law, however close the call."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from privet.exact import exp_down, exp_up
from privet.randomness import Cumulative, RefinableLaw
from privet.testing import ChosenSource, ReplaySource


@dataclass(frozen=True)
class Decay(RefinableLaw):
    """P(category = j) = (1 - 1/e) e^-j for every j >= 0: P(category <= j) = 1 - e^-(j + 1)."""

    slack: int = 1

    def cumulative(self, bits: int) -> Cumulative:
        lower, upper = [], []
        for j in range(bits):
            lower.append(int((1 - exp_up(Fraction(-j - 1), bits)) * 2**bits) - self.slack)
            upper.append(int((1 - exp_down(Fraction(-j - 1), bits)) * 2**bits) + self.slack)
        return Cumulative(0, lower, upper)


class Words(ChosenSource):
    """The 64-bit words given, as one vector first, then one after the other; no more."""

    def __init__(self, vector: list[int], *more: int) -> None:
        self.left = list(more)
        self.first = True

        def choose(out: np.ndarray) -> np.ndarray:
            if out.dtype == np.uint64:
                return np.array(vector, np.uint64)
            return np.frombuffer(self.left.pop(0).to_bytes(8, "big"), np.uint8)

        super().__init__(choose)


def reference(prefix: int, bits: int) -> int:
    """The smallest j with prefix / 2^bits < 1 - e^-(j + 1), decided 200 bits deeper."""
    j = 0
    while not Fraction(prefix, 1 << bits) < 1 - exp_up(Fraction(-j - 1), bits + 200):
        j += 1
    return j


def threshold(j: int, bits: int) -> int:
    """The first `bits` bits of P(category <= j)."""
    return int((1 - exp_up(Fraction(-j - 1), bits + 200)) * 2**bits)


def test_decided_words_match_the_reference() -> None:
    words = ReplaySource(2).words(300).tolist()
    drawn = Decay().draw(Words(words), 300)
    assert drawn.dtype == np.int64
    assert drawn.tolist() == [reference(word, 64) for word in words]


@pytest.mark.parametrize("j", [0, 1, 7, 30])
def test_a_word_on_a_threshold_is_decided_by_further_words(j: int) -> None:
    head, next_word = divmod(threshold(j, 128), 2**64)
    for second, expected in ((next_word - 2, j), (next_word + 2, j + 1), (0, j)):
        source = Words([head, 0], second)
        assert Decay().draw(source, 2).tolist() == [expected, 0]
        assert source.left == []


def test_a_second_word_on_the_threshold_takes_a_third() -> None:
    first, second = divmod(threshold(3, 128), 2**64)
    third = threshold(3, 192) % 2**64
    for word, expected in ((third - 2, 3), (third + 2, 4)):
        source = Words([first], second, word)
        assert Decay().draw(source, 1).tolist() == [expected]
        assert source.left == []


def test_rounding_the_law_would_be_noticed() -> None:
    # The wrong twin: the same law cut to 64 bits answers the close calls from the head alone.
    head, next_word = divmod(threshold(3, 128), 2**64)
    answers = {Decay().draw(Words([head], next_word + d), 1).item() for d in (-2, 2)}
    assert answers == {3, 4}


def test_wider_enclosures_give_the_same_draws() -> None:
    words = ReplaySource(3).words(200).tolist()
    sharp = Decay().draw(Words(words), 200)
    loose = Decay(slack=1 << 59).draw(_endless(words), 200)
    decided_late = sum(
        any(abs(word - threshold(j, 64)) <= 1 << 59 for j in range(40)) for word in words
    )
    assert decided_late > 10  # the undecided path is walked by many
    assert (sharp == loose).all()


def _endless(words: list[int]) -> ChosenSource:
    more = ReplaySource(9)

    def choose(out: np.ndarray) -> np.ndarray:
        return np.array(words, np.uint64) if out.size == len(words) else more.words(8, np.uint8)

    return ChosenSource(choose)


def test_the_window_grows_until_the_far_tail_is_found() -> None:
    ones = 2**64 - 1
    # 1 - U is between 10 and 11 units of 2^-256: the category is the integer part of its -log.
    drawn = Decay().draw(Words([ones], ones, ones, ones - 10), 1)
    assert drawn.tolist() == [reference((1 << 256) - 11, 256)] == [175]


class Window(RefinableLaw):
    """Uniform on 0 .. 9; below `full` bits only categories 4 to 6 have been computed."""

    categories = 10

    def __init__(self, full: int = 128) -> None:
        self.full = full

    def cumulative(self, bits: int) -> Cumulative:
        start, stop = (4, 7) if bits < self.full else (0, 10)
        exact = [Fraction((j + 1) << bits, 10) for j in range(start, stop)]
        # The last one is left loose: the class knows that it is 1.
        return Cumulative(start, [int(x) - 1 for x in exact], [int(x) + 2 for x in exact])


@pytest.mark.parametrize("tenth", range(10))
def test_categories_outside_the_window_are_found(tenth: int) -> None:
    word = (2 * tenth + 1) * 2**64 // 20
    inside = tenth in (5, 6)  # 4 may lie above a threshold (of 3) that is not in the window
    source = Words([word], 0)
    assert Window().draw(source, 1).tolist() == [tenth]
    assert (source.left == []) == (not inside)


@pytest.mark.parametrize("tenth", [1, 4, 8])
def test_a_window_may_stay_small_for_several_rounds(tenth: int) -> None:
    source = Words([(2 * tenth + 1) * 2**64 // 20], 0, 0)
    assert Window(full=192).draw(source, 1).tolist() == [tenth]
    assert source.left == []


class Half(RefinableLaw):
    """Two categories of probability 1/2: nothing is known at 64 bits, all of it at 128."""

    categories = 2

    def cumulative(self, bits: int) -> Cumulative:
        half, one = 1 << (bits - 1), 1 << bits
        return Cumulative(0, [0 if bits == 64 else half, one], [one if bits == 64 else half, one])


def test_a_prefix_exactly_on_a_known_threshold_lies_above_it() -> None:
    for head, word, expected in ((2**63, 0, 1), (2**63 - 1, 2**64 - 1, 0)):
        source = Words([head], word)
        assert Half().draw(source, 1).tolist() == [expected]
        assert source.left == []


def test_the_last_category_ends_at_one() -> None:
    ones = 2**64 - 1
    assert Window().draw(Words([ones], ones), 1).tolist() == [9]


class Certain(RefinableLaw):
    """One category only."""

    categories = 1

    def cumulative(self, bits: int) -> Cumulative:
        return Cumulative(0, [(1 << bits) - 5], [(1 << bits) + 5])


class Impossible(RefinableLaw):
    """Categories 0, 2 and 4 have no probability; 1 and 3 have half each."""

    categories = 5

    def cumulative(self, bits: int) -> Cumulative:
        half, one = 1 << (bits - 1), 1 << bits
        return Cumulative(0, [0, half, half, one, one], [0, half, half, one, one])


def test_certain_and_impossible_categories() -> None:
    assert Certain().draw(Words([0, 2**64 - 1]), 2).tolist() == [0, 0]
    edge = [0, 2**63 - 1, 2**63, 2**64 - 1]
    assert Impossible().draw(Words(edge), 4).tolist() == [1, 1, 3, 3]


def test_enclosures_need_not_be_monotone() -> None:
    class Ragged(RefinableLaw):
        categories = 3

        def cumulative(self, bits: int) -> Cumulative:
            third = (1 << bits) // 3
            return Cumulative(0, [third, third - 9, 3 * third], [third + 9, third + 5, 1 << bits])

    third = 2**64 // 3
    assert Ragged().draw(Words([third - 1, third + 5]), 2).tolist() == [0, 2]


def test_nothing_drawn_is_nothing() -> None:
    assert Decay().draw(ReplaySource(1), 0).shape == (0,)
