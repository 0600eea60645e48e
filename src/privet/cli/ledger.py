"""`privet ledger`: what was spent on which data, kept in a store that outlives the process.

Contract. These commands release nothing. Only `init`, `budget` and `void` write to the ledger.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.cli.ledger_options import LedgerUrl, opened, required
from privet.cli.ledger_report import (
    account_json,
    entry_json,
    print_account,
    print_accounts,
    print_history,
    print_place,
    print_verification,
)
from privet.cli.output import AsJson
from privet.cli.query_options import Box, Chains, Initial

if TYPE_CHECKING:
    from privet.ledger import Ledger
    from privet.privacy import Framework

INIT_EXAMPLE = "privet ledger init --ledger spend.db --account survey --budget 3"
BUDGET_EXAMPLE = "privet ledger budget --ledger spend.db --account survey --budget 4"
SHOW_EXAMPLE = "privet ledger show --ledger spend.db --account survey --plot spend.svg"
VERIFY_EXAMPLE = "privet ledger verify --ledger spend.db"
EXPORT_EXAMPLE = "privet ledger export --ledger spend.db -o spend.jsonl"
VOID_EXAMPLE = (
    "privet ledger void 0123456789abcdef --ledger spend.db --reason 'the machine lost power first'"
)

Name = Annotated[str, typer.Option("--account", metavar="NAME", help="The account: a data set.")]
Budget = Annotated[
    str,
    typer.Option("--budget", metavar="E", help="The epsilon that all its releases may cost."),
]


def init(
    account: Name,
    budget: Budget,
    ledger: LedgerUrl = None,
    unit: Annotated[
        str | None,
        typer.Option(
            metavar="N",
            help="How many records are protected at once: 1, the rows of a person, the symbols "
            "of a word, or all.",
        ),
    ] = None,
    records: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="What one record is: row (of a table), step (a symbol of a word), value or "
            "choice; row without chains.",
        ),
    ] = None,
    chain: Chains = None,
    box: Box = None,
    initial: Initial = None,
    as_json: AsJson = False,
) -> None:
    """Make an account for a data set, and the ledger if there is none yet.

    The account has a budget and says what it protects. Without chains the records are independent
    of each other and --unit of them are protected at once; for sequences add --records step. With
    --chain or --box the records are the steps of series that follow one of the chains, and any one
    step is protected, what the others tell of it included. Neither can be changed later, only the
    budget. In Python: privet.Ledger.open and Ledger.account.
    """
    from privet.exact import read_epsilon
    from privet.ledger.ledger import kind_of_records

    framework, limit = _framework(unit, chain, box, initial), read_epsilon(budget, "budget")
    kind = kind_of_records(framework, None if records is None else _kind(records))
    with opened(ledger, create=True) as book:
        _refuse_known(book, account)
        first = not book.accounts()
        made = book.account(account, framework, limit, unit=kind)
        print_account(made, as_json)
    if not as_json:
        print_place(required(ledger), first)


def _kind(records: str) -> str:
    from privet.errors import ParameterError
    from privet.ledger.account import read_unit

    try:
        return read_unit(records)
    except ParameterError as error:  # Its parameter is called --records here, not --unit.
        raise ParameterError(
            error.message, hint=f"{error.hint} The option is --records.", parameter="records"
        ) from None


def _framework(
    unit: str | None, chain: Sequence[Path] | None, box: Path | None, initial: str | None
) -> "Framework":
    """What the account assumes. Errors: ParameterError."""
    from privet.cli.query_options import read_framework
    from privet.errors import ParameterError
    from privet.privacy import IndependentRecords

    if chain or box is not None:
        if chain and box is not None:
            raise ParameterError(
                "--chain and --box are two answers to one question.",
                hint="Give one or several public chains, or one box of them.",
            )
        if unit is not None:
            raise ParameterError(
                "--unit is for independent records; with chains any one step is protected.",
                hint="Leave --unit out, or --chain and --box.",
            )
        return read_framework(chain, box, initial)
    if initial is not None:
        raise ParameterError("--initial is about chains.", hint="Add --chain, or leave it out.")
    if unit in (None, "all"):
        return IndependentRecords(1 if unit is None else "all")
    try:
        return IndependentRecords(int(unit or ""))
    except ValueError:
        raise ParameterError(
            "--unit is neither a whole number from 1 on nor all.",
            hint="For example --unit 4 where a person has up to 4 rows.",
        ) from None


def _refuse_known(book: "Ledger", account: str) -> None:
    from privet.errors import LedgerError

    if account in book.accounts():
        raise LedgerError(
            f"The ledger has an account '{account}'.",
            hint="Choose another name, or change its budget with privet ledger budget.",
        )


def budget(
    account: Name, budget: Budget, ledger: LedgerUrl = None, as_json: AsJson = False
) -> None:
    """Raise or lower the budget of an account; the change is a row of its own in the ledger.

    It cannot be lower than what is spent. In Python: Account.set_budget.
    """
    with opened(ledger) as book:
        changed = book.account(account)
        changed.set_budget(budget)
        print_account(changed, as_json)


def show(
    ledger: LedgerUrl = None,
    account: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="One account with its history; all accounts without."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Draw what was spent over time.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Let an existing plot be replaced.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show what is left of each account, or the history of one.

    A release that is "reserved" is one whose process ended, or has not ended yet, before the
    release was given out; it counts as spent. In Python: Account.remaining and Account.history.
    """
    from privet.cli.output import print_json, print_text
    from privet.cli.plan import check_plot
    from privet.errors import ParameterError

    if plot is not None:
        if account is None:
            raise ParameterError("The plot is of one account.", hint="Add --account NAME.")
        check_plot(plot, overwrite)
    with opened(ledger) as book:
        if account is None:
            print_accounts([book.account(name) for name in book.accounts()], as_json)
            return
        shown = book.account(account)
        history = shown.history()
        if plot is not None:
            from privet.reports.spending import write_spending_plot

            write_spending_plot(plot, account, history, overwrite=overwrite)
        if as_json:
            rows = [entry_json(entry) for entry in history]
            place = None if plot is None else str(plot)
            print_json({**account_json(shown), "history": rows, "plot": place})
            return
        print_account(shown, as_json=False)
        print_history(history)
        if plot is not None:
            print_text(f"Spent over time: {plot}")


