"""Releases on languages that forbid words: always possible, at the distances that the law gives.

100,000 draws for each mechanism and language, false alarm rate alpha = 1e-9 a test; the bits are
replayed, so a run says the same everywhere. Wrong twins of the law of the distance, which the same
draws must reject: 10% more epsilon; the other mechanism on the language; and the same mechanism on
all words, which is what a draw that forgets the language would give. Randomised response at the
same rate shows that releases outside the language would be seen.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest

from privet import Alphabet, Language, MarkovChain, WordExponential, WordPermuteAndFlip, Words
from privet.datasets import load
from privet.randomness import using_source
from privet.testing import ReplaySource, chi_square_agrees

ALPHA = 1e-9
DRAWS = 100_000
EPSILON = 8
OTHER: dict[type[Any], type[Any]] = {
    WordExponential: WordPermuteAndFlip,
    WordPermuteAndFlip: WordExponential,
}
BOTH = pytest.mark.parametrize("kind", list(OTHER), ids=lambda kind: kind.name)


@cache
def grid_world() -> tuple[Language, list[Any]]:
    """Walks through 4 x 4 rooms, and one of 12 steps: twice around the middle, with rests."""
    row, column = np.divmod(np.arange(16), 4)
    near = np.abs(row[:, None] - row) + np.abs(column[:, None] - column) <= 1
    return Language.from_allowed(Alphabet(range(16)), near), [5, 5, 6, 10, 10, 9, 5, 6, 6, 10, 9, 9]


@cache
def income() -> tuple[Language, list[Any]]:
    """Quintiles by the steps that US states made, and the first 30 years of one of them."""
    words = load("income").words()
    return Language.from_chain(MarkovChain.fit(words)), words[4][:30]


DOMAINS = pytest.mark.parametrize(
    "domain", [grid_world, income], ids=lambda domain: domain.__name__
)


def released(mechanism: Any, word: list[Any], seed: int) -> Words:
    alphabet = mechanism.alphabet
    codes = np.tile(alphabet.encode(word), DRAWS)
    with using_source(ReplaySource(seed)):
        words = mechanism.release(Words(alphabet, codes, np.arange(DRAWS + 1) * len(word)))
    assert isinstance(words, Words)
    return words


def distances(words: Words, word: list[Any]) -> Any:
    differ = words.codes.reshape(-1, len(word)) != words.alphabet.encode(word)
    return np.bincount(differ.sum(axis=1), minlength=len(word) + 1)


@BOTH
@DOMAINS
def test_every_release_is_possible_and_its_distance_has_the_law(domain: Any, kind: Any) -> None:
    language, word = domain()
    mechanism = kind(language, epsilon=EPSILON, calibration="paper")
    words = released(mechanism, word, seed=31)
    assert len(words) == DRAWS
    assert (language.first_impossible_each(words) == -1).all()
    counts = distances(words, word)
    assert not chi_square_agrees(counts, mechanism.distance_distribution(word), ALPHA).rejected
    twins = {
        "more epsilon": kind(language, epsilon=1.1 * EPSILON, calibration="paper"),
        "the other mechanism": OTHER[kind](language, epsilon=EPSILON, calibration="paper"),
        "all words": kind(language.alphabet, epsilon=EPSILON, calibration="paper"),
    }
    for name, twin in twins.items():
        law = twin.distance_distribution(word)
        assert chi_square_agrees(counts, law, ALPHA).rejected, name


@DOMAINS
def test_the_certified_rate_draws_its_own_law(domain: Any) -> None:
    language, word = domain()
    epsilon = 4
    mechanism = WordExponential(language, epsilon=epsilon, calibration="exact")
    words = released(mechanism, word, seed=33)
    assert (language.first_impossible_each(words) == -1).all()
    counts = distances(words, word)
    assert not chi_square_agrees(counts, mechanism.distance_distribution(word), ALPHA).rejected
    published = WordExponential(
        language, epsilon=epsilon, calibration="paper"
    ).distance_distribution(word)
    assert chi_square_agrees(counts, published, ALPHA).rejected
    everywhere = WordExponential(language.alphabet, epsilon=epsilon).distance_distribution(word)
    assert chi_square_agrees(counts, everywhere, ALPHA).rejected


@DOMAINS
def test_the_wrong_twin_on_all_words_leaves_the_language(domain: Any) -> None:
    language, word = domain()
    twin = WordExponential(language.alphabet, epsilon=EPSILON, calibration="paper")
    outside = (language.first_impossible_each(released(twin, word, seed=32)) >= 0).mean()
    assert outside > 0.1
