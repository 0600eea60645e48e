"""`privet release words`: sequences, one an id or one a row."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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
    schema_in,
    taken,
)

if TYPE_CHECKING:
    from privet.cli.options import Domain
    from privet.mechanisms import HammingMechanism
    from privet.symbols import Alphabet

EXAMPLE = (
    "privet release words income.csv --id state --time year --state quintile "
    "--symbols 0..4 --epsilon 3 --adjacency 2 -o released.csv"
)


def words(
    file: File,
    epsilon: Epsilon,
    output: Output,
    id: Annotated[  # noqa: A002  # the option is --id
        str | None,
        typer.Option(metavar="COLUMN", help="Long table: whose sequence an entry is of."),
    ] = None,
    time: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Long table: when an entry is.")
    ] = None,
    state: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Long table: the symbol, to be released.")
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B,...|'P*'", help="Wide table: the columns of a word, in order."),
    ] = None,
    ragged: Annotated[
        bool,
        typer.Option("--ragged", help="Wide table: words may end early (their lengths go out)."),
    ] = False,
    symbols: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="The public symbols; 0..6 is the numbers 0 to 6."),
    ] = None,
    schema: SchemaFile = None,
    alphabet_from_data: FromData = False,
    adjacency: Annotated[
        int, typer.Option("--adjacency", "-b", metavar="B", help="How many symbols are protected.")
    ] = 1,
    mechanism: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="exponential, randomized-response, staircase or permute-and-flip: privet plan "
            "compares them, and privet estimate reads the first two.",
        ),
    ] = "exponential",
    calibration: Annotated[
        str, typer.Option(metavar="HOW", help="auto, paper or exact, where the mechanism has it.")
    ] = "auto",
    keep: Keep = None,
    missing: Missing = None,
    other: Other = None,
    receipt: ReceiptFile = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Release sequences: one an id (long table) or one a row (wide table).

    The guarantee covers any --adjacency symbols of one sequence. Ids, times, row order and lengths
    go out as they are. The receipt is written beside the release.
    """
    from privet import releasing
    from privet.cli.options import read_names
    from privet.cli.output import Ticker
    from privet.errors import ParameterError

    wide = read_names(columns or [])
    if bool(wide) == any(name is not None for name in (id, time, state)):
        raise ParameterError(
            "Sequences need either --id, --time and --state, or --columns.",
            hint="A long table has one row an entry; a wide table has one row a sequence.",
        )
    with Ticker() as tick:
        if any(sign in name for name in wide for sign in "*?["):
            from privet.data import expand_columns

            wide = expand_columns(_column_names(file), wide)
        place = state if state is not None else wide[0] if wide else "state"
        domain = _word_domain(
            place, wide, symbols, schema, missing, other, alphabet_from_data, file
        )
        done = releasing.release(
            _mechanism(mechanism, domain.alphabets[place], epsilon, adjacency, calibration),
            file,
            columns=wide or None,
            id=id,
            time=time,
            state=state,
            ragged=ragged,
            adjacency=adjacency,
            keep=read_names(keep or []),
            missing=domain.missing.get(place),
            other=domain.other.get(place),
            published=taken(domain.from_data),
            output=output,
            receipt=receipt,
            overwrite=overwrite,
            progress=tick,
        )
    print_release(done, output, receipt, as_json)


def _word_domain(
    place: str,
    wide: list[str],
    symbols: str | None,
    schema: Path | None,
    missing: list[str] | None,
    other: list[str] | None,
    alphabet_from_data: bool,
    file: Path,
) -> "Domain":
    """One alphabet for all symbols of the words, under the name of the (first) state column."""
    from privet.cli.options import read_symbol_list, settle_domain
    from privet.errors import ParameterError

    known = schema_in(schema)
    typed = None if symbols is None else read_symbol_list(symbols, "--symbols")
    if known is not None and typed is None:
        listed = [known.columns[name] for name in (wide or [place]) if name in known.columns]
        if any(other_list != listed[0] for other_list in listed):
            raise ParameterError(
                f"The schema {schema} gives the columns of a word different alphabets.",
                hint="The columns of a word share one alphabet.",
            )
        if listed:
            typed = [str(symbol) for symbol in listed[0]]
    if typed is None and not alphabet_from_data:
        raise ParameterError(
            "The sequences have no alphabet.",
            hint="List the public symbols, --symbols a,b,c, or give a --schema file.",
        )
    return settle_domain(
        {place: typed},
        known,
        missing=missing or [],
        other=other or [],
        from_data=alphabets_of(file, wide) if alphabet_from_data else None,
    )


def _mechanism(
    name: str, alphabet: "Alphabet", epsilon: str, adjacency: int, calibration: str
) -> "HammingMechanism":
    """The mechanism that protects `adjacency` symbols. Errors: ParameterError for unknown names."""
    from privet import mechanisms
    from privet.errors import ParameterError
    from privet.exact import read_count, read_epsilon
    from privet.languages import Language

    total, covered = read_epsilon(epsilon), read_count(adjacency, "adjacency")
    language = Language.all(alphabet)
    if name in ("exponential", "permute-and-flip"):
        kinds = {
            "exponential": mechanisms.WordExponential,
            "permute-and-flip": mechanisms.WordPermuteAndFlip,
        }
        made: HammingMechanism = kinds[name](
            language,
            epsilon=total,
            adjacency=covered,
            calibration=calibration,  # type: ignore[arg-type]  # checked by the mechanism
        )
        return made
    if calibration != "auto":
        raise ParameterError(
            f"The mechanism '{name}' has no calibration.", hint="Leave --calibration out."
        )
    if name == "staircase":
        return mechanisms.WordStaircase(alphabet, epsilon=total, adjacency=covered)
    if name == "randomized-response":
        return mechanisms.RandomizedResponse(alphabet, epsilon=total / covered)
    raise ParameterError(
        f"There is no mechanism '{name}' for sequences.",
        hint="Choose exponential, permute-and-flip, staircase or randomized-response.",
        parameter="mechanism",
    )


def _column_names(file: Path) -> list[str]:
    from privet.data import read_table

    return list(read_table(file).column_names)
