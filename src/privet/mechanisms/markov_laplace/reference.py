"""Queries by counting on fingers, and what an answer tells by listing all words. For the tests.

Everything is slow, exact and independent of the code it checks: words are tuples of codes, a law of
words is {word: Fraction}, and powers of e are bounded from both sides.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import groupby, pairwise, permutations, product
from typing import Any

from privet.exact import exp_down, exp_up

Word = tuple[int, ...]
Numbers = tuple[int, ...]
Exact = tuple[Sequence[Fraction], Sequence[Sequence[Fraction]]]
"""(law of the first state, transition matrix)."""

BITS = 320


def histogram(word: Word, size: int) -> Numbers:
    """How many nodes are in each state."""
    return tuple(sum(1 for state in word if state == s) for s in range(size))


def count(word: Word, states: set[int]) -> Numbers:
    """How many nodes are in one of the states."""
    return (sum(1 for state in word if state in states),)


def transitions(word: Word, size: int) -> Numbers:
    """How many steps lead from each state to each, row by row."""
    steps = [(word[t], word[t + 1]) for t in range(len(word) - 1)]
    return tuple(steps.count((a, b)) for a in range(size) for b in range(size))


def run_lengths(word: Word, cap: int, state: int | None) -> Numbers:
    """How many runs have 1, ..., cap - 1, and at least cap nodes."""
    runs = [(s, len(list(run))) for s, run in groupby(word)]
    lengths = [min(length, cap) for s, length in runs if state is None or s == state]
    return tuple(lengths.count(length) for length in range(1, cap + 1))


def level_sum(word: Word, levels: Sequence[Fraction], grid: Fraction) -> Numbers:
    """The sum of the levels above the lowest, in units of the grid, to the nearest whole."""
    total = sum((levels[state] - min(levels) for state in word), Fraction(0)) / grid
    below = total.numerator // total.denominator
    return (below + (total - below >= Fraction(1, 2)),)


def word_law(chain: Exact, length: int) -> dict[Word, Fraction]:
    """P(word) for every word that the chain can produce."""
    initial, transition = chain
    law = {}
    for word in product(range(len(initial)), repeat=length):
        share = initial[word[0]]
        for a, b in pairwise(word):
            share *= transition[a][b]
        if share:
            law[word] = share
    return law


def worst_ratio(
    law: dict[Word, Fraction], numbers: Callable[[Word], Numbers], scale: Fraction
) -> tuple[Fraction, Fraction]:
    """Bounds of the largest P(out | X_i = a) / P(out | X_i = b), over nodes, states and outputs.

    The output is the numbers with independent discrete Laplace noise: P(out | word) is proportional
    to q^(sum of |out - number|) with q = e^(-1 / scale). Beyond the least and the largest value of
    a number the ratio no longer depends on it, so the outputs between them are all there are.
    """
    answers = {word: numbers(word) for word in law}
    box = [range(min(column), max(column) + 1) for column in zip(*answers.values(), strict=True)]
    farthest = sum(len(side) for side in box)
    low = [exp_down(-j / scale, BITS) for j in range(farthest)]
    high = [exp_up(-j / scale, BITS) for j in range(farthest)]
    least = most = Fraction(1)
    for node in range(len(next(iter(law)))):
        given = _answers_given(law, answers, node)
        for out in product(*box):
            apart = {
                a: [
                    (sum(abs(x - y) for x, y in zip(out, answer, strict=True)), share)
                    for answer, share in shares.items()
                ]
                for a, shares in given.items()
            }
            bounds = {
                a: [sum(share * power[d] for d, share in listed) for power in (low, high)]
                for a, listed in apart.items()
            }
            for a, b in permutations(bounds, 2):
                least = max(least, Fraction(bounds[a][0]) / bounds[b][1])
                most = max(most, Fraction(bounds[a][1]) / bounds[b][0])
    return least, most


def _answers_given(
    law: dict[Word, Fraction], answers: dict[Word, Numbers], node: int
) -> dict[int, dict[Numbers, Fraction]]:
    """P(numbers | X_node = a) for each state a that the node can be in."""
    given: dict[int, Any] = defaultdict(lambda: defaultdict(Fraction))
    for word, share in law.items():
        given[word[node]][answers[word]] += share
    return {
        a: {answer: share / sum(shares.values()) for answer, share in shares.items()}
        for a, shares in given.items()
    }
