"""A receipt says everything public about a release, reads back, and refuses what is not one."""

import json
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
PART = Part("x", MECHANISM.to_json(), 10, 3.5, Fraction(1, 2), Fraction(1, 2), None, "b")


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
    before = receipt(spent=Fraction(1, 3))
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
        "spent_rounded_up",
        "randomness",
        "public_demo_data",
        "published_without_protection",
        "parts",
        "expected_errors",
        "shape",
        "layout",
        "output",
        "versions",
    }
    assert set(content["parts"][0]) == {
        "column",
        "mechanism",
        "symbols",
        "expected_errors",
        "expected_share_wrong",
        "spent",
        "record_loss",
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
        {**receipt().to_json(), "spent": "nan"},
        {**receipt().to_json(), "spent": None},
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
