"""Uniform words of a language, and the laws that plausible mistakes would give.

False alarm rate alpha = 1e-9 a test, 5,000 draws each; the bits are replayed, so a run says the
same everywhere. Each test's draws must also reject the wrong twin it names.
"""

import itertools
from collections import Counter

import numpy as np
import pytest

from privet.languages import Language
from privet.randomness import using_source
from privet.symbols import Alphabet
from privet.testing import ReplaySource, chi_square_agrees

ALPHA = 1e-9
DRAWS = 5_000
AB = Alphabet("ab")


def enumerated(language: Language, length: int) -> list[tuple[object, ...]]:
    every = itertools.product(language.alphabet.symbols, repeat=length)
    return [word for word in every if language.contains(word)]


def drawn(language: Language, length: int, seed: int) -> Counter[tuple[object, ...]]:
    with using_source(ReplaySource(seed)):
        return Counter(tuple(language.sample(length)) for _ in range(DRAWS))


def test_samples_are_uniform_over_words_and_not_over_paths() -> None:
    # Wrong twin: counting the paths of the nondeterministic automaton, one for each a in the word.
    moves = {0: {"a": [0, 1], "b": [0]}, 1: {"a": [1], "b": [1]}}
    language = Language.from_nfa(AB, moves, 0, [1])
    words = enumerated(language, 4)
    counts = drawn(language, 4, 1)
    seen = [counts[word] for word in words]
    assert sum(seen) == DRAWS
    assert not chi_square_agrees(seen, np.full(15, 1 / 15), ALPHA).rejected
    paths = np.array([word.count("a") for word in words])
    assert chi_square_agrees(seen, paths / paths.sum(), ALPHA).rejected


def step_by_step(language: Language, words: list[tuple[object, ...]]) -> list[float]:
    """The law of a walk that takes each possible next symbol with equal probability."""
    prefixes = {word[:end] for word in words for end in range(len(words[0]) + 1)}
    law = []
    for word in words:
        probability = 1.0
        for end in range(len(word)):
            choices = sum((*word[:end], s) in prefixes for s in language.alphabet.symbols)
            probability /= choices
        law.append(probability)
    return law


@pytest.mark.parametrize("kept", [1 << 25, 0])
def test_samples_are_uniform_and_not_a_walk_over_possible_steps(
    kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Wrong twin: each possible next symbol with equal probability, whatever it leads to.
    monkeypatch.setattr("privet.languages.counting._KEPT_BYTES", kept)
    language = Language.from_regex(Alphabet("abc"), "a{5} | b .* | .(a c)*")
    words = enumerated(language, 5)
    counts = drawn(language, 5, 2)
    seen = [counts[word] for word in words]
    assert sum(seen) == DRAWS
    assert not chi_square_agrees(seen, np.full(len(words), 1 / len(words)), ALPHA).rejected
    assert chi_square_agrees(seen, step_by_step(language, words), ALPHA).rejected


@pytest.mark.parametrize("distance", [2, 3])
def test_samples_at_a_distance_are_uniform_and_not_a_walk(distance: int) -> None:
    # Wrong twin as before, among the words at the distance.
    language = Language.from_allowed(Alphabet("abc"), [[1, 0, 1], [1, 1, 0], [1, 0, 1]])
    word = list("aacab")
    near = [
        w
        for w in enumerated(language, 5)
        if sum(x != y for x, y in zip(w, word, strict=True)) == distance
    ]
    with using_source(ReplaySource(3)):
        counts = Counter(tuple(language.sample_at_distance(word, distance)) for _ in range(DRAWS))
    seen = [counts[w] for w in near]
    assert sum(seen) == DRAWS
    assert not chi_square_agrees(seen, np.full(len(near), 1 / len(near)), ALPHA).rejected
    assert chi_square_agrees(seen, step_by_step(language, near), ALPHA).rejected


def test_samples_at_a_distance_from_all_words_are_uniform() -> None:
    # Wrong twin: the first position is changed twice as often as it should be.
    language = Language.all(Alphabet("abc"))
    word = list("abca")
    near = [
        w
        for w in itertools.product("abc", repeat=4)
        if sum(x != y for x, y in zip(w, word, strict=True)) == 2
    ]
    with using_source(ReplaySource(4)):
        counts = Counter(tuple(language.sample_at_distance(word, 2)) for _ in range(DRAWS))
    seen = [counts[w] for w in near]
    assert sum(seen) == DRAWS
    assert not chi_square_agrees(seen, np.full(24, 1 / 24), ALPHA).rejected
    first_changes = np.array([2.0 if w[0] != "a" else 1.0 for w in near])
    assert chi_square_agrees(seen, first_changes / first_changes.sum(), ALPHA).rejected
