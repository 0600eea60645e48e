"""What `privet release table` and `privet release words` share: options, alphabets, the report.

Contract. The report of a release is made from its receipt alone, so it holds nothing private.
"""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from privet.cli.schema import Schema
    from privet.releasing import Part, Release
    from privet.symbols import Alphabet

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="CSV, CSV.GZ, Parquet, Arrow, Feather or IPC file.")
]
Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="OUT", help="Where the release goes; never FILE.")
]
ReceiptFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The receipt; OUT.receipt.json by default.")
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Let an existing OUT and receipt be replaced.")
]
Epsilon = Annotated[str, typer.Option("--epsilon", "-e", metavar="E", help="For the whole unit.")]
SchemaFile = Annotated[
    Path | None, typer.Option(metavar="FILE.json", help="Public alphabets: {'columns': {...}}.")
]
FromData = Annotated[
    bool,
    typer.Option(
        "--alphabet-from-data",
        help="Take missing alphabets from the data, which tells which values occur.",
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(metavar="[COLUMN=]SYMBOL", help="The symbol that stands for a missing value."),
]
Other = Annotated[
    list[str] | None,
    typer.Option(metavar="[COLUMN=]SYMBOL", help="The symbol for labels outside the alphabet."),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Publish a column as it is, without protection."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the receipt as JSON instead.")]


def schema_in(path: Path | None) -> "Schema | None":
    """The schema in a file, if one was named."""
    if path is None:
        return None
    from privet.cli.schema import read_schema

    return read_schema(path)


def alphabets_of(file: Path, columns: list[str] | None = None) -> Callable[[str], "Alphabet"]:
    """Alphabets read off the columns of a file, with the warning that this is a leak."""

    def read(name: str) -> "Alphabet":
        import pyarrow as pa

        from privet.data import alphabet_from_column, read_table
        from privet.errors import DataError

        wanted = columns or [name]
        chunks = [
            chunk for part in read_table(file, columns=wanted).columns for chunk in part.chunks
        ]
        if any(chunk.type != chunks[0].type for chunk in chunks):
            raise DataError(
                f"The columns of a word, '{wanted[0]}' to '{wanted[-1]}', have different types.",
                hint="List the symbols, or convert the columns to one type.",
            )
        found: Alphabet = alphabet_from_column(pa.chunked_array(chunks), name=name)
        return found

    return read


def taken(columns: tuple[str, ...]) -> list[str]:
    """What alphabets that were read off the data give away, to be named in the guarantee."""
    return [
        f"which values occur in '{name}' (its alphabet was read off the data)" for name in columns
    ]


def print_release(done: "Release", output: Path, receipt: Path | None, as_json: bool) -> None:
    """What went out, from the receipt alone."""
    from privet.cli.output import (
        count,
        print_blank,
        print_json,
        print_table,
        print_text,
    )
    from privet.privacy.guarantee import decimal_up
    from privet.releasing.files import receipt_path_for

    place = receipt_path_for(output) if receipt is None else receipt
    if as_json:
        print_json(
            {
                "output": str(output),
                "receipt_file": str(place),
                "receipt": done.receipt.to_json(),
            }
        )
        return
    print_text(done.receipt.sentence, style="bold")
    print_blank()
    rows = [
        [
            part.column or "all columns",
            str(done.receipt.mechanism(part.column).title),
            decimal_up(part.spent, 5),
            count(part.symbols),
            _errors(part),
        ]
        for part in done.receipt.parts
    ]
    print_table(
        "",
        ["released", "mechanism", "epsilon spent", "symbols", "expected to be wrong"],
        rows,
        text_columns=2,
    )
    spent, promised = done.receipt.spent, done.receipt.guarantee.epsilon
    print_text(f"Epsilon spent in all: {decimal_up(spent, 5)} of {decimal_up(promised, 5)}.")
    if done.receipt.randomness != "private":
        print_text(f"Randomness: {done.receipt.randomness}.", style="bold red")
    print_text(f"Release: {output}")
    print_text(f"Receipt: {place}")


def _errors(part: "Part") -> str:
    from privet.cli.output import percent, plain

    if part.expected_errors is None or part.share_wrong is None:
        return "-"
    return f"{plain(part.expected_errors)} ({percent(part.share_wrong)})"
