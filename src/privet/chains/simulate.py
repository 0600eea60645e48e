"""Drawing paths of states from floating-point weights, many at a time.

Contract. A draw has the stated law to the precision of doubles; a state of weight 0 is never drawn.
That is enough for simulation and for what is done to a release afterwards; the mechanisms, whose
laws carry a guarantee, draw exactly elsewhere. Bits come from the source that is passed in.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from privet.randomness import RandomSource

FloatArray = npt.NDArray[np.float64]


def uniforms(source: RandomSource, size: int) -> FloatArray:
    """(size,) independent multiples of 2^-53, uniform on [0, 1)."""
    return np.asarray((source.words(size) >> np.uint64(11)) * 2.0**-53, np.float64)


def draw_categories(source: RandomSource, weights: FloatArray) -> npt.NDArray[np.intp]:
    """(w,): for each row of `weights` (w, k), a category drawn in proportion to it.

    Every row has a positive sum.
    """
    return place(np.cumsum(weights, axis=1), uniforms(source, len(weights)))


def place(cumulative: FloatArray, shares: FloatArray) -> npt.NDArray[np.intp]:
    """(w,): the category in which the point at that share of the way lies.

    `cumulative`: (w, k) running sums of weights; `shares`: (w,) in [0, 1), multiples of 2^-53.
    """
    # A share is at most 1 - 2^-53, and total - total 2^-53 rounds to a double below the total: so
    # no point lies beyond the last category of positive weight.
    return np.asarray((cumulative <= (shares * cumulative[:, -1])[:, None]).sum(axis=1))


def draw_paths(
    source: RandomSource,
    initial: FloatArray,
    transition: FloatArray,
    lengths: npt.NDArray[np.int64],
    dtype: np.dtype[Any],
) -> npt.NDArray[Any]:
    """Independent paths of a Markov chain, one after the other in a flat array of `dtype`.

    `initial`: (k,); `transition`: (k, k); `lengths`: (w,).
    """
    starts = np.cumsum(lengths) - lengths
    out = np.empty(int(lengths.sum()), dtype)
    order = np.argsort(-lengths, kind="stable")
    starts, longest = starts[order], int(lengths.max(initial=0))
    alive = len(lengths) - np.searchsorted(np.sort(lengths), np.arange(longest), "right")
    first, steps = np.cumsum(initial)[None, :], np.cumsum(transition, axis=1)
    states = np.zeros(len(lengths), np.intp)
    for position, count in enumerate(alive.tolist()):
        rows = steps[states[:count]] if position else np.repeat(first, count, axis=0)
        states = place(rows, uniforms(source, count))
        out[starts[:count] + position] = states
    return out
