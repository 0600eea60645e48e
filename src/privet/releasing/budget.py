"""Dividing one guarantee among the columns of a table.

Contract. The promise covers the whole protected unit: a row, or all rows of a person. Mechanisms on
different columns, or on different rows of one person, are independent, and their epsilons and
deltas add [dwork-roth-2014, Theorem 3.16]; so each column gets its share of the total divided by
the bound on rows, exactly, and the shares add to the whole.
"""

from collections.abc import Mapping
from fractions import Fraction

from privet.errors import ColumnNotFoundError, ParameterError
from privet.exact import exact_number, read_count, read_delta, read_epsilon
from privet.exact.number import Number
from privet.mechanisms import RandomizedResponse
from privet.symbols import Alphabet


def table_mechanisms(
    alphabets: Mapping[str, Alphabet],
    epsilon: Number,
    delta: Number = 0,
    split: Mapping[str, Number] | None = None,
    rows_per_person: int = 1,
) -> dict[str, RandomizedResponse]:
    """Randomised response for each column such that the whole unit has (epsilon, delta).

    `split`: relative weights of the columns, one for each ({"a": 2, "b": 1} gives a two thirds);
    equal without it. `rows_per_person`: how many rows one person may have. Errors: ParameterError
    for no column, a missing or nonpositive weight; ColumnNotFoundError for a weight without column.
    """
    total, slack = read_epsilon(epsilon), read_delta(delta)
    rows = read_count(rows_per_person, "rows_per_person")
    if not alphabets:
        raise ParameterError("No column to release was named.", hint="Name at least one column.")
    return {
        name: RandomizedResponse(
            alphabets[name], epsilon=total * share / rows, delta=slack * share / rows
        )
        for name, share in shares(list(alphabets), split).items()
    }


def shares(columns: list[str], split: Mapping[str, Number] | None) -> dict[str, Fraction]:
    """The share of each column; they add to exactly 1."""
    if split is None:
        return {name: Fraction(1, len(columns)) for name in columns}
    for name in split:
        if name not in columns:
            raise ColumnNotFoundError(
                f"The budget split names the column '{name}', which is not released.",
                hint=f"Released are {', '.join(columns)}.",
                column=name,
            )
    weights = {}
    for name in columns:
        if name not in split:
            raise ParameterError(
                f"The budget split leaves out the column '{name}'.",
                hint="Give every released column a weight, or none for equal shares.",
                parameter="split",
            )
        weights[name] = exact_number(split[name], f"the share of '{name}'")
        if weights[name] <= 0:
            raise ParameterError(
                f"The share of '{name}' must be greater than 0.",
                hint="A column without budget is kept or dropped, not released.",
                parameter="split",
            )
    total = sum(weights.values(), Fraction(0))
    return {name: weight / total for name, weight in weights.items()}
