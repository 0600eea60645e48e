"""Laws of columns: there and back is the identity, and chunks and encodings say nothing new."""

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from privet.data import decode_column, encode_column
from privet.symbols import Alphabet

labels = st.lists(st.text(max_size=20), min_size=2, max_size=12, unique=True)
KINDS = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.uint32(), pa.large_string()),
]


@given(st.data(), labels, st.sampled_from(KINDS))
def test_decode_undoes_encode(data: st.DataObject, symbols: list[str], kind: Any) -> None:
    alphabet = Alphabet(symbols)
    rows = data.draw(st.lists(st.sampled_from(symbols), max_size=40))
    cut = data.draw(st.integers(0, len(rows)))
    column = pa.chunked_array([pa.array(rows[:cut], kind), pa.array(rows[cut:], kind)])
    codes = encode_column(column, alphabet, name="x")
    assert codes.tolist() == alphabet.encode(rows).tolist()
    back = decode_column(codes, alphabet, kind)
    back.validate(full=True)
    assert back.type == kind
    assert back.to_pylist() == rows


@given(st.data(), labels)
def test_what_goes_out_depends_on_codes_alone(data: st.DataObject, symbols: list[str]) -> None:
    # Two inputs of one type with equal codes leave equal bytes, whatever their dictionaries were.
    alphabet = Alphabet(symbols)
    rows = data.draw(st.lists(st.sampled_from(symbols), min_size=1, max_size=40))
    order = data.draw(st.permutations(symbols))
    indices = pa.array([order.index(row) for row in rows], pa.int32())
    declared = pa.DictionaryArray.from_arrays(indices, pa.array(order, pa.string()))
    plain: Any = pa.array(rows, pa.string()).dictionary_encode()
    out = [
        decode_column(encode_column(column, alphabet, name="x"), alphabet, column.type)
        for column in (declared, plain)
    ]
    assert out[0].indices.equals(out[1].indices)
    assert out[0].dictionary.equals(out[1].dictionary)


@given(st.data(), labels)
def test_other_and_missing_agree_with_the_alphabet(data: st.DataObject, symbols: list[str]) -> None:
    alphabet = Alphabet(symbols)
    rows = data.draw(st.lists(st.none() | st.sampled_from(symbols) | st.text(max_size=3)))
    given_symbols = {"other": symbols[0], "missing": symbols[1]}
    expected = alphabet.encode(rows, **given_symbols)
    for kind in KINDS[:3]:
        column = pa.array(rows, kind)
        assert np.array_equal(encode_column(column, alphabet, name="x", **given_symbols), expected)
        coded = column.cast(pa.string()).dictionary_encode()
        assert np.array_equal(encode_column(coded, alphabet, name="x", **given_symbols), expected)
