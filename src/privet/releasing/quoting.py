"""What a release would cost an account on top of its history: asked before it is made.

Contract. The account is read and nothing is written, so a quote holds until somebody else releases.
It can be far less than the epsilon of the release: what the history lost elsewhere counts little.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privet.errors import ParameterError
from privet.exact import float_up
from privet.mechanisms.base import HammingMechanism
from privet.privacy import IndependentRecords, RecordLoss
from privet.privacy.guarantee import decimal_up
from privet.releasing.charging import NO_RECORD_LOSS, SEVERAL, Charge

if TYPE_CHECKING:
    from privet.ledger import Account


@dataclass(frozen=True)
class Quote:
    """What a release would cost an account on top of its history, before it is made.

    `account`: its name; `budget`, and how much of it is `spent` now; `after`: what would be spent
    then, None where that is unknown; `why_not`: empty where the budget allows it.
    """

    account: str
    budget: Fraction
    spent: Fraction
    after: Fraction | None = None
    why_not: str = NO_RECORD_LOSS

    @property
    def allowed(self) -> bool:
        """Whether the account would take it."""
        return not self.why_not

    @property
    def cost(self) -> Fraction | None:
        """What it adds to the epsilon that is spent; often less than its own."""
        return None if self.after is None else self.after - self.spent

    def to_json(self) -> dict[str, Any]:
        """Decimals rounded up, and the same numbers exactly as text."""
        numbers = {
            "budget": self.budget,
            "spent_before": self.spent,
            "cost": self.cost,
            "spent_after": self.after,
        }
        known = {name: number for name, number in numbers.items() if number is not None}
        return {
            "account": self.account,
            **dict.fromkeys(numbers),
            **{name: float_up(number) for name, number in known.items()},
            "allowed": self.allowed,
            "why_not": self.why_not,
            "exact": {name: str(number) for name, number in known.items()},
        }


class Quotes:
    """Asks an account what releases would cost; its history is read, nothing is written."""

    def __init__(self, account: "Account") -> None:
        self.account = account
        self.unknown = Quote(account.name, account.budget, account.spent())

    def of(self, loss: RecordLoss) -> Quote:
        """What a release with that record loss would cost now."""
        now = self.unknown
        after, why_not = max(self.account.cost(loss), now.spent), ""
        if after > now.budget:
            why_not = (
                f"it would bring account '{now.account}' to {decimal_up(after, 4)}, above its "
                f"budget of {decimal_up(now.budget, 4)}"
            )
        return replace(now, after=after, why_not=why_not)


def planned_charge(
    mechanism: HammingMechanism, length: int, adjacency: int, account: "Account", rows: int | None
) -> Charge:
    """What `mechanism` would charge: to words of `length`, or to a column in an account of rows.

    `rows`: of that table; needed where the account protects all of them at once. Errors:
    ParameterError.
    """
    known = account.unit
    if length > 1 or known not in ("row", "value"):
        loss = mechanism.record_loss(length)
        return Charge.of_words(mechanism, loss, adjacency)
    return rows_charge(mechanism.record_loss(1).maximum, account, rows, records=known)


def rows_charge(
    loss: Fraction,
    account: "Account",
    rows: int | None,
    *,
    records: str = "row",
    covered: int = 1,
) -> Charge:
    """What a release of a table charges that tells at most `loss` of each row.

    `rows`: of the table; needed where the account protects all of them at once; `records`: "value"
    for values that are no rows of a table; `covered`: how many rows the guarantee covers. Errors:
    ParameterError.
    """
    framework = account.framework
    unit = framework.unit if isinstance(framework, IndependentRecords) else 1
    if unit == "all" and rows is None and records == account.unit:
        raise ParameterError(
            f"Account '{account.name}' protects all {SEVERAL[records]} at once, so a column costs "
            "as often as there are.",
            hint="Say how many, with rows.",
            parameter="rows",
        )
    # Without rows: as many as can matter.
    size = rows or max(unit if isinstance(unit, int) else 1, account.longest_history())
    return Charge(RecordLoss.constant(size, loss), records, covered)
