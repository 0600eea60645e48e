"""Propagation in exact rationals, by listing every candidate: slow, and what the rest is tested by.

Contract. `reference_epsilon` is the bound of PROOF.md for a given or stationary start, at or above
the true value and within about 2^-80 of it. It is for at most four states and short chains.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from privet.chains.markov import MarkovChain
from privet.chains.propagation.laws import Initial
from privet.errors import ParameterError
from privet.exact import exp_up, log_up, up

Rows = Sequence[Sequence[Fraction]]

_BITS = 160


def reference_step(kernel: Rows, gains: Rows, live: Sequence[bool]) -> list[list[Fraction]]:
    """(k, k): phi(s, s') exactly, for the rows of live states; 1 elsewhere.

    A linear fractional function on a cone is largest on an extreme ray; there k - 1 constraints are
    tight and link all states, so every tree with every choice of directions is tried.
    """
    size = len(kernel)
    rays = [g for g in _trees(gains) if _feasible(g, gains)]
    phi = [[Fraction(1)] * size for _ in range(size)]
    for s, t in product(range(size), repeat=2):
        if s != t and live[s] and live[t]:
            phi[s][t] = max(_dot(kernel[s], g) / _dot(kernel[t], g) for g in rays)
    return phi


def reference_epsilon(chain: MarkovChain, initial: Initial, losses: Sequence[Fraction]) -> Fraction:
    """max over nodes and live pairs of r + log right + log left: see the module."""
    if initial == "any":
        raise ParameterError("The exact reference is for one start.", parameter="initial")
    steps, size = chain.exact_transition, len(chain.states)
    first = chain.exact_stationary() if initial == "stationary" else chain.exact_initial
    laws = [list(first)]
    for _ in losses[1:]:
        laws.append([_dot(laws[-1], [row[s] for row in steps]) for s in range(size)])
    every = [True] * size
    right = [[[Fraction(1)] * size for _ in range(size)]]
    for loss in reversed(losses[1:]):
        right.append(_rounded(reference_step(steps, _gains(loss, right[-1]), every)))
    right.reverse()
    left = [[[Fraction(1)] * size for _ in range(size)]]
    for before, law, loss in zip(laws, laws[1:], losses, strict=False):
        left.append(_backward(steps, before, law, _gains(loss, left[-1])))
    worst = Fraction(0)
    for law, loss, r, b in zip(laws, losses, right, left, strict=True):
        for s, t in product(range(size), repeat=2):
            if s != t and law[s] and law[t]:
                worst = max(worst, loss + log_up(r[s][t] * b[s][t]))
    return worst


def _backward(
    steps: Rows, before: Sequence[Fraction], law: Sequence[Fraction], gains: Rows
) -> list[list[Fraction]]:
    """phi to the left, among the states that occur at the node before."""
    size = len(steps)
    met = [u for u in range(size) if before[u]]
    kernel = [
        [before[u] * steps[u][s] / law[s] if law[s] else Fraction(0) for u in met]
        for s in range(size)
    ]
    inner = [[gains[u][v] for v in met] for u in met]
    rays = [g for g in _trees(inner) if _feasible(g, inner)]
    phi = [[Fraction(1)] * size for _ in range(size)]
    for s, t in product(range(size), repeat=2):
        if s != t and law[s] and law[t]:
            phi[s][t] = max(_dot(kernel[s], g) / _dot(kernel[t], g) for g in rays)
    return _rounded(phi)


def _gains(loss: Fraction, phi: Rows) -> list[list[Fraction]]:
    growth = exp_up(loss, _BITS)
    return [
        [Fraction(1) if s == t else growth * value for t, value in enumerate(row)]
        for s, row in enumerate(phi)
    ]


def _rounded(phi: Rows) -> list[list[Fraction]]:
    return [[up(value, _BITS) for value in row] for row in phi]


def _trees(gains: Rows) -> Iterator[list[Fraction]]:
    """The potentials of every tree on the states with every direction of its arcs, root 1."""
    size = len(gains)
    for parents in product(range(size), repeat=size - 1):
        for rises in product((True, False), repeat=size - 1):
            values: dict[int, Fraction] = {0: Fraction(1)}
            waiting = set(range(1, size))
            while ready := [v for v in waiting if parents[v - 1] in values]:
                for v in ready:
                    p = parents[v - 1]
                    arc = gains[v][p] if rises[v - 1] else 1 / gains[p][v]
                    values[v] = values[p] * arc
                waiting -= set(ready)
            if not waiting:
                yield [values[v] for v in range(size)]


def _feasible(g: Sequence[Fraction], gains: Rows) -> bool:
    size = len(g)
    return all(g[t] <= gains[t][u] * g[u] for t, u in product(range(size), repeat=2))


def _dot(row: Sequence[Fraction], g: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(row, g, strict=True)), Fraction(0))
