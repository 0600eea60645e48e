"""`privet release words`: sequences, one an id or one a row."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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
    schema_in,
)

if TYPE_CHECKING:
    from privet.cli.options import Domain
    from privet.mechanisms import HammingMechanism
    from privet.symbols import Alphabet

EXAMPLE = (
    f"privet release words {shipped('income')} --id state --time year --state quintile "
    "--symbols 1..5 --epsilon 3 --adjacency 2 -o words.csv"
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
        typer.Option(
            metavar="A,B,...", help="Wide table: the columns of a word, in order; d1..d9 or 'd*'."
        ),
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
            help="randomized-response, exponential, staircase or permute-and-flip; privet plan "
            "compares them, and privet estimate reads only the first two. auto is "
            "randomized-response, the best of those two.",
        ),
    ] = "auto",
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
    go out as they are, columns in the order of FILE. Choose the mechanism with care: shares cannot
    be estimated from a staircase or permute-and-flip release, and a second release costs its
    epsilon again. The symbols of --missing and --other are added to the alphabet. The receipt is
    written beside the release.
    """
    from privet import releasing
    from privet.cli.options import read_names
    from privet.cli.output import Ticker
    from privet.errors import ParameterError

    protect_schema(schema, output, receipt)
    wide = read_names(columns or [])
    given = [name is not None for name in (id, time, state)]
    if bool(wide) == any(given) or any(given) != all(given):
        raise ParameterError(
            "Sequences need either --id, --time and --state together, or --columns.",
            hint="A long table has one row an entry; a wide table has one row a sequence.",
        )
    with Ticker() as tick:
        if wide:
            from privet.data import expand_columns, names_in_file

            wide = expand_columns(names_in_file(file), wide)
        place = state if state is not None else wide[0] if wide else "state"
        domain = _word_domain(
            place,
            wide,
            symbols,
            schema,
            _for_all(missing, wide),
            _for_all(other, wide),
            alphabet_from_data,
            file,
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
            alphabets_from_data=domain.from_data,
            notes=domain.added,
            output=output,
            receipt=receipt,
            overwrite=overwrite,
            progress=tick,
        )
    print_release(done, output, receipt, as_json, domain.added)


def _for_all(texts: list[str] | None, wide: list[str]) -> list[str]:
    """SYMBOL of COLUMN=SYMBOL: the columns of a word share one alphabet."""
    parts = [(text, *text.partition("=")) for text in texts or []]
    return list(
        dict.fromkeys(
            symbol if equals and name in wide else text for text, name, equals, symbol in parts
        )
    )


def _word_domain(
    place: str,
    wide: list[str],
    symbols: str | None,
    schema: Path | None,
    missing: list[str],
    other: list[str],
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
        missing=missing,
        other=other,
        from_data=alphabets_of(file, wide) if alphabet_from_data else None,
    )


def _mechanism(
    name: str, alphabet: "Alphabet", epsilon: str, adjacency: int, calibration: str
) -> "HammingMechanism":
    """The mechanism that protects `adjacency` symbols; "auto" is randomised response.

    Of the mechanisms that can be estimated from none has fewer expected errors (Theorem 5 of
    [holohan-leith-mason-2016]). Errors: ParameterError for unknown names.
    """
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
    if name in ("auto", "randomized-response", "randomised-response"):
        return mechanisms.RandomizedResponse(alphabet, epsilon=total / covered)
    raise ParameterError(
        f"There is no mechanism '{name}' for sequences.",
        hint="Choose auto, randomized-response, exponential, staircase or permute-and-flip.",
        parameter="mechanism",
    )
