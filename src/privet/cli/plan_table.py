"""`privet plan --column`: the errors of a release of a table, beforehand."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from privet.cli.options import Domain
    from privet.ledger import Account
    from privet.releasing import TablePlan

EXAMPLE = (
    "privet plan --column vote=Clinton,Dole --column tv_news=0..7 --rows 944 --epsilon 1,2 "
    "--plot table.svg"
)

Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        "-c",
        metavar="NAME=A,B,...",
        help="Plan a table instead, as privet release table takes it: a column and its "
        "categories; repeated.",
    ),
]
SchemaFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE.json", help="For a table: public alphabets as JSON."),
]
Split = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=SHARE", help="For a table: relative shares of the budget; equal without."
    ),
]
RowsPerPerson = Annotated[
    int | None,
    typer.Option(metavar="N", help="For a table: at most how many rows a person has."),
]


@dataclass(frozen=True)
class TableOptions:
    """What describes a table to `privet plan`."""

    columns: list[str] | None
    schema: Path | None
    split: list[str] | None
    rows_per_person: int | None

    def __bool__(self) -> bool:
        return bool(self.columns) or self.schema is not None or self.needing

    @property
    def needing(self) -> bool:
        """Whether an option was given that says nothing without columns."""
        return bool(self.split) or self.rows_per_person is not None


def compare_columns(
    targets: Sequence[Fraction],
    table: TableOptions,
    *,
    delta: str,
    rows: int | None,
    ledger: "Account | None",
    plot: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Print a plan for each epsilon, and draw the picture. Errors: as `releasing.plan_table`."""
    from privet import releasing
    from privet.cli.options import read_split
    from privet.cli.output import Ticker, print_json
    from privet.cli.plan import check_plot

    domain = _domain(table)
    if plot is not None:
        check_plot(plot, overwrite)
    how: dict[str, Any] = {
        "delta": delta,
        "split": read_split(table.split or []),
        "rows_per_person": 1 if table.rows_per_person is None else table.rows_per_person,
    }
    with Ticker() as tick:
        plans = [
            releasing.plan_table(domain.alphabets, epsilon=wanted, rows=rows, ledger=ledger, **how)
            for wanted in targets
        ]
        if plot is not None:
            tick("drawing the curves", 0, 0)
            _draw(plot, domain, targets, how, overwrite)
    if as_json:
        listed = [plan.to_json() for plan in plans]
        print_json({"plans": listed, "plot": None if plot is None else str(plot)})
    else:
        _print(plans, domain, plot)


def _domain(table: TableOptions) -> "Domain":
    from privet.cli.options import read_columns, settle_domain
    from privet.cli.release_common import schema_in
    from privet.errors import ParameterError

    known = schema_in(table.schema)
    columns = read_columns(table.columns or [])
    if not columns and known is not None:
        columns = dict.fromkeys(known.columns)
    if not columns:
        raise ParameterError(
            "--split and --rows-per-person are about the columns of a table.",
            hint="Add --column NAME=a,b,c or a --schema file.",
        )
    return settle_domain(columns, known, missing=[], other=[], from_data=None)


def _draw(
    path: Path, domain: "Domain", targets: Sequence[Fraction], how: dict[str, Any], overwrite: bool
) -> None:
    from privet.cli.plan import curve_grid
    from privet.releasing import table_curves
    from privet.reports.plots import write_table_plot

    curves = table_curves(domain.alphabets, epsilons=curve_grid(targets), **how)
    marked = [float(wanted) for wanted in targets]
    write_table_plot(path, curves, marked=marked, overwrite=overwrite)


def _print(plans: Sequence["TablePlan"], domain: "Domain", plot: Path | None) -> None:
    from privet.cli.output import print_blank, print_table, print_text
    from privet.releasing.table_plan_text import table_notes, table_rows, table_title

    for plan in plans:
        print_table(table_title(plan), *table_rows(plan))
        warnings = list(plan.warnings())
        for warning in warnings:
            print_text(warning, style="bold")
        if warnings:
            print_blank()
    for sentence in domain.added:
        print_text(f"{sentence}.")
    for note in table_notes(plans[0]):
        print_text(note, style="dim")
    if plot is not None:
        print_text(f"Share of wrong values against epsilon, column by column: {plot}")
