"""The exact Markov quilt scale by the plain search over quilts, to be timed beside Privet's.

Contract. One node far from both ends of a stationary series. Quilts (a, b), a part at each
distance, are looked at by width a + b - 1, every one of them, until no wider one can be better: a
scale is width / (epsilon - e), at least width / epsilon. The max-influence e of a quilt is the
formula of [song-wang-chaudhuri-2017] for a chain, in doubles: the largest over states x, y of

    max over z of log P^b(x,z) / P^b(y,z) + log p(y) / p(x) + max over z of log P^a(z,x) / P^a(z,y)

with p the stationary law. Powers of P are made by one multiplication after another and kept. The
loop is written "literally", the whole formula for every quilt, or is "tabulated": each of the two
maxima over z is kept for its distance, so that a quilt costs one sum over pairs of states.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


@dataclass
class DoubleLoop:
    """The search for one chain: `steps` (k, k), all positive, and how much of it was done."""

    steps: Matrix
    is_tabulated: bool
    scale: float = math.inf
    pairs: int = 0
    _powers: list[Matrix] = field(default_factory=list)
    _right: list[Matrix] = field(default_factory=list)
    _left: list[Matrix] = field(default_factory=list)

    def search(self, epsilon: float, most_pairs: int) -> None:
        """Every quilt, or the first `most_pairs` of them."""
        law = _stationary(self.steps)
        inverted = np.log(law[None, :] / law[:, None])
        width = 1
        while width < epsilon * self.scale and self.pairs < most_pairs:
            self._reach(width)
            for a in range(1, width + 1):
                influence = self._influence(a, width + 1 - a, inverted)
                if influence < epsilon:
                    self.scale = min(self.scale, width / (epsilon - influence))
                self.pairs += 1
                if self.pairs == most_pairs:
                    break
            width += 1

    def _reach(self, distance: int) -> None:
        while len(self._powers) < distance:
            self._powers.append(self._powers[-1] @ self.steps if self._powers else self.steps)
            if self.is_tabulated:
                self._right.append(_to_the_right(self._powers[-1]))
                self._left.append(_to_the_left(self._powers[-1]))

    def _influence(self, a: int, b: int, inverted: Matrix) -> float:
        if self.is_tabulated:
            right, left = self._right[b - 1], self._left[a - 1]
        else:
            right, left = _to_the_right(self._powers[b - 1]), _to_the_left(self._powers[a - 1])
        return float((right + inverted + left).max())


def pairs_in_all(epsilon: float, scale: float) -> int:
    """The quilts that the whole search looks at, if it finds that scale."""
    widest = math.ceil(epsilon * scale) - 1
    return widest * (widest + 1) // 2


def _to_the_right(power: Matrix) -> Matrix:
    return np.asarray(np.log((power[:, None, :] / power[None, :, :]).max(axis=2)))


def _to_the_left(power: Matrix) -> Matrix:
    return _to_the_right(np.ascontiguousarray(power.T))


def _stationary(steps: Matrix) -> Matrix:
    size = len(steps)
    equations = np.vstack([(steps.T - np.eye(size))[1:], np.ones(size)])
    return np.asarray(np.linalg.solve(equations, np.eye(size)[-1]))
