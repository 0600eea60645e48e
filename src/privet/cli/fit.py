"""`privet fit`: a Markov chain of what sequences are like, from public or from released ones."""

from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from privet.cli.fit_box import print_box, refuse_with_box, write_box
from privet.cli.models import symbols_from
from privet.cli.output import AsJson
from privet.cli.places import shipped
from privet.cli.release_common import (
    Id,
    Missing,
    Other,
    Roles,
    Symbols,
    Time,
    WideColumns,
    require_file,
    wide_columns,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.chains import MarkovChain
    from privet.estimate import TransitionEstimate
    from privet.languages import Language
    from privet.releasing.rows import Layout
    from privet.symbols import Alphabet, Words

EXAMPLE = (
    f"privet fit {shipped('income')} --id state --time year --state quintile --symbols 1..5 "
    "--pseudocount 1 -o chain.json"
)

PUBLIC = (
    "the chain holds the transitions of these sequences without any protection: fit it to public "
    "sequences only, and learn from protected ones by releasing them first (--receipt)"
)

LEARNT = (
    "decoding that release with this chain costs nothing; with another release of the same data "
    "the epsilons of the two add up"
)

Sequences = Annotated[
    Path, typer.Argument(metavar="FILE", help="Public sequences, or a release of sequences.")
]
Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="CHAIN.json", help="Where the chain goes.")
]
ReceiptFile = Annotated[
    Path | None,
    typer.Option(metavar="RECEIPT", help="FILE is a release: learn from it, minus its noise."),
]
State = Annotated[str | None, typer.Option(metavar="COLUMN", help="Long table: the symbol.")]
Ragged = Annotated[bool, typer.Option("--ragged", help="Wide table: words may end early.")]
SupportFile = Annotated[
    Path | None,
    typer.Option(
        metavar="MODEL.json",
        help="Only transitions, and first symbols, that this language, or chain, allows.",
    ),
]
Pseudocount = Annotated[
    str,
    typer.Option(metavar="P", help="Added to the count of every possible transition and start."),
]
Confidence = Annotated[
    str, typer.Option(metavar="C", help="Of the box, or of the intervals from a release.")
]
AsBox = Annotated[
    bool,
    typer.Option("--box", help="Write a box that holds the true chain with --confidence."),
]
ChangedFile = Annotated[
    bool,
    typer.Option("--changed-file", help="Read a release that was changed since."),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Let an existing CHAIN.json be replaced.")
]


