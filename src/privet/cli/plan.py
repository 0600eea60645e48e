"""`privet plan`: every applicable mechanism at one guarantee, before anything is spent."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.ledger_options import AccountName, LedgerUrl, account_in
from privet.cli.output import AsJson
from privet.cli.places import shipped
from privet.cli.plan_table import Columns, RowsPerPerson, SchemaFile, Split, TableOptions
from privet.cli.query_options import Box, Initial, Levels, Nodes_
from privet.cli.release_common import Symbols
from privet.cli.release_words import CalibrationSeconds

if TYPE_CHECKING:
    from privet.chains import MarkovChain
    from privet.languages import Language
    from privet.releasing import Plan
    from privet.symbols import Alphabet

EXAMPLE = (
    "privet plan --symbols low,middle,high --length 72 --epsilon 1,4 "
    "--adjacency 2 --rows 500 --plot errors.svg"
)

MODEL_EXAMPLE = f"privet plan --chain {shipped('quintiles.json')} --length 81 --epsilon 3"

_CURVE_POINTS = 65
_MARGIN = 2.0
"""The picture reaches beyond the epsilons asked for by this factor."""

Epsilons = Annotated[
    list[str],
    typer.Option("--epsilon", "-e", metavar="E[,E...]", help="The guarantee; several compare."),
]
AlphabetSize = Annotated[
    int | None, typer.Option(metavar="M", help="How many symbols there are, instead of a list.")
]
LanguageFile = Annotated[
    Path | None,
    typer.Option(
        metavar="MODEL.json",
        help="The words that can happen: a language (a pattern, allowed transitions or an "
        "automaton), or a chain's words.",
    ),
]
ChainFiles = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="CHAIN.json",
        help="A public Markov chain: compare decoding with it too; with --query the chain of "
        "the series, repeated for several.",
    ),
]
Length = Annotated[
    int,
    typer.Option(
        "--length", "-n", metavar="N", help="Symbols of a word, steps of a series; 1 a column."
    ),
]
Adjacency = Annotated[
    int,
    typer.Option("--adjacency", "-b", metavar="B", help="How many symbols of a word to protect."),
]
Delta = Annotated[
    str,
    typer.Option(metavar="D", help="Additional probability, used where one symbol is protected."),
]
Rows = Annotated[
    int | None,
    typer.Option(metavar="N", help="Add the standard error of a share from N rows (words)."),
]
QueryText = Annotated[
    str | None,
    typer.Option(
        "--query",
        "-q",
        metavar="QUERY",
        help="Plan a query about series instead, as privet release query takes it: histogram, "
        "count=STATE, ...",
    ),
]
Persons = Annotated[
    int | None,
    typer.Option(metavar="N", help="For --query: how many series are asked about together."),
]
Calibrated = Annotated[
    str,
    typer.Option(
        metavar="HOW",
        help="With --language, exact: look for the largest rate of the exponential mechanism "
        "that is certified; auto: for one that is certified in seconds; paper: for none.",
    ),
]
Plot = Annotated[
    Path | None,
    typer.Option(metavar="FILE.svg", help="Draw error against epsilon for every mechanism."),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Let an existing plot be replaced.")]


def plan(
    epsilon: Epsilons,
    symbols: Symbols = None,
    alphabet_size: AlphabetSize = None,
    column: Columns = None,
    schema: SchemaFile = None,
    split: Split = None,
    rows_per_person: RowsPerPerson = None,
    language: LanguageFile = None,
    chain: ChainFiles = None,
    length: Length = 1,
    adjacency: Adjacency = 1,
    delta: Delta = "0",
    rows: Rows = None,
    query: QueryText = None,
    levels: Levels = None,
    box: Box = None,
    initial: Initial = None,
    nodes: Nodes_ = None,
    persons: Persons = None,
    calibration: Calibrated = "auto",
    calibration_seconds: CalibrationSeconds = 60.0,
    ledger: LedgerUrl = None,
    account: AccountName = None,
    plot: Plot = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Compare the mechanisms at the same guarantee and recommend one; no data are needed.

    Shares can be estimated from a release only where the column "estimate" says so. --rows adds the
    largest standard error of the share of a symbol, at one position of the words, that the
    mechanism's noise alone gives.

    With --language every mechanism is asked whether its words can happen ("possible"); with --chain
    randomised response is also decoded (in Python privet.decode), which is free. A chain alone is
    also the language of its words. Errors without a formula are simulated, with their standard
    error. Models must be public. Looking for a certified rate takes seconds for each epsilon; with
    --calibration exact up to a minute.

    With --column or --schema the plan is for privet release table: the share of wrong values of
    each column, and with --rows the standard error of a share in each and in their joint table. In
    Python: privet.plan_table.

    With --query the plan is for privet release query: a statistic of series whose steps depend on
    each other, with --chain or --box, --initial, --length, --nodes and --persons. It compares the
    Markov Quilt Mechanism, propagation and the others, and the plot adds influence against
    distance. In Python: privet.plan and privet.plan_query.

    With --ledger and --account each row says what the release would cost on top of what was
    released of these data before, and whether the budget allows it; nothing is charged.
    """
    from privet.cli.plan_query import compare_queries
    from privet.cli.plan_table import compare_columns
    from privet.exact import read_count

    if table := TableOptions(column, schema, split, rows_per_person):
        _refuse_for_table(symbols, alphabet_size, language, chain, query, length, adjacency)
        with account_in(ledger, account) as charged:
            compare_columns(
                _read_targets(epsilon),
                table,
                delta=delta,
                rows=rows,
                ledger=charged,
                plot=plot,
                overwrite=overwrite,
                as_json=as_json,
            )
        return
    if query is not None:
        _refuse_for_query(symbols, alphabet_size, language, rows, adjacency != 1, delta != "0")
        if plot is not None:
            check_plot(plot, overwrite)
        with account_in(ledger, account) as charged:
            compare_queries(
                _read_targets(epsilon),
                query,
                levels=levels,
                chains=chain,
                box=box,
                initial=initial,
                length=length,
                nodes=nodes,
                persons=1 if persons is None else persons,
                ledger=charged,
                plot=plot,
                as_json=as_json,
            )
        return
    _refuse_without_query(levels, box, initial, nodes, persons)
    target, model = _target(symbols, alphabet_size, language, _one_chain(chain))
    if plot is not None:
        _refuse_plot_of(target, model)
    targets = _read_targets(epsilon)
    size = None if rows is None else read_count(rows, "--rows")
    if plot is not None:
        check_plot(plot, overwrite)
    with account_in(ledger, account) as charged:
        options = {
            "length": length,
            "adjacency": adjacency,
            "delta": delta,
            "chain": model,
            "ledger": charged,
            "rows": size,
            "calibration": calibration,
            "seconds": calibration_seconds,
        }
        _compare_words(target, targets, options, plot, overwrite, as_json)


