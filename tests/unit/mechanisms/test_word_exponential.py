"""The exponential mechanism on words: rates, and the languages it accepts."""

import math
from fractions import Fraction

import pytest

from privet import Alphabet, Language, WordExponential
from privet.mechanisms.words import read_all_words

ALPHABET = Alphabet("abcd")


def test_paper_rate_spends_half_and_exact_rate_all() -> None:
    paper = WordExponential(ALPHABET, epsilon=3, adjacency=2, calibration="paper")
    exact = WordExponential(ALPHABET, epsilon=3, adjacency=2, calibration="exact")
    assert float(paper.spent(10)) == pytest.approx(1.5, rel=1e-15)
    assert float(exact.spent(10)) == pytest.approx(3, rel=1e-15)
    assert float(exact.spent(1)) == pytest.approx(1.5, rel=1e-15)
    assert float(paper.record_loss(10).maximum) == pytest.approx(0.75, rel=1e-15)
    assert paper.expected_errors(10) > exact.expected_errors(10)


def test_auto_is_exact() -> None:
    auto = WordExponential(ALPHABET, epsilon=3, adjacency=2)
    exact = WordExponential(ALPHABET, epsilon=3, adjacency=2, calibration="exact")
    assert auto.move_probability == exact.move_probability
    assert auto.guarantee.sentence.startswith("Any 2 symbols of a word")


def test_upper_bound_of_the_published_theorem_is_attained() -> None:
    mechanism = WordExponential(ALPHABET, epsilon=3, calibration="paper")
    odds = 3 * math.exp(-1.5)
    assert mechanism.expected_errors(20) == pytest.approx(20 * odds / (1 + odds), rel=1e-14)
    lower, upper = mechanism.error_bounds(20)
    assert lower <= mechanism.expected_errors(20) <= upper
    assert upper - lower < 1e-12


def test_an_alphabet_stands_for_all_words_over_it() -> None:
    assert read_all_words(ALPHABET) == Language.all(ALPHABET)
    assert WordExponential(ALPHABET, epsilon=1) == WordExponential(
        Language.all(ALPHABET), epsilon=1
    )


def test_epsilon_is_kept_exactly() -> None:
    assert WordExponential(ALPHABET, epsilon=0.1).epsilon == Fraction(1, 10)
