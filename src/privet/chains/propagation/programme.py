"""One step of propagation: the linear programme of every pair of states, certified by its dual.

Contract. `LinearStep(kernel).step(gains)` is at or above, entry by entry and rounding included,
phi(s, s') = max of (A_s.g)/(A_s'.g) over g > 0 with g(t) <= C(t, t') g(t'), where A is any kernel
whose entries the given doubles approximate within `ENTRY_ERROR` and C any gains at or below the
given ones. It is monotone in neither argument as computed; the true phi is, in C. See PROOF.md.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from privet.chains.propagation.forests import BoolArray, Forests, IntArray, Plans, gains_of
from privet.chains.stochastic import FloatArray

UNIT = 2.0**-53
ENTRY_ERROR = 8 * UNIT
"""Relative error that doubles of kernel entries may have; exact zeros are zeros."""


def margin(size: int) -> float:
    """The factor 1 + (4k + 96) 2^-53 that covers every rounding of one step over k states."""
    return 1 + (4 * size + 96) * UNIT


class Step(Protocol):
    """A certified map from gains (k, k), ones on the diagonal, to upper bounds of phi (k, k)."""

    def improve(self, gains: FloatArray) -> None:
        """Prepares for gains like these: the next steps will be nearer to the least bound."""

    def step(self, gains: FloatArray) -> FloatArray:
        """(k, k): upper bounds of phi, ones on the diagonal, inf where none is known."""

    def slopes(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Of the last step: d log phi(pair) / d log C(arc), as pairs s k + s', arcs and values."""


