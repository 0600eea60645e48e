"""Permute-and-flip on any language, as a mixture of exponential mechanisms.

Contract. For input words w of one length n in a language, let N_r(w) = sum of q^(r d(w, x)) over
its other words x. Permute-and-flip returns w itself or draws x with chance proportional to
q^(r d(w, x)), for a rate number r >= 1 drawn as follows; no set of words is ever listed.

Why (proof). Give every candidate an independent arrival time, uniform on (0, 1), and accept it with
its chance p_x = q^d; the release is the accepted one that arrives first, at T. Nothing is accepted
before t with probability prod (1 - p_x t) = e^-A(t), and the hazard of x at t is

    p_x / (1 - p_x t) = sum over r >= 1 of t^(r-1) q^(r d(w, x)).

So A(T) = E is a standard exponential variable, and given T = t the release is w with weight
1/(1 - t), or comes from rate number r with weight t^(r-1) N_r, x then with weight q^(r d). (On all
words, N_r is a power, and the mixture has its level law in closed form: see levels.py.)

Exactness. E and the choice of r are decided in doubles only when the outcome cannot depend on their
errors; else `ExactChoice` decides, with balls and further bits of the same uniform numbers.
Let e be the relative error of the N_r: n (K + 8) 2^-53 by `trellis.py`, and r n 2^-53 more for a
ratio q^r that is a rounded product. E is known to a relative 2^-34 / E where its uniform number has
34 bits or more, and T is then known to e + 2^-34 relatively, as A is convex. What is left out of A
is below 1e-12 of it, Newton's residual is checked, and E is at most 24. A boundary between two
rates, relative to the whole, therefore moves by less than 100 (e + 2^-34 + 1e-12), at most
100 e + 6e-9: what is nearer to one than `margin` = 100 e + 1e-8 is left to the exact choice.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from privet.exact.enclosure import ball
from privet.languages.automaton import Automaton
from privet.languages.balls import BallTrellis
from privet.languages.trellis import SMALLEST_RATIO, WeightTrellis, terms_of
from privet.randomness import RandomSource, random_bits

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

_UNDECIDED = -1
_MARGIN = 1e-8
_NEGLIGIBLE = 1e-12
_MOST_RATES = 4096
_FEWEST_TICKS = 1 << 34
"""A uniform number closer than this many units of 2^-64 to 0 or 1 is left to the exact choice."""
_RESIDUAL = 1e-12


@dataclass(frozen=True)
class Choices:
    """The rate number of each word, and the trellis it took.

    `rates`: (w,) int64, 0 for the input word itself; `first`: the trellis at rate number 1.
    """

    rates: IntArray
    first: WeightTrellis


def choose_rates(
    source: RandomSource, automaton: Automaton, words: npt.NDArray[np.int64], q: Fraction
) -> Choices:
    """A rate number for each of `words` (w, n), all in the language, at the exact double `q`."""
    count = words.shape[0]
    arrival, place = source.words(count), source.words(count)
    first = WeightTrellis(automaton, words, float(q), different=True)
    rates = _choose_in_doubles(automaton, words, float(q), first, arrival, place)
    for row in np.flatnonzero(rates == _UNDECIDED):
        exact = ExactChoice(automaton, words[row].tolist(), q)
        rates[row] = exact.choose(source, int(arrival[row]), int(place[row]))
    return Choices(rates, first)


def _choose_in_doubles(
    automaton: Automaton,
    words: npt.NDArray[np.int64],
    q: float,
    first: WeightTrellis,
    arrival: npt.NDArray[np.uint64],
    place: npt.NDArray[np.uint64],
) -> IntArray:
    """(w,): the rate number where doubles decide it, else -1."""
    decided = first.safe & (arrival > _FEWEST_TICKS) & (arrival < np.uint64(2**64 - _FEWEST_TICKS))
    log_hazard = np.log(
        -np.log(
            arrival.astype(np.float64) * 2.0**-64, where=decided, out=np.full(arrival.size, -1.0)
        )
    )
    logs = [first.log_excess()]
    # A(T) >= Z_1 T and A(T) >= -log(1 - T) bound T from above.
    longest = np.minimum(
        log_hazard - np.logaddexp(0.0, logs[0]), np.log(-np.expm1(-np.exp(log_hazard)))
    )
    open_rows = decided.copy()
    ratio = q
    while True:
        log_tail = math.log(q) + longest
        rest = logs[-1] + (len(logs) - 1) * longest + log_tail - np.log(-np.expm1(log_tail))
        open_rows &= rest > math.log(_NEGLIGIBLE) + np.logaddexp(0.0, logs[0])
        if not open_rows.any():
            break
        ratio *= q
        if ratio < SMALLEST_RATIO or len(logs) >= _MOST_RATES:
            decided &= ~open_rows
            break
        logs.append(np.full(arrival.size, -np.inf))
        rows = np.flatnonzero(open_rows)
        trellis = WeightTrellis(automaton, words[rows], ratio, different=True)
        logs[-1][rows] = trellis.log_excess()
        decided[rows] &= trellis.safe
        open_rows[rows] &= trellis.safe
    table = np.array(logs)
    log_time, solved = _arrival_time(table, log_hazard, longest)
    error = words.shape[1] * (terms_of(automaton) + 8 + len(logs)) * 2.0**-53
    rates = _choice_at(table, log_time, place, _MARGIN + 100 * error)
    return np.where(decided & solved, rates, _UNDECIDED)


def _arrival_time(
    logs: FloatArray, log_hazard: FloatArray, log_time: FloatArray
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """log T with A(T) = E, and whether it was found, by Newton's method on log A over log T.

    A is a power series with nonnegative coefficients, so log A is convex in log T and rises with
    slope at least 1: from the right, Newton's steps go down to the solution and never past it.
    """
    number = np.arange(1, len(logs) + 1)[:, None]
    for _ in range(60):
        time = np.minimum(np.exp(log_time), 1 - 2.0**-53)
        terms = np.exp(np.minimum(logs + number * log_time, 700.0))
        total = -np.log1p(-time) + (terms / number).sum(axis=0)
        slope = (time / (1 - time) + terms.sum(axis=0)) / total
        residual = np.log(total) - log_hazard
        solved = np.abs(residual) < _RESIDUAL
        if solved.all():
            break
        log_time = log_time - residual / slope
    return log_time, solved


def _choice_at(
    logs: FloatArray, log_time: FloatArray, place: npt.NDArray[np.uint64], margin: float
) -> IntArray:
    """(w,): the rate number by inverse transform, -1 where it is too close to call."""
    number = np.arange(len(logs))[:, None]
    time = np.minimum(np.exp(log_time), 1 - 2.0**-53)
    logs = np.vstack([-np.log1p(-time), logs + number * log_time])
    weights = np.exp(logs - logs.max(axis=0))
    sums = np.cumsum(weights, axis=0)
    point = place.astype(np.float64) * 2.0**-64 * sums[-1]
    chosen = (sums <= point).sum(axis=0)
    near = (np.abs(sums - point) <= margin * sums[-1]).any(axis=0)
    return np.where(near | (time >= 1 - 1e-6), _UNDECIDED, chosen)


class ExactChoice:
    """The same choice for one word, by balls: `choose` continues the uniform numbers given."""

    def __init__(self, automaton: Automaton, word: list[int], q: Fraction) -> None:
        self._automaton, self._word, self._q = automaton, word, q
        self._trellises: list[BallTrellis] = []

    def choose(self, source: RandomSource, arrival: int, place: int) -> int:
        """The rate number; `arrival`, `place`: the first 64 bits of two uniform numbers."""
        known = 64
        while True:
            if arrival:
                with ctx.workprec(known + 128):
                    rate = self._decide(arrival, place, known)
                if rate is not None:
                    return rate
            arrival = arrival << 64 | random_bits(source, 64)
            place = place << 64 | random_bits(source, 64)
            known += 64

    def _decide(self, arrival: int, place: int, known: int) -> int | None:
        unit = arb(2) ** known
        later, sooner = -(arb(arrival) / unit).log(), -(arb(arrival + 1) / unit).log()
        time = self._time(sooner, later, known)
        if time is None:
            return None
        weights, tail = self._weights(time, known)
        total = sum(weights, arb(0)) + arb(tail / 2, tail / 2)
        low, high = arb(place) / unit * total, arb(place + 1) / unit * total
        passed = arb(0)
        for rate, weight in enumerate(weights):
            passed += weight
            if bool(passed >= high):
                return rate
            if not bool(passed <= low):
                return None
        return None

    def _excess(self, rate: int) -> arb:
        while len(self._trellises) < rate:
            power = self._q ** (len(self._trellises) + 1)
            self._trellises.append(BallTrellis(self._automaton, self._word, power))
        return self._trellises[rate - 1].excess(ctx.prec)

    def _weights(self, time: arb, known: int) -> tuple[list[arb], arb]:
        """[1/(1-T), N_1, N_2 T, ...] and a bound of what the sum leaves out.

        N_(r+1) <= q N_r, as every other word differs somewhere.
        """
        weights, power, rate = [1 / (1 - time)], arb(1), 0
        while True:
            rate += 1
            weights.append(self._excess(rate) * power)
            power *= time
            falling = ball(self._q) * time
            tail = (weights[-1] * falling / (1 - falling)).upper()
            if bool(tail < arb(2) ** (-known - 8)):
                return weights, tail

    def _hazard(self, time: arb, known: int) -> arb:
        """A(T) = -log(1-T) + sum of N_r T^r / r, with its tail bounded as in `_weights`."""
        weights, tail = self._weights(time, known)
        total = -(1 - time).log() + arb(tail / 2, tail / 2) * time
        return total + sum(
            (weight * time / rate for rate, weight in enumerate(weights) if rate), arb(0)
        )

    def _time(self, sooner: arb, later: arb, known: int) -> arb | None:
        """A ball around every T whose A(T) lies between two hazards, by bisection."""
        low, high = arb(0), (-later).exp()
        high = 1 - high.lower() if bool(high < 1) else arb(1)
        for target, upper in ((sooner, False), (later, True)):
            bottom, top = arb(0), high.upper()
            for _ in range(known + 32):
                middle = ((bottom + top) / 2).mid()
                value = self._hazard(middle, known)
                if bool(value < target):
                    bottom = middle
                elif bool(value > target):
                    top = middle
                else:
                    break
            if upper:
                high = top
            else:
                low = bottom
        if not bool(high < 1):
            return None
        return low.union(high)
