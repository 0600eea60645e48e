"""Whether the words of a chain leave a language: only at lengths in use, and said where."""

import pytest

from privet import Language, MarkovChain, plan
from privet.errors import ModelError
from privet.languages.language import Language as Room
from privet.releasing.leaving import first_leaving
from privet.symbols import Alphabet

ABC = Alphabet("abc")
FORWARD = MarkovChain(
    ["1/2", "1/2", 0], [["1/2", "1/2", 0], [0, "1/2", "1/2"], [0, 0, 1]], list("abc")
)
WORDS = Language.from_chain(FORWARD)


@pytest.mark.parametrize(
    "pattern",
    ["a* b* c* (a|b|c)", "(a* b* c*){1}", "(a|b|c)+", "(a|b|c){20}", "(a|b|c){3} (a|b|c)*"],
)
def test_the_empty_word_and_other_lengths_are_left_out_of_account(pattern: str) -> None:
    language = Language.from_regex(ABC, pattern)
    assert first_leaving(WORDS, language, [20]) is None
    assert first_leaving(WORDS, language, [0]) is None
    assert first_leaving(WORDS, language) is None


def test_where_words_leave_is_told() -> None:
    language = Language.from_regex(ABC, "a+ | b c | a b a | b b")
    found = first_leaving(WORDS, language, [1, 2, 3])
    assert found is not None
    assert (found.length, found.position, found.symbols) == (1, 1, ("b",))
    assert str(found) == "words of 1 symbol that end after 'b'"
    assert str(first_leaving(WORDS, language, [2])) == ("words of 2 symbols that end after 'b'")
    assert str(first_leaving(WORDS, language, [3])) == (
        "words of 3 symbols with 'b' at position 2 after 'a'"
    )
    assert first_leaving(Room.all(ABC), Room.all(ABC)) is None


def test_a_plan_compares_at_its_length() -> None:
    late = Language.from_regex(ABC, "(a|b|c)* c")
    with pytest.raises(ModelError, match="that end after 'a'"):
        plan(late, epsilon=1, length=4, chain=FORWARD)
    early = Language.from_regex(ABC, "(a* b* c*) | (c a a)")
    assert plan(early, epsilon=1, length=3, chain=FORWARD).recommended.possible
    only = Language.from_regex(ABC, "(a|b|c){4}")
    assert plan(only, epsilon=1, length=4, chain=FORWARD).recommended.possible
