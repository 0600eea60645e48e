"""`privet release words`: sequences, one an id or one a row."""

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privet.cli.models import read_chain_file, read_language_file, symbols_of
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
    from privet.chains import MarkovChain
    from privet.cli.options import Domain
    from privet.languages import Language
    from privet.mechanisms import HammingMechanism
    from privet.symbols import Alphabet

EXAMPLE = (
    f"privet release words {shipped('income')} --id state --time year --state quintile "
    "--symbols 1..5 --epsilon 3 --adjacency 2 -o words.csv"
)

MODEL_EXAMPLE = (
    f"privet release words {shipped('income')} --id state --time year --state quintile "
    f"--decode {shipped('quintiles.json')} --epsilon 3 -o decoded.csv"
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
    language: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL.json",
            help="The public words that can happen: a language, or a Markov chain for its words. "
            "auto is exponential then; what goes out is in it.",
        ),
    ] = None,
    outside: Annotated[
        str,
        typer.Option(metavar="HOW", help="refuse or allow sequences of FILE outside the language."),
    ] = "refuse",
    decode: Annotated[
        Path | None,
        typer.Option(
            metavar="CHAIN.json",
            help="Decode what randomized-response released with a public Markov chain; this is "
            "free, but shares cannot be estimated afterwards.",
        ),
    ] = None,
    decode_method: Annotated[
        str,
        typer.Option(
            metavar="HOW",
            help="viterbi: the most likely word; marginals: the fewest errors, maybe impossible "
            "together; sample: a likely word at random.",
        ),
    ] = "viterbi",
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

    Where not every sequence can happen, give the --language; a model file has the symbols, so
    --symbols may be left out. With --decode the release is turned into likely sequences before it
    is written, in Python privet.decode; privet plan --chain says how much that helps, and privet
    fit learns a chain. Models must be public: known before the data were seen.
    """
    from privet import releasing
    from privet.cli.options import read_names
    from privet.cli.output import Ticker
    from privet.errors import ParameterError
    from privet.languages import Language

    for model in (schema, language, decode):
        protect_schema(model, output, receipt)
    models = _read_models(language, decode)
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
            models,
        )
        made = _mechanism(
            mechanism,
            models.language or Language.all(domain.alphabets[place]),
            epsilon,
            adjacency,
            calibration,
            outside,
            models.chain is not None,
        )
        notes = (*domain.added, *_leaving(made, models, decode_method))
        done = releasing.release(
            made,
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
            decode=models.chain,
            decode_method=decode_method,
            notes=notes,
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
    models: "_Models",
) -> "Domain":
    """One alphabet for all symbols of the words, under the name of the (first) state column."""
    from privet.cli.options import read_symbol_list, settle_domain
    from privet.errors import ParameterError

    known = schema_in(schema)
    typed: list[Hashable] | None = None
    if symbols is not None:
        typed = [*read_symbol_list(symbols, "--symbols")]
    if known is not None and typed is None:
        listed = [known.columns[name] for name in (wide or [place]) if name in known.columns]
        if any(other_list != listed[0] for other_list in listed):
            raise ParameterError(
                f"The schema {schema} gives the columns of a word different alphabets.",
                hint="The columns of a word share one alphabet.",
            )
        if listed:
            typed = [str(symbol) for symbol in listed[0]]
    if models.alphabet is not None and models.path is not None:
        typed = symbols_of(models.alphabet, typed, models.path)
    if typed is None and not alphabet_from_data:
        raise ParameterError(
            "The sequences have no alphabet.",
            hint="List the public symbols, --symbols a,b,c, or give a --schema file.",
        )
    domain = settle_domain(
        {place: typed},
        known,
        missing=missing,
        other=other,
        from_data=alphabets_of(file, wide) if alphabet_from_data else None,
    )
    if models.alphabet is not None and models.path is not None:
        # What --missing and --other name must be among the symbols of the model.
        symbols_of(models.alphabet, domain.alphabets[place].symbols, models.path)
    return domain


@dataclass(frozen=True)
class _Models:
    """What --language and --decode named."""

    language: "Language | None" = None
    chain: "MarkovChain | None" = None
    path: Path | None = None

    @property
    def alphabet(self) -> "Alphabet | None":
        """The symbols of the models."""
        if self.language is not None:
            return self.language.alphabet
        return None if self.chain is None else self.chain.alphabet


def _read_models(language: Path | None, decode: Path | None) -> _Models:
    """Errors: FileFormatError, ModelError; also for two models over different symbols."""
    words = None if language is None else read_language_file(language)
    chain = None if decode is None else read_chain_file(decode, "--decode")
    if words is not None and chain is not None:
        chain = chain.in_order_of(words.alphabet)
    return _Models(words, chain, language if language is not None else decode)


def _leaving(made: "HammingMechanism", models: _Models, method: str) -> tuple[str, ...]:
    """A note where the words that go out may leave the language that was named."""
    from privet.languages import Language

    language, chain = models.language, models.chain
    if language is None or language.is_all or made.name != "randomized-response":
        return ()
    if chain is None:
        note = (
            "randomised response knows no language: its words may leave the one that was named; "
            "--decode CHAIN.json makes possible words of them at no cost to privacy"
        )
        return (note,)
    words = Language.from_chain(chain)
    if method != "marginals" and language & words == words:
        return ()
    return ("the decoded words may leave the language that was named",)


def _mechanism(
    name: str,
    language: "Language",
    epsilon: str,
    adjacency: int,
    calibration: str,
    outside: str,
    decoded: bool,
) -> "HammingMechanism":
    """The mechanism that protects `adjacency` symbols.

    "auto" is randomised response: of the mechanisms that can be estimated from none has fewer
    expected errors (Theorem 5 of [holohan-leith-mason-2016]), and only its releases and those of
    the exponential mechanism on all words can be decoded. On a language that forbids words it is
    the exponential mechanism. Errors: ParameterError for unknown names and for mechanisms whose
    words would leave the language.
    """
    from privet import mechanisms
    from privet.errors import ParameterError
    from privet.exact import read_count, read_epsilon

    total, covered = read_epsilon(epsilon), read_count(adjacency, "adjacency")
    forbids = not language.is_all
    if outside not in ("refuse", "allow"):
        raise ParameterError(
            "--outside is neither refuse nor allow.", hint="Sequences are refused by default."
        )
    if outside == "allow" and not forbids:
        raise ParameterError(
            "--outside allow needs a language that forbids some sequences.",
            hint="Name it with --language, or leave --outside out.",
        )
    if name == "auto":
        name = "exponential" if forbids and not decoded else "randomized-response"
    if decoded and (
        name in ("staircase", "permute-and-flip")
        or (name, forbids)
        == (
            "exponential",
            True,
        )
    ):
        raise ParameterError(
            f"What {name} released cannot be decoded symbol by symbol.",
            hint="Leave --mechanism out with --decode: randomized-response is decoded.",
            parameter="mechanism",
        )
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
            outside=outside,  # type: ignore[arg-type]  # checked above
        )
        return made
    if calibration != "auto":
        raise ParameterError(
            f"The mechanism '{name}' has no calibration.", hint="Leave --calibration out."
        )
    if name == "staircase":
        if forbids:
            raise ParameterError(
                "The staircase releases any word over the alphabet, so its words would leave the "
                "language.",
                hint="Choose exponential or permute-and-flip, or leave --language out.",
                parameter="mechanism",
            )
        return mechanisms.WordStaircase(language.alphabet, epsilon=total, adjacency=covered)
    if name in ("randomized-response", "randomised-response"):
        return mechanisms.RandomizedResponse(language.alphabet, epsilon=total / covered)
    raise ParameterError(
        f"There is no mechanism '{name}' for sequences.",
        hint="Choose auto, randomized-response, exponential, staircase or permute-and-flip.",
        parameter="mechanism",
    )
