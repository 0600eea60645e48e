"""Columns of lists: a row is a word, and goes back as a list of the type that came."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from privet import Alphabet
from privet.data import list_entries, read_lists, words_from_wide
from privet.errors import (
    ColumnNotFoundError,
    DataError,
    DomainError,
    MissingValueError,
    PrivetError,
)
from privet.symbols import Words

ABC = Alphabet(["a", "b", "c"])
WORDS: list[list[str]] = [["a", "b"], [], ["c"], ["c", "a", "b"]]


def with_lists(values: Any, kind: Any = None) -> pa.Table:
    return pa.table({"id": range(len(values)), "w": pa.array(values, kind)})


def released(table: pa.Table, alphabet: Alphabet = ABC) -> pa.Table:
    """The table with each symbol replaced by the next one."""
    found = words_from_wide(table, alphabet, ["w"], ragged=True)
    return found.rebuild(found.words.with_codes((found.words.codes + 1) % len(alphabet)))


KINDS: dict[str, Any] = {
    "list": pa.list_(pa.string()),
    "large list": pa.large_list(pa.string()),
    "views": pa.large_list(pa.string_view()),
    "a field of its own": pa.list_(pa.field("entry", pa.large_string(), nullable=False)),
}


@pytest.mark.parametrize("kind", list(KINDS))
def test_words_come_back_as_lists_of_their_type(kind: str) -> None:
    table = with_lists(WORDS, KINDS[kind])
    found = words_from_wide(table, ABC, ["w"], ragged=True)
    assert found.words == Words.from_lists(ABC, WORDS)
    assert found.published == ("id",)
    out = released(table)
    assert out.schema == table.schema
    assert out["w"].to_pylist() == [["b", "c"], [], ["a"], ["a", "b", "c"]]
    out.validate(full=True)


def test_numbers_truth_values_and_categories_are_labels() -> None:
    numbers = with_lists([[1, 2], [0]], pa.list_(pa.int16()))
    assert released(numbers, Alphabet([0, 1, 2]))["w"].to_pylist() == [[2, 0], [1]]
    truths = with_lists([[True], [False, True]])
    assert released(truths, Alphabet([False, True]))["w"].to_pylist() == [[False], [True, False]]
    # What categories a list declares may come from the data: they go out as plain text.
    coded = with_lists([["a"], ["c"]], pa.list_(pa.dictionary(pa.int8(), pa.string())))
    out = released(coded)
    assert (out["w"].type, out["w"].to_pylist()) == (pa.list_(pa.string()), [["b"], ["a"]])


def test_lists_of_a_fixed_size() -> None:
    kind = pa.list_(pa.string(), 2)
    table = with_lists([["a", "b"], ["c", "c"]], kind)
    found = words_from_wide(table, ABC, ["w"])
    assert found.words.to_lists() == [["a", "b"], ["c", "c"]]
    assert found.rebuild(found.words).column("w").type == kind
    with pytest.raises(MissingValueError, match="Row 1 has no list in the column 'w'"):
        words_from_wide(with_lists([["a", "b"], None], kind), ABC, ["w"])


def test_only_the_rows_are_read() -> None:
    whole = with_lists([["z"], ["a"], ["b", "c"], ["z", "z"]])
    assert released(whole.slice(1, 2))["w"].to_pylist() == [["b"], ["c", "a"]]
    # Behind a missing list there may be anything at all.
    behind = pa.ListArray.from_arrays(
        pa.array([0, 1, 3, 4], pa.int32()),
        pa.array([*"azzb"]),
        mask=pa.array([False, True, False]),
    )
    table = pa.table({"w": behind})
    assert list_entries(table["w"]).to_pylist() == ["a", "b"]
    found = read_lists(table, ABC, "w")
    assert (found.unknown, found.no_list, found.missing) == (None, (1, 1), None)


def test_chunks_are_cut_by_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.data.lists.CHUNK_ROWS", 3)
    table = pa.concat_tables([with_lists(WORDS)] * 2)
    out = released(table)
    assert [len(chunk) for chunk in out["w"].chunks] == [3, 3, 2]
    assert out["w"].to_pylist() == released(with_lists(WORDS * 2))["w"].to_pylist()
    # An array holds so many bytes of text at most; how many the longest symbols need is public.
    monkeypatch.setattr("privet.data.lists._MOST_ENTRIES", 3)
    again = released(table)
    assert again["w"].equals(out["w"])
    arrays: list[Any] = again["w"].chunks
    assert max(len(array.flatten()) for array in arrays) == 3
    with pytest.raises(DataError, match="too long for one array"):
        released(with_lists([[*"abca"]]))


def test_no_rows_and_no_entries() -> None:
    kind = pa.list_(pa.string())
    assert released(with_lists([], kind))["w"].type == kind
    # A column of empty lists knows no type of entries; it gets that of the symbols.
    out = released(with_lists([[], []]))
    assert (out["w"].type, out["w"].to_pylist()) == (kind, [[], []])


REFUSED: dict[str, tuple[list[Any], type[PrivetError], str]] = {
    "a label": (
        [["a"], ["b", "secret"], ["secret"]],
        DomainError,
        r"label in row 1 of the column 'w' is not .*; 2 entries are such",
    ),
    "no entry": (
        [["a"], [], ["b", None]],
        MissingValueError,
        r"entry in row 2 of the column 'w' has no value; 1 entry has none",
    ),
    "no list": (
        [["a"], None, None],
        MissingValueError,
        r"Row 1 has no list in the column 'w'; 2 rows have none",
    ),
}


@pytest.mark.parametrize("case", list(REFUSED))
def test_what_is_no_word_is_refused_by_its_row(case: str) -> None:
    values, error, message = REFUSED[case]
    with pytest.raises(error, match=message) as caught:
        words_from_wide(with_lists(values), ABC, ["w"], ragged=True)
    assert "secret" not in str(caught.value)


def test_symbols_stand_in_for_entries_but_for_no_list() -> None:
    given: dict[str, Any] = {"other": "c", "missing": "b", "ragged": True}
    found = words_from_wide(with_lists([["x", None], []]), ABC, ["w"], **given)
    assert found.words.to_lists() == [["c", "b"], []]
    with pytest.raises(MissingValueError, match="no list"):
        words_from_wide(with_lists([["a"], None]), ABC, ["w"], **given)


def test_lengths_that_differ_are_refused_unless_said() -> None:
    with pytest.raises(DataError, match=r"different lengths.*ragged"):
        words_from_wide(with_lists(WORDS), ABC, ["w"])
    assert len(words_from_wide(with_lists([["a"], ["b"]]), ABC, ["w"]).words) == 2


def test_one_column_of_lists_is_a_word_and_several_are_not() -> None:
    table = pa.table({"w": [["a"]], "v": [["b"]], "n": [[["a"]]]})
    with pytest.raises(DomainError, match=r"holds list, which .*name it alone"):
        words_from_wide(table, ABC, ["w", "v"])
    with pytest.raises(DomainError, match="holds list, which"):
        words_from_wide(table, ABC, ["n"])
    with pytest.raises(ColumnNotFoundError):
        words_from_wide(table, ABC, ["x"])


def test_damaged_lists_are_refused() -> None:
    offsets = pa.py_buffer(np.array([0, 5, 1], np.int32).tobytes())
    damaged = pa.Array.from_buffers(
        pa.list_(pa.string()), 2, [None, offsets], children=[pa.array(["a", "b"])]
    )
    with pytest.raises(DataError, match="lists of the column 'w' are damaged"):
        read_lists(pa.table({"w": damaged}), ABC, "w")


def test_words_of_other_lengths_are_not_put_back() -> None:
    found = words_from_wide(with_lists(WORDS), ABC, ["w"], ragged=True)
    with pytest.raises(DataError, match="lengths"):
        found.rebuild(Words.from_lists(ABC, [["a"]] * 4))
