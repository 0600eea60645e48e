"""The law of permute-and-flip by distance, in double precision: for plans, predictions and search.

Contract. Everything here is a float for people to read or for a search that something exact checks
afterwards; no draw and no stated epsilon comes from it. q = e^-k is given by its logarithm -k.

With M_l candidates at distance l (beyond the best), Z_r = sum of M_l q^(lr) and A(t) = sum over
r >= 1 of Z_r t^r / r, one candidate at distance l has probability q^l Phi(l), Phi(l) = integral
over (0,1) of e^-A(t) / (1 - q^l t). In the variable s = Z_1 t the mass sits at s of order 1
whatever the size of Z_1, so

    psi(l) = Z_1 Phi(l) = integral over (0, Z_1) of (1 - t)/(1 - q^l t) e^-A_1(t) ds,  t = s/Z_1,

A_1 being A without one best candidate (which is where 1 - t comes from). Then P(distance = l) =
(M_l q^l / Z_1) psi(l): permute-and-flip is the exponential mechanism at rate k, tilted by psi,
which falls from psi(0) to a constant.
"""

import functools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privet.mechanisms.word_permute_and_flip.spectrum import Spectrum

FloatArray = npt.NDArray[np.float64]

_REACH = 60.0
"""A(t) >= s, so what lies beyond s = 60 weighs less than e^-60."""

_NEGLIGIBLE = 1e-19


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


def quadrature(spectrum: Spectrum, log_q: float) -> Quadrature:
    """Gauss-Legendre nodes for psi of the candidates of `spectrum` at q = exp(log_q)."""
    log_z = spectrum.log_total(log_q)
    reach = float(np.exp(log_z)) if log_z < np.log(_REACH) else _REACH
    s, ds = _panels(reach)
    exponent = spectrum.float_exponent(log_q, log_z, s)
    return Quadrature(log_q, np.exp(np.log(s) - log_z), ds * np.exp(-exponent))


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
