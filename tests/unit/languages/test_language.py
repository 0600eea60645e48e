"""Languages: membership, lengths, samples, equality; first the language of all words."""

import itertools
import pickle
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from privet.errors import (
    DataError,
    DomainError,
    ModelError,
    ParameterError,
    ParameterTypeError,
    PrivetError,
)
from privet.languages import Automaton, Language
from privet.symbols import Alphabet, Codes, Words

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


def test_samples_at_a_distance_from_all_words() -> None:
    word = ["a", "b", "c", "a"]
    for distance in range(5):
        drawn = LANGUAGE.sample_at_distance(word, distance)
        assert sum(x != y for x, y in zip(word, drawn, strict=True)) == distance
    with pytest.raises(ParameterError, match="no word at distance 5"):
        LANGUAGE.sample_at_distance(word, 5)


def test_all_words_of_a_huge_alphabet_need_no_table() -> None:
    huge = Language.all(Alphabet(range(100_000)))
    assert huge.count(2) == 10**10
    assert huge.is_all
    assert huge.has_words(7)
    assert len(huge.sample(3)) == 3


# ------------------------------------------------------------------------ languages that forbid

NO_DOUBLE_B = Language.from_allowed(ALPHABET, [[1, 1, 1], [1, 0, 1], [1, 1, 1]])
THREES = Language.from_regex(ALPHABET, "(a b c){2,}")


def test_the_first_impossible_step_is_a_position() -> None:
    assert NO_DOUBLE_B.first_impossible(["a", "b", "a", "b"]) is None
    assert NO_DOUBLE_B.first_impossible(["a", "b", "b", "a", "b", "b"]) == 2
    assert THREES.first_impossible(["b"]) == 0
    assert THREES.first_impossible(["a", "b", "c"]) == 3
    assert THREES.first_impossible([]) == 0
    assert LANGUAGE.first_impossible([]) is None
    assert NO_DOUBLE_B.first_impossible(Codes(np.array([1, 1]))) == 1  # type: ignore[arg-type]  # codes are words too


def test_unknown_symbols_have_a_position_and_no_name() -> None:
    with pytest.raises(DomainError, match="position 1") as caught:
        NO_DOUBLE_B.first_impossible(["a", "secret"])
    assert "secret" not in str(caught.value)
    assert not NO_DOUBLE_B.contains(["a", "secret"])


def test_the_first_impossible_step_of_many_words() -> None:
    lists = [["b", "b"], [], ["a", "b", "a"], ["c", "c", "b", "b"]]
    words = Words.from_lists(ALPHABET, lists)
    assert NO_DOUBLE_B.first_impossible_each(words).tolist() == [1, -1, -1, 3]
    assert LANGUAGE.first_impossible_each(words).tolist() == [-1, -1, -1, -1]
    with pytest.raises(DataError, match="One word is expected"):
        NO_DOUBLE_B.first_impossible(words)  # type: ignore[arg-type]  # what the error is about


@pytest.mark.parametrize(
    ("language", "length", "near"),
    [
        (THREES, 0, (6,)),
        (THREES, 7, (6, 9)),
        (THREES, 3_001, (3_000, 3_003)),
        (Language.from_regex(ALPHABET, "a{2} | b{40}"), 3, (2, 40)),
        (Language.from_regex(ALPHABET, "a{2} | b{40}"), 90, (40,)),
        (Language.from_regex(ALPHABET, "a{500}"), 3, (500,)),
        (Language.from_regex(ALPHABET, "(.{97})+"), 98, (97, 194)),
    ],
)
def test_a_length_without_words_is_refused_with_the_nearest_ones(
    language: Language, length: int, near: tuple[int, ...]
) -> None:
    assert not language.has_words(length)
    assert language.count(length) == 0
    with pytest.raises(ParameterError, match=f"no word of length {length}") as caught:
        language.sample(length)
    assert caught.value.payload["lengths"] == near
    for other in near:
        assert str(other) in caught.value.hint
        language.check_length(other)


