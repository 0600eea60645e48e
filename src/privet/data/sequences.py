"""Long tables (id, time, state) and wide tables (one row a sequence) as words, and back.

Contract. Each id of a long table is one word, its rows in the order of time; each row of a wide
table is one word, its columns in the order named, or the list in the one column. `rebuild` gives
the same table with other states: the same rows in the order they came in, everything but the states
untouched. So ids, times, other columns, the order of rows and the lengths of words are published as
they are; `published` names those columns. Nothing is dropped or filled in silently, and refusals
name rows and columns only.
"""

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.data.arrow import (
    ROWS_COUNT,
    column_of,
    columns_hint,
    kind_of,
    pa,
    replace_column,
    require_columns,
    rows_that,
)
from privet.data.columns import (
    decode_column,
    encode_column,
    look_up_column,
    outside_alphabet,
)
from privet.data.lists import (
    holds_words,
    lengths_differ,
    missing_in_lists,
    outside_in_lists,
    read_lists,
    replace_lists,
    without_list,
)
from privet.data.times import group_rows, order_of_times
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
    """One word for each row, its symbols the columns in the order named; of lists, the entries.

    `ragged`: missing values after a row's last state are the end of its word, which comes out as
    long as it was; lists may differ in length. Errors: ColumnNotFoundError; MissingValueError for a
    missing value that is neither such an end nor has a `missing` symbol, and for a missing list;
    DataError for lists of different lengths without `ragged`; DomainError for a state outside the
    alphabet.
    """
    if holds_words(table, columns):
        name = columns[0]
        return _words_from_lists(table, alphabet, name, other=other, missing=missing, ragged=ragged)
    found = read_wide(table, alphabet, columns, other=other, ragged=ragged)
    for name, (row, count) in found.unknown.items():
        raise outside_every(alphabet, name, row, count, table.num_rows)
    gaps = found.gaps
    if gaps.any() and missing is None:
        raise missing_entry(*found.first_gap(), int(np.count_nonzero(gaps)), ragged)
    words = found.words(alphabet, missing)
    names, within, offsets = found.names, found.within, words.offsets

    def rebuild(released: Words) -> pa.Table:
        _same_lengths(released, offsets)
        out = np.zeros(within.shape, released.codes.dtype)
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


def _words_from_lists(
    table: pa.Table,
    alphabet: Alphabet,
    name: str,
    *,
    other: Hashable | None,
    missing: Hashable | None,
    ragged: bool,
) -> SequenceFrame:
    found = read_lists(table, alphabet, name, other=other)
    if found.unknown is not None:
        raise outside_in_lists(alphabet, name, *found.unknown, found.codes.size)
    if found.no_list is not None:
        raise without_list(name, *found.no_list)
    if found.missing is not None and missing is None:
        raise missing_in_lists(name, *found.missing)
    if not ragged and found.lengths.size and int(np.ptp(found.lengths)):
        raise lengths_differ(name)
    words = found.words(alphabet, missing)

    def rebuild(released: Words) -> pa.Table:
        _same_lengths(released, words.offsets)
        return replace_lists(table, name, released)

    return SequenceFrame(words, rebuild, tuple(n for n in table.column_names if n != name))


@dataclass(frozen=True)
class WideCodes:
    """The columns of a wide table against their alphabet, whatever they hold.

    `names`: the columns; `codes`: (rows, columns), 0 where there is none; `within`, `absent`: the
    same shape, where a row's word has not ended yet and where there is no value; `unknown`: for
    each column with labels outside the alphabet, the first such row and how many there are.
    """

    names: list[str]
    codes: npt.NDArray[Any]
    within: npt.NDArray[np.bool_]
    absent: npt.NDArray[np.bool_]
    unknown: dict[str, tuple[int, int]]

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """(rows,) int64: of the word of each row."""
        return np.asarray(self.within.sum(axis=1), np.int64)

    @property
    def gaps(self) -> npt.NDArray[np.bool_]:
        """(rows, columns): where a value is missing and the word goes on."""
        return self.absent & self.within

    def first_gap(self) -> tuple[int, str]:
        """The row and column of the first gap; there must be one."""
        row, place = (int(i) for i in np.argwhere(self.gaps)[0])
        return row, self.names[place]

    def words(self, alphabet: Alphabet, missing: Hashable | None) -> Words:
        """One word a row; gaps are the `missing` symbol, and there are none without one."""
        if missing is not None:
            self.codes[self.gaps] = alphabet.index(missing)
        offsets = np.zeros(len(self.within) + 1, np.int64)
        np.cumsum(self.lengths, out=offsets[1:])
        return Words(alphabet, self.codes[self.within], offsets)


