"""Long tables (id, time, state) and wide tables (one row a sequence) as words, and back.

Contract. Each id of a long table is one word, its rows in the order of time; each row of a wide
table is one word, its columns in the order named. `rebuild` gives the same table with other states:
the same rows in the order they came in, everything but the states untouched. So ids, times, other
columns, the order of rows and the lengths of words are published as they are; `published` names
those columns. Nothing is dropped or filled in silently, and refusals name rows and columns only.
"""

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.data.arrow import (
    ROWS_COUNT,
    column_of,
    columns_hint,
    described,
    is_text,
    kind_of,
    one_array,
    pa,
    pc,
    refuse_missing,
    replace_column,
    require_columns,
    rows_that,
    value_type,
    without_views,
)
from privet.data.columns import decode_column, encode_column, encode_with_missing
from privet.data.compact import compacted_column
from privet.errors import (
    ColumnNotFoundError,
    DataError,
    DomainError,
    MissingValueError,
    ParameterError,
)
from privet.symbols import Alphabet, Words

_NAMES = re.compile(r"(.*?)([0-9]{1,9})\.\.\1([0-9]{1,9})", re.DOTALL)
_LONGEST_RANGE = 1_000_000
# Equal values of these can have unequal bytes: one month is 30 days to some.
_UNORDERED = (pa.types.is_interval, pa.types.is_nested)
_WHOLE = r"^-?[0-9]{1,18}$"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$"
# Years, months, days, moments, quarters and weeks: text order is time order within one form.
_DATE = (
    r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?Z?)?)?"
    r"|-?Q[1-4]|-?W[0-9]{2}(-[1-7])?)$"
)

_TIMES_HINT = "Write times as numbers, or as 2024-05-01 or 2024-05-01 13:30, all in one way."
_DAYS = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
_THURSDAY = 4


@dataclass(frozen=True)
class SequenceFrame:
    """`words`; `rebuild(words)`: the table with those states; `published`: columns sent as is.

    `rebuild` takes words of the same lengths. Errors of `rebuild`: DataError for other lengths.
    """

    words: Words
    rebuild: Callable[[Words], pa.Table]
    published: tuple[str, ...]


def words_from_long(
    table: pa.Table,
    alphabet: Alphabet,
    *,
    id: str,  # noqa: A002  # the public name of the column's role, in Python and on the command line
    time: str,
    state: str,
    other: Hashable | None = None,
    missing: Hashable | None = None,
) -> SequenceFrame:
    """One word for each id, in the order in which ids first occur.

    Errors: ColumnNotFoundError; DataError for two rows of one id and time and for times without an
    order; MissingValueError for a row without id, time or (unless `missing` is named) state;
    DomainError for a state outside the alphabet.
    """
    if len({id, time, state}) != 3:
        raise ParameterError("The id, time and state of a long table are three different columns.")
    persons, count = group_rows(column_of(table, id), id)
    moments = order_of_times(column_of(table, time), time)
    states = column_of(table, state)
    codes = encode_column(states, alphabet, name=state, other=other, missing=missing)
    order = np.lexsort((moments, persons))
    _refuse_repeated(persons, moments, order, id, time)
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(persons, minlength=count), out=offsets[1:])
    words = Words(alphabet, codes[order], offsets)

    def rebuild(released: Words) -> pa.Table:
        _same_lengths(released, offsets)
        out = np.empty_like(released.codes)
        out[order] = released.codes
        return replace_column(table, state, decode_column(out, released.alphabet, states.type))

    return SequenceFrame(words, rebuild, tuple(n for n in table.column_names if n != state))


