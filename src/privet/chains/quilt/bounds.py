"""Noise scales and epsilons by Markov quilts: the worst node's best quilt.

Contract. For a chain, a kind of start and loads c(t) of the nodes (Lipschitz constants, or losses):

- scale at epsilon: max over nodes i of min over quilts with e < epsilon of S / (epsilon - e);
- epsilon of losses: max over nodes i of min over quilts of e + S,

e the max-influence of the quilt on node i, S the sum of the loads nearby. The first is the Markov
Quilt Mechanism [song-wang-chaudhuri-2017] where all constants are 1. The second holds for any
releases with these losses: given the quilt's nodes the far ones are independent of node i, so
replacing its value costs e once and the loads of the nodes nearby. Both are rounded up, by less
than 10^-9 of themselves for up to 64 states (beyond that by the rounding errors of doubles, about
5e-16 times the states times the distances of the quilt), and no node is skipped. A node with fewer
than two live states has no secret; it counts with influence 0, so a scale is never below the
largest constant over epsilon.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from privet.chains.approximate import approximate_sides
from privet.chains.box import ChainBox, box_sides
from privet.chains.enclosed import RealType
from privet.chains.family import ChainFamily
from privet.chains.marginals import Initial, read_initial
from privet.chains.markov import MarkovChain
from privet.chains.quilt.loads import Loads, Pieces
from privet.chains.quilt.objectives import LossObjective, Objective, ScaleObjective
from privet.chains.quilt.worst import Worst, worst_node
from privet.chains.sides import ChainSides, Sides, WorstSides
from privet.errors import ParameterError
from privet.exact import read_count, read_epsilon
from privet.exact.number import Number

Method = Literal["exact", "approximate"]

_SMALL = 12
"""States up to which long doubles cost nothing noticeable."""

_LARGE = 64
"""States beyond which long doubles take too long, and the errors of doubles are put up with."""

_LOOSE = 8e-10
"""A share of the answer due to rounding that calls for longer floats."""

_BITS = 96
"""Digits of a scale or an epsilon after the leading one."""


Maker = tuple[Callable[[RealType], Sides], Sequence[RealType]]
"""What makes the sides in a float type, and the types to try in turn."""


@dataclass(frozen=True)
class QuiltScale:
    """The scale, and why: the worst node and the distances of its best quilt.

    `left`, `right`: distances of the quilt's nodes, None for a part it does not have;
    `influence`: its max-influence, rounded up; `nearby`: the sum of the constants nearby, which is
    the number of nodes nearby where all are 1.
    """

    scale: Fraction
    node: int
    left: int | None
    right: int | None
    influence: float
    nearby: Fraction

    @property
    def is_group(self) -> bool:
        """Whether no quilt helps: every node counts as nearby, as in group privacy."""
        return self.left is None and self.right is None


@dataclass(frozen=True)
class QuiltBound:
    """The epsilon, and why: as QuiltScale, with the sum of the losses nearby."""

    epsilon: Fraction
    node: int
    left: int | None
    right: int | None
    influence: float
    nearby_loss: Fraction

    @property
    def is_group(self) -> bool:
        """Whether no quilt helps: the losses of all nodes count, as in group privacy."""
        return self.left is None and self.right is None


def quilt_scale(
    chain: MarkovChain | ChainBox,
    initial: Initial,
    length: int,
    epsilon: Number,
    method: Method = "exact",
) -> QuiltScale:
    """The Laplace scale of the Markov Quilt Mechanism for a query with Lipschitz constant 1.

    `method`: "exact" max-influence, or the "approximate" bound of Lemma II.3, which holds for any
    start. Errors: ModelError if the chain has no stationary law where one is needed, or fails a
    condition of the lemma.
    """
    size = read_count(length, "length")
    return quilt_scale_for(chain, initial, [(0, size, Fraction(1))], epsilon, method)


def quilt_scale_for(
    chain: MarkovChain | ChainBox,
    initial: Initial,
    constants: Pieces,
    epsilon: Number,
    method: Method = "exact",
) -> QuiltScale:
    """The smallest b, rounded up, for which losses constants / b cost at most epsilon by quilts."""
    loads, limit = Loads(constants), read_epsilon(epsilon)
    worst = _solve(
        _maker(chain, initial, loads.length, method), loads, ScaleObjective(limit, loads.unit)
    )
    return _scale(worst, loads)


def published_quilt_scale(family: ChainFamily, length: int, epsilon: Number) -> QuiltScale:
    """The scale with the largest influence over the family taken quilt by quilt, as published.

    Never below the largest `quilt_scale` of the family's chains.
    """
    loads, limit = Loads.constant(read_count(length, "length")), read_epsilon(epsilon)

    def make(kind: RealType) -> Sides:
        return WorstSides(
            [ChainSides(chain, family.initial, loads.length, kind) for chain in family.chains]
        )

    maker = make, _types(len(family.alphabet))
    return _scale(_solve(maker, loads, ScaleObjective(limit, loads.unit)), loads)


def approximate_quilt_scale(
    chains: Sequence[MarkovChain], length: int, epsilon: Number
) -> QuiltScale:
    """The scale by Lemma II.3 with one pi_min and one eigengap for all the chains, as published.

    Errors: ModelError naming the condition that a chain fails.
    """
    loads, limit = Loads.constant(read_count(length, "length")), read_epsilon(epsilon)
    sides = approximate_sides(chains, loads.length)
    return _scale(worst_node(sides, loads, ScaleObjective(limit, loads.unit)), loads)


def quilt_epsilon(
    chain: MarkovChain | ChainBox,
    initial: Initial,
    pieces: Pieces | Loads,
    node: int | None = None,
) -> QuiltBound:
    """The epsilon of releases with those losses, by quilts: of the worst node, or of that one."""
    loads = pieces if isinstance(pieces, Loads) else Loads(pieces)
    if node is not None and not 0 <= node < loads.length:
        raise ParameterError(
            f"There is no node {node} in a series of {loads.length}.", parameter="node"
        )
    maker = _maker(chain, initial, loads.length, "exact")
    worst = _solve(maker, loads, LossObjective(loads.unit), node)
    choice = worst.choice
    return QuiltBound(
        _shortened(worst.value),
        choice.node,
        choice.left,
        choice.right,
        choice.influence,
        choice.load * loads.unit,
    )


def _types(states: int) -> Sequence[RealType]:
    if states <= _SMALL:
        return [np.longdouble]
    return [np.float64, np.longdouble] if states <= _LARGE else [np.float64]


def _maker(chain: MarkovChain | ChainBox, initial: Initial, length: int, method: Method) -> Maker:
    if method not in ("exact", "approximate"):
        raise ParameterError(
            f"There is no method '{method}'.",
            hint="method is 'exact' or 'approximate'.",
            parameter="method",
        )
    kind_of_start = read_initial(initial)
    if isinstance(chain, ChainBox):
        if method != "exact":
            raise ParameterError(
                "The approximate method is for chains; a box of chains has one bound, that "
                "of the exact method.",
                hint="Use method='exact'.",
                parameter="method",
            )
        if kind_of_start != "any":
            raise ParameterError(
                "A box of chains has one bound, which holds for any start.",
                hint="Use initial='any'.",
                parameter="initial",
            )
        sides = box_sides(chain, length)
        return (lambda _: sides), [np.float64]
    if method == "approximate":
        approximate = approximate_sides([chain], length)
        return (lambda _: approximate), [np.float64]
    types = _types(len(chain.alphabet))
    return (lambda kind: ChainSides(chain, kind_of_start, length, kind)), types


def _solve(maker: Maker, loads: Loads, objective: Objective, node: int | None = None) -> Worst:
    """In doubles first where the matrices are large; again if rounding shows in the answer."""
    make, types = maker
    # What overflows is infinite, and an infinite influence is one that is not used.
    with np.errstate(over="ignore"):
        for number, kind in enumerate(types, start=1):
            sides = make(kind)
            worst = worst_node(sides, loads, objective, node)
            choice = worst.choice
            slack = sides.slack(choice.nodes, choice.left, choice.right)
            if (
                number == len(types)
                or objective.looseness(choice.influence, choice.load, slack) < _LOOSE
            ):
                break
    return worst


def _scale(worst: Worst, loads: Loads) -> QuiltScale:
    choice = worst.choice
    return QuiltScale(
        _shortened(worst.value),
        choice.node,
        choice.left,
        choice.right,
        choice.influence,
        choice.load * loads.unit,
    )


def _shortened(value: Fraction) -> Fraction:
    """`value`, or if it has many digits the next number above it with fewer."""
    if value.denominator.bit_length() <= _BITS:
        return value
    bits = _BITS + value.denominator.bit_length() - value.numerator.bit_length()
    unit = Fraction(1, 1 << bits) if bits >= 0 else Fraction(1 << -bits)
    return -(-value // unit) * unit
