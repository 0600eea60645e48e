"""A function of your own, with a constant that you state.

Contract. Nobody can compute the constant of a function that is only run, so it is believed, named
in the assumptions of the guarantee, and tried: before a release, on random public words of the
lengths released (at most five of them) and never on the data, `search_counterexample` looks for
two words that break it; a pair that does is reported and nothing is released. The search is made
anew each time, as what a function does may change (with a variable it reads, say); one that gives
one public word two answers is refused, as no constant speaks of it.
"""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from privet.errors import DataError, ParameterError, ParameterTypeError, PrivetError
from privet.exact import exact_number, read_count
from privet.exact.number import Number
from privet.queries.base import Codes, Query
from privet.queries.levels import read_grid
from privet.queries.pieces import Offsets
from privet.queries.search import search_counterexample
from privet.randomness import current_source, uniform_below
from privet.symbols import Alphabet

MOST_LENGTHS = 5
AGAIN = 3
"""How often a word is given to a function again, to see the same answer."""

Function = Callable[[list[Any]], Any]


class Own(Query):
    """A function of a word, summed over the words.

    `function`: takes the list of the states read of one word, gives a number, or `size` numbers.
    `constant` > 0: the most that changing the state of one node can move the numbers, summed over
    them (L1), for words of every length asked about; or a function of the number of nodes read that
    gives it. `size`: None for one number, else how many. `grid` g: the numbers are rounded to
    multiples of it; None if they are whole already, and anything else is refused.

    Constants in units of the grid: L without a grid. With one, each of the d numbers is rounded to
    the nearest multiple, which moves by at most its change / g + 1, so their sum by at most
    L / g + d, or L + d g in units of the function.
    """

    kind: ClassVar[str] = "own"

    def __init__(
        self,
        function: Function,
        *,
        constant: Number | Callable[[int], Number],
        size: int | None = None,
        grid: Number | None = None,
        name: str = "own function",
    ) -> None:
        if not callable(function):
            raise ParameterTypeError(
                f"A {type(function).__name__} is not a function of a word.", parameter="function"
            )
        self.function = function
        self._constant = constant if callable(constant) else _read_constant(constant)
        self._size = None if size is None else read_count(size, "size")
        self._grid = None if grid is None else read_grid(grid)
        self.is_whole = grid is None
        self.title = str(name)

    def constant(self, count: int) -> Fraction:
        """The stated constant for words of which `count` nodes are read.

        Errors: ParameterError if it is a function that fails or gives no number above 0.
        """
        if not callable(self._constant):
            return self._constant
        try:
            stated = self._constant(count)
        except Exception as error:  # whatever the function raises
            raise ParameterError(
                f"The constant of {self.title!r} is a function that raised a "
                f"{type(error).__name__} for {count} nodes.",
                hint="It takes a number of nodes, and must give a number greater than 0 for each.",
                parameter="constant",
            ) from error
        return _read_constant(stated)

    def shape(self, alphabet: Alphabet) -> tuple[int, ...]:  # noqa: ARG002  # stated
        """() or (size,)."""
        return () if self._size is None else (self._size,)

    def labels(self, alphabet: Alphabet) -> tuple[Hashable, ...]:  # noqa: ARG002  # by number
        """The name, or a number for each entry."""
        return (self.title,) if self._size is None else tuple(range(self._size))

    def grid(self, alphabet: Alphabet) -> Fraction:  # noqa: ARG002  # stated
        """The grid, 1 for whole numbers."""
        return self._grid or Fraction(1)

    def rounding(self, alphabet: Alphabet) -> Fraction:  # noqa: ARG002  # stated
        """Half the grid, 0 for whole numbers."""
        return Fraction(0) if self._grid is None else self._grid / 2

    def node_constants(self, alphabet: Alphabet, count: int) -> tuple[Fraction, Fraction]:
        """L / g + d everywhere, or L for whole numbers."""
        stated = self.constant(count)
        if self._grid is not None:
            stated = stated / self._grid + self.size(alphabet)
        return stated, stated

    def stated_constants(self, alphabet: Alphabet, count: int) -> tuple[Fraction, Fraction]:  # noqa: ARG002  # stated
        """L everywhere, in units of the function."""
        return self.constant(count), self.constant(count)

    def assumptions(self) -> tuple[str, ...]:
        """That the constant is right, which was only tried."""
        limit = "what was stated" if callable(self._constant) else str(self._constant)
        return (
            f"one step of a series moves {self.title!r} by at most {limit}: stated, not proved",
        )

    def verify(self, alphabet: Alphabet, lengths: Sequence[int]) -> None:
        """Search for a counterexample among random public words of those numbers of nodes.

        Errors: ParameterError whose payload `counterexample` holds the two words, their values and
        the distance between these (see `privet.queries.Counterexample`).
        """
        distinct = sorted(set(lengths))
        step = max(1, -(-(len(distinct) - 1) // (MOST_LENGTHS - 1)))
        for count in {*distinct[::step], *distinct[-1:]}:
            self._search(alphabet, count)

    def _search(self, alphabet: Alphabet, count: int) -> None:
        try:
            self._ask_twice(alphabet, count)
            found = search_counterexample(self, alphabet, count)
        except DataError as error:
            raise ParameterError(
                f"{self.title!r} has no value for a random public word of {count} nodes: "
                f"{error.message}",
                hint="It must give its numbers for every word over the alphabet.",
                parameter="function",
            ) from None
        if found is None:
            return
        unit = " steps of its grid" if found.in_grid else ""
        raise ParameterError(
            f"The constant stated for {self.title!r} is too small: two random public words of "
            f"{count} nodes that differ at node {found.node} alone have values that are "
            f"{found.distance:.12g}{unit} apart, and {found.allowed:.12g}{unit} was stated.",
            hint="State a larger constant; the two words are in the error's `counterexample`.",
            parameter="constant",
            counterexample=found,
        )

    def _ask_twice(self, alphabet: Alphabet, count: int) -> None:
        """Refuse a function that draws random numbers or counts its calls, say."""
        word = uniform_below(current_source(), len(alphabet), count).astype(alphabet.code_dtype)
        offsets = np.array([0, count], np.int64)
        first = self.values(alphabet, word, offsets)
        if any(self.values(alphabet, word, offsets) != first for _ in range(AGAIN)):
            raise ParameterError(
                f"{self.title!r} gives different numbers for one and the same public word of "
                f"{count} nodes.",
                hint="Its numbers must follow from the word alone.",
                parameter="function",
            )

    def raw(self, alphabet: Alphabet, codes: Codes, offsets: Offsets) -> list[int]:
        """The numbers in units of the grid, rounded to the nearest whole."""
        return self.put_on_grid(self.values(alphabet, codes, offsets), alphabet)

    def values(self, alphabet: Alphabet, codes: Codes, offsets: Offsets) -> list[Fraction]:
        """The numbers of each word, added up exactly; a float counts as its shortest decimal.

        Errors: DataError by word, without what the function gave or said.
        """
        total = [Fraction(0)] * self.size(alphabet)
        for word in range(offsets.size - 1):
            states = alphabet.decode(codes[offsets[word] : offsets[word + 1]])
            for entry, number in enumerate(self._numbers(states, word, len(total))):
                total[entry] += number
        return total

    def _numbers(self, states: list[Any], word: int, size: int) -> list[Fraction]:
        try:
            given = self.function(states)
        except Exception as error:  # whatever the function raises may hold the word
            raise self._refusal(word, f"it raised a {type(error).__name__}") from None
        numbers = [given] if self._size is None else list(np.ravel(np.array(given, object)))
        if len(numbers) != size:
            raise self._refusal(word, f"it gave {len(numbers)} numbers, not {size}")
        try:
            exact = [exact_number(number, "a number") for number in numbers]
        except PrivetError:
            raise self._refusal(word, "it gave something else than finite numbers") from None
        if self._grid is None and any(number.denominator != 1 for number in exact):
            raise self._refusal(word, "it gave numbers that are not whole, and has no grid")
        return exact

    def _refusal(self, word: int, why: str) -> DataError:
        return DataError(
            f"{self.title!r} has no value for word {word}: {why}.",
            hint="It must give its numbers for every word; give grid=... if they are not whole.",
            word=word,
        )

    def parameters(self) -> dict[str, Any]:
        """Name, constant, size and grid; the function itself cannot be written down."""
        return {
            "name": self.title,
            "constant": None if callable(self._constant) else str(self._constant),
            "size": self._size,
            "grid": None if self._grid is None else str(self._grid),
        }

    def _identity(self) -> Hashable:
        # A callable object need not be hashable; two queries with the same one hold it alive.
        return self.kind, id(self.function), repr(self._constant), repr(self.parameters())


def _read_constant(value: Number) -> Fraction:
    constant = exact_number(value, "constant")
    if constant <= 0:
        raise ParameterError(
            "constant must be greater than 0.",
            hint="It is the most by which one node can move the function.",
            parameter="constant",
        )
    return constant


def custom(
    function: Function,
    *,
    constant: Number | Callable[[int], Number],
    size: int | None = None,
    grid: Number | None = None,
    name: str = "own function",
) -> Own:
    """Your own function of the list of states, with the constant you state for it."""
    return Own(function, constant=constant, size=size, grid=grid, name=name)
