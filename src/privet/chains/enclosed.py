"""Powers of transition matrices in floats, with a bound of every rounding error beside them.

Contract. An `Enclosed` matrix stands for an unknown exact one with entries t >= 0:
|t - value| <= relative * value + absolute entry by entry, and t = 0 exactly where `support` is
False. Sums of products of nonnegative numbers cancel nothing, so relative errors only add: a power
n of k states is known to about n (k + 1) u, u the unit roundoff. `absolute` covers what underflows.
Arithmetic is in doubles or in numpy's long double, whichever its user asks for; the bounds are
stated in the unit roundoff of the type, so a platform whose long double is short gets wider bounds,
never wrong ones.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.chains.stochastic import StochasticMatrix

Reals = npt.NDArray[np.floating[Any]]
RealType = type[np.float64] | type[np.longdouble]
BoolArray = npt.NDArray[np.bool_]

_MOST_RELATIVE = 1 / 256
"""Beyond this relative error nothing below an entry is claimed."""

_MOST_BYTES = 1 << 28
"""What the cache of one matrix's powers may hold before it is emptied."""

_CHUNK = 1 << 20
"""Entries of an intermediate array of ratios."""


def unit_roundoff(kind: RealType) -> float:
    """u: one operation is off by at most this factor."""
    return float(np.finfo(kind).eps) / 2


@dataclass(frozen=True, eq=False)
class Enclosed:
    """(r, c) values of one float type, the bounds of their errors and the exact support."""

    value: Reals
    relative: float
    absolute: np.floating[Any]
    support: BoolArray

    @property
    def kind(self) -> RealType:
        """The float type of the values."""
        return np.float64 if self.value.dtype == np.float64 else np.longdouble

    def upper(self) -> Reals:
        """(r, c): at or above the exact entries; exactly 0 outside the support."""
        # Three roundings of at most u each; 8 u pays for them.
        kind = self.kind
        factor = kind(1) + kind(self.relative + 8 * unit_roundoff(kind))
        above = self.value * factor + kind(2) * self.absolute
        return np.where(self.support, above, kind(0))

    def lower(self) -> Reals:
        """(r, c): at or below the exact entries; 0 where nothing is known."""
        kind = self.kind
        if self.relative > _MOST_RELATIVE:
            return np.zeros_like(self.value)
        factor = kind(1) - kind(self.relative + 8 * unit_roundoff(kind))
        below = self.value * factor - kind(2) * self.absolute
        return np.where(self.support & (below >= np.finfo(kind).tiny), below, kind(0))

    def rows(self, start: int, stop: int) -> "Enclosed":
        """Some of the rows."""
        return Enclosed(
            self.value[start:stop], self.relative, self.absolute, self.support[start:stop]
        )


def times(a: Enclosed, b: Enclosed) -> Enclosed:
    """The product; the rows of the exact `a` and `b` sum to at most 1.

    With relative errors p, q and absolute ones s, t of the factors, inner size k: each entry is a
    sum of k products, computed in any order within g = k u / (1 - k u), so the exact product lies
    within (1 + p)(1 + q)(1 + g) - 1 of the computed one, and 1.05 (k s + t) + k tiny away: a row of
    `a` sums to at most 1, a column of `b` to at most k, each product may underflow by `tiny`.
    """
    kind = a.kind
    size = a.value.shape[1]
    g = 1.0625 * size * unit_roundoff(kind)
    p, q = a.relative, b.relative
    relative = (p + q + g + 1.0625 * (p * q + g * (p + q))) * (1 + 2.0**-40)
    absolute = kind(1.05) * (kind(size) * a.absolute + b.absolute) + kind(size) * _tiny(kind)
    with np.errstate(under="ignore"):
        value = a.value @ b.value
    return Enclosed(value, relative, absolute, _boolean_product(a.support, b.support))


def stacked(a: Enclosed, b: Enclosed) -> Enclosed:
    """The rows of both."""
    return Enclosed(
        np.concatenate([a.value, b.value]),
        max(a.relative, b.relative),
        max(a.absolute, b.absolute),
        np.concatenate([a.support, b.support]),
    )


