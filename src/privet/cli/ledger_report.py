"""What `privet ledger` prints: an account, all accounts, a history.

Contract. Everything here is public: it follows from the rows of the ledger. What is spent is
rounded up and what is left is rounded down; with --json both also stand there exactly.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privet.ledger import Account, Entry, Verification


def print_account(account: "Account", as_json: bool) -> None:
    """What is left of an account, and what it protects."""
    from privet.cli.output import print_json, print_text
    from privet.ledger.wording import protected

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
    from privet.ledger.wording import protected
    from privet.privacy.frameworks import framework_to_json

    limit, spent = account.budget, account.spent()
    left = max(limit - spent, Fraction(0))
    return {
        "account": account.name,
        "records": account.unit,
        "protected": protected(account),
        "budget": float_down(limit),
        "spent": float_up(spent),
        "remaining": float_down(left),
        "exact": {"budget": str(limit), "spent": str(spent), "remaining": str(left)},
        "framework": framework_to_json(account.framework),
    }


def _state_of(account: "Account") -> str:
    from privet.ledger.wording import down_text, left_text
    from privet.privacy.guarantee import decimal_up

    limit, spent = account.budget, account.spent()
    return (
        f"Account '{account.name}': {decimal_up(spent, 5)} spent of a budget of "
        f"{down_text(limit)}, {left_text(limit - spent)} left."
    )


def print_accounts(accounts: Sequence["Account"], as_json: bool) -> None:
    """All accounts, one a line."""
    from privet.cli.output import print_json, print_table, print_text
    from privet.ledger.wording import down_text, left_text
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
    from privet.ledger.wording import down_text, what_happened
    from privet.privacy.guarantee import decimal_up

    rows = [
        [
            entry.time[:19].replace("T", " "),
            entry.reservation or "-",
            what_happened(entry),
            decimal_up(entry.spent, 5),
            down_text(entry.budget),
        ]
        for entry in history
        if entry.kind not in ("commit", "checkpoint")
    ]
    print_blank()
    print_table("", ["time (UTC)", "entry", "what", "spent", "budget"], rows, text_columns=3)


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
