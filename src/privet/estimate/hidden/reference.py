"""The same posterior again, slow and straight from the definition, in Fractions: run by the tests.

Every hidden word of the released word's length is written down with its probability and that of
the release given it. Nothing here is shared with the fast recursions.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product

Matrix = Sequence[Sequence[Fraction]]
Word = tuple[int, ...]


def joint(
    initial: Sequence[Fraction], transition: Matrix, response: Matrix, released: Word
) -> dict[Word, Fraction]:
    """P(true word = x and its release = `released`) for every word x of states, exactly."""
    law = {}
    for word in product(range(len(initial)), repeat=len(released)):
        steps = [initial[word[0]]] if word else []
        steps += [transition[i][j] for i, j in pairwise(word)]
        seen = [response[i][j] for i, j in zip(word, released, strict=True)]
        law[word] = math.prod([*steps, *seen], start=Fraction(1))
    return law


def marginals(law: dict[Word, Fraction], size: int) -> list[list[Fraction]]:
    """P(true symbol at position t = s | release): a row for each position."""
    total = sum(law.values())
    length = len(next(iter(law)))
    table = [[Fraction(0)] * size for _ in range(length)]
    for word, weight in law.items():
        for position, symbol in enumerate(word):
            table[position][symbol] += weight / total
    return table


def most_likely(law: dict[Word, Fraction]) -> list[Word]:
    """All words of the largest probability."""
    best = max(law.values())
    return [word for word, weight in law.items() if weight == best]


def gradient(
    initial: Sequence[Fraction], transition: Matrix, response: Matrix, released: Word
) -> tuple[Fraction, list[list[Fraction]]]:
    """P(release), and the derivative of its logarithm in each entry of (initial; transition).

    The probability is a polynomial in the entries, so the derivatives need no limits: each word
    contributes, for every use of an entry, its probability without that factor.
    """
    size = len(initial)
    slopes = [[Fraction(0)] * size for _ in range(size + 1)]
    total = Fraction(0)
    for word in product(range(size), repeat=len(released)):
        entries = [(0, word[0])] + [(i + 1, j) for i, j in pairwise(word)]
        factors = [initial[j] if i == 0 else transition[i - 1][j] for i, j in entries]
        seen = math.prod(
            (response[i][j] for i, j in zip(word, released, strict=True)), start=Fraction(1)
        )
        total += math.prod(factors, start=seen)
        for number, (i, j) in enumerate(entries):
            others = factors[:number] + factors[number + 1 :]
            slopes[i][j] += math.prod(others, start=seen)
    return total, [[slope / total for slope in row] for row in slopes]
