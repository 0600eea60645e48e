"""Regular expressions over symbols of any spelling, and what is said about wrong ones."""

import itertools
import time

import pytest

from privet.errors import ModelError
from privet.languages import Language
from privet.symbols import Alphabet

LETTERS = Alphabet("abc")
ROOMS = Alphabet(["home", "work", "on leave", "a|b", "x"])


def words(pattern: str, alphabet: Alphabet, longest: int) -> set[tuple[object, ...]]:
    language = Language.from_regex(alphabet, pattern)
    return {
        word
        for length in range(longest + 1)
        for word in itertools.product(alphabet.symbols, repeat=length)
        if language.contains(word)
    }


def spelled(*texts: str) -> set[tuple[object, ...]]:
    return {tuple(text) for text in texts}


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("", [""]),
        ("()", [""]),
        ("a|", ["", "a"]),
        ("ab", ["ab"]),
        (" a  b ", ["ab"]),
        ("ab*", ["a", "ab", "abb"]),
        ("(ab)*", ["", "ab"]),
        ("ab|c", ["ab", "c"]),
        ("a(b|c)", ["ab", "ac"]),
        ("a?b", ["b", "ab"]),
        ("a+", ["a", "aa", "aaa"]),
        ("a{2}", ["aa"]),
        ("a{2,}", ["aa", "aaa"]),
        ("a{ 1 , 2 }", ["a", "aa"]),
        ("a{0}b", ["b"]),
        ("a{0,}c", ["c", "ac", "aac"]),
        ("(a|b){2}", ["aa", "ab", "ba", "bb"]),
        ("(a?b?){2}", ["", "a", "b", "ab", "aa", "bb", "ba", "aba", "bab", "aab", "abb"]),
        ("[ab]c", ["ac", "bc"]),
        ("[a b] c", ["ac", "bc"]),
        ("[^a]c", ["bc", "cc"]),
        ("[^ a b]", ["c"]),
        (".", ["a", "b", "c"]),
        ("'a'\"b\"", ["ab"]),
        (r"\a", ["a"]),
        ("((a))", ["a"]),
        ("(){5}a", ["a"]),
        ("(a{2}){1}", ["aa"]),
    ],
)
def test_words_of_an_expression(pattern: str, expected: list[str]) -> None:
    short = {word for word in words(pattern, LETTERS, 3) if len(word) <= 3}
    assert short >= spelled(*expected)
    if len(expected) < 11:
        assert short == spelled(*expected)


def test_symbols_of_several_characters() -> None:
    assert words("home (work | 'on leave')? home", ROOMS, 3) == {
        ("home", "home"),
        ("home", "work", "home"),
        ("home", "on leave", "home"),
    }
    assert words("[^home work 'on leave'](x)", ROOMS, 2) == {("a|b", "x"), ("x", "x")}
    assert words(r"a\|b home{2}", ROOMS, 3) == {("a|b", "home", "home")}
    assert words(r"on\ leave", ROOMS, 1) == {("on leave",)}
    assert words('"a|b"', ROOMS, 1) == {("a|b",)}


def test_symbols_that_are_not_text() -> None:
    numbers = Alphabet([0, 1, 12, True and 2, 3.5])
    assert words("0 12 '3.5'", numbers, 3) == {(0, 12, 3.5)}


def test_special_characters_can_be_symbols() -> None:
    signs = Alphabet("+-^'")
    assert words(r"\+-^", signs, 3) == {("+", "-", "^")}
    assert words('[^"\'"]', signs, 1) == {("+",), ("-",), ("^",)}


def test_a_caret_lists_exceptions_only_where_it_opens_a_class() -> None:
    assert words("[^home x]", ROOMS, 1) == {("work",), ("on leave",), ("a|b",)}
    assert words("[-^]", Alphabet("+^-"), 1) == {("-",), ("^",)}
    assert words(r"[\^-]", Alphabet("+^-"), 1) == {("-",), ("^",)}


@pytest.mark.parametrize("pattern", ["^a", "ab$"])
def test_anchors_are_explained(pattern: str) -> None:
    with pytest.raises(ModelError) as caught:
        Language.from_regex(LETTERS, pattern)
    assert "whole words without ^ and $" in caught.value.hint


