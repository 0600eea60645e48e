"""Rows that hold each other: each carries the hash of the one before it.

Contract. The hash of a row is the SHA-256 of the canonical JSON of all its other fields, the
previous hash among them, so a row that is changed, removed, added or moved breaks a link that
anybody can recompute. What stands at the end can be cut off without breaking a link: the head
(how many rows, and the hash of the last) says so, and a head that was written down elsewhere says
so even of somebody who may write to the whole store. Order is by number alone; the time of a row
is a remark, for the clocks of two machines may differ.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from privet.errors import LedgerDamagedError

BEFORE_ALL = "0" * 64
"""The hash before the first row."""


def canonical(value: Any) -> str:
    """The one JSON text of a value: keys sorted, no blanks, ASCII, nothing that is not a number."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(text: str) -> str:
    """SHA-256 of a text, as hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Head:
    """Where a ledger ends: the number of its rows and the hash of the last one."""

    count: int = 0
    hash: str = BEFORE_ALL


@dataclass(frozen=True)
class Draft:
    """What a row is to say; the store's head gives it its number and its link."""

    account: str
    kind: str
    reservation: str | None
    time: str
    who: str
    body: dict[str, Any]


@dataclass(frozen=True)
class Row:
    """A row as it is stored. `body`: canonical JSON, which depends on the kind."""

    number: int
    account: str
    kind: str
    reservation: str | None
    time: str
    who: str
    body: str
    previous: str
    hash: str

    def computed_hash(self) -> str:
        """What `hash` must be."""
        return digest(
            canonical(
                {
                    "number": self.number,
                    "account": self.account,
                    "kind": self.kind,
                    "reservation": self.reservation,
                    "time": self.time,
                    "who": self.who,
                    "body": self.body,
                    "previous": self.previous,
                }
            )
        )

    @cached_property
    def data(self) -> dict[str, Any]:
        """The body. Errors: LedgerDamagedError if it is not a JSON object."""
        try:
            data = json.loads(self.body)
        except (ValueError, RecursionError, TypeError):
            data = None
        if not isinstance(data, dict):
            raise damaged(self.number, "does not hold what a row holds")
        return data

    def check(self) -> "Row":
        """The row itself. Errors: LedgerDamagedError if its hash is not its own."""
        if self.computed_hash() != self.hash:
            raise damaged(self.number, "was changed: its hash is not that of its content")
        return self


def linked(head: Head, draft: Draft) -> Row:
    """The row that follows `head`."""
    unsealed = Row(
        head.count + 1,
        draft.account,
        draft.kind,
        draft.reservation,
        draft.time,
        draft.who,
        canonical(draft.body),
        head.hash,
        "",
    )
    return Row(**{**_fields(unsealed), "hash": unsealed.computed_hash()})


def _fields(row: Row) -> dict[str, Any]:
    return {name: getattr(row, name) for name in Row.__dataclass_fields__}


def damaged(row: int | None, what: str) -> LedgerDamagedError:
    """The error for a row that does not fit; `row` None is the ledger as a whole."""
    return LedgerDamagedError(
        f"Row {row} of the ledger {what}." if row is not None else f"The ledger {what}.",
        hint="Nothing was spent. Run `privet ledger verify`, and restore the ledger from a copy.",
        row=row,
    )
