"""How many candidates there are at each distance: all that permute-and-flip asks of a word.

Contract. A spectrum gives M_l, the number of candidates at distance l beyond the best, through two
sums: Z_1 = sum of M_l q^l and A_1(t) = -log(1-t)(M_0 - 1) - sum over l >= 1 of M_l log(1 - q^l t),
in balls and in doubles. e^-A_1 is a polynomial in t, since every M_l is an integer.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from flint import acb, arb

FloatArray = npt.NDArray[np.float64]
BallFunction = Callable[[acb], acb]

_NEGLIGIBLE = 1e-19
_LONGEST_PRODUCT = 64


class Spectrum(ABC):
    """`levels`: the largest distance beyond the best, n."""

    levels: int

    @abstractmethod
    def total(self, q: arb) -> arb:
        """Z_1 as a ball."""

    @abstractmethod
    def survival(self, q: arb, furthest: arb, precision: int) -> BallFunction:
        """t -> e^-A_1(t) in balls, for |t| up to about `furthest`."""

    @abstractmethod
    def log_total(self, log_q: float) -> float:
        """log Z_1 as a double."""

    @abstractmethod
    def float_exponent(self, log_q: float, log_z: float, s: FloatArray) -> FloatArray:
        """A_1(s / Z_1) in doubles, same shape as `s` > 0; log_z is log Z_1."""


class AllWords(Spectrum):
    """All words of `length` >= 1 symbols over `size`: M_l = C(n, l)(m-1)^l, never written out.

    Short words use the product over l. Long ones use the power series, A_1(t) = sum over r of
    (Z_r - 1) t^r / r with Z_r = (1 + (m-1) q^r)^n; its coefficients z_r = Z_r - 1 obey
    z_(r+1) <= q z_r (y -> (1+y)^n - 1 is convex and 0 at 0), so the part after r = R is at most
    z_(R+1) |t|^(R+1) / ((R+1)(1 - q|t|)) for |t| < 1/q.
    """

    def __init__(self, length: int, size: int) -> None:
        self.levels, self._size = length, size

    def total(self, q: arb) -> arb:
        """(1 + (m-1) q)^n."""
        return (1 + (self._size - 1) * q) ** self.levels

    def survival(self, q: arb, furthest: arb, precision: int) -> BallFunction:
        """The product or the series, whichever has fewer terms."""
        rate = (q * furthest).log()
        terms = self.levels
        if bool(rate < 0):
            size = math.log(self.levels * (self._size - 1))
            wanted = (precision * math.log(2) + size + 8) / max(1e-9, -float(rate.upper()))
            terms = min(10**7, int(wanted) + 2)
        if self.levels <= terms:
            n, others = self.levels, self._size - 1
            return product_survival([0, *(math.comb(n, j) * others**j for j in range(1, n + 1))], q)
        return self._series(q, terms)

    def log_total(self, log_q: float) -> float:
        """n log(1 + (m-1) q)."""
        return self.levels * math.log1p((self._size - 1) * math.exp(log_q))

    def float_exponent(self, log_q: float, log_z: float, s: FloatArray) -> FloatArray:
        """The product for n <= 64; else the series, as q or s/Z_1 is small and it ends soon."""
        if self.levels <= _LONGEST_PRODUCT:
            level = np.arange(1, self.levels + 1.0)
            steps = np.log((self.levels - level + 1) / level) + math.log(self._size - 1)
            log_counts = np.concatenate([[-np.inf], np.cumsum(steps)])
            return float_product_exponent(log_counts, log_q, np.log(s) - log_z)
        return self._float_series(log_q, log_z, s)

    def _series(self, q: arb, terms: int) -> BallFunction:
        n, others = self.levels, self._size - 1
        z = [(n * (others * q**r).log1p()).expm1() for r in range(1, terms + 2)]
        coefficients = [acb(z[r - 1] / r) for r in range(terms, 0, -1)]
        beyond = (z[terms] / (terms + 1)).upper()

        def survival(t: acb) -> acb:
            modulus = abs(t).upper()
            room = 1 - q * modulus
            if not bool(room > 0):
                return acb(arb.nan())
            total = acb(0)
            for coefficient in coefficients:
                total = (total + coefficient) * t
            radius = (beyond * modulus ** (terms + 1) / room).upper()
            return (-(total + acb(arb(0, radius), arb(0, radius)))).exp()

        return survival

    def _float_series(self, log_q: float, log_z: float, s: FloatArray) -> FloatArray:
        total, power, r = np.zeros_like(s), np.ones_like(s), 0
        while True:
            r += 1
            power = power * s
            log_ratio = self.levels * math.log1p((self._size - 1) * math.exp(r * log_q)) - r * log_z
            term = (math.exp(log_ratio) - math.exp(-r * log_z)) / r * power
            total += term
            if float(term.max()) < _NEGLIGIBLE:
                return total


class Counted(Spectrum):
    """Candidates counted one distance after the other: `counts` [M_0, ..., M_n], M_0 >= 1."""

    def __init__(self, counts: Sequence[int]) -> None:
        assert counts[0] >= 1
        self.levels, self._counts = len(counts) - 1, list(counts)
        others = [counts[0] - 1, *counts[1:]]
        self._log_others = np.array([math.log(c) if c else -np.inf for c in others])

    def total(self, q: arb) -> arb:
        """Sum of M_l q^l, by Horner's rule."""
        total = arb(0)
        for count in reversed(self._counts):
            total = total * q + count
        return total

    def survival(self, q: arb, furthest: arb, precision: int) -> BallFunction:
        """The product."""
        del furthest, precision
        return product_survival([self._counts[0] - 1, *self._counts[1:]], q)

    def log_total(self, log_q: float) -> float:
        """log of the sum of M_l q^l, without overflow."""
        logs = self.log_counts + log_q * np.arange(self.levels + 1.0)
        largest = float(logs.max())
        return largest + math.log(float(np.exp(logs - largest).sum()))

    def float_exponent(self, log_q: float, log_z: float, s: FloatArray) -> FloatArray:
        """The product."""
        return float_product_exponent(self._log_others, log_q, np.log(s) - log_z)

    @property
    def log_counts(self) -> FloatArray:
        """(n+1,): log M_l, -inf where there is none."""
        return np.array([math.log(count) if count else -np.inf for count in self._counts])


def product_survival(others: Sequence[int], q: arb) -> BallFunction:
    """t -> product over levels of (1 - q^level t)^others[level] in balls.

    Powers go through the logarithm: they are integers, so crossing its branch cut changes nothing.
    Level 0 does not, since its factor vanishes at t = 1, where the logarithm has no value.
    """
    terms = [(count, -acb(q**level)) for level, count in enumerate(others) if level and count]

    def survival(t: acb) -> acb:
        total = acb(0)
        for count, factor in terms:
            total += count * (factor * t).log1p()
        return total.exp() * (1 - t) ** others[0] if others[0] else total.exp()

    return survival


def float_product_exponent(log_counts: FloatArray, log_q: float, log_t: FloatArray) -> FloatArray:
    """-sum over l of exp(log_counts[l]) log(1 - q^l t) in doubles, same shape as `log_t`."""
    total = np.zeros_like(log_t)
    for level in np.flatnonzero(np.isfinite(log_counts)):
        log_x = level * log_q + log_t
        x = np.exp(log_x)
        # -log(1 - x) is x to first order: below the doubles' reach its logarithm is used directly.
        small = np.where(x > 1e-300, np.log(-np.log1p(-np.maximum(x, 1e-300))), log_x)
        total += np.exp(np.minimum(log_counts[level] + small, 700.0))
    return total
