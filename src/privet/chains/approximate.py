"""The approximate bound of max-influence: from the stationary law and an eigengap alone.

Contract. For irreducible and aperiodic chains and any start (Lemma II.3 of [song-chaudhuri-2017]):
with pi_min the smallest stationary probability, g the eigengap, and
D_t = exp(-g t / 2) / pi_min < 1, a quilt's right part at distance t has an influence of at most
log((1 + D_t) / (1 - D_t)), and its left part of at most twice that. g is 1 minus the second
eigenvalue of P P*, counted with multiplicity, P* the time reversal; or for a reversible chain twice
1 - |second eigenvalue of P|, which is never smaller. Both are found in floats and then PROVED, as
lower bounds: a symmetric matrix is shown to be positive definite in ball arithmetic.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.chains import structure
from privet.chains.marginals import balls, stationary_balls
from privet.chains.markov import MarkovChain
from privet.chains.sides import ScalarSides
from privet.errors import ModelError
from privet.exact import float_up

_SLACKS = [10.0**-digits for digits in (13, 12, 11, 10, 8, 6, 4, 2, 1)]
"""Shares of a float's gap that are given up until the rest can be proved."""

_PRECISIONS = (192, 768)


@dataclass(frozen=True)
class Mixing:
    """Lower bounds of the smallest stationary probability and of the eigengap g."""

    smallest: Fraction
    gap: Fraction
    is_reversible: bool


def mixing(chain: MarkovChain) -> Mixing:
    """What the lemma needs. Errors: ModelError naming the condition that the chain fails."""
    _check_primitive(chain)
    law = stationary_balls(chain, [*range(len(chain.alphabet))])
    smallest = min(low for low, _ in law)
    if is_reversible(chain):
        return Mixing(smallest, 2 * _proved_gap(chain, law, reversible=True), True)
    if not _is_connected(chain.support()):
        raise ModelError(
            "The approximate method does not apply: the chain followed by its time reversal falls "
            "into parts that never mix, so its eigengap is 0.",
            hint="Use the exact method.",
        )
    return Mixing(smallest, _proved_gap(chain, law, reversible=False), False)


def approximate_sides(chains: Sequence[MarkovChain], length: int) -> ScalarSides:
    """The lemma's bounds with one pi_min and one g for all the chains, for the search of quilts.

    Errors: ModelError naming the condition that a chain fails.
    """
    found = [mixing(chain) for chain in chains]
    smallest, gap = min(each.smallest for each in found), min(each.gap for each in found)
    return ScalarSides(
        length,
        lambda distance: approximate_influence(smallest, gap, distance, 2),
        lambda distance: approximate_influence(smallest, gap, distance, 1),
    )


def approximate_influence(smallest: Fraction, gap: Fraction, distance: int, times: int) -> float:
    """times * log((1 + D) / (1 - D)) at that distance, rounded up; infinite unless D < 1."""
    from flint import arb, ctx

    from privet.exact.enclosure import ball, endpoints

    with ctx.workprec(128):
        share = (-ball(gap) * distance / 2).exp() / ball(smallest)
        if not share < 1:
            return math.inf
        value: arb = times * ((1 + share).log() - (1 - share).log())
        return float_up(endpoints(value)[1])


def is_reversible(chain: MarkovChain) -> bool:
    """Whether pi(x) P(x, y) = pi(y) P(y, x) for an irreducible chain, exactly.

    Weights in that proportion are carried along a spanning tree of the steps and then compared on
    all steps, so the stationary law is not needed.
    """
    support = chain.support()
    if not np.array_equal(support, support.T):
        return False
    table = structure.rationals(chain.exact_transition)
    weights: dict[int, Any] = {0: table[0, 0] ** 0 if table[0, 0] else table[0, 0] + 1}
    order = [0]
    for x in order:
        for y in np.flatnonzero(support[x]).tolist():
            if y not in weights:
                weights[y] = weights[x] * table[x, y] / table[y, x]
                order.append(y)
    return all(
        weights[x] * table[x, y] == weights[y] * table[y, x]
        for x, y in np.argwhere(support).tolist()
        if x < y
    )


