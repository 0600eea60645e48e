"""A mechanism gives back the kind it was given."""

from typing import Any

import numpy as np
import pytest

from privet.errors import DataError, DomainError, ParameterTypeError
from privet.symbols import Alphabet, Codes, Words, read_symbols, read_words

TEXT = Alphabet(["a", "b", "c"])
NUMBERS = Alphabet([10, 20, 30])


def identity(alphabet: Alphabet, x: Any) -> Any:
    encoded = read_symbols(alphabet, x)
    return encoded.rebuild(encoded.codes)


@pytest.mark.parametrize(
    "x",
    [
        np.array(["a", "c"]),
        np.array(["a", "c"], object),
        np.array([0, 2], np.uint8),
        np.array([[0, 2], [1, 1]], np.int64),
        np.array([["a", "b"]]),
        np.array([], np.uint8),
    ],
)
def test_arrays_keep_kind_shape_and_dtype(x: np.ndarray[Any, Any]) -> None:
    back = identity(TEXT, x)
    assert isinstance(back, np.ndarray)
    assert back.shape == x.shape
    assert back.dtype == x.dtype
    assert back.tolist() == x.tolist()


def test_lists_tuples_codes_and_words_come_back_as_such() -> None:
    assert identity(TEXT, ["a", "c"]) == ["a", "c"]
    assert identity(TEXT, ("a", "c")) == ("a", "c")
    codes = identity(TEXT, Codes(np.array([2, 0], np.int16)))
    assert isinstance(codes, Codes)
    assert codes.array.dtype == np.int16
    words = Words.from_lists(TEXT, [["a"], ["b", "c"]])
    assert identity(TEXT, words) == words


def test_integers_are_labels_where_a_symbol_is_an_integer() -> None:
    assert read_symbols(NUMBERS, np.array([30, 10])).codes.tolist() == [2, 0]
    assert read_symbols(NUMBERS, Codes([2, 0])).codes.tolist() == [2, 0]
    assert identity(NUMBERS, np.array([30, 10], np.int16)).tolist() == [30, 10]
    with pytest.raises(DomainError):
        read_symbols(NUMBERS, np.array([0, 1]))


def test_integers_are_codes_where_no_symbol_is_one() -> None:
    assert read_symbols(TEXT, np.array([2, 0])).codes.tolist() == [2, 0]
    with pytest.raises(DomainError):
        read_symbols(TEXT, np.array([3]))


@pytest.mark.parametrize("x", ["ab", b"ab", 3, None, {"a": 1}, 1.5])
def test_other_kinds_are_refused(x: Any) -> None:
    with pytest.raises(ParameterTypeError):
        read_symbols(TEXT, x)


def test_masked_entries_are_not_silently_read() -> None:
    with pytest.raises(DataError, match="masked"):
        read_symbols(TEXT, np.ma.array(["a", "b"], mask=[False, True]))


def test_codes_of_another_alphabet_are_refused() -> None:
    with pytest.raises(DomainError, match="different alphabets"):
        read_symbols(NUMBERS, Words.from_lists(TEXT, [["a"]]))


def test_one_word_is_one_dimensional() -> None:
    with pytest.raises(DataError, match="one-dimensional"):
        read_words(TEXT, np.zeros((2, 2), np.uint8))
    with pytest.raises(DataError, match="one-dimensional"):
        read_words(TEXT, Codes(np.zeros((2, 2), np.uint8)))
    with pytest.raises(DomainError, match="from_lists"):
        read_words(TEXT, [["a"], ["b"]])


@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
@pytest.mark.parametrize("masked", [[True, False, False], [True, True, True]])
def test_nothing_comes_out_from_beneath_a_mask(dtype: Any, masked: list[bool]) -> None:
    array = np.ma.array([200, 1, 0], mask=masked, dtype=dtype)
    with pytest.raises(DataError, match="masked"):
        read_symbols(TEXT, array)
    with pytest.raises(DataError, match="masked"):
        Codes(array)
    with pytest.raises(DataError, match="masked"):
        Words(TEXT, array, [0, 3])
    with pytest.raises(DataError, match="masked"):
        TEXT.decode(array)
    with pytest.raises(DataError, match="masked"):
        TEXT.encode(np.ma.array(["a", "b", "c"], mask=masked))


def test_subclasses_of_arrays_are_read_as_plain_arrays() -> None:
    array = np.ma.array([2, 1, 0], mask=False, dtype=np.uint8)
    back = identity(TEXT, array)
    assert type(back) is np.ndarray
    assert back.tolist() == [2, 1, 0]


@pytest.mark.parametrize(
    ("symbols", "array"),
    [
        (["a", 1, 2], np.array([2, 1])),
        ([2**63 + 1, 5], np.array([2**63 + 1, 5], np.uint64)),
        ([2**53 + 1, 2**53], np.array([2**53 + 1, 2**53])),
        ([2**63 + 1, 7], np.array([7])),
        ([1000, 1], np.array([1], np.int8)),
        ([0.5, 1.0], np.array([0.5, 1.0])),
        ([(0, 1), 5], np.array([5, 5])),
        ([True, False], np.array([True, False])),
        (["long enough", "b"], np.array(["b"])),
    ],
)
def test_symbols_come_out_as_they_are(symbols: list[Any], array: np.ndarray[Any, Any]) -> None:
    alphabet = Alphabet(symbols)
    encoded = read_symbols(alphabet, array)
    everything = encoded.rebuild(
        np.resize(np.arange(len(alphabet)), array.size).astype(alphabet.code_dtype)
    )
    for value in everything.tolist():
        assert value in alphabet
    assert identity(alphabet, array).tolist() == array.tolist()


class Stubborn(Words):
    """Words that would give back what they were made of."""

    def with_codes(self, codes: Any) -> Words:
        del codes
        return self


def test_a_subclass_of_words_cannot_take_its_input_out() -> None:
    encoded = read_symbols(TEXT, Stubborn(TEXT, np.array([0, 1, 2]), [0, 3]))
    back = encoded.rebuild(np.array([2, 2, 2], np.uint8))
    assert type(back) is Words
    assert back.codes.tolist() == [2, 2, 2]


def test_what_a_dtype_carries_stays_behind() -> None:
    secret = np.dtype("i8", metadata={"enum": {"alice": 1}})
    for array in (
        np.array([0, 1, 2], secret),
        np.array(["a", "b"], np.dtype("U1", metadata={"x": 1})),
    ):
        back = identity(TEXT, array)
        assert back.dtype.metadata is None
        assert back.tolist() == array.tolist()
    assert identity(TEXT, Codes(np.array([0, 1], secret))).array.dtype.metadata is None
    assert (
        Words(TEXT, np.array([0, 1], secret), np.array([0, 2], secret)).codes.dtype.metadata is None
    )
    text = np.array(["a", "b"], np.dtypes.StringDType(na_object="secret"))
    back = identity(TEXT, text)
    assert getattr(back.dtype, "na_object", None) != "secret"
    assert back.tolist() == ["a", "b"]


def test_whole_floats_are_numbers_that_integers_stand_for() -> None:
    alphabet = Alphabet([1.0, 2.0, 3.0])
    assert read_symbols(alphabet, np.array([1, 3])).codes.tolist() == [0, 2]
    assert read_symbols(alphabet, [1, 3]).codes.tolist() == [0, 2]
    assert read_symbols(Alphabet([0.5, 1.5]), np.array([1, 0])).codes.tolist() == [1, 0]
