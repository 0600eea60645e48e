"""Every query's numbers and constants, against counting on fingers over all words."""

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.errors import ParameterError
from privet.mechanisms.markov_laplace import reference
from privet.queries import (
    Query,
    count,
    custom,
    frequency,
    histogram,
    mean,
    run_lengths,
    share,
    transitions,
)
from privet.symbols import Alphabet

Numbers = Callable[[tuple[int, ...], int], tuple[int, ...]]

LEVELS = (Fraction(0), Fraction(5, 2), Fraction(-1, 2))


def by_levels(grid: Fraction) -> Numbers:
    return lambda word, size: reference.level_sum(word, LEVELS[:size], grid)


def levels_of(size: int, grid: Any = None) -> Query:
    return mean({f"s{code}": LEVELS[code] for code in range(size)}, grid=grid)


# (query for k states, the same by counting, whether the constants are attained)
QUERIES: dict[str, tuple[Callable[[int], Query], Numbers, bool]] = {
    "histogram": (lambda _: histogram(), reference.histogram, True),
    "frequency": (lambda _: frequency(), reference.histogram, True),
    "count": (lambda _: count("s1"), lambda w, _: reference.count(w, {1}), True),
    "share": (
        lambda size: share([f"s{code}" for code in range(1, size)]),
        lambda w, size: reference.count(w, set(range(1, size))),
        True,
    ),
    "transitions": (lambda _: transitions(), reference.transitions, True),
    "mean": (
        levels_of,
        lambda w, k: by_levels(Fraction(1, 2) if k == 3 else Fraction(5, 2))(w, k),
        True,
    ),
    "mean, coarse": (lambda k: levels_of(k, grid=2), by_levels(Fraction(2)), False),
    "mean, fine": (lambda k: levels_of(k, grid="3/10"), by_levels(Fraction(3, 10)), False),
    **{
        f"runs, {cap}, {state}": (
            lambda _, cap=cap, state=state: run_lengths(
                cap, None if state is None else f"s{state}"
            ),  # type: ignore[misc]  # bound here
            lambda w, _, cap=cap, state=state: reference.run_lengths(w, cap, state),  # type: ignore[misc]  # bound here
            True,
        )
        for cap, state in itertools.product((1, 2, 3), (None, 0))
    },
    "own": (
        lambda _: custom(lambda w: sum(int(s[1]) ** 2 for s in w) / 3, constant=2, grid="1/4"),
        # floor(x + 1/2) for x = 4/3 of the sum of squares.
        lambda w, _: ((8 * sum(s * s for s in w) + 3) // 6,),
        False,
    ),
}

EVERY_QUERY = pytest.mark.parametrize("name", list(QUERIES))
SHAPES = [(2, 1), (2, 2), (2, 3), (2, 5), (3, 1), (3, 2), (3, 4)]
RANGES: dict[int, list[tuple[int, int] | None]] = {
    1: [None],
    2: [None, (1, 2)],
    3: [None, (0, 2)],
    4: [None, (1, 4)],
    5: [None, (1, 4)],
}


def alphabet_of(size: int) -> Alphabet:
    return Alphabet([f"s{code}" for code in range(size)])


def numbers_of(query: Query, size: int, word: tuple[int, ...]) -> list[int]:
    codes = np.array(word, np.uint8)
    return query.raw(alphabet_of(size), codes, np.array([0, len(word)]))


@EVERY_QUERY
@pytest.mark.parametrize(("size", "length"), SHAPES)
def test_numbers_are_those_of_the_reference(name: str, size: int, length: int) -> None:
    make, expected, _ = QUERIES[name]
    query = make(size)
    for word in itertools.product(range(size), repeat=length):
        found = numbers_of(query, size, word)
        assert tuple(found) == expected(word, size)
        assert len(found) == query.size(alphabet_of(size)) == len(query.labels(alphabet_of(size)))


@EVERY_QUERY
@pytest.mark.parametrize(("size", "length"), SHAPES)
def test_constants_hold_for_all_words_and_are_attained(name: str, size: int, length: int) -> None:
    make, _, attained = QUERIES[name]
    query = make(size)
    for nodes in RANGES[length]:
        start, stop = nodes or (0, length)
        moved = [0] * length
        values = {
            word: numbers_of(query, size, word[start:stop])
            for word in itertools.product(range(size), repeat=length)
        }
        for word, node, state in itertools.product(values, range(length), range(size)):
            other = (*word[:node], state, *word[node + 1 :])
            change = zip(values[word], values[other], strict=True)
            moved[node] = max(moved[node], sum(abs(a - b) for a, b in change))
        pieces = query.constants(alphabet_of(size), length, nodes)
        stated = [value for begin, end, value in pieces for _ in range(begin, end)]
        assert len(stated) == length
        assert pieces[0][0] == 0
        assert all(a[1] == b[0] and a[2] != b[2] for a, b in itertools.pairwise(pieces))
        assert all(m <= s for m, s in zip(moved, stated, strict=True))
        if attained:
            assert moved == stated


def test_levels_count_in_the_largest_unit_they_share() -> None:
    query = levels_of(3)
    assert query.grid(alphabet_of(3)) == Fraction(1, 2)
    assert query.constants(alphabet_of(3), 4) == [(0, 4, Fraction(6))]
    assert query.weights(alphabet_of(3)) == (1, 6, 0)
    assert levels_of(2).grid(alphabet_of(2)) == Fraction(5, 2)
    assert levels_of(3, grid="1/4").weights(alphabet_of(3)) == (2, 12, 0)
    assert levels_of(3, grid=2).weights(alphabet_of(3)) is None


def test_levels_that_are_too_fine_get_a_coarser_grid() -> None:
    query = mean({"s0": 0, "s1": "0.123456789012345", "s2": "0.1"})
    grid = query.grid(alphabet_of(3))
    assert grid == Fraction("0.123456789012345") / (1 << 20)
    assert query.constants(alphabet_of(3), 1) == [(0, 1, Fraction(1 << 20))]
    assert query.weights(alphabet_of(3)) is None
    assert query.rounding(alphabet_of(3)) == grid / 2


def test_a_constant_of_an_own_function_is_that_of_its_rounding() -> None:
    query = custom(lambda _: (0.0, 0.0), constant="0.3", size=2, grid="0.1")
    assert query.constants(alphabet_of(2), 3) == [(0, 3, Fraction(5))]
    whole = custom(len, constant="7/2")
    assert whole.constants(alphabet_of(2), 3, (1, 2)) == [
        (0, 1, Fraction(0)),
        (1, 2, Fraction(7, 2)),
        (2, 3, Fraction(0)),
    ]
    shrinking = custom(lambda _: 0.0, constant=lambda n: Fraction(1, n), grid="0.01")
    assert shrinking.constants(alphabet_of(2), 10)[0][2] == 11


def test_sums_over_words_keep_the_words_apart() -> None:
    alphabet, offsets = alphabet_of(2), np.array([0, 2, 3, 6])
    codes = np.array([0, 1, 1, 1, 1, 0], np.uint8)
    assert transitions().raw(alphabet, codes, offsets) == [0, 1, 1, 1]
    assert run_lengths(2).raw(alphabet, codes, offsets) == [4, 1]
    assert histogram().raw(alphabet, codes, offsets) == [2, 4]


@pytest.mark.parametrize(
    "nodes", [(0, 6), (5, 5), (3, 2), (-1, 2), (0, 0), (0, 1, 2), "ab", 3, (0, 1.5), (True, 2)]
)
def test_nodes_out_of_range_are_refused(nodes: Any) -> None:
    with pytest.raises(ParameterError, match="nodes"):
        histogram().constants(alphabet_of(2), 5, nodes)
