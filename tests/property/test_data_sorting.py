"""Out of core and in memory, a long table is the same words, or is refused with the same words."""

from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from privet.data import (
    LongColumns,
    encode_column,
    group_rows,
    long_sequences,
    order_of_times,
    persons_above,
    spill_folder,
    words_from_long,
)
from privet.data.keys import Keys, decimal_key
from privet.errors import PrivetError
from privet.symbols import Alphabet

ALPHABET = Alphabet(["a", "b", "c"])
ROLES = {"id": "person", "time": "when", "state": "what"}

whole = st.integers(-3, 12).map(str)
decimals = st.from_regex(r"[+-]?([0-3]{1,3}\.?[05]{0,2}|\.[05]{1,2})", fullmatch=True)
long_digits = st.from_regex(r"-?[01]{17,22}(\.[05])?", fullmatch=True)
days = st.dates().map(str)
moments = st.datetimes().map(lambda moment: moment.isoformat(timespec="microseconds"))
fine = st.from_regex(r"2024-0[1-9]-1[0-9]T1[0-9]:2[0-9]:3[0-9]\.[0-1]{9}Z", fullmatch=True)
quarters = st.from_regex(r"202[0-3]-Q[1-4]", fullmatch=True)
weeks = st.from_regex(r"202[0-3]W[05][0-4]", fullmatch=True)
months = st.from_regex(r"202[0-3]-[01][0-3]", fullmatch=True)
loose = st.one_of(whole, decimals, days, months, st.just("noon"))

TIMES: dict[str, tuple[st.SearchStrategy[Any], Any]] = {
    "whole text": (whole, pa.string()),
    "decimal text": (decimals, pa.large_string()),
    "long text": (st.one_of(long_digits, decimals, whole), pa.string()),
    "days": (days, pa.string()),
    "moments": (moments, pa.string_view()),
    "fine moments": (fine, pa.string()),
    "quarters": (quarters, pa.string()),
    "weeks": (weeks, pa.string()),
    "months": (months, pa.string()),
    "anything": (loose, pa.string()),
    "int8": (st.integers(-128, 127), pa.int8()),
    "int64": (st.integers(-(2**63), 2**63 - 1), pa.int64()),
    "uint64": (st.integers(0, 2**64 - 1), pa.uint64()),
    "float": (st.floats(allow_nan=False), pa.float64()),
    "float32": (st.floats(allow_nan=False, width=32), pa.float32()),
    "gaps": (st.one_of(st.just(float("nan")), st.floats(0, 1)), pa.float64()),
    "boolean": (st.booleans(), pa.bool_()),
    "date32": (st.dates(), pa.date32()),
    "date64": (st.dates(), pa.date64()),
    "timestamp": (st.integers(-(2**40), 2**40), pa.timestamp("ns", "UTC")),
    "time32": (st.integers(0, 86399), pa.time32("s")),
    "time64": (st.integers(0, 10**9), pa.time64("ns")),
    "duration": (st.integers(-9, 9), pa.duration("ms")),
    "decimal128": (st.decimals(-(10**20), 10**20, places=2), pa.decimal128(30, 2)),
    "decimal256": (st.decimals(-(10**40), 10**40, places=1), pa.decimal256(60, 1)),
    "binary": (st.binary(max_size=3), pa.binary()),
    "fixed binary": (st.binary(min_size=2, max_size=2), pa.binary(2)),
}
texts = st.one_of(
    st.text(max_size=2), st.text(max_size=2).map(lambda text: "person number " + text)
)
zeros = st.sampled_from([0.0, -0.0, 1.0])
IDS: dict[str, tuple[st.SearchStrategy[Any], Any]] = {
    **{name: TIMES[name] for name in TIMES if name not in ("float", "anything")},
    "text": (texts, pa.string()),
    "large text": (texts, pa.large_string()),
    "zeros": (zeros, pa.float64()),
    "few": (st.integers(0, 3), pa.int32()),
}


class Batches:
    """A table in batches of given sizes; the last takes what is left."""

    def __init__(self, table: pa.Table, sizes: list[int]) -> None:
        self.table, self.sizes = table, sizes

    def __iter__(self) -> Iterator[pa.Table]:
        start = 0
        for size in [*self.sizes, self.table.num_rows]:
            if start < self.table.num_rows or not start:
                yield self.table.slice(start, size)
            start += size


def in_memory(table: pa.Table, **stand_ins: Any) -> dict[tuple[int, ...], tuple[int, ...]]:
    """The codes of each word, by its rows in the order of time."""
    found = words_from_long(table, ALPHABET, **ROLES, **stand_ins)
    persons, _ = group_rows(table["person"], "person")
    order = np.lexsort((order_of_times(table["when"], "when"), persons))
    codes = found.words.codes
    cuts = found.words.offsets[1:-1]
    pairs = zip(np.split(order, cuts), np.split(codes, cuts), strict=True)
    return {tuple(rows.tolist()): tuple(word.tolist()) for rows, word in pairs}


