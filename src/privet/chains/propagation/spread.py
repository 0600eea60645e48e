"""The step when the law on the way is not known: any start, or any chain of a box.

Contract. `SpreadStep(lower, upper).step(gains)` is at or above, rounding included, the supremum of
(Sum m a g / Sum m a) (Sum m b / Sum m b g) over weights m >= 0, over rows a between lower[s] and
upper[s], b between lower[s'] and upper[s'], and over g > 0 with g(t) <= C(t, t') g(t'). With
p = sqrt(C(u, v)) and q the root of the cross ratio a(u) b(v) / (a(v) b(u)) it is the largest
((p q + 1) / (p + q))^2 over u, v with q > 1 (see PROOF.md): roots and quotients only.
"""

import numpy as np

from privet.chains.propagation.forests import IntArray
from privet.chains.propagation.programme import UNIT
from privet.chains.stochastic import FloatArray

_MARGIN = 1 + 256 * UNIT
"""Covers entries wrong by 8 units in the last place and the roundings of the formula."""


class SpreadStep:
    """`lower`, `upper`: (k, k) float64 with 0 <= lower <= upper, bounds of the rows."""

    def __init__(self, lower: FloatArray, upper: FloatArray) -> None:
        self.size = len(lower)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # Never -0: what is divided by it must be inf, not -inf.
            odds = upper[:, None, :] / (lower + 0.0)[None, :, :]
        odds[np.broadcast_to((upper == 0)[:, None, :], odds.shape)] = 0.0
        self._odds = odds  # (s, s', u): a(u) / b(u)
        count = self.size * self.size
        self._arc = np.zeros(count, np.intp)
        self._slope = np.zeros(count)

    def improve(self, gains: FloatArray) -> None:
        """Nothing to prepare: every step is a closed form."""

    def step(self, gains: FloatArray) -> FloatArray:
        """(k, k): upper bounds, ones on the diagonal."""
        size = self.size
        out = np.ones((size, size))
        root = np.sqrt(gains)
        for state in range(size):
            value, arc, slope = self._row(state, root)
            out[state] = value
            place = slice(state * size, (state + 1) * size)
            self._arc[place], self._slope[place] = arc, slope
        with np.errstate(over="ignore"):
            out = out * out * _MARGIN
        np.fill_diagonal(out, 1.0)
        return out

    def _row(self, state: int, p: FloatArray) -> tuple[FloatArray, IntArray, FloatArray]:
        """Roots of the bounds of one state against all, the arcs u k + v and the slopes."""
        size = self.size
        with np.errstate(invalid="ignore", over="ignore"):
            cross = self._odds[state][:, :, None] * self._odds[:, state][:, None, :]
            q = np.sqrt(np.where(cross > 1, cross, 1.0))
            value = (p * q + 1) / (p + q)
        value = np.where(np.isinf(q), p, np.where(np.isinf(p), q, value))
        np.maximum(value, 1.0, out=value)
        flat = value.reshape(size, -1)
        arc = flat.argmax(axis=1)
        best = flat[np.arange(size), arc]
        p, q = p.ravel()[arc], q.reshape(size, -1)[np.arange(size), arc]
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            slope = 0.5 * ((p * q - 1) / (p * q + 1) - (p - q) / (p + q))
        slope = np.where(np.isinf(q), 1.0, np.where(np.isfinite(slope), slope, 0.0))
        slope[(best <= 1) | (np.arange(size) == state)] = 0.0
        return best, arc, slope

    def slopes(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Of the last step: see `privet.chains.propagation.programme.Step`."""
        some = np.flatnonzero(self._slope)
        return some, self._arc[some], self._slope[some]
