"""Record loss: what a release tells about each record, the currency in which releases add up.

Contract. A mechanism has record loss r if, for ALL pairs of possible inputs x and x' and every
output o, |log P(o|x) - log P(o|x')| <= sum of r(t) over the positions t where x and x' differ.
Losses of independent releases add. A loss is rounded UP once, when made, to a multiple of 2^-64;
from then on it is an integer, so addition is exact, associative and commutative. It is piecewise
constant: a loss over a million records costs what its pieces cost.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import groupby
from typing import Any

from privet.errors import DataError, ParameterError
from privet.exact import exact_number, read_count
from privet.exact.number import Number

LOSS_BITS = 64
_UNIT = 1 << LOSS_BITS

_FEW = 8
"""Pieces that are laid one by one on a sum."""


def loss_units(value: Number) -> int:
    """A loss in units of 2^-64, rounded up. Errors: ParameterError if negative or not finite."""
    number = exact_number(value, "record loss")
    if number < 0:
        raise ParameterError("A record loss cannot be negative.")
    return -((-number.numerator * _UNIT) // number.denominator)


def on_loss_grid(rate: Fraction) -> Fraction:
    """The largest multiple of 2^-64 that is at most `rate` > 0; the rate itself if that is 0.

    A mechanism that runs at this rate has a record loss that is not rounded up any more: n releases
    at epsilon / n cost no more than epsilon.
    """
    return Fraction(rate.numerator * _UNIT // rate.denominator, _UNIT) or rate


class RecordLoss:
    """Losses of the records 0..length-1, constant on pieces.

    Make one with `constant`, `segment` or `from_values`; add them with `+`.
    """

    __slots__ = ("_pieces", "length")

    def __init__(self, pieces: Iterable[tuple[int, int]]) -> None:
        """`pieces`: (stop, loss in units of 2^-64), stops rising; prefer the named constructors."""
        merged: list[tuple[int, int]] = []
        last = 0
        for stop, units in pieces:
            if stop < last or units < 0:
                raise DataError("The pieces of a record loss must rise and be nonnegative.")
            if stop == last:
                continue
            if merged and merged[-1][1] == units:
                merged.pop()
            merged.append((stop, units))
            last = stop
        self._pieces = tuple(merged)
        self.length = last

    @classmethod
    def constant(cls, length: int, value: Number) -> "RecordLoss":
        """The same loss for every one of `length` records."""
        return cls([(read_count(length, "length", minimum=0), loss_units(value))])

    @classmethod
    def segment(cls, length: int, start: int, stop: int, value: Number) -> "RecordLoss":
        """`value` for the records start..stop-1 of `length`, and 0 elsewhere."""
        size = read_count(length, "length", minimum=0)
        first = read_count(start, "start", minimum=0)
        last = read_count(stop, "stop", minimum=0)
        if not first <= last <= size:
            raise ParameterError(f"The segment {first}..{last} does not lie within 0..{size}.")
        return cls([(first, 0), (last, loss_units(value)), (size, 0)])

    @classmethod
    def from_values(cls, values: Sequence[Number]) -> "RecordLoss":
        """One loss a record."""
        pieces, stop = [], 0
        for units, run in groupby(loss_units(value) for value in values):
            stop += sum(1 for _ in run)
            pieces.append((stop, units))
        return cls(pieces)

    def __len__(self) -> int:
        return self.length

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RecordLoss) and self._pieces == other._pieces

    def __hash__(self) -> int:
        return hash(self._pieces)

    def __repr__(self) -> str:
        return f"RecordLoss({self.length} records, {len(self._pieces)} pieces, max {self.maximum})"

    def __add__(self, other: "RecordLoss") -> "RecordLoss":
        """The loss of both releases together. Errors: DataError if lengths differ."""
        if not isinstance(other, RecordLoss):
            return NotImplemented
        if self.length != other.length:
            raise DataError(
                f"Losses over {self.length} and {other.length} records do not add.",
                hint="Extend the shorter one with extended(), or use RecordLoss.sum_of.",
            )
        return RecordLoss.sum_of((self, other))

    def __mul__(self, times: int) -> "RecordLoss":
        """The loss of `times` >= 0 such releases together."""
        count = read_count(times, "times", minimum=0)
        return RecordLoss((stop, units * count) for stop, units in self._pieces)

    __rmul__ = __mul__

    @classmethod
    def sum_of(cls, losses: Iterable["RecordLoss"]) -> "RecordLoss":
        """The loss of all the releases together, over the records of the longest one.

        A shorter loss counts as 0 beyond its end: records that do not exist lose nothing. The time
        is that of sorting all the pieces; a loss of few pieces is laid on another as it is copied.
        """
        together = [loss for loss in losses if loss.length]
        if len(together) == 2:
            fewer, more = sorted(together, key=lambda loss: len(loss.units))
            if len(fewer.units) <= _FEW:
                return cls(_laid_on(more, fewer))
        total = LossSum()
        for loss in together:
            total.add(loss)
        return total.loss()

    @classmethod
    def largest_of(cls, losses: Iterable["RecordLoss"]) -> "RecordLoss":
        """At each record the largest of the losses, over the records of the longest one."""
        known = list(losses)
        length = max((loss.length for loss in known), default=0)
        return cls(_highest([piece for loss in known for piece in _lying(loss)], length))

    def without(self, loss: "RecordLoss") -> "RecordLoss":
        """What is left if a release of that loss is taken out, over the same records.

        Errors: DataError if this loss does not hold it.
        """
        total = LossSum()
        total.add(self)
        total.add(loss, -1)
        try:
            return total.loss()
        except DataError:
            raise DataError("A record loss does not hold what was to be taken out of it.") from None

    def extended(self, length: int) -> "RecordLoss":
        """The same loss over `length` records, 0 for those beyond its own.

        Errors: ParameterError if that would shorten it.
        """
        size = read_count(length, "length", minimum=0)
        if size < self.length:
            raise ParameterError(
                f"A loss over {self.length} records cannot be cut to {size}.",
                hint="What was lost stays lost: give the longer length.",
                parameter="length",
            )
        return RecordLoss([*self._pieces, (size, 0)])

    def at(self, record: int) -> Fraction:
        """The loss of one record; 0 beyond the end."""
        place = bisect_right(self._pieces, read_count(record, "record", 0), key=_stop)
        return Fraction(self._pieces[place][1], _UNIT) if place < len(self._pieces) else Fraction(0)

    def within(self, records: range) -> Fraction:
        """The sum of the losses of the records of a range of step 1; 0 beyond the end."""
        total = last = 0
        for stop, units in self._pieces:
            shared = min(stop, records.stop) - max(last, records.start)
            total += max(0, shared) * units
            last = stop
        return Fraction(total, _UNIT)

    @property
    def units(self) -> tuple[tuple[int, int], ...]:
        """(stop, loss in units of 2^-64) of each piece, in order."""
        return self._pieces

    @property
    def pieces(self) -> list[tuple[int, int, Fraction]]:
        """(start, stop, loss) of each piece, in order."""
        starts = [0, *(stop for stop, _ in self._pieces)]
        return [
            (start, stop, Fraction(units, _UNIT))
            for start, (stop, units) in zip(starts, self._pieces, strict=False)
        ]

    @property
    def maximum(self) -> Fraction:
        """The largest loss of a single record."""
        return Fraction(max((units for _, units in self._pieces), default=0), _UNIT)

    @property
    def total(self) -> Fraction:
        """The sum over all records."""
        last = total = 0
        for stop, units in self._pieces:
            total += (stop - last) * units
            last = stop
        return Fraction(total, _UNIT)

    def largest(self, count: int) -> Fraction:
        """The sum of the `count` largest losses."""
        if count == 1:
            return self.maximum
        starts = (0, *map(_stop, self._pieces))
        sized = (
            (units, stop - start)
            for start, (stop, units) in zip(starts, self._pieces, strict=False)
        )
        left, total = count, 0
        for units, records in sorted(sized, reverse=True):
            taken = min(left, records)
            total += taken * units
            left -= taken
        return Fraction(total, _UNIT)

    def to_json(self) -> dict[str, Any]:
        """{"bits": 64, "pieces": [[stop, units as text], ...]}: exact."""
        return {"bits": LOSS_BITS, "pieces": [[stop, str(units)] for stop, units in self._pieces]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "RecordLoss":
        """The inverse of `to_json`. Errors: DataError.

        Nothing is rounded: units that are no whole number are not what `to_json` wrote.
        """
        if not isinstance(data, dict) or data.get("bits") != LOSS_BITS:
            raise DataError(f"A record loss is written in units of 2^-{LOSS_BITS}.")
        pieces = data.get("pieces")
        if not isinstance(pieces, list) or not all(map(_is_written_piece, pieces)):
            raise DataError("The pieces of a record loss are pairs [stop, units as digits].")
        return cls((stop, int(units)) for stop, units in pieces)


def _is_written_piece(piece: Any) -> bool:
    """Whether it is [stop, units as digits]; int() would round 0.1 to nothing lost."""
    if not isinstance(piece, list | tuple) or len(piece) != 2 or type(piece[0]) is not int:
        return False
    units = piece[1]
    return type(units) is int or (isinstance(units, str) and units.isascii() and units.isdigit())


class LossSum:
    """The sum of losses that keep coming: adding one costs what its own pieces cost.

    `length`: of the longest so far. The sum is put together when it is asked for, and kept.
    """

    __slots__ = ("_changes", "_loss", "length")

    def __init__(self) -> None:
        self.length = 0
        self._changes: dict[int, int] = {}
        self._loss: RecordLoss | None = RecordLoss([])

    def add(self, loss: RecordLoss, times: int = 1) -> None:
        """Adds `times` releases of that loss."""
        self.length = max(self.length, loss.length)
        self._loss = None
        for place, change in _changes_of(loss):
            self._changes[place] = self._changes.get(place, 0) + change * times

    def loss(self) -> RecordLoss:
        """The sum, over `length` records."""
        if self._loss is None:
            self._loss = RecordLoss(_summed(self._changes, self.length))
        return self._loss


def _changes_of(loss: RecordLoss) -> Iterator[tuple[int, int]]:
    """Where the loss changes, and by how much, from 0 before its start to 0 after its end."""
    place = before = 0
    for stop, units in loss.units:
        if units != before:
            yield place, units - before
        place, before = stop, units
    if before:
        yield place, -before


def _summed(changes: Mapping[int, int], length: int) -> Iterator[tuple[int, int]]:
    """The pieces (stop, units) of a function that starts at 0."""
    now = 0
    for place in sorted(changes):
        yield place, now
        now += changes[place]
    yield length, now


def _laid_on(total: RecordLoss, loss: RecordLoss) -> list[tuple[int, int]]:
    """The pieces (stop, units) of the sum of both."""
    pieces = list(total.units)
    if loss.length > total.length:
        pieces.append((loss.length, 0))
    for start, stop, units in _lying(loss):
        _raise(pieces, start, stop, units)
    return pieces


def _raise(pieces: list[tuple[int, int]], start: int, stop: int, units: int) -> None:
    """Add `units` at the records start..stop-1, which the (stop, units) of `pieces` cover."""
    first, last = bisect_right(pieces, start, key=_stop), bisect_left(pieces, stop, key=_stop)
    begin = pieces[first - 1][0] if first else 0
    before = [(start, pieces[first][1])] if begin < start else []
    end, level = pieces[last]
    raised = [(place, below + units) for place, below in pieces[first:last]]
    pieces[first : last + (end == stop)] = [*before, *raised, (stop, level + units)]


def _lying(loss: RecordLoss) -> Iterator[tuple[int, int, int]]:
    """(start, stop, units) of the pieces that are not 0."""
    start = 0
    for stop, units in loss.units:
        if units:
            yield start, stop, units
        start = stop


def _highest(pieces: list[tuple[int, int, int]], length: int) -> Iterator[tuple[int, int]]:
    """(stop, largest units of the pieces (start, stop, units) that lie over it) up to `length`."""
    pieces.sort()
    stops = sorted({edge for start, stop, _ in pieces for edge in (start, stop)} | {length})
    lying: list[tuple[int, int]] = []
    place = 0
    for stop in stops:
        while place < len(pieces) and pieces[place][0] < stop:
            _, end, units = pieces[place]
            heappush(lying, (-units, end))
            place += 1
        # A piece that ended before this interval began ends at an earlier stop.
        while lying and lying[0][1] < stop:
            heappop(lying)
        yield stop, -lying[0][0] if lying else 0


def _stop(piece: tuple[int, int]) -> int:
    return piece[0]
