"""Max-influence: how much the far nodes of a chain can tell about one node, to any precision.

Contract. The max-influence of a set Q of nodes on node i is the largest, over the chains of a
family, values a, b of X_i with positive probability and values x of X_Q, of
log P(X_Q = x | X_i = a) / P(X_Q = x | X_i = b), where 0/0 is skipped and x/0 is infinite
[song-wang-chaudhuri-2017]. On a chain only the nearest nodes of Q on each side matter. Where a
family holds every start of a transition matrix, each start counts, and near-degenerate ones are
approached. All of it is done in ball arithmetic whose precision is raised until the answer is
known; it is then rounded up to a double. This is the slow and exact twin of `privet.chains.sides`.
"""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.chains import structure
from privet.chains.box import ChainBox
from privet.chains.family import ChainFamily
from privet.chains.marginals import Initial, balls, read_initial, stationary_balls
from privet.chains.markov import MarkovChain
from privet.errors import ParameterError
from privet.exact import float_up, read_count

Table = npt.NDArray[Any]

_PRECISIONS = (128, 512, 2048)
"""Bits that are tried in turn."""

_TINY = Fraction(1, 1 << 60)
"""Below this an influence found at the first precision may be one of 0, or have few digits."""

_MOST_DIGITS = 1 << 15
"""Bits of the exact rationals of a power that are worth computing to tell an influence of 0."""


def max_influence(
    family: ChainFamily | ChainBox | MarkovChain, length: int, node: int, quilt: Iterable[int]
) -> float:
    """The max-influence of the nodes `quilt` on `node` in a series of `length`, rounded up.

    Nodes count from 0; an empty quilt has influence 0; math.inf where it is infinite. For a box the
    bound of `privet.chains.box`. Errors: ParameterError for nodes out of range or `node` itself.
    """
    size, here = read_count(length, "length"), read_count(node, "node", 0)
    left, right = _nearest(size, here, quilt)
    if isinstance(family, ChainBox):
        found = [family.influence(distance) for distance in (left, right) if distance is not None]
        return math.nextafter(sum(found), math.inf) if len(found) == 2 else sum(found, 0.0)
    members = family if isinstance(family, ChainFamily) else ChainFamily(family)
    return max(
        chain_influence(chain, members.initial, here, left, right) for chain in members.chains
    )


def influence_curve(
    chain: MarkovChain | ChainBox, initial: Initial, length: int, distances: Sequence[int]
) -> list[float]:
    """The max-influence on the middle node of a quilt with a part at each distance on both sides.

    A part that would lie beyond an end is left out. One float a distance, rounded up.
    """
    size = read_count(length, "length")
    middle = size // 2
    curve = []
    for distance in distances:
        step = read_count(distance, "distance")
        left, right = (
            step if middle - step >= 0 else None,
            step if middle + step < size else None,
        )
        quilt = [middle + d * s for d, s in ((left, -1), (right, 1)) if d is not None]
        if isinstance(chain, ChainBox):
            curve.append(max_influence(chain, size, middle, quilt))
        else:
            curve.append(chain_influence(chain, read_initial(initial), middle, left, right))
    return curve


def chain_influence(
    chain: MarkovChain, initial: Initial, node: int, left: int | None, right: int | None
) -> float:
    """The max-influence for one chain of a quilt with parts at these distances, rounded up."""
    from flint import ctx

    from privet.exact.enclosure import endpoints

    if left is None and right is None:
        return 0.0
    upper = Fraction(0)
    for bits in _PRECISIONS:
        with ctx.workprec(bits):
            laws = _Laws(balls(chain._steps), *_start(chain, initial, bits))
            ratio = laws.largest_ratio(node, left, right)
            if ratio is None or ratio is math.inf:
                return math.inf if ratio else 0.0
            value = ratio.log()
            if value.is_finite():
                upper = max(Fraction(0), endpoints(value)[1])
                if upper > _TINY and value.rel_accuracy_bits() > 50:
                    return float_up(upper)
    return 0.0 if _is_exactly_none(chain, initial, node, left, right) else float_up(upper)


def _nearest(length: int, node: int, quilt: Iterable[int]) -> tuple[int | None, int | None]:
    """The distances of the nearest nodes on the two sides; None where there are none."""
    if node >= length:
        raise ParameterError(f"node {node} is beyond the last of {length} nodes.", parameter="node")
    nodes = {read_count(each, "a node of the quilt", 0) for each in quilt}
    if node in nodes or any(each >= length for each in nodes):
        raise ParameterError(
            "The nodes of a quilt are other nodes of the series than the one it surrounds.",
            hint=f"They lie within 0..{length - 1} and are not {node}.",
            parameter="quilt",
        )
    left = min((node - each for each in nodes if each < node), default=None)
    return left, min((each - node for each in nodes if each > node), default=None)


def _start(chain: MarkovChain, initial: Initial, bits: int) -> tuple[Initial, Table | None]:
    """The law of node 0, in balls; none for "any"."""
    if initial == "given":
        return initial, balls(chain._first)[0]
    if initial == "any":
        return initial, None
    from privet.exact.enclosure import ball

    law = stationary_balls(chain, [*range(len(chain.alphabet))], bits)
    return initial, np.array([ball(p).union(ball(q)) if q else 0 for p, q in law], object)


