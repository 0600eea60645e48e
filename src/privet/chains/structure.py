"""What the pattern and the entries of a transition matrix say about the long run.

Contract. Works on float64 and on exact rational entries alike. A chain with several closed classes
has several stationary laws, which is a ModelError naming the classes.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.errors import ModelError

BoolArray = npt.NDArray[np.bool_]


def reachability(support: BoolArray) -> BoolArray:
    """(k, k): whether state j can be reached from state i in any number of steps, 0 included."""
    reach: BoolArray = support | np.eye(len(support), dtype=bool)
    for _ in range(len(support).bit_length()):
        reach = (reach.astype(np.float32) @ reach.astype(np.float32)) > 0
    return reach


def closed_classes(support: BoolArray) -> list[list[int]]:
    """The sets of states that reach each other and nothing else, in the order of their states."""
    reach = reachability(support)
    recurrent = np.flatnonzero((reach <= reach.T).all(axis=1)).tolist()
    classes = {tuple(np.flatnonzero(reach[state]).tolist()) for state in recurrent}
    return [[*members] for members in sorted(classes)]


def mixing_steps(support: BoolArray) -> int | None:
    """The smallest d such that every state reaches every state in exactly d steps, or None."""

    # A primitive matrix is positive by the power (k - 1)^2 + 1 (Wielandt), and from then on; the
    # first positive power is bracketed by doubling and found by walking the powers' bits.
    def times(a: BoolArray, b: BoolArray) -> BoolArray:
        return (a.astype(np.float32) @ b.astype(np.float32)) > 0

    limit = (len(support) - 1) ** 2 + 1
    powers = [support]
    while not powers[-1].all():
        if 1 << (len(powers) - 1) >= limit:
            return None
        powers.append(times(powers[-1], powers[-1]))
    product, steps = np.eye(len(support), dtype=bool), 0
    for bit in reversed(range(len(powers) - 1)):
        longer = times(product, powers[bit])
        if not longer.all():
            product, steps = longer, steps + (1 << bit)
    return steps + 1


def stationary_law(
    transition: npt.NDArray[Any], support: BoolArray, states: Sequence[object]
) -> npt.NDArray[Any]:
    """(k,): the law that one step leaves as it is; 0 on states that are left for good.

    By elimination without subtraction [grassmann-taksar-heyman-1985]: floats come out accurate
    entry by entry. Errors: ModelError if there are several such laws.
    """
    classes = closed_classes(support)
    if len(classes) > 1:
        shown = "; ".join(", ".join(str(states[s]) for s in members) for members in classes[:4])
        raise ModelError(
            f"The chain has {len(classes)} closed classes of states, so no single stationary law.",
            hint=f"The classes are: {shown}{'; ...' if len(classes) > 4 else ''}.",
        )
    (members,) = classes
    law = np.zeros(len(transition), transition.dtype)
    law[members] = _eliminate(transition[np.ix_(members, members)])
    return law


def _eliminate(matrix: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The stationary law of an irreducible matrix."""
    work = matrix.copy()
    for last in range(len(work) - 1, 0, -1):
        work[:last, last] /= work[last, :last].sum()
        work[:last, :last] += np.outer(work[:last, last], work[last, :last])
    law = np.array([work[0, 0] ** 0])  # a one of the entries' own kind
    for state in range(1, len(work)):
        law = np.append(law, law @ work[:state, state])
    return np.asarray(law / law.sum())


def rationals(rows: Sequence[Sequence[Fraction]]) -> npt.NDArray[Any]:
    """Exact entries as an object array of FLINT rationals, whose arithmetic is fast."""
    from flint import fmpq

    table = np.empty((len(rows), len(rows[0])), object)
    for i, row in enumerate(rows):
        table[i] = [fmpq(entry.numerator, entry.denominator) for entry in row]
    return table


def fraction(value: Any) -> Fraction:
    """A FLINT rational, or a plain 0, as a Fraction."""
    return Fraction(int(value.numerator), int(value.denominator)) if value else Fraction(0)
