"""Laws of queries, on words that chance chooses."""

from fractions import Fraction
from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from privet.queries import (
    Query,
    count,
    custom,
    frequency,
    histogram,
    mean,
    read_nodes,
    run_lengths,
    search_counterexample,
    share,
    transitions,
)
from privet.symbols import Alphabet

LEVELS = ["0", "0.7", "-2", "1/3", "5"]


@st.composite
def queries(draw: st.DrawFn) -> tuple[Query, Alphabet]:
    size = draw(st.integers(2, 5))
    alphabet = Alphabet([f"s{code}" for code in range(size)])
    levels = dict(zip(alphabet.symbols, LEVELS, strict=False))
    grid = draw(st.sampled_from([None, "1/10", "1/7", "3"]))
    number = custom(lambda w: len(set(w)) * 1.5, constant="3/2", grid=grid or "1/2")
    return (
        draw(
            st.sampled_from(
                [
                    *[histogram(), frequency(), transitions(), count("s1"), share(["s0"]), number],
                    *[run_lengths(draw(st.integers(1, 6))), mean(levels, grid)],
                    run_lengths(draw(st.integers(1, 6)), "s1"),
                ]
            )
        ),
        alphabet,
    )


@st.composite
def words(draw: st.DrawFn, size: int) -> list[int]:
    runs = draw(st.lists(st.tuples(st.integers(0, size - 1), st.integers(1, 5)), min_size=1))
    return [state for state, length in runs for _ in range(length)]


def raw(query: Query, alphabet: Alphabet, word: list[int]) -> list[int]:
    return query.raw(alphabet, np.array(word, np.uint8), np.array([0, len(word)]))


@given(queries(), st.data())
def test_one_node_moves_no_more_than_its_constant(
    made: tuple[Query, Alphabet], data: st.DataObject
) -> None:
    query, alphabet = made
    word = data.draw(words(len(alphabet)))
    start = data.draw(st.integers(0, len(word) - 1))
    nodes = data.draw(
        st.sampled_from([None, (start, data.draw(st.integers(start + 1, len(word))))])
    )
    node = data.draw(st.integers(0, len(word) - 1))
    other = [*word]
    other[node] = data.draw(st.integers(0, len(alphabet) - 1))
    first, last = read_nodes(nodes, len(word))
    one, two = (raw(query, alphabet, w[first:last]) for w in (word, other))
    moved = sum(abs(a - b) for a, b in zip(one, two, strict=True))
    pieces = query.constants(alphabet, len(word), nodes)
    (allowed,) = [value for begin, end, value in pieces if begin <= node < end]
    assert moved <= allowed


@given(queries(), st.data())
def test_people_are_added_up(made: tuple[Query, Alphabet], data: st.DataObject) -> None:
    query, alphabet = made
    people = data.draw(st.lists(words(len(alphabet)), min_size=1, max_size=4))
    flat = np.array([state for word in people for state in word], np.uint8)
    offsets = np.cumsum([0, *map(len, people)])
    single = [query.values(alphabet, np.array(w, np.uint8), np.array([0, len(w)])) for w in people]
    total = [sum(column, Fraction(0)) for column in zip(*single, strict=True)]
    assert query.values(alphabet, flat, offsets) == total
    assert query.raw(alphabet, flat, offsets) == query.put_on_grid(total, alphabet)


@given(st.data())
def test_counts_agree_with_each_other(data: st.DataObject) -> None:
    alphabet = Alphabet("abc")
    word = data.draw(words(3))
    states = raw(histogram(), alphabet, word)
    assert sum(states) == len(word)
    assert raw(count("b"), alphabet, word) == [states[1]]
    assert raw(mean({"a": 0, "b": 0, "c": 1}), alphabet, word) == [states[2]]
    steps = np.reshape(raw(transitions(), alphabet, word), (3, 3))
    assert steps.sum() == len(word) - 1
    runs = raw(run_lengths(len(word)), alphabet, word)
    assert sum(runs) == len([*groupby(word)]) == steps.sum() - np.trace(steps) + 1
    assert sum((n + 1) * number for n, number in enumerate(runs)) == len(word)


@given(st.integers(1, 9), st.integers(1, 12))
def test_the_search_never_accuses_a_constant_that_holds(length: int, weight: int) -> None:
    alphabet = Alphabet("ab")
    right = custom(lambda w: weight * w.count("b"), constant=weight)
    wrong = custom(lambda w: weight * w.count("b"), constant=Fraction(weight) - Fraction(1, 100))
    assert search_counterexample(right, alphabet, length) is None
    assert search_counterexample(wrong, alphabet, length) is not None
