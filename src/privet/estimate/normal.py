"""Normal intervals: the shares that the estimate does not reject, each by its own variance.

Contract. The interval of a cell holds every share x in [0, 1] that neither one-sided test at half
the level rejects. A test compares the estimate with x by the standard error that the estimate would
have IF THE SHARE WERE x [wilson-1927], never by an estimated one: a cell that no row shows has no
estimated sampling error, and its interval would end at 0 (Wald's). With S_c the squared weights of
the rows of the cell and S_o those of all others,

    variance(x) = S_c(x) (v_c + (1 - x)^2) + S_o(x) (v_o + x^2),

v the mechanism's variance per row, and the squares there with sampling only. As x moves away from
the projected share, the mass that shrinks keeps its squared weight per mass, and mass that would
have to be there unseen is taken to lie in rows of the largest weight. Equal weights need neither:
S_c(x) = x/n.

Besides, the estimate is a sum of independent terms, each within known bounds, so its third
cumulant is at most the largest term times its variance. That bounds the skewness term of the
Cornish-Fisher expansion, (z^2 - 1)^+ / 6 times the largest term; half of the most that one row can
move the estimate is a correction for continuity. Both vanish against the standard error as rows are
added.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.estimate.channel import FloatArray
from privet.estimate.moments import Moments, mechanism_variances

BoolArray = npt.NDArray[np.bool_]
Three = tuple[FloatArray, FloatArray, FloatArray]

_STEPS = 64
"""Steps of the search at most; it stops once all ends are known to `_FINE`."""

_FINE = 2.0**-44
"""How far outwards the search may leave an end."""

_BLOCK = 1 << 13
"""Cells at a time, so that the search stays in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """What each cell's estimate would be like under any share; arrays are (cells,) float64.

    `estimate`: the unbiased share, `share`: the projected one; `inside`, `outside`: S_c and S_o
    there, `inside_variance`, `outside_variance`: v_c and v_o; `low`, `high`: the smallest and
    largest entry of the inverse's column; `heaviest`: the largest row's part of all weight.
    """

    estimate: FloatArray
    share: FloatArray
    inside: FloatArray
    outside: FloatArray
    inside_variance: FloatArray
    outside_variance: FloatArray
    low: FloatArray
    high: FloatArray
    heaviest: float
    sampling: bool

    @classmethod
    def of(cls, moments: Moments) -> "Hypotheses":
        """Read from the moments of a tally."""
        tally, channels = moments.tally, moments.channels
        heaviest = tally.largest / tally.total
        inside = moments.composition
        outside = np.maximum(tally.concentration - inside, 0.0)
        own = moments.own_variances
        # The others' variance per row as estimated, and as if one more row were spread over them
        # all: there may be none.
        seen = np.maximum(mechanism_variances(inside, channels) - inside * own, 0.0)
        spread = mechanism_variances(np.ones_like(inside), channels) - own
        one = heaviest**2
        others = (seen + one * np.maximum(spread, 0.0) / (inside.size - 1)) / (outside + one)
        low, high = moments.extremes
        return cls(
            estimate=moments.shares.ravel(),
            share=moments.projected.ravel(),
            inside=inside.ravel(),
            outside=outside.ravel(),
            inside_variance=own.ravel(),
            outside_variance=others.ravel(),
            low=low.ravel(),
            high=high.ravel(),
            heaviest=heaviest,
            sampling=moments.variance == "sampling",
        )

    def part(self, where: slice) -> "Hypotheses":
        """The same of some cells."""
        values: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        arrays = {name: x[where] for name, x in values.items() if isinstance(x, np.ndarray)}
        return Hypotheses(**{**values, **arrays})

    def variance(self, x: FloatArray) -> FloatArray:
        """The variance of each cell's estimate if its share were `x` in [0, 1]."""
        within = _squares(x, self.share, self.inside, self.heaviest)
        beyond = _squares(1 - x, 1 - self.share, self.outside, self.heaviest)
        drawn = float(self.sampling)
        return np.asarray(
            within * (self.inside_variance + drawn * (1 - x) ** 2)
            + beyond * (self.outside_variance + drawn * x**2)
        )

    def excess(self, x: FloatArray, z: FloatArray, above: BoolArray) -> FloatArray:
        """How much too far above (below) the estimate `x` lies: positive if it is rejected.

        (ends, cells) for (ends, cells) `x`; `z` and `above` are (ends, 1).
        """
        # One term less its mean lies within [low - x, high - x] with sampling; without, its mean is
        # 1 in the cell and 0 elsewhere.
        up, down = (x, x) if self.sampling else (np.ones_like(x), np.zeros_like(x))
        longest = np.where(above, up - self.low, self.high - down)
        skewness = np.maximum(z * z - 1, 0.0) / 6 * longest
        reach = z * np.sqrt(self.variance(x))
        reach += self.heaviest * (skewness + (self.high - self.low) / 2)
        distance = x - self.estimate
        return np.asarray(np.where(above, distance, -distance) - reach)


