"""What queries publish, refuse and say of themselves."""

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.errors import DataError, DomainError, ParameterError, ParameterTypeError
from privet.queries import (
    BY_NAME,
    Query,
    count,
    custom,
    cut,
    frequency,
    histogram,
    mean,
    read_query,
    run_lengths,
    share,
    told,
    transitions,
)
from privet.symbols import Alphabet

ABC = Alphabet("abc")
NUMBERS = Alphabet([10, 20, 40])


def test_counts_are_whole_and_shares_are_divided() -> None:
    whole = histogram().finish([3, -1, 5], ABC, 4)
    assert isinstance(whole, np.ndarray)
    assert whole.dtype == np.int64
    assert whole.tolist() == [3, -1, 5]
    shares = frequency().finish([3, -1, 5], ABC, 4)
    assert isinstance(shares, np.ndarray)
    assert shares.dtype == np.float64
    assert shares.tolist() == [0.75, -0.25, 1.25]
    assert count("a").finish([7], ABC, 4) == 7
    assert isinstance(count("a").finish([7], ABC, 4), int)
    assert share("a").finish([7], ABC, 4) == 1.75
    table = transitions().finish([*range(9)], ABC, 4)
    assert isinstance(table, np.ndarray)
    assert table.tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert transitions().labels(ABC)[5] == ("b", "c")
    assert run_lengths(3).labels(ABC) == (1, 2, "3+")


def test_a_mean_counts_from_the_lowest_level() -> None:
    query = mean({"a": -1, "b": "1/2", "c": 4})
    # Levels above the lowest are 0, 3/2, 5; the grid is 1/2.
    assert query.finish([6], ABC, 4) == -1 + Fraction(6, 2) / 4
    assert mean().finish([2], NUMBERS, 4) == 10 + 2 * 10 / 4
    assert mean().node_constants(NUMBERS, 4)[0] == 3


def test_numbers_beyond_64_bits_still_come_out() -> None:
    query = custom(lambda _: (0, 0), constant=1, size=2)
    large = query.finish([2**70, 1], ABC, 3)
    assert isinstance(large, np.ndarray)
    assert large.tolist() == [2**70, 1]
    coarse = custom(lambda _: 0.0, constant=1, grid="1e300")
    assert coarse.finish([10**20], ABC, 3) == np.inf
    assert coarse.finish([-(10**20)], ABC, 3) == -np.inf


@pytest.mark.parametrize("name", BY_NAME)
def test_queries_are_known_by_name(name: str) -> None:
    query = read_query(name)
    assert query.kind == name
    assert read_query(query) is query


@pytest.mark.parametrize(
    "query",
    [
        *[histogram(), frequency(), transitions(), mean(), count(), count("a"), share(["a", "b"])],
        *[run_lengths(3), run_lengths(2, "a"), mean({"a": 0.1, "b": "1/3", "c": 2}, grid=0.5)],
    ],
    ids=repr,
)
def test_descriptions_round_trip(query: Query) -> None:
    again = read_query(json.loads(json.dumps(query.to_json())))
    assert again == query
    assert hash(again) == hash(query)
    assert again != run_lengths(9)


def test_the_order_of_a_set_of_states_does_not_matter() -> None:
    assert count({"a", "b"}) == count(["a", "b"])
    assert count(["b", "a"]).weights(ABC) == (1, 1, 0)
    pairs = Alphabet([("x", 1), ("x", 2), ("y", 1)])
    assert count(("x", 2)).weights(pairs) == (0, 1, 0)
    assert count([("x", 2), ("y", 1)]).weights(pairs) == (0, 1, 1)


def test_what_is_no_query_is_refused() -> None:
    with pytest.raises(ParameterError, match="no query of that name"):
        read_query("median")
    with pytest.raises(ParameterTypeError, match="not a query"):
        read_query(3)  # type: ignore[arg-type]  # that it is refused is the test
    with pytest.raises(ParameterError, match="code"):
        read_query(custom(len, constant=1).to_json())
    with pytest.raises(ParameterError, match="fields"):
        read_query({"query": "histogram", "cap": 2})


def test_states_that_cannot_be_counted_are_refused() -> None:
    with pytest.raises(ParameterError, match="No state"):
        count([])
    with pytest.raises(ParameterTypeError, match="dict"):
        count({"a": 1})
    with pytest.raises(DomainError, match="not in the alphabet"):
        count("z").weights(ABC)
    with pytest.raises(ParameterError, match="Every state"):
        share("abc" and ["a", "b", "c"]).weights(ABC)
    with pytest.raises(ParameterError, match="3 states"):
        count().weights(ABC)
    assert count().weights(Alphabet("xy")) == (0, 1)
    with pytest.raises(DomainError):
        run_lengths(2, "z").constants(ABC, 3)


@pytest.mark.parametrize("cap", [0, -1, True, 1.5, "2"])
def test_bad_caps_are_refused(cap: Any) -> None:
    with pytest.raises(ParameterError, match="cap"):
        run_lengths(cap)


def test_levels_that_make_no_mean_are_refused() -> None:
    with pytest.raises(DomainError, match="1 of the 3 states have no level"):
        mean({"a": 1, "b": 2}).constants(ABC, 3)
    with pytest.raises(DomainError, match="4 are given"):
        mean({"a": 1, "b": 2, "c": 3, "d": 4}).constants(ABC, 3)
    with pytest.raises(ParameterError, match="the same"):
        mean({"a": 1, "b": 1, "c": 1}).constants(ABC, 3)
    with pytest.raises(ParameterError, match="not all numbers"):
        mean().constants(ABC, 3)
    with pytest.raises(ParameterError, match="level of entry 1"):
        mean({"a": 1, "b": float("nan")})
    with pytest.raises(ParameterTypeError, match="mapping"):
        mean([1, 2, 3])  # type: ignore[arg-type]  # that it is refused is the test
    with pytest.raises(ParameterError, match="grid"):
        mean({"a": 1}, grid=0)


def test_nodes_are_cut_from_each_word() -> None:
    codes, offsets = cut(np.arange(7), np.array([0, 3, 7]), (1, 3))
    assert codes.tolist() == [1, 2, 4, 5]
    assert offsets.tolist() == [0, 2, 4]
    with pytest.raises(ParameterError, match=r"0 \.\. 2"):
        cut(np.arange(7), np.array([0, 3, 7]), (1, 4))
    with pytest.raises(DataError, match="Word 1 is empty; 1 of 3"):
        cut(np.arange(3), np.array([0, 1, 1, 3]), None)
    with pytest.raises(DataError, match="no word"):
        cut(np.arange(0), np.array([0]), None)


def test_a_query_is_told_as_the_command_line_has_it() -> None:
    for query, text in (
        (histogram(), "histogram"),
        (count("b"), "count=b"),
        (share(["a", "b"]), "share=a,b"),
        (count(), "count"),
        (run_lengths(7), "run-lengths=7"),
        (run_lengths(7, "a"), "run-lengths=7,a"),
        (mean({"a": 0, "b": 2}), "mean"),
        (transitions(), "transitions"),
        (custom(len, constant=1, name="my_own"), "my_own"),
    ):
        assert told(query.to_json()) == text
