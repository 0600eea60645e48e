"""`privet release words`: sequences, one an id or one a row."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.ledger_options import AccountName, ChargedPerson, LedgerUrl, account_in
from privet.cli.models import (
    learnt_notes,
    read_chain_file,
    read_language_file,
    symbols_from,
    symbols_of,
)
from privet.cli.places import shipped
from privet.cli.release_common import (
    AsJson,
    Epsilon,
    File,
    FromData,
    Id,
    Keep,
    Missing,
    Other,
    Output,
    Overwrite,
    ReceiptFile,
    Roles,
    SchemaFile,
    Symbols,
    Time,
    WideColumns,
    alphabets_of,
    print_release,
    protect_schema,
    require_file,
    schema_in,
    wide_columns,
)

if TYPE_CHECKING:
    from privet.chains import MarkovChain
    from privet.cli.options import Domain
    from privet.cli.schema import Schema
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


_CALIBRATED = ("exponential", "permute-and-flip")
"""The mechanisms that know languages and calibrations."""

State = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Long table: the symbol, to be released.")
]
Ragged = Annotated[
    bool,
    typer.Option(
        "--ragged", help="Wide table, or lists: words may end early (their lengths go out)."
    ),
]
Adjacency = Annotated[
    int, typer.Option("--adjacency", "-b", metavar="B", help="How many symbols are protected.")
]
MechanismName = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="randomized-response, exponential, staircase or permute-and-flip; privet plan "
        "compares them, and privet estimate reads only the first two. auto is "
        "randomized-response, the best of those two.",
    ),
]
Calibrated = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="auto, paper or exact, where the mechanism has it. With --language, exact: the "
        "largest rate of exponential that is certified, found in up to a minute; auto: one that "
        "is certified in seconds, else the published one.",
    ),
]
CalibrationSeconds = Annotated[
    float,
    typer.Option(
        metavar="S", help="How long --calibration exact may search; auto takes 10 s at most."
    ),
]
Longest = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="For --calibration exact and auto: the longest sequence, where no rate is certified "
        "for all lengths; by default the number of --columns, if there are several.",
    ),
]
LanguageFile = Annotated[
    Path | None,
    typer.Option(
        metavar="MODEL.json",
        help="The public words that can happen: a language (a pattern, allowed transitions or an "
        "automaton), or a Markov chain for its words. auto is exponential then; what goes out is "
        "in it. randomized-response checks the data alone.",
    ),
]
OutsideWords = Annotated[
    str,
    typer.Option(metavar="HOW", help="refuse or allow sequences of FILE outside the language."),
]
ChainFile = Annotated[
    Path | None,
    typer.Option(
        metavar="CHAIN.json",
        help="Decode what randomized-response released with a public Markov chain; this is "
        "free, but shares cannot be estimated afterwards. privet decode does it later.",
    ),
]
DecodeMethod = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="viterbi: the most likely word; marginals: the fewest errors, maybe impossible "
        "together; sample: a likely word at random.",
    ),
]


def words(
    file: File,
    epsilon: Epsilon,
    output: Output,
    id: Id = None,  # noqa: A002  # the option is --id
    time: Time = None,
    state: State = None,
    columns: WideColumns = None,
    ragged: Ragged = False,
    symbols: Symbols = None,
    schema: SchemaFile = None,
    alphabet_from_data: FromData = False,
    adjacency: Adjacency = 1,
    mechanism: MechanismName = "auto",
    calibration: Calibrated = "auto",
    calibration_seconds: CalibrationSeconds = 60.0,
    longest: Longest = None,
    language: LanguageFile = None,
    outside: OutsideWords = "refuse",
    decode: ChainFile = None,
    decode_method: DecodeMethod = "viterbi",
    keep: Keep = None,
    missing: Missing = None,
    other: Other = None,
    ledger: LedgerUrl = None,
    account: AccountName = None,
    charge_person: ChargedPerson = None,
    receipt: ReceiptFile = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Release sequences: one an id (long table) or one a row (wide table, or a column of lists).

    The guarantee covers any --adjacency symbols of one sequence. Ids, times, row order and lengths
    go out as they are, columns in the order of FILE. Choose the mechanism with care: shares cannot
    be estimated from a staircase or permute-and-flip release, and a second release costs its
    epsilon again. The symbols of --missing and --other are added to the alphabet. The receipt is
    written beside the release.

    Where not every sequence can happen, give the --language; a model file has the symbols, so
    --symbols may be left out. With --decode the release is turned into likely sequences before it
    is written, in Python privet.decode; privet plan --chain says how much that helps, and privet
    fit learns a chain. Models must be public, known before the data were seen, or learnt from a
    release whose epsilon you add.
    """
    from privet import releasing
    from privet.cli.options import read_names
    from privet.cli.output import Ticker
    from privet.mechanisms.on_language import LanguageMechanism

    require_file(file)
    protect_schema(schema, output, receipt)
    for model in (language, decode):
        protect_schema(model, output, receipt, what="model file")
    _check_outside(outside)
    models = _read_models(language, decode)
    table = _Table(file, (id, time, state), wide_columns((id, time, state), columns))
    with (
        account_in(ledger, account, charge_person) as charged,
        Ticker() as tick,
        symbols_from(models.path),
    ):
        table = table.expanded()
        domain = _word_domain(
            table, models, symbols, schema, (missing or [], other or []), alphabet_from_data
        )
        released = models.language_over(domain.alphabets[table.place])
        decoded = models.chain is not None
        search = {
            "calibration": calibration,
            "longest": longest if longest is not None else table.longest,
            "seconds": calibration_seconds,
            "progress": tick,
        }
        made = _mechanism(mechanism, released, epsilon, adjacency, outside, decoded, search)
        # A mechanism on a language refuses words outside by itself.
        own = isinstance(made, LanguageMechanism) or released.is_all
        done = releasing.release(
            made,
            file,
            ledger=charged,
            **table.roles_by_name(),
            ragged=ragged,
            adjacency=adjacency,
            keep=read_names(keep or []),
            missing=domain.missing.get(table.place),
            other=domain.other.get(table.place),
            alphabets_from_data=domain.from_data,
            decode=models.chain,
            decode_method=decode_method,
            language=None if own else released,
            outside="refuse" if own else outside,
            notes=(*domain.added, *learnt_notes(language)),
            output=output,
            receipt=receipt,
            overwrite=overwrite,
            progress=tick,
        )
    print_release(done, output, receipt, as_json, domain.added)


