"""A ledger in an SQLite file.

Contract. Journal mode WAL: a commit is one write to the end of one file and one sync of it, readers
do not stop writers, and a process that dies leaves a log whose unfinished end is ignored.
Synchronous FULL: each commit is synced before it returns, so what was reserved is still reserved
after a loss of power (NORMAL would sync only when the log is folded into the file). Each commit is
folded into the file at once: were the file copied or moved without its log after a crash, what is
only in the log would be budget again. A writer waits
up to a minute for another. WAL shares memory between processes, so all of them run on one machine:
a ledger for several machines is in PostgreSQL. The file is never made by opening it, and one that
was removed or replaced while it was open is noticed before and after every write. A file with a
second hard link is refused, for SQLite names its log after the name by which it was opened.
"""

import sqlite3
import time
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import QueuePool

from privet.errors import LedgerDamagedError, LedgerUnavailableError
from privet.ledger.sql import Problem, SqlStore

WAIT_SECONDS = 60
"""How long one process waits for another's transaction."""

_ASK_AGAIN_SECONDS = 0.002

_PROBLEMS = {
    "SQLITE_FULL": Problem(
        "could not be written: the disk is full",
        "Nothing was spent by this; free some space and try again.",
    ),
    "SQLITE_IOERR": Problem(
        "could not be read or written",
        "The disk may be full or broken; look at it, and try again.",
    ),
    "SQLITE_READONLY": Problem(
        "may only be read", "Give this user the right to write the file and its folder."
    ),
    "SQLITE_CANTOPEN": Problem(
        "cannot be opened", "Check that the file and its folder can be written."
    ),
    "SQLITE_BUSY": Problem(
        f"was in use by others for {WAIT_SECONDS} seconds", "Nothing was spent by this; try again."
    ),
    "SQLITE_NOTADB": Problem(
        "is not an SQLite file", "Check the place, or restore it from a copy.", LedgerDamagedError
    ),
    "SQLITE_CORRUPT": Problem(
        "is damaged", "Nothing was spent by this; restore it from a copy.", LedgerDamagedError
    ),
}


class SqliteStore(SqlStore):
    """A ledger in the file `path`."""

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._identity = _identity(self._path)
        super().__init__(str(path))

    def _new_engine(self) -> Engine:
        # The pool for a URL without a file would close connections that other threads use.
        engine = create_engine(
            "sqlite://", creator=self._connect, hide_parameters=True, poolclass=QueuePool
        )
        event.listen(engine, "begin", _begin)
        return engine

    def _connect(self) -> sqlite3.Connection:
        address = f"file:{quote(str(self._path))}?mode=rw"
        connection = sqlite3.connect(
            address, uri=True, timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False
        )
        # Text that is none (somebody wrote it past Privet) must reach the check of its row.
        connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA wal_autocheckpoint = 1")
        return connection

    def _lock(self, connection: Connection) -> None:
        """BEGIN IMMEDIATE has locked the file."""

    def _lock_schema(self, connection: Connection) -> None:
        """BEGIN IMMEDIATE has locked the file."""

    def _for_reading(self, connection: Connection) -> Connection:
        return connection

    def _settle(self, connection: Connection) -> None:
        """The commit waited."""

    def _check_place(self) -> None:
        if self._identity is None:
            self._identity = _identity(self._path)
        if self._identity is None or _identity(self._path) != self._identity:
            raise LedgerUnavailableError(
                f"The ledger at {self.place} was removed or replaced while it was in use.",
                hint="Put the file back and open the ledger again.",
                place=self.place,
            )
        if _links(self._path) > 1:
            # Each name would have a log of its own, and what one writes the other never sees.
            raise LedgerUnavailableError(
                f"The ledger at {self.place} has a second name (a hard link).",
                hint="Use one name for it everywhere, and remove the other; a symbolic link is "
                "no harm.",
                place=self.place,
            )

    def _problem(self, error: BaseException) -> Problem:
        name = str(getattr(error, "sqlite_errorname", ""))
        for known, words in _PROBLEMS.items():
            if name.startswith(known):
                return words
        return Problem("could not be used", f"SQLite says {name or type(error).__name__}.")


def _begin(connection: Connection) -> None:
    # Python's own handling of transactions is off (isolation_level None): it would begin late.
    if not connection.get_execution_options().get("privet_writes", False):
        connection.exec_driver_sql("BEGIN")
        return
    connection.exec_driver_sql("PRAGMA busy_timeout = 0")
    try:
        _begin_immediately(connection)
    finally:
        connection.exec_driver_sql(f"PRAGMA busy_timeout = {1000 * WAIT_SECONDS}")


def _begin_immediately(connection: Connection) -> None:
    """Ask for the lock every few milliseconds; SQLite's own waiting sleeps up to 100 of them."""
    deadline = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            return
        except OperationalError as error:
            busy = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > deadline:
                raise
        time.sleep(_ASK_AGAIN_SECONDS)


def _links(path: Path) -> int:
    try:
        return path.stat().st_nlink
    except OSError:
        return 0


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
