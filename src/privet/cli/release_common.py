"""What the commands on tables and sequences share: options, alphabets, the report of a release.

Contract. The report of a release is made from its receipt alone, so it holds nothing private.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.cli import EXIT_REFUSED, close_standard_output

if TYPE_CHECKING:
    from privet.cli.schema import Schema
    from privet.releasing import Part, Receipt, Release
    from privet.symbols import Alphabet

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="CSV, CSV.GZ, Parquet, Arrow, Feather or IPC file, or a folder of Parquet files.",
    ),
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
        metavar="[NAME=]SYMBOL", help="The symbol for missing values; it joins the alphabet."
    ),
]
Other = Annotated[
    list[str] | None,
    typer.Option(
        metavar="[NAME=]SYMBOL", help="The symbol for other labels; it joins the alphabet."
    ),
]
Id = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Long table: whose sequence an entry is of.")
]
Time = Annotated[str | None, typer.Option(metavar="COLUMN", help="Long table: when an entry is.")]
WideColumns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="A,B,...",
        help="Wide table: the columns of a word, in order; d1..d9 or 'd*'; or the one column of "
        "lists.",
    ),
]
Symbols = Annotated[
    str | None,
    typer.Option(metavar="A,B,...", help="The public symbols; 0..6 is the numbers 0 to 6."),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN,...", help="Publish columns as they are, without protection."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the receipt as JSON instead.")]


Roles = tuple[str | None, str | None, str | None]
"""The columns of --id, --time and --state."""


def wide_columns(roles: Roles, columns: list[str] | None, hint: str = "") -> list[str]:
    """The columns of a wide table, none for a long one; `hint` is added to that of the error.

    Errors: ParameterError unless the sequences are described in one of the two ways.
    """
    from privet.cli.options import read_names
    from privet.errors import ParameterError

    wide = read_names(columns or [])
    given = [name is not None for name in roles]
    if bool(wide) == any(given) or any(given) != all(given):
        raise ParameterError(
            "Sequences need either --id, --time and --state together, or --columns.",
            hint="A long table has one row an entry; a wide table has one row a sequence."
            f" {hint}".rstrip(),
        )
    return wide


def require_file(path: Path) -> None:
    """Refuse a file that is not there, or not data, before anything else is asked for."""
    from privet.errors import DataError
    from privet.releasing.files import RECEIPT_ENDING

    if not path.exists():
        raise DataError(f"There is no file {path}.", hint="Check the path.", path=str(path))
    if path.name.endswith(RECEIPT_ENDING):
        raise DataError(
            f"{path} is the receipt of a release.",
            hint=f"Name the release itself, {path.name.removesuffix(RECEIPT_ENDING)}.",
            path=str(path),
        )


def protect_schema(path: Path | None, *outputs: Path | None, what: str = "schema file") -> None:
    """Refuse outputs that would overwrite the schema (or a model), before anything is read."""
    from privet.data import refuse_unwritable

    for place in outputs:
        if path is not None and place is not None:
            refuse_unwritable(place, inputs=[path], what=what)


def schema_in(path: Path | None) -> "Schema | None":
    """The schema in a file, if one was named."""
    if path is None:
        return None
    from privet.cli.schema import read_schema

    return read_schema(path)


def alphabets_of(file: Path, columns: list[str] | None = None) -> Callable[[str], "Alphabet"]:
    """Alphabets read off the columns of a file, with the warning that this is a leak."""

    def read(name: str) -> "Alphabet":
        from privet.data import alphabet_from_column, distinct_of, open_batches
        from privet.errors import DataError

        wanted = columns or [name]
        batches = open_batches(file, columns=wanted, replaced=wanted)
        if len({batches.schema.field(one).type for one in wanted}) > 1:
            raise DataError(
                f"The columns of a word, '{wanted[0]}' to '{wanted[-1]}', have different types.",
                hint="List the symbols, or convert the columns to one type.",
            )
        parts = (column for table in batches for column in table.columns)
        values, rows = distinct_of(parts)
        found: Alphabet = alphabet_from_column(values, name=name, rows=rows)
        return found

    return read


def print_release(
    done: "Release", output: Path, receipt: Path | None, as_json: bool, added: Sequence[str] = ()
) -> None:
    """What went out, from the receipt alone; its notes but `added` go to the standard error."""
    from privet.cli import say
    from privet.cli.output import print_json
    from privet.releasing.files import receipt_path_for

    known = done.receipt
    place = receipt_path_for(output) if receipt is None else receipt
    for note in known.notes:
        if note not in added:
            say(f"note: {note}.")
    with release_is_made(output, place, spends="decoded_from" not in known.layout):
        if as_json:
            content = {"output": str(output), "receipt_file": str(place)}
            print_json({**content, "receipt": known.to_json()})
        else:
            _print_report(known, output, place, added)
        sys.stdout.flush()


@contextmanager
def release_is_made(output: Path, receipt: Path, spends: bool = True) -> Iterator[None]:
    """Whoever does not see the report must still learn that there is a release: it was paid for."""
    from privet.cli import say

    try:
        yield
    except OSError as error:
        say(
            f"error: the report could not be printed ({error.strerror or 'input/output error'}), "
            f"but the release was made: {output}, with its receipt {receipt}."
            + (" Do not release again: a second one costs its epsilon on top." if spends else "")
        )
        if isinstance(error, BrokenPipeError):
            raise
        close_standard_output()
        raise SystemExit(EXIT_REFUSED) from None


def _print_report(known: "Receipt", output: Path, place: Path, added: Sequence[str]) -> None:
    from fractions import Fraction

    from privet.cli.output import count, print_blank, print_table, print_text
    from privet.privacy.guarantee import decimal_up

    print_text(known.sentence, style="bold")
    print_blank()
    per_row = known.kind == "table"
    decoded = ", decoded" if "decoded" in known.layout else ""
    rows = [
        [
            part.column or "all columns",
            f"{_short_title(known.mechanism(part.column).title)}{decoded}",
            str(part.categories),
            decimal_up(part.spent if per_row else part.record_loss or Fraction(0), 5),
            *_errors(part),
        ]
        for part in known.parts
    ]
    header = ["released", "mechanism", "categories", f"epsilon per {known.parts[0].per}"]
    print_table("", [*header, "expected wrong", "share"], rows, text_columns=2)
    for line in (*(f"{sentence}." for sentence in added), *known.spent_lines):
        print_text(line)
    _print_remarks(known)
    for what in ("Kept", "Left out"):
        names = known.layout.get(what.lower().replace(" ", "_"), [])
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
        for line in _calibration(part):
            print_text(line)
        if part.per == "symbol" and (part.record_loss or 0) > known.guarantee.epsilon:
            print_text(
                "'epsilon per symbol' is that between any two sequences of the language. It is "
                "more than what is promised of sequences that differ in one symbol, and counts "
                "where an account protects more than that."
            )
        if over := part.law.get("expected_errors_averaged_over"):
            error = plain(part.law["expected_errors_standard_error"], 2)
            print_text(
                f"The expected errors are averaged over {over}, by simulation (standard error "
                f"{error})."
                + (" Less regular sequences have more." if "decoded" in known.layout else "")
            )
    if "decoded" in known.layout:
        print_text("Shares and chains cannot be estimated from a decoded release.")
    elif not can_estimate(known.mechanism()):
        print_text(
            "Shares cannot be estimated from this release: `privet estimate` reads those of "
            "randomized-response, and of exponential on all words, only."
        )


def _calibration(part: "Part") -> "Iterator[str]":
    """Which rate ran on a language, and why."""
    law, why = part.law, part.law.get("calibration_reason")
    if why is None:
        return
    rate = f"{law['rate']:.4g}"
    if law["calibration"] == "paper":
        yield f"Rate: {rate}, the published one; {why}."
        return
    own = law["certified"]
    words = "any length" if own["longest"] is None else f"up to {own['longest']} symbols"
    published = float(part.epsilon) / (2 * part.mechanism["adjacency"])
    yield (
        f"Rate: {rate}, where the published one is {published:.4g}; {why} (words of {words} spend "
        f"at least {own['spent_at_least']:.4g}, at most {own['spent_at_most']:.6g})."
    )


def _short_title(title: str) -> str:
    return title.removesuffix(" on words").removesuffix(" mechanism")


def _errors(part: "Part") -> tuple[str, str]:
    """How many symbols are expected to be wrong, and their share."""
    from privet.cli.output import percent, plain

    if part.expected_errors is None or part.share_wrong is None:
        return "-", "-"
    return plain(part.expected_errors), percent(part.share_wrong)
