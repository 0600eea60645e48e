"""The running totals of a ledger's accounts, kept in this process and brought up to date.

Contract. A balance is used only inside a transaction, after the rows that others wrote since have
been taken in; each is checked by its own hash, and by its number within the account. If the store
no longer holds the row up to which a balance was made (it was restored from a copy, or a server
lost what it had not promised to keep), the balance is made anew. An account is read from its last
checkpoint on, so opening it costs what was written since, not what was ever written; a checkpoint
whose hash is not the one in its row is refused. A row without its own link, a missing row of an
account, or a head that is not the last row stops all spending.
"""

import os
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from privet.errors import LedgerError, PrivetError
from privet.ledger.balance import Balance, Charge, charge_of
from privet.ledger.chain import Draft, Row, damaged, digest
from privet.ledger.entries import now, somebody
from privet.ledger.store import Checkpoint, Session, Store

CHECKPOINT_EVERY = 512
"""Rows of an account between two checkpoints; more where the totals themselves are long."""


_ALL: "weakref.WeakSet[Books]" = weakref.WeakSet()


class Books:
    """The balances of one store. Threads take turns; processes and machines do through the store.

    `checkpoint_every`: rows of an account between two checkpoints.
    """

    def __init__(self, store: Store, checkpoint_every: int = CHECKPOINT_EVERY) -> None:
        self.store = store
        self._every = checkpoint_every
        self._balances: dict[str, Balance] = {}
        self._lock = threading.RLock()
        _ALL.add(self)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """One thread at a time; what an interrupt may have left half changed is read again."""
        with self._lock:
            try:
                yield
            except PrivetError:
                raise
            except BaseException:
                self.forget()
                raise

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that may append, on a ledger whose end is whole."""
        with self._turn(), self.store.writing() as session:
            head = session.head()
            if head.count:
                last = session.row(head.count)
                if last is None or last.check().hash != head.hash:
                    raise damaged(head.count, "is the last, but is missing or another one")
            yield session

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction that only reads."""
        with self._turn(), self.store.reading() as session:
            yield session

    @contextmanager
    def standing(self, account: str) -> Iterator[Balance]:
        """The balance of an account, which no thread changes during the block.

        No transaction is open then, so working out an epsilon may take its time.
        """
        with self._turn():
            with self.store.reading() as session:
                balance = self.balance(session, account)
            yield balance

    def balance(self, session: Session, account: str) -> Balance:
        """The balance of an account as of this transaction. Errors: LedgerError for no account."""
        balance = self._balances.pop(account, None)
        if balance is not None:
            # The row it stands on is read again with those that follow.
            rows = session.rows(balance.number - 1, account)
            stands = next(rows, None)
            if stands is None or stands.hash != balance.hash:
                balance = None
        if balance is None:
            balance = _opened(session, account)
            rows = session.rows(balance.number, account)
        for row in rows:
            balance.apply(row.check(), _voided(session, balance, row))
        # Kept only now: what failed halfway is not kept.
        self._balances[account] = balance
        return balance

    def forget(self) -> None:
        """Drop all balances; the next transaction reads them again."""
        self._balances.clear()

    def append(
        self,
        session: Session,
        balance: Balance | None,
        kind: str,
        body: Mapping[str, object],
        *,
        account: str,
        reservation: str | None = None,
        who: str | None = None,
    ) -> Row:
        """The next row of an account; `balance` None makes the account."""
        number = 1 if balance is None else balance.rows + 1
        draft = Draft(account, kind, reservation, now(), somebody(who), {"n": number, **body})
        row = session.append(draft)
        if balance is not None and kind != "checkpoint" and self._due(balance):
            self._checkpoint(session, account)
        return row

    def _due(self, balance: Balance) -> bool:
        return balance.rows - balance.checkpointed > self._every + balance.size

    def _checkpoint(self, session: Session, account: str) -> None:
        """Close the totals, this transaction's rows included."""
        balance = self.balance(session, account)
        # The rows of this transaction may yet be undone, so this balance is not the one to keep.
        del self._balances[account]
        content = balance.to_text()
        body = {
            "digest": digest(content),
            "spent": str(balance.stated),
            "budget": str(balance.budget),
        }
        row = self.append(session, balance, "checkpoint", body, account=account)
        session.put_checkpoint(Checkpoint(account, row.number, content))


def _after_fork() -> None:
    """A child has no thread but one: a lock that another held, nobody here would give back."""
    for books in list(_ALL):
        books._lock = threading.RLock()
        books.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def _opened(session: Session, account: str) -> Balance:
    """The balance at the last checkpoint, or at the row that makes the account."""
    first = next(iter(session.rows(0, account)), None)
    if first is None:
        raise unknown_account(account, session.accounts())
    first.check()
    saved = session.checkpoint(account)
    row = session.row(saved.number) if saved is not None else None
    if saved is None or row is None:
        return Balance.opened(first)
    closed = row.check().kind == "checkpoint" and row.account == account
    if not closed or row.data.get("digest") != digest(saved.content):
        raise damaged(row.number, "is a checkpoint whose totals are not those it closed")
    return Balance.restored(first, row, saved.content)


def _voided(session: Session, balance: Balance, row: Row) -> Charge | None:
    """The charge of a reservation that a checkpoint knows only by its id."""
    if row.kind != "void" or balance.open.get(str(row.reservation), 0) is not None:
        return None
    return charge_of(session.rows_of(str(row.reservation))[0].check())


def unknown_account(account: str, known: list[str]) -> LedgerError:
    """The error for an account that does not exist."""
    names = ", ".join(f"'{name}'" for name in known) or "none"
    return LedgerError(
        f"The ledger has no account '{account}'; it has {names}.",
        hint="Check the name; `privet ledger init` makes an account, and so does giving its "
        "framework and its budget.",
        account=account,
    )
