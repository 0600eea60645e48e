"""Draws against their laws, and each check against a wrong law it must reject.

Seeds are fixed, so a pass is a pass for ever; ALPHA is what a new seed would risk.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from privet.exact import exp_down, exp_up
from privet.randomness import (
    Cumulative,
    OffsetLaw,
    RandomSource,
    RefinableLaw,
    SystemSource,
    discrete_laplace,
    random_subset_masks,
    uniform_below,
)
from privet.testing import ReplaySource, chi_square_agrees

ALPHA = 1e-6


def offset_law(size: int, epsilon: float, bits: int = 128) -> tuple[OffsetLaw, np.ndarray]:
    """The offsets of randomised response at epsilon, and their probabilities (size,)."""
    move = int(Fraction(1 / (np.exp(epsilon) + size - 1)) * 2**bits)
    law = np.full(size, move / 2**bits)
    law[0] = 1 - law[1:].sum()
    return OffsetLaw(size, move, bits), law


def offsets(law: OffsetLaw, source: RandomSource, n: int) -> np.ndarray:
    """Counts (size,) of n offsets, each seen from a code that is not 0."""
    codes = (np.arange(n) % law.size).astype(law.code_dtype)
    out = np.empty_like(codes)
    law.apply_into(source, codes, out)
    return np.bincount((out.astype(np.int64) - codes) % law.size, minlength=law.size)


@pytest.mark.parametrize("size", [2, 3, 8, 20, 51, 200, 256, 1000, 70_000])
def test_offsets_follow_randomised_response(size: int) -> None:
    # n = 2 million. Wrong law: epsilon 3% larger, whose keep probability is more than 20 standard
    # errors away.
    law, right = offset_law(size, 2.0 + np.log(size))
    _, wrong = offset_law(size, 1.03 * (2.0 + np.log(size)))
    counts = offsets(law, ReplaySource(size), 2_000_000)
    assert not chi_square_agrees(counts, right, ALPHA).rejected
    assert chi_square_agrees(counts, wrong, ALPHA).rejected


def test_offsets_of_large_epsilon_live_in_the_residue() -> None:
    # Every move falls in the residue: P(move) is about 7 e^-12, and n = 10 million expects 430 in
    # all. Wrong laws: no residue, so no move ever; and half as many moves again.
    law, right = offset_law(8, 12.0)
    counts = offsets(law, ReplaySource(1), 10_000_000)
    assert not chi_square_agrees(counts, right, ALPHA).rejected
    for factor in (0.0, 1.5):
        wrong = factor * right
        wrong[0] = 1 - wrong[1:].sum()
        assert chi_square_agrees(counts, wrong, ALPHA).rejected


def test_rows_are_independent_of_their_neighbours() -> None:
    # Pairs of consecutive offsets at size 3, n = 2 million pairs, against the product law. Wrong
    # twin: the same word used for two rows.
    law, single = offset_law(3, 1.0)
    codes = np.zeros(4_000_000, np.uint8)
    law.apply_into(ReplaySource(6), codes, codes)
    product = np.outer(single, single).ravel()
    pairs = np.bincount(3 * codes[::2] + codes[1::2], minlength=9)
    assert not chi_square_agrees(pairs, product, ALPHA).rejected
    twice = np.bincount(3 * codes[::2] + codes[::2], minlength=9)
    assert chi_square_agrees(twice, product, ALPHA).rejected


def test_the_system_source_gives_the_law_too() -> None:
    # The only check with fresh bits: it fails once in a thousand million runs.
    law, right = offset_law(8, 1.0)
    assert not chi_square_agrees(offsets(law, SystemSource(), 1_000_000), right, 1e-9).rejected


class Decay(RefinableLaw):
    """P(category <= j) = 1 - e^-((j + 1) rate)."""

    def __init__(self, rate: Fraction) -> None:
        self.rate = rate

    def cumulative(self, bits: int) -> Cumulative:
        steps = [self.rate * (j + 1) for j in range(int(bits / self.rate) + 1)]
        lower = [int((1 - exp_up(-x, bits)) * 2**bits) - 1 for x in steps]
        upper = [int((1 - exp_down(-x, bits)) * 2**bits) + 1 for x in steps]
        return Cumulative(0, lower, upper)


def test_refinable_draws_follow_the_real_law() -> None:
    # n = 1 million. Wrong law: the rate 2% too high.
    draws = Decay(Fraction(1, 3)).draw(ReplaySource(5), 1_000_000)
    counts = np.bincount(draws, minlength=200)[:200]
    for rate, rejected in ((1 / 3, False), (1.02 / 3, True)):
        law = np.exp(-rate * np.arange(200)) * -np.expm1(-rate)
        assert chi_square_agrees(counts, law / law.sum(), ALPHA).rejected is rejected


@pytest.mark.parametrize("scale", [Fraction(2, 5), Fraction(10), Fraction(12345, 7)])
@pytest.mark.parametrize(("factor", "rejected"), [(1.0, False), (1.02, True), (0.98, True)])
def test_discrete_laplace_has_neither_less_nor_more_noise(
    scale: Fraction, factor: float, rejected: bool
) -> None:
    # n = 1 million. Wrong laws: a scale 2% larger (too little noise was drawn) or 2% smaller (too
    # much). Cells are runs of values about a fifth of the scale long.
    drawn = discrete_laplace(ReplaySource(7), scale, 1_000_000)
    width = max(1, int(scale / 5))
    reach = 60 * max(1, int(scale)) // width
    cells = np.clip(drawn // width, -reach, reach) + reach
    q = np.exp(-1 / (float(scale) * factor))
    values = np.arange(-reach * width, (reach + 1) * width)
    law = (q ** np.abs(values)).reshape(-1, width).sum(axis=1)
    counts = np.bincount(cells, minlength=len(law))
    assert chi_square_agrees(counts, law / law.sum(), ALPHA).rejected is rejected


@pytest.mark.parametrize("bound", [3, 10, 100])
def test_uniform_below_is_uniform(bound: int) -> None:
    # n = 1 million. Wrong law: a word modulo a bound that favours half of the values by 2%.
    counts = np.bincount(uniform_below(ReplaySource(bound), bound, 1_000_000), minlength=bound)
    even = np.full(bound, 1 / bound)
    assert not chi_square_agrees(counts, even, ALPHA).rejected
    tilted = even * np.where(np.arange(bound) < bound / 2, 1.02, 1.0)
    assert chi_square_agrees(counts, tilted / tilted.sum(), ALPHA).rejected


def test_subsets_are_uniform() -> None:
    # All 20 subsets of 3 of 6 positions, n = 200000. Wrong twin: two positions swapped whenever
    # the first is chosen and the second is not, one time in ten.
    masks = random_subset_masks(ReplaySource(2), np.full(200_000, 3), 6)
    even = np.full(20, 1 / 20)
    assert not chi_square_agrees(_by_subset(masks), even, ALPHA).rejected
    moved = np.arange(200_000) % 10 == 0
    moved &= masks[:, 0] & ~masks[:, 1]
    masks[moved, :2] = [False, True]
    assert chi_square_agrees(_by_subset(masks), even, ALPHA).rejected


def _by_subset(masks: np.ndarray) -> np.ndarray:
    code = masks @ (1 << np.arange(6))
    subsets = [sum(1 << i for i in chosen) for chosen in combinations(range(6), 3)]
    counts = np.bincount(code, minlength=64)
    assert counts.sum() == counts[subsets].sum()
    return counts[subsets]
