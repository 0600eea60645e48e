"""A ledger of what was spent, which outlives the process.

Contract. A release reserves its loss, is drawn, and is committed before any byte of it leaves. What
is reserved counts as spent; a crash leaves it spent. Nothing is ever spent above a budget, by
however many processes and machines. Rows are linked by hashes, so `Ledger.verify` finds what was
changed, removed, added or moved. Amounts are exact. Databases are reached through SQLAlchemy, here
and nowhere else, and only when a ledger is opened.
"""

from privet.ledger.account import Account
from privet.ledger.chain import Head
from privet.ledger.entries import Entry
from privet.ledger.ledger import Ledger
from privet.ledger.reservation import Reservation
from privet.ledger.verification import Fault, Restated, Verification

__all__ = [
    "Account",
    "Entry",
    "Fault",
    "Head",
    "Ledger",
    "Reservation",
    "Restated",
    "Verification",
]
