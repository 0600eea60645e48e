"""Whole numbers are looked up alike in every Arrow type, near together or far apart."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet import Alphabet
from privet.data import look_up_column

TYPES = [getattr(pa, f"{sign}int{bits}")() for sign in ("", "u") for bits in (8, 16, 32, 64)]


@pytest.mark.parametrize("kind", TYPES, ids=str)
@given(data=st.data())
def test_codes_are_those_of_a_plain_search(kind: Any, data: st.DataObject) -> None:
    limits = np.iinfo(kind.to_pandas_dtype())
    ends = [limits.min, limits.min + 1, 0, 1, 5, 100, limits.max - 1, limits.max]
    number = st.one_of(st.sampled_from(ends), st.integers(0, 9))
    symbols = data.draw(st.lists(number, min_size=2, max_size=8, unique=True))
    known = st.sampled_from(symbols)
    values = data.draw(st.lists(st.one_of(known, known, known, st.none(), number), max_size=12))
    found = look_up_column(pa.chunked_array([pa.array(values, kind)]), Alphabet(symbols), name="x")
    wrong = [row for row, value in enumerate(values) if value not in (*symbols, None)]
    absent = [value is None for value in values]
    assert (found.unknown_row, found.unknown_count) == ((wrong or [-1])[0], len(wrong))
    assert (np.zeros(len(values)) if found.absent is None else found.absent).tolist() == absent
    for row, value in enumerate(values):
        if row not in wrong and value is not None:
            assert symbols[found.codes[row]] == value
