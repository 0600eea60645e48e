"""Where propagation over a long stretch of constant loss ends up, without walking there.

Contract. The step is monotone, so any phi* with step(e^r phi*) <= phi*, checked with outward
rounding, bounds every later value of a walk that starts at or below it. Newton's method finds the
place; only the check counts. `ceiling` is a bound of phi that holds anyway (the losses beyond
added up): everything is cut there, so there is always an answer.
"""

import numpy as np

from privet.chains.propagation.forests import BoolArray, IntArray
from privet.chains.propagation.programme import Step
from privet.chains.stochastic import FloatArray

_SLACKS = tuple(2.0**-n for n in (40, 37, 34, 30, 26, 22, 18, 14, 10))
"""By how much more than the loss phi* is computed for, until the check holds."""

_ROUNDS = 30
_FAILURES = 2
"""After this many searches that did not settle the ceiling is taken."""

_STALLED = 1e-9
"""Residuals below this that no longer shrink are as near as doubles and plans get."""

_DENSE = 500
"""Up to this many pairs Newton's equations are solved directly."""

_VAST = 1e280
"""Newton's method looks no higher; what ends up near it is called infinite."""


def grown(phi: FloatArray, growth: float) -> FloatArray:
    """(k, k): e^loss phi off the diagonal and 1 on it; `growth` is at or above e^loss."""
    with np.errstate(over="ignore"):
        gains = phi * growth
    np.fill_diagonal(gains, 1.0)
    return gains


def advance(step: Step, growth: float, phi: FloatArray, ceiling: float) -> FloatArray:
    """(k, k): phi one node further, cut at the ceiling."""
    return np.minimum(step.step(grown(phi, growth)), ceiling)


def above(
    step: Step, growth: float, phi: FloatArray, ceiling: float, guess: FloatArray | None = None
) -> FloatArray:
    """(k, k): phi* at or above `phi` that no number of steps of that growth leaves upward.

    `guess`: where to start looking. The ceiling itself is the answer if nothing lower is found.
    """
    found = np.minimum(phi if guess is None else np.maximum(guess, phi), _VAST)
    failures = 0
    for slack in _SLACKS:
        found, settled = _newton(step, growth * (1 + slack), phi, ceiling, found, slack / 8)
        star = np.minimum(np.maximum(found * (1 + slack), phi), ceiling)
        star[found > _VAST / 1e20] = ceiling
        np.fill_diagonal(star, 1.0)
        for _ in range(2):
            if (advance(step, growth, star, ceiling) <= star).all():
                return star
            step.improve(grown(star, growth))
        failures += not settled
        if failures == _FAILURES:
            break
    return np.where(np.eye(len(phi), dtype=bool), 1.0, max(ceiling, float(phi.max())))


def _newton(
    step: Step,
    growth: float,
    floor: FloatArray,
    ceiling: float,
    phi: FloatArray,
    tolerance: float,
) -> tuple[FloatArray, bool]:
    """The least phi >= floor with phi >= step(growth phi), nearly; and whether it settled."""
    last, floor, ceiling = np.inf, np.minimum(floor, _VAST), min(ceiling, _VAST)
    for _ in range(_ROUNDS):
        gains = grown(phi, growth)
        step.improve(gains)
        raw = step.step(gains)
        phi, new = np.maximum(phi, floor), np.minimum(np.maximum(raw, floor), ceiling)
        miss = np.log(new / phi)
        size = float(abs(miss).max())
        if size <= tolerance or (size < _STALLED and size > last / 2):
            return new, True
        last = size
        free = (raw > floor) & (raw < ceiling)
        move = _solve(step.slopes(), miss.ravel(), free.ravel()).reshape(phi.shape)
        if not np.isfinite(move).all():
            return phi, False
        with np.errstate(over="ignore"):
            phi = np.clip(phi * np.exp(move), floor, ceiling)
    return phi, False


def settling(step: Step, growth: float, phi: FloatArray) -> float:
    """Steps in which the distance to the fixed point phi shrinks by e (a forecast, not a bound)."""
    step.step(grown(phi, growth))
    return float(_solve(step.slopes(), np.ones(phi.size), np.ones(phi.size, bool)).max())


def _solve(
    slopes: tuple[IntArray, IntArray, FloatArray], miss: FloatArray, free: BoolArray
) -> FloatArray:
    """x with x = miss + slopes x on the free pairs, x = miss elsewhere; nearly."""
    rows, columns, values = slopes
    # The slopes of a pair sum to at most 1; where they reach 1 for good, x is huge but finite.
    values = np.where(free[rows], values, 0.0) * (1 - 2.0**-40)
    if miss.size <= _DENSE:
        flat = np.bincount(rows * miss.size + columns, values, miss.size**2)
        matrix = np.eye(miss.size) - flat.reshape(miss.size, miss.size)
        return np.asarray(np.linalg.solve(matrix, miss))
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import LinearOperator, gmres

    sparse = csr_array((values, (rows, columns)), shape=(miss.size, miss.size))
    operator = LinearOperator(
        (miss.size, miss.size), matvec=lambda x: x - sparse @ x, dtype=np.float64
    )
    move, _ = gmres(operator, miss, rtol=1e-4, restart=60, maxiter=8)
    return np.asarray(move)
