"""One series in a table of times and states, without ids.

Contract. All rows are one series, in the order of their times; nothing is dropped or filled in.
Refusals name rows and columns only.
"""

from collections.abc import Hashable
from typing import Any

import numpy as np

from privet.data.arrow import ROWS_COUNT, column_of, rows_that
from privet.data.columns import encode_column
from privet.data.times import order_of_times
from privet.errors import DataError, ParameterError
from privet.symbols import Alphabet, Words


def words_from_series(
    table: Any,
    alphabet: Alphabet,
    *,
    time: str,
    state: str,
    other: Hashable | None = None,
    missing: Hashable | None = None,
) -> Words:
    """The one word of all rows, in the order of `time`.

    Errors: ColumnNotFoundError; DataError for two rows of one time and for times without an order;
    MissingValueError for a row without time or (unless `missing` is named) state; DomainError for a
    state outside the alphabet.
    """
    if time == state:
        raise ParameterError("The time and state of a series are two different columns.")
    moments = order_of_times(column_of(table, time), time)
    codes = encode_column(
        column_of(table, state), alphabet, name=state, other=other, missing=missing
    )
    order = np.argsort(moments, kind="stable")
    same = moments[order[1:]] == moments[order[:-1]]
    if same.any():
        at = int(np.argmax(same))
        first, second = sorted((int(order[at]), int(order[at + 1])))
        raise DataError(
            f"Rows {first} and {second} have the same '{time}'; "
            f"{rows_that(int(np.count_nonzero(same)), 'repeats another', 'repeat another')}.",
            hint="One series has one state at a time. If there are several series, name the column "
            f"that tells them apart (id). {ROWS_COUNT}",
            rows=(first, second),
        )
    return Words(alphabet, codes[order], np.array([0, codes.size], np.int64))
