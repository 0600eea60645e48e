"""Rows changed, removed, added, moved or cut off by hand: found, with the row named."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import text

from privet import IndependentRecords, Ledger, LedgerDamagedError, RecordLoss
from privet.ledger.chain import Draft, Row, linked
from privet.ledger.sql import SqlStore

LOSS = RecordLoss.constant(3, "1/8")

Sql = Callable[..., None]


@pytest.fixture
def ledger(url: str) -> Iterator[Ledger]:
    """Rows 1: account, 2: reserve, 3: commit, 4: reserve, 5: void, 6: budget, 7: reserve, to 12."""
    with Ledger.open(url, create=True) as ledger:
        account = ledger.account("diary", IndependentRecords(1), 10)
        account.reserve(LOSS).commit({"kind": "words"})
        account.reserve(LOSS).void("not drawn")
        account.set_budget(12)
        for _ in range(3):
            account.reserve(LOSS).commit()
        assert ledger.verify().ok
        yield ledger


@pytest.fixture
def sql(ledger: Ledger) -> Sql:
    store = ledger._store
    assert isinstance(store, SqlStore)

    def run(*statements: str, **values: Any) -> None:
        with store.engine.begin() as connection:
            for statement in statements:
                connection.execute(text(statement), values)

    return run


def rows_of(ledger: Ledger) -> list[Row]:
    with ledger._store.reading() as session:
        return list(session.rows())


def fault_row(ledger: Ledger, head: str | None = None) -> int | None:
    fault = ledger.verify(head).fault
    assert fault is not None
    assert fault.row is None or f"Row {fault.row} " in fault.what
    return fault.row


def test_every_field_of_every_row_is_held_by_its_hash(ledger: Ledger, sql: Sql) -> None:
    fields = ("account", "kind", "reservation", "time", "who", "body", "previous", "hash")
    for row in rows_of(ledger):
        for field in fields:
            here = "number = :n"
            sql(f"UPDATE privet_entries SET {field} = :v WHERE {here}", v="f" * 16, n=row.number)
            assert fault_row(ledger) == row.number, field
            sql(
                f"UPDATE privet_entries SET {field} = :v WHERE {here}",
                v=getattr(row, field),
                n=row.number,
            )
    assert ledger.verify().ok


@pytest.mark.parametrize("number", [2, 6, 7])
def test_an_edited_amount_or_budget_is_found_and_stops_all_spending(
    ledger: Ledger, sql: Sql, number: int
) -> None:
    row = rows_of(ledger)[number - 1]
    body = (
        row.body.replace('"spent":"', '"spent":"0').replace('"12"', '"99"').replace("bits", "bitz")
    )
    assert body != row.body
    sql("UPDATE privet_entries SET body = :b WHERE number = :n", b=body, n=number)
    assert fault_row(ledger) == number
    ledger._books.forget()
    with pytest.raises(LedgerDamagedError, match=f"Row {number} ") as caught:
        ledger.account("diary").reserve(LOSS)
    assert caught.value.payload["row"] == number


@pytest.mark.parametrize("number", [1, 2, 5, 7])
def test_a_removed_row_is_found_and_stops_all_spending(
    ledger: Ledger, sql: Sql, number: int
) -> None:
    sql("DELETE FROM privet_entries WHERE number = :n", n=number)
    assert fault_row(ledger) == number
    ledger._books.forget()
    with pytest.raises(LedgerDamagedError):
        ledger.account("diary").reserve(LOSS)


@pytest.mark.parametrize("left", [11, 8, 0])
def test_rows_cut_off_at_the_end_are_found(ledger: Ledger, sql: Sql, left: int) -> None:
    sql("DELETE FROM privet_entries WHERE number > :n", n=left)
    assert fault_row(ledger) == left + 1
    with pytest.raises(LedgerDamagedError):
        ledger.account("diary", IndependentRecords(1), 12).reserve(LOSS)


def test_rows_cut_off_together_with_the_head_are_found_by_a_head_kept_elsewhere(
    ledger: Ledger, sql: Sql
) -> None:
    kept = ledger.verify().head
    last = rows_of(ledger)[7]
    sql(
        "DELETE FROM privet_entries WHERE number > 8",
        "UPDATE privet_head SET count = 8, hash = :h",
        h=last.hash,
    )
    assert ledger.verify().ok
    assert ledger.verify(last.hash).ok
    assert fault_row(ledger, kept.hash) is None
    assert fault_row(ledger, f"{kept.count}:{kept.hash}") is None


def test_a_head_from_before_is_still_in_a_ledger_that_grew(ledger: Ledger) -> None:
    early = rows_of(ledger)[3].hash
    assert ledger.verify(early).ok
    assert fault_row(ledger, "0" * 63 + "1") is None


def test_rows_that_changed_places_are_found(ledger: Ledger, sql: Sql) -> None:
    sql(
        "UPDATE privet_entries SET number = 100 WHERE number = 7",
        "UPDATE privet_entries SET number = 7 WHERE number = 9",
        "UPDATE privet_entries SET number = 9 WHERE number = 100",
    )
    assert fault_row(ledger) == 7


def test_a_row_added_by_hand_is_found_even_if_it_links(ledger: Ledger, sql: Sql) -> None:
    end = ledger.verify().head
    draft = Draft(
        "diary", "void", "a" * 16, "", "somebody", {"n": 13, "spent": "0", "budget": "12"}
    )
    row = linked(end, draft)
    names = list(Row.__dataclass_fields__)
    values = {name: getattr(row, name) for name in names}
    sql(
        f"INSERT INTO privet_entries ({', '.join(names)}) "
        f"VALUES ({', '.join(':' + name for name in names)})",
        **values,
    )
    assert fault_row(ledger) == 13
    sql("UPDATE privet_head SET count = :n, hash = :h", n=row.number, h=row.hash)
    assert fault_row(ledger) == 13  # it links, but gives back what is not reserved
    with pytest.raises(LedgerDamagedError, match="Row 13 of the ledger cannot follow"):
        ledger.account("diary").reserve(LOSS)


@pytest.mark.parametrize("change", ["UPDATE privet_head SET count = 3", "DELETE FROM privet_head"])
def test_a_changed_head_is_found_and_stops_all_spending(
    ledger: Ledger, sql: Sql, change: str
) -> None:
    sql(change)
    assert not ledger.verify().ok
    with pytest.raises(LedgerDamagedError):
        ledger.account("diary").reserve(LOSS)


@pytest.mark.parametrize(
    "change",
    ["UPDATE privet_receipts SET content = '{}'", "DELETE FROM privet_receipts"],
)
def test_a_changed_or_removed_receipt_is_found(ledger: Ledger, sql: Sql, change: str) -> None:
    reservation = str(rows_of(ledger)[2].reservation)
    assert ledger.account("diary").receipt(reservation) == {"kind": "words"}
    sql(change)
    assert fault_row(ledger) == 3
    with pytest.raises(LedgerDamagedError, match="Row 3 of the ledger has a receipt"):
        ledger.account("diary").receipt(reservation)


def test_changed_running_totals_are_found_and_stop_all_spending(ledger: Ledger, sql: Sql) -> None:
    ledger._books._every = 1
    account = ledger.account("diary")
    for _ in range(6):
        account.reserve(LOSS).commit()
    marks = [row for row in rows_of(ledger) if row.kind == "checkpoint"]
    assert marks
    with ledger._store.reading() as session:
        kept = session.checkpoint("diary")
    assert kept is not None
    content = json.loads(kept.content)
    content["people"]["everybody"] = RecordLoss.constant(3, 0).to_json()
    sql("UPDATE privet_checkpoints SET content = :c", c=json.dumps(content))
    assert fault_row(ledger) == kept.number
    ledger._books.forget()
    with pytest.raises(LedgerDamagedError, match="checkpoint whose totals"):
        ledger.account("diary")
    # They are a help, not the truth: without them everything is read again.
    sql("DELETE FROM privet_checkpoints")
    assert ledger.verify().ok
    assert (
        ledger.account("diary").spent()
        == account.spent()
        == 10 * RecordLoss.constant(1, "1/8").total
    )


def test_what_is_exported_lets_anybody_check_every_link(ledger: Ledger) -> None:
    import hashlib

    previous = "0" * 64
    for number, row in enumerate(ledger.export(), start=1):
        stated = row.pop("hash")
        row["body"] = json.dumps(row["body"], sort_keys=True, separators=(",", ":"))
        content = json.dumps(row, sort_keys=True, separators=(",", ":"))
        assert hashlib.sha256(content.encode()).hexdigest() == stated
        assert row["number"] == number
        assert row["previous"] == previous
        previous = stated
    assert previous == ledger.verify().head.hash


def test_no_amount_is_a_binary_fraction(ledger: Ledger) -> None:
    def floats(value: Any) -> bool:
        if isinstance(value, dict):
            return any(map(floats, value.values()))
        return any(map(floats, value)) if isinstance(value, list) else isinstance(value, float)

    assert not any(floats(row) for row in ledger.export())


def test_totals_of_another_account_are_found_and_stop_all_spending(
    ledger: Ledger, sql: Sql
) -> None:
    ledger._books._every = 1
    spent, fresh = ledger.account("diary"), ledger.account("new", IndependentRecords(1), 12)
    for _ in range(6):
        spent.reserve(LOSS).commit()
        fresh.reserve(RecordLoss.constant(1, "1/1000")).commit()
    own, others = (
        f"(SELECT {column} FROM privet_checkpoints WHERE account = 'new')"
        for column in ("number", "content")
    )
    sql(f"UPDATE privet_checkpoints SET number = {own}, content = {others}")
    assert fault_row(ledger) is not None
    ledger._books.forget()
    with pytest.raises(LedgerDamagedError, match="checkpoint whose totals"):
        ledger.account("diary")


@pytest.mark.parametrize("new_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    "change",
    [
        *(
            f"UPDATE privet_entries SET {field} = {value} WHERE number = 3"
            for field in ("account", "kind", "reservation", "time", "who", "body", "previous")
            for value in ("x'00ff'", "CAST(x'ff' AS TEXT)", "1.5")
        ),
        "UPDATE privet_head SET count = 'x'",
        "UPDATE privet_head SET hash = x'00'",
        "UPDATE privet_receipts SET content = x'00'",
    ],
)
def test_what_is_no_text_is_found_like_any_other_change(
    ledger: Ledger, sql: Sql, change: str
) -> None:
    sql(change)
    found = ledger.verify()
    assert not found.ok
    ledger._books.forget()
    if "receipts" in change:
        with pytest.raises(LedgerDamagedError):
            ledger.account("diary").receipt(rows_of(ledger)[2].reservation or "")
    else:
        with pytest.raises(LedgerDamagedError):
            ledger.account("diary").reserve(LOSS)
