"""The grants of docs/how-to/several-people.md give each role what the page says, and no more."""

import pytest

from pages import Page
from privet import IndependentRecords, Ledger, RecordLoss
from privet.errors import LedgerUnavailableError
from privet.ledger.books import Books
from privet.testing.postgres import PostgresServer

(GRANTS,) = Page("docs/how-to/several-people.md").blocks("sql")
LOSS = RecordLoss.constant(5, 1)


def address(server: PostgresServer, user: str, password: str) -> str:
    return f"postgresql+psycopg://{user}:{password}@127.0.0.1:{server.port}/shared"


def test_who_releases_can_spend_and_who_looks_cannot(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    # Running totals are written, and written anew, within a few rows.
    monkeypatch.setattr(Books.__init__, "__defaults__", (2,))
    owner = postgres.create("shared")
    with Ledger.open(owner, create=True) as ledger:
        ledger.account("survey", IndependentRecords(1), 20)
    with psycopg.connect(owner.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(GRANTS.encode())

    with Ledger.open(address(postgres, "analyst", "one")) as ledger:
        for _ in range(6):
            ledger.account("survey").reserve(LOSS).commit()
        assert ledger.account("survey").spent() == 6
    for change in (
        "UPDATE privet_entries SET body = ''",
        "DELETE FROM privet_entries",
        "DELETE FROM privet_receipts",
        "DROP TABLE privet_head",
    ):
        with (
            psycopg.connect(address(postgres, "analyst", "one").replace("+psycopg", "")) as analyst,
            pytest.raises(psycopg.errors.InsufficientPrivilege),
        ):
            analyst.execute(change.encode())

    with Ledger.open(address(postgres, "auditor", "another")) as ledger:
        assert ledger.account("survey").spent() == 6
        assert ledger.verify().ok
        assert len(list(ledger.export())) > 2 * 6
        for act in (
            lambda: ledger.account("survey").reserve(LOSS),
            lambda: ledger.account("survey").set_budget(30),
        ):
            with pytest.raises(LedgerUnavailableError, match="does not allow this user"):
                act()
