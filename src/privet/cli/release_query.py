"""`privet release query`: one statistic of series whose steps depend on each other."""

import sys
from collections.abc import Hashable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.ledger_options import AccountName, ChargedPerson, LedgerUrl, account_in
from privet.cli.places import shipped
from privet.cli.query_options import (
    Asked,
    Box,
    Chains,
    Initial,
    Levels,
    Nodes_,
    read_framework,
    read_nodes_option,
    read_query_option,
)
from privet.cli.release_common import (
    AsJson,
    File,
    Overwrite,
    ReceiptFile,
    Roles,
    protect_schema,
    release_is_made,
)

if TYPE_CHECKING:
    from privet.releasing import Release
    from privet.symbols import Alphabet

EXAMPLE = (
    f"privet release query {shipped('income')} --id state --time year --state quintile "
    f"--query histogram --chain {shipped('quintiles.json')} --initial any --epsilon 1 "
    "-o histogram.csv"
)


StepEpsilon = Annotated[
    str, typer.Option("--epsilon", "-e", metavar="E", help="For any one step of a series.")
]
AnswerFile = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="OUT", help="Where the answer goes; OUT.json for JSON."),
]
Id = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Long table: whose series a row is of; one without."),
]
Time = Annotated[str | None, typer.Option(metavar="COLUMN", help="Long table: when a row is.")]
State = Annotated[str | None, typer.Option(metavar="COLUMN", help="Long table: the state then.")]
Columns = Annotated[
    list[str] | None,
    typer.Option(metavar="A,B,...", help="Wide table: the columns of a series, in order; or 'd*'."),
]
Ragged = Annotated[bool, typer.Option("--ragged", help="Wide table: series may end early.")]
Method = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="How the noise is found: best (of propagation and quilts), propagation, quilt, "
        "group; published and approximate are the Markov Quilt Mechanism; wasserstein.",
    ),
]
Confidence = Annotated[str, typer.Option(metavar="C", help="Of the interval around each number.")]
ChainFromData = Annotated[
    bool,
    typer.Option(
        "--chain-from-data",
        help="The chain was fitted to FILE itself: say so, as the promise is weaker then.",
    ),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(metavar="STATE", help="The state that a missing value counts as."),
]
Other = Annotated[
    list[str] | None,
    typer.Option(metavar="STATE", help="The state that any other label counts as."),
]


