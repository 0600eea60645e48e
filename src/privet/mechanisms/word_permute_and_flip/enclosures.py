"""psi(l) between rational bounds as narrow as asked: what is drawn and charged rests on it.

Contract. `PsiEnclosure.psi(level, bits)` is a pair of rationals with lower <= psi(level) <= upper
and upper - lower <= 2^-bits psi(level), for the exact rational q that defines the mechanism. psi is
defined in `floats.py`. The integral is Arb's rigorous one [johansson-2018]; beyond the
reach s > S it is bounded by hand.

The integrand. e^-A(t) is the polynomial of degree m^n that is the product over j >= 0 of
(1 - q^j t)^M_j, so it is analytic everywhere; (1 - t)/(1 - q^l t) cancels one of its factors. Short
words use the product as exp(sum of M_j log(1 - q^j t)): M_j is an integer, so crossing the branch
cut of the logarithm does not change the value. Long words use the power series of A_1, whose
coefficients z_r = Z_r - 1 obey z_(r+1) <= q z_r (y -> (1+y)^n - 1 is convex and 0 at 0), so the
part after r = R is at most z_(R+1) |t|^(R+1) / ((R+1)(1 - q|t|)) for |t| < 1/q.

The tail. For real t in (0,1): (1-t)/(1 - q^l t) <= 1 and A_1(t) >= z_1 t = s (1 - 1/Z_1), so the
integral over s > S is at most e^(-S (1 - 1/Z_1)) / (1 - 1/Z_1).
"""

import math
from collections.abc import Callable
from fractions import Fraction

from flint import acb, arb, ctx

from privet.exact.enclosure import ball, endpoints

Bounds = tuple[Fraction, Fraction]


class PsiEnclosure:
    """psi for words of `length` >= 1 symbols over an alphabet of `size`, and an exact `q`."""

    def __init__(self, length: int, size: int, q: Fraction) -> None:
        self._length = length
        self._size = size
        self._q = q
        self._known: dict[tuple[int, int], Bounds] = {}
        self._limit: dict[int, tuple[int, Bounds]] = {}

    def psi(self, level: int, bits: int) -> Bounds:
        """Rational bounds of psi at `level`, of relative width at most 2^-bits."""
        key = (level, bits)
        if key not in self._known:
            self._known[key] = self._refine(level, bits)
        return self._known[key]

    def log_ratio_up(self, shift: int, bits: int = 96) -> Fraction:
        """An upper bound of log(psi(0)/psi(shift)) = log(Phi(0)/Phi(shift)), within 2^-(bits-2)."""
        (_, top), (bottom, _) = self.psi(0, bits), self.psi(shift, bits)
        with ctx.workprec(bits + 64):
            return endpoints((ball(top) / ball(bottom)).log())[1]

    def flat_from(self, bits: int) -> tuple[int, Bounds]:
        """(L, bounds): every psi(l) with L <= l <= n lies within `bounds`, of width about 2^-bits.

        L = n + 1 if no such level exists.
        """
        if bits not in self._limit:
            low, high = self._refine(None, bits + 2)
            self._limit[bits] = self._first_flat(bits), (low, high * (1 + Fraction(1, 1 << bits)))
        return self._limit[bits]

    def _first_flat(self, bits: int) -> int:
        with ctx.workprec(64):
            if bool(self._z1() > arb(2) ** (bits + 4)):
                # psi(0) - psi(inf) = Z_1 int t e^-A_1 dt <= Z_1/(Z_1 - 1)^2, and psi(0) >= 1
                # because the binomial average of the falling psi is 1: flat from level 0 on.
                return 0
        low, high = 1, self._length + 1
        while low < high:
            middle = (low + high) // 2
            if self._is_flat(middle, bits):
                high = middle
            else:
                low = middle + 1
        return low

    def _is_flat(self, level: int, bits: int) -> bool:
        """Whether psi(level)/psi(inf) - 1 <= 2^-bits, by the bound q^l E[t] / (1 - q^l).

        E[t] under the density proportional to e^-A is at most 1 and at most 1/Z_1: A'(t) >= Z_1, so
        the density falls faster than that of an exponential variable of rate Z_1.
        """
        with ctx.workprec(64):
            power = ball(self._q) ** level
            mean = 1 / self._z1()
            return bool(power * mean < (1 - power) * arb(2) ** (-bits))

    def _z1(self) -> arb:
        return (1 + (self._size - 1) * ball(self._q)) ** self._length

    def _refine(self, level: int | None, bits: int) -> Bounds:
        precision = bits + 64 + self._length.bit_length() * 2
        while True:
            with ctx.workprec(precision):
                value = self._integral(level, bits)
                if value.is_finite() and value.rel_accuracy_bits() > bits + 1:
                    return endpoints(value)
            precision += precision // 2

    def _integral(self, level: int | None, bits: int) -> arb:
        q, z = ball(self._q), self._z1()
        limit = arb((bits + 16) * math.log(2) + 8)
        whole = not bool(z > limit)
        reach = z if whole else limit
        exponent = self._exponent(q, reach / z, ctx.prec)
        power = acb(0) if level is None else acb(q**level)

        def integrand(s: acb, analytic: bool) -> acb:
            t = s / z
            if level == 0:
                return (-exponent(t)).exp()
            if analytic and not bool(abs(t * power) < 1):
                return acb(arb.nan())
            return (1 - t) / (1 - power * t) * (-exponent(t)).exp()

        value = acb.integral(integrand, 0, acb(reach), rel_tol=arb(2) ** (-bits - 8)).real
        if whole:
            return value
        share = 1 - 1 / z
        tail = ((-limit * share).exp() / share).upper()
        return value + arb(tail / 2, tail / 2)

    def _exponent(self, q: arb, furthest: arb, precision: int) -> Callable[[acb], acb]:
        """T -> A_1(t) as a ball function: the product for short words, the series for long ones."""
        rate = (q * furthest).log()
        terms = self._length
        if bool(rate < 0):
            size = math.log(self._length * (self._size - 1))
            wanted = (precision * math.log(2) + size + 8) / max(1e-9, -float(rate.upper()))
            terms = min(10**7, int(wanted) + 2)
        if self._length <= terms:
            return self._product(q)
        return self._series(q, terms)

    def _product(self, q: arb) -> Callable[[acb], acb]:
        n, m = self._length, self._size
        counts = [math.comb(n, j) * (m - 1) ** j for j in range(1, n + 1)]
        factors = [-acb(q**j) for j in range(1, n + 1)]

        def exponent(t: acb) -> acb:
            total = acb(0)
            for count, factor in zip(counts, factors, strict=True):
                total -= count * (factor * t).log1p()
            return total

        return exponent

    def _series(self, q: arb, terms: int) -> Callable[[acb], acb]:
        n, others = self._length, self._size - 1
        z = [_power_minus_one(others * q**r, n) for r in range(1, terms + 2)]
        coefficients = [acb(z[r - 1] / r) for r in range(terms, 0, -1)]
        beyond = (z[terms] / (terms + 1)).upper()

        def exponent(t: acb) -> acb:
            modulus = abs(t).upper()
            room = 1 - q * modulus
            if not bool(room > 0):
                return acb(arb.nan())
            total = acb(0)
            for coefficient in coefficients:
                total = (total + coefficient) * t
            radius = (beyond * modulus ** (terms + 1) / room).upper()
            return total + acb(arb(0, radius), arb(0, radius))

        return exponent


def _power_minus_one(y: arb, n: int) -> arb:
    """(1 + y)^n - 1 without cancellation for small y."""
    return (n * y.log1p()).expm1()
