"""Exact counts and draws against enumeration, and long words in reasonable time and memory."""

import itertools
import math
import time
from collections import Counter

import numpy as np
import pytest

from privet.languages import Automaton, Language
from privet.languages.counting import CountTable, DistanceTable
from privet.randomness import current_source, using_source
from privet.symbols import Alphabet
from privet.testing import ReplaySource

# (0/1 matrix, word, number of words, number at each distance), by enumeration of the definition.
CASES = [
    ("101 110 101", "0000", 24, [1, 5, 9, 7, 2]),
    ("101 110 101", "2220", 24, [1, 4, 7, 8, 4]),
    ("101 110 101", "1110", 24, [1, 2, 3, 10, 8]),
    ("11 01", "01111", 6, [1, 2, 1, 1, 1, 0]),
    ("11 01", "00000", 6, [1, 1, 1, 1, 1, 1]),
    ("1111 0111 1111 1111", "1120", 209, [1, 9, 37, 81, 81]),
    ("1000 1100 1010 1001", "330", 10, [1, 2, 5, 2]),
    ("1000 1100 1010 1001", "222", 10, [1, 1, 1, 7]),
]
GRID = 4


def grid_world() -> Language:
    """Rooms of a 4 x 4 house: stay, or go through a door to a neighbouring room."""
    rooms = list(itertools.product(range(GRID), repeat=2))
    allowed = [[abs(a - c) + abs(b - d) <= 1 for c, d in rooms] for a, b in rooms]
    return Language.from_allowed(Alphabet(rooms), allowed)


@pytest.mark.parametrize(("rows", "text", "size", "distances"), CASES)
def test_counts_of_known_languages(rows: str, text: str, size: int, distances: list[int]) -> None:
    matrix = [[int(entry) for entry in row] for row in rows.split()]
    language = Language.from_allowed(Alphabet(range(len(matrix))), matrix)
    word = [int(symbol) for symbol in text]
    assert language.count(len(word)) == size
    assert language.count_by_distance(word) == distances


def test_a_word_outside_the_language_has_distances_too() -> None:
    language = Language.from_allowed(Alphabet("ab"), [[0, 1], [1, 0]])
    assert language.count_by_distance("a" * 4 and list("aaaa")) == [0, 0, 2, 0, 0]


def test_all_words_as_an_automaton_agree_with_the_closed_form() -> None:
    automaton = Automaton(np.zeros((1, 5), np.int32), 0, [True])
    table = DistanceTable(automaton, np.zeros(300, np.int64))
    assert table.counts == [math.comb(300, k) * 4**k for k in range(301)]
    assert CountTable(automaton, 300).count == 5**300


def test_states_that_no_word_can_reach_do_not_spill_into_the_counts() -> None:
    # From "b" anything may follow, but no word of length 6 gets there: its many completions must
    # not run over the slots, which are as wide as the few words that exist need.
    language = Language.from_regex(Alphabet("abcdefgh"), "a{6} | a{7} b .*")
    assert language.count(6) == 1
    assert language.count_by_distance(list("aabaaa")) == [0, 1, 0, 0, 0, 0, 0]
    assert language.sample_at_distance(list("aabaaa"), 1) == list("aaaaaa")


def test_no_words_of_a_length_have_counts_of_zero() -> None:
    language = Language.from_regex(Alphabet("ab"), "(a b)*")
    assert language.count(3) == 0
    assert language.count_by_distance(list("aba")) == [0, 0, 0, 0]


def test_every_rank_is_another_word() -> None:
    language = grid_world()
    drawn: Counter[tuple[int, ...]] = Counter()
    with using_source(ReplaySource(1)):
        table = CountTable(language.automaton, 3)
        for _ in range(60 * table.count):
            drawn[tuple(table.sample(current_source()).tolist())] += 1
    assert len(drawn) == table.count == language.count(3)


@pytest.mark.parametrize("length", [0, 1, 2, 3, 7, 50, 101])
def test_draws_have_the_length_and_the_distance_asked_for(length: int) -> None:
    language = grid_world()
    word = language.sample(length)
    assert language.contains(word)
    for distance, words in enumerate(language.count_by_distance(word)):
        if words:
            drawn = language.sample_at_distance(word, distance)
            assert sum(x != y for x, y in zip(word, drawn, strict=True)) == distance
            assert language.contains(drawn)


def test_rows_computed_again_are_the_rows_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    automaton = grid_world().automaton
    with using_source(ReplaySource(2)):
        whole = [CountTable(automaton, 40).sample(current_source()).tolist() for _ in range(20)]
    monkeypatch.setattr("privet.languages.counting._KEPT_BYTES", 0)
    with using_source(ReplaySource(2)):
        again = [CountTable(automaton, 40).sample(current_source()).tolist() for _ in range(20)]
    assert whole == again


def test_counts_by_distance_of_a_thousand_symbols() -> None:
    language = grid_world()
    word = language.sample(1000)
    start = time.process_time()
    counts = language.count_by_distance(word)
    assert time.process_time() - start < 5
    assert sum(counts) == language.count(1000)
    assert counts[0] == 1


def test_words_of_ten_thousand_symbols() -> None:
    language = grid_world()
    start = time.process_time()
    word = language.sample(10_000)
    assert time.process_time() - start < 5
    assert language.contains(word)
    assert language.count(10_000).bit_length() > 19_000
