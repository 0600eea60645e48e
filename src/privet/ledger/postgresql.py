"""A ledger in a PostgreSQL database, for several machines.

Contract. A writer first locks the row of the head (SELECT ... FOR UPDATE); every statement after
it sees all that was committed before, so writers behave as if they came one after another. The
lock is held for the check and the row, not for the disk: the transaction commits without waiting,
and `writing` ends only after a second, empty transaction was flushed, which flushes all before it.
Many processes then share one flush. Nothing is weakened by this: the log of the server is flushed
in order, so a row that others build on is never lost where theirs is kept, and a caller is told of
a row only when it is on disk (on the synchronous standbys too, where there are any). A crash of
the server can take back rows of which nobody was told. A session that holds the lock and does
nothing is ended by the server, so a machine that vanishes does not stop the others.
"""

from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, select, text

from privet.errors import LedgerDamagedError
from privet.ledger.chain import Head, damaged
from privet.ledger.models import head
from privet.ledger.sql import Problem, SqlStore

WAIT_SECONDS = 60
"""How long one process waits for another's transaction."""

IDLE_SECONDS = 120
"""After how long the server ends a transaction in which nothing happens."""

CONNECT_SECONDS = 10

_VANISHED = {
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 6,
    "tcp_user_timeout": 90_000,
}
"""A server whose machine or network vanished is noticed within minutes, not after hours."""

_SCHEMA_LOCK = 7_377_481_960_415
"""An advisory lock that only Privet takes: while it makes or changes the tables of a ledger."""

_AGAIN = "Nothing was spent by this; try again."

_PROBLEMS = {
    "53100": Problem("could not be written: the disk of the server is full", _AGAIN),
    "53": Problem("has no resources left on its server", _AGAIN),
    "55P03": Problem(f"was in use by others for {WAIT_SECONDS} seconds", _AGAIN),
    "40": Problem("was written by others at the same moment", _AGAIN),
    "28": Problem("refuses this user", "Check the user name and the password."),
    "3D": Problem("does not exist", "Make the database first, with createdb."),
    "42501": Problem("does not allow this user what it needs", "Grant the user its tables."),
    "42P01": Problem("has lost a table", "Restore it from a copy.", LedgerDamagedError),
    "25006": Problem("may only be read", "Connect to the primary server."),
    "XX": Problem("is damaged", "Restore it from a copy.", LedgerDamagedError),
}

_SAID = {"authentication failed": "28", "does not exist": "3D", "no pg_hba.conf entry": "28"}

_GONE = Problem(
    "cannot be reached, or went away",
    "Start the server and try again. What was reserved before stays spent; see the history.",
)


class PostgresStore(SqlStore):
    """A ledger in the database of `url`, whose driver is psycopg."""

    def __init__(self, url: URL) -> None:
        self._url = url.set(drivername="postgresql+psycopg")
        where = f"{url.host or 'localhost'}:{url.port or 5432}"
        super().__init__(f"postgresql://{where}/{url.database or ''}")

    def _new_engine(self) -> Engine:
        engine = create_engine(
            self._url,
            hide_parameters=True,
            pool_pre_ping=True,
            # Whatever the database's own default: stricter, most writers that meet would fail.
            isolation_level="READ COMMITTED",
            connect_args={
                "connect_timeout": CONNECT_SECONDS,
                "application_name": "privet ledger",
                **_VANISHED,
            },
        )
        event.listen(engine, "connect", _prepare_connection)
        return engine

    def _check_place(self) -> None:
        """The server knows which database it is."""

    def _for_reading(self, connection: Connection) -> Connection:
        return connection.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )

    def _lock(self, connection: Connection) -> Head:
        later = func.set_config("synchronous_commit", "off", True)
        query = select(head.c.count, head.c.hash, later).with_for_update()
        found = connection.execute(query).one_or_none()
        if found is None:
            raise damaged(None, "has lost the row that says where it ends")
        return Head(found[0], found[1])

    def _lock_schema(self, connection: Connection) -> None:
        connection.execute(text(f"SELECT pg_advisory_xact_lock({_SCHEMA_LOCK})"))

    def _settle(self, connection: Connection) -> None:
        at_once = func.set_config("synchronous_commit", "on", True)
        # Some record must be written, or the server has no reason to flush.
        record = func.pg_logical_emit_message(True, "privet", "")
        alone = connection.execution_options(isolation_level="AUTOCOMMIT")
        alone.execute(select(at_once, record))

    def _problem(self, error: BaseException) -> Problem:
        state = str(getattr(error, "sqlstate", None) or "")
        known = _PROBLEMS.get(state) or _PROBLEMS.get(state[:2])
        if known is None and not state:  # a refused connection has no state, only words
            said = (state for words, state in _SAID.items() if words in str(error))
            known = _PROBLEMS.get(next(said, ""))
        if known is not None:
            return known
        if not state or state[:2] in ("08", "57"):
            return _GONE
        return Problem("could not be used", f"PostgreSQL says {state}.")


def _prepare_connection(connection: Any, _record: object) -> None:
    connection.execute(f"SET lock_timeout = '{WAIT_SECONDS}s'")
    connection.execute(f"SET idle_in_transaction_session_timeout = '{IDLE_SECONDS}s'")
    connection.commit()
