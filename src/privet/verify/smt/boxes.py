"""Polynomials on boxes: never negative, or a point where they are, in whole numbers.

Contract. On a box a polynomial of degree d_i in x_i is a combination of the products of
x_i^j (1 - x_i)^(d_i - j), each x_i scaled to [0, 1]; where no coefficient is negative, the
polynomial is not either. Boxes that do not show it are halved, up to a limit: a
polynomial that touches zero inside a box is never decided so. Everything is exact; "not decided" is
None and decides nothing.
"""

import math
from collections import deque
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mpoly, fmpq_mpoly_ctx
from numpy.typing import NDArray

from privet.verify.smt.expressions import Comparison, Constant, Name
from privet.weighted import Clock

_MOST_COEFFICIENTS = 10_000
Box = tuple[tuple[Fraction, Fraction], ...]
Point = tuple[Fraction, ...]
Tensor = NDArray[Any]
"""Python integers, one axis for each parameter."""


def flint(value: Fraction) -> fmpq:
    """The same number for flint."""
    return fmpq(value.numerator, value.denominator)


def box_of(names: Sequence[str], comparisons: Sequence[Comparison]) -> Box | None:
    """The ranges of the parameters, closed; None if one is not bounded by numbers."""
    low: dict[str, Fraction] = {}
    high: dict[str, Fraction] = {}
    for comparison in comparisons:
        match comparison:
            case Comparison(Constant(value), "<" | "<=", Name(name)) | Comparison(
                Name(name), ">" | ">=", Constant(value)
            ):
                low[name] = max(value, low.get(name, value))
            case Comparison(Name(name), "<" | "<=", Constant(value)) | Comparison(
                Constant(value), ">" | ">=", Name(name)
            ):
                high[name] = min(value, high.get(name, value))
            case _:
                pass
    if any(name not in low or name not in high or high[name] < low[name] for name in names):
        return None
    return tuple((low[name], high[name]) for name in names)


def coefficients(polynomial: fmpq_mpoly, box: Box) -> Tensor:
    """Those of the products of the module, times binomials and one positive factor."""
    context: fmpq_mpoly_ctx = polynomial.context()
    moved = [
        context.constant(flint(low)) + flint(high - low) * place
        for (low, high), place in zip(box, context.gens(), strict=True)
    ]
    terms = {tuple(map(int, k)): c for k, c in polynomial.compose(*moved).to_dict().items()}
    sizes = [max((powers[i] for powers in terms), default=0) + 1 for i in range(len(box))]
    scale = math.lcm(*(int(c.q) for c in terms.values()))
    tensor = np.zeros(sizes, object)
    for powers, c in terms.items():
        tensor[powers] = int(c.p) * (scale // int(c.q))
    for axis, size in enumerate(sizes):
        # x^k = x^k (x + (1 - x))^(d - k).
        rows = [
            [math.comb(size - 1 - k, i - k) if k <= i else 0 for k in range(size)]
            for i in range(size)
        ]
        turned = np.tensordot(np.array(rows, object), tensor, axes=(1, axis))
        tensor = np.moveaxis(turned, 0, axis)
    return tensor


def is_nonnegative(polynomial: fmpq_mpoly, box: Box) -> bool:
    """Whether the coefficients on this box show it; False says nothing."""
    if _is_large(polynomial):
        return False
    return bool((coefficients(polynomial, box) >= 0).all())


def _is_large(polynomial: fmpq_mpoly) -> bool:
    return math.prod(int(degree) + 1 for degree in polynomial.degrees()) > _MOST_COEFFICIENTS


def never_negative(
    polynomial: fmpq_mpoly,
    box: Box,
    allowed: Callable[[Point], bool],
    clock: Clock,
    most: int,
) -> bool | Point:
    """True if it is nowhere negative on the box, a point that is allowed where it is, else False.

    `most`: boxes to look at.
    """
    if _is_large(polynomial):
        return False
    queue: deque[Box] = deque([box])
    for _ in range(most):
        if not queue:
            return True
        here = queue.popleft()
        found = coefficients(polynomial, here)
        if (found >= 0).all():
            continue
        for ends in product((0, -1), repeat=len(here)):
            # In a corner one product is 1 and the others are 0.
            if found[ends] < 0:
                point = tuple(side[end] for side, end in zip(here, ends, strict=True))
                if allowed(point):
                    return point
        if clock.left <= 0:
            return False
        queue.extend(_halves(here))
    return not queue


def _halves(box: Box) -> tuple[Box, Box]:
    """Across the longest side."""
    axis = max(range(len(box)), key=lambda i: box[i][1] - box[i][0])
    low, high = box[axis]
    middle = (low + high) / 2
    return (
        (*box[:axis], (low, middle), *box[axis + 1 :]),
        (*box[:axis], (middle, high), *box[axis + 1 :]),
    )
