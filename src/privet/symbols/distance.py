"""Hamming distance: the number of positions in which two words of the same length differ."""

from collections.abc import Sequence


def hamming_distance(first: Sequence[object], second: Sequence[object]) -> int:
    """Distance of two words, given as symbols or as codes. Errors: ValueError if lengths differ."""
    return sum(a != b for a, b in zip(first, second, strict=True))
