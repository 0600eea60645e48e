"""Remarks that go with a release: what is weak about it, and what it gives out that few expect.

Contract. A note is a sentence made of public things only: parameters, sizes, names, and columns
that go out as they are. It refuses nothing; it goes into the receipt, and the command line prints
it.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from privet.privacy.guarantee import decimal_up

if TYPE_CHECKING:
    import pyarrow as pa

WEAK_EPSILON = 10
"""From here on the odds may change by a factor above 22000: near certainty about a single value."""


def weak_parameters(
    epsilon: Fraction, delta: Fraction = Fraction(0), units: int | None = None, what: str = "rows"
) -> tuple[str, ...]:
    """Notes on parameters that protect little; `units`: how many rows (words) there are."""
    notes = []
    if epsilon >= WEAK_EPSILON:
        notes.append(
            f"epsilon = {decimal_up(epsilon)} is weak: whoever sees the release may become almost "
            f"certain of a value (below {WEAK_EPSILON} is advised, around 1 is strong)"
        )
    if units is not None and delta * units >= 1:
        notes.append(
            f"delta = {decimal_up(delta)} is not below 1 / {what} = {1 / units:.3g}: such a delta "
            f"lets a mechanism publish one of the {what} as it is; choose it far below that"
        )
    return tuple(notes)


def revealing_columns(table: "pa.Table", kept: Sequence[str]) -> tuple[str, ...]:
    """Notes on kept columns whose values are nearly all different, which point at their rows."""
    distinct = {}
    for name in kept:
        try:
            distinct[name] = len(table.column(name).unique())
        except NotImplementedError:
            continue  # A nested type; nothing is known of it.
    return revealing(distinct, table.num_rows)


def revealing(distinct: Mapping[str, int], rows: int) -> tuple[str, ...]:
    """The same notes; `distinct`: how many different values each kept column has."""
    from privet.data import looks_like_identifier

    return tuple(
        f"the kept column '{name}' has nearly as many values as rows, like an identifier or a "
        "measurement: whoever knows a value finds the row"
        for name, count in distinct.items()
        if looks_like_identifier(count, rows)
    )
