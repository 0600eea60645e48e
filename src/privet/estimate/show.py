"""An estimate as a table for people: in Python's print and on the command line alike.

Contract. A row a cell, in C order: its symbols, its share, the standard error and the intervals,
rounded for reading. `privet.estimate.TableEstimate.rows` has the numbers.
"""

from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privet.estimate.table import TableEstimate

LARGEST_TABLE = 200
"""An estimate of more cells is not printed as a table."""


def share_rows(
    found: "TableEstimate", *, at_once: bool = True
) -> tuple[list[str], list[list[str]], int]:
    """(header, rows, how many columns are symbols); `at_once`: with those that hold together."""
    names = getattr(found, "names", None)
    labels = ["symbol"] if names is None else list(names)
    header = [*labels, "share", "std. error", "interval", *(["all at once"] if at_once else [])]
    rows = []
    # Not by `rows`, whose numbers go by name: a column may be called "share".
    symbols = product(*(alphabet.symbols for alphabet in found.alphabets))
    for cell, row in zip(symbols, found.cell_numbers(), strict=True):
        cells = [str(symbol) for symbol in cell]
        cells += [f"{row['share']:.1%}", f"{row['standard_error']:.1%}"]
        cells.append(f"{row['lower']:.1%} to {row['upper']:.1%}")
        if at_once:
            cells.append(f"{row['simultaneous_lower']:.1%} to {row['simultaneous_upper']:.1%}")
        rows.append(cells)
    return header, rows, len(labels)
