"""The nearest table of shares.

Contract. Unbiased estimates may be negative or above 1. `project_to_simplex` gives the point of
{x >= 0, sum x = total} nearest to them in Euclidean distance. It never moves away from the truth:
the simplex is convex and holds the true shares, so the projection is at least as near to them as
the estimate was. It is biased, and it is its own inverse on shares: a second time changes nothing.
"""

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def project_to_simplex(table: FloatArray, total: float = 1.0) -> FloatArray:
    """The nearest point of the simplex, same shape as `table`, entries summing to `total` > 0.

    Sort, and find the level to subtract so that the positive parts sum to the total
    [duchi-shalev-shwartz-singer-chandra-2008]. O(cells log cells).
    """
    # Only differences matter; from the largest entry they are exact where they decide anything.
    values = table.ravel() - table.max()
    falling = np.sort(values)[::-1]
    levels = (np.cumsum(falling) - total) / np.arange(1, falling.size + 1)
    level = levels[np.flatnonzero(falling > levels)[-1]]
    nearest = np.maximum(values - level, 0.0)
    return np.asarray((nearest * (total / nearest.sum())).reshape(table.shape))