def fit(
    file: Sequences,
    output: Output,
    receipt: ReceiptFile = None,
    id: Id = None,  # noqa: A002  # the option is --id
    time: Time = None,
    state: State = None,
    columns: WideColumns = None,
    ragged: Ragged = False,
    symbols: Symbols = None,
    support: SupportFile = None,
    missing: Missing = None,
    other: Other = None,
    pseudocount: Pseudocount = "0",
    confidence: Confidence = "0.95",
    box: AsBox = False,
    changed_file: ChangedFile = False,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Learn a Markov chain of the symbols, for --decode, --language and plan --chain.

    From public sequences (--id, --time and --state, or --columns): the shares of their transitions.
    Never give it the sequences that are to be protected: the chain would give away their counts.

    From a release (--receipt): the most likely chain behind it, with the mechanism's noise undone,
    and standard errors. That costs no privacy, and CHAIN.json names the release, since decoding
    another release of the same data with it adds the two epsilons. With --box, for plan and release
    query: all chains that public sequences leave plausible. In Python: privet.MarkovChain.fit,
    privet.estimate.transitions and privet.ChainBox.from_words.
    """
    from privet.cli import say
    from privet.cli.output import Ticker, print_json
    from privet.releasing.files import check_destination

    require_file(file)
    inputs = [place for place in (file, receipt, support) if place is not None]
    check_destination(output, inputs=inputs, overwrite=overwrite)
    words = None if support is None else _read_support(support)
    region = None
    if box:
        refuse_with_box(receipt, support, pseudocount)
    with Ticker() as tick, symbols_from(support):
        tick(f"reading {file.name}", 0, 0)
        found: TransitionEstimate | None = None
        if receipt is not None:
            _refuse_for_release(id, time, state, columns, ragged, symbols, missing, other)
            found = _from_release(
                file, receipt, support, pseudocount, confidence, changed_file, tick
            )
            chain = _with_origin(found.chain, file, receipt)
        else:
            _refuse_unmarked_release(file)
            stand_ins = (missing or [], other or [])
            public = _read_public(
                file, (id, time, state), columns, ragged, symbols, support, stand_ins
            )
            if box:
                region = write_box(output, public.words, confidence, overwrite=overwrite)
            else:
                chain = _from_public(public, support, pseudocount)
        if region is None:
            chain.save(output, overwrite=overwrite)
    if region is not None:
        print_box(output, region, as_json)
        return
    notes = _notes(chain, words, found)
    for note in notes:
        say(f"note: {note.rstrip('.')}.")
    if as_json:
        print_json(_as_json(output, chain, found, notes))
    else:
        _print(output, chain, found)


def _read_support(path: Path) -> "Language":
    from privet.cli.models import read_language_file

    return read_language_file(path, "--support")


def _refuse_for_release(*options: object) -> None:
    """What the receipt says already."""
    from privet.errors import ParameterError

    if any(options):
        raise ParameterError(
            "A receipt says where the sequences are and which symbols they have.",
            hint="Leave out --id, --time, --state, --columns, --ragged and --symbols, or leave out "
            "--receipt for public sequences.",
        )


def _refuse_unmarked_release(file: Path) -> None:
    """Counting the transitions of a release would give the chain of the noise."""
    from privet.errors import ParameterError
    from privet.releasing.files import receipt_path_for

    place = receipt_path_for(file)
    if place.is_file():
        raise ParameterError(
            f"{file} is a release: {place} is beside it.",
            hint=f"Add --receipt {place} to undo the noise; its transitions as they are would be "
            "those of the noise.",
        )


class _Public(NamedTuple):
    """Public sequences, with the table and the layout they were read from."""

    table: "pa.Table"
    layout: dict[str, Any]
    words: "Words"


def _read_public(
    file: Path,
    sequence: Roles,
    columns: list[str] | None,
    ragged: bool,
    symbols: str | None,
    support: Path | None,
    stand_ins: tuple[list[str], list[str]],
) -> _Public:
    """The sequences of a file. Errors: as reading a table, by place."""
    from privet.cli.options import read_symbol_list, settle_domain
    from privet.errors import ParameterError

    wide = wide_columns(sequence, columns, "For a release, give its --receipt instead.")
    if symbols is None and support is None:
        raise ParameterError(
            "The sequences have no alphabet.",
            hint="List the public symbols, --symbols a,b,c, or give a model that has them, "
            "--support MODEL.json.",
        )
    listed: list[Hashable] | None = None
    if symbols is not None:
        listed = [*read_symbol_list(symbols, "--symbols")]
    if support is not None:
        listed = _same_symbols(support, listed)
    place = sequence[2] if sequence[2] is not None else wide[0]
    domain = settle_domain(
        {place: listed}, None, missing=stand_ins[0], other=stand_ins[1], from_data=None
    )
    if support is not None:
        _same_symbols(support, [*domain.alphabets[place].symbols])
    layout: dict[str, Any] = {"columns": wide, "ragged": ragged}
    if sequence[2] is not None:
        layout = dict(zip(("id", "time", "state"), sequence, strict=True))
    given = {"missing": domain.missing.get(place), "other": domain.other.get(place)}
    table, words = _read_words(file, domain.alphabets[place], layout, **given)
    return _Public(table, layout, words)


def _from_public(public: _Public, support: Path | None, pseudocount: str) -> "MarkovChain":
    """The shares of their transitions. Errors: ModelError by word and row."""
    from privet.chains import MarkovChain
    from privet.releasing.rows import rows_named

    possible = None if support is None else _support_over(support, public.words.alphabet)
    with rows_named(*public):
        return MarkovChain.fit(public.words, pseudocount=pseudocount, support=possible)


def _same_symbols(support: Path, listed: list[Hashable] | None) -> list[Hashable]:
    from privet.cli.models import symbols_of

    return symbols_of(_read_support(support).alphabet, listed, support)


def _read_words(
    file: Path, alphabet: "Alphabet", layout: "Layout", **stand_ins: Any
) -> "tuple[pa.Table, Words]":
    from privet.releasing.table_words import frame_of, read_sequences

    table = frame_of(file, layout).table
    return table, read_sequences(table, alphabet, layout, **stand_ins).words


def _support_over(support: Path, alphabet: "Alphabet") -> "Language":
    """The support in the order of `alphabet`. Errors: ModelError naming the file."""
    from privet.chains.fitting import read_possible
    from privet.cli.models import over
    from privet.errors import ModelError

    _same_symbols(support, [*alphabet.symbols])
    language = over(_read_support(support), alphabet)
    try:
        read_possible(language, None, alphabet)
    except ModelError as error:
        raise ModelError(
            f"The model {support} is no support of a chain: {error.message}",
            hint=error.hint.replace("give no support", "leave --support out"),
            path=str(support),
        ) from None
    return language


def _from_release(
    file: Path,
    receipt: Path,
    support: Path | None,
    pseudocount: str,
    confidence: str,
    changed_file: bool,
    tick: Any,
) -> "TransitionEstimate":
    """The chain behind a release. Errors: DataError for one that tells nothing of it."""
    from privet import estimate
    from privet.errors import DataError
    from privet.releasing import Receipt, can_estimate
    from privet.releasing.reading import check_file

    known = Receipt.read(receipt)
    if known.kind != "words" or not known.layout.keys() & {"state", "columns"}:
        raise DataError(
            "The receipt is not of released sequences.",
            hint="A chain is learnt from what privet release words wrote.",
        )
    mechanism = known.mechanism()
    if "decoded" in known.layout or not can_estimate(mechanism):
        what = (
            "decoded words" if "decoded" in known.layout else f"a release of the {mechanism.title}"
        )
        raise DataError(
            f"A chain cannot be learnt from {what}: symbols must have been released one by one.",
            hint="Use a release of --mechanism randomized-response without --decode; privet decode "
            "decodes it later at no cost to privacy.",
        )
    if not changed_file:
        check_file(file, known)
    alphabet = mechanism.alphabet  # type: ignore[attr-defined]  # words have Hamming mechanisms
    possible = None if support is None else _support_over(support, alphabet)
    _, words = _read_words(file, alphabet, known.layout)
    tick("learning the chain", 0, 0)
    return estimate.transitions(
        words,
        mechanism,
        pseudocount=pseudocount,
        support=possible,
        confidence=confidence,
    )


def _with_origin(chain: "MarkovChain", file: Path, receipt: Path) -> "MarkovChain":
    """The chain, said to be learnt from that release."""
    from privet.privacy.guarantee import decimal_up
    from privet.releasing import Receipt
    from privet.releasing.files import sha256_of

    epsilon = decimal_up(Receipt.read(receipt).guarantee.epsilon)
    name = file.name.encode("utf-8", "backslashreplace").decode()
    return chain.with_origin(file=name, sha256=sha256_of(file), epsilon=epsilon)


def _notes(
    chain: "MarkovChain", support: "Language | None", found: "TransitionEstimate | None"
) -> list[str]:
    from privet.cli.models import over
    from privet.errors import ModelError
    from privet.languages import Language
    from privet.releasing.leaving import first_leaving

    notes = [PUBLIC] if found is None else [*found.notes, LEARNT]
    if support is not None:
        may = "a chain remembers one state only, so this one can leave the language of --support"
        try:
            left = first_leaving(Language.from_chain(chain), over(support, chain.alphabet))
        except ModelError:  # too large to compare
            notes.append(may)
        else:
            notes += [] if left is None else [f"{may}: {left}"]
    return notes


def _as_json(
    path: Path, chain: "MarkovChain", found: "TransitionEstimate | None", notes: list[str]
) -> dict[str, Any]:
    import math

    content: dict[str, Any] = {"output": str(path), "chain": chain.to_json(), "notes": notes}
    if found is not None:
        rows = found.to_rows()
        for row in rows:
            if math.isinf(row["standard_error"]):
                row["standard_error"] = None
        content |= {
            "transitions": rows,
            "log_likelihood": found.log_likelihood,
            "iterations": found.iterations,
            "converged": found.converged,
            "confidence": float(found.confidence),
        }
    return content


def _print(path: Path, chain: "MarkovChain", found: "TransitionEstimate | None") -> None:
    from privet.chains.show import LARGEST_TABLE, step_rows
    from privet.cli.output import print_table, print_text

    names = chain.states
    if len(names) <= LARGEST_TABLE:
        errors = None if found is None else found.all_standard_errors
        print_table("Probability of the next symbol", *step_rows(chain, errors))
    if found is not None:
        print_text(
            "Each with its standard error, if the sequences are of one chain; 'unknown' where the "
            "release does not tell."
        )
    print_text(f"Chain: {path} ({len(names)} states)")
