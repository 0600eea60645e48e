"""Boxes of Markov chains: all chains whose transition probabilities lie between given bounds.

Contract. A box holds every chain, time-varying ones too, each of whose steps has a transition
matrix between `lower` and `upper` entry by entry, with any law of the first state. Bounds are kept
as doubles rounded outward. With D the largest projective diameter of a matrix of the box,
D = max log P(x,y) P(x',y') / (P(x',y) P(x,y')), and c = tanh(D / 4), a quilt's part at distance t
has an influence of at most D c^(t-1), whatever the node: two rows (to the right) or two columns (to
the left) of a product of t such matrices are at Hilbert distance at most D c^(t-1), since each
further factor contracts that distance by c [birkhoff-1957]. A lower bound of 0 makes D infinite:
then nothing is claimed and only the quilt without parts is left.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from privet.chains.box_words import confidence_bounds
from privet.chains.naming import check_fields, read_symbol_names, shown
from privet.chains.sides import ScalarSides
from privet.chains.stochastic import FloatArray, Rows, read_only
from privet.errors import ModelError, ParameterError
from privet.exact import exact_number, float_down, float_up
from privet.exact.number import Number
from privet.symbols import Alphabet, Words


class ChainBox:
    """All chains with lower <= P <= upper at every step, and any start.

    `lower`, `upper`: k rows of k numbers in [0, 1], exact or floats (read as their decimals);
    `states`: names, 0..k-1 unless given; `confidence`: the probability with which the box was made
    to hold the true chain, if it is a confidence region. Errors: ModelError naming the row.
    """

    kind = "chain-box"

    def __init__(
        self,
        lower: Rows,
        upper: Rows,
        states: Iterable[Hashable] | Alphabet | None = None,
        *,
        confidence: Number | None = None,
    ) -> None:
        self._given = _exact(lower, "lower"), _exact(upper, "upper")
        low, high = self._given
        size = len(low)
        self.alphabet: Alphabet = read_symbol_names(states, size, "states")
        if len(high) != size:
            raise ModelError(f"The lower bounds have {size} rows, the upper ones {len(high)}.")
        for row in range(size):
            _check_row(row, self.alphabet.symbols[row], low[row], high[row])
        self.lower: FloatArray = read_only(np.array([[float_down(x) for x in r] for r in low]))
        self.upper: FloatArray = read_only(np.array([[float_up(x) for x in r] for r in high]))
        self.confidence = None if confidence is None else _read_confidence(confidence)

    @classmethod
    def from_words(cls, words: Words, *, confidence: Number = Fraction(95, 100)) -> "ChainBox":
        """The region that holds the true chain of PUBLIC words with at least that probability.

        For words of a chain whose transition matrix does not change with time. Every entry has an
        interval that holds whatever the number of visits of its state turns out to be (see
        `privet.chains.box_words`). A transition that never occurs has a lower bound of 0, which
        makes every influence infinite: there must be enough words to see each, usually many times.
        Errors: DataError if there are no symbols; ParameterTypeError for anything but Words.
        """
        level = _read_confidence(confidence)
        lower, upper = confidence_bounds(words, level)
        return cls(lower, upper, words.alphabet, confidence=level)

    @property
    def states(self) -> tuple[Hashable, ...]:
        """The symbols of the states, in the order of all rows and columns."""
        return self.alphabet.symbols

    @cached_property
    def sharpened(self) -> tuple[FloatArray, FloatArray]:
        """The bounds that are left when each row has to sum to 1, rounded outward."""
        low, high = self._given
        sharp_low, sharp_high = [], []
        for below, above in zip(low, high, strict=True):
            least, most = sum(below), sum(above)
            sharp_low.append([float_down(max(x, 1 - most + y)) for x, y in _pairs(below, above)])
            sharp_high.append([float_up(min(y, 1 - least + x)) for x, y in _pairs(below, above)])
        return read_only(np.array(sharp_low)), read_only(np.array(sharp_high))

    @cached_property
    def diameter(self) -> float:
        """D, rounded up; infinite if a lower bound is 0."""
        lower, upper = self.sharpened
        if not lower.all():
            return math.inf
        # ratio[x, y, z] bounds P(x, y) / P(x, z); D is the largest ratio[x, y, z] ratio[x', z, y]
        # over x != x', found from the two largest of the first factor for each y and z.
        ratio = upper[:, :, None] / lower[:, None, :]
        order = np.sort(ratio, axis=0)
        largest, second = order[-1], order[-2]
        winner = ratio.argmax(axis=0)
        other = np.where(
            winner == winner.T,
            np.maximum(largest * second.T, second * largest.T),
            largest * largest.T,
        )
        # Two quotients, a product and a logarithm, each within a few last digits.
        off = ~np.eye(len(lower), dtype=bool)
        return float(np.log(other[off].max() * (1 + 2.0**-50))) * (1 + 2.0**-49) + 2.0**-52

    def influence(self, distance: int) -> float:
        """D c^(distance - 1), rounded up: what a quilt's part at that distance adds at most."""
        return _contracted(self.diameter, distance)

    def in_order_of(self, alphabet: Alphabet) -> "ChainBox":
        """The same box with its states in the order of `alphabet`.

        Errors: ModelError unless the alphabet has exactly the states of the box.
        """
        if alphabet == self.alphabet:
            return self
        if len(alphabet) != len(self.alphabet) or any(
            s not in self.alphabet for s in alphabet.symbols
        ):
            raise ModelError(
                "The box has other states than the alphabet has symbols.",
                hint=f"The states are {shown(self.alphabet)}; the symbols are {shown(alphabet)}.",
            )
        order = [self.alphabet.index(symbol) for symbol in alphabet.symbols]
        low, high = ([[rows[i][j] for j in order] for i in order] for rows in self._given)
        return ChainBox(low, high, alphabet, confidence=self.confidence)

    def to_json(self) -> dict[str, Any]:
        """{"kind": "chain-box", "states": ..., "lower": ..., "upper": ..., "confidence": ...}."""
        low, high = ([[str(x) for x in row] for row in rows] for rows in self._given)
        return {
            "kind": self.kind,
            "states": self.alphabet.to_json(),
            "lower": low,
            "upper": high,
            "confidence": None if self.confidence is None else str(self.confidence),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "ChainBox":
        """The inverse of `to_json`. Errors: ModelError naming the field or the row."""
        check_fields(data, cls.kind, ("lower", "upper"), ("states", "confidence"))
        return cls(
            data["lower"], data["upper"], data.get("states"), confidence=data.get("confidence")
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ChainBox)
            and self.alphabet == other.alphabet
            and self._given == other._given
            and self.confidence == other.confidence
        )

    def __hash__(self) -> int:
        return hash((self.alphabet, self._given, self.confidence))

    def __repr__(self) -> str:
        region = "" if self.confidence is None else f", confidence {float(self.confidence):g}"
        return f"ChainBox({len(self.alphabet)} states{region}: {shown(self.alphabet)})"


