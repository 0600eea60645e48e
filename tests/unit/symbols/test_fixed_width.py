"""Arrays of text: the same codes as label by label, whatever the hash does."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.errors import DomainError
from privet.symbols import Alphabet, fixed_width

texts = st.lists(st.text(max_size=6), min_size=2, max_size=12, unique=True).filter(
    lambda symbols: not any(s.endswith("\0") or not _encodable(s) for s in symbols)
)


def _encodable(text: str) -> bool:
    return not any(0xD800 <= ord(letter) < 0xE000 for letter in text)


@given(texts, st.data())
def test_arrays_and_lists_give_the_same_codes(symbols: list[str], data: st.DataObject) -> None:
    alphabet = Alphabet(symbols)
    labels = data.draw(st.lists(st.sampled_from(symbols), min_size=1, max_size=40))
    array = np.array(labels)
    assert array.dtype.kind == "U"
    assert alphabet.encode(array).tolist() == alphabet.encode(labels).tolist()


@pytest.mark.parametrize("order", ["<", ">"])
def test_byte_order_and_width_do_not_matter(order: str) -> None:
    alphabet = Alphabet(["a", "bb", "much longer than any label", "", 7])
    labels = np.array(["bb", "a", "", "bb"], f"{order}U5")
    assert alphabet.encode(labels).tolist() == [1, 0, 3, 1]
    assert alphabet.encode(labels[::2]).tolist() == [1, 3]
    assert alphabet.encode(np.array([""], "U1")).tolist() == [3]


def test_blocks_are_put_together_and_strangers_named_by_position() -> None:
    alphabet = Alphabet(["low", "high"])
    labels = np.array(["low", "high", "high"] * 20_000)
    assert alphabet.encode(labels).tolist() == [0, 1, 1] * 20_000
    labels[50_000] = "hihg"
    with pytest.raises(DomainError, match="position 50000") as caught:
        alphabet.encode(labels)
    assert "hihg" not in str(caught.value)
    assert alphabet.encode(labels, other="low")[50_000] == 0


def test_a_collision_of_the_hash_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def by_length(letters: Any, _multiplier: int) -> Any:
        return (letters > 0).sum(axis=1).astype(np.uint64)

    monkeypatch.setattr(fixed_width, "_hash", by_length)
    # Labels collide with a symbol, and symbols with each other.
    assert fixed_width.look_up_text(np.array(["ab", "xy"]), ["ab", "c"]).tolist() == [0, -1]  # type: ignore[union-attr]  # symbols of two lengths are kept apart
    assert fixed_width.look_up_text(np.array(["ab"]), ["ab", "cd"]) is None
    assert Alphabet(["ab", "cd"]).encode(np.array(["cd", "ab"])).tolist() == [1, 0]