def _read_targets(epsilon: Sequence[str]) -> list[Fraction]:
    """The epsilons of an option that may be repeated and may hold several."""
    from privet.exact import read_epsilon

    return [read_epsilon(part) for text in epsilon for part in text.split(",")]


def _compare_words(
    target: "Language",
    targets: Sequence[Fraction],
    options: dict[str, Any],
    plot: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Print a plan for each epsilon, and draw the picture; `options`: of `releasing.plan`."""
    from privet import releasing
    from privet.cli.output import Ticker, print_json

    plans = []
    with Ticker() as tick:
        for number, wanted in enumerate(targets):
            tick(f"planning for epsilon {float(wanted):g}", number, len(targets))
            plans.append(releasing.plan(target, epsilon=wanted, progress=tick, **options))
        if plot is not None:
            _draw(plot, target.alphabet, plans, tick, overwrite)
    rows = options["rows"]
    if as_json:
        print_json(_as_json(plans, rows, plot))
    else:
        _print(plans, rows, plot)


def _refuse_without_query(*given: object) -> None:
    """Options that only a query has a use for."""
    from privet.errors import ParameterError

    if any(option is not None for option in given):
        raise ParameterError(
            "--levels, --box, --initial, --nodes and --persons are for queries.",
            hint="Add --query, or leave them out.",
        )


def _refuse_for_table(
    symbols: str | None,
    size: int | None,
    language: Path | None,
    chain: Sequence[Path] | None,
    query: str | None,
    length: int,
    adjacency: int,
) -> None:
    """Options that a table has no use for."""
    from privet.errors import ParameterError

    if any((symbols, size, language, chain, query)) or (length, adjacency) != (1, 1):
        raise ParameterError(
            "--symbols, --alphabet-size, --language, --chain, --query, --length and --adjacency "
            "are not for tables.",
            hint="With --column or --schema every column has its own categories, and a row is one "
            "record.",
        )


def _refuse_for_query(*given: object) -> None:
    """Options that a query has no use for."""
    from privet.errors import ParameterError

    if any(given):
        raise ParameterError(
            "--symbols, --alphabet-size, --language, --rows, --adjacency and --delta are not for "
            "queries.",
            hint="With --query the states are those of the chain, and any one step is protected.",
        )


def _one_chain(chains: Sequence[Path] | None) -> Path | None:
    from privet.errors import ParameterError

    if chains and len(chains) > 1:
        raise ParameterError(
            "Words are decoded with one chain.", hint="Several chains are for --query."
        )
    return chains[0] if chains else None


def _target(
    symbols: str | None, size: int | None, language: Path | None, chain: Path | None
) -> "tuple[Language, MarkovChain | None]":
    """The words to plan for, and the chain. Errors: FileFormatError, ModelError by place."""
    from privet.cli.models import read_chain_file, read_language_file, symbols_of
    from privet.cli.options import read_symbol_list
    from privet.errors import ParameterError
    from privet.languages import Language

    model = None if chain is None else read_chain_file(chain, "--chain")
    if language is None and chain is None:
        return Language.all(_alphabet(symbols, size)), None
    if size is not None:
        raise ParameterError(
            "A model has its own symbols.", hint="Leave --alphabet-size out.", parameter="symbols"
        )
    if language is not None:
        words, place = read_language_file(language), language
    elif model is not None and chain is not None:
        words, place = Language.from_chain(model), chain
    if symbols is not None:
        symbols_of(words.alphabet, read_symbol_list(symbols, "--symbols"), place)
    return words, model


def _alphabet(symbols: str | None, size: int | None) -> "Alphabet":
    from privet.cli.options import read_symbol_list
    from privet.errors import ParameterError
    from privet.exact import read_count
    from privet.symbols import Alphabet

    if (symbols is None) == (size is None):
        raise ParameterError(
            "A plan needs either --symbols or --alphabet-size.",
            hint="For example --symbols low,middle,high or --alphabet-size 3.",
        )
    if symbols is not None:
        return Alphabet(read_symbol_list(symbols, "--symbols"))
    return Alphabet(
        range(read_count(size if size is not None else 0, "--alphabet-size", minimum=2))
    )


def _refuse_plot_of(target: "Language", chain: "MarkovChain | None") -> None:
    from privet.errors import ParameterError

    if chain is not None or not target.is_all:
        raise ParameterError(
            "The plot has mechanisms on all words only.",
            hint="Leave out --plot, or --language and --chain.",
        )


def check_plot(path: Path, overwrite: bool) -> None:
    """Refuse a plot that could not be drawn or written, before anything is computed."""
    from privet.errors import ParameterError
    from privet.releasing.files import check_destination
    from privet.reports.plots import require_matplotlib

    if path.suffix.lower() != ".svg":
        raise ParameterError(
            f"The plot {path} does not end in .svg.", hint="Plots are written as SVG."
        )
    check_destination(path, overwrite=overwrite)
    require_matplotlib()


def _draw(
    path: Path, alphabet: "Alphabet", plans: Sequence["Plan"], tick: Any, overwrite: bool
) -> None:
    """A curve over the epsilons asked for and a margin."""
    from privet.releasing import plan_curve
    from privet.reports.plots import write_error_plot

    first = plans[0]
    grid = curve_grid([plan.epsilon for plan in plans])
    tick("drawing the curves", 0, 0)
    curves = plan_curve(
        alphabet,
        epsilons=grid,
        length=first.length,
        adjacency=first.adjacency,
        delta=first.delta,
    )
    write_error_plot(
        path,
        curves,
        marked=[float(plan.epsilon) for plan in plans],
        alphabet_size=first.alphabet_size,
        length=first.length,
        adjacency=first.adjacency,
        overwrite=overwrite,
    )


def curve_grid(targets: Sequence[Fraction]) -> list[Fraction]:
    """Epsilons for a curve: the asked ones are among them, so that they lie on it."""
    from privet.exact.number import LARGEST_EPSILON

    low = float(min(targets)) / _MARGIN
    high = min(float(max(targets)) * _MARGIN, float(LARGEST_EPSILON))
    step = (high / low) ** (1 / (_CURVE_POINTS - 1))
    # Four digits are enough for a curve, and short decimals make short exact numbers.
    points = [Fraction(f"{low * step**number:.4g}") for number in range(_CURVE_POINTS)]
    return sorted({*points, *targets})


def _as_json(plans: Sequence["Plan"], rows: int | None, plot: Path | None) -> dict[str, Any]:
    listed = [plan.to_json() for plan in plans]
    if rows is not None:
        for plan, content in zip(plans, listed, strict=True):
            content["rows"] = rows
            for row, mechanism in zip(plan.rows, content["mechanisms"], strict=True):
                mechanism["standard_error"] = row.standard_error(rows)
    return {"plans": listed, "plot": None if plot is None else str(plot)}


def _print(plans: Sequence["Plan"], rows: int | None, plot: Path | None) -> None:
    from privet.cli.output import print_blank, print_table, print_text
    from privet.releasing.plan_text import footnotes, plan_rows, title

    for plan in plans:
        print_table(title(plan), *plan_rows(plan, rows), marked=[plan.rows.index(plan.recommended)])
        print_text(f"* Recommended: {plan.reason}", style="bold")
        print_blank()
    for note in footnotes(plans, rows):
        print_text(note, style="dim")
    if plot is not None:
        print_text(f"Error against epsilon for every mechanism: {plot}")
