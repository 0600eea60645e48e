"""Randomised response by its definition, in exact rationals. For the tests alone."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

from privet.mechanisms.randomized_response.mechanism import RandomizedResponse


def law(mechanism: RandomizedResponse, word: Sequence[int]) -> dict[tuple[int, ...], Fraction]:
    """P(output) for every output word: the product over symbols of the parent mechanism."""
    rows = [parent(len(mechanism.alphabet), mechanism.move_probability, code) for code in word]
    return {
        output: math.prod((row[code] for row, code in zip(rows, output, strict=True)), start=one)
        for output in itertools.product(range(len(mechanism.alphabet)), repeat=len(word))
    }


one = Fraction(1)


def parent(size: int, move: Fraction, code: int) -> list[Fraction]:
    """The law of one released symbol: `move` for each other one, the rest for the true one."""
    row = [move] * size
    row[code] = 1 - (size - 1) * move
    return row


def smallest_delta(rows: Sequence[Sequence[Fraction]], factor: Fraction) -> Fraction:
    """max over ordered pairs of rows of sum over outputs of max(0, P(x) - factor P'(x)).

    With factor = e^epsilon it is the smallest delta, all sets of outputs considered.
    """
    return max(
        sum((max(Fraction(0), a - factor * b) for a, b in zip(p, q, strict=True)), Fraction(0))
        for p, q in itertools.permutations(rows, 2)
    )