def normal_intervals(moments: Moments, errors: Sequence[float]) -> list[FloatArray]:
    """(..., 2) float64 in [0, 1] each: the intervals of the cells at confidence 1 - each error.

    A cell whose estimate lies so far outside [0, 1] that even the nearest end of [0, 1] is rejected
    gets that end alone.
    """
    hypotheses = Hypotheses.of(moments)
    z = np.repeat([-NormalDist().inv_cdf(error / 2) for error in errors], 2)[:, None]
    above = np.tile([False, True], len(errors))[:, None]
    found = np.empty((len(z), hypotheses.estimate.size))
    for start in range(0, found.shape[1], _BLOCK):
        where = slice(start, start + _BLOCK)
        found[:, where] = _search(hypotheses.part(where), z, above)
    ends = found.reshape(len(errors), 2, *moments.shares.shape)
    return [np.ascontiguousarray(np.moveaxis(pair, 0, -1)) for pair in ends]


def _search(hypotheses: Hypotheses, z: FloatArray, above: BoolArray) -> FloatArray:
    """Where the tests begin to reject, from the estimate up to 1 (above) or down to 0.

    Inverse quadratic interpolation where it is safe, halving elsewhere (Chandrupatla's rule), all
    ends in step. `near` and `far` always lie on different sides of what is looked for.
    """
    shape = (len(z), hypotheses.estimate.size)
    near = start = np.broadcast_to(hypotheses.estimate.clip(0.0, 1.0), shape)
    far = last = np.broadcast_to(above.astype(np.float64), shape)
    at_near = first = hypotheses.excess(near, z, above)
    at_far = final = hypotheses.excess(far, z, above)
    wanted = (first <= 0) & (final > 0)
    part = np.full(shape, 0.5)
    for _ in range(_STEPS):
        gap = far - near
        if not (wanted & (abs(gap) > _FINE)).any():
            break
        x = near + part * gap
        value = hypotheses.excess(x, z, above)
        same = (value > 0) == (at_near > 0)
        old, at_old = np.where(same, near, far), np.where(same, at_near, at_far)
        far, at_far = np.where(same, far, near), np.where(same, at_far, at_near)
        near, at_near = x, value
        part = _interpolated((near, far, old), (at_near, at_far, at_old))
    outer = np.where(at_near > 0, near, far)
    return np.asarray(np.where(final <= 0, last, np.where(first > 0, start, outer)))


def _interpolated(points: Three, values: Three) -> FloatArray:
    """The part of the way from the first point to the second to go next; the third came before."""
    (a, b, c), (at_a, at_b, at_c) = points, values
    # Divisions by 0 belong to cells that are halved or done.
    with np.errstate(all="ignore"):
        xi, phi = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
        safe = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi)
        quadratic = at_a / (at_b - at_a) * at_c / (at_b - at_c)
        quadratic += (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
        smallest = np.minimum(_FINE / 2 / abs(b - a), 0.5)
        part = np.where(safe & np.isfinite(quadratic), quadratic, 0.5)
        return np.asarray(np.where(smallest < 0.5, part.clip(smallest, 1 - smallest), 0.5))


def _squares(x: FloatArray, share: FloatArray, squares: FloatArray, heaviest: float) -> FloatArray:
    """Squared weight of mass `x` of which mass `share` with `squares` was seen."""
    kept = np.divide(x, share, out=np.zeros_like(x), where=share > 0)
    return np.asarray(squares * np.minimum(kept, 1.0) + heaviest * np.maximum(x - share, 0.0))
