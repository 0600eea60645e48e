"""Whether the rows of a ledger still are what was written.

Contract. Checked are the numbers, the links and hashes of all rows, what each may follow, that no
stated epsilon was above the budget of its moment, the kept receipts and running totals against the
hashes in their rows, and the head. None of this works an epsilon out again: another version of
Privet may find a smaller or larger bound for the same losses, and a ledger stays valid through an
upgrade. What this version would say is reported beside it, and only where it is above what was
stated by more than rounding. Verification stops at the first fault: rows after it prove nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from privet.errors import LedgerDamagedError, PrivetError
from privet.exact import exact_number
from privet.ledger.balance import Balance
from privet.ledger.chain import BEFORE_ALL, Head, Row, damaged, digest
from privet.ledger.store import Session
from privet.privacy import RecordLoss

ROUNDING = Fraction(1, 10**9)
"""By how much, relatively, an epsilon may exceed the stated one before it is reported."""


@dataclass(frozen=True)
class Fault:
    """The first thing that does not fit: the number of its row (None: the whole), and what."""

    row: int | None
    what: str


@dataclass(frozen=True)
class Restated:
    """An account for which this version of Privet finds a larger epsilon than was stated."""

    account: str
    stated: Fraction
    now: Fraction


@dataclass(frozen=True)
class Verification:
    """What was found. `rows`: how many were checked and fit; `head`: where the ledger ends.

    `fault`: None if all is well; `restated`: accounts whose epsilon this version puts higher.
    """

    rows: int
    head: Head
    fault: Fault | None = None
    restated: tuple[Restated, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every row is what was written."""
        return self.fault is None


@dataclass
class _Reading:
    """What was learnt from the rows so far."""

    count: int = 0
    hash: str = BEFORE_ALL
    balances: dict[str, Balance] = field(default_factory=dict)
    reservations: set[str] = field(default_factory=set)
    closed: dict[tuple[str, int], str] = field(default_factory=dict)
    wanted_found: bool = False


def verify_rows(session: Session, head: str | None, *, recompute: bool) -> Verification:
    """Check all rows of a ledger; see `Ledger.verify`."""
    reading, fault = _Reading(), None
    end = Head()
    try:
        end = session.head()
        wanted = _read_head(head)
        for row in session.rows():
            _check_link(reading, row)
            _check_meaning(session, reading, row)
            reading.wanted_found |= wanted == row.hash
            reading.count, reading.hash = row.number, row.hash
        _check_end(reading, end, wanted)
        _check_totals(session, reading)
    except LedgerDamagedError as error:
        number = error.payload.get("row")
        fault = Fault(number if isinstance(number, int) else None, error.message)
    restated = tuple(_restated(reading)) if recompute and fault is None else ()
    return Verification(reading.count, end, fault, restated)


def _read_head(head: str | None) -> str | None:
    return None if head is None else head.rpartition(":")[2].strip().lower()


def _check_link(reading: _Reading, row: Row) -> None:
    if row.number != reading.count + 1:
        raise damaged(reading.count + 1, "is missing")
    if row.previous != reading.hash:
        raise damaged(row.number, "does not link to the row before it")
    row.check()


def _check_meaning(session: Session, reading: _Reading, row: Row) -> None:
    """Errors: LedgerDamagedError if a row that hashes well says what cannot be."""
    try:
        balance = reading.balances.get(row.account)
        if balance is None:
            balance = reading.balances[row.account] = Balance.opened(row)
        else:
            _check_new(reading, row)
            before = balance.to_text() if row.kind == "checkpoint" else ""
            balance.apply(row)
            _check_kept(session, reading, row, before)
        stated = exact_number(row.data["spent"], "spent")
        if balance.budget != exact_number(row.data["budget"], "budget"):
            raise damaged(row.number, "states another budget than the rows before it")
        if row.kind in ("reserve", "budget") and not 0 <= stated <= balance.budget:
            raise damaged(row.number, "spends more than the budget")
    except LedgerDamagedError:
        raise
    except (PrivetError, KeyError, TypeError, ValueError, AttributeError):
        raise damaged(row.number, "does not hold what a row of its kind holds") from None


def _check_new(reading: _Reading, row: Row) -> None:
    if row.kind == "reserve":
        if row.reservation in reading.reservations:
            raise damaged(row.number, "reserves under an id that was used before")
        reading.reservations.add(str(row.reservation))


def _check_kept(session: Session, reading: _Reading, row: Row, totals: str) -> None:
    """What is kept outside the rows has the hash that the rows say."""
    if row.kind == "commit" and row.data["receipt"] is not None:
        content = session.receipt(str(row.reservation))
        if content is None or digest(content) != row.data["receipt"]:
            raise damaged(row.number, "has a receipt that was changed or removed")
    if row.kind == "checkpoint":
        if row.data["digest"] != digest(totals):
            raise damaged(row.number, "closes other totals than the rows before it add up to")
        reading.closed[row.account, row.number] = row.data["digest"]


def _check_totals(session: Session, reading: _Reading) -> None:
    """The totals that are kept are those of a checkpoint of the same account."""
    for account in reading.balances:
        saved = session.checkpoint(account)
        if saved is not None and reading.closed.get((account, saved.number)) != digest(
            saved.content
        ):
            raise damaged(saved.number, "is not the checkpoint of the totals that are kept for it")


def _check_end(reading: _Reading, end: Head, wanted: str | None) -> None:
    if end.count > reading.count:
        raise damaged(reading.count + 1, "is missing: the ledger was cut off there")
    if (end.count, end.hash) != (reading.count, reading.hash):
        raise damaged(end.count + 1, "is there, though the head says that the ledger ends before")
    if wanted is not None and wanted != BEFORE_ALL and not reading.wanted_found:
        raise damaged(
            None, "does not hold the head that was written down: it was cut off or redone"
        )


def _restated(reading: _Reading) -> Iterator[Restated]:
    for name, balance in reading.balances.items():
        # One history at a time: the bound over all of them may be above the stated number.
        people = balance.people
        histories = [RecordLoss.sum_of((people.everybody, own)) for own in people.different]
        now = max(map(balance.framework.epsilon, [people.everybody, *histories]))
        if now > balance.stated * (1 + ROUNDING):
            yield Restated(name, balance.stated, now)