def words_from_wide(
    table: pa.Table,
    alphabet: Alphabet,
    columns: Sequence[str],
    *,
    other: Hashable | None = None,
    missing: Hashable | None = None,
    ragged: bool = False,
) -> SequenceFrame:
    """One word for each row, its symbols the columns in the order named.

    `ragged`: missing values after a row's last state are the end of its word, which comes out as
    long as it was. Errors: ColumnNotFoundError; MissingValueError for a missing value that is
    neither such an end nor has a `missing` symbol; DomainError for a state outside the alphabet.
    """
    names = require_columns(table.column_names, columns)
    if not names:
        raise ParameterError("No column was named.", hint="Name the columns of the sequence.")
    rows = table.num_rows
    codes = np.empty((rows, len(names)), alphabet.code_dtype)
    absent = np.zeros((rows, len(names)), bool)
    for place, name in enumerate(names):
        try:
            column, nothing = encode_with_missing(
                table.column(name), alphabet, name=name, other=other
            )
        except DomainError as error:
            error.payload["every_column"] = True  # one `other` is for all columns
            raise
        codes[:, place] = column
        if nothing is not None:
            absent[:, place] = nothing
    within = _within(absent) if ragged else np.ones_like(absent)
    gaps = absent & within
    if gaps.any():
        if missing is None:
            raise _gap(gaps, names, ragged)
        codes[gaps] = alphabet.index(missing)
    offsets = np.zeros(rows + 1, np.int64)
    np.cumsum(within.sum(axis=1), out=offsets[1:])
    words = Words(alphabet, codes[within], offsets)

    def rebuild(released: Words) -> pa.Table:
        _same_lengths(released, offsets)
        out = np.zeros_like(codes)
        out[within] = released.codes
        result = table
        for place, name in enumerate(names):
            ended = ~within[:, place]
            values = _decode_ragged(
                out[:, place], released.alphabet, table.column(name).type, ended
            )
            result = replace_column(result, name, values)
        return result

    return SequenceFrame(
        words, rebuild, tuple(n for n in table.column_names if n not in set(names))
    )


