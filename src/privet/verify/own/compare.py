"""Comparisons of two probabilities of one output, and what many of them show together.

Contract. A comparison says: log of over / under is at most `allowed`. It is kept if over <=
e^allowed under, decided exactly (`sums.py`); 0 against 0 says nothing and is left out. The worst of
many is the one whose loss is nearest to what it is allowed, enclosed in rationals.
"""

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction

from flint import ctx

from privet.exact.enclosure import endpoints
from privet.verify.outcome import Bracket
from privet.verify.own.sums import ExponentialSum

_BITS = 192

TIGHT = 1 - Fraction(1, 1 << 30)
"""A loss of at least this share of what is allowed attains it: parameters are rounded, too."""


@dataclass(frozen=True)
class Comparison:
    """P(output | first) = over and P(output | second) = under, up to one common factor."""

    first: Hashable
    second: Hashable
    output: Hashable
    over: ExponentialSum
    under: ExponentialSum
    allowed: Fraction


@dataclass(frozen=True)
class Attained:
    """Where a claim is nearest to failing, or fails.

    `loss`: log P(output | first) / P(output | second), enclosed; `allowed`: what was claimed.
    """

    first: Hashable
    second: Hashable
    output: Hashable
    loss: Bracket
    allowed: Fraction

    @property
    def is_tight(self) -> bool:
        """Whether the loss is what is allowed, but for a relative 2^-30."""
        return self.loss.low >= self.allowed * TIGHT


@dataclass(frozen=True)
class Findings:
    """`kept`: whether every comparison is; `worst`: None if there were none; `compared`: how many.

    For a claim with delta > 0, `delta` is the smallest one that would do, rounded up.
    """

    kept: bool
    worst: Attained | None
    compared: int
    delta: Fraction | None = None
    claimed_delta: Fraction = Fraction(0)

    @property
    def is_tight(self) -> bool:
        """Whether the claim could not be smaller, but for a relative 2^-30."""
        if self.delta is not None and self.claimed_delta:
            return self.delta >= self.claimed_delta * TIGHT
        return self.worst is not None and self.worst.is_tight


def compare(comparisons: Iterable[Comparison]) -> Findings:
    """What the comparisons show."""
    kept, count = True, 0
    worst: tuple[Fraction | float, Attained] | None = None
    losses: dict[tuple[ExponentialSum, ExponentialSum], Bracket] = {}
    for each in comparisons:
        if not each.over:
            continue
        count += 1
        key = each.over, each.under
        if key not in losses:
            losses[key] = _loss(*key)
        loss = losses[key]
        if loss.low <= each.allowed < loss.high:
            loss = _decided(each, loss)
        kept = kept and loss.high <= each.allowed
        slack = each.allowed - loss.low
        if worst is None or slack < worst[0]:
            found = Attained(each.first, each.second, each.output, loss, each.allowed)
            worst = slack, found
    return Findings(kept, worst[1] if worst else None, count)


def _decided(each: Comparison, loss: Bracket) -> Bracket:
    """The part of the enclosure on the side of what is allowed where the loss is."""
    side = each.over.minus(each.under.shifted(each.allowed)).sign()
    if side > 0:
        return Bracket(each.allowed, loss.high)
    return Bracket(loss.low if side else each.allowed, each.allowed)


def _loss(over: ExponentialSum, under: ExponentialSum) -> Bracket:
    """The logarithm of over / under between two rationals 2^-64 apart or less."""
    if not under:
        return Bracket(math.inf, math.inf)
    if over == under:
        return Bracket(Fraction(0), Fraction(0))
    bits = _BITS
    while True:
        with ctx.workprec(bits):
            value = (over.enclosed() / under.enclosed()).log()
            if value.is_finite() and value.rad() < 2.0**-96:
                return Bracket(*endpoints(value))
        bits *= 2
