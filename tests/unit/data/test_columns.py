"""Columns become codes and come back in the type they came in; refusals name rows, not values."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from privet.data import (
    alphabet_from_column,
    decode_column,
    encode_column,
    encode_with_missing,
    match_alphabet,
)
from privet.errors import (
    DataError,
    DomainError,
    MissingValueError,
    ParameterError,
    PrivacyLeakWarning,
)
from privet.symbols import Alphabet

LETTERS = Alphabet(["a", "b", "c"])
DIGITS = Alphabet(["0", "1", "2"])
NUMBERS = Alphabet([0, 1, 2])
TRUTH = Alphabet(["false", "true"])

TYPES: list[tuple[Any, Alphabet, list[Any]]] = [
    (pa.string(), LETTERS, ["c", "a", "b", "a"]),
    (pa.large_string(), LETTERS, ["c", "a", "b", "a"]),
    (pa.string_view(), LETTERS, ["c", "a", "b", "a"]),
    (pa.string(), NUMBERS, ["2", "0", "1", "0"]),
    (pa.int64(), DIGITS, [2, 0, 1, 0]),
    (pa.int8(), NUMBERS, [2, 0, 1, 0]),
    (pa.uint16(), DIGITS, [2, 0, 1, 0]),
    (pa.float64(), DIGITS, [2.0, 0.0, 1.0, 0.0]),
    (pa.bool_(), TRUTH, [True, False, True, True]),
    (pa.bool_(), Alphabet([False, True]), [True, False, True, True]),
    (pa.dictionary(pa.int32(), pa.string()), LETTERS, ["c", "a", "b", "a"]),
    (pa.dictionary(pa.uint8(), pa.large_string()), LETTERS, ["c", "a", "b", "a"]),
    (pa.dictionary(pa.int8(), pa.int64()), DIGITS, [2, 0, 1, 0]),
]


@pytest.mark.parametrize(("kind", "alphabet", "values"), TYPES, ids=lambda x: str(x)[:40])
def test_a_column_comes_back_in_its_type(kind: Any, alphabet: Alphabet, values: list[Any]) -> None:
    column = pa.chunked_array([pa.array(values[:1], kind), pa.array(values[1:], kind)])
    codes = encode_column(column, alphabet, name="x")
    assert codes.dtype == alphabet.code_dtype
    order = [str(symbol).lower() for symbol in alphabet.symbols]
    expected = [order.index(str(v).lower().removesuffix(".0")) for v in values]
    assert codes.tolist() == expected
    back = decode_column(codes, alphabet, kind)
    assert back.type == kind
    assert back.to_pylist() == values
    back.validate(full=True)


def test_the_dictionary_that_goes_out_is_the_alphabet_in_its_order() -> None:
    wide = Alphabet(["z", "y", "x", "never seen"])
    column = pa.array(["x", "x", "z"]).dictionary_encode()
    out = decode_column(encode_column(column, wide, name="x"), wide, column.type)
    assert out.dictionary.to_pylist() == ["z", "y", "x", "never seen"]
    assert out.to_pylist() == ["x", "x", "z"]


def test_dictionary_indices_widen_when_the_alphabet_needs_it() -> None:
    many = Alphabet([str(i) for i in range(300)])
    column = pa.array(["5", "299"]).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string()))
    out = decode_column(encode_column(column, many, name="x"), many, column.type)
    assert out.type == pa.dictionary(pa.int32(), pa.string())
    assert out.to_pylist() == ["5", "299"]


def test_an_ordered_dictionary_stays_ordered() -> None:
    kind = pa.dictionary(pa.int32(), pa.string(), ordered=True)
    assert decode_column([0, 2], LETTERS, kind).type.ordered


def test_an_unused_category_outside_the_alphabet_is_no_fault() -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0, 2]), pa.array(["a", "unused", "b"]))
    assert encode_column(column, LETTERS, name="x").tolist() == [0, 1]


def test_long_text_in_views_keeps_its_buffers() -> None:
    long = Alphabet(["short", "a label longer than twelve bytes", "and another one of that kind"])
    column = pa.array([long.symbols[i] for i in (2, 0, 1, 2)], pa.string_view())
    out = decode_column(encode_column(column, long, name="x"), long, column.type)
    out.validate(full=True)
    assert out.equals(column)


@pytest.mark.parametrize("kind", [pa.string(), pa.string_view(), pa.int64(), pa.bool_()])
def test_rows_without_a_value_come_out_without_one(kind: Any) -> None:
    alphabet = {pa.int64(): DIGITS, pa.bool_(): TRUTH}.get(kind, LETTERS)
    absent = np.array([False, True, False] * 5)
    out = decode_column(np.ones(15, np.uint8), alphabet, kind, absent=absent)
    out.validate(full=True)
    assert out.null_count == 5
    assert [value is None for value in out.to_pylist()] == absent.tolist()


def test_an_unknown_label_is_named_by_row_only(refused: Any, secret: str) -> None:
    column = pa.chunked_array([["a", "b"], ["c", secret, "a", secret]])
    with refused(DomainError) as seen:
        encode_column(column, LETTERS, name="diagnosis")
    assert seen.error.position == 3
    assert "row 3 of the column 'diagnosis'" in seen.text
    assert "2 rows have such labels" in seen.text


def test_an_unknown_label_can_have_a_symbol() -> None:
    alphabet = Alphabet(["a", "b", "else"])
    codes = encode_column(pa.array(["b", "?", "!", "a"]), alphabet, name="x", other="else")
    assert codes.tolist() == [1, 2, 2, 0]


@pytest.mark.parametrize(
    "column",
    [
        pa.chunked_array([["a", "b"], ["a", None, "b", None]]),
        pa.chunked_array([["a", "b", "a", None, "b", None]]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 2, 1, 2]), pa.array(["a", "b", None])),
    ],
    ids=["text", "null index", "null in the dictionary"],
)
def test_a_missing_value_is_named_by_row_or_has_a_symbol(refused: Any, column: Any) -> None:
    with refused(MissingValueError) as seen:
        encode_column(column, LETTERS, name="x")
    assert seen.error.position == 3
    assert "2 rows have none" in seen.text
    codes = encode_column(column, LETTERS, name="x", missing="c")
    assert codes.tolist() == [0, 1, 0, 2, 1, 2]
    _, absent = encode_with_missing(column, LETTERS, name="x")
    assert absent is not None
    assert absent.tolist() == [False, False, False, True, False, True]


def test_nan_and_a_column_of_nulls_are_missing_values(refused: Any) -> None:
    with refused(MissingValueError) as seen:
        encode_column(pa.array([0.0, float("nan")]), DIGITS, name="x")
    assert seen.error.position == 1
    with refused(MissingValueError):
        encode_column(pa.nulls(3), LETTERS, name="x")
    assert encode_column(pa.nulls(3), LETTERS, name="x", missing="b").tolist() == [1, 1, 1]
    assert decode_column([1, 1], LETTERS, pa.null()).to_pylist() == ["b", "b"]


def test_missing_is_not_other(refused: Any) -> None:
    with refused(MissingValueError):
        encode_column(pa.array(["a", None]), LETTERS, name="x", other="c")
    with refused(DomainError):
        encode_column(pa.array(["a", "?"]), LETTERS, name="x", missing="c")


def test_a_damaged_dictionary_is_refused(refused: Any) -> None:
    column = pa.DictionaryArray.from_arrays(
        pa.array([0, 7], pa.int8()), pa.array(["a", "b"]), safe=False
    )
    with refused(DataError):
        encode_column(column, LETTERS, name="x")


@pytest.mark.parametrize(
    ("alphabet", "kind"),
    [
        (Alphabet(["0", "01"]), pa.int64()),
        (Alphabet(["0", "+1"]), pa.int64()),
        (Alphabet(["0", "1.0"]), pa.int64()),
        (Alphabet(["0", "１"]), pa.int64()),  # noqa: RUF001  # a digit that is not ASCII is the point
        (Alphabet([0, 300]), pa.uint8()),
        (Alphabet([0, 9**40]), pa.int64()),
        (Alphabet(["0", "9" * 5000]), pa.int64()),
        (Alphabet([True, False]), pa.int64()),
        (Alphabet([0.5, 1]), pa.int64()),
        (Alphabet([0.5, 1.5]), pa.string()),
        (Alphabet(["yes", "no"]), pa.bool_()),
        (Alphabet([0, 1]), pa.bool_()),
        (Alphabet(["a", "1"]), pa.float64()),
        (Alphabet(["a", "b"]), pa.timestamp("s")),
        (Alphabet(["a", "b"]), pa.list_(pa.string())),
        (Alphabet(["a", "b"]), pa.binary()),
    ],
    ids=str,
)
def test_an_alphabet_that_the_type_cannot_hold_is_refused(
    refused: Any, alphabet: Alphabet, kind: Any
) -> None:
    with refused(DomainError) as seen:
        match_alphabet(alphabet, kind, name="x")
    assert "column 'x'" in seen.text


def test_an_alphabet_that_fits_is_given_back_itself() -> None:
    assert match_alphabet(LETTERS, pa.string()) is LETTERS
    assert match_alphabet(DIGITS, pa.int64()).symbols == (0, 1, 2)
    assert match_alphabet(NUMBERS, pa.string_view()).symbols == ("0", "1", "2")


def test_symbols_that_become_one_are_refused() -> None:
    with pytest.raises(ParameterError):
        match_alphabet(Alphabet([1, "1"]), pa.int64())


def test_codes_outside_the_alphabet_are_refused() -> None:
    with pytest.raises(DomainError):
        decode_column([0, 3], LETTERS, pa.string())


def test_an_alphabet_from_the_data_warns_and_is_sorted() -> None:
    column = pa.chunked_array([["b", "a", None], ["b"]])
    with pytest.warns(PrivacyLeakWarning, match="column 'x'"):
        assert alphabet_from_column(column, name="x").symbols == ("a", "b")
    with pytest.warns(PrivacyLeakWarning):
        assert alphabet_from_column(pa.array([3, 1, 2])).symbols == (1, 2, 3)


def test_one_category_in_the_data_is_no_alphabet(refused: Any, secret: str) -> None:
    with pytest.warns(PrivacyLeakWarning), refused(ParameterError):
        alphabet_from_column(pa.array([secret, secret, None]), name="x")
    with refused(DomainError):
        alphabet_from_column(pa.array([1], pa.timestamp("s")), name="x")


def test_an_identifier_gives_no_alphabet(secret: str) -> None:
    with pytest.raises(DataError, match="more than half as many") as seen:
        alphabet_from_column(pa.array([f"{secret} {row}" for row in range(30)]), name="x")
    assert secret not in str(seen.value)
    with pytest.warns(PrivacyLeakWarning):
        assert len(alphabet_from_column(pa.array(list(range(20)) * 2))) == 20


def test_numbers_that_a_type_does_not_tell_apart_are_refused(refused: Any) -> None:
    large = 2**53
    for symbols in ([large + 1, large], [str(large + 1), str(large)]):
        with refused(DomainError) as seen:
            match_alphabet(Alphabet(symbols), pa.float64(), name="x")
        assert "column 'x'" in seen.text
    with refused(DomainError) as seen:
        match_alphabet(Alphabet([0, large + 1]), pa.float64(), name="x")
    assert "symbol 1" in seen.text
    with refused(DomainError) as seen:
        match_alphabet(Alphabet(["0.1", "0.10000000001"]), pa.float32(), name="x")
    assert "symbols 0 and 1" in seen.text
    with refused(DomainError):
        match_alphabet(Alphabet([0, 10**400]), pa.float64(), name="x")
    with refused(DomainError):
        match_alphabet(Alphabet([0, 70000]), pa.float16(), name="x")


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()], ids=str)
def test_decimals_are_the_nearest_numbers_of_the_type(kind: Any) -> None:
    for alphabet in (Alphabet(["0.1", "0.2", "3"]), Alphabet([0.1, 0.2, 3])):
        column = pa.array([0.2, 0.1, 3.0, 0.2]).cast(kind)
        codes = encode_column(column, alphabet, name="x")
        assert codes.tolist() == [1, 0, 2, 1]
        back = decode_column(codes, alphabet, kind)
        assert back.equals(column)


@pytest.mark.parametrize("kind", [pa.decimal128(25, 2), pa.decimal256(50, 2)], ids=str)
def test_a_decimal_column_is_no_categorical_column(refused: Any, kind: Any) -> None:
    with refused(DomainError) as seen:
        encode_column(pa.array([1]).cast(kind), Alphabet(["1", "2"]), name="x")
    assert "column 'x' holds decimal" in seen.text


def test_categories_of_views_are_encoded_and_listed() -> None:
    column = pa.DictionaryArray.from_arrays(
        pa.array([1, 0, 1], pa.uint8()), pa.array(["b", "a"], pa.string_view())
    )
    assert encode_column(column, LETTERS, name="x").tolist() == [0, 1, 0]
    with pytest.warns(PrivacyLeakWarning):
        assert alphabet_from_column(pa.chunked_array([column])).symbols == ("a", "b")
