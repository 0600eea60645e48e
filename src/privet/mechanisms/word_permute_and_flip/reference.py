"""Permute-and-flip by its definition, in exact rationals, for languages small enough to list.

The tests run both forms below and compare the mechanism with them; nothing else uses them.
"""

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from privet.symbols import hamming_distance

if TYPE_CHECKING:
    from privet.mechanisms.word_permute_and_flip.mechanism import WordPermuteAndFlip


def acceptance(distances: Sequence[int], q: Fraction) -> list[Fraction]:
    """p_x = q^(d(x) - min d): the chance that candidate x is accepted when its turn comes."""
    return [q ** (distance - min(distances)) for distance in distances]


def law_by_permutations(distances: Sequence[int], q: Fraction) -> list[Fraction]:
    """P(candidate x is returned), averaged over every order [mckenna-sheldon-2020].

    Candidates are visited in a uniformly random order; each is accepted with its chance, and the
    first accepted is returned. The best candidate is accepted surely, so one always is.
    """
    accept = acceptance(distances, q)
    law = [Fraction(0)] * len(distances)
    orders = list(itertools.permutations(range(len(distances))))
    for order in orders:
        reached = Fraction(1)
        for candidate in order:
            law[candidate] += reached * accept[candidate]
            reached *= 1 - accept[candidate]
    return [share / len(orders) for share in law]


def law_by_subsets(distances: Sequence[int], q: Fraction) -> list[Fraction]:
    """P(x) = p_x sum over subsets S of the others of (-1)^|S| prod(p_y, y in S) / (|S| + 1).

    The sum over subsets of one size is a coefficient of the polynomial prod(1 - p_y t), y != x;
    dividing it by |S| + 1 integrates the polynomial over (0, 1).
    """
    accept = acceptance(distances, q)
    law = []
    for x, chance in enumerate(accept):
        polynomial = [Fraction(1)]
        for y, other in enumerate(accept):
            if y != x:
                shifted = [Fraction(0), *polynomial]
                polynomial = [
                    a - other * b for a, b in zip([*polynomial, Fraction(0)], shifted, strict=True)
                ]
        integral = sum((c / (i + 1) for i, c in enumerate(polynomial)), Fraction(0))
        law.append(chance * integral)
    return law


def distances_on_all_words(word: Sequence[int], size: int) -> list[int]:
    """Hamming distance of every word over 0..size-1 from `word`, in lexicographic order."""
    return [
        hamming_distance(word, other) for other in itertools.product(range(size), repeat=len(word))
    ]


def law(mechanism: "WordPermuteAndFlip", word: tuple[int, ...]) -> dict[tuple[int, ...], Fraction]:
    """{output: P(output)} for the input `word` of codes, by the formula over subsets."""
    outputs = itertools.product(range(len(mechanism.alphabet)), repeat=len(word))
    distances = distances_on_all_words(word, len(mechanism.alphabet))
    shares = law_by_subsets(distances, mechanism.ratio(len(word)))
    return dict(zip(outputs, shares, strict=True))