@dataclass(frozen=True)
class _Table:
    """Where the sequences of a file are: the roles of a long table or the columns of a wide one."""

    file: Path
    roles: Roles
    wide: list[str]

    @property
    def place(self) -> str:
        """The (first) column of symbols, the name by which errors know the alphabet."""
        return self.wide[0] if self.roles[2] is None else self.roles[2]

    @property
    def longest(self) -> int | None:
        """The longest sequence, where the columns tell it; one column may hold lists."""
        return len(self.wide) if len(self.wide) > 1 else None

    def expanded(self) -> "_Table":
        """With names such as d1..d9 or 'd*' written out."""
        from privet.data import expand_columns, names_in_file

        if not self.wide:
            return self
        return replace(self, wide=expand_columns(names_in_file(self.file), self.wide))

    def roles_by_name(self) -> dict[str, Any]:
        """As `releasing.release` takes them."""
        names = dict(zip(("id", "time", "state"), self.roles, strict=True))
        return {"columns": self.wide or None, **names}


def _word_domain(
    table: _Table,
    models: "_Models",
    symbols: str | None,
    schema: Path | None,
    stand_ins: tuple[list[str], list[str]],
    from_data: bool,
) -> "Domain":
    """One alphabet for all symbols of the words, under the name of the (first) state column.

    `stand_ins`: what --missing and --other say.
    """
    from privet.cli.options import settle_domain
    from privet.errors import ParameterError

    known = schema_in(schema)
    typed = _listed(table, symbols, known, schema)
    if models.alphabet is not None and models.path is not None:
        typed = symbols_of(models.alphabet, typed, models.path)
    if typed is None and not from_data:
        raise ParameterError(
            "The sequences have no alphabet.",
            hint="List the public symbols, --symbols a,b,c, give a --schema file, or a model that "
            "has them: --language for the words that can happen, --decode for likely ones.",
        )
    missing, other = (_for_all(texts, table.wide) for texts in stand_ins)
    domain = settle_domain(
        {table.place: typed},
        known,
        missing=missing,
        other=other,
        from_data=alphabets_of(table.file, table.wide) if from_data else None,
        all_columns=len(table.wide) > 1,
    )
    if models.alphabet is not None and models.path is not None:
        # What --missing and --other name must be among the symbols of the model.
        symbols_of(models.alphabet, domain.alphabets[table.place].symbols, models.path)
    return domain


