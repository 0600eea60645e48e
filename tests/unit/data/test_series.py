"""One series in a table: in the order of time, with refusals by row."""

import pyarrow as pa
import pytest

from privet.data import words_from_series
from privet.errors import (
    ColumnNotFoundError,
    DataError,
    DomainError,
    MissingValueError,
    ParameterError,
)
from privet.symbols import Alphabet

ALPHABET = Alphabet(["low", "high"])


def table(times: list[object], states: list[object]) -> pa.Table:
    return pa.table({"when": times, "state": states})


@pytest.mark.parametrize("times", [[3, 1, 2], ["3", "1", "2"], ["2024-03", "2024-01", "2024-02"]])
def test_rows_come_in_the_order_of_time(times: list[object]) -> None:
    words = words_from_series(
        table(times, ["high", "low", "low"]), ALPHABET, time="when", state="state"
    )
    assert words.to_lists() == [["low", "low", "high"]]


def test_two_rows_of_one_time_are_refused_by_row() -> None:
    with pytest.raises(DataError, match="Rows 0 and 2 have the same 'when'; 1 row repeats"):
        words_from_series(
            table([1, 2, 1], ["low", "high", "low"]), ALPHABET, time="when", state="state"
        )


def test_refusals() -> None:
    with pytest.raises(MissingValueError, match="'when'"):
        words_from_series(table([1, None], ["low", "high"]), ALPHABET, time="when", state="state")
    with pytest.raises(MissingValueError, match="'state'"):
        words_from_series(table([1, 2], ["low", None]), ALPHABET, time="when", state="state")
    with pytest.raises(DomainError, match="row 1"):
        words_from_series(table([1, 2], ["low", "secret"]), ALPHABET, time="when", state="state")
    with pytest.raises(ColumnNotFoundError):
        words_from_series(table([1], ["low"]), ALPHABET, time="day", state="state")
    with pytest.raises(ParameterError, match="two different columns"):
        words_from_series(table([1], ["low"]), ALPHABET, time="state", state="state")


def test_stand_ins() -> None:
    words = words_from_series(
        table([1, 2, 3], ["low", None, "odd"]),
        ALPHABET,
        time="when",
        state="state",
        missing="high",
        other="low",
    )
    assert words.to_lists() == [["low", "high", "low"]]
