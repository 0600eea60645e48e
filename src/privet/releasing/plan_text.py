"""A plan as text: in Python's print and on the command line alike.

Contract. Made of the plan alone. Numbers are rounded for reading, those of privacy upward; a note
stands once, however many plans have it.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from privet.plain_text import percent, plain, text_table
from privet.privacy.guarantee import decimal_up
from privet.releasing.feasible import CALIBRATED, FeasiblePlan
from privet.releasing.plan import Plan, PlanRow
from privet.releasing.quoting import Quote

if TYPE_CHECKING:
    from privet.releasing.query_plan import QueryPlan


def plan_text(plan: Plan, rows: int | None = None) -> str:
    """The plan in full; `rows`: add the standard error of a share from so many rows (words)."""
    header, cells = plan_rows(plan, rows)
    best = plan.rows.index(plan.recommended)
    cells[best][0] += " *"
    parts = (title(plan), text_table(header, cells), "", f"* Recommended: {plan.reason}", "")
    return "\n".join((*parts, *footnotes([plan], rows)))


def title(plan: Plan) -> str:
    """The guarantee, and of what."""
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


def plan_rows(plan: Plan, rows: int | None = None) -> tuple[list[str], list[list[str]]]:
    """(header, a row for each mechanism)."""
    errors = [] if rows is None else ["std. error"]
    feasible = isinstance(plan, FeasiblePlan)
    possible = ["possible"] if feasible else []
    account = ["account", "allowed"] if plan.rows[0].ledger is not None else []
    header = ["mechanism", "epsilon spent", *account, "wrong", "share", *errors, "estimate"]
    header += possible
    return header, [_cells(row, rows, feasible) for row in plan.rows]


def footnotes(plans: Sequence[Plan], rows: int | None = None) -> Iterator[str]:
    """What the columns and the titles mean, a sentence or two each."""
    for note, titles in notes_of(plans).items():
        yield f"{', '.join(titles)}: {note}."
    titles_in_use = {row.title for plan in plans for row in plan.rows}
    if any("(paper rate)" in each for each in titles_in_use):
        text = (
            "'paper rate': the published rate, epsilon / (2b) for b protected symbols, which is "
            "safe on any language"
        )
        if any("(exact rate)" in each for each in titles_in_use):
            text += "; 'exact rate': the largest one that still keeps the promise"
        yield f"{text}."
    if CALIBRATED in titles_in_use:
        yield (
            "'certified rate': the largest rate found whose certificate keeps the promise on this "
            "language, so that nearly all of epsilon is spent."
        )
    yield (
        "* marks the recommended mechanism. 'wrong': how many symbols are expected to differ from "
        "the data, and their share; 'estimate': whether privet estimate can read a release."
    )
    first = plans[0]
    if isinstance(first, FeasiblePlan):
        yield (
            "'possible': whether every word that goes out is in the language. Errors with '+-' and "
            f"their standard error are simulated, averaged over {first.averaged_over}."
        )
    quote = first.rows[0].ledger
    if quote is not None:
        yield account_note(quote)
    if rows is not None:
        size = "1 row" if rows == 1 else f"{rows:,} rows"
        yield (
            f"'std. error': the largest one of a symbol's share at one position, from {size}, of "
            "the mechanism's noise alone."
        )


def quote_cells(quote: Quote | None) -> list[str]:
    """What a row would cost an account on top, and whether it may; nothing without an account."""
    if quote is None:
        return []
    cost = "-" if quote.cost is None else f"+{decimal_up(quote.cost, 4)}"
    return [cost, "yes" if quote.allowed else "no"]


def account_note(quote: Quote) -> str:
    """What the columns on an account mean."""
    return (
        f"'account': what the release would add to the {decimal_up(quote.spent, 5)} that is spent "
        f"of the budget of {decimal_up(quote.budget, 5)} of account '{quote.account}'; 'allowed': "
        "whether so much is left."
    )


def _cells(row: PlanRow, rows: int | None, feasible: bool) -> list[str]:
    error = None if rows is None else row.standard_error(rows)
    return [
        row.title,
        decimal_up(row.spent, 5),
        *quote_cells(row.ledger),
        plain(row.expected_errors)
        + (f" +- {plain(row.errors_standard_error, 2)}" if row.errors_standard_error else ""),
        percent(row.share_wrong),
        *([] if rows is None else ["-" if error is None else percent(error)]),
        "yes" if row.can_estimate else "no",
        *(["yes" if row.possible else "no"] if feasible else []),
    ]


def notes_of(plans: "Sequence[Plan] | Sequence[QueryPlan]") -> dict[str, list[str]]:
    """{note: titles of the rows that have it}, each once however many plans have it."""
    notes: dict[str, list[str]] = {}
    for plan in plans:
        for row in plan.rows:
            if row.note and row.title not in notes.setdefault(row.note, []):
                notes[row.note].append(row.title)
    return notes
