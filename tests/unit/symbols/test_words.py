"""Words in one flat array: layout, checks, and where an error is."""

import numpy as np
import pytest

from privet.errors import DataError, DomainError, ParameterTypeError
from privet.symbols import Alphabet, Words, hamming_distance

ALPHABET = Alphabet(["a", "b", "c"])


def test_lists_and_back() -> None:
    lists = [["a", "b"], [], ["c"]]
    words = Words.from_lists(ALPHABET, lists)
    assert words.to_lists() == lists
    assert words.codes.tolist() == [0, 1, 2]
    assert words.offsets.tolist() == [0, 2, 2, 3]
    assert words.lengths.tolist() == [2, 0, 1]
    assert len(words) == 3
    assert words[-1] == ["c"]
    assert words == Words(ALPHABET, [0, 1, 2], [0, 2, 2, 3])
    with pytest.raises(IndexError):
        words[3]


def test_no_words() -> None:
    assert len(Words.from_lists(ALPHABET, [])) == 0


def test_the_arrays_cannot_be_written() -> None:
    words = Words(ALPHABET, [0, 1], [0, 2])
    with pytest.raises(ValueError, match="read-only"):
        words.codes[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        words.offsets[0] = 1


@pytest.mark.parametrize("offsets", [[], [0], [1, 2], [0, 3], [0, 2, 1, 2], [[0, 2]], [0.0, 2.0]])
def test_offsets_that_do_not_fit_are_refused(offsets: list[int]) -> None:
    with pytest.raises(DataError):
        Words(ALPHABET, [0, 1], offsets)


def test_codes_outside_the_alphabet_are_refused() -> None:
    with pytest.raises(DomainError):
        Words(ALPHABET, [0, 3], [0, 2])


def test_an_unknown_label_is_located_by_word_and_position() -> None:
    with pytest.raises(DomainError, match="position 1 of word 2") as caught:
        Words.from_lists(ALPHABET, [["a"], [], ["b", "hidden"]])
    assert "hidden" not in str(caught.value)
    assert (caught.value.payload["word"], caught.value.payload["position"]) == (2, 1)


def test_a_word_is_a_list_not_a_string() -> None:
    with pytest.raises(ParameterTypeError, match="Word 1 is a str"):
        Words.from_lists(ALPHABET, [["a"], "ab"])


def test_hamming_distance() -> None:
    assert hamming_distance([0, 1, 2], (0, 2, 2)) == 1
    assert hamming_distance("abc", "acb") == 2
    assert hamming_distance([], []) == 0
    with pytest.raises(ValueError, match="longer"):
        hamming_distance([0], [0, 1])


def test_nobody_moves_the_words_afterwards() -> None:
    offsets = np.array([0, 1, 3])
    words = Words(ALPHABET, np.array([0, 1, 2]), offsets)
    offsets[1] = 2
    assert words.lengths.tolist() == [1, 2]
