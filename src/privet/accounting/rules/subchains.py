"""Two releases about two parts of one series, one after the other: Theorems III.1 and III.3.

Contract. Only the nodes of the two parts are covered: what is released may say more of a node
between them. Each epsilon is that of its release for the nodes of its own part.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

from privet.accounting.rules.conditions import (
    Part,
    failed,
    need_markov,
    read_epsilons,
    read_parts,
)
from privet.accounting.rules.quilts import active_quilts
from privet.chains import ChainBox
from privet.chains.approximate import approximate_sides
from privet.chains.sides import ScalarSides
from privet.errors import ModelError
from privet.exact.number import Number
from privet.privacy import Framework, MarkovFramework

MOST_NODES = 1024
"""How many nodes of a part are looked at for a quilt inside it, evenly spread over longer ones."""


def disjoint_subchains(
    framework: Framework, first: Part, second: Part, epsilons: tuple[Number, Number]
) -> Fraction:
    """Any two Pufferfish private mechanisms ([song-chaudhuri-2017], Theorem III.1).

    max(eps_A + min(e(X_T3 | X_T2), eps_B), eps_B + min(e(X_T2 | X_T3), eps_A)), where T2 is the
    last node of the first part and T3 the first of the second, and e is the max-influence. The
    theorem has e alone; no more than the other epsilon can come through it: given X_T2, what B
    tells is a mixture over X_T3 of what it tells there.
    Conditions: a Markov chain, and parts that do not overlap, in order.
    """
    name = "Theorem III.1"
    chains = need_markov(name, framework)
    (_, stop), (start, end) = read_parts(name, first, second)
    one, two = _read_two(epsilons)
    onward = chains.max_influence(end, stop - 1, [start])
    back = chains.max_influence(end, start, [stop - 1])
    return max(one + _smaller(onward, two), two + _smaller(back, one))


def disjoint_subchains_with_quilts(
    framework: Framework, first: Part, second: Part, epsilons: tuple[Number, Number]
) -> Fraction:
    """Two runs of the approximate Markov Quilt Mechanism ([song-chaudhuri-2017], Theorem III.3).

    The larger epsilon. Conditions: chains that Lemma II.3 covers; parts that do not overlap, in
    order; in each part some node whose active quilt lies inside it on both sides, {i - a, i + b} in
    the first and {j - a', j + b'} in the second; and T3 - T2 >= max(b, a'), so that no node's
    quilt of that reach comes to lie in the other part.
    """
    name = "Theorem III.3"
    chains = need_markov(name, framework)
    one, two = read_parts(name, first, second)
    numbers = _read_two(epsilons)
    reach_right = min(b for _, b in _inside(name, chains, one, numbers[0], "first"))
    reach_left = min(a for a, _ in _inside(name, chains, two, numbers[1], "second"))
    gap, needed = two[0] - (one[1] - 1), max(reach_right, reach_left)
    if gap < needed:
        raise failed(
            name,
            f"the second part begins {gap} nodes after the last of the first, and the quilts "
            f"reach {needed}",
            "Use disjoint_subchains, or an Accountant.",
        )
    return max(numbers)


def _inside(
    name: str, framework: MarkovFramework, part: Part, epsilon: Fraction, which: str
) -> list[tuple[int, int]]:
    """The active quilts with both sides inside the part, at least one."""
    length = part[1] - part[0]
    sides, nodes = _approximate(name, framework, length), _spread(length)
    found = [
        (left, right)
        for left, right in active_quilts(sides, nodes, epsilon)
        if left is not None and right is not None
    ]
    if not found:
        raise failed(
            name,
            f"no node of the {which} part has an active quilt with both sides inside the part",
            "Use disjoint_subchains, or an Accountant.",
        )
    return found


def _approximate(name: str, framework: MarkovFramework, length: int) -> ScalarSides:
    if isinstance(framework.chains, ChainBox):
        raise failed(
            name,
            "it is about chains with a stationary law, not a box of chains",
            "Use disjoint_subchains, or an Accountant.",
        )
    try:
        return approximate_sides(framework.chains, length)
    except ModelError as error:
        raise failed(
            name,
            f"Lemma II.3 does not cover the chains ({error.message.rstrip('.')})",
            "Use disjoint_subchains, or an Accountant.",
        ) from None


def _spread(length: int) -> Sequence[int]:
    if length <= MOST_NODES:
        return range(length)
    return sorted({number * (length - 1) // (MOST_NODES - 1) for number in range(MOST_NODES)})


def _read_two(epsilons: tuple[Number, Number]) -> tuple[Fraction, Fraction]:
    one, two = read_epsilons(epsilons)
    return one, two


def _smaller(influence: float, epsilon: Fraction) -> Fraction:
    return min(Fraction(influence), epsilon) if math.isfinite(influence) else epsilon