def _is_exactly_none(
    chain: MarkovChain, initial: Initial, node: int, left: int | None, right: int | None
) -> bool:
    """Whether the influence is 0 exactly, where exact rationals are short enough to tell."""
    rows = chain.exact_transition
    digits = sum(math.lcm(*(p.denominator for p in row)).bit_length() for row in rows)
    if digits * max(node if left is not None else 1, right or 1) > _MOST_DIGITS:
        return False
    law = {"given": chain.exact_initial, "any": None}.get(initial, ())
    if law == ():
        law = chain.exact_stationary()
    first = None if law is None else structure.rationals([law])[0]
    laws = _Laws(structure.rationals(rows), initial, first)
    return bool(laws.largest_ratio(node, left, right) == 1)


class _Laws:
    """The laws of the nodes of one chain, in balls or in exact rationals.

    `steps`: (k, k); `first`: (k,), the law of node 0, or None for every law. An exact zero compares
    equal to 0 in both, and sums of products of positive balls stay positive.
    """

    def __init__(self, steps: Table, initial: Initial, first: Table | None) -> None:
        self._powers = [steps]
        self._initial, self._first = initial, first

    def _times_power(self, rows: Table, exponent: int) -> Table:
        """rows P^exponent, by the binary digits of the exponent."""
        place = 0
        while exponent >> place:
            if place == len(self._powers):
                self._powers.append(self._powers[-1] @ self._powers[-1])
            if exponent >> place & 1:
                rows = rows @ self._powers[place]
            place += 1
        return rows

    def _power(self, exponent: int) -> Table:
        return self._times_power(np.eye(len(self._powers[0]), dtype=int).astype(object), exponent)

    def _law(self, node: int) -> Table:
        """(r, k): the laws of a node from every start that counts."""
        if self._first is None:
            return self._power(node)
        if self._initial == "stationary":
            return self._first[None, :]
        return self._times_power(self._first[None, :], node)

    def largest_ratio(self, node: int, left: int | None, right: int | None) -> Any:
        """The largest ratio of conditional probabilities; None if there is no pair of states."""
        here = self._law(node)
        live = np.flatnonzero((here != 0).any(axis=0)).tolist()
        sides = []
        if right is not None:
            sides.append(self._power(right).T)
        if left is not None:
            reached = (self._law(node - left) != 0).any(axis=0)
            sides.append(self._power(left)[reached])
        # The law of the node itself counts against the left part, upside down.
        pieces = [*sides, *([here] if left is not None else [])]
        best: Any = None
        for x, y in _candidates(sides, here if left is not None else None, live):
            columns = [(side[:, x], side[:, y]) for side in pieces]
            if left is not None:
                columns[-1] = columns[-1][1], columns[-1][0]
            best = _larger(best, _product(columns))
        return best


def _candidates(
    sides: list[Table], here: Table | None, live: list[int]
) -> Iterable[tuple[int, int]]:
    """The pairs of live states whose ratio may be the largest, judged by logarithms in floats.

    The logarithms are good to 10^-12 of themselves, and pairs within a millionth of the largest of
    them are kept, or one pair whose ratio is infinite.
    """
    total = np.zeros((len(live), len(live)))
    span = 1.0
    tables = [(side[:, live], False) for side in sides]
    for table, is_inverted in tables if here is None else [*tables, (here[:, live], True)]:
        logs = np.array([[_log(p) for p in row] for row in table.tolist()])
        span += float(np.abs(logs, where=np.isfinite(logs), out=np.zeros_like(logs)).max())
        with np.errstate(invalid="ignore"):
            each = np.fmax.reduce(logs[:, :, None] - logs[:, None, :], axis=0)
        total += each.T if is_inverted else each
    np.fill_diagonal(total, -np.inf)
    for i, j in np.argwhere(total >= total.max() - 1e-6 * span).tolist() if len(live) > 1 else []:
        yield live[i], live[j]
        if total[i, j] == np.inf:
            return


def _log(p: Any) -> float:
    from flint import arb

    return float(arb(p).log().mid()) if p != 0 else -math.inf


def _product(columns: list[tuple[Table, Table]]) -> Any:
    """The product over pairs of columns of the largest ratio of their entries."""
    product: Any = 1
    for above, below in columns:
        largest: Any = None
        for p, q in zip(above.tolist(), below.tolist(), strict=True):
            if p != 0:
                largest = _larger(largest, math.inf if q == 0 else p / q)
        if largest is math.inf:
            return math.inf
        product = product * largest
    return product


def _larger(a: Any, b: Any) -> Any:
    """The larger one, None being the smallest; a ball around it for balls."""
    if a is None or b is None:
        return b if a is None else a
    if a is math.inf or b is math.inf:
        return math.inf
    from flint import arb

    return a.max(b) if isinstance(a, arb) and isinstance(b, arb) else max(a, b)
