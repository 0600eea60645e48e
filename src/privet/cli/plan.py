"""`privet plan`: every applicable mechanism at one guarantee, before anything is spent."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from privet.releasing import Plan, PlanRow
    from privet.symbols import Alphabet

EXAMPLE = (
    "privet plan --symbols low,middle,high --length 72 --epsilon 1,4 "
    "--adjacency 2 --rows 500 --plot errors.svg"
)

_CURVE_POINTS = 65
_MARGIN = 2.0
"""The picture reaches beyond the epsilons asked for by this factor."""


def plan(
    epsilon: Annotated[
        list[str],
        typer.Option("--epsilon", "-e", metavar="E[,E...]", help="The guarantee; several compare."),
    ],
    symbols: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="The public symbols; 0..6 is the numbers 0 to 6."),
    ] = None,
    alphabet_size: Annotated[
        int | None, typer.Option(metavar="M", help="How many symbols there are, instead of a list.")
    ] = None,
    length: Annotated[
        int, typer.Option("--length", "-n", metavar="N", help="Symbols of a word; 1 for a column.")
    ] = 1,
    adjacency: Annotated[
        int,
        typer.Option(
            "--adjacency", "-b", metavar="B", help="How many symbols of a word to protect."
        ),
    ] = 1,
    delta: Annotated[
        str,
        typer.Option(
            metavar="D", help="Additional probability, used where one symbol is protected."
        ),
    ] = "0",
    rows: Annotated[
        int | None,
        typer.Option(metavar="N", help="Add the standard error of a share from N rows (words)."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg", help="Draw error against epsilon for every mechanism."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Let an existing plot be replaced.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead.")] = False,
) -> None:
    """Compare the mechanisms at the same guarantee and recommend one; no data are needed.

    Shares can be estimated from a release only where the column "estimate" says so. --rows adds the
    largest standard error of the share of a symbol, at one position of the words, that the
    mechanism's noise alone gives.
    """
    from privet import releasing
    from privet.cli.output import Ticker, print_json
    from privet.exact import read_count, read_epsilon

    alphabet = _alphabet(symbols, alphabet_size)
    targets = [read_epsilon(part) for text in epsilon for part in text.split(",")]
    size = None if rows is None else read_count(rows, "--rows")
    if plot is not None:
        _check_plot(plot, overwrite)
    with Ticker() as tick:
        plans = []
        for number, target in enumerate(targets):
            tick(f"planning for epsilon {float(target):g}", number, len(targets))
            plans.append(
                releasing.plan(
                    alphabet, epsilon=target, length=length, adjacency=adjacency, delta=delta
                )
            )
        if plot is not None:
            _draw(plot, alphabet, plans, tick)
    if as_json:
        print_json(_as_json(plans, size, plot))
    else:
        _print(plans, size, plot)


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


def _check_plot(path: Path, overwrite: bool) -> None:
    from privet.errors import ParameterError
    from privet.releasing.files import check_destination
    from privet.reports.plots import require_matplotlib

    if path.suffix.lower() != ".svg":
        raise ParameterError(
            f"The plot {path} does not end in .svg.", hint="Plots are written as SVG."
        )
    check_destination(path, overwrite=overwrite)
    require_matplotlib()


def _draw(path: Path, alphabet: "Alphabet", plans: Sequence["Plan"], tick: Any) -> None:
    """A curve over the epsilons asked for and a margin."""
    from privet.releasing import plan_curve
    from privet.reports.plots import write_error_plot

    first = plans[0]
    grid = _grid([plan.epsilon for plan in plans])
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
    )


def _grid(targets: Sequence[Fraction]) -> list[Fraction]:
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

    errors = [] if rows is None else ["std. error"]
    for plan in plans:
        print_table(
            _title(plan),
            ["mechanism", "epsilon spent", "wrong", "share", *errors, "estimate"],
            [_cells(row, rows) for row in plan.rows],
            marked=[plan.rows.index(plan.recommended)],
        )
        print_text(f"* Recommended: {plan.reason}", style="bold")
        print_blank()
    for note, titles in _notes(plans).items():
        print_text(f"{', '.join(titles)}: {note}.", style="dim")
    print_text(
        "* marks the recommended mechanism. 'wrong': how many symbols are expected to differ from "
        "the data, and their share; 'estimate': whether privet estimate can read a release.",
        style="dim",
    )
    if rows is not None:
        size = "1 row" if rows == 1 else f"{rows:,} rows"
        print_text(
            f"'std. error': the largest one of a symbol's share at one position, from {size}, of "
            "the mechanism's noise alone.",
            style="dim",
        )
    if plot is not None:
        print_text(f"Error against epsilon for every mechanism: {plot}")


def _title(plan: "Plan") -> str:
    from privet.privacy.guarantee import decimal_up

    what = "1 symbol" if plan.length == 1 else f"words of {plan.length} symbols"
    protected = f", protecting any {plan.adjacency} of them"
    if plan.adjacency == plan.length:
        protected = "" if plan.length == 1 else ", protecting the whole word"
    elif plan.adjacency == 1:
        protected = ", protecting any one of them"
    delta = ""
    if plan.delta:
        unused = " (not used)" if plan.adjacency > 1 else ""
        delta = f", delta = {decimal_up(plan.delta)}{unused}"
    return (
        f"epsilon = {decimal_up(plan.epsilon, 6)}{delta}: {what} out of {plan.alphabet_size}"
        f"{protected}"
    )


def _cells(row: "PlanRow", rows: int | None) -> list[str]:
    from privet.cli.output import percent, plain
    from privet.privacy.guarantee import decimal_up

    error = None if rows is None else row.standard_error(rows)
    return [
        row.title,
        decimal_up(row.spent, 5),
        plain(row.expected_errors),
        percent(row.share_wrong),
        *([] if rows is None else ["-" if error is None else percent(error)]),
        "yes" if row.can_estimate else "no",
    ]


def _notes(plans: Sequence["Plan"]) -> dict[str, list[str]]:
    """{note: titles of the rows that have it}, each once however many plans have it."""
    notes: dict[str, list[str]] = {}
    for plan in plans:
        for row in plan.rows:
            if row.note and row.title not in notes.setdefault(row.note, []):
                notes[row.note].append(row.title)
    return notes
