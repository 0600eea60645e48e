"""Deterministic automata: tables, walks, lengths, smallest forms."""

import itertools
import pickle

import numpy as np
import pytest

from privet.errors import ModelError, ParameterError
from privet.languages import Automaton, graphs

# Words over 0, 1 with an even number of ones; state 2 is dead and state 3 unreachable.
EVEN = Automaton([[0, 1], [1, 0], [2, 2], [0, 3]], 0, [True, False, False, True])


def accepts(automaton: Automaton, word: tuple[int, ...]) -> bool:
    state = automaton.initial
    for code in word:
        state = int(automaton.transitions[state, code])
        if state < 0:
            return False
    return bool(automaton.accepting[state])


def words(symbols: int, length: int) -> list[tuple[int, ...]]:
    return list(itertools.product(range(symbols), repeat=length))


def test_arrays_are_read_only_copies() -> None:
    table = np.array([[0, -1]], np.int64)
    automaton = Automaton(table, 0, np.array([True]))
    table[0, 0] = 7
    assert automaton.transitions.dtype == np.int32
    assert automaton.transitions.tolist() == [[0, -1]]
    assert not automaton.transitions.flags.writeable
    assert not automaton.accepting.flags.writeable
    assert not pickle.loads(pickle.dumps(automaton)).transitions.flags.writeable


def test_equality_is_of_tables() -> None:
    assert pickle.loads(pickle.dumps(EVEN)) == EVEN
    assert EVEN.minimised() != EVEN
    assert len({EVEN, Automaton(EVEN.transitions, 0, EVEN.accepting)}) == 1
    assert EVEN != "EVEN"
    assert repr(EVEN) == "Automaton(4 states, 2 symbols)"


def test_alive_says_which_states_have_words_of_a_length() -> None:
    odd_then_stop = Automaton([[1, 1], [2, -1], [-1, -1]], 0, [False, False, True])
    assert odd_then_stop.alive(3).tolist() == [
        [False, False, True],
        [False, True, False],
        [True, False, False],
        [False, False, False],
    ]
    # Asking for less, then for more, gives parts of the same table.
    table = EVEN.alive(6)
    assert np.array_equal(EVEN.alive(2), table[:3])
    assert np.array_equal(EVEN.alive(9)[:7], table)
    for left, state in itertools.product(range(7), range(4)):
        started = Automaton(EVEN.transitions, state, EVEN.accepting)
        assert table[left, state] == any(accepts(started, w) for w in words(2, left))
    assert not table.flags.writeable


def test_alive_of_an_automaton_without_moves() -> None:
    assert Automaton([[-1, -1]], 0, [True]).alive(2).tolist() == [[True], [False], [False]]


def test_alive_follows_a_period() -> None:
    threes = Automaton([[1, -1], [2, -1], [0, -1]], 0, [True, False, False])
    assert np.flatnonzero(threes.alive(10)[:, 0]).tolist() == [0, 3, 6, 9]


def test_walk_names_the_position_at_which_each_word_leaves() -> None:
    no_double_one = Automaton([[0, 1], [0, -1]], 0, [True, False])
    several = [[0, 1, 0], [1, 1, 0], [], [0, 1], [0, 0, 0, 1, 1], [1]]
    codes = np.array([c for w in several for c in w], np.uint8)
    offsets = np.cumsum([0, *(len(w) for w in several)])
    assert no_double_one.walk(codes, offsets).tolist() == [-1, 1, -1, 2, 4, 1]
    assert no_double_one.walk(codes[:0], offsets[:1]).tolist() == []


def test_trimmed_keeps_the_words_and_drops_states_that_no_word_visits() -> None:
    trimmed = EVEN.trimmed()
    assert trimmed.size == 2
    assert trimmed.initial == 0
    for length in range(5):
        for word in words(2, length):
            assert accepts(trimmed, word) == accepts(EVEN, word)


def test_the_smallest_automaton_does_not_depend_on_names_or_copies() -> None:
    doubled = Automaton([[2, 1], [3, 0], [0, 3], [1, 2]], 2, [True, False, True, False])
    assert doubled.minimised() == EVEN.minimised()
    assert doubled.minimised().size == 2


def test_an_automaton_without_words_is_one_state() -> None:
    empty = Automaton([[1, 0], [0, 1]], 1, [False, False])
    assert empty.is_empty
    assert not EVEN.is_empty
    assert empty.minimised() == Automaton([[-1, -1]], 0, [False])
    assert Automaton([[0, 0], [1, 1]], 0, [False, True]).is_empty


def test_long_chains_are_minimised_in_reasonable_time() -> None:
    # As many rounds as states would take minutes; lengths of words tell the states apart at once.
    size = 5_000
    table = np.full((size, 3), -1)
    table[:-1, 0] = np.arange(1, size)
    assert Automaton(table, 0, np.ones(size, bool)).minimised().size == size


def test_states_that_lengths_do_not_tell_apart_are_told_apart_by_refinement() -> None:
    # A cycle of which every state accepts; a symbol is missing at one place only.
    size = 30
    table = np.stack([(np.arange(size) + 1) % size, np.arange(size)], axis=1)
    table[7, 1] = -1
    automaton = Automaton(table, 0, np.ones(size, bool)).minimised()
    assert automaton.size == size
    table[7, 1] = 7
    assert Automaton(table, 0, np.ones(size, bool)).minimised().size == 1


def test_colliding_multipliers_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    # The first attempt's sums cannot tell two symbols apart; the check must send it round again.
    honest, attempts = graphs._mixed, []

    def colliding(values: "np.ndarray[tuple[int], np.dtype[np.uint64]]", attempt: int) -> object:
        attempts.append(attempt)
        return np.ones_like(values) if attempt == 0 else honest(values, attempt)

    monkeypatch.setattr(graphs, "_mixed", colliding)
    table = [[1, 2], [3, 4], [4, 3], [3, 3], [4, 4]]
    automaton = Automaton(table, 0, [False, False, False, True, False])
    trimmed = automaton.trimmed()
    classes = graphs.equivalence(trimmed.transitions, trimmed.accepting)
    assert len(np.unique(classes)) == 4
    assert attempts == [0, 1]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([], r"shape \(0,\)"),
        ([[0, 1], [0]], "differ in length"),
        ([[0.5, 0]], "type float64"),
        ([[0, 1], [2, 0]], "Row 1 of the transition table moves to 2 on symbol 0"),
        ([[0, -2]], "Row 0 of the transition table moves to -2 on symbol 1"),
    ],
)
def test_bad_tables(table: list[list[int]], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Automaton(table, 0, [True] * len(table))


def test_bad_states() -> None:
    with pytest.raises(ModelError, match="initial state 1 is not one of the 1 states"):
        Automaton([[0, 0]], 1, [True])
    with pytest.raises(ParameterError):
        Automaton([[0, 0]], -1, [True])
    with pytest.raises(ModelError, match=r"shape \(2,\)"):
        Automaton([[0, 0]], 0, [True, False])
    with pytest.raises(ModelError, match="int64"):
        Automaton([[0, 0], [1, 1]], 0, [0, 1])


def test_a_table_that_would_not_fit_memory_is_refused() -> None:
    wide = np.broadcast_to(np.int8(0), (1, (1 << 25) + 1))
    with pytest.raises(ModelError, match="product may be at most 33554432"):
        Automaton(wide, 0, [True])
