"""The law of permute-and-flip by distance, in double precision: for plans, predictions and search.

Contract. Everything here is a float for people to read or for a search that something exact checks
afterwards; no draw and no stated epsilon comes from it. Words have n symbols over an alphabet of m,
q = e^-k is given by its logarithm -k.

With A(t) = sum over r >= 1 of Z_r t^r / r, Z_r = (1 + (m-1) q^r)^n, one word at distance l has
probability q^l Phi(l), Phi(l) = integral over (0,1) of e^-A(t) / (1 - q^l t). In the variable
s = Z_1 t the mass sits at s of order 1 whatever the size of Z_1, so

    psi(l) = Z_1 Phi(l) = integral over (0, Z_1) of (1 - t)/(1 - q^l t) e^-A_1(t) ds,  t = s/Z_1,

A_1 being A without the input word itself (its Z_r lowered by 1, which is where 1 - t comes from).
Then P(distance = l) = binomial(l; n, C/(1+C)) psi(l) with C = (m-1) q: permute-and-flip is the
exponential mechanism at rate k, tilted by psi, which falls from psi(0) to a constant.
"""

import functools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

_REACH = 60.0
"""A(t) >= s, so what lies beyond s = 60 weighs less than e^-60."""

_NEGLIGIBLE = 1e-19
_LONGEST_PRODUCT = 64


@dataclass(frozen=True)
class Quadrature:
    """Nodes `t` and `weights` (w,) such that psi(l) = sum of weights (1 - t)/(1 - q^l t)."""

    log_q: float
    t: FloatArray
    weights: FloatArray

    def psi(self, levels: FloatArray) -> FloatArray:
        """The value of psi at every entry of `levels`: same shape."""
        powers = np.exp(np.minimum(levels * self.log_q, 0.0))
        flat = np.full(levels.shape, float(self.weights @ (1.0 - self.t)))
        near = powers * self.t.max(initial=0.0) > _NEGLIGIBLE
        for part in np.array_split(np.flatnonzero(near), 1 + int(near.sum()) // 4096):
            ratio = (1.0 - self.t) / (1.0 - powers[part, None] * self.t)
            flat[part] = ratio @ self.weights
        return flat


def quadrature(length: int, size: int, log_q: float) -> Quadrature:
    """Gauss-Legendre nodes for psi on words of `length` symbols over an alphabet of `size`."""
    log_z = length * float(np.log1p((size - 1) * np.exp(log_q)))
    reach = float(np.exp(log_z)) if log_z < np.log(_REACH) else _REACH
    s, ds = _panels(reach)
    log_t = np.log(s) - log_z
    if length <= _LONGEST_PRODUCT:
        exponent = _product_exponent(length, size, log_q, log_t)
    else:
        exponent = _series_exponent(length, size, log_q, log_z, s)
    return Quadrature(log_q, np.exp(log_t), ds * np.exp(-exponent))


@functools.lru_cache(maxsize=1)
def _gauss(points: int = 24) -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(points)
    return (nodes + 1) / 2, weights / 2


def _panels(reach: float) -> tuple[FloatArray, FloatArray]:
    """Composite nodes on (0, reach), panels of width at most 4 (the integrand moves on scale 1)."""
    nodes, weights = _gauss()
    edges = np.linspace(0.0, reach, 2 + int(reach // 4))
    widths = np.diff(edges)
    return (
        (edges[:-1, None] + widths[:, None] * nodes).ravel(),
        (widths[:, None] * weights).ravel(),
    )


def _product_exponent(n: int, m: int, log_q: float, log_t: FloatArray) -> FloatArray:
    """A_1(t) = -sum over j >= 1 of M_j log(1 - q^j t), M_j = C(n,j)(m-1)^j, term by term."""
    total, log_count = np.zeros_like(log_t), 0.0
    for j in range(1, n + 1):
        log_count += np.log((n - j + 1) / j) + np.log(m - 1)
        log_x = j * log_q + log_t
        x = np.exp(log_x)
        # -log(1 - x) is x to first order: below the doubles' reach the logarithm is used directly.
        small = np.where(x > 1e-300, np.log(-np.log1p(-np.maximum(x, 1e-300))), log_x)
        total += np.exp(np.minimum(log_count + small, 700.0))
    return total


def _series_exponent(n: int, m: int, log_q: float, log_z: float, s: FloatArray) -> FloatArray:
    """A_1 as a power series in s; for n > 64 either q or s/Z_1 is small and it ends soon."""
    total, power, r = np.zeros_like(s), np.ones_like(s), 0
    while True:
        r += 1
        power = power * s
        log_ratio = n * float(np.log1p((m - 1) * np.exp(r * log_q))) - r * log_z
        term = (np.exp(log_ratio) - np.exp(-r * log_z)) / r * power
        total += term
        if float(term.max()) < _NEGLIGIBLE:
            return total
