"""Languages made at random against enumeration, Python's own expressions, and automata-lib."""

import itertools
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from automata.fa.dfa import DFA
from automata.fa.nfa import NFA
from hypothesis import assume, given
from hypothesis import strategies as st

from privet.errors import ModelError
from privet.languages import Automaton, Language
from privet.symbols import Alphabet, Words

LETTERS = "abc"
ALPHABET = Alphabet(LETTERS)
NAMES = dict(zip(LETTERS, ["home", "at work", "c"], strict=True))
LONGEST = 5
WORDS = ["".join(w) for n in range(LONGEST + 1) for w in itertools.product(LETTERS, repeat=n)]


def counted(part: str, least: int, extra: int | None) -> str:
    most = "" if extra is None else str(least + extra)
    return f"({part}){{{least},{most}}}"


symbols = st.sampled_from([*LETTERS, ".", "[ab]", "[^a]", "[^bc]", "()"])
expressions = st.recursive(
    symbols,
    lambda parts: st.one_of(
        st.builds("{}{}".format, parts, parts),
        st.builds("({}|{})".format, parts, parts),
        st.builds("({}){}".format, parts, st.sampled_from("*+?")),
        st.builds(counted, parts, st.integers(0, 2), st.one_of(st.none(), st.integers(0, 2))),
    ),
    max_leaves=8,
)


def accepted(language: Language) -> set[str]:
    left = language.first_impossible_each(Words.from_lists(ALPHABET, map(list, WORDS)))
    return {word for word, position in zip(WORDS, left.tolist(), strict=True) if position < 0}


@given(expressions)
def test_expressions_mean_what_pythons_mean(pattern: str) -> None:
    compiled = re.compile(pattern)
    language = Language.from_regex(ALPHABET, pattern)
    assert accepted(language) == {word for word in WORDS if compiled.fullmatch(word)}


@given(expressions)
def test_the_spelling_of_the_symbols_does_not_matter(pattern: str) -> None:
    renamed = re.sub("[abc]", lambda found: f" '{NAMES[found.group()]}' ", pattern)
    language = Language.from_regex(ALPHABET, pattern)
    other = Language.from_regex(Alphabet(NAMES.values()), renamed)
    assert other.automaton == language.automaton


@given(expressions, expressions)
def test_equality_is_of_words(first: str, second: str) -> None:
    one, two = Language.from_regex(ALPHABET, first), Language.from_regex(ALPHABET, second)
    # Automata of s and t states that accept the same words shorter than s + t accept the same.
    if one.automaton.size + two.automaton.size <= LONGEST + 1:
        assert (one == two) == (accepted(one) == accepted(two))
    assert Language.from_regex(ALPHABET, f"({first})|({first})") == one
    if one == two:
        assert hash(one) == hash(two)


@st.composite
def tables(draw: st.DrawFn) -> Automaton:
    states = draw(st.integers(1, 5))
    targets = st.lists(st.integers(-1, states - 1), min_size=3, max_size=3)
    rows = draw(st.lists(targets, min_size=states, max_size=states))
    accepting = draw(st.lists(st.booleans(), min_size=states, max_size=states))
    return Automaton(rows, draw(st.integers(0, states - 1)), np.array(accepting, bool))


languages = (
    tables()
    .filter(lambda automaton: not automaton.is_empty)
    .map(lambda automaton: Language(ALPHABET, automaton))
)


def by_automata_lib(automaton: Automaton) -> DFA:
    moves: dict[int, dict[str, int]] = {
        state: {LETTERS[a]: target for a, target in enumerate(row) if target >= 0}
        for state, row in enumerate(automaton.transitions.tolist())
    }
    return DFA(
        states=set(moves),
        input_symbols=set(LETTERS),
        transitions=moves,
        initial_state=automaton.initial,
        final_states=set(np.flatnonzero(automaton.accepting).tolist()),
        allow_partial=True,
    )


@given(tables())
def test_smallest_automata_agree_with_automata_lib(automaton: Automaton) -> None:
    theirs = by_automata_lib(automaton).to_complete().minify()
    ours = automaton.minimised()
    assert by_automata_lib(ours) == by_automata_lib(automaton)
    # Theirs is complete: it has one more state, from which nothing is accepted, if one is needed.
    sink = bool((ours.transitions < 0).any()) and not automaton.is_empty
    assert len(theirs.states) == ours.size + sink
    assert ours.minimised() == ours


