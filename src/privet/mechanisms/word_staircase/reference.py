"""The staircase by its definition, and the linear programme it solves. For the tests alone."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

from privet.mechanisms.word_staircase.mechanism import WordStaircase
from privet.symbols import hamming_distance


def law(mechanism: WordStaircase, word: Sequence[int]) -> dict[tuple[int, ...], Fraction]:
    """P(output) for every word: weights Q^(steps at its distance), over their sum.

    The steps are counted one error at a time: the first comes after r errors, the next each b more.
    """
    shift, period = mechanism.shift(len(word)), mechanism.adjacency
    weights = {}
    for output in itertools.product(range(len(mechanism.alphabet)), repeat=len(word)):
        distance = hamming_distance(word, output)
        steps = sum(1 for error in range(shift, distance) if (error - shift) % period == 0)
        weights[output] = mechanism.factor**steps
    total = sum(weights.values(), Fraction(0))
    return {output: weight / total for output, weight in weights.items()}


def expected_errors(length: int, size: int, factor: Fraction, period: int, shift: int) -> Fraction:
    """The expected distance of a staircase, level by level."""
    weights = [
        math.comb(length, level)
        * (size - 1) ** level
        * factor ** sum(1 for error in range(shift, level) if (error - shift) % period == 0)
        for level in range(length + 1)
    ]
    errors = sum((level * weight for level, weight in enumerate(weights)), Fraction(0))
    return errors / sum(weights, Fraction(0))


def least_expected_errors(length: int, size: int, epsilon: float, adjacency: int) -> float:
    """The optimum over ALL laws that depend on the distance alone, by linear programming.

    Minimise sum_d M_d d f(d) subject to sum_d M_d f(d) = 1 and f(d) <= e^epsilon f(d') for
    |d - d'| <= adjacency, with M_d words at distance d. In the masses g(d) = M_d f(d), which are
    at most 1, so that the programme is well scaled. About 1e-9 of the optimum.
    """
    from scipy.optimize import linprog

    words = [math.comb(length, d) * (size - 1) ** d for d in range(length + 1)]
    rows = []
    for d, other in itertools.permutations(range(length + 1), 2):
        if abs(d - other) <= adjacency:
            row = [0.0] * (length + 1)
            scale = max(words[other], words[d] * math.exp(epsilon))
            row[d] = words[other] / scale
            row[other] = -words[d] * math.exp(epsilon) / scale
            rows.append(row)
    solved = linprog(
        range(length + 1),
        A_ub=rows,
        b_ub=[0.0] * len(rows),
        A_eq=[[1.0] * (length + 1)],
        b_eq=[1.0],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert solved.fun is not None, solved.message
    return float(solved.fun)