class LinearStep:
    """The step of a kernel (k, k) float64 >= 0: row s is the law of the next node given s."""

    def __init__(self, kernel: FloatArray) -> None:
        self.size = len(kernel)
        self._rows, self._others = np.nonzero(~np.eye(self.size, dtype=bool))
        self._pairs = self._rows * self.size + self._others
        first, second = self._read(kernel)
        self._forests = Forests(first, second)

    def copies(self, count: int) -> "LinearStep":
        """A step that takes `count` gains (count, k, k) at once and gives as many bounds."""
        many = LinearStep.__new__(LinearStep)
        many.size, many._rows, many._others = self.size, self._rows, self._others
        many._pairs = (np.arange(count)[:, None] * self.size**2 + self._pairs).ravel()
        many._first, many._second = (
            np.tile(rows, (count, 1)) for rows in (self._first, self._second)
        )
        many._ratio, many._weight, many._usable = (
            np.tile(each, count) for each in (self._ratio, self._weight, self._usable)
        )
        many._forests = self._forests.copies(count)
        return many

    def set_kernel(self, kernel: FloatArray) -> None:
        """Another kernel over the same states; what was learnt about plans is kept."""
        self._forests.set_rows(*self._read(kernel))

    def _read(self, kernel: FloatArray) -> tuple[FloatArray, FloatArray]:
        first, second = kernel[self._rows], kernel[self._others]
        # A row of zeros belongs to a state that cannot occur; any law will do for it.
        dead = (first.sum(axis=1) == 0) | (second.sum(axis=1) == 0)
        first[dead], second[dead] = 1.0, 1.0
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            self._ratio = np.where(first > 0, first / second, 0.0).max(axis=1)
        self._weight = first.sum(axis=1) / second.sum(axis=1)
        self._usable = ~dead
        self._first, self._second = first, second
        return first, second

    def improve(self, gains: FloatArray) -> None:
        """See `Step`."""
        self._forests.improve(gains)

    def step(self, gains: FloatArray) -> FloatArray:
        """See `Step`."""
        plans = self._forests.plans(gains)
        self._last = plans
        group = np.arange(len(self._pairs)) // (self.size * (self.size - 1))
        bound = certified(self._first, self._second, gains, plans, group)
        # Two plans that need no search: nothing is moved, and everything is moved everywhere.
        bound = np.fmin(bound, self._ratio)
        most = np.broadcast_to(gains.max(axis=(-2, -1)), (gains.size // self.size**2,))
        bound = np.fmin(bound, self._weight * most[group]) * margin(self.size)
        out = np.ones(gains.size)
        out[self._pairs] = np.where(self._usable, bound, 1.0)
        return out.reshape(gains.shape)

    def slopes(self) -> tuple[IntArray, IntArray, FloatArray]:
        """See `Step`."""
        plans = self._last
        some = plans.share > 0
        pairs, _ = np.nonzero(some)
        arcs = plans.source[some] * self.size + plans.target[some]
        return self._pairs[pairs], arcs, plans.share[some]


def certified(
    first: FloatArray,
    second: FloatArray,
    gains: FloatArray,
    plans: Plans,
    group: IntArray | None = None,
) -> FloatArray:
    """(n,): a bound of phi that the plan proves, whatever it is, up to the factor `margin`.

    `group`: (n,), which of the gains are a pair's if there are several.
    The plan K has `amount` on its arcs and what is left of a row of `first` on the diagonal. Its
    rows sum to at least those of `first`; then phi is at most the largest column sum of K C over
    `second`. Where `second` is 0 nothing may stay or arrive: arcs into such a state are dropped,
    and if rounding keeps the arcs out of it from carrying all, the whole plan is scaled up.
    """
    own = np.zeros(len(first), np.intp) if group is None else group
    gain = gains_of(gains, own, plans.source, plans.target)
    usable = (np.take_along_axis(second, plans.target, 1) > 0) & np.isfinite(gain)
    table = _Table(first, second, plans.source, plans.target, np.where(usable, gain, 0.0))
    amount = np.where(usable, plans.amount, 0.0)
    bound = table.bound(amount)
    poor = ~(bound <= plans.value * (1 + _POLISH))
    if poor.any():
        table, amount, value = table.of(poor), amount[poor], plans.value[poor]
        better = bound[poor]
        for _ in range(3):
            amount = table.polished(amount, value)
            better = np.fmin(better, table.bound(amount))
        bound[poor] = better
    return bound


_POLISH = 2.0**-42
"""Plans that prove a bound this much above the value of their forest are worth some repair."""


@dataclass(frozen=True)
class _Table:
    """Arcs of n plans over k states, (n, k) each."""

    first: FloatArray
    second: FloatArray
    source: IntArray
    target: IntArray
    gain: FloatArray

    def of(self, pairs: BoolArray) -> "_Table":
        return _Table(
            self.first[pairs],
            self.second[pairs],
            self.source[pairs],
            self.target[pairs],
            self.gain[pairs],
        )

    def sums(self, ends: IntArray, values: FloatArray) -> FloatArray:
        """(n, k): the values of the arcs at each of these ends."""
        count, size = self.first.shape
        place = ends + (np.arange(count) * size)[:, None]
        total = np.bincount(place.ravel(), values.ravel(), count * size)
        return np.asarray(total.reshape(count, size))

    def rest(self, out: FloatArray) -> FloatArray:
        """(n, k): what stays of each row: a shade too little, which `margin` makes good.

        A likely state may have to give nearly everything away: the difference would keep too few
        digits, and rounding it down costs less than letting it be too large.
        """
        shade = 1 - (self.first.shape[1] + 8) * UNIT
        return np.asarray(np.maximum(self.first * shade - out, 0.0))

    def bound(self, amount: FloatArray) -> FloatArray:
        out = self.sums(self.source, amount)
        column = self.rest(out) + self.sums(self.target, amount * self.gain)
        closed = (self.second == 0) & (self.first > 0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            load = np.where(self.second > 0, column / self.second, 0.0).max(axis=1)
            scale = np.where(closed, self.first / out, 1.0).max(axis=1)
            return np.asarray(np.maximum(scale, 1.0) * load)

    def polished(self, amount: FloatArray, value: FloatArray) -> FloatArray:
        """The amounts with states of tiny probability put right at the cost of likelier ones.

        Flows are differences of larger ones; what rounding leaves of them can be much at a state
        that has next to nothing to give or room to take.
        """
        room = value[:, None] * self.second
        for ends, part in ((self.target, self.gain * amount), (self.source, amount)):
            out = self.sums(self.source, amount)
            if ends is self.target:
                total, wanted = self.sums(ends, part), room - self.rest(out)
                with np.errstate(divide="ignore", invalid="ignore"):
                    excess = (total > 0) & (total > wanted)
                    factor = np.where(excess, np.maximum(wanted, 0.0) / total, 1.0)
            else:
                wanted = self.first - room
                with np.errstate(divide="ignore", invalid="ignore"):
                    factor = np.where((out > 0) & (out < wanted), wanted / out, 1.0)
            amount = amount * np.take_along_axis(factor, ends, 1)
        return np.asarray(amount)
