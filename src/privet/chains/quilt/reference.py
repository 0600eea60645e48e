"""Markov quilts straight from the definitions: slow, in exact rationals. For tests.

Contract. Every quilt of every node is looked at. Influences are exact ratios of probabilities;
where logarithms enter, results are pairs of rationals that hold the true value.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from privet.chains.marginals import Initial
from privet.chains.markov import MarkovChain
from privet.exact import log_down, log_up

Matrix = list[list[Fraction]]
Ratio = Fraction | float
"""An exact ratio, or math.inf."""

Bounds = tuple[Fraction, Fraction]


class Reference:
    """One chain, one kind of start and a length."""

    def __init__(self, chain: MarkovChain, initial: Initial, length: int) -> None:
        size = len(chain.alphabet)
        steps = [[*row] for row in chain.exact_transition]
        self.length, self._states = length, range(size)
        self._powers = [[[Fraction(int(x == y)) for y in range(size)] for x in range(size)]]
        for _ in range(length):
            self._powers.append(_product(self._powers[-1], steps))
        # The laws of a node from every start that counts.
        if initial == "stationary":
            self._laws = [[[*chain.exact_stationary()]]] * length
        elif initial == "given":
            first = [[*chain.exact_initial]]
            self._laws = [_product(first, self._powers[node]) for node in range(length)]
        else:
            self._laws = self._powers[:length]

    def live(self, node: int) -> list[int]:
        """The states that the node has with positive probability."""
        return [x for x in self._states if any(law[x] for law in self._laws[node])]

    def influence(self, node: int, left: int | None, right: int | None) -> Ratio:
        """e to the max-influence of the quilt with parts at these distances."""
        best: Ratio = Fraction(1)
        for x in self.live(node):
            for y in self.live(node):
                if x != y:
                    best = max(best, self._pair(node, left, right, x, y))
        return best

    def _pair(self, node: int, left: int | None, right: int | None, x: int, y: int) -> Ratio:
        parts: list[Ratio] = []
        if right is not None:
            power = self._powers[right]
            parts.append(_largest(power[x], power[y]))
        if left is not None:
            power, reached = self._powers[left], self.live(node - left)
            parts.append(_largest([power[u][x] for u in reached], [power[u][y] for u in reached]))
            laws = self._laws[node]
            parts.append(_largest([law[y] for law in laws], [law[x] for law in laws]))
        return math.inf if math.inf in parts else math.prod(parts, start=Fraction(1))

    def quilts(self, node: int) -> Iterator[tuple[int | None, int | None, range]]:
        """Distances of the parts, and the nodes nearby."""
        for left in (None, *range(1, node + 1)):
            for right in (None, *range(1, self.length - node)):
                start = 0 if left is None else node - left + 1
                yield left, right, range(start, self.length if right is None else node + right)

    def scale(self, constants: Sequence[Fraction], epsilon: Fraction) -> Bounds:
        """max over nodes of min over quilts with e < epsilon of (nearby constants)/(epsilon-e)."""
        low = high = Fraction(0)
        for node in range(self.length):
            lows, highs = [], []
            for left, right, nearby in self.quilts(node):
                below, above = _logarithm(self.influence(node, left, right))
                load = sum((constants[t] for t in nearby), Fraction(0))
                if below < epsilon:
                    lows.append(load / (epsilon - Fraction(below)))
                if above < epsilon:
                    highs.append(load / (epsilon - Fraction(above)))
            low, high = max(low, min(lows)), max(high, min(highs))
        return low, high

    def epsilon(self, losses: Sequence[Fraction]) -> Bounds:
        """max over nodes of min over quilts of e + (losses nearby)."""
        low = high = Fraction(0)
        for node in range(self.length):
            lows, highs = [], []
            for left, right, nearby in self.quilts(node):
                below, above = _logarithm(self.influence(node, left, right))
                if below != math.inf:
                    load = sum((losses[t] for t in nearby), Fraction(0))
                    lows.append(Fraction(below) + load)
                    highs.append(Fraction(above) + load)
            low, high = max(low, min(lows)), max(high, min(highs))
        return low, high


def _product(a: Matrix, b: Matrix) -> Matrix:
    columns = [*zip(*b, strict=True)]
    return [
        [sum((p * q for p, q in zip(row, column, strict=True)), Fraction(0)) for column in columns]
        for row in a
    ]


def _largest(above: Sequence[Fraction], below: Sequence[Fraction]) -> Ratio:
    """The largest ratio of entries: 0/0 is skipped, x/0 is infinite."""
    return max(
        (math.inf if q == 0 else p / q)
        for p, q in zip(above, below, strict=True)
        if p != 0 or q != 0
    )


def _logarithm(ratio: Ratio) -> tuple[Ratio, Ratio]:
    if not isinstance(ratio, Fraction):
        return math.inf, math.inf
    return log_down(ratio), log_up(ratio)
