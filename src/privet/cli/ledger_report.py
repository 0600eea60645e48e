"""What `privet ledger` prints: an account, all accounts, a history.

Contract. Everything here is public: it follows from the rows of the ledger. What is spent is
rounded up and what is left is rounded down; with --json both also stand there exactly.
"""

from collections.abc import Sequence
from decimal import ROUND_DOWN, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privet.ledger import Account, Entry, Verification


def print_account(account: "Account", as_json: bool) -> None:
    """What is left of an account, and what it protects."""
    from privet.cli.output import print_json, print_text

    if as_json:
        print_json(account_json(account))
    else:
        print_text(_state_of(account))
        print_text(f"Protected: {protected(account)}.")


def print_place(url: str, first: bool) -> None:
    """Where an account was made: a slip in the name of a file makes a second ledger."""
    from privet.cli.output import print_text

    place = "the database that was named" if "://" in url else url  # A URL may hold a password.
    print_text(f"Ledger: {place}{' (this is its first account)' if first else ''}")


def account_json(account: "Account") -> dict[str, Any]:
    """Decimals rounded against the spender, and the same numbers exactly as text."""
    from privet.exact import float_down, float_up
    from privet.privacy.frameworks import framework_to_json

    limit, spent = account.budget, account.spent()
    left = max(limit - spent, Fraction(0))
    return {
        "account": account.name,
        "unit": account.unit,
        "protected": protected(account),
        "budget": float_down(limit),
        "spent": float_up(spent),
        "remaining": float_down(left),
        "exact": {"budget": str(limit), "spent": str(spent), "remaining": str(left)},
        "framework": framework_to_json(account.framework),
    }


def protected(account: "Account") -> str:
    """What the epsilon of an account is about, in words."""
    from privet.privacy import IndependentRecords

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


def _state_of(account: "Account") -> str:
    from privet.privacy.guarantee import decimal_up

    limit, spent = account.budget, account.spent()
    return (
        f"Account '{account.name}': {decimal_up(spent, 5)} spent of a budget of "
        f"{down_text(limit)}, {left_text(limit - spent)} left."
    )


_LITTLE = Fraction(1, 100_000)
"""Less than this is told as such: its digits are those of a rounding."""


def left_text(number: Fraction) -> str:
    """What is left, or too much, to read."""
    return "less than 0.00001" if 0 < number < _LITTLE else down_text(number)


def down_text(number: Fraction) -> str:
    """Five digits, rounded down; 0 for what is negative."""
    left = max(number, Fraction(0))
    digits = Context(prec=5, rounding=ROUND_DOWN)
    return f"{digits.divide(Decimal(left.numerator), Decimal(left.denominator)).normalize():f}"


def print_accounts(accounts: Sequence["Account"], as_json: bool) -> None:
    """All accounts, one a line."""
    from privet.cli.output import print_json, print_table, print_text
    from privet.privacy.guarantee import decimal_up

    if as_json:
        print_json({"accounts": [account_json(account) for account in accounts]})
        return
    if not accounts:
        print_text("The ledger has no account yet: privet ledger init makes one.")
        return
    rows = []
    for account in accounts:
        limit, spent = account.budget, account.spent()
        numbers = down_text(limit), decimal_up(spent, 5), left_text(limit - spent)
        rows.append([account.name, account.unit, *numbers])
    print_table("", ["account", "records", "budget", "spent", "left"], rows, text_columns=2)


def print_history(history: Sequence["Entry"]) -> None:
    """The rows of an account, but for those that only end a reservation."""
    from privet.cli.output import print_blank, print_table
    from privet.privacy.guarantee import decimal_up

    rows = [
        [
            entry.time[:19].replace("T", " "),
            entry.reservation or "-",
            _what(entry),
            decimal_up(entry.spent, 5),
            down_text(entry.budget),
        ]
        for entry in history
        if entry.kind not in ("commit", "checkpoint")
    ]
    print_blank()
    print_table("", ["time (UTC)", "entry", "what", "spent", "budget"], rows, text_columns=3)


def _what(entry: "Entry") -> str:
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


def entry_json(entry: "Entry") -> dict[str, Any]:
    """A row of the history; spent and budget are those from this row on."""
    from privet.exact import float_up

    return {
        "number": entry.number,
        "kind": entry.kind,
        "time": entry.time,
        "who": entry.who,
        "entry": entry.reservation,
        "state": entry.state,
        "person": entry.person,
        "note": entry.note,
        "seeded": entry.seeded,
        "reason": entry.reason,
        "spent": float_up(entry.spent),
        "budget": float_up(entry.budget),
        "exact": {"spent": str(entry.spent), "budget": str(entry.budget)},
        "record_loss": None if entry.loss is None else entry.loss.to_json(),
    }


def print_verification(found: "Verification", as_json: bool) -> None:
    """What verifying a ledger found, with the head to be written down."""
    from privet.cli.output import count, print_json, print_text
    from privet.exact import float_up
    from privet.privacy.guarantee import decimal_up

    head = f"{found.head.count}:{found.head.hash}"
    if as_json:
        fault = None if found.fault is None else {"row": found.fault.row, "what": found.fault.what}
        restated = [
            {
                "account": each.account,
                "stated": float_up(each.stated),
                "now": float_up(each.now),
                "exact": {"stated": str(each.stated), "now": str(each.now)},
            }
            for each in found.restated
        ]
        content = {"ok": found.ok, "rows": found.rows, "head": head, "fault": fault}
        print_json({**content, "restated": restated})
        return
    rows = "1 row" if found.rows == 1 else f"{count(found.rows)} rows"
    if found.fault is not None:
        print_text(f"{rows} fit together. Then: {found.fault.what}", style="bold red")
        return
    print_text(f"{rows} fit together, from the first to the last.")
    print_text(f"Head: {head}")
    for each in found.restated:
        print_text(
            f"This version of Privet puts account '{each.account}' at epsilon "
            f"{decimal_up(each.now, 5)}, above the {decimal_up(each.stated, 5)} that is stated."
        )
