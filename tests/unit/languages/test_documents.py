"""The JSON form of a language."""

import json
from typing import Any

import pytest

from privet.errors import ModelError, ParameterError, ParameterTypeError
from privet.languages import Language
from privet.symbols import Alphabet

AB = Alphabet("ab")
DOCUMENT: dict[str, Any] = {
    "kind": "language",
    "alphabet": ["a", "b"],
    "transitions": [[0, 1], [None, 1]],
    "initial": 0,
    "accepting": [0, 1],
}


def test_the_form() -> None:
    assert Language.from_regex(AB, "a*b*").to_json() == DOCUMENT


@pytest.mark.parametrize("pattern", [".*", "a", "", "(ab|b){3,}", "(a|b)*a..", "(.{12})*b"])
def test_round_trip(pattern: str) -> None:
    language = Language.from_regex(AB, pattern)
    document = json.loads(json.dumps(language.to_json()))
    assert Language.from_json(document) == language
    assert Language.from_json(document).is_all == language.is_all


def test_numbers_as_symbols() -> None:
    language = Language.from_allowed(Alphabet([0, 1, 2]), [[1, 0, 1], [1, 1, 1], [0, 1, 0]])
    assert Language.from_json(json.loads(json.dumps(language.to_json()))) == language


def test_symbols_without_a_json_form() -> None:
    with pytest.raises(ParameterTypeError, match="tuple"):
        Language.all(Alphabet([(0, 0), (0, 1)])).to_json()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "markov-chain"}, "does not describe a language"),
        ({"transitions": None}, "not a list of rows"),
        ({"transitions": []}, "not a list of rows"),
        ({"transitions": [[0, 1], [0]]}, "transitions, row 1: an entry is needed"),
        ({"transitions": [[0, 1], 5]}, "transitions, row 1"),
        ({"transitions": [[0, 2], [0, 0]]}, "transitions, row 0: an entry is not one of"),
        ({"transitions": [[0, -1], [0, 0]]}, "transitions, row 0: an entry is not one of"),
        ({"transitions": [[0, True], [0, 0]]}, "transitions, row 0"),
        ({"initial": 2}, "initial: an entry is not one of the states 0..1"),
        ({"initial": "0"}, "initial: an entry"),
        ({"accepting": [5]}, "accepting: an entry"),
        ({"accepting": 0}, "accepting is not a list"),
        ({"accepting": []}, "no words at all"),
        ({"alphabet": "ab"}, "alphabet is not a list"),
        ({"extra": 1}, "no field 'extra'"),
    ],
)
def test_wrong_documents_name_the_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Language.from_json(DOCUMENT | change)


@pytest.mark.parametrize("field", ["alphabet", "transitions", "initial", "accepting"])
def test_a_missing_field_is_named(field: str) -> None:
    with pytest.raises(ModelError, match=f"lacks the field '{field}'"):
        Language.from_json({name: value for name, value in DOCUMENT.items() if name != field})


def test_other_things_are_no_documents() -> None:
    others: list[object] = [None, [], "language", 3]
    for wrong in others:
        with pytest.raises(ModelError, match="does not describe a language"):
            Language.from_json(wrong)
    with pytest.raises(ParameterError):
        Language.from_json(DOCUMENT | {"alphabet": ["a", "a"]})
