"""Permute-and-flip from draws of the exponential mechanism alone.

Contract. `race` releases each of many words by permute-and-flip among the weighted words of a
trellis. It asks for about as many draws as there are words, at most a third more on average
whatever the words are, and lists no words.

The race. Let every candidate x ring at the times of a Poisson process of rate 1, and let each ring
succeed with chance p_x = q^(d(w, x) - d_min), independently. The order in which candidates ring
first is uniformly random, so the first of them whose first ring succeeds is the release of
permute-and-flip. The successes of x are a Poisson process of rate p_x and its failures one of rate
1 - p_x, independent of it. All successes together have the rate Z = sum of p_x, and each of them
belongs to x with chance p_x / Z: it is a draw of the exponential mechanism. So go from success to
success, an exponential time of mean 1/Z apart. One that belongs to x, the time being t, is its
first ring unless an earlier success belonged to x too or x has failed before: then it is the
release. It has not failed with chance e^(-(1 - p_x) t), independently of all other candidates.

Exactness. Times are made of uniform numbers of as many bits as it takes. Whether x has failed is
decided in doubles only when the outcome cannot depend on their errors. A uniform number of 34 bits
or more known to 2^-64 has a logarithm known to 2^-30, so j of them make Z t known to j 2^-30; log Z
is known to 2^-52 times what it is the difference of, all else to a relative 2^-49. The chance is
e^-y with y <= Z t and y e^-y < 1, known to what is allowed for: 1e-8 for each success and
1e-15 times those magnitudes. What is nearer is decided by balls and further bits of the same
numbers. What is drawn is the race with the trellis' draws as the law of the
successes and its total as Z; PROOF.md bounds how far its law is from that of permute-and-flip.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from privet.exact.enclosure import ball
from privet.languages.automaton import Automaton
from privet.languages.trellis import Trellis
from privet.randomness import RandomSource, random_bits

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
WordArray = npt.NDArray[np.uint64]

_MARGIN = 1e-8
_LOG_MARGIN = 1e-15
_FEWEST_TICKS = np.uint64(1 << 34)
"""A uniform number below this many units of 2^-64 is left to balls."""


def race(
    source: RandomSource, trellis: Trellis, words: IntArray, nearest: IntArray | None = None
) -> IntArray:
    """A release of each of `words` (w, n), the words of the trellis.

    `nearest`: (w,) d_min, the distance of each from the language; None where all are in it.
    """
    released = np.empty_like(words)
    rows = np.arange(len(words))
    least = np.zeros(rows.size, np.int64) if nearest is None else nearest
    clock = _Clock(trellis, least)
    met: list[IntArray] = []
    while rows.size:
        drawn = trellis.draw(source, rows)
        clock.advance(source)
        beyond = (drawn != words[rows]).sum(axis=1) - least[rows]
        fresh = np.ones(rows.size, np.bool_)
        for earlier in met:
            fresh &= (drawn != earlier).any(axis=1)
        stays = clock.survives(source, beyond, fresh)
        released[rows[stays]] = drawn[stays]
        met = [earlier[~stays] for earlier in (*met, drawn)]
        rows = rows[~stays]
        clock.keep(~stays)
    return released


@dataclass
class _Uniform:
    """The first `known` bits of a uniform number, more of which are drawn when they are needed."""

    bits: int
    known: int = 64

    def refine(self, source: RandomSource) -> None:
        self.bits = self.bits << 64 | random_bits(source, 64)
        self.known += 64

    def ends(self) -> tuple[arb, arb]:
        unit = arb(2) ** self.known
        return arb(self.bits) / unit, arb(self.bits + 1) / unit


@dataclass
class _Clock:
    """The time of the last success of each row still running: sum of -log(gaps), over Z."""

    trellis: Trellis
    nearest: IntArray
    _gaps: list[WordArray] = field(default_factory=list)
    _exact: dict[int, list[_Uniform]] = field(default_factory=dict)
    """The gaps of rows that have needed more bits, by row of the trellis."""

    def __post_init__(self) -> None:
        self._rows = np.arange(self.nearest.size)
        self._log_q = _log(self.trellis.q)
        # log Z, Z the total weight in units of that of the nearest words: at least 0.
        log_total = self.trellis.log_total()
        self._log_z = log_total - self.nearest * self._log_q
        self._slack = _LOG_MARGIN * (np.abs(log_total) + np.abs(self._log_z))

    def advance(self, source: RandomSource) -> None:
        """One more success for every row."""
        self._gaps.append(source.words(self._rows.size))
        for place, row in enumerate(self._rows.tolist()):
            if row in self._exact:
                self._exact[row].append(_Uniform(int(self._gaps[-1][place])))

    def keep(self, which: BoolArray) -> None:
        """Forget the rows whose race is over."""
        self._rows = self._rows[which]
        self._gaps = [gaps[which] for gaps in self._gaps]

    def survives(self, source: RandomSource, beyond: IntArray, fresh: BoolArray) -> BoolArray:
        """(rows,): whether what was drawn, `beyond` further than the nearest, had not failed."""
        coins = source.words(self._rows.size)
        gaps = np.array(self._gaps)
        near = (gaps < _FEWEST_TICKS).any(axis=0)
        times = -np.log(np.maximum(gaps, _FEWEST_TICKS).astype(np.float64) * 2.0**-64).sum(axis=0)
        log_z = self._log_z[self._rows]
        chance = np.exp(np.expm1(beyond * self._log_q) * times * np.exp(-log_z))
        point = coins.astype(np.float64) * 2.0**-64
        stays = point < chance
        near |= np.abs(point - chance) <= _MARGIN * len(gaps) + self._slack[self._rows]
        stays |= beyond == 0  # which never fail
        near &= beyond > 0
        near |= np.isin(self._rows, [*self._exact]) & (beyond > 0)
        for place in np.flatnonzero(near & fresh).tolist():
            stays[place] = self._decide(source, place, int(beyond[place]), int(coins[place]))
        return np.asarray(stays & fresh)

    def _decide(self, source: RandomSource, place: int, beyond: int, coin: int) -> bool:
        row = int(self._rows[place])
        given = [_Uniform(int(gaps[place])) for gaps in self._gaps]
        gaps = self._exact.setdefault(row, given)
        number = _Uniform(coin)
        while True:
            with ctx.workprec(number.known + 128):
                low, high = self._chance(row, gaps, beyond)
                bottom, top = number.ends()
                if bool(top <= low):
                    return True
                if bool(bottom >= high):
                    return False
            for uniform in (number, *gaps):
                uniform.refine(source)

    def _chance(self, row: int, gaps: list[_Uniform], beyond: int) -> tuple[arb, arb]:
        """Bounds of e^(-(1 - q^beyond) t)."""
        mantissas, exponents = self.trellis.total()
        unit = ball(Fraction(float(mantissas[row]))) * arb(2) ** int(exponents[row])
        q = ball(self.trellis.q)
        speed = (1 - q**beyond) * q ** int(self.nearest[row]) / unit
        low, high = arb(1), arb(1)
        for gap in gaps:
            bottom, top = gap.ends()
            # e^(speed log u) = u^speed, increasing in u; 0 at u = 0.
            low *= (speed * bottom.log()).exp() if gap.bits else arb(0)
            high *= (speed * top.log()).exp()
        return low, high


def distances_from(automaton: Automaton, words: IntArray) -> IntArray:
    """(w,): how far each of `words` (w, n) is from the nearest word of its length."""
    states, count = automaton.size, len(words)
    far = words.shape[1] + 1
    bounds, targets, _ = automaton.edges
    movers = np.flatnonzero(np.diff(bounds))
    moves = automaton.transitions.astype(np.int64)[movers]
    agreeing = np.where(moves < 0, states, moves) * count
    later = np.full((states + 1, count), far, np.int64)
    later[np.flatnonzero(automaton.accepting)] = 0
    for symbol in reversed(np.ascontiguousarray(words.T)):
        now = np.full_like(later, far)
        if movers.size:
            others = np.minimum.reduceat(later[targets], bounds[movers], axis=0) + 1
            same = later.ravel().take(agreeing.take(symbol, axis=1) + np.arange(count))
            now[movers] = np.minimum(np.minimum(others, same), far)
        later = now
    return np.asarray(later[automaton.initial])


def _log(number: Fraction) -> float:
    if number > Fraction(1, 2):
        return math.log1p(float(number - 1))
    return math.log(number.numerator) - math.log(number.denominator)
