"""The privacy loss of many independent responses together, enclosed, and the epsilon at a delta.

Contract. The sum of the losses of the responses has a law; delta at epsilon is the expectation of
(1 - e^(epsilon - loss))+ under it. The least epsilon for a delta is given rounded up: never below
the true one, however small delta is. Equal responses have an exact law, in ball arithmetic. The
losses of different ones are brought to one grid: an answer between two points of it is split
between them so that its probabilities under both inputs stay what they are. Whoever sees the split
answer can forget which half it was, so it tells at least as much, and hardly more. There the
probabilities are integers over a power of two, rounded up, and what lies beyond the grid counts as
if it told everything.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from privet.privacy import Response

if TYPE_CHECKING:
    from flint import arb, fmpz, fmpz_poly

Responses = Sequence[tuple[Response, int]]
"""(response, how many times), each response once, losses and times above 0."""

_GRID = 1 << 14
"""Points of a grid between 0 and the largest loss that matters."""

_SPARE_BITS = 160
"""Bits beyond those that delta needs."""

_BEYOND = 32
"""What is beyond the grid should be less likely than delta e^-32."""


def least_epsilon(responses: Responses, delta: Fraction) -> Fraction | None:
    """At or above the least epsilon >= 0 that holds with `delta` > 0; None if none was found."""
    from flint import arb, ctx

    from privet.exact.enclosure import ball

    times = sum(count for _, count in responses)
    needed = max(0, delta.denominator.bit_length() - delta.numerator.bit_length())
    bits = _SPARE_BITS + needed + times.bit_length()
    with ctx.workprec(bits):
        if len(responses) == 1:
            response, top = responses[0]
            places = range(top, -_stride(response), -_stride(response))
            masses = _falling(response, top)
            return _cross(response.loss, places, masses, arb(0), ball(delta))
        step, top = _grid(responses, delta)
        on_grid, lost = _on_grid(responses, step, top, bits)
        places = range(len(on_grid) - 1, -1, -1)
        return _cross(step, places, reversed(on_grid), arb(lost), ball(delta * 2**bits))


def _cross(
    step: Fraction, places: range, masses: Iterable["arb | fmpz"], lost: "arb", allowed: "arb"
) -> Fraction | None:
    """The epsilon at which delta falls to `allowed`, rounded up; None if `lost` is above it.

    `masses`: of the losses place * step, which fall, the last one 0 or below; `lost`: of an
    infinite loss. All of them and `allowed` may share a factor.
    """
    from privet.exact.enclosure import ball, endpoints

    if not lost <= allowed:
        return None
    fall = (places.step * ball(step)).exp()
    above, weighed = lost, 0 * lost
    for place, mass in zip(places, masses, strict=False):
        # At epsilon = place * step: the masses above it, and those times e^(epsilon - loss).
        if not above - weighed <= allowed:
            crossing = ((above - allowed) / weighed).log()
            enough = (place - places.step) * step
            if not crossing.is_finite():
                return enough
            return max(Fraction(0), min(enough, place * step + endpoints(crossing)[1]))
        above, weighed = above + mass, (weighed + mass) * fall
    return Fraction(0)


def _stride(response: Response) -> int:
    """By how much possible sums of answers +1, 0 and -1 differ."""
    return 1 if response.neutral else 2


def _falling(response: Response, times: int) -> Iterator["arb"]:
    """P(sum = s) of as many answers +1, 0 and -1, for s = times, times - stride, ..., 0 or below.

    The coefficients of (a + z x + b x^2)^n from one end to the middle. Q = P^n has P Q' = n P' Q,
    so each follows from the two before it by adding positive numbers: no digits are lost.
    """
    from flint import arb

    from privet.exact.enclosure import ball

    odds = (-ball(response.loss)).exp()
    truthful = (1 - ball(response.neutral)) / (1 + odds)
    mass = truthful**times
    if not response.neutral:
        for place in range(times + 1):
            yield mass
            mass = mass * odds * (times - place) / (place + 1)
        return
    idle = ball(response.neutral) / truthful
    before = arb(0)
    for place in range(times + 1):
        yield mass
        grown = (times - place) * idle * mass + (2 * times - place + 1) * odds * before
        before, mass = mass, grown / (place + 1)


def _grid(responses: Responses, delta: Fraction) -> tuple[Fraction, int]:
    """A step and how many of them are looked at, up and down: whatever they are, it is sound."""
    whole = sum((response.loss * times for response, times in responses), Fraction(0))
    reach = min(whole, _reach(responses, delta))
    common = reduce(_common, (response.loss for response, _ in responses))
    if reach <= common * _GRID:
        return common, int(-(-reach // common))
    # Each kind may end one step higher than its own sum: what is on the grid must stay on it.
    return reach / _GRID, _GRID + len(responses)


def _reach(responses: Responses, delta: Fraction) -> Fraction:
    """About where the tail of the sum is delta e^-32, by Chernoff's bound: a guess, in doubles."""
    from math import log

    loss = np.array([float(response.loss) for response, _ in responses])
    idle = np.array([float(response.neutral) for response, _ in responses])
    count = np.array([float(times) for _, times in responses])
    truthful = (1 - idle) / (1 + np.exp(-loss))
    goal = log(delta.denominator) - log(delta.numerator) + _BEYOND
    best = np.inf
    for rate in np.geomspace(1e-4, 1e4, 161) / max(float(loss.max()), 1e-4):
        fall = np.exp(-rate * loss)
        inner = truthful + idle * fall + (1 - idle - truthful) * fall**2
        best = min(best, float(np.sum(count * (rate * loss + np.log(inner))) + goal) / rate)
    return Fraction(best)


