"""How much of the first weight lies above ratio times the second: the delta of (epsilon, delta).

Contract. For the words of one length,

    excess = sum over words of max(0, first(w) - c second(w)) / sum over words of first(w),

bracketed by rationals, equal where the search closes. Prefixes are followed length by length, and
those whose vectors are parallel are one, with their factors added: they have the same length, the
only case in which their continuations are the same words. Behind a prefix whose vector has one sign
on every suffix, the whole mass counts or none of it. What is still open when a limit comes counts
between max(0, its mass) and the mass of its positive coordinates.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from privet.weighted.cones import Suffixes, TestSet
from privet.weighted.limits import Clock, Limits
from privet.weighted.problem import RatioProblem, Vector, dot
from privet.weighted.vectors import Stepper, unit_floats

Layer = dict[tuple[int, Vector], Fraction]
"""Control state and primitive vector -> the positive factor of the vector."""


@dataclass(frozen=True)
class Excess:
    """`low` <= excess <= `high`; `reason`: "" if they are equal, else what stopped the search."""

    low: Fraction
    high: Fraction
    reason: str


def largest_excess(
    problem: RatioProblem, ratio: Fraction, length: int, limits: Limits, most: int = 300
) -> Excess:
    """The excess of the words of one length; `most`: vectors in a suffix set."""
    clock = Clock(limits)
    try:
        run = _Run(problem, length, Suffixes(problem, most, length, clock.part(0.5)), clock)
    except KeyboardInterrupt:
        return Excess(Fraction(0), Fraction(1), "interrupted")
    if len(run.totals) <= length:
        return Excess(Fraction(0), Fraction(1), "time limit")
    first = dot(problem.first, run.totals[length][problem.initial])
    if not first:
        return Excess(Fraction(0), Fraction(0), "")
    low, high, reason = run.follow(problem.difference(ratio), clock)
    scale = Fraction(1, first * ratio.denominator)
    return Excess(low * scale, high * scale, reason)


class _Run:
    """`totals[j][p]`: the sum of the suffix vectors of j symbols; cut short with the time."""

    def __init__(
        self, problem: RatioProblem, length: int, suffixes: Suffixes, clock: Clock
    ) -> None:
        self._problem, self._length, self._suffixes = problem, length, suffixes
        self._stepper = Stepper(problem)
        self.totals = [list(problem.finals)]
        for _ in range(length):
            if clock.left <= 0:
                break
            self.totals.append([self._total(state) for state in range(len(problem.moves))])

    def _total(self, state: int) -> Vector:
        """The sum of the suffix vectors that are one symbol longer than the last ones."""
        known = self.totals[-1]
        total = [0] * len(self._problem.finals[state])
        for then, matrix in zip(
            self._problem.moves[state], self._problem.steps[state], strict=True
        ):
            if matrix is not None:
                lines = zip(total, matrix, strict=True)
                total = [t + dot(row, known[then]) for t, row in lines]
        return tuple(total)

    def follow(self, start: Vector, clock: Clock) -> tuple[Fraction, Fraction, str]:
        """(low, high, reason), not yet divided by the whole mass."""
        divisor = math.gcd(*start) or 1
        root = tuple(entry // divisor for entry in start)
        layer: Layer = {(self._problem.initial, root): Fraction(divisor)}
        # One object at any time, so that an interrupt finds a state that adds up.
        now = Fraction(0), layer, self._length
        opened, reason = 0, ""
        try:
            while now[1] and not reason:
                done, layer, left = now
                mass, rest = self._settled(layer, left)
                opened += len(rest)
                now = done + mass, rest, left
                reason = clock.spent(opened) if rest else ""
                if rest and not reason:
                    now = done + mass, self._next(rest), left - 1
        except KeyboardInterrupt:
            reason = "interrupted"
        low, high = self._bracket(now[1], now[2])
        return now[0] + low, now[0] + high, reason

    def _settled(self, layer: Layer, left: int) -> tuple[Fraction, Layer]:
        """The mass of the prefixes of one sign, and the others."""
        mass, rest = Fraction(0), {}
        for (state, vector), factor in layer.items():
            whole = dot(vector, self.totals[left][state])
            tests = self._tests(state, left)
            if not self._has_positive(tests, vector):
                continue
            if not self._has_positive(tests, tuple(-entry for entry in vector)):
                mass += factor * whole
            else:
                rest[state, vector] = factor
        return mass, rest

    def _tests(self, state: int, left: int) -> TestSet:
        if left <= self._suffixes.reach:
            return self._suffixes.exact[left][state]
        return self._suffixes.cone[state]

    def _has_positive(self, tests: TestSet, vector: Vector) -> bool:
        return tests.sign(vector, unit_floats(vector)).positive >= 0

    def _next(self, layer: Layer) -> Layer:
        """One symbol more; parallel vectors become one."""
        longer: Layer = {}
        for (state, vector), factor in layer.items():
            for symbol, then, small in self._stepper.children(state, vector):
                if not any(small):
                    continue
                product = self._problem.step(state, vector, symbol)
                index = next(i for i, entry in enumerate(small) if entry)
                whole = product[index] // small[index]
                key = then, small
                longer[key] = longer.get(key, Fraction(0)) + factor * whole
        return longer

    def _bracket(self, layer: Layer, left: int) -> tuple[Fraction, Fraction]:
        low = high = Fraction(0)
        for (state, vector), factor in layer.items():
            total = self.totals[left][state]
            low += max(Fraction(0), factor * dot(vector, total))
            high += factor * dot([max(0, entry) for entry in vector], total)
        return low, high
