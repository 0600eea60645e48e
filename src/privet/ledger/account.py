"""One data set in a ledger: what may be spent on it, what was, and the next reservation.

Contract. A reservation is refused, before anything is written, if the epsilon of all that is
reserved or committed together with it would be above the budget; otherwise it counts as spent
from the moment `reserve` returns, whatever becomes of the process. The check and the row are one
transaction, so no interleaving of processes or machines exceeds the budget.
"""

import os
from fractions import Fraction
from typing import Any

from privet.errors import BudgetExceededError, LedgerError, ParameterError, ParameterTypeError
from privet.exact import read_epsilon
from privet.exact.number import Number
from privet.ledger.books import Books
from privet.ledger.entries import Entry, State, entry_of, read_name, read_text
from privet.ledger.reservation import Reservation, receipt_of
from privet.privacy import Framework, IndependentRecords, RecordLoss
from privet.privacy.guarantee import decimal_up

UNITS = ("row", "step", "value", "choice")
"""What one record of a loss can be; "symbol" is another word for "step"."""

_ENDS: dict[str, State] = {"commit": "committed", "void": "void"}


class Account:
    """A data set with a budget. Made by `Ledger.account`.

    `name`; `framework`: what is assumed of its records; `unit`: what one record is ("row", "step",
    "value" or "choice"); `person`: who alone is charged, None for everybody.
    """

    def __init__(
        self,
        books: Books,
        name: str,
        framework: Framework,
        unit: str,
        person: str | None = None,
    ) -> None:
        self._books = books
        self.name = name
        self.framework = framework
        self.unit = unit
        self.person = _read_person(person)

    def __repr__(self) -> str:
        whose = "" if self.person is None else f", person '{self.person}'"
        return f"<Account '{self.name}'{whose} of {self.framework!r}>"

    def for_person(self, person: str) -> "Account":
        """The same account, for releases about one person's data alone.

        What is reserved through it is charged to that person, and `cost` asks about that person; a
        release through it is refused if its data may be of others too. `spent` and `remaining` are
        still those of the worst person. Errors: ParameterError for what is not a name.
        """
        if self.person is not None and read_name(person, "person") != self.person:
            raise _another_person()
        return Account(
            self._books, self.name, self.framework, self.unit, read_name(person, "person")
        )

    @property
    def budget(self) -> Fraction:
        """The epsilon that may be spent in all."""
        with self._books.standing(self.name) as balance:
            return balance.budget

    def spent(self) -> Fraction:
        """The epsilon of all that is reserved or committed, for the worst person.

        With many persons of different histories it may be an upper bound within the budget.
        """
        with self._books.standing(self.name) as balance:
            return balance.spent()

    def remaining(self) -> Fraction:
        """What is left of the budget; never negative."""
        with self._books.standing(self.name) as balance:
            return max(balance.budget - balance.spent(), Fraction(0))

    def record_loss(self, person: str | None = None) -> RecordLoss:
        """All that a person has lost; None: a person of whom alone nothing was released."""
        whose = self._whose(person)
        with self._books.standing(self.name) as balance:
            return balance.people.total(whose)

    def longest_history(self) -> int:
        """How many records anybody may have lost something of."""
        with self._books.standing(self.name) as balance:
            return balance.people.length

    def cost(self, loss: RecordLoss, *, person: str | None = None) -> Fraction:
        """The epsilon of the history together with one more release; nothing is reserved."""
        whose, what = self._whose(person), _read_loss(loss)
        with self._books.standing(self.name) as balance:
            return balance.spent_with(whose, what)

    def reserve(
        self,
        loss: RecordLoss,
        *,
        person: str | None = None,
        note: str = "",
        seeded: bool = False,
        who: str | None = None,
        unit: str | None = None,
    ) -> Reservation:
        """Reserve the loss of a release that is about to be drawn.

        `person`: whose records it is about, None for everybody's; `seeded`: its bits are not
        private; `who`: who is written down, otherwise the user and machine of this process; `unit`:
        what one record of the loss is, checked against the account's. Errors: BudgetExceededError
        (`epsilon` it would come to, `budget`, `spent` before, `cost` on top), LedgerError for
        records of another kind.
        """
        whose, what = self._whose(person), _read_loss(loss)
        text = read_text(note, "note")
        self._check_unit(unit)
        if not isinstance(self.framework, IndependentRecords):
            self.cost(what, person=whose)  # so that nobody waits while this is worked out
        with self._books.writing() as session:
            balance = self._books.balance(session, self.name)
            before, after = balance.spent(), balance.spent_with(whose, what)
            if after > balance.budget:
                raise _exceeded(self.name, before, after, balance.budget)
            row = self._books.append(
                session,
                balance,
                "reserve",
                {
                    "loss": what.to_json(),
                    "person": whose,
                    "note": text,
                    "seeded": bool(seeded),
                    "before": str(before),
                    "spent": str(after),
                    "budget": str(balance.budget),
                },
                account=self.name,
                reservation=os.urandom(8).hex(),
                who=who,
            )
        return Reservation(self._books, row)

    def set_budget(self, budget: Number, *, who: str | None = None) -> None:
        """Raise or lower the budget. Errors: LedgerError below what is spent."""
        new = read_epsilon(budget, "budget")
        with self._books.writing() as session:
            balance = self._books.balance(session, self.name)
            spent = balance.spent(new)
            if spent > new:
                raise LedgerError(
                    f"The budget of account '{self.name}' cannot be {decimal_up(new, 5)}: epsilon "
                    f"{decimal_up(spent, 5)} is spent.",
                    hint="What was released cannot be taken back.",
                    account=self.name,
                )
            body = {
                "was": str(balance.budget),
                "budget": str(new),
                "spent": str(spent),
            }
            self._books.append(session, balance, "budget", body, account=self.name, who=who)

    def history(self) -> list[Entry]:
        """Every row of the account, in order."""
        with self._books.reading() as session:
            rows = [row.check() for row in session.rows(0, self.name)]
        ends = {row.reservation: _ENDS[row.kind] for row in rows if row.kind in _ENDS}
        return [
            entry_of(row, ends.get(row.reservation, "reserved") if row.kind == "reserve" else None)
            for row in rows
        ]

    def receipt(self, reservation: str) -> dict[str, Any] | None:
        """The receipt that was kept for a reservation. Errors: LedgerDamagedError if it changed."""
        with self._books.reading() as session:
            return receipt_of(session, reservation)

    def _whose(self, person: str | None) -> str | None:
        """Who is meant: the person given, or that of `for_person`."""
        given = _read_person(person)
        if self.person is not None and given not in (None, self.person):
            raise _another_person()
        return self.person if given is None else given

    def _check_unit(self, unit: str | None) -> None:
        if unit is not None and read_unit(unit) != self.unit:
            raise LedgerError(
                f"The account '{self.name}' counts losses per {self.unit}, and this release loses "
                f"per {read_unit(unit)}: they do not add up.",
                hint="Give releases of another kind an account of their own.",
                account=self.name,
            )


