"""The mean of a number that each state stands for.

Contract. The sum of the levels over the nodes read is put on a grid and gets the noise; it is
divided by the public number of nodes afterwards. Levels are exact numbers: a float means its
shortest decimal. Levels and grid are public.
"""

from collections.abc import Hashable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import Any, ClassVar, NamedTuple

import numpy as np

from privet.errors import DomainError, ParameterError, ParameterTypeError
from privet.exact import exact_number
from privet.exact.number import Number
from privet.queries.base import Codes, Query
from privet.queries.pieces import Offsets
from privet.symbols import Alphabet

FINEST = 1 << 20
"""Unless a grid is given, the largest difference of two levels is at most this many units of it."""


class Scale(NamedTuple):
    """`steps` (k,): level minus the lowest, exactly, in units of `part`; `lowest`; `grid`."""

    steps: tuple[int, ...]
    part: Fraction
    lowest: Fraction
    grid: Fraction

    @property
    def largest(self) -> Fraction:
        """The largest difference of two levels, in units of the grid."""
        return max(self.steps) * self.part / self.grid

    @property
    def is_on_grid(self) -> bool:
        """Whether every sum of steps is a whole number of units of the grid."""
        return (self.part / self.grid).denominator == 1


class Mean(Query):
    """The mean level over the nodes read.

    `levels`: state -> number, one for each state; None reads the states themselves as numbers.
    `grid`: the unit of the noise; None takes the largest that divides every difference of levels,
    or a millionth of the largest difference if that is finer.

    Constant: the largest difference L of two levels, divided by the grid g and rounded up to a
    whole number. The levels count from the lowest, so one node moves the sum S by at most L. If g
    divides the differences, S / g is whole and moves by at most L / g. If not, what gets the noise
    is floor(S / g + 1/2); as z moves by at most the whole number c = ceil(L / g), floor(z) moves by
    at most c, since floor(z + c) = floor(z) + c. It is below the L / g + 1 of a general rounding.
    Attained on the grid, by the two states furthest apart.
    """

    kind: ClassVar[str] = "mean"
    is_share: ClassVar[bool] = True
    is_whole = False

    def __init__(
        self, levels: Mapping[Any, Number] | None = None, grid: Number | None = None
    ) -> None:
        if levels is not None and not isinstance(levels, Mapping):
            raise ParameterTypeError(
                f"levels is a {type(levels).__name__}, not a mapping from states to numbers.",
                hint="Write mean({'low': 0, 'high': 2.5}).",
                parameter="levels",
            )
        self._levels = (
            None
            if levels is None
            else tuple(
                (state, exact_number(level, f"The level of entry {number}"))
                for number, (state, level) in enumerate(levels.items())
            )
        )
        self._grid = None if grid is None else read_grid(grid)

    def shape(self, alphabet: Alphabet) -> tuple[int, ...]:  # noqa: ARG002  # one number
        """()."""
        return ()

    def labels(self, alphabet: Alphabet) -> tuple[Hashable, ...]:  # noqa: ARG002  # one number
        """("mean level",)."""
        return ("mean level",)

    def grid(self, alphabet: Alphabet) -> Fraction:
        """The unit of the noise on the sum of levels."""
        return self._scale(alphabet).grid

    def origin(self, alphabet: Alphabet) -> Fraction:
        """The lowest level."""
        return self._scale(alphabet).lowest

    def rounding(self, alphabet: Alphabet) -> Fraction:
        """Half the grid, or 0 if the grid divides all differences of levels."""
        scale = self._scale(alphabet)
        return Fraction(0) if scale.is_on_grid else scale.grid / 2

    def node_constants(self, alphabet: Alphabet, count: int) -> tuple[Fraction, Fraction]:  # noqa: ARG002  # the same for all
        """The largest difference of two levels in units of the grid, rounded up."""
        largest = Fraction(-(-self._scale(alphabet).largest // 1))
        return largest, largest

    def weights(self, alphabet: Alphabet) -> tuple[int, ...] | None:
        """The level of each state above the lowest, in units of the grid, if those are whole."""
        scale = self._scale(alphabet)
        if not scale.is_on_grid:
            return None
        return tuple(int(step * scale.part / scale.grid) for step in scale.steps)

    def raw(self, alphabet: Alphabet, codes: Codes, offsets: Offsets) -> list[int]:
        """[the sum of the levels above the lowest, in units of the grid]."""
        return self.put_on_grid(self.values(alphabet, codes, offsets), alphabet)

    def values(self, alphabet: Alphabet, codes: Codes, offsets: Offsets) -> list[Fraction]:  # noqa: ARG002  # words do not matter
        """[the sum of the levels above the lowest]."""
        scale = self._scale(alphabet)
        counts = np.bincount(codes, minlength=len(alphabet)).tolist()
        return [scale.part * sum(n * step for n, step in zip(counts, scale.steps, strict=True))]

    def parameters(self) -> dict[str, Any]:
        """Levels as [state, exact text] pairs, the grid as text; None for what was not given."""
        levels = self._levels
        return {
            "levels": None if levels is None else [[s, str(level)] for s, level in levels],
            "grid": None if self._grid is None else str(self._grid),
        }

    def _scale(self, alphabet: Alphabet) -> Scale:
        return _scale_of(alphabet, self._levels, self._grid)


@lru_cache(maxsize=64)
def _scale_of(
    alphabet: Alphabet,
    levels: tuple[tuple[Hashable, Fraction], ...] | None,
    grid: Fraction | None,
) -> Scale:
    numbers = _numbers(alphabet) if levels is None else _in_order(alphabet, dict(levels))
    lowest = min(numbers)
    above = [number - lowest for number in numbers]
    if max(above) == 0:
        raise ParameterError(
            "All levels are the same, so the mean is known beforehand.", parameter="levels"
        )
    common = lcm(*(number.denominator for number in above))
    units = [int(number * common) for number in above]
    part = Fraction(gcd(*units), common)
    steps = tuple(int(number / part) for number in above)
    if grid is None:
        grid = part if max(steps) <= FINEST else max(above) / FINEST
    return Scale(steps, part, lowest, grid)


def _in_order(alphabet: Alphabet, levels: dict[Hashable, Fraction]) -> list[Fraction]:
    missing = sum(symbol not in levels for symbol in alphabet.symbols)
    if missing or len(levels) != len(alphabet):
        raise DomainError(
            f"{missing} of the {len(alphabet)} states have no level, and {len(levels)} are given.",
            hint="levels names one number for each state, and no others.",
        )
    return [levels[symbol] for symbol in alphabet.symbols]


def _numbers(alphabet: Alphabet) -> list[Fraction]:
    try:
        return [exact_number(symbol, "A state") for symbol in alphabet.symbols]  # type: ignore[arg-type]  # what is no number is refused there
    except ParameterError:
        raise ParameterError(
            "The states are not all numbers, so their mean needs a level for each.",
            hint="Write mean({'low': 0, 'high': 2.5}).",
            parameter="levels",
        ) from None


def read_grid(grid: Number) -> Fraction:
    """A positive exact number. Errors: ParameterError, ParameterTypeError."""
    unit = exact_number(grid, "grid")
    if unit <= 0:
        raise ParameterError("grid must be greater than 0.", parameter="grid")
    return unit


def mean(levels: Mapping[Any, Number] | None = None, grid: Number | None = None) -> Mean:
    """The mean over the nodes of a number for each state: float."""
    return Mean(levels, grid)