class Powers:
    """The powers of a square matrix, remembered."""

    def __init__(self, base: Enclosed) -> None:
        size = len(base.value)
        self._base = base
        self._one = Enclosed(
            np.eye(size, dtype=base.value.dtype), 0.0, base.kind(0), np.eye(size, dtype=bool)
        )
        self._known: dict[int, Enclosed] = {}
        self._most = max(64, _MOST_BYTES // (base.value.nbytes + base.support.nbytes))

    def __call__(self, exponent: int) -> Enclosed:
        """The matrix to the power `exponent` >= 0."""
        if exponent < 2:
            return self._base if exponent else self._one
        known = self._known.get(exponent)
        if known is None:
            if exponent - 1 in self._known:
                known = times(self._known[exponent - 1], self._base)
            else:
                half = exponent // 2
                known = times(self(half), self(exponent - half))
            if len(self._known) >= self._most:
                self._known.clear()
            self._known[exponent] = known
        return known


def enclose(matrix: StochasticMatrix, kind: RealType) -> Enclosed:
    """The exact rows of a stochastic matrix; floats stand for themselves over their exact sum."""
    u = unit_roundoff(kind)
    if matrix.given is None:
        # The sum to twice the digits of a double: off by less than 2 u of either type, the
        # quotient by u more.
        sums = []
        for row in matrix.floats.tolist():
            high = math.fsum(row)
            sums.append(kind(high) + kind(math.fsum([*row, -high])))
        floats: Reals = matrix.floats.astype(kind)
        totals: Reals = np.array(sums, dtype=kind)
        value: Reals = floats / totals[:, None]
    else:
        value = np.array([[nearest(p, kind) for p in row] for row in matrix.given], dtype=kind)
    return Enclosed(value, 4 * u, _tiny(kind), matrix.floats > 0)


def nearest(x: Fraction, kind: RealType) -> np.floating[Any]:
    """`x` >= 0 in the float type, off by at most 2 u of it, or by `tiny` where it underflows."""
    if x == 0:
        return kind(0)
    # Brought near 1 first, so that neither of its two halves underflows.
    shift = x.denominator.bit_length() - x.numerator.bit_length()
    scaled = x * (1 << shift) if shift >= 0 else x / (1 << -shift)
    high = float(scaled)
    low = float(scaled - Fraction(high))
    with np.errstate(under="ignore"):
        result: np.floating[Any] = np.ldexp(kind(high) + kind(low), -shift)
    return result


def largest_ratios(upper: Reals, lower: Reals, zero: BoolArray) -> Reals:
    """(c, c) for (r, c) bounds: entry (x, y) = max over rows i of upper[i, x] / lower[i, y].

    `zero`: (r, c), the denominators that count as 0: under a positive numerator they make the entry
    infinite. Other nonpositive denominators are skipped. Within 2 u of the quotients of the bounds;
    never so small that a product with another ratio could lose digits.
    """
    kind = upper.dtype.type
    inverse = np.zeros_like(lower)
    np.divide(kind(1), lower, out=inverse, where=lower > 0)
    columns = upper.shape[1]
    best = np.full((columns, columns), np.finfo(kind).tiny / np.finfo(kind).eps)
    step = max(1, _CHUNK // columns**2)
    with np.errstate(over="ignore", under="ignore"):
        for start in range(0, len(upper), step):
            part = slice(start, start + step)
            ratios = upper[part, :, None] * inverse[part, None, :]
            np.maximum(best, ratios.max(axis=0), out=best)
    if zero.any():
        best[_boolean_product((upper > 0).T, zero)] = np.inf
    return best


def _boolean_product(a: BoolArray, b: BoolArray) -> BoolArray:
    if a.all() and b.all():
        return np.ones((len(a), b.shape[1]), bool)
    product: BoolArray = (a.astype(np.float32) @ b.astype(np.float32)) > 0
    return product


def _tiny(kind: RealType) -> np.floating[Any]:
    smallest: np.floating[Any] = np.finfo(kind).tiny
    return smallest
