"""A ledger's rows in a database, through SQLAlchemy; the one module that writes SQL.

Contract. A transaction that writes holds, from its first statement to its last, a lock that every
writer takes first: on the whole file in SQLite, on the row of the head in PostgreSQL. It was made
durable when `writing` ends. What a driver reports becomes a LedgerUnavailableError that names the
place without its password and shows nothing of the rows. Connections never cross a fork.
"""

import os
import weakref
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Select, Transaction, insert, select, update
from sqlalchemy.exc import SQLAlchemyError

from privet.errors import LedgerError, LedgerUnavailableError
from privet.ledger.chain import Draft, Head, Row, damaged, linked
from privet.ledger.models import checkpoints, entries, head, receipts
from privet.ledger.schema import NEWEST, check_revision, migrate, revision_of
from privet.ledger.store import Checkpoint, Session

_PAGE = 500
_ABANDONED: list[Engine] = []
"""Engines of the process that this one was forked from: never used, and never closed from here."""


class Problem(NamedTuple):
    """What went wrong with a database. `words` follow "The ledger at ..."."""

    words: str
    hint: str
    kind: type[LedgerError] = LedgerUnavailableError


class SqlStore(ABC):
    """A ledger in a database. `place`: where, without a password."""

    def __init__(self, place: str) -> None:
        self.place = place
        self._process = os.getpid()
        self._engine = self._kept_engine()

    @abstractmethod
    def _new_engine(self) -> Engine:
        """A fresh engine, without connections."""

    @abstractmethod
    def _problem(self, error: BaseException) -> Problem:
        """What the driver's error means."""

    @abstractmethod
    def _lock(self, connection: Connection) -> Head | None:
        """Keep other writers out until the transaction ends; the head, if it was read with it."""

    @abstractmethod
    def _for_reading(self, connection: Connection) -> Connection:
        """The connection, set up to see the rows of one moment."""

    @abstractmethod
    def _lock_schema(self, connection: Connection) -> None:
        """Keep others out who would make or change the tables."""

    @abstractmethod
    def _settle(self, connection: Connection) -> None:
        """Wait until what was written is durable, if the commit did not."""

    @abstractmethod
    def _check_place(self) -> None:
        """Errors: LedgerUnavailableError if the database is no longer the one that was opened."""

    @property
    def engine(self) -> Engine:
        """The engine of this process."""
        if self._process != os.getpid():
            _ABANDONED.append(self._engine)
            self._process, self._engine = os.getpid(), self._kept_engine()
        return self._engine

    def _kept_engine(self) -> Engine:
        """A new engine that is closed with this store, if nobody does it before."""
        engine = self._new_engine()
        weakref.finalize(self, _dispose, engine, os.getpid())
        return engine

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that may append; undone when the block raises."""
        with self._translated():
            self._check_place()
            with self.engine.connect() as connection:
                with self._begun(connection):
                    yield SqlSession(connection, self._lock(connection))
                self._settle(connection)
            self._check_place()

    def _begun(self, connection: Connection) -> Transaction:
        return connection.execution_options(privet_writes=True).begin()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction that sees the rows of one moment."""
        with self._translated():
            self._check_place()
            with self.engine.connect() as connection, self._for_reading(connection).begin():
                yield SqlSession(connection)

    def prepare(self, *, create: bool) -> None:
        """Check the schema; with `create`, make it or bring it up to date. Errors: LedgerError."""
        with self._translated():
            self._check_place()
            with self.engine.connect() as connection, connection.begin():
                revision = revision_of(connection)
            if create and (revision or "") < NEWEST:
                with self.engine.connect() as connection, self._begun(connection):
                    self._lock_schema(connection)
                    if (revision_of(connection) or "") < NEWEST:
                        migrate(connection)
                    revision = revision_of(connection)
            check_revision(revision, self.place)

    def close(self) -> None:
        """Give back the connections."""
        self.engine.dispose()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            problem = self._problem(getattr(error, "orig", None) or error)
            raise problem.kind(
                f"The ledger at {self.place} {problem.words}.",
                hint=problem.hint,
                place=self.place,
                row=None,
            ) from None