def out_of_core(
    table: pa.Table, sizes: list[int], folder: Path, **stand_ins: Any
) -> dict[tuple[int, ...], tuple[int, ...]]:
    columns = LongColumns(**ROLES, alphabet=ALPHABET, **stand_ins)
    words: dict[tuple[int, ...], tuple[int, ...]] = {}
    with (
        spill_folder(folder) as place,
        long_sequences(Batches(table, sizes), columns, folder=place) as found,
    ):
        lengths: Counter[int] = Counter()
        for block in found.blocks():
            cuts = block.words.offsets[1:-1]
            for rows, codes in zip(
                np.split(block.rows, cuts), np.split(block.words.codes, cuts), strict=True
            ):
                words[tuple(rows.tolist())] = tuple(codes.tolist())
                lengths[rows.size] += 1
            turned = ((block.words.codes + 1) % 3).astype(block.words.codes.dtype)
            found.put(block, block.words.with_codes(turned))
        assert lengths == found.lengths
        assert sum(lengths.values()) == len(found) == len(words)
        assert found.rows == table.num_rows
        codes = encode_column(table["what"], ALPHABET, name="what", **stand_ins)
        half = table.num_rows // 2
        back = [*found.released(0, half), *found.released(half, table.num_rows)]
        assert back == ((codes + 1) % 3).tolist()
    return words


def words_or_refusal(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except PrivetError as error:
        return type(error), str(error), error.hint, error.payload


def both_agree(table: pa.Table, sizes: list[int], folder: Path, **stand_ins: Any) -> None:
    expected = words_or_refusal(lambda: in_memory(table, **stand_ins))
    assert words_or_refusal(lambda: out_of_core(table, sizes, folder, **stand_ins)) == expected
    assert not [*folder.iterdir()]


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    rows = draw(st.integers(1, 14))
    ids, id_type = draw(st.sampled_from([*IDS.values()]))
    times, time_type = draw(st.sampled_from([*TIMES.values()]))
    few = draw(st.lists(ids, min_size=1, max_size=4))
    person = draw(st.lists(st.sampled_from(few), min_size=rows, max_size=rows))
    when = draw(st.lists(times, min_size=rows, max_size=rows, unique=draw(st.booleans())))
    missing = st.none() if draw(st.integers(0, 11)) == 7 else st.nothing()
    strange = st.just("z") if draw(st.integers(0, 11)) == 7 else st.nothing()
    what = draw(
        st.lists(st.one_of(st.sampled_from("abc"), missing, strange), min_size=rows, max_size=rows)
    )
    if draw(st.integers(0, 11)) == 7:
        when[draw(st.integers(0, rows - 1))] = None
    if draw(st.integers(0, 11)) == 7:
        person[draw(st.integers(0, rows - 1))] = None
    if draw(st.booleans()):
        # Not the order of every kind of time, but of some: sequences one after the other.
        pairs = sorted(zip(person, when, strict=True), key=repr)
        person, when = (list(column) for column in zip(*pairs, strict=True))
    columns: dict[str, Any] = {
        "person": pa.chunked_array([pa.array(person, id_type)]),
        "when": pa.chunked_array([pa.array(when, time_type)]),
        "what": pa.chunked_array([pa.array(what, pa.string())]),
    }
    for name in columns:
        if draw(st.booleans()) and not pa.types.is_string_view(columns[name].type):
            columns[name] = columns[name].dictionary_encode()
    return pa.table(columns)


sizes = st.lists(st.integers(0, 6), max_size=6)
stand_ins = st.sampled_from([{}, {}, {"missing": "a"}, {"other": "b"}])


@given(tables(), sizes, stand_ins)
@example(pa.table({"person": [1, 1], "when": ["-0", "0.0"], "what": ["a", "b"]}), [1], {})
@example(pa.table({"person": [1, 1], "when": ["2024", "2024-01"], "what": ["a", "b"]}), [1], {})
@example(pa.table({"person": [1, 1], "when": ["2024-02-30", "x"], "what": ["a", "b"]}), [1], {})
@example(
    pa.table({"person": [2, 1, 2, 1], "when": [1, 5, 1, 5], "what": ["a", "b", "a", "b"]}), [1], {}
)
def test_words_rows_and_refusals_are_those_of_the_table_in_memory(
    tmp_path_factory: pytest.TempPathFactory,
    table: pa.Table,
    sizes: list[int],
    stand_ins: dict[str, Any],
) -> None:
    both_agree(table, sizes, tmp_path_factory.mktemp("sorting"), **stand_ins)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=20), st.integers(1, 4), sizes)
def test_persons_above_a_bound_are_counted(
    tmp_path_factory: pytest.TempPathFactory, persons: list[int], bound: int, sizes: list[int]
) -> None:
    table = pa.table({"person": [f"p{number}" for number in persons]})
    above = sum(count > bound for count in Counter(persons).values())
    with spill_folder(tmp_path_factory.mktemp("bound")) as folder:
        assert persons_above(Batches(table, sizes), "person", bound, folder=folder) == above


@given(st.lists(st.one_of(decimals, long_digits, whole), min_size=1, max_size=12))
def test_keys_of_decimal_texts_compare_as_the_numbers_do(texts: list[str]) -> None:
    keys, numbers = [decimal_key(text) for text in texts], [Decimal(text) for text in texts]
    for key, number in zip(keys, numbers, strict=True):
        for other, compared in zip(keys, numbers, strict=True):
            assert (key < other) == (number < compared)
            assert (key == other) == (number == compared)


@given(st.lists(st.tuples(st.integers(-2, 2), st.sampled_from([b"", b"1", b"12", b"2"]))))
def test_steps_are_those_of_pairs(pairs: list[tuple[int, bytes]]) -> None:
    numbers = np.array([number for number, _ in pairs], np.int64)
    keys = Keys(numbers, pa.array([rest for _, rest in pairs], pa.large_binary()))
    expected = [(after > before) - (after < before) for before, after in pairwise(pairs)]
    assert keys.steps().tolist() == expected
