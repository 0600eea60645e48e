"""What the rows of one account add up to.

Contract. A balance is the sum of the losses that are reserved or committed: those that every
person has, and those of one person each. It is a function of the rows alone. Its epsilon is that
of the worst person. With many different histories it is first bounded at once, by the largest
loss of any person at each position; only where that bound exceeds the budget is every history
asked. So a refusal is always exact, and the number that is shown may be that upper bound.
"""

import json
from dataclasses import dataclass, field
from fractions import Fraction

from privet.exact import exact_number
from privet.ledger.chain import Row, canonical, damaged
from privet.ledger.people import NOTHING, People
from privet.privacy import Framework, RecordLoss
from privet.privacy.frameworks import framework_from_json

MANY_HISTORIES = 32
"""From here on the different histories of persons are bounded at once before they are asked."""

_REMEMBERED = 4096

Charge = tuple[str | None, RecordLoss]
"""Whose loss (None: everybody's), and the loss."""


@dataclass
class Balance:
    """The running totals of an account, up to the row `number` whose hash is `hash`.

    `stated`: the epsilon that this row states; `rows`: how many of the account's rows went in;
    `open`: reservations that are neither committed nor void, with their charges as far as these
    were read; `checkpointed`: the place of the last checkpoint among the rows of the account.
    """

    framework: Framework
    unit: str
    budget: Fraction
    number: int
    hash: str
    stated: Fraction = Fraction(0)
    rows: int = 1
    people: People = field(default_factory=People)
    open: dict[str, Charge | None] = field(default_factory=dict)
    checkpointed: int = 0
    _known: dict[RecordLoss, Fraction] = field(default_factory=dict, repr=False)

    @classmethod
    def opened(cls, row: Row) -> "Balance":
        """The balance after the row that makes an account. Errors: LedgerDamagedError."""
        if row.kind != "account" or row.data.get("n") != 1:
            raise damaged(row.number, "is the first of its account, but does not make it")
        return cls(
            framework_from_json(row.data["framework"]),
            str(row.data["unit"]),
            exact_number(row.data["budget"], "budget"),
            row.number,
            row.hash,
        )

    def apply(self, row: Row, charge: Charge | None = None) -> None:
        """Take the next row of the account in.

        `charge`: what the reservation of a "void" row had charged, if this balance has not read
        it. Errors: LedgerDamagedError if rows before it are missing, or it cannot follow them.
        """
        if row.data.get("n") != self.rows + 1:
            raise damaged(row.number, f"does not follow row {self.number} of its account")
        match row.kind:
            case "reserve":
                self._reserve(row)
            case "commit" if row.reservation in self.open:
                del self.open[row.reservation]
            case "void" if row.reservation in self.open:
                self._void(row, charge)
            case "budget":
                self.budget = exact_number(row.data["budget"], "budget")
            case "checkpoint":
                self.checkpointed = self.rows + 1
            case _:
                raise damaged(row.number, "cannot follow the rows before it")
        self.number, self.hash, self.rows = row.number, row.hash, self.rows + 1
        self.stated = exact_number(row.data["spent"], "spent")

    def _reserve(self, row: Row) -> None:
        reservation = row.reservation
        if reservation is None or reservation in self.open:
            raise damaged(row.number, "reserves what is reserved already")
        person, loss = charge_of(row)
        self.people.add(person, loss)
        self.open[reservation] = (person, loss)

    def _void(self, row: Row, charge: Charge | None) -> None:
        known = self.open.pop(str(row.reservation)) or charge
        if known is None:
            raise damaged(row.number, "gives back what was never reserved")
        self.people.take_away(*known)

    def spent(self, budget: Fraction | None = None) -> Fraction:
        """The epsilon of the worst person, or an upper bound within `budget` (or the account's)."""
        return self._worst(self.people.everybody, (), budget)

    def spent_with(self, person: str | None, loss: RecordLoss) -> Fraction:
        """The same after one more release."""
        if person is None:
            return self._worst(RecordLoss.sum_of((self.people.everybody, loss)), ())
        own = RecordLoss.sum_of((self.people.own(person), loss))
        return self._worst(self.people.everybody, (own,))

    def spent_without(self, person: str | None, loss: RecordLoss) -> Fraction:
        """The same after a release that is in here is taken out."""
        self.people.take_away(person, loss)
        try:
            return self.spent()
        finally:
            self.people.add(person, loss)

    def _worst(
        self,
        everybody: RecordLoss,
        more: tuple[RecordLoss, ...],
        budget: Fraction | None = None,
    ) -> Fraction:
        """`more`: histories beside those of the people; what grew is still among those, smaller."""
        different = self.people.different
        if len(different) + len(more) > MANY_HISTORIES:
            largest = RecordLoss.largest_of((self.people.largest, *more))
            bound = self._epsilon(RecordLoss.sum_of((everybody, largest)))
            if bound <= (self.budget if budget is None else budget):
                return bound
        own = (*different, *more) or (NOTHING,)
        return max(self._epsilon(RecordLoss.sum_of((everybody, each))) for each in own)

    def _epsilon(self, loss: RecordLoss) -> Fraction:
        known = self._known.get(loss)
        if known is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            known = self._known[loss] = self.framework.epsilon(loss)
        return known

    @property
    def size(self) -> int:
        """About how much there is to write down: pieces of losses, and open reservations."""
        return self.people.size + len(self.open)

    def to_text(self) -> str:
        """The totals as canonical JSON; framework and unit stand in the account's first row."""
        return canonical(
            {
                "rows": self.rows,
                "budget": str(self.budget),
                "people": self.people.to_json(),
                "open": sorted(self.open),
            }
        )

    @classmethod
    def restored(cls, first: Row, row: Row, content: str) -> "Balance":
        """The balance after the "checkpoint" row, from what `to_text` gave before that row."""
        balance, data = cls.opened(first), json.loads(content)
        balance.rows = int(data["rows"]) + 1
        balance.budget = exact_number(data["budget"], "budget")
        balance.people = People.from_json(data["people"])
        balance.open = dict.fromkeys(data["open"])
        balance.stated = exact_number(row.data["spent"], "spent")
        balance.number, balance.hash, balance.checkpointed = row.number, row.hash, balance.rows
        return balance


def charge_of(row: Row) -> Charge:
    """What a "reserve" row charges. Errors: LedgerDamagedError."""
    try:
        return row.data["person"], RecordLoss.from_json(row.data["loss"])
    except (AttributeError, KeyError, TypeError, ValueError):
        raise damaged(row.number, "does not say what it charges") from None
