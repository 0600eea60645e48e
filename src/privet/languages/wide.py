"""Weighted words of a language in doubles with exponents of any size: for long words.

Contract. As `trellis.py`, for any language, length and q. A number is a mantissa in [1/2, 1) (or 0)
and an exponent, one pair for each state and word, so nothing vanishes. Where numbers are added,
what lies more than 2^1000 below the largest is lost: a relative error far below one rounding, which
the slack of `deviation` covers many times over. A draw loses nothing: where such a number could
decide it, exact rationals do.
"""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from privet.languages.trellis import (
    BoolArray,
    FloatArray,
    IntArray,
    Trellis,
    choose_exactly,
    choose_roughly,
)
from privet.randomness import RandomSource

_NOTHING = -(1 << 60)
"""The exponent of 0."""

_FURTHEST = 1100
_POWERS = np.ldexp(1.0, np.arange(-_FURTHEST, 1))


class WideTrellis(Trellis):
    """V in mantissas and exponents; about five times slower than the narrow one."""

    def total(self) -> tuple[FloatArray, IntArray]:
        """(w,) mantissas and exponents of the total weight."""
        initial = self.automaton.initial
        return self._mantissas[0, initial], self._exponents[0, initial]

    def _backward(self) -> None:
        states, count, length = self._states, self._count, self._length
        self._mantissas = np.zeros((length + 1, states + 1, count))
        self._exponents = np.full((length + 1, states + 1, count), _NOTHING, np.int64)
        self._mantissa_of_q, self._exponent_of_q = _split(self.q)
        stays, stays_exponent = _split(1 - self.q)
        accepting = np.flatnonzero(self.automaton.accepting)
        self._mantissas[length, accepting], self._exponents[length, accepting] = 0.5, 1
        bounds, targets, symbols = self.automaton.edges
        movers = np.flatnonzero(np.diff(bounds))
        starts, owner = bounds[movers], np.repeat(np.arange(movers.size), np.diff(bounds)[movers])
        times = symbols.astype(np.float64)[:, None]
        agreeing = self._next[movers] * count
        for i in reversed(range(length) if movers.size else range(0)):
            later, exponents = self._mantissas[i + 1], self._exponents[i + 1]
            terms, powers = later.take(targets, axis=0), exponents.take(targets, axis=0)
            top = np.maximum.reduceat(powers, starts, axis=0)
            terms *= _power(powers - top.take(owner, axis=0))
            terms *= times
            others = np.add.reduceat(terms, starts, axis=0)
            others *= self._mantissa_of_q
            top += self._exponent_of_q
            place = agreeing.take(self._words[i], axis=1) + self._columns
            same = later.ravel().take(place) * stays
            power = exponents.ravel().take(place) + stays_exponent
            highest = np.maximum(top, power)
            others *= _power(top - highest)
            same *= _power(power - highest)
            others += same
            mantissa, shift = np.frexp(others)
            self._mantissas[i, movers] = mantissa
            self._exponents[i, movers] = np.where(mantissa > 0, highest + shift, _NOTHING)

    def _choose(
        self, source: RandomSource, i: int, targets: IntArray, rows: IntArray, differs: BoolArray
    ) -> IntArray:
        place = targets * self._count + rows
        mantissas = self._mantissas[i + 1].ravel().take(place)
        exponents = self._exponents[i + 1].ravel().take(place)
        np.multiply(mantissas, self._mantissa_of_q, out=mantissas, where=differs)
        np.add(exponents, self._exponent_of_q, out=exponents, where=differs)
        top = exponents.max(axis=0)
        # A weight lost here is far below the margin within which the choice is made exactly.
        slot, near, bits = choose_roughly(source, mantissas * _power(exponents - top))
        for column in near.nonzero()[0]:
            weights = [
                Fraction(mantissa) * _power_exactly(exponent - int(top[column])) if mantissa else 0
                for mantissa, exponent in zip(
                    mantissas[:, column].tolist(), exponents[:, column].tolist(), strict=True
                )
            ]
            slot[column] = choose_exactly(
                source, [Fraction(weight) for weight in weights], int(bits[column])
            )
        return slot


def _split(number: Fraction) -> tuple[float, int]:
    """(mantissa, exponent) of a number in [0, 1], rounded to 53 bits."""
    if not number:
        return 0.0, _NOTHING
    exponent = number.numerator.bit_length() - number.denominator.bit_length()
    mantissa, shift = np.frexp(float(number / _power_exactly(exponent)))
    return float(mantissa), exponent + int(shift)


def _power_exactly(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def _power(exponents: npt.NDArray[np.int64]) -> FloatArray:
    """2^exponents for exponents up to 0; 0 where that is below every double."""
    return _POWERS.take(np.maximum(exponents, -_FURTHEST) + _FURTHEST)