def read_wide(
    table: pa.Table,
    alphabet: Alphabet,
    columns: Sequence[str],
    *,
    other: Hashable | None = None,
    ragged: bool = False,
) -> WideCodes:
    """The codes of the columns of a wide table; no value is refused.

    Errors: ColumnNotFoundError; DomainError for a column whose type the alphabet does not fit.
    """
    names = require_columns(table.column_names, columns)
    if not names:
        raise ParameterError("No column was named.", hint="Name the columns of the sequence.")
    rows = table.num_rows
    codes = np.empty((rows, len(names)), alphabet.code_dtype)
    absent = np.zeros((rows, len(names)), bool)
    unknown = {}
    for place, name in enumerate(names):
        found = look_up_column(table.column(name), alphabet, name=name, other=other)
        codes[:, place] = found.codes
        if found.absent is not None:
            absent[:, place] = found.absent
        if found.unknown_count:
            unknown[name] = (found.unknown_row, found.unknown_count)
    within = _within(absent) if ragged else np.ones_like(absent)
    return WideCodes(names, codes, within, absent, unknown)


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
        names = fitting or _range_of_names(pattern)
        if not names and ".." in pattern:
            raise ColumnNotFoundError(
                f"'{pattern}' is no range of columns.",
                hint="A range is of numbers after one name, such as d1..d30; list other columns "
                "by their names.",
                column=pattern,
            )
        chosen.extend(names or [pattern])
    return require_columns(present, chosen)


def _range_of_names(text: str) -> list[str]:
    """d8, d9, d10 for "d8..d10" (d08, d09, d10 for "d08..d10"); nothing for other text."""
    ends = _NAMES.fullmatch(text)
    if ends is None or not 0 < int(ends[3]) - int(ends[2]) < _LONGEST_RANGE:
        return []
    width = len(ends[2]) if ends[2].startswith("0") else 0
    return [f"{ends[1]}{number:0{width}d}" for number in range(int(ends[2]), int(ends[3]) + 1)]


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
        raise repeated_rows((first, second), int(np.count_nonzero(same)), id_name, time_name)


def repeated_rows(rows: tuple[int, int], count: int, id_name: str, time_name: str) -> DataError:
    """The error for rows of one id and one time: the first two, and how many repeat another."""
    return DataError(
        f"Rows {rows[0]} and {rows[1]} have the same '{id_name}' and '{time_name}'; "
        f"{rows_that(count, 'repeats another', 'repeat another')}.",
        hint=f"A sequence has one state at a time; remove or merge repeated rows. {ROWS_COUNT}",
        rows=rows,
    )


def _within(absent: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Where a row's word has not ended yet: up to and with its last value."""
    remaining = np.logical_or.accumulate(~absent[:, ::-1], axis=1)
    return np.asarray(remaining[:, ::-1])


def outside_every(alphabet: Alphabet, name: str, row: int, count: int, rows: int) -> DomainError:
    """`outside_alphabet` for columns that share one alphabet and one `other` symbol."""
    error = outside_alphabet(alphabet, name, row, count, rows)
    return DomainError(error.message, hint=error.hint, **error.payload, every_column=True)


def missing_entry(row: int, column: str, count: int, ragged: bool) -> MissingValueError:
    """The error for a wide table in which values are missing: the first is in `row`, `column`."""
    hint = f"Name the symbol that stands for a missing value, or complete the data. {ROWS_COUNT}"
    if not ragged:
        hint = f"If sequences end early, say that lengths differ (ragged). {hint}"
    return MissingValueError(
        f"Row {row} has no value in the column '{column}'; "
        f"{'1 value is' if count == 1 else f'{count} values are'} missing.",
        hint=hint,
        position=row,
        column=column,
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