def verify(
    ledger: LedgerUrl = None,
    head: Annotated[
        str | None,
        typer.Option(
            metavar="HEAD",
            help="A head that an earlier verify printed: it must still be in the ledger.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check that no row of the ledger was changed, removed or added by anything but Privet.

    Rows carry each other's hashes. What was cut off at the end is found too; if somebody may have
    rewritten the whole ledger, keep the head that this prints elsewhere, and give it with --head.
    Exit code 1 if a row does not fit. In Python: Ledger.verify.
    """
    from privet.cli import EXIT_REFUSED, say

    with opened(ledger) as book:
        found = book.verify(head)
    print_verification(found, as_json)
    if not found.ok:
        say("error: the ledger does not hold together. Spend nothing from it; restore a copy.")
        raise typer.Exit(EXIT_REFUSED)


def export(
    ledger: LedgerUrl = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT", help="A file; else the standard output."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Let an existing OUT be replaced.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON array instead of a JSON value a line.")
    ] = False,
) -> None:
    """Write every row of the ledger as JSON, with which anybody can check its hashes.

    One row a line, in order. In Python: Ledger.export.
    """
    import json
    import sys

    from privet.cli.output import print_json, print_text

    with opened(ledger) as book:
        rows = list(book.export())
    if as_json:
        text = json.dumps(rows, indent=2, allow_nan=False) + "\n"
    else:
        text = "".join(json.dumps(row, allow_nan=False) + "\n" for row in rows)
    if output is None:
        if as_json:
            print_json(rows)
        else:
            sys.stdout.write(text)
        return
    from privet.data import write_whole

    write_whole(output, lambda file: file.write(text.encode("utf-8")), overwrite=overwrite)
    if as_json:
        print_json({"output": str(output), "rows": len(rows)})
    else:
        print_text(f"Export: {output} ({len(rows):,} {'row' if len(rows) == 1 else 'rows'})")


def void(
    entry: Annotated[str, typer.Argument(metavar="ENTRY", help="The entry that show prints.")],
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="How you know that nothing left.")
    ],
    ledger: LedgerUrl = None,
    as_json: AsJson = False,
) -> None:
    """Give back the budget of a release of which nothing was given out.

    For a release that is still "reserved" because its process died before anything left. You state
    that nothing did; your name, the time and the reason stay in the ledger. A release that was
    given out cannot be made void. In Python: Ledger.reservation(ENTRY).void(reason).
    """
    with opened(ledger) as book:
        reservation = book.reservation(entry)
        reservation.void(reason)
        print_account(book.account(reservation.account), as_json)
