"""Before spending on a table: what each of its columns, and all of them together, would err by.

Contract. Planning looks at public things only (the alphabets, the guarantee, the number of rows)
and draws nothing. The mechanisms are those that `table_mechanisms` makes, so a release of these
columns at this guarantee has these laws and these errors. `rows`, where it is given, is the number
of rows of the table. Standard errors are the largest a share can have, of the mechanism's noise
alone: those of a cell in which all rows lie.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privet.errors import ColumnNotFoundError, ParameterError
from privet.estimate.channel import read_channel
from privet.exact import float_up, read_count, read_delta, read_epsilon
from privet.exact.number import Number
from privet.mechanisms import RandomizedResponse
from privet.releasing.budget import table_mechanisms
from privet.releasing.charging import read_account
from privet.releasing.notes import weak_parameters
from privet.releasing.plan import Curve, capital
from privet.releasing.quoting import Quote, Quotes, rows_charge
from privet.symbols import Alphabet

if TYPE_CHECKING:
    from privet.ledger import Account


@dataclass(frozen=True)
class ColumnPlan:
    """One column of a planned table: its name and the mechanism that would release it."""

    name: str
    mechanism: RandomizedResponse

    @property
    def categories(self) -> int:
        """How many symbols the column has."""
        return len(self.mechanism.alphabet)

    @property
    def share_wrong(self) -> float:
        """The share of its values that are expected to differ from the data."""
        return self.mechanism.expected_errors(1)

    def to_json(self) -> dict[str, Any]:
        """Decimals rounded up, and the same numbers exactly as text."""
        guarantee = self.mechanism.guarantee
        return {
            "column": self.name,
            "categories": self.categories,
            "epsilon": float_up(guarantee.epsilon),
            "delta": float_up(guarantee.delta),
            "expected_share_wrong": self.share_wrong,
            "exact": {"epsilon": str(guarantee.epsilon), "delta": str(guarantee.delta)},
            "mechanism": self.mechanism.to_json(),
        }


@dataclass(frozen=True)
class TablePlan:
    """The columns of a table at one guarantee, in the order they were named.

    `epsilon`, `delta`: of the whole unit, which is a row or all rows of a person, at most
    `rows_per_person`; `rows`: of the table, None where that is not known; `ledger`: what the
    release would cost the account that the plan was made for.
    """

    epsilon: Fraction
    delta: Fraction
    columns: tuple[ColumnPlan, ...]
    rows_per_person: int = 1
    rows: int | None = None
    ledger: Quote | None = None

    def __str__(self) -> str:
        """A table and what to know."""
        from privet.releasing.table_plan_text import table_plan_text

        return table_plan_text(self)

    @property
    def mechanisms(self) -> dict[str, RandomizedResponse]:
        """{column: its mechanism}, as `release` takes them."""
        return {column.name: column.mechanism for column in self.columns}

    @property
    def cells(self) -> int:
        """How many cells the joint table of all columns has."""
        return math.prod(column.categories for column in self.columns)

    def standard_error(self, *names: str) -> float | None:
        """The largest standard error of a share: of one column, or of the joint table of several.

        All columns without names; None where the number of rows is not known, or the release says
        nothing. From one row, the estimate of the cell that the row lies in has the second moment
        1 + v of each column multiplied, v the variance of the column's own; all other cells and
        mixtures vary less, so the largest standard error is sqrt((product of (1 + v) - 1) / rows)
        [warner-1965]. Errors: ColumnNotFoundError; ParameterError for a column named twice.
        """
        for name, times in Counter(names).items():
            if times > 1:
                raise ParameterError(f"Column '{name}' is named twice.", hint="Name it once.")
        chosen = [self._column(name) for name in names] if names else list(self.columns)
        if self.rows is None:
            return None
        try:
            channels = [read_channel(column.mechanism)[1] for column in chosen]
        except ParameterError:  # too little noise-free signal for any double
            return None
        logarithm = sum(math.log1p(float(channel.own_variance[0])) for channel in channels)
        return math.sqrt(math.expm1(logarithm) / self.rows) if logarithm < _HUGE else None

    def warnings(self) -> Iterator[str]:
        """What is weak about the plan, a sentence each."""
        if self.ledger is not None and not self.ledger.allowed:
            yield f"The account does not allow it: {self.ledger.why_not}."
        for column in self.columns:
            blind = (column.categories - 1) / column.categories
            if column.share_wrong > 0.9 * blind:
                yield (
                    f"Column '{column.name}' gets {column.share_wrong:.0%} of the values wrong "
                    f"where blind guessing gets {blind:.0%}: single values say nothing here, only "
                    "totals over many can."
                )
        units = self.rows if self.rows_per_person == 1 else None
        for note in weak_parameters(self.epsilon, self.delta, units):
            yield f"{capital(note)}."

    def to_json(self) -> dict[str, Any]:
        """The plan as JSON values."""
        return {
            "epsilon": float_up(self.epsilon),
            "delta": float_up(self.delta),
            "exact": {"epsilon": str(self.epsilon), "delta": str(self.delta)},
            "rows_per_person": self.rows_per_person,
            "rows": self.rows,
            "columns": [
                {**column.to_json(), "standard_error": self.standard_error(column.name)}
                for column in self.columns
            ],
            "joint_cells": self.cells,
            "joint_standard_error": self.standard_error(),
            "ledger": None if self.ledger is None else self.ledger.to_json(),
            "warnings": list(self.warnings()),
        }

    def _column(self, name: str) -> ColumnPlan:
        for column in self.columns:
            if column.name == name:
                return column
        raise ColumnNotFoundError(
            f"The plan has no column '{name}'.",
            hint=f"Its columns are {', '.join(column.name for column in self.columns)}.",
            column=name,
        )


_HUGE = 700.0
"""The logarithm from which on a variance is no double."""


def plan_table(
    alphabets: Mapping[str, Alphabet],
    *,
    epsilon: Number,
    delta: Number = 0,
    split: Mapping[str, Number] | None = None,
    rows_per_person: int = 1,
    rows: int | None = None,
    ledger: "Account | None" = None,
) -> TablePlan:
    """What releasing these columns of a table would err by, without touching data.

    `alphabets`: {column: its public alphabet}; `split` and `rows_per_person` as for
    `privet release table`: relative shares of the budget, and how many rows one person may have;
    `rows`: how many there are, for standard errors of shares and of the joint table; `ledger`: an
    account, which is asked what the release would cost it. Errors: ParameterError for a number out
    of range and for an account that is not for such releases; ColumnNotFoundError for a share of no
    column.
    """
    account = read_account(ledger)
    total, slack = read_epsilon(epsilon), read_delta(delta)
    bound = read_count(rows_per_person, "rows_per_person")
    size = None if rows is None else read_count(rows, "rows")
    mechanisms = table_mechanisms(alphabets, total, slack, split, bound)
    columns = tuple(ColumnPlan(name, mechanism) for name, mechanism in mechanisms.items())
    quote = None
    if account is not None:
        loss = sum((m.record_loss(1).maximum for m in mechanisms.values()), Fraction(0))
        charge = rows_charge(loss, account, size, covered=bound)
        charge.check(account)
        quote = Quotes(account).of(charge.loss_in(account.framework))
    return TablePlan(total, slack, columns, bound, size, quote)


def table_curves(
    alphabets: Mapping[str, Alphabet],
    *,
    epsilons: Sequence[Number],
    delta: Number = 0,
    split: Mapping[str, Number] | None = None,
    rows_per_person: int = 1,
) -> list[Curve]:
    """The share of wrong values of every column against epsilon. Errors: as `plan_table`."""
    plans = [
        plan_table(alphabets, epsilon=e, delta=delta, split=split, rows_per_person=rows_per_person)
        for e in epsilons
    ]
    numbers = tuple(float(each.epsilon) for each in plans)
    return [
        Curve(name, numbers, tuple(each.columns[place].share_wrong for each in plans))
        for place, name in enumerate(alphabets)
    ]
