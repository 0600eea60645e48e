"""The Markov Quilt Mechanism by Algorithm 1, every quilt of every node by its definition.

Max-influence is taken over all values of the quilt's nodes, from exact conditional probabilities.
For the tests alone.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import permutations, product

Exact = tuple[Sequence[Fraction], Sequence[Sequence[Fraction]]]


def scale(chain: Exact, length: int, epsilon: Fraction) -> float:
    """sigma: the largest over nodes of the least card(nearby) / (epsilon - influence)."""
    sigma = 0.0
    for node in range(length):
        best = length / float(epsilon)  # the empty quilt: all nodes are nearby
        for left in (None, *range(node)):
            for right in (None, *range(node + 1, length)):
                if left is None and right is None:
                    continue
                influence = max_influence(chain, node, [n for n in (left, right) if n is not None])
                nearby = (length if right is None else right) - (-1 if left is None else left) - 1
                if influence < epsilon:
                    best = min(best, nearby / (float(epsilon) - influence))
        sigma = max(sigma, best)
    return sigma


def max_influence(chain: Exact, node: int, quilt: Sequence[int]) -> float:
    """max log P(x_A | X_i = a) / P(x_A | X_i = b); 0/0 is skipped and x/0 is infinite."""
    states = range(len(chain[0]))
    live = [a for a in states if _joint(chain, {node: a}) > 0]
    largest = 0.0
    for a, b in permutations(live, 2):
        for values in product(states, repeat=len(quilt)):
            placed = dict(zip(quilt, values, strict=True))
            one = _joint(chain, {node: a, **placed}) / _joint(chain, {node: a})
            other = _joint(chain, {node: b, **placed}) / _joint(chain, {node: b})
            if one and not other:
                return math.inf
            if one:
                largest = max(largest, math.log(one / other))
    return largest


def _joint(chain: Exact, placed: dict[int, int]) -> Fraction:
    """P(X_n = s for every n: s placed), by the forward recursion."""
    initial, transition = chain
    states = range(len(initial))
    law = [initial[s] if placed.get(0, s) == s else Fraction(0) for s in states]
    for node in range(1, max(placed) + 1):
        law = [
            sum((law[s] * transition[s][t] for s in states), Fraction(0))
            if placed.get(node, t) == t
            else Fraction(0)
            for t in states
        ]
    return sum(law, Fraction(0))
