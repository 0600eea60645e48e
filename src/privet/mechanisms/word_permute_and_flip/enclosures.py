"""psi(l) between rational bounds as narrow as asked: what is drawn and charged rests on it.

Contract. `PsiEnclosure.psi(level, bits)` is a pair of rationals with lower <= psi(level) <= upper
and upper - lower <= 2^-bits psi(level), for the exact rational q that defines the mechanism. psi is
defined in `floats.py`. The integral is Arb's rigorous one [johansson-2018]; beyond the
reach s > S it is bounded by hand.

The integrand. e^-A(t) is the polynomial that is the product over l of (1 - q^l t)^M_l, so it is
analytic everywhere; (1 - t)/(1 - q^l t) cancels one of its factors (spectrum.py has A).

The tail. For real t in (0,1): (1-t)/(1 - q^l t) <= 1 and A_1(t) >= z_1 t = s (1 - 1/Z_1), so the
integral over s > S is at most e^(-S (1 - 1/Z_1)) / (1 - 1/Z_1).
"""

import math
from collections.abc import Callable
from fractions import Fraction

from flint import acb, arb, ctx

from privet.exact.enclosure import ball, endpoints
from privet.mechanisms.word_permute_and_flip.spectrum import Spectrum

Bounds = tuple[Fraction, Fraction]


class PsiEnclosure:
    """psi for the candidates of `spectrum` at an exact `q`."""

    def __init__(self, spectrum: Spectrum, q: Fraction) -> None:
        self._spectrum = spectrum
        self._length = spectrum.levels
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
        return self._spectrum.total(ball(self._q))

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
        survival = self._spectrum.survival(q, reach / z, ctx.prec)
        power = acb(0) if level is None else acb(q**level)

        def integrand(s: acb, analytic: bool) -> acb:
            t = s / z
            if level == 0:
                return survival(t)
            if analytic and not bool(abs(t * power) < 1):
                return acb(arb.nan())
            return (1 - t) / (1 - power * t) * survival(t)

        value = _integrated(integrand, acb(reach), arb(2) ** (-bits - 8)).real
        if whole:
            return value
        share = 1 - 1 / z
        tail = ((-limit * share).exp() / share).upper()
        return value + arb(tail / 2, tail / 2)


def _integrated(integrand: Callable[[acb, bool], acb], end: acb, relative: arb) -> acb:
    """The integral from 0 to `end`; what interrupts the integrand comes out as it went in.

    Arb cannot pass on an exception of its callback, and Python would say SystemError.
    """
    stopped: list[BaseException] = []

    def guarded(s: acb, analytic: bool) -> acb:
        if stopped:
            return acb(arb.nan())
        try:
            return integrand(s, analytic)
        except BaseException as error:
            stopped.append(error)
            return acb(arb.nan())

    try:
        value = acb.integral(guarded, 0, end, rel_tol=relative)
    except SystemError as error:  # between two lines of `guarded`
        raise error.__cause__ or error from None
    if stopped:
        raise stopped[0]
    return value
