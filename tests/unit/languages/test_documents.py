"""The JSON form of a language."""

import json
from pathlib import Path
from typing import Any

import pytest

from privet.chains import read_model
from privet.errors import ModelError, OutputError, ParameterError, ParameterTypeError
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


@pytest.mark.parametrize(
    ("form", "pattern"),
    [
        ({"pattern": "a b* | b"}, "ab*|b"),
        ({"allowed": [[0, 1], [0, 1]]}, "a?b*"),
        ({"allowed": [[0, 1], [0, 1]], "start": ["a"]}, "(ab*)?"),
        ({"allowed": [[1, 1], [1, 1]], "start": None}, ".*"),
        ({"moves": [[0, "a", 0], [0, "a", "x"]], "initial": 0, "accepting": ["x"]}, "a+"),
        ({"moves": [[1, None, 2], [2, "b", 1]], "initial": 1, "accepting": [1, 2]}, "b*"),
        ({"moves": [["s", None, "t"], ["t", None, "s"]], "initial": "s", "accepting": ["t"]}, ""),
    ],
)
def test_forms_that_are_written_by_hand(form: dict[str, Any], pattern: str) -> None:
    language = Language.from_json({"kind": "language", "alphabet": ["a", "b"], **form})
    assert language == Language.from_regex(AB, pattern)
    assert Language.from_json(json.loads(json.dumps(language.to_json()))) == language


def test_symbols_of_hand_written_forms_may_be_numbers() -> None:
    document = {"kind": "language", "alphabet": [1, 2]}
    by_pattern = Language.from_json(document | {"pattern": "(1 2)*"})
    moves = {"moves": [[1, 1, 2], [2, 2, 1]], "initial": 1, "accepting": [1]}
    assert Language.from_json(document | moves) == by_pattern


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({}, "lacks the field 'transitions' .or 'pattern'"),
        ({"pattern": "a", "moves": []}, "'pattern' and 'moves', which are two forms"),
        ({"pattern": 5}, "is text, not a int"),
        ({"pattern": "a)"}, "position 1"),
        ({"pattern": "a", "initial": 0}, "no field 'initial'"),
        ({"pattern": "(a|b)*a(a|b){20}"}, "more than 10000 states. .*in Python, most_states"),
        ({"allowed": 1}, "allowed is not a list of rows"),
        ({"allowed": [[1, 1], [1]]}, "allowed, row 1: an entry is needed for each of the 2"),
        ({"allowed": [[1, 1], [1, 3]]}, "Row 1, column 1"),
        ({"allowed": [[1, 1], [1, 1]], "start": "a"}, "start is not a list"),
        ({"allowed": [[1, 1], [1, 1]], "start": ["c"]}, "start names 'c'"),
        ({"moves": 1, "initial": 0, "accepting": [0]}, "moves is not a list of moves"),
        ({"moves": [], "initial": 0, "accepting": 0}, "accepting is not a list of states"),
        ({"moves": [], "initial": 0}, "lacks the field 'accepting'"),
        (
            {"moves": [[0, "a"]], "initial": 0, "accepting": [0]},
            r"moves\[0\] is not a list of three",
        ),
        (
            {"moves": [[0, "a", 0.5]], "initial": 0, "accepting": [0]},
            r"moves\[0\]: a state is named",
        ),
        ({"moves": [[0, ["a"], 0]], "initial": 0, "accepting": [0]}, r"moves\[0\] reads \['a'\]"),
        ({"moves": [], "initial": None, "accepting": [0]}, "initial: a state is named by text"),
        ({"moves": [], "initial": 0, "accepting": [True]}, r"accepting\[0\]: a state is named"),
        (
            {"moves": [[0, "a", 1]], "initial": 0, "accepting": [0]},
            r"moves\[0\] names the state 1, b",
        ),
    ],
)
def test_hand_written_forms_that_are_wrong(form: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Language.from_json({"kind": "language", "alphabet": ["a", "b"], **form})


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


def test_a_saved_language_reads_back(tmp_path: Path) -> None:
    language = Language.from_regex(Alphabet("ab"), "a*b")
    language.save(tmp_path / "l.json")
    assert read_model(tmp_path / "l.json") == language
    with pytest.raises(OutputError):
        language.save(tmp_path / "l.json")
    language.save(tmp_path / "l.json", overwrite=True)
