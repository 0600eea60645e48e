"""What the law of a single node adds to an influence from its left, for each kind of start.

Contract. For states x, y that are both live at node i, `ratios` bounds P(X_i = y) / P(X_i = x) from
above for every node of a range at once:

- "stationary": the ratio of the stationary law, the same for all nodes;
- "any", every initial law of the transition matrix P: max over s of P^i(s, y) / P^i(s, x), which
  cannot rise with i, since a row of P^(i+1) is an average of rows of P^i: the first node decides;
- "given": the marginals themselves, node by node; and for all nodes from N on at once
  pi(y) / pi(x) * hi / lo, where [lo, hi] holds the ratios of the marginal of node N to the
  stationary law pi. Each ratio at the next node is an average of those at this one, so their
  largest cannot rise and their smallest cannot fall.

Upper bounds are off by a few unit roundoffs beyond the errors that `Enclosed` states.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt

from privet.chains import structure
from privet.chains.enclosed import (
    BoolArray,
    Enclosed,
    Powers,
    Reals,
    RealType,
    enclose,
    largest_ratios,
    nearest,
    stacked,
    times,
    unit_roundoff,
)
from privet.chains.markov import MarkovChain
from privet.chains.stochastic import StochasticMatrix
from privet.chains.supports import Supports
from privet.errors import ParameterError

Initial = Literal["given", "stationary", "any"]

INITIALS: tuple[str, ...] = get_args(Initial)

_MOST_RATIOS = 1 << 21
"""Ratios of marginals that are computed node by node where one enclosure would do as well."""

_CLOSE = 2.0**-43
"""A spread of marginals around the stationary law that is as good as none."""


class Marginals(Protocol):
    """One kind of start of one chain."""

    supports: Supports

    def ratios(self, nodes: range) -> Reals:
        """(k, k): entry (x, y) at or above P(X_i = y) / P(X_i = x) for all the nodes."""

    def key(self, nodes: range) -> object:
        """What decides `ratios`: equal keys, equal bounds."""

    def ranges(self, length: int) -> Iterator[range]:
        """Ranges of nodes to look at together, covering all nodes; the last ones first."""

    def error(self, nodes: range) -> float:
        """The relative error of `ratios`."""


def read_initial(initial: str) -> Initial:
    """One of the three kinds of start. Errors: ParameterError."""
    for kind in get_args(Initial):
        if kind == initial:
            return kind  # type: ignore[no-any-return]  # get_args forgets the type
    raise ParameterError(
        f"There is no kind of start '{initial}'."
        if isinstance(initial, str)
        else f"initial is a {type(initial).__name__}, not the name of a kind of start.",
        hint=f"initial is one of {', '.join(INITIALS)}.",
        parameter="initial",
    )


def marginals(
    chain: MarkovChain, initial: Initial, powers: Powers, kind: RealType, length: int
) -> Marginals:
    """A start, for series of that length. Errors: ModelError if no single law is stationary."""
    if initial == "stationary":
        return StationaryMarginals(chain, kind)
    if initial == "any":
        return AnyMarginals(chain, powers)
    return GivenMarginals(chain, powers, kind, length)


class StationaryMarginals:
    """Every node has the stationary law."""

    def __init__(self, chain: MarkovChain, kind: RealType) -> None:
        self._law = stationary_enclosure(chain, kind)
        self.supports = Supports(self._law.support[0], chain.support())

    @cached_property
    def _ratios(self) -> Reals:
        return _pairwise(self._law)

    def ratios(self, nodes: range) -> Reals:  # noqa: ARG002  # all nodes are alike
        """As the protocol says."""
        return self._ratios

    def key(self, nodes: range) -> object:  # noqa: ARG002  # all nodes are alike
        """As the protocol says."""
        return None

    def ranges(self, length: int) -> Iterator[range]:
        """All nodes at once."""
        yield range(length)

    def error(self, nodes: range) -> float:  # noqa: ARG002  # all nodes are alike
        """As the protocol says."""
        return 2 * self._law.relative


class AnyMarginals:
    """Every initial law of the transition matrix."""

    def __init__(self, chain: MarkovChain, powers: Powers) -> None:
        self._powers = powers
        self.supports = Supports(np.ones(len(chain.alphabet), bool), chain.support())

    def ratios(self, nodes: range) -> Reals:
        """As the protocol says."""
        power = self._powers(nodes.start)
        lower = power.lower()
        # A start from which x cannot happen and y can: the ratio has no bound.
        return largest_ratios(power.upper(), lower, lower == 0).T

    def key(self, nodes: range) -> object:
        """As the protocol says."""
        return nodes.start

    def ranges(self, length: int) -> Iterator[range]:
        """[0], [1], [2, 4), [4, 8), ..., the last one first."""
        cuts = [0, *_doubling(1, length), length]
        yield from _between(cuts, 1)

    def error(self, nodes: range) -> float:
        """As the protocol says."""
        return 2 * self._powers(nodes.start).relative


class GivenMarginals:
    """The chain's own initial law."""

    def __init__(self, chain: MarkovChain, powers: Powers, kind: RealType, length: int) -> None:
        self._chain, self._powers, self._kind, self._length = chain, powers, kind, length
        self._start = enclose(chain._first, kind)
        self.supports = Supports(self._start.support[0], chain.support())

    def at(self, nodes: range) -> Enclosed:
        """(n, k): the marginals of the nodes."""
        rows = times(self._start, self._powers(nodes.start))
        step = self._powers(nodes.step)
        while len(rows.value) < len(nodes):
            size = len(rows.value)
            more = times(rows, step)
            rows = stacked(rows, more.rows(0, len(nodes) - size))
            step = times(step, step)
        return rows

    def ratios(self, nodes: range) -> Reals:
        """As the protocol says."""
        if nodes.start < self.supports.settled or self._limit is None:
            return _pairwise(self.at(nodes))
        start = min(nodes.start, self._rest)
        tail = _pairwise(self._limit) * self._spread(start)
        if start == self._rest or len(nodes) * len(tail) ** 2 > _MOST_RATIOS:
            return tail
        return np.minimum(tail, _pairwise(self.at(nodes)))

    def key(self, nodes: range) -> object:
        """As the protocol says."""
        return None if nodes.start >= self._rest else nodes

    def ranges(self, length: int) -> Iterator[range]:
        """Nodes of equal live sets together, cut where the marginals have come to rest."""
        settled, period = self.supports.settled, self.supports.period
        if settled < length:
            until = min(self._rest, length)
            early = [settled + steps * period for steps in _doubling(1, until)]
            cuts = [settled, *(cut for cut in early if cut < until), until, length]
            for phase in range(period):
                for part in _between([*(cut + phase for cut in cuts[:-1]), length], period):
                    if part:
                        yield part
        yield from _between(sorted({min(cut, length) for cut in (0, 1, settled)}), 1)

    def error(self, nodes: range) -> float:
        """As the protocol says."""
        start = min(nodes.start, self._rest)
        return 2 * self._powers(start).relative + 8 * unit_roundoff(self._kind)

    @cached_property
    def _rest(self) -> int:
        """The node from which on the marginals are as good as at rest; beyond the end if none."""
        if self._limit is not None:
            settled, period = self.supports.settled, self.supports.period
            for steps in _doubling(1, self._length):
                node = settled + steps * period
                # What the errors of the powers alone make of the spread cannot be waited for.
                noise = 8 * self._powers(node).relative
                if node < self._length and self._spread(node) - 1 <= max(_CLOSE, noise):
                    return node
        return self._length

    @cached_property
    def _limit(self) -> Enclosed | None:
        """The stationary law where all mass ends up in one closed class; None otherwise.

        Once the live sets repeat they are whole cyclic classes, so all that leads to a live state
        is live: that is what makes the ratios at the next node averages of those at this one.
        """
        if not self.supports.is_exact:
            return None
        settled, period = self.supports.settled, self.supports.period
        live = self.supports.array(self.supports.union(range(settled, settled + period)))
        states = np.flatnonzero(live)
        inside = self._chain.support()[np.ix_(states, states)]
        if not structure.reachability(inside).all():
            return None
        return stationary_enclosure(self._chain, self._kind, live)

    def _spread(self, node: int) -> np.floating[Any]:
        """hi / lo at a node, rounded up."""
        assert self._limit is not None
        here, limit = self.at(range(node, node + 1)), self._limit
        live = here.support[0]
        upper, lower = limit.upper()[0, live], limit.lower()[0, live]
        least = here.lower()[0, live]
        if not least.all() or not lower.all():
            return self._kind(np.inf)
        high, low = (here.upper()[0, live] / lower).max(), (least / upper).min()
        slack = self._kind(1) + self._kind(8 * unit_roundoff(self._kind))
        spread: np.floating[Any] = high / low * slack
        return spread


