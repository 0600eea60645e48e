"""The law of the sparse vector with geometric noise of all integers.

Contract. The noisy threshold t takes every integer. For t in 0..largest the law is a finite sum.
Beyond either end, s steps out, P(answer < t) is linear in x = r^s (r the ratio of answers):

    t = -s:            x r^(q+1) / (1 + r),
    t = largest + s:   1 - x r^(largest-q) / (1 + r),

so what an output needs is a polynomial in x, and with the weight r'^s of the threshold (r' its
ratio) each power x^k adds up to the geometric series of r' r^k. Everything is rational.
"""

from dataclasses import dataclass
from fractions import Fraction

Polynomial = list[Fraction]


@dataclass(frozen=True)
class SparseVector:
    """Answers in 0..`largest` with noise of `ratio`; the threshold with `threshold_ratio`."""

    largest: int
    threshold: int
    ratio: Fraction
    threshold_ratio: Fraction

    def law(self, answers: tuple[int, ...]) -> tuple[Fraction, ...]:
        """P(answer j is the first at or above the threshold), and P(none is)."""
        r, end = self.ratio, self.largest
        low = [[Fraction(0), r ** (q + 1) / (1 + r)] for q in answers]
        high = [[Fraction(1), -(r ** (end - q)) / (1 + r)] for q in answers]
        parts = [
            [self._below_start * self._series(p) for p in _first(low)],
            [self._beyond_end * self._series(p) for p in _first(high)],
        ]
        for t in range(end + 1):
            inside = _first([[self._below(q, t)] for q in answers])
            parts.append([self._weight(t) * p[0] for p in inside])
        return tuple(sum(column, Fraction(0)) for column in zip(*parts, strict=True))

    def _below(self, answer: int, t: int) -> Fraction:
        """P(answer + noise < t)."""
        if t <= answer:
            return self.ratio ** (answer - t + 1) / (1 + self.ratio)
        return 1 - self.ratio ** (t - answer) / (1 + self.ratio)

    def _weight(self, t: int) -> Fraction:
        """P(threshold + noise = t)."""
        r = self.threshold_ratio
        return (1 - r) / (1 + r) * r ** abs(t - self.threshold)

    @property
    def _below_start(self) -> Fraction:
        """The weight of t = -s is this times r'^s."""
        return self._weight(0)

    @property
    def _beyond_end(self) -> Fraction:
        """The weight of t = largest + s is this times r'^s."""
        return self._weight(self.largest)

    def _series(self, polynomial: Polynomial) -> Fraction:
        """The sum over s >= 1 of r'^s times the polynomial at r^s."""
        steps = [self.threshold_ratio * self.ratio**k for k in range(len(polynomial))]
        return sum((c * r / (1 - r) for c, r in zip(polynomial, steps, strict=True)), Fraction(0))


def _first(below: list[Polynomial]) -> list[Polynomial]:
    """For each answer prod(below before it) (1 - its below), and last the product of all."""
    left: Polynomial = [Fraction(1)]
    found = []
    for each in below:
        passed = _product(left, each)
        padded = [*left, *[Fraction(0)] * (len(passed) - len(left))]
        found.append([a - b for a, b in zip(padded, passed, strict=True)])
        left = passed
    return [*found, left]


def _product(one: Polynomial, other: Polynomial) -> Polynomial:
    result = [Fraction(0)] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            result[i + j] += a * b
    return result
