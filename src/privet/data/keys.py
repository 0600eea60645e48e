"""Ids and times of one batch as keys that compare as the values of the whole file do.

Contract. A key is a whole number and, where that is not enough, bytes that break ties. Keys of two
batches compare as their values would in one table: equal where the values are equal, and for times
in the order of time, with exactly the meaning of `order_of_times`. What can only be judged by the
whole file (that all text is numbers, or dates of one form) is noted batch by batch and refused at
the end, with the row counted over the whole file.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.data.arrow import ROWS_COUNT, indices_of, is_text, pa, pc, rows_that, without_views
from privet.data.times import (
    DATE,
    NUMBER,
    WHOLE,
    are_possible,
    date_forms,
    distinct_values,
    impossible_date,
    no_order,
    plain_values,
    several_forms,
)
from privet.errors import MissingValueError

_DIGITS = 18
"""So many decimal digits always fit into 64 bits."""
_ABOVE = 10**_DIGITS
_BELOW = -(10**_DIGITS) - 1
_NINES = str.maketrans("0123456789", "9876543210")
_SIGN = np.int64(-(2**63))

Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Keys:
    """`numbers`: (rows,) int64; `rest`: a large binary array that breaks ties, None if all empty.

    Keys compare by number and then by rest, byte by byte.
    """

    numbers: Numbers
    rest: Any = None

    def __len__(self) -> int:
        return int(self.numbers.size)

    def take(self, places: npt.NDArray[Any]) -> "Keys":
        """The keys at those places."""
        rest = None if self.rest is None else self.rest.take(pa.array(places))
        return Keys(self.numbers[places], rest)

    def slice(self, start: int, stop: int) -> "Keys":
        """The keys from `start` up to `stop`."""
        rest = None if self.rest is None else self.rest.slice(start, stop - start)
        return Keys(self.numbers[start:stop], rest)

    @staticmethod
    def joined(parts: "list[Keys]") -> "Keys":
        """All keys, one part after the other."""
        numbers = np.concatenate([part.numbers for part in parts])
        if all(part.rest is None for part in parts):
            return Keys(numbers)
        return Keys(numbers, pa.concat_arrays([part.some_rest() for part in parts]))

    def some_rest(self) -> Any:
        """The bytes that break ties, empty where there are none."""
        return no_rest(len(self)) if self.rest is None else self.rest

    def steps(self) -> npt.NDArray[np.int8]:
        """(rows - 1,): 1 where a key is above the one before it, 0 where equal, -1 where below."""
        before, after = self.numbers[:-1], self.numbers[1:]
        steps = (after > before).astype(np.int8) - (after < before)
        if self.rest is not None and len(self) > 1:
            above, below = (
                compare(self.rest[1:], self.rest[:-1]).to_numpy(zero_copy_only=False)
                for compare in (pc.greater, pc.less)
            )
            steps = np.where(steps == 0, above.astype(np.int8) - below, steps)
        return np.asarray(steps, np.int8)


def no_rest(rows: int) -> Any:
    """(rows,) empty bytes."""
    return pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), rows, [None, pa.py_buffer(bytes(8 * (rows + 1))), pa.py_buffer(b"")]
    )


def rest_parts(rest: Any) -> tuple[Numbers, npt.NDArray[np.uint8]]:
    """The length of each of the bytes that break ties, and all of them one after the other."""
    offsets = np.frombuffer(rest.buffers()[1], np.int64)[rest.offset :][: len(rest) + 1]
    content = rest.buffers()[2]
    letters = np.frombuffer(b"" if content is None else content, np.uint8)
    return np.diff(offsets), letters[offsets[0] : offsets[-1]]


def rest_of(lengths: Numbers, letters: npt.NDArray[np.uint8]) -> Any:
    """The array that `rest_parts` took apart."""
    offsets = np.zeros(lengths.size + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    buffers: list[Any] = [None, *(pa.py_buffer(array.data) for array in (offsets, letters))]
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), lengths.size, buffers)


def keys_of(values: Any) -> Keys:
    """Keys of an array of numbers, dates, moments, booleans, decimals or bytes without nulls.

    Text is keyed by its bytes, which tells ids apart.
    """
    kind = values.type
    if pa.types.is_decimal(kind):
        return _decimals(values)
    if is_text(kind) or _is_bytes(kind):
        return Keys(np.zeros(len(values), np.int64), values.cast(pa.large_binary()))
    if pa.types.is_boolean(kind):
        values = values.cast(pa.int8())
    elif pa.types.is_date32(kind) or pa.types.is_time32(kind):
        values = values.cast(pa.int32())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        values = values.cast(pa.int64())
    array = np.asarray(values.to_numpy(zero_copy_only=False))
    if array.dtype == np.uint64:
        return Keys(array.view(np.int64) ^ _SIGN)
    if array.dtype.kind == "f":
        bits = array.astype(np.float64).view(np.int64)
        # Negative numbers have their bits in the order of their sizes: turned round.
        return Keys(np.where(bits < 0, ~bits ^ _SIGN, bits))
    return Keys(array.astype(np.int64))


def _is_bytes(kind: Any) -> bool:
    tests = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary)
    return any(test(kind) for test in tests)


def _decimals(values: Any) -> Keys:
    """The upper 64 bits, and the lower ones as bytes in the order of their sizes."""
    width = values.type.bit_width // 64
    content = np.frombuffer(values.buffers()[1], np.int64)
    parts = content[values.offset * width : (values.offset + len(values)) * width]
    parts = parts.reshape(-1, width)
    lower = parts[:, -2::-1].astype(">i8")
    size = 8 * (width - 1)
    offsets = np.arange(len(values) + 1, dtype=np.int64) * size
    rest = pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), len(values), [None, pa.py_buffer(offsets), pa.py_buffer(lower.tobytes())]
    )
    return Keys(parts[:, -1].copy(), rest)


class Gaps:
    """Rows without a value, counted over batches."""

    def __init__(self, name: str, why: str) -> None:
        self.name, self.why, self.row, self.count = name, why, -1, 0

    def found(self, values: Any, first_row: int) -> bool:
        """Whether some of the values are missing (null, NaN); they are counted."""
        nulls = pc.is_null(values, nan_is_null=True)
        count = int(pc.sum(nulls).as_py() or 0)
        if count and not self.count:
            self.row = first_row + int(pc.index(nulls, True).as_py())
        self.count += count
        return bool(count)

    def refuse(self) -> None:
        """Errors: MissingValueError if there were any, as in memory."""
        if self.count:
            raise MissingValueError(
                f"Row {self.row} has no value in the column '{self.name}'; "
                f"{rows_that(self.count, 'has none', 'have none')}.",
                hint=f"{self.why} {ROWS_COUNT}",
                position=self.row,
                column=self.name,
            )


class Times:
    """The keys of a column of times, batch by batch, and what must be refused at the end."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.gaps = Gaps(name, "Every row needs a time; complete the data.")
        self._categories: Any = None
        self._all_numbers = self._all_dates = True
        self._form: str | None = None
        self._other_form = self._impossible = -1

    @property
    def faulty(self) -> bool:
        """Whether the column will be refused, whatever is still to come."""
        unclear = self._other_form >= 0 or self._impossible >= 0 or not self._all_dates
        return bool(self.gaps.count) or (not self._all_numbers and unclear)

    def read(self, column: Any, first_row: int) -> Keys | None:
        """The keys of the next batch; None if it holds what will be refused.

        Errors: DataError for a type whose values cannot be told apart.
        """
        values = plain_values(column, self.name)
        if self.gaps.found(values, first_row):
            return None
        if pa.types.is_dictionary(column.type) and column.type.ordered:
            return self._read_categories(column)
        array = distinct_values(values, self.name)
        codes = np.asarray(array.indices.to_numpy(zero_copy_only=False))
        if is_text(array.type.value_type):
            keys = self._read_text(array.dictionary.cast(pa.large_string()), codes, first_row)
        else:
            keys = keys_of(array.dictionary)
        return None if keys is None else keys.take(codes)

    def refuse(self) -> None:
        """Errors: as `order_of_times` of the whole column."""
        self.gaps.refuse()
        if self._all_numbers:
            return
        if not self._all_dates:
            raise no_order(self.name)
        if self._other_form >= 0:
            raise several_forms(self.name, self._other_form)
        if self._impossible >= 0:
            raise impossible_date(self.name, self._impossible)

    def _read_categories(self, column: Any) -> Keys:
        """Places in the list of all categories so far, which only ever grows at its end."""
        places = []
        for chunk in column.chunks:
            listed = without_views(chunk.dictionary)
            lists = [listed] if self._categories is None else [self._categories, listed]
            self._categories = pc.unique(pa.chunked_array(lists)).drop_null()
            place = np.asarray(
                pc.index_in(listed, value_set=self._categories).fill_null(-1), np.int64
            )
            places.append(place[indices_of(chunk, null=0)])
        return Keys(np.concatenate([np.empty(0, np.int64), *places]))

    def _read_text(self, values: Any, codes: npt.NDArray[Any], first_row: int) -> Keys | None:
        if not len(values):
            return Keys(np.empty(0, np.int64))
        whole, numbers, dates = (
            bool(pc.all(pc.match_substring_regex(values, pattern)).as_py())
            for pattern in (WHOLE, NUMBER, DATE)
        )
        self._all_numbers &= numbers
        self._all_dates &= dates
        if self._all_dates:
            self._note_forms(values, codes, first_row)
        if whole:
            return Keys(np.asarray(values.cast(pa.int64())))
        if numbers:
            return _texts([decimal_key(text) for text in values.to_pylist()])
        return None if self.faulty else _date_keys(values)

    def _note_forms(self, values: Any, codes: npt.NDArray[Any], first_row: int) -> None:
        """Remember the first row that is not written as row 0, or that is no date."""
        forms = date_forms(values)
        if self._form is None:
            self._form = str(forms[0])
        alike = np.asarray(pc.equal(forms, pa.scalar(self._form, forms.type)))
        if not alike.all():
            if self._other_form < 0:
                self._other_form = first_row + int(np.argmin(alike[codes]))
        elif self._impossible < 0 and len(self._form) > len("0000"):
            possible = are_possible(values, self._form)
            if not possible.all():
                self._impossible = first_row + int(np.argmin(possible[codes]))