def _dispose(engine: Engine, process: int) -> None:
    if process == os.getpid():
        engine.dispose()


class SqlSession:
    """A transaction on a database."""

    def __init__(self, connection: Connection, head: Head | None = None) -> None:
        """`head`: where the rows end, if that was read and nobody else may move it."""
        self._connection = connection
        self._head = head

    def head(self) -> Head:
        """Where the rows end."""
        return self._head or self._read_head()

    def _read_head(self) -> Head:
        found = self._connection.execute(select(head.c.count, head.c.hash)).one_or_none()
        if found is None:
            raise damaged(None, "has lost the row that says where it ends")
        count, last = found
        if not isinstance(count, int) or not isinstance(last, str):
            raise damaged(None, "does not say where it ends")
        return Head(count, last)

    def row(self, number: int) -> Row | None:
        """One row."""
        return next(iter(self._rows(select(entries).where(entries.c.number == number))), None)

    def rows(self, after: int = 0, account: str | None = None) -> Iterator[Row]:
        """The rows with a number above `after`, in order; of one account, or of all."""
        query = select(entries).order_by(entries.c.number).limit(_PAGE)
        if account is not None:
            query = query.where(entries.c.account == account)
        while page := self._rows(query.where(entries.c.number > after)):
            yield from page
            if len(page) < _PAGE:
                return
            after = page[-1].number

    def rows_of(self, reservation: str) -> list[Row]:
        """The rows of one reservation, in order."""
        query = select(entries).where(entries.c.reservation == reservation)
        return self._rows(query.order_by(entries.c.number))

    def accounts(self) -> list[str]:
        """The names of the accounts, in the order in which they were made."""
        query = select(entries.c.account).where(entries.c.kind == "account")
        return list(self._connection.execute(query.order_by(entries.c.number)).scalars())

    def append(self, draft: Draft) -> Row:
        """Write the next row and move the head."""
        row = linked(self.head(), draft)
        values = {name: getattr(row, name) for name in Row.__dataclass_fields__}
        self._connection.execute(insert(entries).values(**values))
        self._connection.execute(update(head).values(count=row.number, hash=row.hash))
        self._head = Head(row.number, row.hash)
        return row

    def receipt(self, reservation: str) -> str | None:
        """The text that was kept for a reservation."""
        query = select(receipts.c.content).where(receipts.c.reservation == reservation)
        found = self._connection.execute(query).scalar()
        return None if found is None else str(_readable(found))

    def put_receipt(self, reservation: str, content: str) -> None:
        """Keep a text for a reservation."""
        values = {"reservation": reservation, "content": content}
        self._connection.execute(insert(receipts).values(**values))

    def checkpoint(self, account: str) -> Checkpoint | None:
        """The latest running totals of an account."""
        query = select(checkpoints).where(checkpoints.c.account == account)
        found = self._connection.execute(query).one_or_none()
        return None if found is None else Checkpoint(*map(_readable, found))

    def put_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Replace the running totals of an account."""
        values = {"number": checkpoint.number, "content": checkpoint.content}
        here = checkpoints.c.account == checkpoint.account
        changed = self._connection.execute(update(checkpoints).where(here).values(**values))
        if not changed.rowcount:
            new = insert(checkpoints).values(account=checkpoint.account, **values)
            self._connection.execute(new)

    def _rows(self, query: Select[Any]) -> list[Row]:
        return [Row(*map(_readable, found)) for found in self._connection.execute(query)]


def _readable(value: Any) -> Any:
    """Bytes, which SQLite takes where text belongs, as text whose hash is not that of the row."""
    return repr(value) if isinstance(value, bytes) else value
