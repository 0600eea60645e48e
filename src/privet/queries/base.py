"""What a query is: whole numbers computed from words, and how far one node can move them.

Contract. A query turns the nodes it reads into d whole numbers, counted in units of its grid (1 for
counts); of several words, the sum over the words. `constants` bounds what ONE node can do: for any
two words that differ at node t alone, the sum over the d numbers of their changes, in units of the
grid, is at most the constant of t. Noise is added to these whole numbers, and only then are they
turned into what is published (`finish`): a function of the noisy numbers and of public facts, the
alphabet and how many nodes were read. Nothing else about the words goes out.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from fractions import Fraction
from math import prod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privet.queries.pieces import Nodes, Offsets, Pieces, read_nodes, spread
from privet.symbols import Alphabet

Codes = npt.NDArray[Any]
Published = int | float | npt.NDArray[np.int64] | npt.NDArray[np.float64] | npt.NDArray[np.object_]


class Query(ABC):
    """A statistic of the states of a series. Made by the functions of `privet.queries`."""

    kind: ClassVar[str]
    """What `read_query` and descriptions call it."""

    is_share: ClassVar[bool] = False
    """Whether what is published is divided by the number of nodes read."""

    is_whole: bool = True
    """Whether what is published are the noisy whole numbers themselves."""

    @abstractmethod
    def shape(self, alphabet: Alphabet) -> tuple[int, ...]:
        """The shape of what is published: () for one number."""

    @abstractmethod
    def labels(self, alphabet: Alphabet) -> tuple[Hashable, ...]:
        """(d,) what each published number is about, in flat order."""

    @abstractmethod
    def node_constants(self, alphabet: Alphabet, count: int) -> tuple[Fraction, Fraction]:
        """The constants of a range of `count` nodes: of its first and last node, and inside.

        In units of the grid; see the class for the proof. Errors: ParameterError, DomainError if
        the query does not fit the alphabet.
        """

    @abstractmethod
    def raw(self, alphabet: Alphabet, codes: Codes, offsets: Offsets) -> list[int]:
        """The d whole numbers, flat, summed over the words codes[offsets[i]:offsets[i+1]].

        The words are the nodes read, at least one word and one node each.
        """

    def stated_constants(self, alphabet: Alphabet, count: int) -> tuple[Fraction, Fraction]:
        """The constants in units of the statistic, as `node_constants` has them in grid units."""
        unit = self.grid(alphabet)
        end, inside = self.node_constants(alphabet, count)
        return end * unit, inside * unit

    def parameters(self) -> dict[str, Any]:
        """What the query was made with, as JSON values."""
        return {}

    def grid(self, alphabet: Alphabet) -> Fraction:  # noqa: ARG002  # others depend on it
        """The unit of the whole numbers: a change of 1 is a change of the statistic by this."""
        return Fraction(1)

    def origin(self, alphabet: Alphabet) -> Fraction:  # noqa: ARG002  # others depend on it
        """A public number, added to what is published."""
        return Fraction(0)

    def rounding(self, alphabet: Alphabet) -> Fraction:  # noqa: ARG002  # others depend on it
        """The most by which putting the statistic on the grid moves one of its numbers."""
        return Fraction(0)

    def weights(self, alphabet: Alphabet) -> tuple[int, ...] | None:  # noqa: ARG002  # as above
        """(k,) whole numbers if the query is the sum over the nodes of one of each state."""
        return None

    def assumptions(self) -> tuple[str, ...]:
        """What must hold for the constants, and cannot be proved here."""
        return ()

    def verify(self, alphabet: Alphabet, lengths: Sequence[int]) -> None:  # noqa: B027  # most are proved
        """Look for two words that break a constant that was only stated; see `own`."""

    def size(self, alphabet: Alphabet) -> int:
        """d, how many numbers there are."""
        return prod(self.shape(alphabet))

    def constants(self, alphabet: Alphabet, length: int, nodes: Nodes = None) -> Pieces:
        """What one node of a word of `length` can do to the whole numbers, piecewise constant.

        [(start, stop, constant), ...] covering 0 .. length; 0 at nodes that are not read. Errors:
        ParameterError for nodes out of range.
        """
        start, stop = read_nodes(nodes, length)
        end, inside = self.node_constants(alphabet, stop - start)
        return spread(length, start, stop, end, inside)

    def divisor(self, nodes: int) -> int:
        """What the statistic is divided by, given the number of nodes read over all words."""
        return nodes if self.is_share else 1

    def values(self, alphabet: Alphabet, codes: Codes, offsets: Offsets) -> list[Fraction]:
        """The d numbers exactly, before they are put on the grid and without the origin."""
        unit = self.grid(alphabet)
        return [number * unit for number in self.raw(alphabet, codes, offsets)]

    def put_on_grid(self, values: Sequence[Fraction], alphabet: Alphabet) -> list[int]:
        """The numbers in units of the grid, each rounded to the nearest whole, a half upwards."""
        unit = self.grid(alphabet)
        return [round_half_up(value / unit) for value in values]

    def finish(self, noisy: Sequence[int], alphabet: Alphabet, nodes: int) -> Published:
        """What is published, from the noisy whole numbers and the number of nodes read.

        A number, or an array of `shape`: int64 for counts (Python integers where 64 bits are too
        few), float64 for anything divided or on another grid than 1.
        """
        shape = self.shape(alphabet)
        if self.is_whole:
            return int(noisy[0]) if shape == () else _integers(noisy).reshape(shape)
        unit, origin = self.grid(alphabet), self.origin(alphabet)
        divisor = self.divisor(nodes)
        numbers = [nearest(origin + number * unit / divisor) for number in noisy]
        return numbers[0] if shape == () else np.array(numbers).reshape(shape)

    def to_json(self) -> dict[str, Any]:
        """{"query": kind, parameters...}, which `read_query` reads."""
        return {"query": self.kind, **self.parameters()}

    def _identity(self) -> Hashable:
        return self.kind, repr(self.parameters())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Query) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
        return f"{self.kind}({shown})"


def round_half_up(x: Fraction) -> int:
    """floor(x + 1/2)."""
    return (2 * x.numerator + x.denominator) // (2 * x.denominator)


def nearest(x: Fraction) -> float:
    """The nearest double, infinite beyond them."""
    try:
        return float(x)
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


def _integers(numbers: Sequence[int]) -> npt.NDArray[Any]:
    try:
        return np.array(numbers, np.int64)
    except OverflowError:
        return np.array(numbers, object)