@given(languages)
def test_counts_agree_with_automata_lib_and_enumeration(language: Language) -> None:
    theirs = by_automata_lib(language.automaton)
    lengths = Counter(len(word) for word in accepted(language))
    for length in range(LONGEST + 1):
        assert language.count(length) == lengths[length]
        assert language.has_words(length) == (lengths[length] > 0)
    for length in (0, 1, 7, 20):
        assert language.count(length) == theirs.count_words_of_length(length)


@given(languages, st.sampled_from(WORDS))
def test_counts_by_distance_agree_with_enumeration(language: Language, word: str) -> None:
    others = (w for w in accepted(language) if len(w) == len(word))
    found = Counter(sum(x != y for x, y in zip(word, w, strict=True)) for w in others)
    counts = language.count_by_distance(list(word))
    assert counts == [found[distance] for distance in range(len(word) + 1)]
    assert sum(counts) == language.count(len(word))


@given(languages, st.text(LETTERS, min_size=20, max_size=60))
def test_counts_by_distance_of_long_words_add_up(language: Language, word: str) -> None:
    counts = language.count_by_distance(list(word))
    assert sum(counts) == language.count(len(word))
    assert counts[0] == language.contains(list(word))


@given(languages, languages)
def test_de_morgan(first: Language, second: Language) -> None:
    assume(not first.is_all and not second.is_all)
    neither = accepted(~first) & accepted(~second)
    assert accepted(~first) == set(WORDS) - accepted(first)
    assert accepted(first | second) == accepted(first) | accepted(second)
    if (first | second).is_all:
        assert not neither
        with pytest.raises(ModelError, match="no words at all"):
            _ = ~first & ~second
    else:
        assert ~(first | second) == ~first & ~second
    assert first | second == second | first
    assert ~~first == first


@given(languages, languages)
def test_joining_agrees_with_automata_lib(first: Language, second: Language) -> None:
    left, right = by_automata_lib(first.automaton), by_automata_lib(second.automaton)
    assert by_automata_lib((first | second).automaton) == left.union(right)
    both = left.intersection(right)
    if both.isempty():
        with pytest.raises(ModelError, match="no words at all"):
            _ = first & second
    else:
        assert by_automata_lib((first & second).automaton) == both


@st.composite
def nondeterministic(draw: st.DrawFn) -> dict[int, dict[str | None, list[int]]]:
    states = draw(st.integers(1, 5))
    targets = st.lists(st.integers(0, states - 1), max_size=3)
    keys = st.sampled_from([*LETTERS, None])
    rows = st.dictionaries(keys, targets, max_size=4)
    return dict(enumerate(draw(st.lists(rows, min_size=states, max_size=states))))


@given(nondeterministic(), st.data())
def test_determinising_agrees_with_automata_lib(
    moves: dict[int, dict[str | None, list[int]]], data: st.DataObject
) -> None:
    final = data.draw(st.sets(st.sampled_from(sorted(moves))))
    theirs = NFA(
        states=set(moves),
        input_symbols=set(LETTERS),
        transitions={
            state: {symbol or "": set(targets) for symbol, targets in row.items()}
            for state, row in moves.items()
        },
        initial_state=0,
        final_states=final,
    )
    found = {word for word in WORDS if theirs.accepts_input(word)}
    try:
        language = Language.from_nfa(ALPHABET, moves, 0, list(final))
    except ModelError:
        assert DFA.from_nfa(theirs).isempty()
    else:
        assert accepted(language) == found
        assert by_automata_lib(language.automaton) == DFA.from_nfa(theirs)


@given(languages, st.sampled_from(WORDS))
def test_the_first_impossible_step(language: Language, word: str) -> None:
    theirs = by_automata_lib(language.automaton)
    left = language.first_impossible(list(word))
    assert (left is None) == theirs.accepts_input(word)
    state: Any = theirs.initial_state
    for position, letter in enumerate(word):
        state = theirs.transitions[state].get(letter)
        if state is None:
            assert left == position
            return
    assert left in (None, len(word))


@given(languages, st.integers(0, 12), st.data())
def test_samples_belong_to_the_language(
    language: Language, length: int, data: st.DataObject
) -> None:
    assume(language.has_words(length))
    word = language.sample(length)
    assert len(word) == length
    assert language.contains(word)
    other = data.draw(st.text(LETTERS, min_size=length, max_size=length))
    counts = language.count_by_distance(list(other))
    distance = data.draw(st.sampled_from([d for d, number in enumerate(counts) if number]))
    near = language.sample_at_distance(list(other), distance)
    assert language.contains(near)
    assert sum(x != y for x, y in zip(near, other, strict=True)) == distance


@given(languages)
def test_documents_keep_the_language(language: Language) -> None:
    assert Language.from_json(language.to_json()) == language
