"""Unions, intersections and complements of languages."""

import pytest

from privet.errors import ModelError
from privet.languages import Language
from privet.symbols import Alphabet

AB = Alphabet("ab")


def regex(pattern: str) -> Language:
    return Language.from_regex(AB, pattern)


def test_union_intersection_complement() -> None:
    assert regex("a*") | regex("b*") == regex("a*|b*")
    assert regex("a.*") & regex(".*b") == regex("a.*b")
    assert ~regex("a.*") == regex("(b.*)?")
    assert ~~regex("a{2,5}") == regex("a{2,5}")
    assert regex("a*").union(regex("b")) == regex("a*|b")


def test_all_words() -> None:
    everything = Language.all(AB)
    assert (regex("a") | everything).is_all
    assert regex("a") & everything == regex("a")
    assert (regex(".{0,3}") | regex(".{4,}")).is_all


def test_a_result_without_words_is_refused() -> None:
    with pytest.raises(ModelError, match="no words at all"):
        _ = regex("a") & regex("b")
    with pytest.raises(ModelError, match="no words at all"):
        _ = ~Language.all(AB)


def test_alphabets_must_be_the_same() -> None:
    with pytest.raises(ModelError, match="different alphabets"):
        _ = regex("a") | Language.all(Alphabet("ba"))
    with pytest.raises(ModelError, match="different alphabets"):
        _ = regex("a") & Language.all(Alphabet("abc"))


def test_only_languages_can_be_joined() -> None:
    with pytest.raises(TypeError):
        _ = regex("a") | "b"  # type: ignore[operator]  # what the error is about
    with pytest.raises(TypeError):
        _ = regex("a") & "b"  # type: ignore[operator]  # what the error is about


def test_the_bound_on_states_is_named() -> None:
    sevens, elevens = regex("(.{7})*"), regex("(.{11})*")
    with pytest.raises(ModelError, match="Joining the two languages needs more than 50 states"):
        sevens.intersection(elevens, most_states=50)
    both = sevens.intersection(elevens, most_states=77)
    assert both == regex("(.{77})*")
