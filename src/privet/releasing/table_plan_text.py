"""The plan of a table as text: in Python's print and on the command line alike.

Contract. Made of the plan alone. Numbers are rounded for reading, those of privacy upward.
"""

from collections.abc import Iterator

from privet.plain_text import count, percent, text_table
from privet.privacy.guarantee import decimal_up
from privet.releasing.table_plan import TablePlan

_TOGETHER = "all, joint table"


def table_plan_text(plan: TablePlan) -> str:
    """The plan in full."""
    parts = [table_title(plan), text_table(*table_rows(plan)), ""]
    parts += [*plan.warnings(), *table_notes(plan)]
    return "\n".join(parts)


def table_title(plan: TablePlan) -> str:
    """The guarantee, and of what."""
    delta = f", delta = {decimal_up(plan.delta)}" if plan.delta else ""
    unit = "any one row"
    if plan.rows_per_person > 1:
        unit = f"all rows of a person, at most {plan.rows_per_person}"
    return f"epsilon = {decimal_up(plan.epsilon, 6)}{delta} for {unit}{_cost(plan)}"


def _cost(plan: TablePlan) -> str:
    """What the release would add to what an account has spent."""
    quote = plan.ledger
    if quote is None or quote.cost is None:
        return ""
    return (
        f"; account '{quote.account}': {decimal_up(quote.cost, 4)} on top of "
        f"{decimal_up(quote.spent, 5)}, of a budget of {decimal_up(quote.budget, 5)}"
    )


def table_rows(plan: TablePlan) -> tuple[list[str], list[list[str]]]:
    """(header, a row a column, and one for all together where that says something)."""
    header = ["column", "categories", "epsilon per row", "wrong"]
    if plan.rows is not None:
        header.append("std. error")
    cells = [
        [
            column.name,
            count(column.categories),
            decimal_up(column.mechanism.guarantee.epsilon, 5),
            percent(column.share_wrong),
            *_error(plan, column.name),
        ]
        for column in plan.columns
    ]
    if len(plan.columns) > 1:
        whole = decimal_up(plan.epsilon / plan.rows_per_person, 5)
        cells.append([_TOGETHER, count(plan.cells), whole, "", *_error(plan)])
    return header, cells


def table_notes(plan: TablePlan) -> Iterator[str]:
    """What the columns mean, a sentence or two each."""
    yield "'wrong': the share of the values that are expected to differ from the data."
    if plan.rows is not None:
        size = "1 row" if plan.rows == 1 else f"{plan.rows:,} rows"
        yield (
            f"'std. error': the largest one of a category's share, from {size}, of the mechanism's "
            "noise alone; of the joint table that of a cell (privet estimate --column A,B)."
        )


def _error(plan: TablePlan, *names: str) -> list[str]:
    if plan.rows is None:
        return []
    error = plan.standard_error(*names)
    return ["-" if error is None else percent(error)]
