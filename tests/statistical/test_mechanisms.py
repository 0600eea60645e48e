"""Every mechanism's releases against its law, and against a law they must not be taken for.

False alarm rate alpha = 1e-9 a test; the bits are replayed, so a run says the same everywhere. The
wrong twin of a mechanism has 10% more epsilon: its law is what an error in the rate would give, and
the same draws must reject it.
"""

import inspect
import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from privet import Alphabet, Exponential, Language, Words
from privet.mechanisms import REGISTRY, HammingMechanism
from privet.mechanisms.levels import StaircaseLevels
from privet.mechanisms.substitution import substitute
from privet.randomness import using_source
from privet.testing import ReplaySource, chi_square_agrees

ALPHA = 1e-9
SYMBOLS = 3
ON_WORDS: dict[str, type[Any]] = {
    name: kind for name, kind in REGISTRY.items() if issubclass(kind, HammingMechanism)
}
EVERY_ON_WORDS = pytest.mark.parametrize("name", list(ON_WORDS))


def make(name: str, epsilon: float, adjacency: int = 1) -> HammingMechanism:
    language = Language.all(Alphabet(range(SYMBOLS)))
    taken = inspect.signature(ON_WORDS[name]).parameters
    options = {"adjacency": adjacency} if "adjacency" in taken else {}
    first = language if "language" in taken else language.alphabet
    mechanism: HammingMechanism = ON_WORDS[name](first, epsilon=epsilon, **options)
    return mechanism


def released(mechanism: HammingMechanism, word: list[int], count: int, seed: int) -> Any:
    """(count, n) codes: independent releases of one word."""
    codes = np.tile(np.array(word, np.uint8), count)
    offsets = np.arange(count + 1) * len(word)
    with using_source(ReplaySource(seed)):
        words = mechanism.release(Words(mechanism.alphabet, codes, offsets))
    return words.codes.reshape(count, len(word))


@EVERY_ON_WORDS
@pytest.mark.parametrize("adjacency", [1, 3])
@pytest.mark.parametrize("epsilon", [0.5, 3])
def test_every_output_word_has_its_probability(name: str, adjacency: int, epsilon: float) -> None:
    # 300 000 draws on 27 words; at adjacency 3 the staircase has shift 1.
    word, count = [0, 2, 1], 300_000
    mechanism, twin = make(name, epsilon, adjacency), make(name, 1.1 * epsilon, adjacency)
    drawn = Counter(map(bytes, released(mechanism, word, count, seed=1)))
    outputs = list(itertools.product(range(SYMBOLS), repeat=3))
    counts = [drawn[bytes(output)] for output in outputs]

    def law(of: HammingMechanism) -> list[float]:
        by_distance = of.probability_of_word(3)
        apart = [sum(a != b for a, b in zip(word, out, strict=True)) for out in outputs]
        return [float(by_distance[distance]) for distance in apart]

    assert sum(counts) == count
    assert not chi_square_agrees(counts, law(mechanism), ALPHA).rejected
    assert chi_square_agrees(counts, law(twin), ALPHA).rejected


@EVERY_ON_WORDS
def test_distances_of_longer_words(name: str) -> None:
    # 20 000 words of 120 symbols; most distances between 40 and 75 are seen.
    mechanism, twin = make(name, 1.5), make(name, 1.65)
    word = [0, 1, 2, 1] * 30
    errors = np.count_nonzero(released(mechanism, word, 20_000, seed=2) != word, axis=1)
    counts = np.bincount(errors, minlength=121)
    assert not chi_square_agrees(counts, mechanism.distance_distribution(120), ALPHA).rejected
    assert chi_square_agrees(counts, twin.distance_distribution(120), ALPHA).rejected


