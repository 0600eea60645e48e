"""A language beside a mechanism that knows none: the data are checked, and the receipt says so."""

from typing import Any

import pyarrow as pa
import pytest

from privet import (
    Language,
    MarkovChain,
    RandomizedResponse,
    WordExponential,
    WordStaircase,
    release,
)
from privet.errors import DomainError, ModelError, ParameterError, PrivetError
from privet.releasing import Receipt
from privet.symbols import Alphabet, Words

ABC = Alphabet("abc")
LANGUAGE = Language.from_allowed(ABC, [[1, 1, 0], [0, 1, 1], [0, 0, 1]])
INSIDE = Words.from_lists(ABC, [list("aab"), list("bcc"), []])
OUTSIDE = Words.from_lists(ABC, [list("aab"), list("bba"), list("ca")])
RESPONSE = RandomizedResponse(ABC, epsilon=2)
CHAIN = MarkovChain(["1/3"] * 3, [["1/2", "1/2", 0], [0, "1/2", "1/2"], [0, 0, 1]], list("abc"))


@pytest.mark.parametrize("decode", [None, CHAIN])
def test_words_outside_are_refused_before_anything_is_drawn(decode: MarkovChain | None) -> None:
    with pytest.raises(DomainError, match=r"Word 1 .* position 2; 2 words are outside") as caught:
        release(RESPONSE, OUTSIDE, language=LANGUAGE, decode=decode)
    assert caught.value.payload == {"word": 1, "position": 2}
    allowed = release(RESPONSE, OUTSIDE, language=LANGUAGE, outside="allow", decode=decode)
    assert "another possible word" not in allowed.receipt.sentence
    done = release(RESPONSE, INSIDE, language=LANGUAGE, decode=decode)
    known = Receipt.from_json(done.receipt.to_json())
    assert "another possible word" in known.sentence
    assert "the language (which words can happen) was public" in known.sentence
    assert known.layout["language"] == {"outside": "refuse", "language": LANGUAGE.to_json()}
    leaves = any("may leave" in note for note in known.notes)
    assert leaves is (decode is None)


def test_the_note_knows_the_lengths() -> None:
    loose = MarkovChain(["1/3"] * 3, [["1/2", 0, "1/2"], [0, 1, 0], [0, 0, 1]], list("abc"))
    short = Words.from_lists(ABC, [["a"], ["c"]])
    assert not _notes(short, loose)
    (note,) = _notes(INSIDE, loose)
    assert note.endswith("words of 3 symbols with 'c' at position 2 after 'a'")


def _notes(words: Words, chain: MarkovChain) -> list[str]:
    done = release(RESPONSE, words, language=LANGUAGE, decode=chain)
    return [note for note in done.receipt.notes if "may leave" in note]


def test_rows_of_tables_are_named() -> None:
    long = pa.table({"who": ["p", "q", "p", "q"], "t": [2, 1, 1, 2], "s": ["b", "b", "a", "a"]})
    with pytest.raises(DomainError, match=r"Word 1 .* That is row 3 of the table") as caught:
        release(RESPONSE, long, id="who", time="t", state="s", language=LANGUAGE)
    assert caught.value.payload["row"] == 3
    on_language = WordExponential(LANGUAGE, epsilon=2)
    with pytest.raises(DomainError, match="That is row 3 of the table"):
        release(on_language, long, id="who", time="t", state="s")
    wide = pa.table({"m1": ["a", "b"], "m2": ["b", "a"]})
    with pytest.raises(DomainError, match="That is row 1, column 'm2', of the table"):
        release(RESPONSE, wide, columns="m*", adjacency=1, language=LANGUAGE)


@pytest.mark.parametrize(
    ("kind", "mechanism", "data", "options"),
    [
        (ParameterError, RESPONSE, INSIDE, {"language": LANGUAGE, "outside": "ignore"}),
        (ParameterError, RESPONSE, INSIDE, {"outside": "allow"}),
        (ParameterError, RESPONSE, INSIDE, {"language": CHAIN}),
        (ParameterError, RESPONSE, ["a", "b"], {"language": LANGUAGE}),
        (ParameterError, WordExponential(LANGUAGE, epsilon=1), INSIDE, {"language": LANGUAGE}),
        (
            ModelError,
            RandomizedResponse(Alphabet("acb"), epsilon=1),
            INSIDE,
            {"language": LANGUAGE},
        ),
    ],
)
def test_what_makes_no_sense_is_refused(
    kind: type[PrivetError], mechanism: Any, data: Any, options: dict[str, Any]
) -> None:
    with pytest.raises(kind):
        release(mechanism, data, **options)


def test_a_staircase_checks_its_words_too() -> None:
    mechanism = WordStaircase(ABC, epsilon=2, adjacency=2)
    with pytest.raises(DomainError, match="Word 1"):
        release(mechanism, OUTSIDE, language=LANGUAGE)
    release(mechanism, INSIDE, language=LANGUAGE)
