"""`privet release table`: columns of a table, each value by randomised response."""

from typing import TYPE_CHECKING, Annotated

import typer

from privet.cli.ledger_options import AccountName, LedgerUrl, account_in
from privet.cli.places import shipped
from privet.cli.release_common import (
    AsJson,
    Epsilon,
    File,
    FromData,
    Keep,
    Missing,
    Other,
    Output,
    Overwrite,
    ReceiptFile,
    SchemaFile,
    alphabets_of,
    print_release,
    protect_schema,
    require_file,
    schema_in,
)

if TYPE_CHECKING:
    from privet.cli.schema import Schema

EXAMPLE = (
    f"privet release table {shipped('voters')} --column vote=Clinton,Dole "
    "--column tv_news=0..7 --epsilon 2 -o released.csv"
)

Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        "-c",
        metavar="NAME=A,B,...",
        help="A column to release, and its categories; repeated.",
    ),
]
Delta = Annotated[
    str, typer.Option(metavar="D", help="Additional probability, for the whole unit.")
]
Split = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=SHARE", help="Relative shares of the budget; equal without."),
]
Person = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Who a row belongs to: protect all of them."),
]
RowsPerPerson = Annotated[
    int | None, typer.Option(metavar="N", help="At most how many rows a person has.")
]


def table(
    file: File,
    epsilon: Epsilon,
    output: Output,
    column: Columns = None,
    schema: SchemaFile = None,
    alphabet_from_data: FromData = False,
    delta: Delta = "0",
    split: Split = None,
    keep: Keep = None,
    person: Person = None,
    rows_per_person: RowsPerPerson = None,
    missing: Missing = None,
    other: Other = None,
    ledger: LedgerUrl = None,
    account: AccountName = None,
    receipt: ReceiptFile = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Release chosen columns of a table, each value by randomised response.

    The guarantee covers one row, or all rows of a person with --person. Columns that are neither
    released nor kept do not go out; the others go out in the order of FILE. The symbols of
    --missing and --other are added to the alphabets that lack them, which adds categories and so
    noise. The receipt is written beside the release.
    """
    from privet import releasing
    from privet.cli.options import read_names, read_split, settle_domain
    from privet.cli.output import Ticker
    from privet.errors import ParameterError

    require_file(file)
    protect_schema(schema, output, receipt)
    known = schema_in(schema)
    columns = _columns(column or [], known)
    budget = read_split(split or [])
    if (person is None) != (rows_per_person is None):
        raise ParameterError(
            "--person and --rows-per-person go together.",
            hint="Give both, or neither to protect single rows.",
        )
    with account_in(ledger, account) as charged, Ticker() as tick:
        domain = settle_domain(
            columns,
            known,
            missing=missing or [],
            other=other or [],
            from_data=alphabets_of(file) if alphabet_from_data else None,
        )
        mechanisms = releasing.table_mechanisms(
            domain.alphabets,
            epsilon,
            delta,
            budget,
            1 if rows_per_person is None else rows_per_person,
        )
        done = releasing.release(
            mechanisms,
            file,
            ledger=charged,
            keep=read_names(keep or []),
            person=person,
            rows_per_person=rows_per_person,
            missing=domain.missing,
            other=domain.other,
            alphabets_from_data=domain.from_data,
            notes=domain.added,
            output=output,
            receipt=receipt,
            overwrite=overwrite,
            progress=tick,
        )
    print_release(done, output, receipt, as_json, domain.added)


def _columns(texts: list[str], schema: "Schema | None") -> dict[str, list[str] | None]:
    """{column: its symbols, or None}: those of --column, else those of --schema."""
    from privet.cli.options import read_columns
    from privet.errors import ParameterError

    columns = read_columns(texts)
    if not columns and schema is not None:
        columns = dict.fromkeys(schema.columns)
    if not columns:
        raise ParameterError(
            "No column to release was named.", hint="Add --column NAME=a,b,c or a --schema file."
        )
    return columns
