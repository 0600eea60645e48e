"""Laws of single nodes, as doubles whose distance from the truth is known.

Contract. `Region` is what a chain can do from its start: the states that occur at some node, the
steps between them, and, if every one of them is visited for ever or not at all, an invariant law
that is positive on all of them. Everything is derived from the exact rationals of the chain in
ball arithmetic and is then right to the last place of a double.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from flint import arb, ctx, fmpq

from privet.chains import structure
from privet.chains.markov import MarkovChain
from privet.chains.propagation.forests import BoolArray, IntArray
from privet.chains.propagation.programme import UNIT
from privet.chains.stochastic import FloatArray

Initial = Literal["given", "stationary", "any"]

_BITS = 320


@dataclass(frozen=True)
class Region:
    """`states`: (k,) their numbers in the chain; `transition`: (k, k); `first`: (k,) or None.

    `first` is the law of the first node, None if it is any law or if it is `invariant`;
    `invariant`: (k,) positive and left as it is by a step, None if there is no such law;
    `reversal`: (k, k) P(before = u | now = s) under it. Entries are right within 2^-51.
    """

    states: IntArray
    transition: FloatArray
    first: FloatArray | None
    invariant: FloatArray | None
    reversal: FloatArray | None


def region_of(chain: MarkovChain, initial: Initial) -> Region:
    """The region of a chain. Errors: ModelError if "stationary" is asked for and not unique."""
    support, size = chain.support(), len(chain.alphabet)
    if initial == "stationary":
        with ctx.workprec(_BITS):
            law = structure.stationary_law(_balls(chain.exact_transition), support, chain.states)
        states = np.flatnonzero([value != 0 for value in law])
        return _with_law(chain, states, law[states], None)
    if initial == "any":
        return _with_law(chain, np.arange(size), _invariant(chain, np.arange(size)), None)
    begun = chain.initial > 0
    states = np.flatnonzero(structure.reachability(support)[begun].any(axis=0))
    if _is_invariant(chain):
        states = np.flatnonzero(begun)
        law = np.array([_ball(chain.exact_initial[s]) for s in states], object)
        return _with_law(chain, states, law, None)
    return _with_law(chain, states, _invariant(chain, states), chain.initial[states])


def _with_law(
    chain: MarkovChain, states: IntArray, law: Any | None, first: FloatArray | None
) -> Region:
    steps = np.ascontiguousarray(chain.transition[np.ix_(states, states)])
    if law is None:
        return Region(states, steps, first, None, None)
    exact = chain.exact_transition
    reversal = np.zeros(steps.shape)
    with ctx.workprec(_BITS):
        for now, before in zip(*np.nonzero(steps.T), strict=True):
            entry = _ball(exact[states[before]][states[now]])
            reversal[now, before] = float((law[before] * entry / law[now]).mid())
    invariant = np.array([float(value.mid()) for value in law])
    return Region(states, steps, first, invariant, reversal)


def _invariant(chain: MarkovChain, states: IntArray) -> Any | None:
    """(k,) balls: the laws of the closed classes in equal shares, if no state is left for good."""
    support = chain.support()[np.ix_(states, states)]
    classes = structure.closed_classes(support)
    if sum(map(len, classes)) < len(states):
        return None
    balls = _balls(chain.exact_transition)[np.ix_(states, states)]
    law = np.empty(len(states), object)
    with ctx.workprec(_BITS):
        for members in classes:
            part = np.ix_(members, members)
            names = [chain.states[states[member]] for member in members]
            law[members] = structure.stationary_law(balls[part], support[part], names)
            law[members] /= len(classes)
    return law


def _is_invariant(chain: MarkovChain) -> bool:
    """Whether a step leaves the given start exactly as it is."""
    if abs(chain.initial @ chain.transition - chain.initial).max() > 1e-12:
        return False
    rows = structure.rationals(chain.exact_transition)
    start = np.array([fmpq(x.numerator, x.denominator) for x in chain.exact_initial], object)
    return bool((start @ rows == start).all())


def _ball(value: Fraction) -> arb:
    with ctx.workprec(_BITS):
        return arb(fmpq(value.numerator, value.denominator))


def _balls(rows: Sequence[Sequence[Fraction]]) -> npt.NDArray[Any]:
    table = np.empty((len(rows), len(rows[0])), object)
    for i, row in enumerate(rows):
        table[i] = [_ball(entry) for entry in row]
    return table


@dataclass(frozen=True)
class NodeLaw:
    """What is known of the law of one node, whatever the start is among those possible.

    `law`: (r, k), one row for each extreme start, entries right within the factor 1 + `error`
    unless they are below `TINY`; `live`: (k,) states that occur there; `odds`: (k, k) upper bounds
    of rho(s) / rho(s'), rho being the law over the invariant one (inf where rho(s') may be 0).
    """

    law: FloatArray
    live: BoolArray
    error: float
    odds: FloatArray

    @property
    def mixed(self) -> bool:
        """Whether the invariant law is reached, as well as doubles show it."""
        return bool(self.odds.max() <= 1 + MIXED + 8 * self.error)


MIXED = 1e-10
TINY = 1e-290
"""Probabilities below this have too few digits as doubles: only their sign is used."""


class NodeLaws:
    """The laws of the nodes 0, 1, ... of a region, computed as far as they are asked for."""

    def __init__(self, region: Region, starts: FloatArray) -> None:
        """`starts`: (r, k), extreme laws of the first node, right within 2^-51."""
        self._region, self._law, self._live = region, starts, starts > 0
        self._support = (region.transition > 0).astype(np.float64)
        self._known: list[NodeLaw] = []

    def __getitem__(self, node: int) -> NodeLaw:
        while len(self._known) <= node:
            self._extend()
        return self._known[node]

    def _extend(self) -> None:
        # A product with the transition matrix adds at most (k + 16) 2^-53 to the relative error.
        error = 2 * (len(self._known) + 1) * (len(self._support) + 16) * UNIT
        law, live = self._law, self._live
        high = np.where(live, np.maximum(law, TINY), 0.0)
        low = np.where(law >= TINY, law, 0.0)
        if self._region.invariant is not None:
            # Where the invariant law is too small for a double, its ratio may be anything.
            known = self._region.invariant >= TINY
            share = np.where(known, self._region.invariant, 1.0)
            high = np.where(known, high / share, np.where(live, np.inf, 0.0))
            low = np.where(known, low / share, 0.0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            table = high[:, :, None] / low[:, None, :]
        table[np.isnan(table)] = 0.0
        odds = table.max(axis=0) * (1 + 3 * error)
        np.fill_diagonal(odds, 1.0)
        self._known.append(NodeLaw(law, np.asarray(live.any(axis=0)), error, odds))
        self._law = law @ self._region.transition
        self._live = live.astype(np.float64) @ self._support > 0
