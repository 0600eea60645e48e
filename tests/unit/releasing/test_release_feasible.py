"""Releases on languages that forbid words, and decoded ones: outputs, sentences, receipts."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from privet import (
    Alphabet,
    Language,
    MarkovChain,
    RandomizedResponse,
    Receipt,
    WordExponential,
    WordPermuteAndFlip,
    Words,
    WordStaircase,
    release,
)
from privet.errors import DomainError, ModelError, ParameterError, ParameterTypeError
from privet.mechanisms import Mechanism
from privet.randomness.source import using_source
from privet.testing import ChosenSource

ABC = Alphabet(["a", "b", "c"])
CHAIN = MarkovChain(["1/3"] * 3, [["1/2", "1/2", 0], ["1/4", "1/2", "1/4"], [0, "1/2", "1/2"]], ABC)
LANGUAGE = Language.from_chain(CHAIN)
INSIDE = Words.from_lists(ABC, [list("aabbc"), list("cbbaa"), list("abc")])
OUTSIDE = Words.from_lists(ABC, [list("aabbc"), list("abacb")])
RESPONSE = RandomizedResponse(ABC, epsilon=1)

KINDS = [WordExponential, WordPermuteAndFlip]


def table(words: list[str]) -> pa.Table:
    return pa.table({f"d{i}": [word[i] for word in words] for i in range(len(words[0]))})


@pytest.mark.parametrize("kind", KINDS)
def test_what_goes_out_is_in_the_language_and_the_receipt_has_it(kind: Any) -> None:
    mechanism = kind(LANGUAGE, epsilon=1)
    done = release(mechanism, INSIDE)
    assert all(LANGUAGE.contains(word) for word in done.data.to_lists())
    assert done.receipt.spent <= 1
    sentence = done.receipt.sentence
    assert "against any change that leads to another possible word" in sentence
    assert "the language (which words can happen) was public" in sentence
    assert "symbols within one, are independent" not in sentence
    again = Receipt.from_json(done.receipt.to_json())
    assert again == done.receipt
    rebuilt: Any = again.mechanism()
    assert rebuilt.language == LANGUAGE
    part = again.parts[0]
    assert part.law["expected_errors_averaged_over"].startswith("the words of the language")
    assert part.law["expected_errors_standard_error"] > 0
    expected = 2 * mechanism.expected_errors(5) + mechanism.expected_errors(3)
    assert part.expected_errors == pytest.approx(expected)
    certified = kind is WordExponential
    assert part.law["calibration"] == ("exact" if certified else "paper")
    assert ("certified" in part.law) == certified


def test_many_lengths_are_averaged_together() -> None:
    mechanism = WordExponential(LANGUAGE, epsilon=1)
    words = Words.from_lists(ABC, [LANGUAGE.sample(length) for length in range(1, 31)])
    (part,) = release(mechanism, words).receipt.parts
    expected = sum(mechanism.expected_errors(length) for length in range(1, 31))
    # Fewer words of each length than the mechanism's own thousand.
    assert part.law["simulated_words"] < 3000
    error = part.law["expected_errors_standard_error"]
    assert part.expected_errors is not None
    assert abs(part.expected_errors - expected) < 5 * error
    assert 0 < error < 0.05 * expected


def test_the_predicted_error_looks_at_lengths_alone() -> None:
    mechanism = WordExponential(LANGUAGE, epsilon=1)
    first = release(mechanism, Words.from_lists(ABC, [list("aaaa")])).receipt
    other = release(mechanism, Words.from_lists(ABC, [list("abcb")])).receipt
    assert first.parts == other.parts


@pytest.mark.parametrize("kind", KINDS)
def test_a_word_outside_is_refused_by_number_and_position_before_any_draw(kind: Any) -> None:
    def forbidden(_out: object) -> object:
        raise AssertionError("a random bit was used")

    with (
        using_source(ChosenSource(forbidden)),  # type: ignore[arg-type]  # never returns
        pytest.raises(DomainError, match=r"Word 1 .* impossible at position 3") as caught,
    ):
        release(kind(LANGUAGE, epsilon=1), OUTSIDE)
    assert caught.value.payload == {"word": 1, "position": 3}
    with pytest.raises(DomainError, match=r"Word 1 .* position 3"):
        release(kind(LANGUAGE, epsilon=1), table(["aabbc", "abacb"]), columns="d0..d4")
    with pytest.raises(DomainError, match="position 3"):
        release(kind(LANGUAGE, epsilon=1), list("abacb"))


def test_a_word_outside_is_released_where_that_is_allowed() -> None:
    done = release(WordExponential(LANGUAGE, epsilon=1, outside="allow"), OUTSIDE)
    assert all(LANGUAGE.contains(word) for word in done.data.to_lists())
    assert "leads to another possible word" not in done.receipt.sentence
    assert any("were allowed" in note for note in done.receipt.notes)


def test_a_length_that_no_word_has_is_refused() -> None:
    pairs = Language.from_regex(ABC, "(a b)*")
    with pytest.raises(ParameterError, match="no word of length 3"):
        release(WordExponential(pairs, epsilon=1), Words.from_lists(ABC, [list("aba")]))


@pytest.mark.parametrize("method", ["viterbi", "sample", "marginals"])
def test_decoded_words_keep_the_guarantee(method: str) -> None:
    done = release(RESPONSE, INSIDE, decode=CHAIN, decode_method=method)
    plain = release(RESPONSE, INSIDE)
    if method != "marginals":
        assert all(LANGUAGE.contains(word) for word in done.data.to_lists())
    assert done.receipt.guarantee.epsilon == plain.receipt.guarantee.epsilon
    assert done.receipt.spent == plain.receipt.spent
    assert done.receipt.guarantee.delta == 0
    assert "the chain used for decoding was public" in done.receipt.sentence
    decoded = Receipt.from_json(done.receipt.to_json()).layout["decoded"]
    assert decoded["method"] == method
    assert MarkovChain.from_json(decoded["chain"]) == CHAIN
    assert any("the guarantee is the same" in note for note in done.receipt.notes)
    law = done.receipt.parts[0].law
    assert law["expected_errors_averaged_over"] == "the words of the chain"
    assert law["expected_errors_standard_error"] > 0


def test_a_table_is_decoded_row_by_row() -> None:
    sure = RandomizedResponse(ABC, epsilon=200)
    rows = table(["abaab", "ccbba", "aaccb"])
    with_zeros = release(sure, rows, columns="d0..d4", adjacency=1, decode=CHAIN, demo=True)
    words = ["".join(row.values()) for row in with_zeros.data.to_pylist()]
    assert words[:2] == ["abaab", "ccbba"]
    assert LANGUAGE.contains([*words[2]])
    # What was realised is counted on what went out.
    assert with_zeros.realised_errors == (
        sum(x != y for x, y in zip(words[2], "aaccb", strict=True)),
    )


def test_the_predicted_error_of_decoding_is_near_what_happens() -> None:
    sticky = MarkovChain(
        ["1/3"] * 3, [["9/10", "1/10", 0], ["1/20", "9/10", "1/20"], [0, "1/10", "9/10"]], ABC
    )
    words = sticky.sample_words(4000, 20)
    done = release(RandomizedResponse(ABC, epsilon=2), words, decode=sticky, demo=True)
    assert done.realised_errors is not None
    part = done.receipt.parts[0]
    assert part.expected_errors is not None
    # Both are averages of many words: the simulated 1000 have the larger standard error.
    error = part.law["expected_errors_standard_error"] * np.sqrt(1.25)
    assert abs(done.realised_errors[0] - part.expected_errors) < 5 * error
    without = release(RandomizedResponse(ABC, epsilon=2), words).receipt.expected_errors
    assert abs(without - part.expected_errors) > 5 * error


MISUSE: list[tuple[Mechanism, Any, dict[str, Any], type[Exception], str]] = [
    (WordStaircase(ABC, epsilon=1), INSIDE, {}, ParameterTypeError, "on its own"),
    (WordExponential(LANGUAGE, epsilon=1), INSIDE, {}, ParameterTypeError, "on its own"),
    (RESPONSE, list("abc"), {}, ParameterError, "Only words are decoded"),
    (RESPONSE, INSIDE, {"decode_method": "best"}, ParameterError, "no decoding 'best'"),
    (RESPONSE, INSIDE, {"decode": LANGUAGE}, ParameterTypeError, "not with a Language"),
    (
        RESPONSE,
        INSIDE,
        {"decode": MarkovChain([1, 0], [[1, 0], [0, 1]], ["a", "b"])},
        ModelError,
        "other states",
    ),
]


@pytest.mark.parametrize(("mechanism", "data", "options", "kind", "message"), MISUSE)
def test_what_cannot_be_decoded_is_refused(
    mechanism: Mechanism,
    data: Any,
    options: dict[str, Any],
    kind: type[Exception],
    message: str,
) -> None:
    with pytest.raises(kind, match=message):
        release(mechanism, data, **{"decode": CHAIN, **options})


def test_a_table_of_columns_has_no_words_to_decode() -> None:
    with pytest.raises(ParameterError, match="Only words are decoded"):
        release({"d0": RESPONSE}, table(["aabbc"]), decode=CHAIN)


def test_a_receipt_says_which_words_nothing_protects() -> None:
    alphabet = Alphabet(["a", "b"])
    mechanism = WordExponential(
        Language.from_regex(alphabet, "a*|b*"), epsilon=5, unprotected="allow"
    )
    receipt = release(mechanism, Words.from_lists(alphabet, [["a"] * 20, ["b"] * 20])).receipt
    assert any("nothing protects them" in note for note in receipt.notes)
    one = release(mechanism, ["a"] * 20).receipt
    assert any("nothing protects them" in note for note in one.notes)
