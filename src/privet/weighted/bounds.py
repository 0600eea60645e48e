"""Upper bounds on the ratio of every word behind a prefix, exact and without search.

Contract. A suffix vector lies in a cone; a quotient of two nonnegative linear functions on a cone
is largest on one of its generators. A generator on which both vanish adds nothing to either.
"""

import math
from collections.abc import Iterable
from fractions import Fraction

from privet.weighted.cones import Suffixes
from privet.weighted.limits import Lengths
from privet.weighted.problem import Ratio, Vector, Word, dot


def bound_behind(suffixes: Suffixes, prefix: Word, lengths: Lengths) -> Ratio:
    """At least the ratio of every word of these lengths that starts with `prefix`."""
    problem = suffixes.problem
    state, first, second = problem.initial, problem.first, problem.second
    for symbol in prefix:
        if problem.moves[state][symbol] < 0:
            return Fraction(0)
        first = problem.step(state, first, symbol)
        second = problem.step(state, second, symbol)
        state = problem.moves[state][symbol]
        lengths = lengths.after()
    low = 0 if problem.is_conserving else lengths.shortest
    high = suffixes.reach if lengths.longest is None else min(lengths.longest, suffixes.reach)
    bound: Ratio = Fraction(0)
    if low <= high:
        bound = largest_quotient(first, second, suffixes.between(state, low, high).vectors)
    if lengths.longest is None or lengths.longest > suffixes.reach:
        bound = max(bound, largest_quotient(first, second, suffixes.cone[state].vectors))
    return bound


def largest_quotient(first: Vector, second: Vector, tests: Iterable[Vector]) -> Ratio:
    """The largest (first . t) / (second . t); 0/0 left out, x/0 infinite."""
    over, under = 0, 1
    for test in tests:
        a, b = dot(first, test), dot(second, test)
        if not b and a:
            return math.inf
        if a * under > over * b:
            over, under = a, b
    return Fraction(over, under)
