"""`privet account`: what several releases cost together, from their receipts or a spec file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.cli import EXIT_REFUSED
from privet.cli.places import shipped

if TYPE_CHECKING:
    from fractions import Fraction

    from privet.accounting import Accountant
    from privet.cli.account_inputs import Given

EXAMPLE = f"privet account --spec {shipped('spends.json')} --budget 4"


def account(
    receipts: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RECEIPT...", help="Receipts (.receipt.json files), or their releases."
        ),
    ] = None,
    spec: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSON or TOML: framework, releases, budget."),
    ] = None,
    framework: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.json",
            help="A chain, a box of chains, or a framework, instead of what the receipts say.",
        ),
    ] = None,
    initial: Annotated[
        str | None,
        typer.Option(metavar="START", help="Of the chain: given, stationary or any."),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(metavar="N", help="Independent records: how many one person may have; all."),
    ] = None,
    budget: Annotated[
        str | None, typer.Option(metavar="E", help="The most that may be spent; exit 1 above it.")
    ] = None,
    delta: Annotated[
        str | None,
        typer.Option(metavar="D", help="Give the epsilon that holds with this delta."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON value instead of the report.")
    ] = False,
) -> None:
    """Say what several releases about the same records cost together.

    Every receipt is taken to be about the same records, in the same order: rows of one table, or
    steps of one kind of series. A receipt that is named twice counts twice. Queries about series
    bring their chains along; for sequences and tables each record is protected as their guarantee
    says, unless --framework or --unit say otherwise.

    A spec file (JSON or TOML) lists losses by hand: a framework, releases with length, loss and
    times, and a budget; docs/accounting.md shows one. The exit code is 0 within the budget and 1
    above it. Nothing is kept. In Python: privet.Accountant.
    """
    from privet.accounting import Accountant
    from privet.cli import say
    from privet.cli.account_inputs import read_inputs

    given = read_inputs(receipts or [], spec, framework, initial, unit, budget, delta)
    for warning in given.warnings:
        say(f"warning: {warning}.")
    accountant = Accountant(given.framework)
    for each in given.entries:
        accountant.add(each.lost, person=each.person, times=each.times, name=each.name)
    spent = accountant.epsilon(given.delta)
    over = given.budget is not None and spent > given.budget
    if as_json:
        _print_json(accountant, spent, given)
    else:
        _print(accountant, spent, given)
    if over:
        raise typer.Exit(EXIT_REFUSED)


def _print_json(accountant: "Accountant", spent: "Fraction", given: "Given") -> None:
    from privet.cli.output import print_json
    from privet.exact import float_down, float_up

    left = None if given.budget is None else given.budget - spent
    print_json(
        {
            "epsilon": float_up(spent),
            "delta": float_up(given.delta),
            "budget": None if given.budget is None else float_down(given.budget),
            "remaining": None if left is None else float_down(max(left, 0 * left)),
            "within_budget": None if left is None else left >= 0,
            "releases": len(accountant),
            "exact": {
                "epsilon": str(spent),
                "delta": str(given.delta),
                "budget": None if given.budget is None else str(given.budget),
                "remaining": None if left is None else str(max(left, 0 * left)),
            },
            "warnings": list(given.warnings),
            "explanation": accountant.explain().to_json(),
        }
    )


def _print(accountant: "Accountant", spent: "Fraction", given: "Given") -> None:
    from privet.cli.output import print_blank, print_text
    from privet.privacy.guarantee import decimal_up

    count = len(accountant)
    total = f"{count:,} {'release' if count == 1 else 'releases'}: epsilon {decimal_up(spent, 6)}"
    if given.delta:
        total += f" with delta {decimal_up(given.delta, 3)}"
    print_text(f"{total}{_budget(given.budget, spent)}", style="bold")
    print_blank()
    if given.delta:
        print_text("Without the delta:")
    for line in str(accountant.explain()).splitlines():
        if line:
            print_text(line)
        else:
            print_blank()


def _budget(budget: "Fraction | None", spent: "Fraction") -> str:
    from fractions import Fraction

    from privet.ledger.wording import down_text, left_text

    if budget is None:
        return "; no budget was given."
    of = f", of a budget of {down_text(budget)}"
    if spent <= budget:
        return f"{of}: {left_text(budget - spent)} is left."
    too_much = f"{of}: {left_text(spent - budget)} too much."
    if spent - budget < Fraction(1, 10**9):
        too_much += " Losses are rounded up a little: give a budget a little above their sum."
    return too_much