def _pairwise(law: Enclosed) -> Reals:
    """(k, k): entry (x, y) = max over the rows in which both are live of P(y) / P(x)."""
    lower = law.lower()
    return largest_ratios(law.upper(), lower, law.support & (lower == 0)).T


def _doubling(first: int, stop: int) -> Iterator[int]:
    while first < stop:
        yield first
        first *= 2


def _between(cuts: list[int], step: int) -> Iterator[range]:
    """The ranges between successive cuts, the last one first; a cut moves the phase along."""
    for start, stop in reversed([*pairwise(cuts)]):
        if start < stop:
            yield range(start, stop, step)


def stationary_enclosure(
    chain: MarkovChain, kind: RealType, states: BoolArray | None = None
) -> Enclosed:
    """(1, k): the stationary law, of the closed class `states` if the chain has several."""
    live = np.ones(len(chain.alphabet), bool) if states is None else states
    where = np.flatnonzero(live)
    law = stationary_balls(chain, where.tolist())
    value, support = np.zeros((1, len(live)), kind), np.zeros((1, len(live)), bool)
    for state, (low, high) in zip(where.tolist(), law, strict=True):
        value[0, state], support[0, state] = nearest((low + high) / 2, kind), high > 0
    # The balls are narrower than 2^-100 of the entries, and `nearest` is off by 2 u.
    return Enclosed(value, 4 * unit_roundoff(kind), np.finfo(kind).tiny, support)


