"""Ids and times of a long table: which rows are one group, and in what order times are.

Contract. Ids that are equal are one group however they are stored, and times sort by what they
mean: numbers by value, ISO dates and moments as time passes, ordered categories by their order.
What cannot be told apart or has no order is refused, by the row and never with the value.
"""

from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.data.arrow import (
    ROWS_COUNT,
    described,
    is_text,
    one_array,
    pa,
    pc,
    refuse_missing,
    value_type,
    without_views,
)
from privet.data.compact import compacted_column
from privet.errors import DataError

# Equal values of these can have unequal bytes: one month is 30 days to some.
_UNORDERED = (pa.types.is_interval, pa.types.is_nested)
WHOLE = r"^-?[0-9]{1,18}$"
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$"
# Years, months, days, moments, quarters and weeks: text order is time order within one form.
DATE = (
    r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?Z?)?)?"
    r"|-?Q[1-4]|-?W[0-9]{2}(-[1-7])?)$"
)

_TIMES_HINT = "Write times as numbers, or as 2024-05-01 or 2024-05-01 13:30, all in one way."
_DAYS = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
_THURSDAY = 4


def group_rows(column: Any, name: str) -> tuple[npt.NDArray[np.int64], int]:
    """(rows,) numbers 0..groups-1 by first occurrence of each value, and the number of groups.

    Values that are equal are one group, however they are stored: 0.0 and -0.0, a category listed
    twice. Text is compared character by character, so "7" and "07", or two Unicode forms of one
    name, are two. Errors: MissingValueError for a row without a value (null, NaN); DataError for
    values that cannot be ids.
    """
    values = plain_values(column, name)
    refuse_missing(values, name, "Every row needs one; complete the data.")
    array = distinct_values(values, name)
    codes = np.asarray(array.indices.to_numpy(zero_copy_only=False)).astype(np.int64)
    return codes, len(array.dictionary)


def order_of_times(column: Any, name: str) -> npt.NDArray[np.int64]:
    """(rows,) int64 that sort as the times do, equal exactly where the times are equal.

    Numbers, dates and moments sort by value and ordered categories by their order; text must be all
    numbers (which sort as numbers, exactly) or ISO dates of one form. Errors: DataError for other
    text, naming the first row of another form or without a date that exists; MissingValueError for
    a row without a time.
    """
    values = plain_values(column, name)
    refuse_missing(values, name, "Every row needs a time; complete the data.")
    if pa.types.is_dictionary(column.type) and column.type.ordered:
        array = one_array(compacted_column(column, name, keep_unused=True))
        return np.asarray(array.indices.to_numpy(zero_copy_only=False)).astype(np.int64)
    array = distinct_values(values, name)
    codes = np.asarray(array.indices.to_numpy(zero_copy_only=False))
    return np.asarray(_ranks(array.dictionary, codes, name)[codes])


def plain_values(column: Any, name: str) -> Any:
    """The column's values in a form in which values that are equal have equal bytes.

    Errors: DataError for a type in which there is no such form.
    """
    if isinstance(column.type, pa.BaseExtensionType):
        raise _not_told_apart(column, name)
    try:
        plain = without_views(column)
        plain = plain.cast(value_type(plain.type))
        if pa.types.is_floating(plain.type):
            # Adding zero makes -0.0 the zero that it equals.
            return pc.add(plain.cast(pa.float64()), 0.0)
        # The one type of dates that has room for a time of day, which nobody sees.
        return plain.cast(pa.date32(), safe=False) if pa.types.is_date64(plain.type) else plain
    except pa.ArrowException:
        raise _not_told_apart(column, name) from None


def distinct_values(values: Any, name: str) -> Any:
    """The values as a dictionary array. Errors: DataError for values that cannot be told apart."""
    try:
        if any(test(values.type) for test in _UNORDERED):
            raise _not_told_apart(values, name)
        return one_array(values.dictionary_encode())
    except pa.ArrowException:
        raise _not_told_apart(values, name) from None


def _not_told_apart(column: Any, name: str) -> DataError:
    return DataError(
        f"The column '{name}' holds {described(column.type)}, whose values cannot be told apart.",
        hint="Use text, numbers or dates.",
        column=name,
    )


