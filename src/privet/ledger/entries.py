"""What the rows of a ledger say, for a reader.

Contract. Six kinds of rows: "account" (a data set with its framework, unit and budget), "budget"
(its budget changed), "reserve" (a release is about to be drawn; spent from here on), "commit" (it
may leave; its receipt is kept), "void" (it was never drawn; given back), "checkpoint" (the hash of
the running totals). Amounts are exact, as text in the row and as fractions here.
"""

import getpass
import socket
import unicodedata
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Literal

from privet.errors import ParameterError, ParameterTypeError
from privet.exact import exact_number
from privet.ledger.chain import Row
from privet.privacy import RecordLoss

State = Literal["reserved", "committed", "void"]

MOST_SIGNS = 200
"""The most signs of a name."""

MOST_WORDS = 4_000
"""The most signs of a note or a reason."""


@dataclass(frozen=True)
class Entry:
    """A row of an account's history.

    `number`: its place in the ledger; `time`, `who`: remarks of the machine that wrote it; `spent`:
    the account's epsilon from this row on; `budget`: its budget from this row on. Of a reservation:
    `reservation` (its id), `person`, `loss`, `note`, `seeded` (drawn from bits that are not
    private) and `state`, what became of it; `reason`: why it was made void.
    """

    number: int
    account: str
    kind: str
    time: str
    who: str
    spent: Fraction
    budget: Fraction
    reservation: str | None = None
    person: str | None = None
    loss: RecordLoss | None = None
    note: str = ""
    seeded: bool = False
    state: State | None = None
    reason: str = ""
    detail: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)


def entry_of(row: Row, state: State | None = None) -> Entry:
    """The row, read. `state`: of a "reserve" row."""
    data = row.data
    loss = data.get("loss")
    return Entry(
        row.number,
        row.account,
        row.kind,
        row.time,
        row.who,
        exact_number(data["spent"], "spent"),
        exact_number(data["budget"], "budget"),
        row.reservation,
        data.get("person"),
        None if loss is None else RecordLoss.from_json(loss),
        str(data.get("note", "")),
        bool(data.get("seeded", False)),
        state,
        str(data.get("reason", "")),
        data,
    )


def now() -> str:
    """The time of this machine, in UTC, to the millisecond; a remark, nothing is ordered by it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def somebody(who: str | None) -> str:
    """Who writes a row: as given, or the user and the machine of this process."""
    if who is not None:
        return read_name(who, "who")
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = "unknown"
    name = f"{user}@{socket.gethostname()}"  # of bytes, perhaps, that are no text
    return name.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "")[:MOST_SIGNS]


def read_name(name: object, what: str) -> str:
    """The name of an account, a person or a writer: one line of text, as Unicode composes it.

    The same letters are one name, however they were typed, or what a person lost would be split.
    """
    text = unicodedata.normalize("NFC", read_text(name, what, MOST_SIGNS))
    if not text.strip() or not text.isprintable():
        raise ParameterError(
            f"{what} is empty or holds signs that cannot be printed.",
            hint="Give one line of text.",
            parameter=what,
        )
    if text != text.strip() or len(text) > MOST_SIGNS:
        raise ParameterError(
            f"{what} begins or ends with a blank, or is longer than {MOST_SIGNS} signs.",
            hint="Give the name alone.",
            parameter=what,
        )
    return text


def read_text(text: object, what: str, most: int = MOST_WORDS) -> str:
    """A note or a reason. Errors: ParameterTypeError for no text, ParameterError if too long."""
    if not isinstance(text, str):
        raise ParameterTypeError(
            f"{what} is a {type(text).__name__}, not text.", hint="Give text.", parameter=what
        )
    if len(text) > most or "\0" in text:
        raise ParameterError(
            f"{what} is longer than {most} signs, or holds a NUL sign.",
            hint="Give a shorter text.",
            parameter=what,
        )
    return text
