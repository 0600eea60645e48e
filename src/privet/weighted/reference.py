"""The definitions, executed: every word of a length, in rational arithmetic.

Contract. Exact and slow: m^k words. The engine is tested against it; nothing else uses it.
"""

import math
from collections.abc import Iterator
from fractions import Fraction

from privet.weighted.problem import Ratio, RatioProblem, Vector, Word, dot


def weighted_words(problem: RatioProblem, length: int) -> Iterator[tuple[Word, int, int]]:
    """Every word of `length` that the control has a path for, with its two weights."""
    nodes: list[tuple[Word, int, Vector, Vector]] = [
        ((), problem.initial, problem.first, problem.second)
    ]
    for _ in range(length):
        nodes = [
            ((*word, x), then, problem.step(state, a, x), problem.step(state, b, x))
            for word, state, a, b in nodes
            for x, then in enumerate(problem.moves[state])
            if then >= 0
        ]
    for word, state, a, b in nodes:
        yield word, dot(a, problem.finals[state]), dot(b, problem.finals[state])


def largest_ratio(problem: RatioProblem, length: int) -> tuple[Ratio, Word | None]:
    """The largest ratio over the words of one length, and a word that has it; (0, None) if none."""
    best: Ratio = Fraction(0)
    witness = None
    for word, over, under in weighted_words(problem, length):
        if not over and not under:
            continue
        ratio = Fraction(over, under) if under else math.inf
        if witness is None or ratio > best:
            best, witness = ratio, word
    return best, witness


def excess(problem: RatioProblem, ratio: Fraction, length: int) -> Fraction:
    """The sum over words of max(0, first - ratio second), over the sum of first."""
    words = list(weighted_words(problem, length))
    above = sum((max(Fraction(0), a - ratio * b) for _, a, b in words), Fraction(0))
    return above / sum(a for _, a, _ in words)