def _listed(
    table: _Table, symbols: str | None, known: "Schema | None", schema: Path | None
) -> list[Hashable] | None:
    """The symbols that --symbols lists, or those of the schema."""
    from privet.cli.options import read_symbol_list
    from privet.errors import ParameterError

    if symbols is not None:
        return [*read_symbol_list(symbols, "--symbols")]
    if known is None:
        return None
    names = table.wide or [table.place]
    listed = [known.columns[name] for name in names if name in known.columns]
    if any(other_list != listed[0] for other_list in listed):
        raise ParameterError(
            f"The schema {schema} gives the columns of a word different alphabets.",
            hint="The columns of a word share one alphabet.",
        )
    return [str(symbol) for symbol in listed[0]] if listed else None


def _for_all(texts: list[str], wide: list[str]) -> list[str]:
    """SYMBOL of COLUMN=SYMBOL: the columns of a word share one alphabet."""
    parts = [(text, *text.partition("=")) for text in texts]
    return list(
        dict.fromkeys(
            symbol if equals and name in wide else text for text, name, equals, symbol in parts
        )
    )


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

    def language_over(self, alphabet: "Alphabet") -> "Language":
        """The language that was named, or all words over `alphabet`."""
        from privet.languages import Language

        return self.language or Language.all(alphabet)


def _read_models(language: Path | None, decode: Path | None) -> _Models:
    """Errors: FileFormatError, ModelError; also for two models over different symbols."""
    words = None if language is None else read_language_file(language)
    chain = None if decode is None else read_chain_file(decode, "--decode")
    if words is not None and chain is not None:
        chain = chain.in_order_of(words.alphabet)
    return _Models(words, chain, language if language is not None else decode)


def _mechanism(
    name: str,
    language: "Language",
    epsilon: str,
    adjacency: int,
    outside: str,
    decoded: bool,
    search: dict[str, Any],
) -> "HammingMechanism":
    """The mechanism that protects `adjacency` symbols; `search`: its calibration, and how long.

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
    if outside == "allow" and not forbids:
        raise ParameterError(
            "--outside allow needs a language that forbids some sequences.",
            hint="Name it with --language, or leave --outside out.",
        )
    if name == "auto":
        name = "exponential" if forbids and not decoded else "randomized-response"
    calibration = search["calibration"]
    _check_name(name, calibration, forbids, decoded)
    if name == "staircase":
        return mechanisms.WordStaircase(language.alphabet, epsilon=total, adjacency=covered)
    if name not in _CALIBRATED:
        return mechanisms.RandomizedResponse(language.alphabet, epsilon=total / covered)
    options: dict[str, Any] = {
        "epsilon": total,
        "adjacency": covered,
        "outside": outside,
    }
    if name == "permute-and-flip":
        return mechanisms.WordPermuteAndFlip(language, **options, calibration=calibration)
    return mechanisms.WordExponential(language, **options, **search)


def _check_outside(outside: str) -> None:
    from privet.errors import ParameterError

    if outside not in ("refuse", "allow"):
        raise ParameterError(
            f"--outside takes refuse or allow, not '{outside}'.",
            hint="Sequences outside the language are refused by default; none are left out.",
        )


def _check_name(name: str, calibration: str, forbids: bool, decoded: bool) -> None:
    """Whether there is that mechanism, and it can be calibrated, decoded, keep to the language."""
    from privet.errors import ParameterError

    one_by_one = name == "exponential" and not forbids
    if decoded and name in ("exponential", "staircase", "permute-and-flip") and not one_by_one:
        raise ParameterError(
            f"What {name} released cannot be decoded symbol by symbol.",
            hint="Leave --mechanism out with --decode: randomized-response is decoded.",
            parameter="mechanism",
        )
    if calibration != "auto" and name not in _CALIBRATED:
        raise ParameterError(
            f"The mechanism '{name}' has no calibration.", hint="Leave --calibration out."
        )
    if name == "staircase" and forbids:
        raise ParameterError(
            "The staircase releases any word over the alphabet, so its words would leave the "
            "language.",
            hint="Choose exponential or permute-and-flip, or leave --language out.",
            parameter="mechanism",
        )
    if name not in (*_CALIBRATED, "staircase", "randomized-response", "randomised-response"):
        raise ParameterError(
            f"There is no mechanism '{name}' for sequences.",
            hint="Choose auto, randomized-response, exponential, staircase or permute-and-flip.",
            parameter="mechanism",
        )