def _shown(unit: object) -> str:
    return f"'{unit}'" if isinstance(unit, str) else f"A value of the type {type(unit).__name__}"


def read_unit(unit: object) -> str:
    """The kind of records that is meant. Errors: ParameterError."""
    if isinstance(unit, str) and ("step" if unit == "symbol" else unit) in UNITS:
        return "step" if unit == "symbol" else unit
    raise ParameterError(
        f"{_shown(unit)} is not what one record of an account can be.",
        hint=f"It is one of {', '.join(UNITS)}.",
        parameter="unit",
    )


def _read_person(person: str | None) -> str | None:
    return None if person is None else read_name(person, "person")


def _another_person() -> ParameterError:
    return ParameterError(
        "This account charges one person alone, and another one was named.",
        hint="Start from the account itself, as Ledger.account gives it.",
        parameter="person",
    )


def _read_loss(loss: RecordLoss) -> RecordLoss:
    if not isinstance(loss, RecordLoss):
        raise ParameterTypeError(
            f"A ledger charges a RecordLoss, not a {type(loss).__name__}.", parameter="loss"
        )
    return loss


def _exceeded(
    account: str, before: Fraction, after: Fraction, budget: Fraction
) -> BudgetExceededError:
    return BudgetExceededError(
        f"The release would bring account '{account}' from epsilon {decimal_up(before, 5)} to "
        f"{decimal_up(after, 5)}, above its budget of {decimal_up(budget, 5)}.",
        hint="Nothing was drawn or spent; ask for less, or raise the budget with set_budget.",
        account=account,
        epsilon=after,
        budget=budget,
        spent=before,
        cost=after - before,
    )
