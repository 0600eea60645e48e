"""The step of propagation against linear programmes, and against plans that are simply wrong."""

from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import linprog

from privet.chains.propagation.forests import Plans
from privet.chains.propagation.programme import LinearStep, certified, margin

Array = npt.NDArray[Any]


def programme(first: Array, second: Array, gains: Array) -> float:
    """max first.g with second.g = 1 and g(t) <= C(t, t') g(t'), by HiGHS."""
    size = len(first)
    rows = []
    for t, u in product(range(size), repeat=2):
        if t != u:
            row = np.zeros(size)
            row[t], row[u] = 1.0, -gains[t, u]
            rows.append(row)
    found = linprog(
        -first, A_ub=np.array(rows), b_ub=np.zeros(len(rows)), A_eq=[second], b_eq=[1.0]
    )
    return -float(found.fun or 0)


def gains_of(rng: np.random.Generator, size: int, largest: float) -> Array:
    """Sub-metric gains: shortest ways of random lengths."""
    length = rng.random((size, size)) * largest
    np.fill_diagonal(length, 0.0)
    for middle in range(size):
        length = np.minimum(length, length[:, middle : middle + 1] + length[middle : middle + 1])
    return np.asarray(np.exp(length))


def kernel_of(rng: np.random.Generator, size: int, zeros: bool) -> Array:
    kernel = rng.dirichlet(np.full(size, 0.5), size=size)
    if zeros:
        kernel[rng.random((size, size)) < 0.3] = 0.0
        kernel += 0.01 * np.eye(size)
    return np.asarray(kernel / kernel.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("size", [2, 3, 4, 5, 7, 10])
@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("largest", [0.0, 0.05, 1.0, 6.0])
def test_the_step_is_the_programme_of_every_pair(size: int, zeros: bool, largest: float) -> None:
    rng = np.random.default_rng(size)
    kernel = kernel_of(rng, size, zeros)
    gains = gains_of(rng, size, largest) if largest else np.exp(0.3 * (1 - np.eye(size)))
    step = LinearStep(kernel)
    step.improve(gains)
    bound = step.step(gains)
    for s, t in product(range(size), repeat=2):
        if s != t:
            exact = programme(kernel[s], kernel[t], gains)
            assert bound[s, t] >= exact * (1 - 1e-12)
            assert bound[s, t] == pytest.approx(exact, rel=1e-8)


def test_forests_found_for_other_gains_still_give_a_bound() -> None:
    rng = np.random.default_rng(1)
    for size, zeros in [(3, False), (4, True), (6, False), (8, True)]:
        kernel = kernel_of(rng, size, zeros)
        step = LinearStep(kernel)
        for largest in (0.5, 3.0, 0.2, 300.0, 1.0):
            gains = gains_of(rng, size, largest)
            stale = step.step(gains)  # with the forests of the round before
            step.improve(gains)
            fresh = step.step(gains)
            assert (stale >= 1).all()
            if largest < 100:  # beyond, plans need more digits than doubles have
                assert (stale >= fresh * (1 - 1e-9)).all()
                again = LinearStep(kernel)
                again.improve(gains)
                assert fresh == pytest.approx(again.step(gains), rel=1e-9)


def test_any_plan_gives_a_bound() -> None:
    rng = np.random.default_rng(2)
    for size in (2, 3, 5):
        kernel, gains = kernel_of(rng, size, size == 3), gains_of(rng, size, 1.0)
        for s, t in product(range(size), repeat=2):
            if s == t:
                continue
            exact = programme(kernel[s], kernel[t], gains)
            for _ in range(20):
                shape = (1, size)
                plans = Plans(
                    rng.integers(0, size, shape),
                    rng.integers(0, size, shape),
                    rng.random(shape) * rng.choice([0.0, 0.1, 10.0], shape),
                    np.zeros(shape),
                    np.array([rng.random() * 3]),
                )
                bound = certified(kernel[s : s + 1], kernel[t : t + 1], gains, plans)
                assert bound[0] * margin(size) >= exact * (1 - 1e-9)


def test_gains_beyond_doubles_leave_the_largest_ratio() -> None:
    kernel = np.array([[0.75, 0.25], [0.5, 0.5]])
    gains = np.array([[1.0, np.inf], [np.inf, 1.0]])
    step = LinearStep(kernel)
    step.improve(gains)
    assert step.step(gains)[0, 1] == pytest.approx(1.5)
    assert step.step(gains)[1, 0] == pytest.approx(2.0)
    closed = LinearStep(np.array([[1.0, 0.0], [0.5, 0.5]]))
    closed.improve(gains)
    bound = closed.step(gains)
    assert bound[0, 1] == pytest.approx(2.0)
    assert bound[1, 0] == np.inf


def test_equal_rows_tell_nothing_apart_and_dead_rows_are_left_out() -> None:
    kernel = np.array([[0.25, 0.75, 0.0], [0.25, 0.75, 0.0], [0.0, 0.0, 0.0]])
    gains = np.exp(1 - np.eye(3))
    step = LinearStep(kernel)
    step.improve(gains)
    bound = step.step(gains)
    assert (bound >= 1).all()
    assert bound == pytest.approx(np.ones((3, 3)), abs=1e-13)


def test_fifty_one_states_are_solved_exactly() -> None:
    size = 51
    places = np.arange(size)
    near = np.exp(-abs(places[:, None] - places) / 3)
    np.fill_diagonal(near, 0)
    kernel = 0.5 * near / near.sum(axis=1, keepdims=True) + 0.5 * np.eye(size)
    gains = np.exp(0.02 * (1 - np.eye(size)) + 0.02 * abs(places[:, None] - places))
    step = LinearStep(kernel)
    step.improve(gains)
    bound = step.step(gains)
    for s, t in [(0, 50), (50, 0), (3, 4), (20, 31)]:
        exact = programme(kernel[s], kernel[t], gains)
        assert exact * (1 - 1e-9) <= bound[s, t] <= exact * (1 + 1e-8)
