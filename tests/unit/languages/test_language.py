"""The language of all words: counts, membership, uniform samples."""

import itertools
from collections import Counter

import pytest

from privet.errors import DomainError, ParameterError
from privet.languages import Language
from privet.symbols import Alphabet

ALPHABET = Alphabet(["a", "b", "c"])
LANGUAGE = Language.all(ALPHABET)


def test_counts_agree_with_enumeration() -> None:
    word = ["a", "c", "b"]
    everything = list(itertools.product(ALPHABET.symbols, repeat=3))
    distances = Counter(sum(x != y for x, y in zip(word, w, strict=True)) for w in everything)
    assert LANGUAGE.count(3) == len(everything)
    assert LANGUAGE.count_by_distance(word) == [distances[level] for level in range(4)]
    assert LANGUAGE.count(0) == 1
    assert LANGUAGE.count_by_distance([]) == [1]


def test_counts_are_exact_for_long_words() -> None:
    assert LANGUAGE.count(1000) == 3**1000
    assert sum(LANGUAGE.count_by_distance(["a"] * 500)) == 3**500


def test_membership() -> None:
    assert LANGUAGE.contains(["a", "b"])
    assert LANGUAGE.contains([])
    assert not LANGUAGE.contains(["a", "z"])


def test_samples_have_the_length_and_the_symbols_asked_for() -> None:
    word = LANGUAGE.sample(200)
    assert len(word) == 200
    assert set(word) == set(ALPHABET.symbols)
    assert LANGUAGE.sample(0) == []


def test_bad_arguments() -> None:
    with pytest.raises(ParameterError):
        LANGUAGE.count(-1)
    with pytest.raises(DomainError):
        LANGUAGE.count_by_distance(["z"])


def test_equality() -> None:
    assert Language.all(Alphabet(["a", "b", "c"])) == LANGUAGE
    assert Language.all(Alphabet(["a", "b"])) != LANGUAGE
    assert LANGUAGE.is_all