def expand_columns(present: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """Columns for names, patterns ("month*", in the table's order) and ranges ("d1..d30").

    Errors: ColumnNotFoundError if a pattern fits no column or a named one is not there; DataError
    if a column is named twice.
    """
    chosen: list[str] = []
    for pattern in patterns:
        if pattern in present:
            chosen.append(pattern)
            continue
        fitting = [name for name in present if fnmatchcase(name, pattern)]
        if not fitting and any(sign in pattern for sign in "*?["):
            raise ColumnNotFoundError(
                f"No column fits the pattern '{pattern}'.",
                hint=columns_hint(present, [*patterns, *chosen]),
                column=pattern,
            )
        chosen.extend(fitting or _range_of_names(pattern) or [pattern])
    return require_columns(present, chosen)


def _range_of_names(text: str) -> list[str]:
    """d8, d9, d10 for "d8..d10" (d08, d09, d10 for "d08..d10"); nothing for other text."""
    ends = _NAMES.fullmatch(text)
    if ends is None or not 0 < int(ends[3]) - int(ends[2]) < _LONGEST_RANGE:
        return []
    width = len(ends[2]) if ends[2].startswith("0") else 0
    return [f"{ends[1]}{number:0{width}d}" for number in range(int(ends[2]), int(ends[3]) + 1)]


def group_rows(column: Any, name: str) -> tuple[npt.NDArray[np.int64], int]:
    """(rows,) numbers 0..groups-1 by first occurrence of each value, and the number of groups.

    Values that are equal are one group, however they are stored: 0.0 and -0.0, a category listed
    twice. Text is compared character by character, so "7" and "07", or two Unicode forms of one
    name, are two. Errors: MissingValueError for a row without a value (null, NaN); DataError for
    values that cannot be ids.
    """
    values = _values(column, name)
    refuse_missing(values, name, "Every row needs one; complete the data.")
    array = _distinct(values, name)
    codes = np.asarray(array.indices.to_numpy(zero_copy_only=False)).astype(np.int64)
    return codes, len(array.dictionary)


def order_of_times(column: Any, name: str) -> npt.NDArray[np.int64]:
    """(rows,) int64 that sort as the times do, equal exactly where the times are equal.

    Numbers, dates and moments sort by value and ordered categories by their order; text must be all
    numbers (which sort as numbers, exactly) or ISO dates of one form. Errors: DataError for other
    text, naming the first row of another form or without a date that exists; MissingValueError for
    a row without a time.
    """
    values = _values(column, name)
    refuse_missing(values, name, "Every row needs a time; complete the data.")
    if pa.types.is_dictionary(column.type) and column.type.ordered:
        array = one_array(compacted_column(column, name, keep_unused=True))
        return np.asarray(array.indices.to_numpy(zero_copy_only=False)).astype(np.int64)
    array = _distinct(values, name)
    codes = np.asarray(array.indices.to_numpy(zero_copy_only=False))
    return np.asarray(_ranks(array.dictionary, codes, name)[codes])


def _values(column: Any, name: str) -> Any:
    """The column's values in a form in which values that are equal have equal bytes."""
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


def _distinct(values: Any, name: str) -> Any:
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
    if all_are(_WHOLE):
        return values.cast(pa.int64())
    if all_are(_NUMBER):
        return values.to_pylist()
    if all_are(_DATE):
        _one_form(values, codes, name)
        return values
    raise DataError(
        f"The column '{name}' holds text that is neither all numbers nor ISO dates of one form, "
        "so its order in time is not known.",
        hint=_TIMES_HINT,
        column=name,
    )


def _one_form(values: Any, codes: npt.NDArray[Any], name: str) -> None:
    """Refuse dates of several forms, of which text order is not the order, and impossible ones."""
    # Digits apart, every sign is the same: T or a blank, Z or none, as many decimals.
    forms = pc.replace_substring_regex(values, "[0-9]", "0")
    form = forms[0].as_py()
    alike = pc.equal(forms, form).to_numpy(zero_copy_only=False)
    if not alike.all():
        row = int(np.argmin(alike[codes]))
        raise DataError(
            f"The column '{name}' writes dates in several forms, so its order in time is not "
            f"known: row {row} is not written as row 0 is. {ROWS_COUNT}",
            hint=_TIMES_HINT,
            column=name,
            position=row,
        )
    possible = _are_possible(values, form)
    if not possible.all():
        row = int(np.argmin(possible[codes]))
        raise DataError(
            f"Row {row} of the column '{name}' holds a date or time of day that does not exist. "
            f"{ROWS_COUNT}",
            hint="Correct it; months go from 01 to 12, hours from 00 to 23.",
            column=name,
            position=row,
        )


def _are_possible(values: Any, form: str) -> npt.NDArray[np.bool_]:
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


def _refuse_repeated(
    persons: npt.NDArray[np.int64],
    moments: npt.NDArray[np.int64],
    order: npt.NDArray[np.intp],
    id_name: str,
    time_name: str,
) -> None:
    before, after = order[:-1], order[1:]
    same = (persons[before] == persons[after]) & (moments[before] == moments[after])
    if same.any():
        at = int(np.argmax(same))
        first, second = sorted((int(before[at]), int(after[at])))
        raise DataError(
            f"Rows {first} and {second} have the same '{id_name}' and '{time_name}'; "
            f"{rows_that(int(np.count_nonzero(same)), 'repeats another', 'repeat another')}.",
            hint=f"A sequence has one state at a time; remove or merge repeated rows. {ROWS_COUNT}",
            rows=(first, second),
        )


def _within(absent: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Where a row's word has not ended yet: up to and with its last value."""
    remaining = np.logical_or.accumulate(~absent[:, ::-1], axis=1)
    return np.asarray(remaining[:, ::-1])


def _gap(gaps: npt.NDArray[np.bool_], names: list[str], ragged: bool) -> MissingValueError:
    row, place = (int(i) for i in np.argwhere(gaps)[0])
    hint = f"Name the symbol that stands for a missing value, or complete the data. {ROWS_COUNT}"
    if not ragged:
        hint = f"If sequences end early, say that lengths differ (ragged). {hint}"
    count = int(np.count_nonzero(gaps))
    return MissingValueError(
        f"Row {row} has no value in the column '{names[place]}'; "
        f"{'1 value is' if count == 1 else f'{count} values are'} missing.",
        hint=hint,
        position=row,
        column=names[place],
        every_column=True,
    )


def _decode_ragged(
    codes: npt.NDArray[Any], alphabet: Alphabet, like: Any, ended: npt.NDArray[np.bool_]
) -> Any:
    if kind_of(like) == "null" and ended.all():
        return pa.nulls(codes.size, like)
    return decode_column(
        np.ascontiguousarray(codes), alphabet, like, absent=ended if ended.any() else None
    )


def _same_lengths(released: Words, offsets: npt.NDArray[np.int64]) -> None:
    if not np.array_equal(released.offsets, offsets):
        raise DataError(
            "The words to put back differ in number or lengths from those that were read.",
            hint="A release of words keeps their lengths.",
        )