def query(
    file: File,
    asked: Asked,
    epsilon: StepEpsilon,
    output: AnswerFile,
    id: Id = None,  # noqa: A002  # the option is --id
    time: Time = None,
    state: State = None,
    columns: Columns = None,
    ragged: Ragged = False,
    levels: Levels = None,
    chain: Chains = None,
    box: Box = None,
    initial: Initial = None,
    method: Method = "best",
    nodes: Nodes_ = None,
    confidence: Confidence = "0.95",
    chain_from_data: ChainFromData = False,
    missing: Missing = None,
    other: Other = None,
    ledger: LedgerUrl = None,
    account: AccountName = None,
    charge_person: ChargedPerson = None,
    receipt: ReceiptFile = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Release one statistic of series whose steps depend on each other.

    The guarantee covers the state of any one step of a series, for whoever knows the chain: what
    the other steps tell of that one is counted. It holds if the series follow one of the chains, so
    these must be public and must be believed; --box and --initial any assume less. Long tables
    without --id are one series; the states are those of the chain.

    The answer gets noise of a known size, and each number an interval. privet plan --query compares
    the methods before anything is spent. In Python: privet.MarkovLaplace and privet.release.
    """
    from privet import releasing
    from privet.cli.output import Ticker

    for model in (*(chain or []), box):
        protect_schema(model, output, receipt, what="model file")
    framework = read_framework(chain, box, initial)
    question = _question(framework.alphabet, asked, levels, nodes)
    series = _series((id, time, state), columns or [], ragged)
    stand_ins = _stand_ins(framework.alphabet, state, missing or [], other or [])
    with account_in(ledger, account, charge_person) as charged, Ticker() as tick:
        done = releasing.release(
            releasing.series_mechanism(framework, epsilon, method),
            file,
            ledger=charged,
            confidence=confidence,
            chains_from_data=chain_from_data,
            **{**question, **series, **stand_ins},
            output=output,
            receipt=receipt,
            overwrite=overwrite,
            progress=tick,
        )
    print_answer(done, output, receipt, as_json)


def _question(
    alphabet: "Alphabet", asked: str, levels: str | None, nodes: str | None
) -> dict[str, Any]:
    """What is asked, as `releasing.release` takes it."""
    return {
        "query": read_query_option(asked, levels, alphabet),
        "nodes": read_nodes_option(nodes),
    }


def _series(roles: Roles, columns: list[str], ragged: bool) -> dict[str, Any]:
    """Where the series are, as `releasing.release` takes it."""
    from privet.cli.options import read_names

    named = dict(zip(("id", "time", "state"), roles, strict=True))
    return {**named, "columns": read_names(columns) or None, "ragged": ragged}


def _stand_ins(
    alphabet: "Alphabet", state: str | None, missing: list[str], other: list[str]
) -> dict[str, Any]:
    """The states that missing values and other labels count as."""
    symbols = [str(symbol) for symbol in alphabet.symbols]
    return {
        "missing": _stand_in(missing, state, symbols, "--missing"),
        "other": _stand_in(other, state, symbols, "--other"),
    }


def _stand_in(
    texts: list[str], state: str | None, symbols: list[str], option: str
) -> Hashable | None:
    """The one symbol that stands in for a series, which in a wide table is all columns."""
    from privet.cli.options import read_stand_ins
    from privet.errors import ParameterError

    if state is not None:
        return read_stand_ins(texts, [state], option, symbols).get(state)
    if any("=" in text and text.strip() not in symbols for text in texts):
        raise ParameterError(
            f"{option} names a column, but the columns of a wide table are one series.",
            hint=f"Give one symbol for all of them: {option} STATE.",
        )
    if len(texts) > 1:
        raise ParameterError(f"{option} is given twice.", hint=f"Give one: {option} STATE.")
    return read_stand_ins(texts, [""], option, symbols).get("") if texts else None


def print_answer(done: "Release", output: Path, receipt: Path | None, as_json: bool) -> None:
    """The answer and its receipt; notes go to the standard error."""
    from privet.cli import say
    from privet.cli.output import print_json
    from privet.releasing.files import receipt_path_for

    known = done.receipt
    place = receipt_path_for(output) if receipt is None else receipt
    for note in known.notes:
        say(f"note: {note}.")
    with release_is_made(output, place):
        if as_json:
            print_json(
                {
                    "output": str(output),
                    "receipt_file": str(place),
                    "answer": list(done.rows),
                    "receipt": known.to_json(),
                }
            )
        else:
            _print_report(done, output, place)
        sys.stdout.flush()


def _print_report(done: "Release", output: Path, place: Path) -> None:
    from privet.cli.output import print_blank, print_text

    known = done.receipt
    print_text(known.sentence, style="bold")
    print_blank()
    print_numbers(done)
    for line in known.spent_lines:
        print_text(line)
    if known.randomness != "private":
        print_text(f"Randomness: {known.randomness}.", style="bold red")
    print_text(f"Answer: {output}")
    print_text(f"Receipt: {place}")


def print_numbers(done: "Release") -> None:
    """The numbers with their intervals, and the error to expect."""
    from privet.cli.output import percent, plain, print_table, print_text
    from privet.releasing import Answer

    answer = done.receipt.parts[0]
    if not isinstance(answer, Answer):
        return
    about = [name for name in done.rows[0] if name not in ("value", "lower", "upper")]
    rows = [
        [
            *(str(row[name]).replace("_", " ") for name in about),
            *(plain(row[name]) for name in ("value", "lower", "upper")),
        ]
        for row in done.rows
    ]
    header = [name.replace("_", " ") for name in about]
    print_table("", [*header, "value", "lower", "upper"], rows, text_columns=len(about))
    print_text(
        f"Each number is expected to be off by {plain(answer.expected_error)}; 'lower' and 'upper' "
        f"hold the true one with probability {percent(float(answer.confidence))}."
    )
