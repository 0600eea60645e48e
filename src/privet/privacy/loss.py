"""Record loss: what a release tells about each record, the currency in which releases add up.

Contract. A mechanism has record loss r if, for ALL pairs of possible inputs x and x' and every
output o, |log P(o|x) - log P(o|x')| <= sum of r(t) over the positions t where x and x' differ.
Losses of independent releases add. A loss is rounded UP once, when made, to a multiple of 2^-64;
from then on it is an integer, so addition is exact, associative and commutative. It is piecewise
constant: a loss over a million records costs what its pieces cost.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any

from privet.errors import DataError, ParameterError
from privet.exact import exact_number, read_count
from privet.exact.number import Number

LOSS_BITS = 64
_UNIT = 1 << LOSS_BITS


def loss_units(value: Number) -> int:
    """A loss in units of 2^-64, rounded up. Errors: ParameterError if negative or not finite."""
    number = exact_number(value, "record loss")
    if number < 0:
        raise ParameterError("A record loss cannot be negative.")
    return -((-number.numerator * _UNIT) // number.denominator)


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
                hint="Extend the shorter one with RecordLoss.segment.",
            )
        stops = sorted({stop for stop, _ in (*self._pieces, *other._pieces)})
        return RecordLoss(
            (stop, a + b)
            for stop, a, b in zip(stops, _along(self, stops), _along(other, stops), strict=True)
        )

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
        return sum(((b - a) * loss for a, b, loss in self.pieces), Fraction(0))

    def largest(self, count: int) -> Fraction:
        """The sum of the `count` largest losses."""
        left, sum_ = count, Fraction(0)
        for start, stop, loss in sorted(self.pieces, key=lambda piece: -piece[2]):
            taken = min(left, stop - start)
            sum_ += taken * loss
            left -= taken
        return sum_

    def to_json(self) -> dict[str, Any]:
        """{"bits": 64, "pieces": [[stop, units as text], ...]}: exact."""
        return {"bits": LOSS_BITS, "pieces": [[stop, str(units)] for stop, units in self._pieces]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "RecordLoss":
        """The inverse of `to_json`."""
        if data.get("bits") != LOSS_BITS:
            raise DataError(f"A record loss is written in units of 2^-{LOSS_BITS}.")
        return cls((int(stop), int(units)) for stop, units in data["pieces"])


def _along(loss: RecordLoss, stops: list[int]) -> list[int]:
    """The units of `loss` on each interval that ends at one of `stops`."""
    units, piece = [], 0
    for stop in stops:
        while loss._pieces[piece][0] < stop:
            piece += 1
        units.append(loss._pieces[piece][1])
    return units
