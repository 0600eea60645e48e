"""Statistical checks of samplers, with their error rate and their power in view.

Contract. A check states the false alarm rate `alpha` it works at and how many draws it saw. It
notices a fit that is too bad and, where the approximation allows, one that is too good (draws that
are not independent). A check that could not fail is refused rather than passed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privet.errors import DataError, ParameterError

LEAST_EXPECTED = 25.0
LEAST_DEGREES_FOR_TOO_GOOD = 10


@dataclass(frozen=True)
class TestResult:
    """What a check found; `rejected` is p_value < alpha."""

    __test__: ClassVar[bool] = False  # not a test case, though pytest would think so

    p_value: float
    rejected: bool
    alpha: float
    n: int
    statistic: float
    degrees: int


def chi_square_agrees(
    counts: ArrayLike, probabilities: ArrayLike | Sequence[object], alpha: float
) -> TestResult:
    """Pearson's test that `counts` (k,) come from independent draws with `probabilities` (k,).

    Cells that expect fewer than 25 draws are pooled, so that the chi-square law is near enough in
    the tail; a draw in a cell of probability 0 rejects at once. With at least 10 degrees of freedom
    the test is two-sided: p = 2 min(P(X >= statistic), P(X <= statistic)).

    Errors: DataError for shapes, negative counts, probabilities that do not add up to 1 (within
    1e-9), and where pooling leaves one cell, so that nothing could ever be rejected;
    ParameterError for alpha outside (0, 1).
    """
    if not 0 < alpha < 1:
        raise ParameterError("alpha must lie between 0 and 1.", parameter="alpha")
    seen = np.asarray(counts, np.float64)
    law = np.asarray(probabilities, np.float64)
    _check_shapes(seen, law)
    n = int(seen.sum())
    if seen[law == 0].any():
        return TestResult(0.0, True, alpha, n, np.inf, 0)
    seen, expected = _pool(seen, law / law.sum() * n)
    if len(seen) < 2:
        raise DataError(
            "There are too few draws to tell any law from another.",
            hint="Draw more, so that two cells expect at least 25 draws each.",
        )
    # scipy takes a while to import.
    from scipy.stats import chi2

    statistic = float(((seen - expected) ** 2 / expected).sum())
    degrees = len(seen) - 1
    p_value = float(chi2.sf(statistic, degrees))
    if degrees >= LEAST_DEGREES_FOR_TOO_GOOD:
        p_value = min(1.0, 2 * min(p_value, float(chi2.cdf(statistic, degrees))))
    return TestResult(p_value, p_value < alpha, alpha, n, statistic, degrees)


def _check_shapes(seen: NDArray[Any], law: NDArray[Any]) -> None:
    if seen.ndim != 1 or seen.shape != law.shape:
        raise DataError("Counts and probabilities must be vectors of one length.")
    if not (seen >= 0).all() or not np.isfinite(seen).all():
        raise DataError("Counts must be finite and not negative.")
    if not (law >= 0).all() or not abs(law.sum() - 1) <= 1e-9:
        raise DataError("Probabilities must be non-negative and add up to 1.")


def _pool(seen: NDArray[Any], expected: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """One cell in the place of all the small ones, joined by the next smallest while too small."""
    order = np.argsort(-expected, kind="stable")
    seen, expected = seen[order], expected[order]
    keep = int((expected >= LEAST_EXPECTED).sum())
    if 0 < keep < len(expected) and expected[keep:].sum() < LEAST_EXPECTED:
        keep -= 1
    if keep == len(expected):
        return seen, expected
    cut = [*range(keep + 1)]
    return np.add.reduceat(seen, cut), np.add.reduceat(expected, cut)
