"""The infinity-Wasserstein distance of two laws on the whole numbers, exactly.

Contract. A law is given by weights, whole numbers that need not add up to anything in particular.
The distance is the least w for which mass can be moved from one law to the other with no part of it
going further than w. On a line that is the largest difference of the two quantile functions: the
mass between two levels u < u' of the cumulative sums goes from one quantile to the other, and no
other plan has a smaller farthest move.
"""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Law:
    """`values`: rising, each with positive weight; `sums`: the cumulative weights."""

    values: tuple[int, ...]
    sums: tuple[int, ...]

    @classmethod
    def of_weights(cls, weights: Sequence[int], first: int = 0) -> "Law":
        """The law with weights[v] at the value first + v; zeros are no part of it."""
        values, sums, total = [], [], 0
        for value, weight in enumerate(weights, start=first):
            if weight:
                total += weight
                values.append(value)
                sums.append(total)
        return cls(tuple(values), tuple(sums))


def infinity_distance(first: Law, second: Law) -> int:
    """The infinity-Wasserstein distance, by one walk along both cumulative sums."""
    # Weights are compared as if both added up to the product of the two totals.
    one, other = second.sums[-1], first.sums[-1]
    i = j = largest = 0
    while i < len(first.sums) and j < len(second.sums):
        largest = max(largest, abs(first.values[i] - second.values[j]))
        a, b = first.sums[i] * one, second.sums[j] * other
        i, j = i + (a <= b), j + (b <= a)
    return largest
