"""Alphabets number symbols; what is not one is refused by position and never shown."""

import copy
import pickle
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from privet.errors import DomainError, MissingValueError, ParameterError, ParameterTypeError
from privet.symbols import Alphabet, Codes

SECRET = "secret-diagnosis"


def test_codes_follow_the_order_given() -> None:
    alphabet = Alphabet(["low", "high", "none"])
    assert alphabet.encode(["none", "low", "high"]).tolist() == [2, 0, 1]
    assert alphabet.decode(np.array([2, 0])) == ["none", "low"]
    assert alphabet.index("high") == 1
    assert len(alphabet) == 3
    assert "low" in alphabet
    assert [] not in alphabet


@pytest.mark.parametrize(
    ("size", "dtype"), [(2, "u1"), (256, "u1"), (257, "u2"), (65536, "u2"), (65537, "u4")]
)
def test_codes_are_as_narrow_as_the_alphabet_allows(size: int, dtype: str) -> None:
    alphabet = Alphabet(range(size))
    assert alphabet.code_dtype == np.dtype(dtype)
    assert alphabet.encode([size - 1]).tolist() == [size - 1]


@pytest.mark.parametrize(
    "symbols",
    [[], ["only"], ["a", "b", "a"], [1, True], [0, 0.0], ["a", None], ["a", float("nan")]],
)
def test_bad_alphabets_are_refused(symbols: list[Any]) -> None:
    with pytest.raises(ParameterError):
        Alphabet(symbols)


def test_unhashable_symbols_are_refused() -> None:
    with pytest.raises(ParameterTypeError):
        Alphabet([["a"], "b"])  # type: ignore[list-item]  # the refusal under test


@pytest.mark.parametrize("container", [list, np.array, tuple, pd.Series, pd.array])
def test_unknown_labels_are_named_by_position_only(container: Any) -> None:
    with pytest.raises(DomainError) as caught:
        Alphabet(["a", "b"]).encode(container(["a", "b", SECRET, SECRET]))
    assert "position 2" in str(caught.value)
    assert "2 labels" in str(caught.value)
    assert SECRET not in str(caught.value)
    assert SECRET not in repr(caught.value.__dict__)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize("missing", [None, float("nan"), np.float64("nan"), pd.NA, pd.NaT])
def test_missing_values_are_their_own_error(missing: Any) -> None:
    alphabet = Alphabet(["a", "b", "gone"])
    with pytest.raises(MissingValueError, match="position 1"):
        alphabet.encode(["a", missing])
    assert alphabet.encode(["a", missing], missing="gone").tolist() == [0, 2]
    with pytest.raises(MissingValueError):
        alphabet.encode(["a", missing], other="gone")


def test_other_symbol_takes_unknown_labels_but_not_missing_ones() -> None:
    alphabet = Alphabet(["a", "b", "other"])
    assert alphabet.encode(["z", "b", 7], other="other").tolist() == [2, 1, 2]
    with pytest.raises(DomainError):
        alphabet.encode(["z"], other="not a symbol")
    with pytest.raises(DomainError):
        alphabet.encode(["z"], missing="a")


def test_entries_that_cannot_be_symbols_are_refused_by_position() -> None:
    with pytest.raises(DomainError, match="position 1 is a list") as caught:
        Alphabet(["a", "b"]).encode(["a", [SECRET]])
    assert SECRET not in str(caught.value)


def test_a_bare_string_is_not_a_sequence_of_labels() -> None:
    with pytest.raises(ParameterTypeError):
        Alphabet(["a", "b"]).encode("ab")


def test_codes_out_of_range_are_named_by_position_only() -> None:
    alphabet = Alphabet(["a", "b", "c"])
    with pytest.raises(DomainError, match="position 1"):
        alphabet.check_codes(np.array([0, 3]))
    with pytest.raises(DomainError):
        alphabet.check_codes(np.array([-1]))
    with pytest.raises(ParameterTypeError):
        alphabet.check_codes(np.array([0.5]))
    with pytest.raises(ParameterTypeError):
        Codes([0.5])


def test_equality_hash_and_copies() -> None:
    alphabet = Alphabet(["a", "b"])
    assert alphabet == Alphabet(("a", "b"))
    assert alphabet != Alphabet(["b", "a"])
    assert hash(alphabet) == hash(Alphabet(["a", "b"]))
    assert pickle.loads(pickle.dumps(alphabet)) == alphabet
    assert copy.deepcopy(alphabet) == alphabet


def test_numpy_symbols_become_plain_values() -> None:
    alphabet = Alphabet(np.array([10, 20]))
    assert alphabet.symbols == (10, 20)
    assert type(alphabet.symbols[0]) is int
    assert alphabet.has_integers


def test_json_holds_text_and_numbers_only() -> None:
    assert Alphabet(["a", 1, 2.5]).to_json() == ["a", 1, 2.5]
    with pytest.raises(ParameterTypeError):
        Alphabet([("a",), ("b",)]).to_json()


@pytest.mark.parametrize("symbols", [[float("inf"), 1.0], ["\ud800", "a"], ["a", "b\udfff"]])
def test_symbols_that_no_file_can_hold_are_refused(symbols: list[Any]) -> None:
    with pytest.raises(ParameterError):
        Alphabet(symbols)


def test_what_is_no_collection_is_refused() -> None:
    with pytest.raises(ParameterTypeError):
        Alphabet(5)  # type: ignore[arg-type]  # the refusal under test


@pytest.mark.parametrize("value", [("a", [1]), Decimal("sNaN"), ([],)])
def test_values_that_only_seem_hashable_are_refused_by_position(value: Any) -> None:
    alphabet = Alphabet(["a", "b"])
    with pytest.raises(DomainError, match="position 1"):
        alphabet.encode(["a", value])
    assert value not in alphabet
    with pytest.raises(DomainError):
        alphabet.index(value)


class Hostile:
    """A label whose own text must not come through an error."""

    def __hash__(self) -> int:
        raise RuntimeError(SECRET)


def test_what_a_label_says_of_itself_is_not_repeated() -> None:
    with pytest.raises(DomainError, match="position 1") as caught:
        Alphabet(["a", "b"]).encode(["a", Hostile()])
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


def test_decimal_nan_is_missing() -> None:
    with pytest.raises(ParameterError, match="missing"):
        Alphabet([Decimal("NaN"), "a"])
    with pytest.raises(MissingValueError):
        Alphabet(["a", "b"]).encode(["a", Decimal("NaN")])


def test_refusals_count_in_sentences() -> None:
    alphabet = Alphabet(["a", "b"])
    with pytest.raises(MissingValueError, match="at position 1; 1 value in all is missing"):
        alphabet.encode(["a", None])
    with pytest.raises(DomainError, match="is not in the alphabet; 2 labels in all are not"):
        alphabet.encode(["c", "a", "d"])
