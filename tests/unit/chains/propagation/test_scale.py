"""Scales: certified, the smallest, and quick enough not to grow with the length."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.chains import MarkovChain
from privet.chains.propagation import (
    propagated_epsilon,
    propagated_epsilon_of_box,
    propagated_scale,
    propagated_scale_of_box,
)
from privet.datasets import seattle

F = Fraction
SKEWED = MarkovChain(
    ["1/3", "1/3", "1/3"], [["0.7", "0.2", "0.1"], ["0.1", "0.8", "0.1"], ["1/3", "1/3", "1/3"]]
)


def scaled(constants: Any, scale: Fraction) -> list[tuple[int, int, Fraction]]:
    return [(start, stop, value / scale) for start, stop, value in constants]


@pytest.mark.parametrize("initial", ["given", "stationary", "any"])
@pytest.mark.parametrize("epsilon", [F(1, 100), F(1), F(8)])
@pytest.mark.parametrize(
    "constants",
    [
        [(0, 1, F(1))],
        [(0, 7, F(2))],
        [(0, 400, F(1))],
        [(0, 30, F(0)), (30, 90, F(1)), (90, 91, F(5)), (91, 200, F(0))],
        [(0, 10**6, F(1))],
    ],
)
def test_the_scale_is_enough_and_a_smaller_one_is_not(
    initial: Any, epsilon: Fraction, constants: Any
) -> None:
    scale, bound = propagated_scale(SKEWED, initial, constants, epsilon)
    assert bound.epsilon <= epsilon
    assert propagated_epsilon(SKEWED, initial, scaled(constants, scale)).epsilon <= epsilon
    below = scale * (1 - F(1, 10**6))
    assert propagated_epsilon(SKEWED, initial, scaled(constants, below)).epsilon > epsilon


def test_seattle() -> None:
    chain = MarkovChain.fit(seattle().words(), pseudocount=F(1, 2))
    scale, _ = propagated_scale(chain, "stationary", [(0, 1461, F(1))], F(1))
    assert float(scale) == pytest.approx(7.81, abs=0.005)
    spent = propagated_epsilon(chain, "stationary", [(0, 1461, F(1) / F("30.65"))])
    assert spent.epsilon < 1


def test_one_node_needs_its_own_noise_only() -> None:
    scale, bound = propagated_scale(SKEWED, "given", [(0, 1, F(3))], F(2))
    assert F(3, 2) <= scale < F(3, 2) * (1 + F(1, 10**6))
    assert bound.epsilon <= 2


def test_a_chain_that_never_moves_needs_the_sum() -> None:
    still = MarkovChain(["1/2", "1/2"], [[1, 0], [0, 1]])
    scale, bound = propagated_scale(still, "given", [(0, 500, F(1))], F(1))
    assert 500 <= scale <= 500 * (1 + F(1, 10**9))
    assert bound.epsilon <= 1


def test_no_constants_need_no_noise() -> None:
    scale, bound = propagated_scale(SKEWED, "given", [(0, 9, F(0))], F(1))
    assert scale == bound.epsilon == 0


def test_boxes_have_scales_too() -> None:
    class Box:
        lower = np.array([[0.78, 0.18], [0.18, 0.78]])
        upper = np.array([[0.82, 0.22], [0.22, 0.82]])

    constants = [(0, 10**6, F(1))]
    scale, bound = propagated_scale_of_box(Box(), constants, F(1))
    assert bound.epsilon <= 1
    assert propagated_epsilon_of_box(Box(), scaled(constants, scale)).epsilon <= 1
    assert 3.96 < scale < 5