@pytest.mark.parametrize(
    ("pattern", "position", "problem"),
    [
        ("a(b", 1, "does not close"),
        ("ab)", 2, "no '('"),
        ("*a", 0, "nothing that '*' could repeat"),
        ("a|+", 2, "nothing that"),
        ("(?a)", 1, "nothing that"),
        ("{2}", 0, "nothing that"),
        ("a**", 2, "repetition is repeated"),
        ("a+?", 2, "repetition is repeated"),
        ("a{2}{3}", 4, "repetition is repeated"),
        ("a{3,2}", 1, "ends at 2, below its start 3"),
        ("a{,2}", 1, "'{,2}' is not a count"),
        ("a{x}", 1, "not a count"),
        ("a{-1}", 1, "not a count"),
        ("a{99999999999999999999}", 1, "too large"),
        ("a{2", 1, "belongs to no count"),
        ("a}", 1, "belongs to no count"),
        ("[ab", 0, "does not close"),
        ("a]", 1, "no '['"),
        ("[]", 0, "lists no symbols"),
        ("[^]", 0, "lists no symbols"),
        ("[a|b]", 2, "'|' cannot stand in a class"),
        ("[a(b]", 2, "cannot stand in a class"),
        ("a'b", 1, "does not close"),
        ("abz", 2, "'z' is not a symbol"),
        ("a 'zz'", 2, "'zz' is not a symbol"),
        ("^a", 0, "'^' is not a symbol"),
        ("a$", 1, "'$' is not a symbol"),
        ("a\\", 1, "nothing follows the backslash"),
        ("[b^a]", 2, "'^' is not a symbol"),
    ],
)
def test_errors_name_the_position(pattern: str, position: int, problem: str) -> None:
    with pytest.raises(ModelError) as caught:
        Language.from_regex(LETTERS, pattern)
    assert f"position {position}:" in caught.value.message
    assert problem in caught.value.message
    assert caught.value.payload["position"] == position


def test_run_together_symbols_of_several_characters_are_not_guessed() -> None:
    with pytest.raises(ModelError, match="position 5: 'homework' is not a symbol") as caught:
        Language.from_regex(ROOMS, "home homework")
    assert "separated by spaces" in caught.value.hint


def test_symbols_written_alike_are_not_guessed() -> None:
    with pytest.raises(ModelError, match="position 2: two symbols of the alphabet are written '1'"):
        Language.from_regex(Alphabet([1, "1", 2]), "2 1")


def test_an_expression_is_text() -> None:
    with pytest.raises(ModelError, match="not a list"):
        Language.from_regex(LETTERS, ["a"])  # type: ignore[arg-type]  # what the error is about


@pytest.mark.parametrize(
    "pattern",
    ["a{6000}", "(a{80}){80}", "((a|b){0,100}c){99}", "a{1000000000}", "(a{5000}){0,5000}"],
)
def test_too_many_symbols_are_refused_at_once(pattern: str) -> None:
    start = time.process_time()
    with pytest.raises(ModelError, match="more than 5000 symbols"):
        Language.from_regex(LETTERS, pattern)
    assert time.process_time() - start < 5


def test_copies_of_the_empty_word_cost_nothing() -> None:
    nothing = Language.from_regex(LETTERS, "(((){999999999}){999999999}|(){0,999999999})a")
    assert nothing == Language.from_regex(LETTERS, "a")


def test_nesting_has_a_bound_that_is_reached_without_overflowing_the_stack() -> None:
    deep = "(a|" * 100 + "b" + "c)*" * 100
    assert Language.from_regex(LETTERS, deep).contains(["a"])
    with pytest.raises(ModelError, match="position 100: parentheses are nested more than 100"):
        Language.from_regex(LETTERS, "(" * 5000)


def test_the_bound_on_states_is_named() -> None:
    pattern = "(a|b)* a (a|b){20}"
    with pytest.raises(ModelError, match="Determinising the automaton needs more than 10000"):
        Language.from_regex(LETTERS, pattern)
    small = "(a|b)*a(a|b){3}"
    with pytest.raises(ModelError, match="more than 15 states"):
        Language.from_regex(LETTERS, small, most_states=15)
    assert Language.from_regex(LETTERS, small, most_states=31).automaton.size == 16
