"""The Markov Quilt Mechanism against Algorithm 1 by definition, and what beats it."""

from fractions import Fraction
from typing import Any

import pytest

from privet.chains import MarkovChain
from privet.errors import ModelError
from privet.mechanisms import MarkovLaplace, MarkovQuilt
from privet.mechanisms.markov_quilt import reference
from privet.privacy import MarkovFramework

CHAINS = {
    "sticky": MarkovChain(["1/2", "1/2"], [["4/5", "1/5"], ["1/5", "4/5"]]),
    "uneven": MarkovChain(["3/10", "7/10"], [["9/10", "1/10"], ["2/5", "3/5"]]),
    "started": MarkovChain([1, 0], [["3/5", "2/5"], ["1/2", "1/2"]]),
    "three": MarkovChain(
        ["1/3", "1/3", "1/3"],
        [["2/5", "2/5", "1/5"], ["1/5", "3/5", "1/5"], ["3/10", "3/10", "2/5"]],
    ),
    "periodic": MarkovChain(["1/2", "1/2"], [[0, 1], [1, 0]]),
    "absorbing": MarkovChain([1, 0], [["1/2", "1/2"], [0, 1]]),
}


@pytest.mark.parametrize("name", list(CHAINS))
@pytest.mark.parametrize("epsilon", ["1/2", 2, 6])
def test_scale_is_that_of_algorithm_1(name: str, epsilon: Any) -> None:
    chain = CHAINS[name]
    mechanism = MarkovQuilt(MarkovFramework(chain), epsilon=epsilon)
    exact = chain.exact_initial, chain.exact_transition
    for length in (1, 2, 5):
        expected = reference.scale(exact, length, Fraction(epsilon))
        assert float(mechanism.scale(length)) == pytest.approx(expected, rel=1e-9)
        assert mechanism.scale(length) >= Fraction(expected) * (1 - Fraction(1, 10**14))


@pytest.mark.parametrize(
    ("stay", "stationary", "any_start", "approximate"),
    [
        ("0.5", 1, 1, 8.97),
        ("0.6", 3.57, 3.95, 11.5),
        ("0.8", 13.1, 14.2, 24.0),
        ("0.9", 31.7, 33.6, 49.2),
    ],
)
def test_scales_of_binary_chains(
    stay: str, stationary: float, any_start: float, approximate: float
) -> None:
    other = 1 - Fraction(stay)
    chain = MarkovChain(["1/2", "1/2"], [[stay, other], [other, stay]])
    given, free = (MarkovFramework(chain, initial=start) for start in ("stationary", "any"))
    assert float(MarkovQuilt(given, epsilon=1).scale(100)) == pytest.approx(stationary, rel=5e-3)
    assert float(MarkovQuilt(free, epsilon=1).scale(100)) == pytest.approx(any_start, rel=5e-3)
    published = MarkovQuilt(given, epsilon=1, method="approximate")
    assert float(published.scale(100)) == pytest.approx(approximate, rel=5e-3)
    assert published.spent(100, "count") < 1


def test_noise_is_for_the_largest_constant_of_any_node() -> None:
    mechanism = MarkovQuilt(MarkovFramework(CHAINS["sticky"]), epsilon=1)
    sigma = mechanism.scale(30)
    for query, constant in (("histogram", 2), ("count", 1), ("transitions", 4)):
        noise = mechanism.noise_scale(query, 30)
        assert constant * sigma <= noise <= constant * sigma * (1 + Fraction(1, 1 << 50))


def test_the_published_scale_is_never_below_the_calibrated_one() -> None:
    for chain in CHAINS.values():
        framework = MarkovFramework(chain)
        published = MarkovQuilt(framework, epsilon=1)
        better = MarkovLaplace(framework, epsilon=1)
        for query in ("count", "histogram", "transitions"):
            assert better.noise_scale(query, 40) <= published.noise_scale(query, 40)
            assert published.spent(40, query) <= 1


def test_the_approximation_says_which_condition_fails() -> None:
    for name in ("periodic", "absorbing"):
        mechanism = MarkovQuilt(MarkovFramework(CHAINS[name]), epsilon=1, method="approximate")
        with pytest.raises(ModelError, match=r"aperiodic|irreducible|period|reach"):
            mechanism.scale(10)