def _check_primitive(chain: MarkovChain) -> None:
    support = chain.support()
    if not structure.reachability(support).all():
        raise ModelError(
            "The approximate method needs an irreducible chain, and this one is reducible: some "
            "state cannot be reached from every other.",
            hint="Use the exact method.",
        )
    if structure.mixing_steps(support) is None:
        raise ModelError(
            "The approximate method needs an aperiodic chain, and this one is periodic.",
            hint="Use the exact method.",
        )


def _is_connected(support: npt.NDArray[np.bool_]) -> bool:
    """Whether P P* is irreducible: two states are linked if they can step to a common one."""
    linked = (support.astype(np.float32) @ support.T.astype(np.float32)) > 0
    return bool(structure.reachability(linked).all())


def _proved_gap(
    chain: MarkovChain, law: list[tuple[Fraction, Fraction]], reversible: bool
) -> Fraction:
    """A lower bound of 1 - |second eigenvalue|, of P if reversible, else of P P*."""
    guess = 1 - _second_eigenvalue(chain, law, reversible)
    for slack in _SLACKS:
        gap = Fraction(guess) * (1 - Fraction(slack)) if guess > 0 else Fraction(0)
        if gap > 0 and any(
            _is_proved(chain, law, 1 - gap, reversible, precision) for precision in _PRECISIONS
        ):
            return gap
    raise ModelError(
        "The approximate method does not apply: the chain mixes so slowly that its eigengap cannot "
        "be told from 0.",
        hint="Use the exact method.",
    )


def _second_eigenvalue(
    chain: MarkovChain, law: list[tuple[Fraction, Fraction]], reversible: bool
) -> float:
    """In floats, without a claim: the largest modulus once the eigenvalue 1 is taken out."""
    root = np.sqrt(np.array([float(low) for low, _ in law]))
    with np.errstate(all="ignore"):
        similar = root[:, None] * chain.transition / root
        square = (similar + similar.T) / 2 if reversible else similar @ similar.T
        square = square - np.outer(root, root)
    if not np.isfinite(square).all():
        return 1.0
    return float(np.abs(np.linalg.eigvalsh(square)).max())


def _is_proved(
    chain: MarkovChain,
    law: list[tuple[Fraction, Fraction]],
    bound: Fraction,
    reversible: bool,
    precision: int,
) -> bool:
    """Whether all eigenvalues but the first are certainly below `bound` in modulus.

    With D = diag(pi), D P (reversible) and D P D^-1 P' D are symmetric and congruent to D^(1/2)
    times the matrices similar to P and P P* times D^(1/2). Taking away pi pi' moves the eigenvalue
    1 to 0. So the claim is that bound D minus the rest, and for P also bound D plus it, is positive
    definite.
    """
    from flint import ctx

    from privet.exact.enclosure import ball

    with ctx.workprec(precision):
        pi = np.array([_between(low, high) for low, high in law], object)
        steps = balls(chain._steps)
        flow = pi[:, None] * steps
        rest = flow if reversible else (flow / pi) @ flow.T
        rest = rest - np.outer(pi, pi)
        diagonal = np.diag(pi * ball(bound))
        signs = (1, -1) if reversible else (1,)
        return all(_is_positive_definite(diagonal - sign * rest) for sign in signs)


def _between(low: Fraction, high: Fraction) -> Any:
    """A ball that holds the interval."""
    from privet.exact.enclosure import ball

    return ball(low).union(ball(high))


def _is_positive_definite(matrix: npt.NDArray[Any]) -> bool:
    """Whether a symmetric matrix of balls certainly is: all pivots of elimination are positive."""
    work = matrix.copy()
    for first in range(len(work)):
        pivot = work[first, first]
        if not pivot > 0:
            return False
        column = work[first + 1 :, first]
        work[first + 1 :, first + 1 :] -= np.outer(column, column / pivot)
    return True
