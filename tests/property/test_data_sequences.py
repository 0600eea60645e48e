"""Laws of sequences: reading and putting back is the identity, whatever the order of the rows."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from privet.data import words_from_long, words_from_wide
from privet.symbols import Alphabet, Words

ALPHABET = Alphabet(["a", "b", "c"])
ROLES = {"id": "id", "time": "time", "state": "state"}
words = st.lists(st.text("abc", min_size=1, max_size=7), min_size=1, max_size=6)


@given(st.data(), words, st.sampled_from(["number", "text"]))
def test_long_tables_do_not_depend_on_the_order_of_rows(
    data: st.DataObject, lists: list[str], times: str
) -> None:
    rows = [(f"p{i}", t, s) for i, word in enumerate(lists) for t, s in enumerate(word)]
    rows = data.draw(st.permutations(rows))
    table = pa.table(
        {
            "id": [row[0] for row in rows],
            "time": [row[1] if times == "number" else str(row[1]) for row in rows],
            "state": [row[2] for row in rows],
        }
    )
    found = words_from_long(table, ALPHABET, **ROLES)
    first_seen = list(dict.fromkeys(row[0] for row in rows))
    assert found.words.to_lists() == [list(lists[int(name[1:])]) for name in first_seen]
    assert found.rebuild(found.words).equals(table)


@given(st.data(), words)
def test_each_released_symbol_lands_on_its_own_row(data: st.DataObject, lists: list[str]) -> None:
    rows = [(i, t, s) for i, word in enumerate(lists) for t, s in enumerate(word)]
    rows = data.draw(st.permutations(rows))
    columns = list(zip(*rows, strict=True))
    table = pa.table(dict(zip(("id", "time", "state"), map(list, columns), strict=True)))
    found = words_from_long(table, ALPHABET, **ROLES)
    shift = str.maketrans("abc", "bca")
    released = [[s.translate(shift) for s in word] for word in found.words.to_lists()]
    out = found.rebuild(Words.from_lists(ALPHABET, released))
    assert out["state"].to_pylist() == [row[2].translate(shift) for row in rows]
    assert out.drop_columns(["state"]).equals(table.drop_columns(["state"]))


@given(st.lists(st.text("abc", max_size=5), min_size=1, max_size=6))
def test_wide_tables_are_the_transpose(lists: list[str]) -> None:
    columns = {
        f"m{t}": pa.array([word[t] if t < len(word) else None for word in lists], pa.string())
        for t in range(5)
    }
    table = pa.table(columns)
    found = words_from_wide(table, ALPHABET, list(columns), ragged=True)
    assert found.words.to_lists() == [list(word) for word in lists]
    assert found.rebuild(found.words).equals(table)
