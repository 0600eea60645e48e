"""What an account protects, and what its rows say, in words; amounts to read.

Contract. What is spent is rounded up, by `privet.privacy.guarantee.decimal_up`; what is left is
rounded down, here.
"""

from decimal import ROUND_DOWN, Context, Decimal
from fractions import Fraction

from privet.ledger.account import Account
from privet.ledger.entries import Entry
from privet.privacy import IndependentRecords

_LITTLE = Fraction(1, 100_000)
"""Less than this is told as such: its digits are those of a rounding."""


def protected(account: Account) -> str:
    """What the epsilon of an account is about, in words."""
    framework, what = account.framework, account.unit
    if not isinstance(framework, IndependentRecords):
        return f"any one step of a series, if {'; '.join(framework.assumptions())}"
    several = {"row": "rows", "step": "symbols of a sequence", "value": "values"}
    plural = several.get(what, "choices")
    one = {"step": "symbol of a sequence"}.get(what, what)
    if framework.unit == "all":
        return f"all {plural} at once"
    number = f"any one {one}" if framework.unit == 1 else f"any {framework.unit} {plural}"
    return f"{number}, if the {plural} are independent of one another"


def what_happened(entry: Entry) -> str:
    """A row of the history in words; a commit is told with its reservation."""
    if entry.kind == "account":
        return "the account was made"
    if entry.kind == "budget":
        return f"the budget was changed by {entry.who}"
    if entry.kind == "void":
        return f"made void by {entry.who}: {entry.reason}"
    about = entry.note or "a release"
    person = "" if entry.person is None else f", person '{entry.person}'"
    state = "" if entry.state == "committed" else f", {entry.state}"
    seeded = ", seeded, not private" if entry.seeded else ""
    return f"{about}{person} ({entry.who}{state}{seeded})"


def left_text(number: Fraction) -> str:
    """What is left, or too much, to read."""
    return "less than 0.00001" if 0 < number < _LITTLE else down_text(number)


def down_text(number: Fraction) -> str:
    """Five digits, rounded down; 0 for what is negative."""
    left = max(number, Fraction(0))
    digits = Context(prec=5, rounding=ROUND_DOWN)
    return f"{digits.divide(Decimal(left.numerator), Decimal(left.denominator)).normalize():f}"
