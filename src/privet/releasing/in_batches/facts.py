"""What batches of a table tell of the whole: sizes, what must be refused, what notes speak of.

Contract. Facts are a monoid: `a + b` are those of the rows of `a` followed by the rows of `b`, and
`Facts()` those of no row, so batches may be looked at anywhere as long as they are added in order.
They hold counts, places, and values of kept columns (which go out as they are); never a value that
is protected. They can be pickled.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privet.data import Variety

UNKNOWN, MISSING = "unknown", "missing"
"""Kinds of trouble: a label outside the alphabet, and no value where none stands in for it."""

UNKNOWN_ENTRY, MISSING_ENTRY, NO_LIST = "unknown entry", "missing entry", "no list"
"""The same of entries in a column of lists, and a row that has no list."""


@dataclass(frozen=True)
class Trouble:
    """What must be refused: in which `row` it comes first, and how many of them (`count`) have it.

    Of entries of lists, these are counted and not their rows.

    `column`: where in that row, if it is a wide table's; empty otherwise.
    """

    row: int
    count: int
    column: str = ""

    def after(self, rows: int) -> "Trouble":
        """The same, when so many rows go before."""
        return Trouble(self.row + rows, self.count, self.column)

    def __add__(self, other: "Trouble") -> "Trouble":
        first = min(self, other, key=lambda one: one.row)
        return Trouble(first.row, self.count + other.count, first.column)


@dataclass(frozen=True)
class Facts:
    """Of some rows, or of all.

    `rows`; `lengths` of their words ({length: how many}, words only); `troubles` by kind and column
    (a wide table's missing values are one trouble, of column ""); `variety`: how many different
    values each kept column has; `categories`: the values that occur in each kept column of
    categories (an Arrow array).
    """

    rows: int = 0
    lengths: Counter[int] = field(default_factory=Counter)
    troubles: Mapping[tuple[str, str], Trouble] = field(default_factory=dict)
    variety: Mapping[str, "Variety"] = field(default_factory=dict)
    categories: Mapping[str, Any] = field(default_factory=dict)

    def __add__(self, following: "Facts") -> "Facts":
        moved = {key: one.after(self.rows) for key, one in following.troubles.items()}
        return Facts(
            self.rows + following.rows,
            self.lengths + following.lengths,
            _joined(self.troubles, moved, lambda first, second: first + second),
            _joined(self.variety, following.variety, lambda first, second: first + second),
            _joined(self.categories, following.categories, _all_values),
        )

    @property
    def symbols(self) -> int:
        """How many symbols the words have together."""
        return sum(length * count for length, count in self.lengths.items())

    @property
    def distinct(self) -> dict[str, int]:
        """How many different values each kept column has, as `notes.revealing` takes it."""
        return {name: one.count for name, one in self.variety.items()}


def _joined(first: Mapping[Any, Any], second: Mapping[Any, Any], add: Any) -> dict[Any, Any]:
    both = {key: add(first[key], second[key]) for key in first if key in second}
    return {**first, **second, **both}


def _all_values(first: Any, second: Any) -> Any:
    """The values of both, in the order in which they come first."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.unique(pa.chunked_array([first, second]))
