"""The chi-square check: right and wrong twins, too bad and too good, and no empty passes."""

import numpy as np
import pytest

from privet.errors import DataError, ParameterError
from privet.testing import ReplaySource, chi_square_agrees

ALPHA = 1e-6
UNIFORM = np.full(16, 1 / 16)


def draws(seed: int, n: int) -> np.ndarray:
    return np.bincount(ReplaySource(seed).words(n, np.uint8) >> 4, minlength=16)


def test_accepts_the_right_law() -> None:
    results = [chi_square_agrees(draws(seed, 20_000), UNIFORM, ALPHA) for seed in range(50)]
    assert not any(result.rejected for result in results)
    assert {(r.n, r.alpha, r.degrees) for r in results} == {(20_000, ALPHA, 15)}


def test_p_values_are_spread_evenly_under_the_right_law() -> None:
    p = np.sort([chi_square_agrees(draws(s, 4000), UNIFORM, 0.1).p_value for s in range(400)])
    # Kolmogorov's distance at n = 400 stays below 0.12 with probability 0.99998.
    assert np.abs(p - (np.arange(400) + 0.5) / 400).max() < 0.12


def test_rejects_a_wrong_law() -> None:
    tilted = UNIFORM * np.where(np.arange(16) % 2, 1.1, 0.9)
    result = chi_square_agrees(draws(1, 20_000), tilted, ALPHA)
    assert result.rejected
    assert result.p_value < ALPHA


def test_rejects_a_fit_that_is_too_good() -> None:
    assert chi_square_agrees(np.full(16, 1250), UNIFORM, ALPHA).rejected
    # With few cells an exact fit is ordinary, and is not held against the sampler.
    assert not chi_square_agrees([5000, 5000], [0.5, 0.5], ALPHA).rejected


def test_a_draw_that_cannot_happen_rejects() -> None:
    result = chi_square_agrees([5000, 5000, 1], [0.5, 0.5, 0.0], ALPHA)
    assert result.rejected
    assert result.p_value == 0
    assert not chi_square_agrees([5000, 5000, 0], [0.5, 0.5, 0.0], ALPHA).rejected


def test_small_cells_are_pooled_and_still_count() -> None:
    law = np.array([0.9, 0.0999] + [1e-6] * 100)
    law /= law.sum()
    counts = np.zeros(102)
    counts[:2] = np.round(1e5 * law[:2])
    fine = chi_square_agrees(counts, law, ALPHA)
    assert fine.degrees == 1
    assert not fine.rejected
    counts[50] = 90  # far too many in cells that expect ten draws together
    counts[0] -= 90
    assert not chi_square_agrees(counts, law, ALPHA).rejected  # pooled with the second cell
    law[2:] *= 5
    counts[50] = 400
    assert chi_square_agrees(counts, law / law.sum(), ALPHA).rejected


@pytest.mark.parametrize(
    ("counts", "law"),
    [
        ([1, 2], [0.5, 0.25, 0.25]),
        ([[1, 2]], [[0.5, 0.5]]),
        ([100, -1], [0.5, 0.5]),
        ([100, np.nan], [0.5, 0.5]),
        ([100, 100], [0.5, 0.6]),
        ([100, 100], [1.5, -0.5]),
        ([100, 100], [np.nan, 0.5]),
        ([10, 10], [0.5, 0.5]),
        ([100], [1.0]),
        ([0, 0], [0.5, 0.5]),
    ],
)
def test_a_check_that_cannot_fail_is_refused(counts: object, law: object) -> None:
    with pytest.raises(DataError):
        chi_square_agrees(counts, law, ALPHA)  # type: ignore[arg-type]  # arrays of any kind


@pytest.mark.parametrize("alpha", [0, 1, -1, 2, float("nan")])
def test_alpha_is_a_probability(alpha: float) -> None:
    with pytest.raises(ParameterError):
        chi_square_agrees([100, 100], [0.5, 0.5], alpha)
