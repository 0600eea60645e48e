"""A part of the budget that is spent, for a release that is being made.

Contract. `commit` comes before any byte of the release leaves; `void` gives the budget back and is
only for a release of which nothing was drawn or written. Each happens once, and after one the
other is refused. A process that dies in between leaves the reservation open, which is spent.
"""

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from privet.errors import LedgerDamagedError, LedgerError, ParameterError
from privet.exact import exact_number
from privet.ledger.balance import Balance, charge_of
from privet.ledger.books import Books
from privet.ledger.chain import Row, canonical, damaged, digest
from privet.ledger.entries import State, read_text
from privet.ledger.store import Session


class Reservation:
    """What `Account.reserve` gives, or `Ledger.reservation` finds.

    `id`: text that names it; `account`; `number`: its row; `spent_before`, `spent_after`: the
    epsilon of the account before and from then on.
    """

    def __init__(self, books: Books, row: Row) -> None:
        self._books = books
        self.id = str(row.reservation)
        self.account = row.account
        self.number = row.number
        self.spent_before: Fraction = exact_number(row.data["before"], "before")
        self.spent_after: Fraction = exact_number(row.data["spent"], "spent")

    def __repr__(self) -> str:
        return f"<Reservation {self.id} of account '{self.account}'>"

    @property
    def state(self) -> State:
        """What became of it."""
        with self._books.reading() as session:
            return _state(session.rows_of(self.id))

    def commit(self, receipt: dict[str, Any] | None = None, *, who: str | None = None) -> None:
        """Say that the release is about to leave; keep its receipt, with its hash in the row.

        Errors: LedgerError if it was committed or made void before; then nothing may leave.
        """
        content = None if receipt is None else _receipt_text(receipt)
        with self._books.writing() as session:
            self._still_open(session, "committed")
            balance = self._books.balance(session, self.account)
            body = {
                "receipt": None if content is None else digest(content),
                "spent": str(balance.stated),
                "budget": str(balance.budget),
            }
            if content is not None:
                session.put_receipt(self.id, content)
            self._append(session, balance, "commit", body, who)

    def void(self, reason: str, *, who: str | None = None) -> None:
        """Give the budget back, for a release of which nothing was drawn or written.

        Errors: LedgerError if it was committed or made void before.
        """
        text = read_text(reason, "reason")
        if not text.strip():
            raise ParameterError(
                "A reservation is not made void without a reason.",
                hint="Say how it is known that nothing left.",
                parameter="reason",
            )
        with self._books.writing() as session:
            rows = self._still_open(session, "made void")
            balance = self._books.balance(session, self.account)
            body = {
                "reason": text,
                "spent": str(balance.spent_without(*charge_of(rows[0]))),
                "budget": str(balance.budget),
            }
            self._append(session, balance, "void", body, who)

    def _append(
        self,
        session: Session,
        balance: Balance,
        kind: str,
        body: Mapping[str, object],
        who: str | None,
    ) -> None:
        self._books.append(
            session, balance, kind, body, account=self.account, reservation=self.id, who=who
        )

    def _still_open(self, session: Session, wanted: str) -> list[Row]:
        rows = session.rows_of(self.id)
        state = _state(rows)
        if state != "reserved":
            done = "made void" if state == "void" else state
            raise LedgerError(
                f"The reservation {self.id} was {done} before, so it cannot be {wanted}.",
                hint="Nothing may leave on it." if state == "void" else "Its budget stays spent.",
                reservation=self.id,
            )
        return rows


def _state(rows: list[Row]) -> State:
    if not rows or rows[0].kind != "reserve":
        raise LedgerDamagedError(
            "A reservation that was made is no longer in the ledger.",
            hint="Nothing may leave on it. Run `privet ledger verify`.",
            row=None,
        )
    if len(rows) == 1:
        return "reserved"
    return "committed" if rows[1].kind == "commit" else "void"


def _receipt_text(receipt: dict[str, Any]) -> str:
    try:
        return canonical(receipt)
    except (TypeError, ValueError, RecursionError):
        raise ParameterError(
            "The receipt does not consist of JSON values.",
            hint="Give Receipt.to_json().",
            parameter="receipt",
        ) from None


def receipt_of(session: Session, reservation: str) -> dict[str, Any] | None:
    """The receipt kept for a reservation. Errors: LedgerDamagedError if it is not the one."""
    for row in session.rows_of(reservation):
        if row.kind == "commit" and row.check().data["receipt"] is not None:
            content = session.receipt(reservation)
            if content is None or digest(content) != row.data["receipt"]:
                raise damaged(row.number, "has a receipt that was changed or removed")
            receipt: dict[str, Any] = json.loads(content)
            return receipt
    return None
