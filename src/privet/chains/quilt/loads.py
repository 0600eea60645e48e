"""Losses of nodes, constant on pieces: what lies near a node, summed exactly.

Contract. Nodes 0..length-1 have nonnegative loads, each a whole number of `unit`. The window of
node i with distances a and b is i-a+1 .. i+b-1, cut at `base` on the left and at the end on the
right. Sums are exact, or rounded up: loads without a common unit of decent size are rounded up to
one, and the largest window of a range of nodes over very many pieces is found in a coarser unit,
2^-60 of the total of all loads.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from privet.errors import DataError, ParameterError

Pieces = Sequence[tuple[int, int, Fraction]]
"""(start, stop, value): value for each of the nodes start..stop-1; in order, without gaps."""

_FEW = 32
"""Pieces up to which a window's largest sum is found from the pieces' ends."""

_MOST_BITS = 512
"""Digits of a common denominator that sums of loads can be expected to carry."""

_DEPTH = 4
"""How many windows away from an end a node is no longer near it."""


class Loads:
    """The loads of all nodes. Errors: DataError if the pieces do not follow each other."""

    def __init__(self, pieces: Pieces) -> None:
        self.length = 0
        values = []
        for start, stop, value in pieces:
            if start != self.length or stop <= start:
                raise DataError("The pieces of a loss follow each other without gaps from node 0.")
            if value < 0:
                raise ParameterError("A loss or a Lipschitz constant cannot be negative.")
            self.length = stop
            values.append(Fraction(value))
        if not values:
            raise DataError("There are no nodes.", hint="A series has at least one node.")
        self.unit = _common_unit(values)
        self._add_up([start for start, _, _ in pieces], [-(-v // self.unit) for v in values])

    def _add_up(self, starts: list[int], values: list[int]) -> None:
        self._starts, self._values = starts, values
        sums = [0]
        for (start, stop), units in zip(pairwise((*starts, self.length)), values, strict=True):
            sums.append(sums[-1] + (stop - start) * units)
        self._sums = sums
        self.total = sums[-1]

    @classmethod
    def from_units(cls, pieces: Sequence[tuple[int, int]], unit: Fraction) -> "Loads":
        """Loads that are whole numbers of `unit`: (stop, units) of each piece, stops rising."""
        if not pieces:
            raise DataError("There are no nodes.", hint="A series has at least one node.")
        loads = cls.__new__(cls)
        loads.length, loads.unit = pieces[-1][0], unit
        loads._add_up([0, *(stop for stop, _ in pieces[:-1])], [units for _, units in pieces])
        return loads

    @classmethod
    def constant(cls, length: int) -> "Loads":
        """1 on every node."""
        return cls([(0, length, Fraction(1))])

    def before(self, node: int) -> int:
        """The sum of the loads of the nodes before `node`, in units."""
        piece = bisect_right(self._starts, node) - 1
        return self._sums[piece] + (node - self._starts[piece]) * self._values[piece]

    def window(self, node: int, base: int, a: int, b: int) -> int:
        """The sum over the window of one node, in units."""
        return self.before(min(node + b, self.length)) - self.before(max(node - a + 1, base))

    def largest(self, nodes: range, base: int, a: int, b: int) -> tuple[int, int]:
        """The largest sum over the windows of the nodes, in units, and a node with it.

        Of several such nodes, one that is not near an end if there is one.
        """
        first, last = nodes.start, nodes[-1]
        if first == last:
            return self.window(first, base, a, b), first
        if len(self._starts) == 1:
            whole = max(first, base + a - 1)
            whole += -(whole - first) % nodes.step
            if whole <= last and whole + b <= self.length:
                deep = whole + _DEPTH * (a + b) // nodes.step * nodes.step
                node = deep if deep <= min(last, self.length - b) else whole
                return (a + b - 1) * self._values[0], node
        if len(self._starts) > _FEW:
            return self._dense_largest(nodes, base, a, b)
        # The sum is linear in the node between the places where an end of the window meets the end
        # of a piece, so its maximum is at such a place or at an end of the range.
        candidates = {first, last}
        for place in (*self._starts, base, self.length):
            for node in (place + a - 1, place - b):
                if first < node < last:
                    below = node - (node - first) % nodes.step
                    candidates.update((below, min(last, below + nodes.step)))
        largest, negated = max((self.window(i, base, a, b), -i) for i in candidates)
        return largest, -negated

    @cached_property
    def _dense(self) -> tuple[npt.NDArray[np.int64], int]:
        """(length + 1,) sums before each node in a coarser unit, rounded up; that unit."""
        coarse = max(1, -(-self.total // (1 << 60)))
        lengths = np.diff([*self._starts, self.length])
        rounded = [-(-value // coarse) for value in self._values]
        sums = np.zeros(self.length + 1, np.int64)
        np.cumsum(np.repeat(np.array(rounded, np.int64), lengths), out=sums[1:])
        return sums, coarse

    def _dense_largest(self, nodes: range, base: int, a: int, b: int) -> tuple[int, int]:
        sums, coarse = self._dense
        # Where neither end of a window is cut, both sums are slices, which is several times faster.
        low = min(len(nodes), max(0, -(-(base + a - 1 - nodes.start) // nodes.step)))
        high = max(low, min(len(nodes), (self.length - b - nodes.start) // nodes.step + 1))
        best = []
        for part in (nodes[:low], nodes[high:]):
            if part:
                each = np.arange(part.start, part.stop, part.step)
                ends = np.minimum(each + b, self.length)
                best.append(_first_largest(sums[ends] - sums[np.maximum(each - a + 1, base)], part))
        if part := nodes[low:high]:
            starts = sums[part.start - a + 1 : part[-1] - a + 2 : part.step]
            ends = sums[part.start + b : part[-1] + b + 1 : part.step]
            best.append(_first_largest(ends - starts, part))
        value, negated = max(best)
        return value * coarse, -negated


def _first_largest(windows: npt.NDArray[np.int64], nodes: range) -> tuple[int, int]:
    """The largest, and minus the first node with it."""
    place = int(windows.argmax())
    return int(windows[place]), -nodes[place]


def _common_unit(values: Sequence[Fraction]) -> Fraction:
    """What all values are multiples of; if it is absurdly small, 2^-128 of the largest instead."""
    common = 1
    for denominator in {value.denominator for value in values}:
        common = math.lcm(common, denominator)
        if common.bit_length() > _MOST_BITS:
            return max(values) / (1 << 128)
    return Fraction(1, common)
