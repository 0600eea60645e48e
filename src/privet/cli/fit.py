"""`privet fit`: a Markov chain of what sequences are like, from public or from released ones."""

from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from privet.cli.places import shipped
from privet.cli.release_common import Missing, Other

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from privet.chains import MarkovChain
    from privet.estimate import TransitionEstimate
    from privet.languages import Language
    from privet.symbols import Alphabet, Words

EXAMPLE = (
    f"privet fit {shipped('income')} --id state --time year --state quintile --symbols 1..5 "
    "--pseudocount 1 -o chain.json"
)

PUBLIC = (
    "the chain holds the steps of these sequences without any protection: fit it to public "
    "sequences only, and learn from protected ones by releasing them first (--receipt)"
)

_LARGEST_TABLE = 12


def fit(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Public sequences, or a release of sequences.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="CHAIN.json", help="Where the chain goes.")
    ],
    receipt: Annotated[
        Path | None,
        typer.Option(metavar="RECEIPT", help="FILE is a release: learn from it, minus its noise."),
    ] = None,
    id: Annotated[  # noqa: A002  # the option is --id
        str | None,
        typer.Option(metavar="COLUMN", help="Long table: whose sequence an entry is of."),
    ] = None,
    time: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Long table: when an entry is.")
    ] = None,
    state: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Long table: the symbol.")
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="A,B,...", help="Wide table: the columns of a word, in order; d1..d9 or 'd*'."
        ),
    ] = None,
    ragged: Annotated[
        bool, typer.Option("--ragged", help="Wide table: words may end early.")
    ] = False,
    symbols: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="The public symbols; 0..6 is the numbers 0 to 6."),
    ] = None,
    support: Annotated[
        Path | None,
        typer.Option(metavar="MODEL.json", help="Only steps that this language, or chain, allows."),
    ] = None,
    missing: Missing = None,
    other: Other = None,
    pseudocount: Annotated[
        str,
        typer.Option(metavar="P", help="Added to the count of every possible step and start."),
    ] = "0",
    confidence: Annotated[
        str, typer.Option(metavar="C", help="Of the intervals in --json, from a release.")
    ] = "0.95",
    changed_file: Annotated[
        bool,
        typer.Option("--changed-file", help="Read a release that was changed since."),
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Let an existing CHAIN.json be replaced.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead.")] = False,
) -> None:
    """Learn a Markov chain of the symbols, for --decode, --language and plan --chain.

    From public sequences (--id, --time and --state, or --columns): the shares of their steps. Never
    give it the sequences that are to be protected: the chain would give away their counts.

    From a release (--receipt): the most likely chain behind it, with the mechanism's noise undone,
    and standard errors. That costs no privacy. In Python: privet.MarkovChain.fit and
    privet.estimate.transitions.
    """
    from privet.cli import say
    from privet.cli.output import Ticker, print_json
    from privet.releasing.files import check_destination

    inputs = [place for place in (file, receipt, support) if place is not None]
    check_destination(output, inputs=inputs, overwrite=overwrite)
    words = None if support is None else _read_support(support)
    with Ticker() as tick:
        tick(f"reading {file.name}", 0, 0)
        found: TransitionEstimate | None = None
        if receipt is not None:
            _refuse_for_release(id, time, state, columns, ragged, symbols, missing, other)
            found = _from_release(
                file, receipt, support, pseudocount, confidence, changed_file, tick
            )
            chain = found.chain
        else:
            _refuse_unmarked_release(file)
            stand_ins = (missing or [], other or [])
            public = _public_words(
                file, (id, time, state), columns, ragged, symbols, support, stand_ins
            )
            chain = _from_public(public, words, pseudocount)
        _write(output, chain)
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
    """Counting the steps of a release would give the chain of the noise."""
    from privet.errors import ParameterError
    from privet.releasing.files import receipt_path_for

    place = receipt_path_for(file)
    if place.is_file():
        raise ParameterError(
            f"{file} is a release: {place} is beside it.",
            hint=f"Add --receipt {place} to undo the noise; its steps as they are would be those "
            "of the noise.",
        )


