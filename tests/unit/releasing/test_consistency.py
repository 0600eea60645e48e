"""A receipt that contradicts itself is refused, whichever of its entries was changed."""

import json
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from privet import (
    Exponential,
    Language,
    RandomizedResponse,
    WordExponential,
    WordPermuteAndFlip,
    Words,
    release,
)
from privet.errors import FileFormatError
from privet.mechanisms import Mechanism
from privet.releasing import Receipt, table_mechanisms
from privet.symbols import Alphabet

VOTE = Alphabet(["Clinton", "Dole"])
ABC = Alphabet(["a", "b", "c"])
TABLE = pa.table({"vote": ["Dole", "Clinton"] * 5, "grade": ["a", "b"] * 5, "who": ["x"] * 10})
CHOICE = Exponential("xy", scores=[[1, 0], [0, 1]], sensitivity=1, epsilon=1, inputs="ab")
TWO_LETTERS = Language.from_regex(ABC, "((a|b) (a|b))*")
WIDE = pa.table({"m1": list("abc"), "m2": list("cba")})


def words(*texts: str) -> Words:
    return Words.from_lists(ABC, [list(text) for text in texts])


def of_table() -> Any:
    mechanisms = table_mechanisms({"vote": VOTE, "grade": ABC}, 2)
    return as_json(mechanisms, TABLE, keep="who")


def of_words() -> Any:
    return as_json(WordExponential(ABC, epsilon=2, adjacency=2), words("ab", "a"))


def as_json(mechanism: Any, data: Any, **options: Any) -> Any:
    return json.loads(release(mechanism, data, **options).receipt.to_text())


@pytest.mark.parametrize(
    ("mechanism", "data", "options"),
    [
        (
            table_mechanisms({"vote": VOTE}, 8, rows_per_person=10),
            TABLE,
            {"person": "who", "rows_per_person": 10},
        ),
        (RandomizedResponse(ABC, epsilon=1, delta="0.01"), ["a", "b"], {}),
        (RandomizedResponse(ABC, epsilon=1), ["a", "b", "c"], {"adjacency": 2}),
        (RandomizedResponse(ABC, epsilon=1), [], {}),
        (
            Exponential("xy", scores=[[1, 0], [0, 1]], sensitivity=1, epsilon=1, inputs="ab"),
            "a",
            {},
        ),
        (Exponential("xy", scores=lambda _x, _y: 0, sensitivity=1, epsilon=1), "a", {}),
        (WordExponential(TWO_LETTERS, epsilon=1), words("ab", "abab"), {}),
        (WordPermuteAndFlip(ABC, epsilon=1), words("abc", "", "ab"), {}),
        (WordPermuteAndFlip(ABC, epsilon=1), words("abc", "abb"), {}),
        (WordExponential(ABC, epsilon=1, adjacency=2), WIDE, {"columns": ["m1", "m2"]}),
        (
            RandomizedResponse(ABC, epsilon=1),
            pa.table({"i": [1, 1, 2], "t": [1, 2, 1], "s": list("abc")}),
            {"id": "i", "time": "t", "state": "s", "adjacency": 2},
        ),
    ],
)
def test_what_release_wrote_is_read(mechanism: Any, data: Any, options: dict[str, Any]) -> None:
    content = as_json(mechanism, data, **options)
    assert json.loads(Receipt.from_json(content).to_text()) == content


def _mechanism(**changes: Any) -> Callable[[Any], object]:
    return lambda content: content["parts"][0]["mechanism"].update(changes)


def _second_part(content: Any) -> None:
    content["parts"].append(content["parts"][0])


def _epsilon_of_the_part(content: Any) -> None:
    part = content["parts"][0]
    part["mechanism"]["epsilon"] = part["exact"]["epsilon"] = "10"
    part["epsilon"] = 10.0


def _epsilon_of_part_and_guarantee(content: Any) -> None:
    _epsilon_of_the_part(content)
    content["guarantee"]["exact"]["epsilon"] = "11"
    content["guarantee"]["epsilon"] = 11.0


@pytest.mark.parametrize(
    "change",
    [
        _mechanism(epsilon="10"),
        _mechanism(delta="1/10"),
        _mechanism(alphabet=["Clinton", "Dole", "Perot"]),
        _mechanism(alphabet=5),
        _mechanism(mechanism="word-exponential"),
        _mechanism(mechanism="exponential"),
        _epsilon_of_the_part,
        _epsilon_of_part_and_guarantee,
        _second_part,
        lambda content: content.update(kind="words"),
        lambda content: content.update(kind="symbols"),
        lambda content: content["shape"].update(rows=11),
        lambda content: content["shape"].update(columns=1),
        lambda content: content["shape"].update(rows="10"),
        lambda content: content["shape"].update(words=10),
        lambda content: content["layout"].update(kept=None),
        lambda content: content["layout"].update(kept="who"),
        lambda content: content["layout"].update(columns=["vote"]),
        lambda content: content["layout"].update(columns=["vote", "vote"]),
        lambda content: content["layout"].update(rows_per_person=2),
        lambda content: content["layout"].update(rows_per_person="2"),
        lambda content: content["layout"].update(person=3),
        lambda content: content["parts"][0].update(symbols=11),
        lambda content: content["parts"][0].update(other="Perot"),
        lambda content: content["parts"][0].update(expected_errors=0.5),
        lambda content: content["parts"][0].update(expected_errors=0.5, expected_share_wrong=0.05),
        lambda content: content["parts"][0].update(per="value"),
        lambda content: content["parts"][0].update(categories=3),
        lambda content: content["parts"][0]["exact"].update(spent="1/2"),
        lambda content: content["exact"].update(spent="1/2"),
        lambda content: content.update(spent=0.5),
        lambda content: content["guarantee"]["exact"].update(epsilon="1/2"),
        lambda content: content["guarantee"].update(epsilon=0.5),
        lambda content: content.update(published_without_protection=[]),
    ],
)
def test_a_table_whose_receipt_was_changed_in_one_place(change: Callable[[Any], object]) -> None:
    content = of_table()
    Receipt.from_json(content)
    change(content)
    with pytest.raises(FileFormatError):
        Receipt.from_json(content)


def test_what_is_at_odds_is_said() -> None:
    content = of_table()
    _epsilon_of_part_and_guarantee(content)
    with pytest.raises(
        FileFormatError, match=r"contradicts itself: the mechanism of column 'vote'"
    ):
        Receipt.from_json(content)


@pytest.mark.parametrize(
    "change",
    [
        _mechanism(adjacency=1),
        _mechanism(calibration="paper"),
        _mechanism(epsilon="3"),
        lambda content: content["layout"].update(adjacency=1),
        lambda content: content["shape"].update(symbols=4),
        lambda content: content["shape"].update(longest=1),
        lambda content: content["shape"].update(rows=7),
        lambda content: content.update(kind="table"),
        _second_part,
    ],
)
def test_words_whose_receipt_was_changed_in_one_place(change: Callable[[Any], object]) -> None:
    content = of_words()
    assert isinstance(Mechanism.from_json(content["parts"][0]["mechanism"]), WordExponential)
    change(content)
    with pytest.raises(FileFormatError):
        Receipt.from_json(content)
