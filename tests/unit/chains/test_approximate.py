"""The approximate bound: above the exact one, from proved numbers, where its conditions hold."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.chains import ChainFamily, MarkovChain, max_influence, quilt_scale
from privet.chains.approximate import approximate_influence, is_reversible, mixing
from privet.errors import ModelError


def random_chain(size: int, seed: int) -> MarkovChain:
    rng = np.random.default_rng(seed)
    rows = [[Fraction(int(n)) for n in row] for row in rng.integers(1, 9, (size, size))]
    return MarkovChain([1, *[0] * (size - 1)], [[x / sum(row) for x in row] for row in rows])


@pytest.mark.parametrize("seed", range(6))
def test_the_gap_is_that_of_the_eigenvalues_and_never_above(seed: int) -> None:
    chain = random_chain(2 + seed % 4, seed)
    found = mixing(chain)
    pi, steps = chain.stationary(), chain.transition
    reversal = steps.T * pi / pi[:, None]
    if found.is_reversible:
        gap = 2 * (1 - sorted(abs(np.linalg.eigvals(steps)))[-2])
    else:
        gap = 1 - sorted(abs(np.linalg.eigvals(steps @ reversal)))[-2]
    assert float(found.gap) == pytest.approx(gap, rel=1e-9)
    assert float(found.smallest) == pytest.approx(pi.min(), rel=1e-12)
    assert found.smallest <= min(chain.exact_stationary())


def test_the_gap_of_a_symmetric_chain_is_a_lower_bound_of_the_exact_one() -> None:
    for stay in ("1/2", "4/5", "99/100", "1/10"):
        p = Fraction(stay)
        found = mixing(MarkovChain([1, 0], [[p, 1 - p], [1 - p, p]]))
        exact = 2 * (1 - abs(2 * p - 1))
        assert found.is_reversible
        assert exact * (1 - Fraction(1, 10**12)) <= found.gap <= exact


@pytest.mark.parametrize("seed", range(4))
def test_the_approximate_influence_is_above_the_exact_one(seed: int) -> None:
    chain = random_chain(3, seed)
    found = mixing(chain)
    family = ChainFamily(chain, "any")
    for distance in (4, 8, 16):
        right = approximate_influence(found.smallest, found.gap, distance, 1)
        left = approximate_influence(found.smallest, found.gap, distance, 2)
        assert max_influence(family, 100, 50, [50 + distance]) <= right
        assert max_influence(family, 100, 50, [50 - distance]) <= left
    approximate = quilt_scale(chain, "any", 500, 1, "approximate").scale
    assert quilt_scale(chain, "any", 500, 1).scale <= approximate


def test_reversibility_is_decided_exactly() -> None:
    assert is_reversible(MarkovChain([1, 0], [[0.9, 0.1], [0.3, 0.7]]))
    path: list[list[Any]] = [["1/2", "1/2", 0], ["1/3", "1/3", "1/3"], [0, "1/5", "4/5"]]
    assert is_reversible(MarkovChain([1, 0, 0], path))
    circle: list[list[Any]] = [["1/2", "1/3", "1/6"], ["1/6", "1/2", "1/3"], ["1/3", "1/6", "1/2"]]
    assert not is_reversible(MarkovChain([1, 0, 0], circle))
    nearly = Fraction(1, 10**40)
    circle = [
        [Fraction(1, 3), Fraction(1, 3) + nearly, Fraction(1, 3) - nearly],
        [Fraction(1, 3)] * 3,
        [Fraction(1, 3)] * 3,
    ]
    assert not is_reversible(MarkovChain([1, 0, 0], circle))


def test_the_condition_that_fails_is_named() -> None:
    with pytest.raises(ModelError, match="reducible"):
        quilt_scale(MarkovChain([1, 0], [[1, 0], ["1/2", "1/2"]]), "any", 9, 1, "approximate")
    with pytest.raises(ModelError, match="periodic"):
        quilt_scale(MarkovChain([1, 0], [[0, 1], [1, 0]]), "any", 9, 1, "approximate")
    # Irreducible and aperiodic, but a step and a step back never leave {0} or {1, 2}.
    steps: list[list[Any]] = [[0, 1, 0], [0, 0, 1], ["1/2", "1/2", 0]]
    with pytest.raises(ModelError, match="eigengap is 0"):
        quilt_scale(MarkovChain([1, 0, 0], steps), "any", 9, 1, "approximate")
    slow = Fraction(1, 10**30)
    with pytest.raises(ModelError, match="cannot be told from 0"):
        mixing(MarkovChain([1, 0], [[1 - slow, slow], [slow, 1 - slow]]))