def test_a_distance_without_words_is_refused() -> None:
    with pytest.raises(ParameterError, match="no word at distance 1 "):
        THREES.sample_at_distance(["a", "b", "c"] * 2, 1)
    with pytest.raises(ParameterError, match="no word at distance 7 "):
        THREES.sample_at_distance(["a", "b", "c"] * 2, 7)


def test_equal_languages_are_equal_however_made() -> None:
    same = Language.from_regex(ALPHABET, "(a | c | b (a | c))* b?")
    assert same == NO_DOUBLE_B
    assert len({same, NO_DOUBLE_B, LANGUAGE}) == 2
    assert same != LANGUAGE
    assert Language.from_regex(ALPHABET, ".*") == LANGUAGE
    assert Language.from_regex(ALPHABET, ".*").is_all
    assert not NO_DOUBLE_B.is_all
    assert NO_DOUBLE_B != "abc"


def test_languages_cross_process_pools() -> None:
    NO_DOUBLE_B.sample(3)
    for language in (NO_DOUBLE_B, LANGUAGE):
        assert pickle.loads(pickle.dumps(language)) == language


def test_representations_say_which_kind() -> None:
    assert repr(LANGUAGE) == "Language.all(Alphabet(['a', 'b', 'c']))"
    assert (
        repr(NO_DOUBLE_B) == "Language(Alphabet(['a', 'b', 'c']), Automaton(2 states, 3 symbols))"
    )


def test_a_language_has_words() -> None:
    with pytest.raises(ModelError, match="no words at all"):
        Language(ALPHABET, Automaton([[0, 0, 0]], 0, [False]))
    only_empty = Language.from_regex(ALPHABET, "")
    assert only_empty.contains([])
    assert only_empty.sample(0) == []
    assert only_empty.count_by_distance([]) == [1]


AB = Alphabet(["a", "b"])
SOUND = Language.from_regex(AB, "a* b")
ANY: Any = Language  # arguments below are of the wrong kind on purpose


@pytest.mark.parametrize(
    ("make", "kind", "said"),
    [
        (
            lambda: ANY.from_dfa(AB, [[0, 1], [1, 1]], 0, [[True], [True, False]]),
            ModelError,
            "accepting differ in length",
        ),
        (lambda: ANY.from_dfa("ab", {0: {}}, 0, [0]), ParameterTypeError, "not an Alphabet"),
        (lambda: ANY.from_nfa(AB, None, 0, [0]), ModelError, "not a mapping"),
        (
            lambda: ANY.from_nfa(AB, {0: {"a": [0]}}, 0, [0], most_states="x"),
            ParameterTypeError,
            "most_states is a str",
        ),
        (lambda: ANY.from_nfa(None, {0: {}}, 0, [0]), ParameterTypeError, "not an Alphabet"),
        (
            lambda: ANY.from_regex(AB, "a*", most_states=None),
            ParameterTypeError,
            "most_states is a NoneType",
        ),
        (lambda: ANY.from_regex(["a"], "a*"), ParameterTypeError, "not an Alphabet"),
        (lambda: ANY.from_chain(None), ParameterTypeError, "not a Markov chain"),
        (
            lambda: ANY.from_allowed(["a", "b"], [[1, 1], [1, 0]]),
            ParameterTypeError,
            "not an Alphabet",
        ),
        (lambda: ANY.all(None), ParameterTypeError, "not an Alphabet"),
        (lambda: ANY(AB, "x"), ParameterTypeError, "not an automaton"),
        (lambda: ANY.union(SOUND, None), ParameterTypeError, "not a Language"),
        (lambda: ANY.union(SOUND, SOUND, most_states="x"), ParameterTypeError, "most_states"),
        (
            lambda: ANY.intersection(SOUND, SOUND, most_states="x"),
            ParameterTypeError,
            "most_states",
        ),
    ],
)
def test_what_is_not_even_of_the_right_kind_is_refused_by_name(
    make: Callable[[], object], kind: type[PrivetError], said: str
) -> None:
    with pytest.raises(kind, match=said):
        make()
