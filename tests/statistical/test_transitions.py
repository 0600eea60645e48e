"""Chains learnt from released words against the truth, and the errors that are stated for them.

Seeds are fixed, so a pass is a pass for ever; ALPHA is what a new seed would risk.
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom, norm

from privet import RandomizedResponse, estimate
from privet.chains import MarkovChain
from privet.estimate.transitions import TransitionEstimate
from privet.randomness import using_source
from privet.symbols import Alphabet, Words
from privet.testing import ReplaySource

ALPHA = 1e-6
THREE = MarkovChain(
    [0.5, 0.3, 0.2], [[0.8, 0.15, 0.05], [0.1, 0.7, 0.2], [0.3, 0.1, 0.6]], Alphabet("abc")
)
TWO = MarkovChain([0.6, 0.4], [[0.8, 0.2], [0.35, 0.65]], Alphabet("ab"))


def release(chain: MarkovChain, epsilon: float, count: int, length: int) -> Words:
    mechanism = RandomizedResponse(chain.alphabet, epsilon=epsilon)
    words: Words = mechanism.release(chain.sample_words(count, length))
    return words


def learnt(words: Words, epsilon: float) -> np.ndarray:
    found = estimate.transitions(words, RandomizedResponse(words.alphabet, epsilon=epsilon))
    return found.chain.transition


def counted(words: Words, epsilon: float) -> np.ndarray:
    del epsilon
    return MarkovChain.fit(words).transition


def learnt_at_another_epsilon(words: Words, epsilon: float) -> np.ndarray:
    return learnt(words, 1.25 * epsilon)


@pytest.mark.parametrize(
    ("estimator", "right"),
    [(learnt, True), (counted, False), (learnt_at_another_epsilon, False)],
)
@pytest.mark.parametrize("epsilon", [1.0, 3.0])
def test_the_chain_is_recovered(
    epsilon: float, estimator: Callable[[Words, float], np.ndarray], right: bool
) -> None:
    # 30 thousand words of 6 symbols; all nine steps within z of the standard errors that the right
    # estimate states. Wrong twins: the steps of the released words counted as they are, and a
    # response matrix of another epsilon.
    with using_source(ReplaySource(31)):
        words = release(THREE, epsilon, 30_000, 6)
    stated = estimate.transitions(words, RandomizedResponse(THREE.alphabet, epsilon=epsilon))
    assert stated.converged
    assert stated.notes == ()
    off = abs(estimator(words, epsilon) - THREE.transition) / stated.standard_errors
    assert bool((off < norm.isf(ALPHA / 18)).all()) == right


def repeated(information: str, repeats: int) -> list[TransitionEstimate]:
    estimates = []
    with using_source(ReplaySource(32)):
        for _ in range(repeats):
            words = release(TWO, 2.0, 1000, 4)
            mechanism = RandomizedResponse(TWO.alphabet, epsilon=2)
            estimates.append(
                estimate.transitions(words, mechanism, information=information, restarts=1)  # type: ignore[arg-type]  # a literal by the parameters below
            )
    return estimates


@pytest.mark.parametrize("information", ["observed", "words"])
def test_standard_errors_cover_as_stated(information: str) -> None:
    # 300 data sets of 1000 words of 4 symbols: how often the 95% interval of each probability holds
    # the truth lies within the binomial bounds. Wrong twin: the standard errors of counting, which
    # leave the noise of the release out.
    repeats = 300
    found = repeated(information, repeats)
    low, high = (binom.ppf(level, repeats, 0.95) for level in (ALPHA / 6, 1 - ALPHA / 6))
    truth = np.array([TWO.initial[0], *np.diag(TWO.transition)])
    values = np.array([[e.initial[0], *np.diag(e.chain.transition)] for e in found])
    errors = np.array([[e.initial_standard_errors[0], *np.diag(e.standard_errors)] for e in found])
    inside = (abs(values - truth) < 1.959964 * errors).sum(axis=0)
    assert ((inside >= low) & (inside <= high)).all()
    rows = np.array([[1000, *e.departures] for e in found])
    naive = np.sqrt(values * (1 - values) / rows)
    assert ((abs(values - truth) < 1.959964 * naive).sum(axis=0) < low).all()
    # Scatter and stated error agree, and the estimates are not biased by half of it.
    scores = (values - truth) / errors
    assert abs(scores.mean(axis=0)).max() < norm.isf(ALPHA / 6) / repeats**0.5 + 0.1
    assert 0.8 < scores.std() < 1.2
