"""What a ledger needs of the place that keeps its rows, and the place that is this process.

Contract. `writing` is one transaction that nobody else's overlaps: between reading the head and
appending a row no other row can come in, in any process or on any machine. It is kept whole when
the block ends, and it leaves nothing behind when the block raises. `reading` sees the rows as they
were at one moment. When `writing` has ended without an error, its rows survive a loss of power (in
the memory of the process: nothing does). Three stores keep this contract and are run side by side
by one state machine in the tests.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from privet.errors import LedgerUnavailableError
from privet.ledger.chain import Draft, Head, Row, linked


@dataclass(frozen=True)
class Checkpoint:
    """The running totals of an account as JSON text, as they were at row `number`."""

    account: str
    number: int
    content: str


class Session(Protocol):
    """One transaction."""

    def head(self) -> Head:
        """Where the rows end."""

    def row(self, number: int) -> Row | None:
        """One row."""

    def rows(self, after: int = 0, account: str | None = None) -> Iterator[Row]:
        """The rows with a number above `after`, in order; of one account, or of all."""

    def rows_of(self, reservation: str) -> list[Row]:
        """The rows of one reservation, in order."""

    def accounts(self) -> list[str]:
        """The names of the accounts, in the order in which they were made."""

    def append(self, draft: Draft) -> Row:
        """Write the next row and move the head. Only within `writing`."""

    def receipt(self, reservation: str) -> str | None:
        """The text that was kept for a reservation."""

    def put_receipt(self, reservation: str, content: str) -> None:
        """Keep a text for a reservation. Only within `writing`."""

    def checkpoint(self, account: str) -> Checkpoint | None:
        """The latest running totals of an account."""

    def put_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Replace the running totals of an account. Only within `writing`."""


class Store(Protocol):
    """A place that keeps rows."""

    @property
    def place(self) -> str:
        """Where it is, in words that hold no password."""

    def writing(self) -> AbstractContextManager[Session]:
        """A transaction that may append."""

    def reading(self) -> AbstractContextManager[Session]:
        """A transaction that only reads."""

    def close(self) -> None:
        """Give back what the store holds open."""


@dataclass
class _Content:
    rows: list[Row] = field(default_factory=list)
    receipts: dict[str, str] = field(default_factory=dict)
    checkpoints: dict[str, Checkpoint] = field(default_factory=dict)


class MemoryStore:
    """Rows in the memory of this process, for tests and for one run of a program."""

    place = "memory:"

    def __init__(self) -> None:
        self._content = _Content()
        self._lock = threading.RLock()
        self._process = os.getpid()

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that may append; undone when the block raises.

        A child of a fork has a copy of the rows: what it spent, its parent would never see.
        """
        if self._process != os.getpid():
            raise LedgerUnavailableError(
                "A ledger in memory is that of one process, and this is another one.",
                hint="Keep the ledger in a file if several processes spend from it.",
                place=self.place,
            )
        with self._lock:
            now = self._content
            draft = _Content(list(now.rows), dict(now.receipts), dict(now.checkpoints))
            yield MemorySession(draft)
            self._content = draft

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction that only reads."""
        yield MemorySession(self._content)

    def close(self) -> None:
        """Nothing is held open."""


class MemorySession:
    """A transaction on rows in memory."""

    def __init__(self, content: _Content) -> None:
        self._content = content

    def head(self) -> Head:
        """Where the rows end."""
        rows = self._content.rows
        return Head(rows[-1].number, rows[-1].hash) if rows else Head()

    def row(self, number: int) -> Row | None:
        """One row."""
        rows = self._content.rows
        return rows[number - 1] if 1 <= number <= len(rows) else None

    def rows(self, after: int = 0, account: str | None = None) -> Iterator[Row]:
        """The rows with a number above `after`, in order; of one account, or of all."""
        for row in self._content.rows[after:]:
            if account is None or row.account == account:
                yield row

    def rows_of(self, reservation: str) -> list[Row]:
        """The rows of one reservation, in order."""
        return [row for row in self._content.rows if row.reservation == reservation]

    def accounts(self) -> list[str]:
        """The names of the accounts, in the order in which they were made."""
        return [row.account for row in self._content.rows if row.kind == "account"]

    def append(self, draft: Draft) -> Row:
        """Write the next row."""
        row = linked(self.head(), draft)
        self._content.rows.append(row)
        return row

    def receipt(self, reservation: str) -> str | None:
        """The text that was kept for a reservation."""
        return self._content.receipts.get(reservation)

    def put_receipt(self, reservation: str, content: str) -> None:
        """Keep a text for a reservation."""
        self._content.receipts[reservation] = content

    def checkpoint(self, account: str) -> Checkpoint | None:
        """The latest running totals of an account."""
        return self._content.checkpoints.get(account)

    def put_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Replace the running totals of an account."""
        self._content.checkpoints[checkpoint.account] = checkpoint
