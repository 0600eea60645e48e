"""The hash of a row: what it holds, and its one text."""

import json

import pytest

from privet import LedgerDamagedError
from privet.ledger.chain import BEFORE_ALL, Draft, Head, Row, canonical, linked

DRAFT = Draft(
    "diary", "reserve", "ab", "2030-01-01T00:00:00Z", "ada@host", {"spent": "1/3", "n": 2}
)


def test_a_row_takes_number_and_link_from_the_head() -> None:
    row = linked(Head(4, "c" * 64), DRAFT)
    assert (row.number, row.previous) == (5, "c" * 64)
    assert row.check() is row
    assert linked(Head(), DRAFT).previous == BEFORE_ALL


def test_the_hash_never_changes_with_a_version_of_privet() -> None:
    # Worked out once with sha256sum; another value would make every kept ledger look damaged.
    assert linked(Head(), DRAFT).hash == (
        "e58ff499d4df305a9a693a9da594a3897bc9a585bbbbf160953f84f507fe7688"
    )


@pytest.mark.parametrize("field", [n for n in Row.__dataclass_fields__ if n != "hash"])
def test_no_field_can_change_unseen(field: str) -> None:
    row = linked(Head(), DRAFT)
    values = {name: getattr(row, name) for name in Row.__dataclass_fields__}
    changed = Row(**{**values, field: 7 if field == "number" else "other"})
    with pytest.raises(LedgerDamagedError, match="was changed"):
        changed.check()


def test_the_text_of_a_value_is_one() -> None:
    assert canonical({"b": 1, "a": [True, None, "ü"]}) == '{"a":[true,null,"\\u00fc"],"b":1}'
    with pytest.raises(ValueError, match="JSON"):
        canonical({"a": float("nan")})


@pytest.mark.parametrize("body", ["", "[1]", "{", "null"])
def test_a_body_that_is_no_object_is_named_by_its_row(body: str) -> None:
    row = Row(7, "diary", "reserve", None, "", "", body, "", "")
    with pytest.raises(LedgerDamagedError, match="Row 7 of the ledger") as caught:
        _ = row.data
    assert caught.value.payload["row"] == 7


def test_the_body_is_canonical_json() -> None:
    body = linked(Head(), DRAFT).body
    assert body == canonical(json.loads(body)) == '{"n":2,"spent":"1/3"}'
