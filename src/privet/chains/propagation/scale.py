"""The smallest noise scale whose epsilon, by propagation, is within a target.

Contract. Losses are constants over the scale. What is returned is a scale whose bound has been
computed and is at most the target; that a smaller one would not do is a matter of the search
(relative distance `_CLOSE`), not of the guarantee.
"""

import math
from collections.abc import Callable
from fractions import Fraction

from privet.chains.markov import MarkovChain
from privet.chains.propagation.bound import Propagation, PropagationBound, read_pieces
from privet.chains.propagation.laws import Initial
from privet.chains.propagation.sweep import Pieces
from privet.exact import up

_CLOSE = 1e-7
_EVALUATIONS = 60
_FIRST = 4096
"""The search begins at this many times the scale below which no noise is enough."""

_DIGITS = 44


def propagated_scale(
    chain: MarkovChain, initial: Initial, constants: Pieces, epsilon: Fraction
) -> tuple[Fraction, PropagationBound]:
    """The scale for constants of each node, and the bound of constants / scale (<= epsilon)."""
    return smallest_scale(Propagation(chain, initial).bound, constants, epsilon)


def smallest_scale(
    bound: Callable[[Pieces], PropagationBound], constants: Pieces, epsilon: Fraction
) -> tuple[Fraction, PropagationBound]:
    """(scale, bound of constants / scale): rounded up to about `_DIGITS` bits.

    Constants that are all 0 need no noise: the scale is 0.
    """
    pieces = read_pieces(constants)
    total = sum(((stop - start) * value for start, stop, value in pieces), Fraction(0))
    if not total:
        return Fraction(0), bound(pieces)
    largest = max(value for _, _, value in pieces)

    def at(scale: Fraction) -> tuple[float, PropagationBound]:
        found = bound([(start, stop, value / scale) for start, stop, value in pieces])
        return math.log(found.epsilon / epsilon), found

    # The sum of all losses is a bound, so `high` is enough; below `low` no scale is.
    high, low = _rounded(total / epsilon), largest / epsilon
    best, points = None, []
    scale = min(high, _rounded(_FIRST * low))
    for _ in range(_EVALUATIONS):
        gap, found = at(scale)
        points.append((math.log(scale), gap))
        if found.epsilon <= epsilon:
            high, best = scale, found
            if -gap <= _CLOSE * _elasticity(points) / 4:
                break
        else:
            low = scale
        if high <= low * (1 + Fraction(_CLOSE)):
            break
        scale = min(max(_proposal(points, low, high), low), high)
    return high, at(high)[1] if best is None else best


def _elasticity(points: list[tuple[float, float]]) -> float:
    """By how much log epsilon falls where log scale rises by 1, between the last two points."""
    if len(points) < 2:
        return 1.0
    (x, y), (u, v) = points[-2:]
    return max(0.0, (y - v) / (u - x)) if u != x else 0.0


def _proposal(points: list[tuple[float, float]], low: Fraction, high: Fraction) -> Fraction:
    """The next scale to try: where the logarithms, taken as straight, meet the target."""
    bottom, top = math.log(low), math.log(high)
    x, y = points[-1]
    slope = _elasticity(points)
    # Now and then the bracket is halved, whatever the last points say.
    if slope < 1e-6 or (len(points) > 6 and len(points) % 3 == 0):
        return _middle(bottom, top)
    guess = x + y / slope + _CLOSE / 8
    if guess >= top:
        return high if all(x < top for x, _ in points) else _middle(bottom, top)
    return _middle(bottom, top) if guess <= bottom else _rounded(Fraction(math.exp(guess)))


def _middle(bottom: float, top: float) -> Fraction:
    return _rounded(Fraction(math.exp((bottom + top) / 2)))


def _rounded(scale: Fraction) -> Fraction:
    """`scale` rounded up to a binary fraction of about `_DIGITS` digits."""
    size = scale.numerator.bit_length() - scale.denominator.bit_length()
    return up(scale, max(0, _DIGITS - size)) if size < _DIGITS else Fraction(math.ceil(scale))
