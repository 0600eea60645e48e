"""What is typed on the command line, read into symbols, shares and stand-ins."""

from collections.abc import Hashable

import pytest

from privet.cli.options import (
    read_columns,
    read_names,
    read_split,
    read_stand_ins,
    read_symbol_list,
    settle_domain,
)
from privet.errors import ParameterError


def test_symbols() -> None:
    assert read_symbol_list("low, middle ,high", "x") == ["low", "middle", "high"]
    assert read_symbol_list("0..3", "x") == ["0", "1", "2", "3"]
    assert read_symbol_list("-1..1,none", "x") == ["-1", "0", "1", "none"]
    assert read_symbol_list("a..c,1..x", "x") == ["a..c", "1..x"]


def test_columns() -> None:
    assert read_columns(["vote=a,b", "age"]) == {"vote": ["a", "b"], "age": None}
    # Only the first equals sign separates.
    assert read_columns(["sign=<=,>="]) == {"sign": ["<=", ">="]}
    with pytest.raises(ParameterError, match="no name"):
        read_columns(["=a,b"])


def test_names_may_be_repeated_or_listed() -> None:
    assert read_names(["a, b", "c"]) == ["a", "b", "c"]


def test_no_split_is_none() -> None:
    assert read_split([]) is None
    assert read_split(["a=1/3", "b = 2"]) == {"a": "1/3", "b": "2"}


def test_stand_ins_for_all_columns_or_one() -> None:
    assert read_stand_ins(["none"], ["a", "b"], "--missing") == {"a": "none", "b": "none"}
    assert read_stand_ins(["a=none"], ["a", "b"], "--missing") == {"a": "none"}
    # Not a column: only a symbol that was listed can have "=" in it.
    assert read_stand_ins(["c=none"], ["a"], "--missing", {"c=none"}) == {"a": "c=none"}
    with pytest.raises(ParameterError, match="no column 'c'"):
        read_stand_ins(["c=none"], ["a"], "--missing", {"none"})
    with pytest.raises(ParameterError, match="two symbols"):
        read_stand_ins(["none", "a=gone"], ["a"], "--missing")
    with pytest.raises(ParameterError, match="needs a symbol"):
        read_stand_ins(["a="], ["a"], "--missing")


def test_a_misspelt_column_is_no_symbol_of_every_column() -> None:
    columns: dict[str, list[Hashable] | None] = {"vote": ["yes", "no"], "odd": ["a=b", "c"]}
    with pytest.raises(ParameterError, match=r"no column 'wote'.*vote.*odd"):
        settle_domain(columns, None, missing=["wote=NA"], other=[], from_data=None)
    domain = settle_domain(columns, None, missing=[], other=["a=b"], from_data=None)
    assert domain.other == {"vote": "a=b", "odd": "a=b"}


def test_stand_ins_join_the_alphabets_that_lack_them() -> None:
    domain = settle_domain(
        {"a": ["x", "none"], "b": ["x"]}, None, missing=["none"], other=["b=rest"], from_data=None
    )
    assert domain.alphabets["a"].symbols == ("x", "none")
    assert domain.alphabets["b"].symbols == ("x", "none", "rest")
