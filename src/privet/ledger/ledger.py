"""The ledger: accounts, what was spent on them, and whether its rows still hold together.

Contract. `Ledger.open` never makes a store by accident (`create=True` makes one), never changes
the schema of one by accident, and refuses a store whose schema is newer than it knows. An account
that exists is opened with the framework, the budget and the unit it was made with, or refused.
"""

import os
import re
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

from privet.errors import LedgerError, ParameterError
from privet.exact import read_epsilon
from privet.exact.number import Number
from privet.ledger.account import Account, read_unit
from privet.ledger.books import Books
from privet.ledger.chain import Row, canonical
from privet.ledger.entries import Entry, read_name
from privet.ledger.opening import open_store
from privet.ledger.reservation import Reservation
from privet.ledger.store import Store
from privet.ledger.verification import Verification, verify_rows
from privet.privacy import Framework, IndependentRecords
from privet.privacy.frameworks import framework_to_json

_HEAD = re.compile(r"\s*([0-9]+:)?[0-9a-fA-F]{64}\s*", re.ASCII)


class Ledger:
    """What was spent on which data set, kept where it outlives the process."""

    def __init__(self, store: Store) -> None:
        """Prefer `Ledger.open`."""
        self._store = store
        self._books = Books(store)

    @classmethod
    def open(cls, url: str | os.PathLike[str], *, create: bool = False) -> "Ledger":
        """The ledger at a place.

        `url`: the path of an SQLite file, "sqlite:///path", "postgresql+psycopg://user@host/name",
        or "memory:" for a new one that ends with this process; `create`: make it if it is not
        there, and bring one of an older version of Privet up to date. Errors:
        LedgerUnavailableError, LedgerError for what is no ledger or needs `create`,
        MissingExtraError.
        """
        return cls(open_store(url, create=create))

    def __repr__(self) -> str:
        return f"<Ledger at {self._store.place}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give back connections; the rows stay."""
        self._store.close()

    def accounts(self) -> list[str]:
        """The names of the accounts, in the order in which they were made."""
        with self._books.reading() as session:
            return session.accounts()

    def account(
        self,
        name: str,
        framework: Framework | None = None,
        budget: Number | None = None,
        *,
        unit: str | None = None,
        who: str | None = None,
    ) -> Account:
        """The account of a data set; made if it does not exist and framework and budget are given.

        `unit`: what one record is: "row" (unless given, under independent records), "step" (under
        a Markov framework; "symbol" is the same), "value" or "choice". Errors: LedgerError for an
        unknown account, or one that was made with another framework, budget or unit.
        """
        called = read_name(name, "The name of an account")
        limit = None if budget is None else read_epsilon(budget, "budget")
        kind = None if unit is None else read_unit(unit)
        with self._books.reading() as session:
            known = called in session.accounts()
        if not known and framework is not None and limit is not None:
            kind = kind_of_records(framework, kind)
            body = {
                "framework": framework_to_json(framework),
                "unit": kind,
                "budget": str(limit),
                "spent": "0",
            }
            with self._books.writing() as session:
                if called not in session.accounts():
                    self._books.append(session, None, "account", body, account=called, who=who)
        account = self._opened(called)
        _check_same(account, framework, kind)
        if limit is not None and limit != account.budget:
            raise _another(called, f"a budget of {account.budget}", "change it with set_budget")
        return account

    def _opened(self, name: str) -> Account:
        with self._books.reading() as session:
            balance = self._books.balance(session, name)
        return Account(self._books, name, balance.framework, balance.unit)

    def reservation(self, reservation: str) -> Reservation:
        """A reservation by its id. Errors: LedgerError if there is none."""
        with self._books.reading() as session:
            rows = session.rows_of(reservation)
        if not rows or rows[0].kind != "reserve":
            raise LedgerError(
                "The ledger has no reservation of that id.",
                hint="The ids stand in the history of the account.",
            )
        return Reservation(self._books, rows[0].check())

    def history(self, name: str) -> list[Entry]:
        """Every row of an account, in order. Errors: LedgerError for no account."""
        return self._opened(read_name(name, "The name of an account")).history()

    def verify(self, head: str | None = None, *, recompute: bool = True) -> Verification:
        """Check every row; stop at the first that does not fit.

        `head`: a head that was written down before, "count:hash" or the hash alone; it must still
        be in the ledger; `recompute`: also work out each account's epsilon with this version of
        Privet, and report where it is larger than the stated one. Errors: ParameterError for text
        that is no head, which says nothing about the ledger.
        """
        if head is not None and not _HEAD.fullmatch(head):
            raise ParameterError(
                "The head to look for is none: a head is a number, a colon and 64 hexadecimal "
                "digits, or the digits alone.",
                hint="Give the whole head that an earlier verify printed.",
                parameter="head",
            )
        with self._store.reading() as session:
            return verify_rows(session, head, recompute=recompute)

    def export(self) -> Iterator[dict[str, Any]]:
        """Each row as JSON values, in order; with them anybody can recompute every hash."""
        with self._store.reading() as session:
            for row in session.rows():
                yield _exported(row)


def _exported(row: Row) -> dict[str, Any]:
    fields: dict[str, Any] = {name: getattr(row, name) for name in Row.__dataclass_fields__}
    return {**fields, "body": row.data}


def kind_of_records(framework: Framework, kind: str | None) -> str:
    """What one record is. Errors: ParameterError for chains of anything but steps."""
    if isinstance(framework, IndependentRecords):
        return "row" if kind is None else kind
    if kind not in (None, "step"):
        raise ParameterError(
            f"The records of a series on a chain are its steps, not of the kind '{kind}'.",
            hint="Leave the kind of records out, or the chains.",
            parameter="unit",
        )
    return "step"


def _check_same(account: Account, framework: Framework | None, unit: str | None) -> None:
    if framework is not None and canonical(framework_to_json(framework)) != canonical(
        framework_to_json(account.framework)
    ):
        raise _another(account.name, repr(account.framework), "leave the framework out to open it")
    if unit is not None and unit != account.unit:
        raise _another(account.name, f"the unit '{account.unit}'", "leave the unit out to open it")


def _another(name: str, what: str, hint: str) -> LedgerError:
    return LedgerError(
        f"The account '{name}' exists with {what}.",
        hint=f"{hint[0].upper()}{hint[1:]}, or choose another name.",
        account=name,
    )
