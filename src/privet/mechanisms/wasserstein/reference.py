"""The infinity-Wasserstein distance by its definition, and laws by listing all words.

For the tests alone. Mass can be moved from P to Q with no part going further than w exactly if
P(S) <= Q(S within w) for every set S of values (Hall's condition for the transport): here all sets
are tried.
"""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain as chained
from itertools import combinations

Law = dict[Fraction, Fraction]
Exact = tuple[Sequence[Fraction], Sequence[Sequence[Fraction]]]


def infinity_distance(first: Law, second: Law) -> Fraction:
    """The least difference of two values that lets all mass be moved."""
    candidates = sorted({abs(x - y) for x in first for y in second})
    return next(w for w in candidates if _can_be_moved(first, second, w))


def _can_be_moved(first: Law, second: Law, farthest: Fraction) -> bool:
    sets = chained.from_iterable(combinations(first, size) for size in range(len(first) + 1))
    return all(
        sum(first[x] for x in chosen)
        <= sum(share for y, share in second.items() if any(abs(x - y) <= farthest for x in chosen))
        for chosen in sets
    )


def largest_distance(
    words: dict[tuple[int, ...], Fraction], weights: Sequence[int], start: int, stop: int
) -> Fraction:
    """The largest distance of the laws of the sum given two states of one node.

    `words`: P(word) for every word that the chain can produce.
    """
    largest = Fraction(0)
    for node in range(len(next(iter(words)))):
        given: dict[int, Law] = defaultdict(lambda: defaultdict(Fraction))
        for word, share in words.items():
            total = Fraction(sum(weights[state] for state in word[start:stop]))
            given[word[node]][total] += share
        laws = [
            {value: share / sum(law.values()) for value, share in law.items()}
            for law in given.values()
        ]
        for first, second in combinations(laws, 2):
            largest = max(largest, infinity_distance(first, second))
    return largest