def stationary_balls(
    chain: MarkovChain, states: list[int], accuracy: int = 100
) -> list[tuple[Fraction, Fraction]]:
    """Lower and upper bounds of the stationary law on a closed set, narrower than 2^-accuracy.

    Errors: ModelError if there are several stationary laws on it.
    """
    from flint import arb, ctx

    from privet.exact.enclosure import endpoints

    place = np.ix_(states, states)
    bits = accuracy + 64
    while True:
        with ctx.workprec(bits):
            law = structure.stationary_law(
                balls(chain._steps)[place],
                chain.support()[place],
                [chain.states[state] for state in states],
            )
            # A state that is left for good has a plain 0, one that is never left a plain 1.
            if all(
                not isinstance(p, arb) or p.rel_accuracy_bits() >= accuracy for p in law.tolist()
            ):
                return [
                    endpoints(p) if isinstance(p, arb) else (Fraction(p), Fraction(p))
                    for p in law.tolist()
                ]
        bits *= 2


def balls(matrix: StochasticMatrix) -> npt.NDArray[Any]:
    """The exact entries as balls of FLINT's working precision, plain 0 where they are 0."""
    from flint import arb, fmpq

    table = np.zeros(matrix.floats.shape, object)
    for i, row in enumerate(matrix.floats.tolist()):
        if matrix.given is None:
            total = sum((arb(entry) for entry in row), arb(0))
            entries = [arb(entry) / total for entry in row]
        else:
            entries = [arb(fmpq(p.numerator, p.denominator)) for p in matrix.given[i]]
        for j, entry in enumerate(row):
            if entry:
                table[i, j] = entries[j]
    return table
