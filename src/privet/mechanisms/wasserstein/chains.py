"""The laws of a sum over the nodes of a chain, given the state of one node.

Contract. The sum gives each state a whole weight >= 0 at the nodes read and 0 at the others. Laws
are exact: probabilities are whole numbers over a common denominator, and a law of partial sums is a
polynomial whose coefficient at v is the weight of the sum v.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import lcm

from flint import fmpz_poly

from privet.errors import ParameterError
from privet.mechanisms.wasserstein.distance import Law, infinity_distance

LARGEST_WORK = 1 << 30
"""Bits of all polynomials of one chain: nodes x states x sums x bits of a coefficient."""

Exact = tuple[Sequence[Fraction], Sequence[Sequence[Fraction]]]
"""(law of the first state, transition matrix)."""


def largest_distance(
    chain: Exact, weights: Sequence[int], length: int, start: int, stop: int
) -> int:
    """The largest infinity-Wasserstein distance of the sum's laws given two states of one node.

    Over all nodes 0 .. length - 1 and all pairs of states that the node can be in.
    """
    largest = 0
    for laws in conditional_laws(chain, weights, length, start, stop):
        for first, second in combinations(laws, 2):
            largest = max(largest, infinity_distance(first, second))
    return largest


def conditional_laws(
    chain: Exact, weights: Sequence[int], length: int, start: int, stop: int
) -> Iterator[list[Law]]:
    """For each node, the law of the sum over start .. stop - 1 given each state it can be in.

    Given the state s of node t, the sum up to t and the sum after t are independent; their laws are
    f(t, s) / P(X_t = s) and b(t, s), from the recursions
    f(t + 1, s') = z^w(s') sum over s of f(t, s) P(s, s'),
    b(t, s) = sum over s' of P(s, s') z^w(s') b(t + 1, s').
    """
    (initial,), _ = _whole([chain[0]])
    transition, denominator = _whole(chain[1])
    _check_work(len(weights), max(weights), length, stop - start, denominator)
    states = range(len(weights))
    read = [_monomial(weight) for weight in weights]
    unread = [_monomial(0)] * len(weights)
    shifts = [read if start <= node < stop else unread for node in range(length)]
    after = [[fmpz_poly([1]) for _ in states]]
    for node in range(length - 1, 0, -1):
        moved = [shifts[node][s] * after[-1][s] for s in states]
        after.append([_combined(transition[s], moved) for s in states])
    before = [shifts[0][s] * initial[s] for s in states]
    for node in range(length):
        if node:
            columns = [[transition[s][t] for s in states] for t in states]
            before = [shifts[node][t] * _combined(columns[t], before) for t in states]
        later = after.pop()
        yield [
            Law.of_weights([int(x) for x in (before[s] * later[s]).coeffs()])
            for s in states
            if before[s].degree() >= 0
        ]


def _whole(rows: Sequence[Sequence[Fraction]]) -> tuple[list[list[int]], int]:
    """The rows times their common denominator, and that."""
    common = lcm(*(entry.denominator for row in rows for entry in row))
    return [[int(entry * common) for entry in row] for row in rows], common


def _monomial(power: int) -> fmpz_poly:
    return fmpz_poly([0] * power + [1])


def _combined(factors: Sequence[int], laws: Sequence[fmpz_poly]) -> fmpz_poly:
    total = fmpz_poly([])
    for factor, law in zip(factors, laws, strict=True):
        if factor:
            total += law * factor
    return total


def _check_work(states: int, heaviest: int, length: int, read: int, denominator: int) -> None:
    sums = heaviest * read + 1
    if length * states * sums * length * denominator.bit_length() > LARGEST_WORK:
        raise ParameterError(
            f"The Wasserstein mechanism is too slow for {length} nodes, {states} states and {sums} "
            f"sums, with probabilities of {denominator.bit_length()} bits.",
            hint="Use MarkovLaplace, or give the chain in short fractions.",
            parameter="length",
        )