def decimal_key(text: str) -> tuple[int, bytes]:
    """Of a number written with digits: keys compare as numbers do, with no limit on their digits.

    The number is rounded down to a whole one, and the digits of what is left break ties. Whole
    numbers of more than 18 digits, which no 64 bits hold, come after (or before) all others and
    are compared by how many digits they have, and then by their digits.
    """
    negative, body = text.startswith("-"), text.lstrip("+-")
    whole, _, part = body.partition(".")
    whole, part = whole.lstrip("0"), part.rstrip("0")
    if len(whole) > _DIGITS:
        digits = f"{len(whole):012d}{whole}.{part}"
        if negative:
            return _BELOW, (digits.translate(_NINES) + "~").encode()
        return _ABOVE, digits.encode()
    number = int(whole or "0")
    if not negative or not part:
        return (-number if negative else number), part.encode()
    # -2.25 is -3 and 0.75.
    left = part[:-1].translate(_NINES) + str(10 - int(part[-1]))
    return -number - 1, left.encode()


def _date_keys(values: Any) -> Keys:
    """Of dates of one form: their digits, as one number as far as it goes."""
    digits = pc.replace_substring_regex(values, "[^0-9]", "")
    numbers = pc.utf8_slice_codeunits(digits, 0, _DIGITS).cast(pa.int64())
    rest = pc.utf8_slice_codeunits(digits, _DIGITS).cast(pa.large_binary())
    longer = int(pc.max(pc.binary_length(rest)).as_py()) > 0
    return Keys(np.asarray(numbers), rest if longer else None)


def _texts(keys: list[tuple[int, bytes]]) -> Keys:
    numbers = np.array([number for number, _ in keys], np.int64)
    rest = pa.array([rest for _, rest in keys], pa.large_binary())
    return Keys(numbers, rest if any(rest for _, rest in keys) else None)
