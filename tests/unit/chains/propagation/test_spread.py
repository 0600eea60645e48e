"""The step for unknown laws against searches over laws and likelihoods."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from privet.chains.propagation.spread import SpreadStep

Array = npt.NDArray[Any]


def ratio(columns: Array, pair: tuple[int, int], law: Array, g: Array) -> float:
    first, second = law * columns[pair[0]], law * columns[pair[1]]
    return float((first @ g) / first.sum() * second.sum() / (second @ g))


def gains_of(rng: np.random.Generator, size: int) -> Array:
    length = rng.random((size, size)) * 2
    np.fill_diagonal(length, 0.0)
    for middle in range(size):
        length = np.minimum(length, length[:, middle : middle + 1] + length[middle : middle + 1])
    return np.asarray(np.exp(length))


@pytest.mark.parametrize("size", [2, 3, 4])
def test_no_law_and_no_likelihood_reaches_higher(size: int) -> None:
    rng = np.random.default_rng(size)
    columns = rng.dirichlet(np.ones(size), size=size).T
    gains = gains_of(rng, size)
    bound = SpreadStep(columns, columns).step(gains)
    for _ in range(3000):
        law = np.exp(rng.normal(size=size) * rng.choice([1, 5]))
        free = np.exp(rng.normal(size=size) * 2)
        g = (gains * free).min(axis=1)
        for pair in [(0, 1), (1, 0)]:
            assert ratio(columns, pair, law, g) <= bound[pair] * (1 + 1e-12)


def test_two_states_with_balanced_weights_attain_it() -> None:
    rng = np.random.default_rng(7)
    size = 3
    columns, gains = rng.dirichlet(np.ones(size), size=size).T, gains_of(rng, size)
    bound = SpreadStep(columns, columns).step(gains)
    best = 1.0
    for u in range(size):
        for v in range(size):
            if u == v:
                continue
            g = gains[:, v] / gains[u, v]  # tight below v, so g(u) / g(v) = C(u, v)
            for weight in np.exp(np.linspace(-8, 8, 20001)):
                law = np.zeros(size)
                law[u], law[v] = 1.0, weight
                best = max(best, ratio(columns, (0, 1), law, g))
    assert best == pytest.approx(bound[0, 1], rel=1e-6)
    assert best <= bound[0, 1]


def test_one_step_of_a_known_law_is_lower() -> None:
    # For the right side m is the row of the second state itself.
    rng = np.random.default_rng(3)
    rows, gains = rng.dirichlet(np.ones(3), size=3), gains_of(rng, 3)
    bound = SpreadStep(rows, rows).step(gains)
    for _ in range(2000):
        g = (gains * np.exp(rng.normal(size=3))).min(axis=1)
        assert rows[0] @ g / (rows[1] @ g) <= bound[0, 1] * (1 + 1e-12)


def test_a_possible_zero_lets_nothing_shrink() -> None:
    gains = np.array([[1.0, 2.0], [2.0, 1.0]])
    lower, upper = np.array([[0.5, 0.0], [0.5, 0.5]]), np.array([[1.0, 0.5], [0.5, 0.5]])
    bound = SpreadStep(lower, upper).step(gains)
    assert bound[0, 1] == pytest.approx(2.0)
    # A state that cannot be met from either row has nothing to say.
    rows = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.2, 0.3, 0.5]])
    wild = np.array([[1.0, 2.0, 9.0], [2.0, 1.0, 9.0], [9.0, 9.0, 1.0]])
    assert SpreadStep(rows, rows).step(wild)[0, 1] == pytest.approx(1.0)


def test_infinite_gains_leave_the_cross_ratio() -> None:
    rows = np.array([[0.8, 0.2], [0.2, 0.8]])
    bound = SpreadStep(rows, rows).step(np.array([[1.0, np.inf], [np.inf, 1.0]]))
    assert bound[0, 1] == pytest.approx(16.0)
    none = SpreadStep(np.eye(2), np.eye(2)).step(np.array([[1.0, np.inf], [np.inf, 1.0]]))
    assert none[0, 1] == np.inf
