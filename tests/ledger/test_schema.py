"""The schema of a ledger: made by migrations, moved down and up with all data, refused if newer."""

from collections.abc import Callable

import pytest
from sqlalchemy import text

from privet import IndependentRecords, Ledger, LedgerError, RecordLoss
from privet.ledger import schema
from privet.ledger.models import VERSION_TABLE, metadata
from privet.ledger.opening import open_store
from privet.ledger.sql import SqlStore

LOSS = RecordLoss.constant(3, "1/8")


def store_of(ledger: Ledger) -> SqlStore:
    store = ledger._store
    assert isinstance(store, SqlStore)
    return store


def moved(store: SqlStore, revision: str) -> None:
    with store.engine.connect() as connection, store._begun(connection):
        schema.migrate(connection, revision)


def test_the_migrations_make_the_tables_that_the_code_uses(url: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with Ledger.open(url, create=True) as ledger, store_of(ledger).engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(context, metadata) == []
        assert context.get_current_revision() == schema.NEWEST


def test_all_data_survive_the_way_down_and_up_again(url: str) -> None:
    with Ledger.open(url, create=True) as ledger:
        ledger._books._every = 1
        account = ledger.account("diary", IndependentRecords(1), 10)
        for number in range(6):
            account.reserve(LOSS, person="ada").commit({"number": number})
        open_one = account.reserve(LOSS).id
        rows, spent, head = list(ledger.export()), account.spent(), ledger.verify().head
        assert any(row["kind"] == "checkpoint" for row in rows)
        moved(store_of(ledger), "0001")
        with pytest.raises(LedgerError, match=r"has schema 0001.*uses 0002.*create=True"):
            Ledger.open(url)
    with Ledger.open(url, create=True) as ledger:
        account = ledger.account("diary")
        assert list(ledger.export()) == rows
        assert account.spent() == spent
        assert account.receipt(str(account.history()[1].reservation)) == {"number": 0}
        assert ledger.verify(head.hash).ok
        ledger.reservation(open_one).commit()
        assert ledger.verify(head.hash).ok


def test_a_newer_schema_is_refused_and_left_alone(url: str) -> None:
    with Ledger.open(url, create=True) as ledger, store_of(ledger).engine.begin() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    for create in (False, True):
        with pytest.raises(LedgerError, match="9999, which is newer"):
            Ledger.open(url, create=create)


def test_an_older_program_refuses_what_this_one_writes(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Ledger.open(url, create=True).close()
    monkeypatch.setattr("privet.ledger.sql.NEWEST", "0001")
    monkeypatch.setattr("privet.ledger.schema.NEWEST", "0001")
    with pytest.raises(LedgerError, match="newer than the 0001"):
        Ledger.open(url)


def test_the_way_down_to_nothing_leaves_nothing(url: str) -> None:
    with Ledger.open(url, create=True) as ledger:
        moved(store_of(ledger), "base")
        with pytest.raises(LedgerError, match="There is no ledger at"):
            Ledger.open(url)


def test_an_upgrade_that_fails_halfway_changes_nothing(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from alembic import op

    real: Callable[..., object] = op.create_table

    def broken(name: str, *rest: object) -> object:
        if name == "privet_receipts":
            raise ConnectionResetError
        return real(name, *rest)

    monkeypatch.setattr(op, "create_table", broken)
    with pytest.raises(ConnectionResetError):
        open_store(url, create=True)
    monkeypatch.undo()
    with pytest.raises(LedgerError, match="There is no ledger at"):
        Ledger.open(url)
    with Ledger.open(url, create=True) as ledger:
        assert ledger.accounts() == []