def _ranks(values: Any, codes: npt.NDArray[Any], name: str) -> npt.NDArray[np.int64]:
    """Dense ranks of distinct values; values that are equal as numbers share one.

    `codes`: which of the values each row has, for errors that name a row.
    """
    if is_text(values.type):
        values = _read_times(values.cast(pa.large_string()), codes, name)
    if isinstance(values, list):
        numbers = [Decimal(text) for text in values]
        place = {number: rank for rank, number in enumerate(sorted(set(numbers)))}
        return np.array([place[number] for number in numbers], np.int64)
    ranked = pc.rank(values, sort_keys="ascending", tiebreaker="dense")
    return np.asarray(ranked.to_numpy(zero_copy_only=False)).astype(np.int64)


def _read_times(values: Any, codes: npt.NDArray[Any], name: str) -> Any:
    """Text times as whole numbers, as a list of decimal texts, or as the ISO dates they are."""

    def all_are(pattern: str) -> bool:
        return bool(pc.all(pc.match_substring_regex(values, pattern)).as_py())

    # Four digits alone are a year and a number: the same order.
    if all_are(WHOLE):
        return values.cast(pa.int64())
    if all_are(NUMBER):
        return values.to_pylist()
    if all_are(DATE):
        _one_form(values, codes, name)
        return values
    raise no_order(name)


def _one_form(values: Any, codes: npt.NDArray[Any], name: str) -> None:
    """Refuse dates of several forms, of which text order is not the order, and impossible ones."""
    forms = date_forms(values)
    form = forms[0].as_py()
    alike = pc.equal(forms, form).to_numpy(zero_copy_only=False)
    if not alike.all():
        row = int(np.argmin(alike[codes]))
        raise several_forms(name, row)
    possible = are_possible(values, form)
    if not possible.all():
        row = int(np.argmin(possible[codes]))
        raise impossible_date(name, row)


def no_order(name: str) -> DataError:
    """The error for text that is neither numbers nor dates."""
    return DataError(
        f"The column '{name}' holds text that is neither all numbers nor ISO dates of one form, "
        "so its order in time is not known.",
        hint=_TIMES_HINT,
        column=name,
    )


def several_forms(name: str, row: int) -> DataError:
    """The error for dates of which that in `row` is the first of another form than in row 0."""
    return DataError(
        f"The column '{name}' writes dates in several forms, so its order in time is not "
        f"known: row {row} is not written as row 0 is. {ROWS_COUNT}",
        hint=_TIMES_HINT,
        column=name,
        position=row,
    )


def impossible_date(name: str, row: int) -> DataError:
    """The error for a 30th of February."""
    return DataError(
        f"Row {row} of the column '{name}' holds a date or time of day that does not exist. "
        f"{ROWS_COUNT}",
        hint="Correct it; months go from 01 to 12, hours from 00 to 23.",
        column=name,
        position=row,
    )


def date_forms(values: Any) -> Any:
    """Each text with 0 for each digit: T or a blank, Z or none, and how many decimals."""
    return pc.replace_substring_regex(values, "[0-9]", "0")


def are_possible(values: Any, form: str) -> npt.NDArray[np.bool_]:
    """Which dates of that form (digits are 0) exist; quarters and days of weeks always do."""

    def part(start: int, size: int = 2) -> npt.NDArray[np.int64]:
        text = pc.utf8_slice_codeunits(values, start, start + size)
        return np.asarray(text.cast(pa.int64()).to_numpy(zero_copy_only=False))

    years = part(0, 4)
    possible = np.ones(years.size, np.bool_)
    if "Q" in form:
        return possible
    if "W" in form:
        weeks = part(form.index("W") + 1)
        # The weekday of the last of December tells which years have 53 weeks.
        last, before = ((y + y // 4 - y // 100 + y // 400) % 7 for y in (years, years - 1))
        long = (last == _THURSDAY) | (before == _THURSDAY - 1)
        return np.asarray((weeks >= 1) & (weeks <= np.where(long, 53, 52)))
    months = part(5)
    possible = (months >= 1) & (months <= 12)
    if len(form) > len("0000-00"):
        is_leap = (years % 4 == 0) & ((years % 100 != 0) | (years % 400 == 0))
        most = _DAYS[np.where(possible, months, 1)] + (is_leap & (months == 2))
        days = part(8)
        possible &= (days >= 1) & (days <= most)
    for place, below in ((11, 24), (14, 60), (17, 60)):
        if len(form) > place + 1:
            possible &= part(place) < below
    return np.asarray(possible)
