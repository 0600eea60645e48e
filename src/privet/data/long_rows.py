"""The rows of a long table (id, time, state), batch by batch, as numbers to sort and group by.

Contract. What `words_from_long` refuses is refused here with the same words, rows counted over all
batches: troubles are counted as batches go by and refused at the end, in the order in which the
whole table would be. Ids are tokens (`privet.data.sealing`).
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.data.arrow import column_of, pa, value_type
from privet.data.columns import look_up_column, outside_alphabet, without_value
from privet.data.keys import Gaps, Keys, Numbers, Times
from privet.data.sealing import Seal
from privet.data.sequences import repeated_rows
from privet.data.times import distinct_values, plain_values
from privet.errors import DataError, ParameterError
from privet.symbols import Alphabet

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class LongColumns:
    """Which columns are the ids, times and states, and how states are read (`words_from_long`)."""

    id: str
    time: str
    state: str
    alphabet: Alphabet
    other: Hashable | None = None
    missing: Hashable | None = None

    def __post_init__(self) -> None:
        if len({self.id, self.time, self.state}) != 3:
            raise ParameterError(
                "The id, time and state of a long table are three different columns."
            )


@dataclass(frozen=True)
class LongRows:
    """Some rows: (rows, 2) tokens of `persons`, `times`, the numbers of the `rows`, `codes`."""

    persons: Numbers
    times: Keys
    rows: Numbers
    codes: npt.NDArray[Any]

    def __len__(self) -> int:
        return int(self.rows.size)

    def slice(self, start: int, stop: int) -> "LongRows":
        """The rows from `start` up to `stop`."""
        return LongRows(
            self.persons[start:stop],
            self.times.slice(start, stop),
            self.rows[start:stop],
            self.codes[start:stop],
        )

    @staticmethod
    def joined(parts: "list[LongRows]") -> "LongRows":
        """All rows, one part after the other."""
        if len(parts) == 1:
            return parts[0]
        return LongRows(
            np.concatenate([part.persons for part in parts]),
            Keys.joined([part.times for part in parts]),
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.codes for part in parts]),
        )

    def starts(self) -> Flags:
        """(rows,) bool: where another person begins; the first row always does."""
        starts = np.ones(len(self), np.bool_)
        starts[1:] = (self.persons[1:] != self.persons[:-1]).any(axis=1)
        return starts


class LongReader:
    """Reads one pass of batches, and knows at its end what must be refused."""

    def __init__(self, columns: LongColumns, seal: Seal) -> None:
        self.columns, self._seal = columns, seal
        self.rows = 0
        self._ids = Gaps(columns.id, "Every row needs one; complete the data.")
        self._times = Times(columns.time)
        self._kinds: list[Any] | None = None
        self._unknown = self._absent = (-1, 0)

    @property
    def faulty(self) -> bool:
        """Whether the table will be refused, whatever is still to come."""
        return bool(self._ids.count or self._times.faulty or self._unknown[1] or self._absent[1])

    def read(self, batch: pa.Table) -> LongRows | None:
        """The rows of the next batch; None if there are none, or once the table will be refused.

        Errors: as `words_from_long` for the types of columns; DataError for types that change.
        """
        names = self.columns
        columns = [column_of(batch, name) for name in (names.id, names.time, names.state)]
        self._same_kinds([column.type for column in columns])
        if not batch.num_rows:
            return None
        persons = self._read_ids(columns[0])
        times = self._times.read(columns[1], self.rows)
        codes = self._read_states(columns[2])
        rows = np.arange(self.rows, self.rows + batch.num_rows)
        self.rows += batch.num_rows
        if self.faulty or persons is None or times is None:
            return None
        return LongRows(persons, times, rows, codes)

    def refuse(self) -> None:
        """Errors: MissingValueError, DataError and DomainError as `words_from_long`."""
        names = self.columns
        self._ids.refuse()
        self._times.refuse()
        if self._unknown[1]:
            raise outside_alphabet(names.alphabet, names.state, *self._unknown, self.rows)
        if self._absent[1]:
            raise without_value(names.state, *self._absent)

    def _same_kinds(self, kinds: list[Any]) -> None:
        # Whether values are listed once or written out makes no difference to what they are.
        kinds = [(value_type(kind), getattr(kind, "ordered", False)) for kind in kinds]
        if self._kinds is None:
            self._kinds = kinds
        if kinds != self._kinds:
            raise DataError(
                "The columns of the sequences change their types within the table.",
                hint="Write all parts of the table in one way.",
            )

    def _read_ids(self, column: Any) -> Numbers | None:
        values = plain_values(column, self.columns.id)
        if self._ids.found(values, self.rows):
            return None
        array = distinct_values(values, self.columns.id)
        tokens = self._seal.tokens(array.dictionary)
        places = np.asarray(array.indices.to_numpy(zero_copy_only=False))
        return np.asarray(tokens[places])

    def _read_states(self, column: Any) -> npt.NDArray[Any]:
        names = self.columns
        found = look_up_column(column, names.alphabet, name=names.state, other=names.other)
        if found.unknown_count:
            self._unknown = _also(self._unknown, self.rows + found.unknown_row, found.unknown_count)
        if found.absent is not None:
            if names.missing is not None:
                found.codes[found.absent] = names.alphabet.index(names.missing)
            else:
                row = self.rows + int(np.argmax(found.absent))
                self._absent = _also(self._absent, row, int(np.count_nonzero(found.absent)))
        return found.codes


def _also(before: tuple[int, int], row: int, count: int) -> tuple[int, int]:
    """The first row and the number of all, with some more that come later."""
    return (before[0] if before[1] else row), before[1] + count


def whole_persons(parts: Iterable[LongRows]) -> Iterator[LongRows]:
    """The same rows in parts that are cut between persons only.

    A person with more rows than a part is put together in memory.
    """
    waiting: list[LongRows] = []
    for part in parts:
        if not len(part):
            continue
        starts = part.starts()
        starts[0] = bool(waiting) and bool((waiting[-1].persons[-1] != part.persons[0]).any())
        cut = int(starts.size - np.argmax(starts[::-1]) - 1) if starts.any() else -1
        if cut >= 0:
            done = [*waiting, part.slice(0, cut)] if cut else waiting
            if done:
                yield LongRows.joined(done)
            waiting = []
        waiting.append(part.slice(max(cut, 0), len(part)))
    if waiting:
        yield LongRows.joined(waiting)


class Order:
    """Whether rows come as sequences already: each id in one run, with times that rise."""

    MOST_RUNS = 1 << 22
    """Runs that are remembered (16 bytes each) to see that no id comes twice; beyond it, sort."""

    def __init__(self) -> None:
        self._last: LongRows | None = None
        self._runs: list[Numbers] = []
        self._count, self._check = 0, 1

    def see(self, rows: LongRows) -> bool:
        """Whether all rows so far do, as far as it was looked."""
        if not len(rows):
            return True
        seen = rows if self._last is None else LongRows.joined([self._last, rows])
        starts, steps = seen.starts(), seen.times.steps()
        if (~starts[1:] & (steps <= 0)).any():
            return False
        starts[0] = self._last is None
        runs = seen.persons[starts]
        self._runs.append(runs)
        self._count += len(runs)
        self._last = rows.slice(len(rows) - 1, len(rows))
        if self._count > self.MOST_RUNS or not _all_differ(runs):
            return False
        # Looking each time their number has doubled costs no more than looking once.
        if self._count < self._check:
            return True
        self._check = 2 * self._count
        return self.is_kept()

    def is_kept(self) -> bool:
        """Whether no id came in two runs."""
        self._runs = [np.concatenate([np.empty((0, 2), np.int64), *self._runs])]
        return _all_differ(self._runs[0])


def _all_differ(persons: Numbers) -> bool:
    first, second = persons[np.lexsort(persons.T)].T
    return not ((first[1:] == first[:-1]) & (second[1:] == second[:-1])).any()


class Repeats:
    """Rows of one id and one time, counted over parts of whole persons in the order of time."""

    def __init__(self, columns: LongColumns) -> None:
        self._columns = columns
        self._count = 0
        self._person = -1
        self._rows = (-1, -1)

    def see(self, part: LongRows) -> None:
        """Count those of some whole persons; the ones of the person who comes first are kept."""
        starts = part.starts()
        same = np.zeros(len(part), np.bool_)
        same[1:] = ~starts[1:] & (part.times.steps() == 0)
        if not same.any():
            return
        self._count += int(np.count_nonzero(same))
        begins = np.flatnonzero(starts)
        firsts = np.minimum.reduceat(part.rows, begins)
        place = np.searchsorted(begins, np.flatnonzero(same), side="right") - 1
        person = int(place[np.argmin(firsts[place])])
        if self._count and self._person >= 0 and self._person < firsts[person]:
            return
        self._person = int(firsts[person])
        at = int(begins[person] + np.argmax(same[begins[person] :]))
        rest = same[at:]
        stop = at + (int(np.argmin(rest)) if not rest.all() else rest.size)
        first, second = np.sort(part.rows[at - 1 : stop])[:2]
        self._rows = (int(first), int(second))

    def refuse(self) -> None:
        """Errors: DataError if there were any, as in memory."""
        if self._count:
            raise repeated_rows(self._rows, self._count, self._columns.id, self._columns.time)
