"""Hamming distance: the number of positions in which two words of the same length differ."""

import numpy as np
import numpy.typing as npt

from privet.errors import DataError
from privet.symbols.words import Words


def hamming_distance(first: npt.ArrayLike, second: npt.ArrayLike) -> int:
    """Distance of two words given as arrays of codes. Errors: DataError if lengths differ."""
    a, b = np.asarray(first), np.asarray(second)
    if a.shape != b.shape:
        raise DataError(f"Words of shapes {a.shape} and {b.shape} have no Hamming distance.")
    return int(np.count_nonzero(a != b))


def hamming_distances(first: Words, second: Words) -> npt.NDArray[np.int64]:
    """(words,) int64: the distance of each word from its counterpart."""
    if not np.array_equal(first.offsets, second.offsets):
        raise DataError("The two sets of words differ in number or lengths.")
    differs = np.concatenate([[0], np.cumsum(first.codes != second.codes)])
    return np.asarray(differs[first.offsets[1:]] - differs[first.offsets[:-1]], np.int64)
