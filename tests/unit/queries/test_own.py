"""Functions of one's own: what is computed, what is refused, and the search for counterexamples."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.chains import MarkovChain
from privet.errors import DataError, ParameterError, ParameterTypeError
from privet.queries import (
    Counterexample,
    Query,
    custom,
    histogram,
    mean,
    run_lengths,
    search_counterexample,
    transitions,
)
from privet.queries.own import Own
from privet.randomness import using_source
from privet.symbols import Alphabet
from privet.testing import ReplaySource

AB = Alphabet("ab")
ABC = Alphabet("abc")


def raw(query: Own, *words: str) -> list[int]:
    codes = AB.encode(list("".join(words)))
    return query.raw(AB, codes, np.cumsum([0, *map(len, words)]))


def test_numbers_are_added_over_words_and_then_put_on_the_grid() -> None:
    thirds = custom(lambda w: w.count("b") / 3, constant="1/3", grid="1/2")
    # 2/3 + 2/3 + 2/3 = 2 in decimals of doubles; rounding each to a half first would give 3/2.
    assert raw(thirds, "bb", "bb", "abb") == [4]
    assert raw(custom(lambda w: np.array([len(w), -1]), constant=1, size=2), "a", "ab") == [3, -2]
    halves = custom(lambda w: w.count("b") / 4, constant="1/4", grid="1/2")
    assert [raw(halves, "b" * n) for n in range(1, 6)] == [[1], [1], [2], [2], [3]]


@pytest.mark.parametrize(
    "value", [float("nan"), None, True, "x", [1, 2], 0.5, np.float64("inf")], ids=repr
)
def test_values_that_are_no_whole_numbers_are_refused_without_showing_them(value: Any) -> None:
    with pytest.raises(DataError, match="word 0") as refusal:
        raw(custom(lambda _: value, constant=1, name="odd"), "ab")
    assert str(value) not in str(refusal.value).replace("'odd'", "").replace("numbers", "")


def test_what_a_function_raises_is_not_passed_on() -> None:
    def fails(word: list[str]) -> int:
        raise ValueError(f"secret {word}")

    with pytest.raises(DataError, match="raised a ValueError") as refusal:
        raw(custom(fails, constant=1), "ab")
    assert "secret" not in str(refusal.value)
    assert refusal.value.__suppress_context__
    with pytest.raises(DataError, match="2 numbers, not 3"):
        raw(custom(lambda _: (1, 2), constant=1, size=3), "ab")


def test_parameters_out_of_range_are_refused() -> None:
    for constant in (0, -1, float("nan"), "x"):
        with pytest.raises(ParameterError, match="constant"):
            custom(len, constant=constant)
    with pytest.raises(ParameterError, match="constant"):
        custom(len, constant=lambda _: 0).node_constants(AB, 3)
    with pytest.raises(ParameterTypeError, match="not a function"):
        custom(3, constant=1)  # type: ignore[arg-type]  # that it is refused is the test
    with pytest.raises(ParameterError, match="size"):
        custom(len, constant=1, size=0)
    with pytest.raises(ParameterError, match="grid"):
        custom(len, constant=1, grid=-1)


def changes(word: list[str]) -> int:
    return sum(a != b for a, b in itertools.pairwise(word))


def longest_run(word: list[str]) -> int:
    longest = run = 1
    for a, b in itertools.pairwise(word):
        run = run + 1 if a == b else 1
        longest = max(longest, run)
    return longest


WRONG = [
    ("weighted", lambda w: 3 * w.count("b"), {"constant": 2}),
    ("changes", changes, {"constant": 1}),
    ("longest run", longest_run, {"constant": 2}),
    ("product", lambda w: w.count("a") * w.count("b"), {"constant": 3}),
    ("just above", lambda w: 1.001 * w.count("b"), {"constant": 1, "grid": "1/10"}),
    ("two numbers", lambda w: (w.count("a"), w.count("b")), {"constant": 1, "size": 2}),
    ("ends", lambda w: 5 * (w[0] == "b") + (w[-1] == "a"), {"constant": 4}),
    ("equal ends", lambda w: 2 * (w[0] == w[-1]), {"constant": 1}),
]
RIGHT = [
    ("weighted", lambda w: 3 * w.count("b"), {"constant": 3}),
    ("changes", changes, {"constant": 2}),
    ("mean", lambda w: float(np.mean([s == "b" for s in w])), {"constant": "1/9", "grid": "1/9"}),
    ("shares", lambda w: w.count("b") / len(w), {"constant": lambda n: Fraction(1, n), "grid": 1}),
    ("third", lambda w: w.count("b") / 3, {"constant": "1/3", "grid": "1/3"}),
]


@pytest.mark.parametrize("length", [6, 9, 200])
@pytest.mark.parametrize(("_name", "function", "options"), WRONG, ids=[w[0] for w in WRONG])
def test_a_wrong_constant_is_found_out(
    _name: str, function: Any, options: Any, length: int
) -> None:
    query = custom(function, **options)
    for seed in range(5):
        with using_source(ReplaySource(seed)):
            found = search_counterexample(query, AB, length)
        assert found is not None
        check_counterexample(found, function, length)


def check_counterexample(found: Counterexample, function: Any, length: int) -> None:
    assert len(found.first) == len(found.second) == length
    differ = [n for n in range(length) if found.first[n] != found.second[n]]
    assert differ == [found.node]
    if not found.in_grid:
        assert np.allclose(np.ravel(function(found.first)), found.first_value)
        assert np.allclose(np.ravel(function(found.second)), found.second_value)
    moved = np.abs(np.subtract(found.first_value, found.second_value)).sum()
    assert moved == pytest.approx(found.distance)
    assert found.distance > found.allowed


@pytest.mark.parametrize(("name", "function", "options"), RIGHT, ids=[r[0] for r in RIGHT])
def test_a_right_constant_is_left_alone(name: str, function: Any, options: Any) -> None:
    if name == "mean":
        assert search_counterexample(custom(function, **options), AB, 9) is None
    else:
        for length in (1, 4, 9, 100):
            assert search_counterexample(custom(function, **options), AB, length) is None


@pytest.mark.parametrize(
    "query", [histogram(), transitions(), run_lengths(3), mean({"a": 0, "b": 1, "c": 3})], ids=repr
)
def test_proved_constants_have_no_counterexample(query: Query) -> None:
    for length in (1, 2, 4, 50):
        assert search_counterexample(query, ABC, length) is None


def test_words_can_come_from_a_public_chain() -> None:
    # Only a long stretch of c shows it, which uniform words hardly ever hold.
    chain = MarkovChain([0, 0, 1], [[1, 0, 0], [0, 1, 0], [0, "1/50", "49/50"]], list("abc"))
    query = custom(lambda w: 2 * ("c" * 60 in "".join(w)), constant=1)
    found = search_counterexample(query, ABC, 100, chain=chain)
    assert found is not None
    assert search_counterexample(custom(lambda _: 0, constant=1), ABC, 100, chain=chain) is None


def test_all_words_are_tried_where_they_are_few() -> None:
    # One word in 512, and one change of it, breaks the constant.
    query = custom(lambda w: 2 * ("".join(w) == "abbabaabb"), constant=1)
    assert search_counterexample(query, AB, 9) is not None


def test_verification_reports_the_words_and_happens_each_time() -> None:
    calls: list[int] = []

    def function(word: list[str]) -> int:
        calls.append(len(word))
        return 2 * word.count("b")

    with pytest.raises(ParameterError, match=r"2 apart, and 1 was stated") as refusal:
        custom(function, constant=1, name="double").verify(AB, [4])
    assert isinstance(refusal.value.payload["counterexample"], Counterexample)
    query = custom(function, constant=2)
    calls.clear()
    query.verify(AB, [*range(1, 40)] * 3)
    assert 2 <= len(set(calls)) <= 5
    assert {1, 39} <= set(calls)
    calls.clear()
    query.verify(AB, [1, 39])
    assert set(calls) == {1, 39}


def test_a_function_that_changed_after_it_passed_is_refused() -> None:
    weight = [1]
    query = custom(lambda w: weight[0] * w.count("b"), constant=1)
    query.verify(AB, [6])
    weight[0] = 5
    with pytest.raises(ParameterError, match="too small"):
        query.verify(AB, [6])


def test_a_function_that_answers_differently_is_refused() -> None:
    calls = itertools.count()
    query = custom(lambda _: next(calls) % 2, constant=5)
    with pytest.raises(ParameterError, match="different numbers for one and the same") as refusal:
        query.verify(AB, [6])
    assert refusal.value.payload["parameter"] == "function"


def test_a_constant_that_raises_is_refused() -> None:
    query = custom(len, constant=lambda n: 1 / (n - 3), name="odd")
    assert query.constant(4) == 1
    with pytest.raises(ParameterError, match="'odd' is a function that raised a ZeroDivision"):
        query.node_constants(AB, 3)
    with pytest.raises(ParameterError, match="raised a KeyError"):
        custom(len, constant=lambda n: {0: 1}[n]).verify(AB, [2])


def test_a_function_that_fails_on_public_words_is_refused() -> None:
    with pytest.raises(ParameterError, match="no value for a random public word"):
        custom(lambda w: w.index("b"), constant=10).verify(AB, [4])


def test_two_functions_are_two_queries() -> None:
    one, other = custom(len, constant=1), custom(lambda w: len(w), constant=1)
    assert one == custom(len, constant=1)
    assert one != other
    assert one.assumptions()[0].startswith("one step of a series moves 'own function' by at most 1")
