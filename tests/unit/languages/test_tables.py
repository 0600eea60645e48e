"""Languages from allowed transitions, chains, named automata; what is said of wrong ones."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.errors import ModelError
from privet.languages import Language
from privet.symbols import Alphabet

DOORS = Alphabet(["hall", "kitchen", "bath"])
STEPS = {"hall": ["hall", "kitchen", "bath"], "kitchen": ["hall"], "bath": ["hall"]}
MATRIX = [[1, 1, 1], [1, 0, 0], [1, 0, 0]]


def test_allowed_steps_by_matrix_and_by_name() -> None:
    language = Language.from_allowed(DOORS, MATRIX)
    assert language == Language.from_allowed(DOORS, STEPS)
    assert language == Language.from_allowed(DOORS, np.array(MATRIX, bool))
    assert language.contains(["kitchen", "hall", "bath"])
    assert not language.contains(["kitchen", "bath"])
    assert language.contains([])
    assert language.contains(["bath"])


def test_the_first_symbol_may_be_fixed() -> None:
    language = Language.from_allowed(DOORS, MATRIX, start="kitchen")
    assert language.contains(["kitchen", "hall"])
    assert language.first_impossible(["hall", "hall"]) == 0
    assert language.count(2) == 1
    either = Language.from_allowed(DOORS, MATRIX, start=["kitchen", "hall"])
    assert either.count(2) == 4


def test_a_start_that_is_a_tuple_is_one_symbol_if_it_is_in_the_alphabet() -> None:
    pairs = Alphabet([(0, 0), (0, 1)])
    assert Language.from_allowed(pairs, [[1, 1], [1, 1]], start=(0, 1)).count(1) == 1


def test_a_symbol_without_successors_ends_words() -> None:
    language = Language.from_allowed(Alphabet("ab"), {"a": ["a", "b"], "b": []})
    assert language.contains(list("aab"))
    assert language.first_impossible(list("aba")) == 2


def test_everything_allowed_is_all_words() -> None:
    language = Language.from_allowed(DOORS, np.ones((3, 3), int))
    assert language.is_all
    assert language == Language.all(DOORS)
    assert hash(language) == hash(Language.all(DOORS))


@pytest.mark.parametrize(
    ("allowed", "message"),
    [
        ([[1, 1], [1, 0]], r"shape \(2, 2\), not \(3, 3\)"),
        ([[1, 1, 1], [1, 0]], "differ in length"),
        ([[1, 1, 1], [1, 0, 0.5], [1, 1, 1]], "Row 1, column 2"),
        ([[1, 1, 1], [1, 0, float("nan")], [1, 1, 1]], "Row 1, column 2"),
        ([[1, 1, 1], [1, 0, 1], [1, -1, 1]], "Row 2, column 1"),
        ([["yes", 1, 1], [1, 0, 1], [1, 1, 1]], "Row 0, column 0"),
        ({"hall": ["hall"], "kitchen": []}, "say nothing about symbol 'bath'"),
        ({**STEPS, "cellar": []}, "names 'cellar', which is not a symbol"),
        ({**STEPS, "bath": ["cellar"]}, "What may follow 'bath' names 'cellar'"),
        ({**STEPS, "bath": "hall"}, "What may follow 'bath' must be a list"),
        (3, r"shape \(\)"),
    ],
)
def test_bad_steps(allowed: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Language.from_allowed(DOORS, allowed)


def test_bad_starts() -> None:
    with pytest.raises(ModelError, match="start must be a list"):
        Language.from_allowed(DOORS, MATRIX, start="cellar")
    with pytest.raises(ModelError, match="start names 'cellar'"):
        Language.from_allowed(DOORS, MATRIX, start=["hall", "cellar"])


def test_too_many_steps_to_list() -> None:
    huge = Alphabet(range(6_000))
    with pytest.raises(ModelError, match="Steps between 6000 symbols"):
        Language.from_allowed(huge, np.broadcast_to(np.int8(1), (6_000, 6_000)))


@dataclass(frozen=True)
class Chain:
    states: list[str]
    initial: Any
    transition: Any


def test_the_support_of_a_chain() -> None:
    half = Fraction(1, 2)
    chain = Chain(["a", "b", "c"], [half, half, 0], [[half, half, 0], [0, 0, 1], [0, 1, 0]])
    language = Language.from_chain(chain)
    assert language.contains(list("aabcb"))
    assert not language.contains(list("ca"))
    assert language.first_impossible(list("cb")) == 0
    assert language.alphabet == Alphabet("abc")
    anywhere = Language.from_chain(chain, start=["a", "b", "c"])
    assert anywhere.contains(list("cb"))
    floats = Chain(chain.states, np.array([0.5, 0.5, 0]), np.array(chain.transition, float))
    assert Language.from_chain(floats) == language


def test_a_named_automaton_and_its_table_are_one_language() -> None:
    ab = Alphabet("ab")
    named = Language.from_dfa(
        ab, {"even": {"a": "even", "b": "odd"}, "odd": {"b": "even"}}, "even", ["even"]
    )
    table = Language.from_dfa(ab, [[0, 1], [-1, 0]], 0, [True, False])
    assert named == table
    assert named.contains(list("abba"[:3]))
    assert not named.contains(list("ba"))


def test_a_nondeterministic_automaton_counts_words_and_not_paths() -> None:
    # "a" anywhere: one path for each a in the word.
    moves = {0: {"a": [0, 1], "b": [0]}, 1: {"a": [1], "b": [1]}}
    language = Language.from_nfa(Alphabet("ab"), moves, 0, [1])
    assert language.count(3) == 7
    assert language.automaton.size == 2


def test_moves_that_read_nothing() -> None:
    moves: dict[int, dict[str | None, list[int]]] = {
        0: {None: [1, 2]},
        1: {"a": [1], None: [3]},
        2: {"b": [2], None: [3]},
        3: {None: [0, 3]},
    }
    language = Language.from_nfa(Alphabet("abc"), moves, 0, [3])
    assert language == Language.from_regex(Alphabet("abc"), "(a|b)*")


@pytest.mark.parametrize(
    ("moves", "initial", "accepting", "message"),
    [
        ({0: {"a": [1]}}, 0, [0], "The row of state 0 names state 1, which has no row"),
        ({0: {"z": [0]}}, 0, [0], "The row of state 0 names 'z', which is not a symbol"),
        ({0: {"a": 0}}, 0, [0], "The row of state 0, symbol 'a', must be a list"),
        ({0: [0]}, 0, [0], "The row of state 0 is a list, not a mapping"),
        ({0: {"a": [0]}}, 1, [0], "initial names state 1"),
        ({0: {"a": [0]}}, [], [0], "initial names state"),
        ({0: {"a": [0]}}, 0, [1], "accepting names state 1"),
        ({0: {"a": [0]}}, 0, 0, "accepting must be a list"),
        ({0: {"a": [0]}}, 0, [], "no words at all"),
        ({}, 0, [], "initial names state 0"),
    ],
)
def test_bad_named_automata(moves: Any, initial: Any, accepting: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Language.from_nfa(Alphabet("ab"), moves, initial, accepting)


def test_bad_deterministic_automata() -> None:
    with pytest.raises(ModelError, match="The row of state 0 names state 7"):
        Language.from_dfa(Alphabet("ab"), {0: {"a": 7}}, 0, [0])
    with pytest.raises(ModelError, match="initial names state 0"):
        Language.from_dfa(Alphabet("ab"), {}, 0, [])
    with pytest.raises(ModelError, match="reads 3 symbols, the alphabet has 2"):
        Language.from_dfa(Alphabet("ab"), [[0, 0, 0]], 0, [True])


def test_the_bound_on_determinising_is_named() -> None:
    moves = {i: {"a": [i + 1], "b": [i + 1]} for i in range(1, 12)}
    moves |= {0: {"a": [0, 1], "b": [0]}, 12: {}}
    with pytest.raises(ModelError, match="needs more than 4000 states") as caught:
        Language.from_nfa(Alphabet("ab"), moves, 0, [12], most_states=4000)
    assert caught.value.payload["most_states"] == 4000
    assert Language.from_nfa(Alphabet("ab"), moves, 0, [12]).automaton.size == 4096
