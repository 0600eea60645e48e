"""`privet plan --query`: the noise of every mechanism on a query about series, beforehand."""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.cli.places import shipped

if TYPE_CHECKING:
    from privet.ledger import Account
    from privet.releasing import QueryPlan, QueryRow

EXAMPLE = (
    f"privet plan --query histogram --chain {shipped('quintiles.json')} --initial any --length 81 "
    "--epsilon 1,5"
)

_CURVE_POINTS = 9
_MARGIN = 2.0
_FARTHEST = 200
"""Influence is drawn up to this distance."""


def compare_queries(
    targets: Sequence[Fraction],
    query: str,
    *,
    levels: str | None,
    chains: Sequence[Path] | None,
    box: Path | None,
    initial: str | None,
    length: int,
    nodes: str | None,
    persons: int,
    ledger: "Account | None",
    plot: Path | None,
    as_json: bool,
) -> None:
    """Print a plan for each epsilon, and draw the picture. Errors: as `releasing.plan_query`."""
    from privet import releasing
    from privet.cli.output import Ticker, print_json
    from privet.cli.query_options import read_framework, read_nodes_option, read_query_option

    framework = read_framework(chains, box, initial)
    asked = read_query_option(query, levels, framework.alphabet)
    within = read_nodes_option(nodes)
    with Ticker() as tick:
        plans = []
        for number, wanted in enumerate(targets):
            tick(f"planning for epsilon {float(wanted):g}", number, len(targets))
            plans.append(
                releasing.plan_query(
                    framework,
                    asked,
                    epsilon=wanted,
                    length=length,
                    nodes=within,
                    persons=persons,
                    ledger=ledger,
                )
            )
        if plot is not None:
            _draw(plot, plans, tick)
    if as_json:
        listed = [plan.to_json() for plan in plans]
        print_json({"plans": listed, "plot": None if plot is None else str(plot)})
    else:
        _print(plans, plot)


def _draw(path: Path, plans: Sequence["QueryPlan"], tick: Any) -> None:
    from privet.releasing import scale_curves
    from privet.reports.query_plots import influence_curve, write_query_plot

    first = plans[0]
    tick("drawing the curves", 0, 0)
    curves = scale_curves(
        first.framework,
        first.query,
        epsilons=_grid([plan.epsilon for plan in plans]),
        length=first.length,
        nodes=first.nodes,
        persons=first.persons,
    )
    write_query_plot(
        path,
        curves,
        influence_curve(first.framework, first.length, _FARTHEST),
        marked=[float(plan.epsilon) for plan in plans],
        title=_what(first),
    )


def _grid(targets: Sequence[Fraction]) -> list[Fraction]:
    """Epsilons for a curve: the asked ones are among them, so that they lie on it."""
    low, high = float(min(targets)) / _MARGIN, float(max(targets)) * _MARGIN
    step = (high / low) ** (1 / (_CURVE_POINTS - 1))
    points = [Fraction(f"{low * step**number:.4g}") for number in range(_CURVE_POINTS)]
    return sorted({*points, *targets})


def _what(plan: "QueryPlan") -> str:
    from privet.queries import told

    steps = "1 step" if plan.length == 1 else f"{plan.length} steps"
    who = "one series" if plan.persons == 1 else f"{plan.persons:,} series"
    read = "" if plan.nodes is None else f", steps {plan.nodes[0]} to {plan.nodes[1] - 1} read"
    return f"{told(plan.query.to_json())} of {who} of {steps}{read}"


def _print(plans: Sequence["QueryPlan"], plot: Path | None) -> None:
    from privet.cli.output import print_blank, print_table, print_text
    from privet.privacy.guarantee import decimal_up
    from privet.releasing.plan_text import account_note, notes_of

    quote = plans[0].recommended.ledger
    header = ["mechanism", "--method", "noise scale", "expected error", "95 % within", "spent"]
    for plan in plans:
        print_table(
            f"epsilon = {decimal_up(plan.epsilon, 6)} for any one step: {_what(plan)}",
            [*header, *([] if quote is None else ["account", "allowed"])],
            [_cells(row, quote is not None) for row in plan.rows],
            text_columns=2,
            marked=[plan.rows.index(plan.recommended)],
        )
        print_text(f"* Recommended: {plan.reason}", style="bold")
        print_blank()
    for note, titles in notes_of(plans).items():
        print_text(f"{', '.join(titles)}: {note}.", style="dim")
    print_text(
        "'noise scale' and 'expected error' are of each number that goes out; 'spent': an upper "
        "bound of the epsilon that such a release really costs. This holds for: "
        f"{'; '.join(plans[0].framework.assumptions())}.",
        style="dim",
    )
    if quote is not None:
        print_text(account_note(quote), style="dim")
    if plot is not None:
        print_text(f"Noise against epsilon, and influence against distance: {plot}")


def _cells(row: "QueryRow", quoted: bool) -> list[str]:
    from privet.cli.output import plain
    from privet.privacy.guarantee import decimal_up
    from privet.releasing.plan_text import quote_cells

    numbers = ["-"] * 4
    account = quote_cells(row.ledger) or ["-", "-"] * quoted
    if row.scale is not None and row.spent is not None:
        numbers = [
            plain(float(row.scale)),
            plain(row.expected_error or 0.0),
            plain(row.half_width or 0.0),
            decimal_up(row.spent, 4),
        ]
    return [row.title, row.method, *numbers, *account]
