"""Laplace noise for Markov chains: its scales, on chains whose best possible scale is known."""

from fractions import Fraction

import numpy as np
import pytest

from privet.chains import MarkovChain
from privet.mechanisms import MarkovLaplace
from privet.mechanisms.markov_laplace import reference
from privet.privacy import MarkovFramework
from privet.queries import count, transitions
from privet.symbols import Words


def binary(stay: str) -> MarkovChain:
    other = 1 - Fraction(stay)
    return MarkovChain(["1/2", "1/2"], [[stay, other], [other, stay]])


@pytest.mark.parametrize(("stay", "scale"), [("0.6", 1.47), ("0.8", 3.85), ("0.9", 8.64)])
def test_scales_of_binary_chains(stay: str, scale: float) -> None:
    framework = MarkovFramework(binary(stay), initial="stationary")
    mechanism = MarkovLaplace(framework, epsilon=1)
    assert float(mechanism.scale(1461)) == pytest.approx(scale, rel=5e-3)
    assert float(mechanism.noise_scale(count(), 1461)) == pytest.approx(scale, rel=5e-3)
    assert 0.999 < mechanism.spent(1461, count()) <= 1


def test_methods_bound_each_other() -> None:
    framework = MarkovFramework(binary("0.8"))
    scales = {
        method: MarkovLaplace(framework, epsilon=1, method=method).noise_scale("histogram", 50)
        for method in ("best", "propagation", "quilt", "group")
    }
    assert scales["best"] == min(scales.values())
    assert scales["best"] < scales["quilt"] / 2
    assert max(scales.values()) == scales["group"]
    assert 100 <= scales["group"] < 100 + Fraction(1, 10**12)


def test_nodes_that_are_not_read_cost_less() -> None:
    mechanism = MarkovLaplace(MarkovFramework(binary("0.8")), epsilon=1)
    whole = mechanism.noise_scale("count", 60)
    part = mechanism.noise_scale("count", 60, nodes=(20, 40))
    one = mechanism.noise_scale("count", 60, nodes=(30, 31))
    assert one < part < whole
    assert one >= 1
    assert mechanism.record_loss(60, "count", nodes=(20, 40)).pieces[0] == (0, 20, Fraction(0))
    assert mechanism.spent(60, "count", nodes=(20, 40)) <= 1


@pytest.mark.parametrize("stay", ["0.6", "0.9"])
def test_on_binary_chains_hardly_any_noise_is_given_away(stay: str) -> None:
    # Propagation is exact for binary chains: the realised loss is epsilon, but for what the
    # steps of integer noise cannot use.
    chain = binary(stay)
    mechanism = MarkovLaplace(MarkovFramework(chain), epsilon="1/2")
    law = reference.word_law((chain.exact_initial, chain.exact_transition), 7)
    scale = mechanism.grid_scale(count(), 7)
    least, most = reference.worst_ratio(law, lambda word: reference.count(word, {1}), scale)
    assert most <= np.exp(0.5)
    assert least > np.exp(0.5 * 0.9)


def test_a_million_steps_and_many_people() -> None:
    mechanism = MarkovLaplace(MarkovFramework(binary("0.8")), epsilon=1)
    alphabet = mechanism.alphabet
    word = np.zeros(10**6, np.uint8)
    word[::3] = 1
    counted = mechanism.release(transitions(), Words(alphabet, word, [0, word.size]))
    assert abs(counted.sum() - (10**6 - 1)) < 2000
    assert abs(mechanism.release("count", Words(alphabet, word, [0, word.size])) - 333_334) < 500
    people = Words(alphabet, word, np.arange(0, 10**6 + 1, 100))
    assert abs(mechanism.release("share", people) - 1 / 3) < 0.001
    assert mechanism.expected_error("share", people.lengths) < 1e-4