@EVERY_ON_WORDS
def test_words_of_different_lengths_each_have_their_law(name: str) -> None:
    # 60 000 words of each of the lengths 1 and 4, interleaved: a law of the wrong length shows.
    mechanism = make(name, 1.0)
    count = 60_000
    offsets = np.concatenate([[0], np.cumsum(np.tile([1, 0, 4], count))])
    with using_source(ReplaySource(3)):
        words = mechanism.release(
            Words(mechanism.alphabet, np.zeros(offsets[-1], np.uint8), offsets)
        )
    wrong = np.concatenate([[0], np.cumsum(words.codes != 0)])
    errors = wrong[offsets[1:]] - wrong[offsets[:-1]]
    for place, length in ((0, 1), (2, 4)):
        counts = np.bincount(errors[place::3], minlength=length + 1)
        law = mechanism.distance_distribution(length)
        assert not chi_square_agrees(counts, law, ALPHA).rejected
        assert chi_square_agrees(counts, law[::-1], ALPHA).rejected


@EVERY_ON_WORDS
def test_two_releases_are_independent(name: str) -> None:
    # 200 000 pairs of releases of one symbol under one source: all nine cells of the pair.
    mechanism = make(name, 1.0)
    pairs = released(mechanism, [0], 400_000, seed=4).reshape(-1, 2)
    counts = np.bincount(pairs[:, 0] * SYMBOLS + pairs[:, 1], minlength=SYMBOLS**2)
    keep, move = (float(share) for share in mechanism.probability_of_word(1))
    single = np.array([keep, move, move])
    assert not chi_square_agrees(counts, np.outer(single, single).ravel(), ALPHA).rejected
    copied = np.diag(single).ravel() * 0.05 + np.outer(single, single).ravel() * 0.95
    assert chi_square_agrees(counts, copied, ALPHA).rejected


def test_substitution_is_uniform_at_its_distance() -> None:
    # 200 000 words of 4 symbols over 4 at distance 2: 6 position pairs times 9 symbol pairs.
    count, size = 200_000, 4
    word = np.array([3, 0, 2, 1], np.uint8)
    rows = np.tile(word, (count, 1))
    out = substitute(ReplaySource(5), rows, np.full(count, 2), size)
    counts = Counter(map(bytes, out))
    outputs = [
        bytes(o)
        for o in itertools.product(range(size), repeat=4)
        if sum(a != b for a, b in zip(o, word, strict=True)) == 2
    ]
    assert len(outputs) == 54
    seen = [counts[output] for output in outputs]
    assert sum(seen) == count
    assert not chi_square_agrees(seen, np.full(54, 1 / 54), ALPHA).rejected
    # A subset drawn with a slight taste for the front: 5% more on the first position.
    tilted = np.array([1.05 if output[0] != word[0] else 1.0 for output in outputs])
    assert chi_square_agrees(seen, tilted / tilted.sum(), ALPHA).rejected


def test_levels_of_a_staircase_follow_its_two_peaks() -> None:
    # 200 000 levels of a law with a peak on either side of each step.
    from fractions import Fraction

    law = StaircaseLevels(60, 4, Fraction(1, 10**6), period=20, shift=7)
    weights = np.array(
        [math.comb(60, d) * 3.0**d * 1e-6 ** -(-max(d - 7, 0) // 20) for d in range(61)]
    )
    levels = law.draw(ReplaySource(6), 200_000)
    counts = np.bincount(levels, minlength=61)
    probabilities = weights / weights.sum()
    assert not chi_square_agrees(counts, probabilities, ALPHA).rejected
    assert chi_square_agrees(counts, np.roll(probabilities, 1), ALPHA).rejected


def test_general_exponential_follows_its_table() -> None:
    # 200 000 releases for each of two inputs, and the twin with the published factor 2 left out.
    scores = [[0, 1, 2, 3, -40], [3, 2, 1, 0, 1]]
    mechanism = Exponential(
        list("abcde"), scores=scores, inputs=["x", "y"], sensitivity=41, epsilon=60
    )
    twin = Exponential(list("abcde"), scores=scores, inputs=["x", "y"], sensitivity=41, epsilon=120)
    with using_source(ReplaySource(7)):
        drawn = mechanism.release_many(["x", "y"] * 200_000)
    for start, symbol in enumerate("xy"):
        counts: npt.NDArray[np.int64] = np.bincount(
            mechanism.outputs.encode(drawn[start::2]), minlength=5
        )
        assert not chi_square_agrees(counts, mechanism.probabilities(symbol), ALPHA).rejected
        assert chi_square_agrees(counts, twin.probabilities(symbol), ALPHA).rejected
