"""What permute-and-flip spends on a language at most, from what exponential mechanisms spend.

Contract. `spent_at_most` is the theorem "Spent, bounded" of PROOF.md: an upper bound of epsilon at
the ratio q, rounded up, from a bound of how much totals Z of neighbouring words differ at q, q^2,
q^3, ... (`largest_factor`, from certificates of `privet.weighted.words_check`) and one of how small
a total is (`least_total`). No mechanism runs at a rate that only this bound allows: at such a rate
the exponential mechanism errs as little at the same guarantee. The tests hold the bound against
enumeration, and docs/calibration.md gives its figures.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from flint import arb, ctx

from privet.exact import exp_up, log_down, log_up
from privet.exact.enclosure import ball, down, endpoints
from privet.languages.automaton import Automaton

_STRIPS = 1 << 12
"""Of the integral: each costs the bound at most one part in as many of the mean."""

_BITS = 128


def spent_at_most(q: Fraction, adjacency: int, factor: Fraction, least: Fraction) -> Fraction:
    """min(2kb, kb + log factor - log E), k = log(1/q), b = `adjacency`, rounded up.

    `factor`: at least 1 and Z(v)/Z(w) at q, q^2, q^3, ... for all neighbours w, v; `least`: at most
    Z(w) at q for every word w, at least 1. E is the mean of (1-t)^factor / (1 - q^b t) for t
    exponential of rate factor (least - 1) on [0, 1].
    """
    assert 0 < q < 1 <= min(factor, least)
    places = adjacency * log_up(1 / q)
    mean = _mean_down(q**adjacency, factor, least)
    return min(2 * places, places + log_up(factor) - log_down(mean))


def _mean_down(power: Fraction, factor: Fraction, least: Fraction) -> Fraction:
    """E from below: the integrand falls, so the right end of each strip holds for all of it.

    Strips are equally likely, so the sum is at most 1/strips below E.
    """
    total = arb(0)
    with ctx.workprec(_BITS):
        exponent, shrink, speed = ball(factor), ball(power), ball(factor * (least - 1))
        mass = -(-speed).expm1()
        for strip in range(1, _STRIPS):
            share = arb(strip) / _STRIPS
            t = share if least == 1 else -(-share * mass).log1p() / speed
            total += (exponent * (-t).log1p()).exp() / (1 - shrink * t)
        return endpoints(total / _STRIPS)[0]


def largest_factor(q: Fraction, ratios: Sequence[Fraction], longest: int, others: int) -> Fraction:
    """A bound of Z(v)/Z(w) at every q^r, r = 1, 2, ..., for words of up to `longest` symbols.

    `ratios`: proved bounds for r = 1..len(ratios), neighbours only; `others`: one less than the
    most symbols that a state allows. For larger r it is (1 + others q^r)^longest: Z(w) >= 1, and a
    step multiplies the mass of all words by at most 1 + others q^r.
    """
    beyond = exp_up(longest * others * q ** (len(ratios) + 1))
    return max(Fraction(1), beyond, *ratios)


def least_total(automaton: Automaton, q: Fraction, length: int, block: int) -> Fraction:
    """A lower bound of Z(w) at q over the words w of that length, at least 1.

    w is cut into blocks of `block` symbols (the first may be shorter). To change a block into
    another one between the same two states changes nothing for the others, so Z(w) is at least the
    product over the blocks of the sum of q^differences over such blocks. The smallest product is a
    shortest path.
    """
    moves = [
        {symbol: then for symbol, then in enumerate(row) if then >= 0}
        for row in automaton.transitions.tolist()
    ]
    best, first = {int(automaton.initial): Fraction(1)}, length % block
    sizes = [first] * bool(first) + [block] * (length // block)
    known: dict[tuple[int, int], Mapping[int, Fraction]] = {}
    for size in sizes:
        reached: dict[int, Fraction] = {}
        for state, product in best.items():
            if (size, state) not in known:
                known[size, state] = _least_blocks(moves, q, state, size)
            for then, least in known[size, state].items():
                value = down(product * least, 64)
                reached[then] = min(value, reached.get(then, value))
        best = reached
    return max(Fraction(1), min(best[s] for s in best if automaton.accepting[s]))


def _least_blocks(
    moves: Sequence[Mapping[int, int]], q: Fraction, start: int, size: int
) -> dict[int, Fraction]:
    """{end: the smallest sum of q^differences over blocks from `start` to it, over blocks so}."""
    least: dict[int, Fraction] = {}
    waiting = [(start, {start: Fraction(1)}, 0)]
    while waiting:
        state, masses, depth = waiting.pop()
        if depth == size:
            least[state] = min(masses[state], least.get(state, masses[state]))
            continue
        for symbol, then in moves[state].items():
            following: dict[int, Fraction] = {}
            for here, mass in masses.items():
                for other, target in moves[here].items():
                    share = mass if other == symbol else mass * q
                    following[target] = following.get(target, Fraction(0)) + share
            waiting.append((then, following, depth + 1))
    return least
