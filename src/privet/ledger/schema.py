"""Which schema a ledger's database has, and how it is brought to another.

Contract. The number stands in the database. One that is newer than this version of Privet is
refused, for an older program cannot know what the newer rows mean. Upgrading happens in one
transaction, on purpose only.
"""

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from privet.errors import LedgerError
from privet.ledger.models import VERSION_TABLE

NEWEST = "0002"
"""The revision that this version of Privet reads and writes."""


def revision_of(connection: Connection) -> str | None:
    """The revision of a database; None where there is no ledger."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
    return None if found is None else str(found)


def check_revision(revision: str | None, place: str) -> None:
    """Errors: LedgerError for any schema but the newest one known here."""
    if revision is None:
        raise LedgerError(
            f"There is no ledger at {place}.",
            hint="Make one with create=True or `privet ledger init`, or check the place.",
        )
    if revision < NEWEST:
        raise LedgerError(
            f"The ledger at {place} has schema {revision}; this version of Privet uses {NEWEST}.",
            hint="Open it once with create=True (`privet ledger init`): that brings it up to date.",
        )
    if revision > NEWEST:
        raise LedgerError(
            f"The ledger at {place} has schema {revision}, which is newer than the {NEWEST} that "
            "this version of Privet knows.",
            hint="Use the version of Privet that other programs use with it.",
        )


def migrate(connection: Connection, revision: str = NEWEST) -> None:
    """Bring the schema up or down to a revision ("base": to nothing), in the open transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    current = revision_of(connection) or ""
    if revision == "base" or revision < current:
        command.downgrade(config, revision)
    else:
        command.upgrade(config, revision)
