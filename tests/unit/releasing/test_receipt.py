"""A receipt says everything public about a release, reads back, and refuses what is not one."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privet.errors import FileFormatError
from privet.mechanisms import RandomizedResponse
from privet.privacy import Guarantee, RecordLoss
from privet.randomness.source import using_source
from privet.releasing import Part, Receipt
from privet.symbols import Alphabet
from privet.testing import ReplaySource

MECHANISM = RandomizedResponse(Alphabet(["a", "b"]), epsilon="0.5")
ERRORS = 10 * MECHANISM.expected_errors(1)
PART = Part(
    "x", MECHANISM.to_json(), 10, ERRORS, Fraction(1, 2), Fraction(1, 2), "row", {}, None, "b"
)


def receipt(**changes: Any) -> Receipt:
    fields: dict[str, Any] = {
        "kind": "table",
        "guarantee": Guarantee(Fraction(1, 2), Fraction(0), "Any one row", published=("rows",)),
        "spent": Fraction(1, 2),
        "parts": (PART,),
        "shape": {"rows": 10, "columns": 1},
        "layout": {"columns": ["x"], "kept": []},
    }
    return Receipt(**{**fields, **changes})


def test_round_trip_through_text_loses_nothing() -> None:
    before = receipt()
    after = Receipt.from_json(json.loads(before.to_text()))
    assert after == before
    assert after.to_json() == before.to_json()


def test_it_gives_back_the_mechanism_of_a_column() -> None:
    assert receipt().mechanism("x") == MECHANISM
    assert receipt().mechanism() == MECHANISM


def test_the_record_loss_of_a_table_is_a_loss_a_row() -> None:
    assert receipt(parts=(PART, PART)).record_loss == RecordLoss.constant(10, 1)


def test_the_source_in_force_is_named() -> None:
    assert receipt().randomness == "private"
    with using_source(ReplaySource(1)):
        assert receipt().randomness == "seeded, not private"


def test_what_is_in_it_is_on_the_list() -> None:
    """Anything added to a receipt is public for ever: it is added here on purpose or not at all."""
    content = receipt().to_json()
    assert set(content) == {
        "receipt",
        "format",
        "kind",
        "created",
        "guarantee",
        "spent",
        "spent_in_words",
        "exact",
        "notes",
        "randomness",
        "public_demo_data",
        "published_without_protection",
        "parts",
        "expected_errors",
        "shape",
        "layout",
        "output",
        "ledger",
        "versions",
    }
    assert set(content["parts"][0]) == {
        "column",
        "mechanism",
        "per",
        "categories",
        "symbols",
        "epsilon",
        "delta",
        "law",
        "exact",
        "expected_errors",
        "expected_share_wrong",
        "spent",
        "record_loss_per_row",
        "other",
        "missing",
    }


def test_versions_name_what_the_release_depends_on() -> None:
    assert {"privet", "python", "numpy", "python-flint", "cryptography"} <= set(receipt().versions)


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        {},
        {"receipt": "something else"},
        {**receipt().to_json(), "format": 2},
        {**receipt().to_json(), "kind": "hologram"},
        {**receipt().to_json(), "parts": []},
        {**receipt().to_json(), "exact": {"spent": "nan"}},
        {**receipt().to_json(), "exact": {}},
        {**receipt().to_json(), "exact": None},
        {**receipt().to_json(), "parts": [{**PART.to_json(), "per": "century"}]},
        {**receipt().to_json(), "shape": 5},
        {name: value for name, value in receipt().to_json().items() if name != "guarantee"},
        {**receipt().to_json(), "guarantee": {"epsilon": "1"}},
    ],
)
def test_what_is_not_a_receipt_is_refused(content: Any, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError):
        Receipt.from_json(content)
    path = tmp_path / "x.receipt.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(FileFormatError, match=r"x\.receipt\.json"):
        Receipt.read(path)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"PAR1", b"[" * 100_000])
def test_a_file_that_is_not_json_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.receipt.json"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"x\.receipt\.json"):
        Receipt.read(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="No such file"):
        Receipt.read(tmp_path / "none.receipt.json")


def test_every_exact_number_has_a_decimal_beside_it_that_is_not_below_it() -> None:
    part = Part("x", MECHANISM.to_json(), 10, 3.5, Fraction(1, 3), Fraction(1, 3), "row")
    third = Guarantee(Fraction(1, 3), Fraction(1, 7), "Any one row")
    content = receipt(guarantee=third, spent=Fraction(1, 3), parts=(part,)).to_json()
    for place in (content, content["guarantee"], content["parts"][0]):
        for name, text in place["exact"].items():
            assert isinstance(place[name], float)
            assert Fraction(text) <= Fraction(place[name]) <= Fraction(text) + Fraction(1, 10**15)


@pytest.mark.parametrize("per", ["row", "symbol", "value", "choice"])
def test_the_record_loss_names_its_unit(per: Any) -> None:
    part = Part("x", MECHANISM.to_json(), 10, 3.5, Fraction(1, 2), Fraction(1, 2), per)
    assert part.to_json()[f"record_loss_per_{per}"] == 0.5
    assert Part.from_json(part.to_json()) == part


def test_what_was_spent_adds_up() -> None:
    both = (replace(PART, spent=Fraction(1)), replace(PART, spent=Fraction(1)))
    four_rows = {"columns": ["x", "y"], "rows_per_person": 4}
    eight = Guarantee(Fraction(8), Fraction(0), "All values of one person")
    made = receipt(guarantee=eight, spent=Fraction(8), parts=both, layout=four_rows)
    assert made.spent_lines == ("Epsilon spent: (1 + 1) x 4 rows = 8, of 8 promised.",)
    thirds = (replace(PART, spent=Fraction(1, 3)),) * 3
    lines = receipt(spent=Fraction(1), parts=thirds).spent_lines
    assert "0.33334 + 0.33334 + 0.33334 = 1 (each number rounded up)" in lines[0]


def test_delta_is_among_what_was_spent() -> None:
    mechanism = RandomizedResponse(Alphabet(["a", "b"]), epsilon=1, delta="0.001").to_json()
    parts = (replace(PART, mechanism=mechanism), replace(PART, mechanism=mechanism))
    guarantee = Guarantee(Fraction(1), Fraction(1, 500), "Any one row")
    lines = receipt(guarantee=guarantee, parts=parts).spent_lines
    assert lines[1] == "Delta spent: 0.001 + 0.001 = 0.002."


def test_as_text_it_is_for_people_and_its_repr_is_short() -> None:
    made = receipt(notes=("epsilon is weak",))
    assert str(made).splitlines()[0] == made.sentence
    assert str(made).endswith("Note: epsilon is weak.")
    assert len(repr(made)) < 100