def _on_grid(
    responses: Responses, step: Fraction, top: int, bits: int
) -> tuple[list["fmpz"], "fmpz"]:
    """The masses of the losses 0, step, ... and of those beyond, times 2^bits, rounded up."""
    from flint import fmpz

    parts, lost = [], fmpz(0)
    for response, times in responses:
        part, out = _one_kind(response, times, step, top, bits)
        parts.append(part)
        lost += out
    parts.sort(key=lambda part: part[1].length())
    while len(parts) > 1:
        odd = parts[-1:] if len(parts) % 2 else []
        pairs = zip(parts[::2], parts[1::2], strict=False)
        products = [_product(one, two, top, bits) for one, two in pairs]
        parts = [part for part, _ in products] + odd
        lost += sum((out for _, out in products), fmpz(0))
    low, masses = parts[0]
    return masses.coeffs()[-low:], lost


Part = tuple[int, "fmpz_poly"]
"""The place of the first mass, at most 0, and the masses."""


def _one_kind(
    response: Response, times: int, step: Fraction, top: int, bits: int
) -> tuple[Part, "fmpz"]:
    """The law of equal responses on the grid, and what is above it, both rounded up."""
    from flint import arb, fmpz_poly

    from privet.exact.enclosure import ball

    deep = min(top, int(-(-times * response.loss // step)))
    cells, above = [arb(0)] * (2 * deep + 1), arb(0)
    grain, loss, stride = ball(step), ball(response.loss), _stride(response)
    for count, mass in zip(range(times, -1, -stride), _falling(response, times), strict=False):
        if count * response.loss > deep * step:
            above += mass
            continue
        for signed in {count, -count}:
            share = mass if signed >= 0 else mass * (signed * loss).exp()
            cell, upper = _split(signed * response.loss, step, grain)
            cells[cell + deep] += share * (1 - upper)
            if cell < deep:
                cells[cell + deep + 1] += share * upper
    # A sum below the grid is at least e^(-deep step) times less likely than the one above it.
    cells[0] += above * (-deep * grain).exp()
    unit = arb(2) ** bits
    masses = [_integer_up(cell * unit) for cell in cells]
    return (-deep, fmpz_poly(masses)), _integer_up(above * unit)


def _split(loss: Fraction, step: Fraction, grain: "arb") -> tuple[int, "arb | int"]:
    """The point of the grid at or below a loss, and which share goes to the next one."""
    from privet.exact.enclosure import ball

    cell, rest = divmod(loss, step)
    if not rest:
        return cell, 0
    return cell, (1 - ball(-rest).exp()) / (1 - (-grain).exp())


def _integer_up(mass: "arb") -> "fmpz":
    """The least integer that is not below any number of the ball, whatever the precision is."""
    mantissa, exponent = mass.upper().man_exp()
    return mantissa << exponent if exponent >= 0 else -(-mantissa >> -exponent)


def _product(one: Part, two: Part, top: int, bits: int) -> tuple[Part, "fmpz"]:
    """Both together; what falls below the grid is raised to its end, what is above it is lost."""
    from flint import fmpz, fmpz_poly

    almost = (1 << bits) - 1
    masses = [(mass + almost) >> bits for mass in (one[1] * two[1]).coeffs()]
    low = one[0] + two[0]
    if low < -top:
        cut = -top - low
        masses = [sum(masses[: cut + 1], fmpz(0)), *masses[cut + 1 :]]
        low = -top
    lost = sum(masses[top - low + 1 :], fmpz(0))
    return (low, fmpz_poly(masses[: top - low + 1])), lost


def _common(one: Fraction, two: Fraction) -> Fraction:
    """The largest number of which both are multiples."""
    while two:
        one, two = two, one % two
    return one
