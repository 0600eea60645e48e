"""What `privet release table` and `privet release words` share: options, alphabets, the report.

Contract. The report of a release is made from its receipt alone, so it holds nothing private.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from privet.cli.schema import Schema
    from privet.releasing import Part, Receipt, Release
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
    Path | None,
    typer.Option(metavar="FILE.json", help="Public alphabets as JSON: columns, missing, other."),
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
    typer.Option(
        metavar="NAME=SYMBOL", help="The symbol for missing values; it joins the alphabet."
    ),
]
Other = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=SYMBOL", help="The symbol for other labels; it joins the alphabet."),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN,...", help="Publish columns as they are, without protection."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the receipt as JSON instead.")]


def protect_schema(path: Path | None, *outputs: Path | None) -> None:
    """Refuse outputs that would overwrite the schema, before anything is read."""
    from privet.data import refuse_unwritable

    for place in outputs:
        if path is not None and place is not None:
            refuse_unwritable(place, inputs=[path])


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


def print_release(
    done: "Release", output: Path, receipt: Path | None, as_json: bool, added: Sequence[str] = ()
) -> None:
    """What went out, from the receipt alone; its notes but `added` go to the standard error."""
    from privet.cli import say
    from privet.cli.output import count, print_blank, print_json, print_table, print_text
    from privet.privacy.guarantee import decimal_up
    from privet.releasing.files import receipt_path_for

    known = done.receipt
    place = receipt_path_for(output) if receipt is None else receipt
    for note in known.notes:
        if note not in added:
            say(f"note: {note}.")
    if as_json:
        print_json({"output": str(output), "receipt_file": str(place), "receipt": known.to_json()})
        return
    print_text(known.sentence, style="bold")
    print_blank()
    per_row = known.kind == "table"
    decoded = ", decoded" if "decoded" in known.layout else ""
    rows = [
        [
            part.column or "all columns",
            f"{_short_title(known.mechanism(part.column).title)}{decoded}",
            str(part.categories),
            decimal_up(part.spent if per_row else part.record_loss, 5),
            *_errors(part),
        ]
        for part in known.parts
    ]
    header = ["released", "mechanism", "categories", f"epsilon per {known.parts[0].per}"]
    print_table("", [*header, "expected wrong", "share"], rows, text_columns=2)
    for line in (*(f"{sentence}." for sentence in added), *known.spent_lines):
        print_text(line)
    _print_remarks(known)
    for what, names in (("Kept", known.layout["kept"]), ("Left out", known.layout["left_out"])):
        if names:
            print_text(f"{what}: {', '.join(names)}.")
    if known.randomness != "private":
        print_text(f"Randomness: {known.randomness}.", style="bold red")
    size = known.shape["rows"]
    print_text(f"Release: {output} ({count(size)} {'row' if size == 1 else 'rows'})")
    print_text(f"Receipt: {place}")


def _print_remarks(known: "Receipt") -> None:
    """How the errors were predicted, and what cannot be estimated."""
    from privet.cli.output import plain, print_text
    from privet.releasing import can_estimate

    for part in known.parts:
        if over := part.law.get("expected_errors_averaged_over"):
            error = plain(part.law["expected_errors_standard_error"], 2)
            print_text(
                f"The expected errors are averaged over {over}, by simulation (standard error "
                f"{error})."
            )
    if "decoded" in known.layout:
        print_text("Shares and chains cannot be estimated from a decoded release.")
    elif not can_estimate(known.mechanism()):
        print_text(
            "Shares cannot be estimated from this release: `privet estimate` reads "
            "randomized-response and exponential only."
        )


def _short_title(title: str) -> str:
    return title.removesuffix(" on words").removesuffix(" mechanism")


def _errors(part: "Part") -> tuple[str, str]:
    """How many symbols are expected to be wrong, and their share."""
    from privet.cli.output import percent, plain

    if part.expected_errors is None or part.share_wrong is None:
        return "-", "-"
    return plain(part.expected_errors), percent(part.share_wrong)
