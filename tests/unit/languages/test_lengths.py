"""Lengths, capped counts and nearest words, against lists of all words."""

import itertools

import numpy as np
import pytest

from privet import Alphabet, Language, ParameterError
from privet.languages import lengths
from privet.languages.automaton import Automaton

AB = Alphabet(["a", "b"])
CASES = {
    "one way": Language.from_allowed(AB, [[1, 1], [0, 1]]),
    "constant": Language.from_regex(AB, "a* | b*"),
    "even": Language.from_dfa(AB, [[0, 1], [1, 0]], 0, [True, False]),
    "pairs": Language.from_regex(AB, "(a b)*"),
    "mixed": Language.from_regex(Alphabet("abc"), "(a b | b a | c c)* | a{3} | b{2} c"),
    "many symbols": Language.from_allowed(
        Alphabet(range(4)), [[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 0], [0, 1, 0, 1]]
    ),
}


def listed(language: Language, length: int) -> list[tuple[object, ...]]:
    every = itertools.product(language.alphabet.symbols, repeat=length)
    return [word for word in every if language.contains(word)]


@pytest.mark.parametrize("name", CASES)
def test_counts_and_lengths_are_those_of_the_list(name: str) -> None:
    language = CASES[name]
    counts = [len(listed(language, n)) for n in range(7)]
    flags = lengths.lengths_up_to(language.automaton, 6)
    assert flags.tolist() == [count > 0 for count in counts]
    for length, count in enumerate(counts):
        assert language.has_words(length) is (count > 0)
        assert language.count_up_to(length, 1 << 20) == count
        assert language.count_up_to(length, 2) == min(count, 2)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("most", [1, 2, 300])
def test_the_fewest_differences_are_those_of_the_list(name: str, most: int) -> None:
    language = CASES[name]
    found = lengths.fewest_differences(language.automaton, 6, most)
    assert found is not None
    for length in range(7):
        pairs = itertools.combinations(listed(language, length), 2)
        apart = [sum(a != b for a, b in zip(*pair, strict=True)) for pair in pairs]
        assert min(found[length], most + 1) == min([*apart, most + 1])


def test_lengths_far_away_are_told_by_squaring() -> None:
    pairs = CASES["pairs"]
    assert pairs.has_words(10**9)
    assert not pairs.has_words(10**9 + 1)
    assert CASES["one way"].has_words(10**18)
    with pytest.raises(ParameterError, match="no word of length 1000000001"):
        pairs.check_length(10**9 + 1)
    with pytest.raises(ParameterError, match="100000 and 100002"):
        pairs.check_length(100_001)


def test_bounds_are_stated_before_anything_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    ring = Language.from_dfa(
        AB,
        np.array([[(s + 1) % 2000, (s + 3) % 2000] for s in range(2000)]),
        0,
        [True] + [False] * 1999,
    )
    with pytest.raises(ParameterError, match="too long"):
        ring.has_words(10**9 + 1)
    language = CASES["one way"]

    def unexpected(*_: object) -> None:
        raise AssertionError("it was counted")

    monkeypatch.setattr("privet.languages.language.count", unexpected)
    monkeypatch.setattr("privet.languages.language.DistanceTable", unexpected)
    with pytest.raises(ParameterError, match="too long to be counted"):
        language.count(10**7)
    with pytest.raises(ParameterError, match="too long to be counted"):
        language.count_by_distance(["a"] * 100_000)
    with pytest.raises(ParameterError, match="too long to be counted"):
        Language.all(AB).count(10**12)
    with pytest.raises(ParameterError, match="too long"):
        language.count_up_to(10**7, 2)
    with pytest.raises(ParameterError, match="most"):
        language.count_up_to(3, 1 << 21)


def test_a_large_automaton_is_not_searched_for_neighbours() -> None:
    states = 20_000
    table = np.array([[(s + 1) % states, (s + 3) % states] for s in range(states)])
    automaton = Automaton(table, 0, np.ones(states, bool))
    assert lengths.fewest_differences(automaton, 50, 1) is None