def box_sides(box: ChainBox, length: int) -> ScalarSides:
    """The box for the search of quilts."""
    return ScalarSides(length, box.influence, box.influence)


Bounds = tuple[tuple[Fraction, ...], ...]


def _contracted(diameter: float, distance: int) -> float:
    if math.isinf(diameter) or diameter == 0:
        return diameter
    from flint import arb, ctx

    from privet.exact.enclosure import endpoints

    # tanh(D / 4) is near 1 for a large D, and its power must keep its digits.
    with ctx.workprec(256):
        ball = arb(diameter)
        value = ball * (ball / 4).tanh() ** (distance - 1)
        return float_up(endpoints(value)[1])


def _exact(rows: Rows, name: str) -> Bounds:
    listed = rows.tolist() if isinstance(rows, np.ndarray) else rows
    if isinstance(listed, str | bytes) or not isinstance(listed, Sequence):
        raise ModelError(f"The {name} bounds are a {type(rows).__name__}, not a list of rows.")
    result = []
    for number, row in enumerate(listed):
        if isinstance(row, str | bytes) or not isinstance(row, Sequence):
            raise ModelError(f"Row {number} of the {name} bounds is not a list.", row=number)
        if len(row) != len(listed):
            raise ModelError(
                f"Row {number} of the {name} bounds has {len(row)} entries for {len(listed)} "
                "states.",
                row=number,
            )
        try:
            result.append(tuple(exact_number(entry, f"the {name} bound") for entry in row))
        except ParameterError as error:
            raise ModelError(
                f"Row {number} of the {name} bounds has an entry that is no finite number.",
                hint=error.hint,
                row=number,
            ) from None
    return tuple(result)


def _check_row(
    row: int, state: Hashable, low: tuple[Fraction, ...], high: tuple[Fraction, ...]
) -> None:
    if any(not 0 <= x <= y <= 1 for x, y in _pairs(low, high)):
        raise ModelError(
            f"Row {row} (state {state}) of the box has bounds that are not in order.",
            hint="0 <= lower <= upper <= 1 for every entry.",
            row=row,
        )
    if not sum(low) <= 1 <= sum(high):
        raise ModelError(
            f"Row {row} (state {state}) of the box holds no probabilities that sum to 1.", row=row
        )


def _read_confidence(value: Number) -> Fraction:
    level = exact_number(value, "confidence")
    if not 0 < level < 1:
        raise ParameterError(
            "confidence must lie between 0 and 1.", hint="Use 0.95.", parameter="confidence"
        )
    return level


def _pairs(
    low: tuple[Fraction, ...], high: tuple[Fraction, ...]
) -> Iterable[tuple[Fraction, Fraction]]:
    return zip(low, high, strict=True)
