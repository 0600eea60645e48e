"""Many releases about independent records at a small delta: the tight epsilon, proved.

Contract. Whatever a release does, given what went out before, it is at most as revealing about a
unit of loss r as a binary randomised response that tells one bit truthfully with odds e^r to 1; and
so are many of them together ([kairouz-oh-viswanath-2015], Theorem 3.2; [murtagh-vadhan-2016]).
Here the privacy loss of those responses is enclosed in ball arithmetic: its atoms exactly where all
losses are equal or share a grid, and moved to the next higher point of a grid otherwise. The
epsilon that comes out is never below the true one for that delta, however small delta is, and never
above the sum. Libraries that compose by a Fourier transform in doubles do not promise that: a delta
of 1e-12 is near their rounding errors.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Literal

from privet.exact import read_count, read_delta, up
from privet.privacy import RecordLoss

if TYPE_CHECKING:
    from flint import arb

Losses = tuple[tuple[Fraction, int], ...]
"""(loss, how many times) of one unit, each loss once."""

_GRID = 1 << 15
"""Points of a grid on which losses that share no unit are rounded up, from 0 to their sum."""

_MOST_TIMES = 1 << 20
"""Equal losses of which the law is written out; more of them are charged as their sum."""

_MOST_CLASSES = 5_000_000
"""Pieces times different losses that are looked through for the worst record."""

_SPARE_BITS = 160
"""Bits beyond those that delta needs."""

_BITS = 64
"""The epsilon is rounded up to a multiple of 2^-64."""


def epsilon_at_delta(
    unit: int | Literal["all"], losses: Sequence[tuple[RecordLoss, int]], delta: Fraction
) -> Fraction:
    """The epsilon of releases (loss, how many times) at that delta, for the worst unit, rounded up.

    `unit`: records one protected unit may change, or "all"; a shorter loss is 0 beyond its end.
    A unit of several records loses in each release what its largest losses there sum to.
    Errors: ParameterError for a delta outside [0, 1).
    """
    allowed = read_delta(delta)
    counted: Counter[RecordLoss] = Counter()
    for loss, times in losses:
        counted[loss] += read_count(times, "times", 0)
    worst = Fraction(0)
    for unit_losses in sorted(_classes(unit, counted), key=_sum, reverse=True):
        whole = _sum(unit_losses)
        if whole <= worst:
            break
        worst = max(worst, tight_epsilon(unit_losses, allowed) if allowed else whole)
    return worst


def tight_epsilon(losses: Losses, delta: Fraction) -> Fraction:
    """The epsilon at `delta` of binary randomised responses with those losses, rounded up."""
    from flint import ctx

    whole = _sum(losses)
    kept = tuple((loss, times) for loss, times in losses if loss and times)
    if not delta or not kept or any(times > _MOST_TIMES for _, times in kept):
        return whole
    needed = delta.denominator.bit_length() - delta.numerator.bit_length()
    with ctx.workprec(_SPARE_BITS + max(0, needed) + sum(n for _, n in kept).bit_length()):
        return min(whole, up(_least_epsilon(_atoms(kept), delta), _BITS))


def _sum(losses: Losses) -> Fraction:
    return sum((loss * times for loss, times in losses), Fraction(0))


def _classes(unit: int | Literal["all"], counted: Counter[RecordLoss]) -> set[Losses]:
    """What different units lose, each multiset of losses once."""
    if unit != 1:
        together: Counter[Fraction] = Counter()
        for loss, times in counted.items():
            together[loss.total if unit == "all" else loss.largest(unit)] += times
        return {tuple(sorted(together.items()))}
    changes: dict[int, Counter[Fraction]] = {}
    for loss, times in counted.items():
        for start, stop, value in loss.pieces:
            if value:
                changes.setdefault(start, Counter())[value] += times
                changes.setdefault(stop, Counter())[value] -= times
    values = {value for change in changes.values() for value in change}
    if len(changes) * len(values) > _MOST_CLASSES:
        # As if all of a record's losses were one release: their sum, which is never too little.
        return {((whole, 1),) for whole in _sums(changes)}
    now: Counter[Fraction] = Counter()
    found: set[Losses] = set()
    for place in sorted(changes):
        for value, times in changes[place].items():
            now[value] += times
            if not now[value]:
                del now[value]
        found.add(tuple(sorted(now.items())))
    return found


def _sums(changes: dict[int, Counter[Fraction]]) -> Iterator[Fraction]:
    now = Fraction(0)
    for place in sorted(changes):
        now += _sum(tuple(changes[place].items()))
        yield now


def _atoms(losses: Losses) -> Iterable[tuple[Fraction, "arb"]]:
    """(privacy loss, probability) of all the responses together, losses falling."""
    if len(losses) == 1:
        return _repeated(*losses[0])
    return _on_grid(losses)


def _repeated(loss: Fraction, times: int) -> Iterator[tuple[Fraction, "arb"]]:
    """Of `times` responses, j untruthful: (times - 2 j) loss, with binomial probability."""
    from flint import arb

    from privet.exact.enclosure import ball

    odds = ball(loss).exp()
    mass = (odds / (1 + odds)) ** times
    for untruthful in range(times + 1):
        yield (times - 2 * untruthful) * loss, mass
        mass = mass * arb(times - untruthful) / arb(untruthful + 1) / odds


def _on_grid(losses: Losses) -> Iterator[tuple[Fraction, "arb"]]:
    """The convolution of the laws of equal losses, each rounded up to one grid."""
    from flint import arb, arb_poly

    whole = _sum(losses)
    step = reduce(_common, (loss for loss, _ in losses))
    if whole / step > _GRID:
        step = whole / _GRID
    offset, polynomials = 0, []
    for loss, times in losses:
        deep = -(-times * loss // step)
        coefficients = [arb(0)] * (2 * int(deep) + 1)
        for value, mass in _repeated(loss, times):
            coefficients[int(-(-value // step) + deep)] += mass
        polynomials.append(arb_poly(coefficients))
        offset += int(deep)
    while len(polynomials) > 1:
        halves = zip(polynomials[::2], polynomials[1::2], strict=False)
        odd = polynomials[-1:] if len(polynomials) % 2 else []
        polynomials = [one * two for one, two in halves] + odd
    for place, mass in reversed(list(enumerate(polynomials[0].coeffs()))):
        yield (place - offset) * step, mass


def _common(one: Fraction, two: Fraction) -> Fraction:
    """The largest number of which both are multiples."""
    while two:
        one, two = two, one % two
    return one


def _least_epsilon(atoms: Iterable[tuple[Fraction, "arb"]], delta: Fraction) -> Fraction:
    """An upper bound of the least epsilon with sum of mass (1 - e^(epsilon - loss))+ <= delta.

    Between two losses that sum is A - e^epsilon B, A and B sums over the larger losses.
    """
    from privet.exact.enclosure import ball, endpoints

    allowed = ball(delta)
    above, weighed = ball(Fraction(0)), ball(Fraction(0))
    enough = None
    for loss, mass in atoms:
        here = max(loss, Fraction(0))
        if enough is not None and not above - weighed * ball(here).exp() <= allowed:
            crossing = ((above - allowed) / weighed).log()
            return min(enough, endpoints(crossing)[1]) if crossing.is_finite() else enough
        enough = here
        if not here:
            return here
        above, weighed = above + mass, weighed + mass * (-ball(loss)).exp()
    return Fraction(0) if enough is None else enough