def _public_words(
    file: Path,
    sequence: tuple[str | None, str | None, str | None],
    columns: list[str] | None,
    ragged: bool,
    symbols: str | None,
    support: Path | None,
    stand_ins: tuple[list[str], list[str]],
) -> "Words":
    """The sequences of a file. Errors: as reading a table, by place."""
    from privet.cli.options import read_names, read_symbol_list, settle_domain
    from privet.errors import ParameterError

    wide = read_names(columns or [])
    given = [name is not None for name in sequence]
    if bool(wide) == any(given) or any(given) != all(given):
        raise ParameterError(
            "Sequences need either --id, --time and --state together, or --columns.",
            hint="A long table has one row an entry; a wide table has one row a sequence. For a "
            "release, give its --receipt instead.",
        )
    if symbols is None and support is None:
        raise ParameterError(
            "The sequences have no alphabet.", hint="List the public symbols, --symbols a,b,c."
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
    return _read_words(
        file,
        domain.alphabets[place],
        sequence,
        wide,
        ragged,
        missing=domain.missing.get(place),
        other=domain.other.get(place),
    )


def _same_symbols(support: Path, listed: list[Hashable] | None) -> list[Hashable]:
    from privet.cli.models import symbols_of

    return symbols_of(_read_support(support).alphabet, listed, support)


def _read_words(
    file: Path,
    alphabet: "Alphabet",
    sequence: tuple[str | None, str | None, str | None],
    wide: list[str],
    ragged: bool,
    **stand_ins: Any,
) -> "Words":
    from privet.data import (
        expand_columns,
        names_in_file,
        read_table,
        words_from_long,
        words_from_wide,
    )
    from privet.releasing.reading import as_symbols

    def typed(table: Any, columns: list[str]) -> Any:
        for name in columns:
            place = table.column_names.index(name)
            table = table.set_column(place, name, as_symbols(table.column(name), alphabet))
        return table

    id_, time, state = sequence
    if id_ is not None and time is not None and state is not None:
        table = typed(read_table(file, columns=[id_, time, state]), [state])
        return words_from_long(table, alphabet, id=id_, time=time, state=state, **stand_ins).words
    names = expand_columns(names_in_file(file), wide)
    table = typed(read_table(file, columns=names), names)
    return words_from_wide(table, alphabet, names, ragged=ragged, **stand_ins).words


def _from_public(words: "Words", support: "Language | None", pseudocount: str) -> "MarkovChain":
    from privet.chains import MarkovChain

    steps = None if support is None else _steps(support)
    return MarkovChain.fit(words, pseudocount=pseudocount, support=steps)


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
    from privet.cli.estimate import check_file
    from privet.errors import DataError
    from privet.releasing import Receipt, can_estimate

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
            hint="Use a release of --mechanism randomized-response without --decode; decoding it "
            "later costs no privacy.",
        )
    if not changed_file:
        check_file(file, known)
    layout = known.layout
    alphabet = mechanism.alphabet  # type: ignore[attr-defined]  # words have Hamming mechanisms
    steps = None
    if support is not None:
        steps = _steps_for(support, alphabet)
    sequence = (layout.get("id"), layout.get("time"), layout.get("state"))
    words = _read_words(
        file, alphabet, sequence, layout.get("columns", []), bool(layout.get("ragged"))
    )
    tick("learning the chain", 0, 0)
    return estimate.transitions(
        words, mechanism, pseudocount=pseudocount, support=steps, confidence=confidence
    )


def _steps(language: "Language") -> "npt.NDArray[np.bool_]":
    """(k, k): which symbol follows which in some word of the language."""
    import numpy as np

    size, table = len(language.alphabet), language.automaton.transitions
    possible = np.zeros((size, size), bool)
    for symbol in range(size):
        after = np.unique(table[:, symbol])
        possible[symbol] = (table[after[after >= 0]] >= 0).any(axis=0)
    return possible


def _steps_for(support: Path, alphabet: "Alphabet") -> "npt.NDArray[np.bool_]":
    """The same, rows and columns in the order of `alphabet`. Errors: ModelError."""
    import numpy as np

    own = [str(symbol) for symbol in _same_symbols(support, [*alphabet.symbols])]
    order = [own.index(str(symbol)) for symbol in alphabet.symbols]
    return _steps(_read_support(support))[np.ix_(order, order)]


def _write(path: Path, chain: "MarkovChain") -> None:
    """The chain as a model file, checked by reading it back before it gets its name."""
    import json

    from privet.chains import model_from_json
    from privet.data import write_whole

    content = chain.to_json()
    model_from_json(content)
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def write(stream: BinaryIO) -> None:
        stream.write(text.encode())

    write_whole(path, write)


def _notes(
    chain: "MarkovChain", support: "Language | None", found: "TransitionEstimate | None"
) -> list[str]:
    from privet.languages import Language

    notes = [PUBLIC] if found is None else list(found.notes)
    if support is not None:
        words = Language.from_chain(chain)
        if support.alphabet == words.alphabet and support & words != words:
            notes.append(
                "a chain remembers one step only, so this one can leave the language of --support"
            )
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
            "steps": rows,
            "log_likelihood": found.log_likelihood,
            "iterations": found.iterations,
            "converged": found.converged,
            "confidence": float(found.confidence),
        }
    return content


def _print(path: Path, chain: "MarkovChain", found: "TransitionEstimate | None") -> None:
    from privet.cli.output import print_table, print_text

    names = [str(symbol) for symbol in chain.states]
    errors = None if found is None else [found.initial_standard_errors, *found.standard_errors]
    if len(names) <= _LARGEST_TABLE:
        rows = []
        for number, (name, row) in enumerate(
            zip(["(start)", *names], [chain.initial, *chain.transition], strict=True)
        ):
            own = None if errors is None else errors[number]
            rows.append(
                [name, *(_cell(p, None if own is None else own[j]) for j, p in enumerate(row))]
            )
        print_table("Probability of the next symbol", ["after", *names], rows)
    if found is not None:
        print_text("Each with its standard error; 'unknown' where the release does not tell.")
    print_text(f"Chain: {path} ({len(names)} states)")


def _cell(probability: float, error: float | None) -> str:
    import math

    if error is None:
        return f"{probability:.4f}"
    if math.isinf(error):
        return f"{probability:.3f} unknown"
    return f"{probability:.3f} +- {error:.3f}" if error else f"{probability:.3f}"
