"""What a reader of an answer really learns of one step, by simulation over draws from the chain.

Words of 8 steps of binary chains are drawn, each is asked for its count or histogram, and the
answers given X_i = a are compared with those given X_i = b: 400,000 words, false alarm rate
alpha = 1e-9 a test; the bits are replayed, so a run says the same everywhere. Beside the simulation
stands the law by enumeration of all words. Wrong twins, which the same draws must reject: half the
noise, whose realised loss is above epsilon and whose errors are half as large.
"""

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from privet import MarkovChain, release
from privet.mechanisms import MarkovLaplace, MarkovQuilt
from privet.privacy import MarkovFramework
from privet.queries import count, histogram
from privet.randomness import current_source, discrete_laplace, using_source
from privet.testing import ReplaySource, chi_square_agrees

ALPHA = 1e-9
WORDS = 400_000
LENGTH = 8
EPSILON = 1
SURE = 6.2
"""Standard errors: two tails of the normal law beyond them hold less than alpha."""
FAR = 60
"""Answers are told apart up to this far from the possible counts."""


@dataclass(frozen=True)
class Case:
    """A chain of states 0 and 1, how it starts, and the node whose state is to be guessed."""

    stay: str
    back: str
    initial: Any
    node: int

    def chain(self) -> MarkovChain:
        stay, back = Fraction(self.stay), Fraction(self.back)
        return MarkovChain(["1/3", "2/3"], [[stay, 1 - stay], [1 - back, back]])

    def framework(self) -> MarkovFramework:
        return MarkovFramework(self.chain(), initial=self.initial)

    def drawn_chain(self) -> MarkovChain:
        """The chain with the start that is assumed."""
        chain = self.chain()
        if self.initial == "given":
            return chain
        return MarkovChain(chain.exact_stationary(), chain.exact_transition)


CASES = [
    Case("0.8", "0.8", "stationary", 3),
    Case("0.8", "0.8", "stationary", 0),
    Case("0.9", "0.6", "stationary", 4),
    Case("0.7", "0.9", "given", 7),
    Case("0.7", "0.9", "given", 2),
]
EVERY_CASE = pytest.mark.parametrize("case", CASES, ids=str)


@cache
def drawn(case: Case) -> Any:
    """(WORDS, LENGTH) int64, the states of words of the chain."""
    with using_source(ReplaySource(11)):
        words = case.drawn_chain().sample_words(WORDS, LENGTH)
    return words.codes.reshape(WORDS, LENGTH).astype(np.int64)


def noise(scale: Fraction, size: int, seed: int) -> Any:
    with using_source(ReplaySource(seed)):
        return discrete_laplace(current_source(), scale, size)


def noise_law(offsets: Any, scale: Fraction) -> Any:
    q = math.exp(-1 / float(scale))
    return (1 - q) / (1 + q) * q ** np.abs(offsets)


def enumerated(case: Case, scale: Fraction, state: int) -> Any:
    """P(answer = -FAR .. LENGTH + FAR | X_node = state), and P(any other answer) last."""
    chain = case.drawn_chain()
    answers = np.arange(-FAR, LENGTH + FAR + 1)
    law, total = np.zeros(answers.size), 0.0
    for word in itertools.product(range(2), repeat=LENGTH):
        if word[case.node] != state:
            continue
        weight = chain.initial[word[0]]
        for one, two in itertools.pairwise(word):
            weight *= chain.transition[one, two]
        total += weight
        law += weight * noise_law(answers - sum(word), scale)
    law /= total
    return np.append(law, max(0.0, 1 - law.sum()))


def counted(answers: Any) -> Any:
    inside = (answers >= -FAR) & (answers <= LENGTH + FAR)
    cells = np.bincount(answers[inside] + FAR, minlength=LENGTH + 2 * FAR + 1)
    return np.append(cells, np.count_nonzero(~inside))


def answers_given(case: Case, scale: Fraction, seed: int = 12) -> tuple[Any, Any]:
    """Counts of answers given that the node is in state 0, and in state 1."""
    words = drawn(case)
    noisy = words.sum(axis=1) + noise(scale, WORDS, seed)
    there = words[:, case.node] == 1
    return counted(noisy[~there]), counted(noisy[there])


def worst_loss(first: Any, second: Any) -> float:
    """The largest log-ratio of two estimated laws that is sure, over cells with enough draws."""
    worst = -math.inf
    for a, b in ((first, second), (second, first)):
        enough = (a >= 25) & (b >= 25)
        ratio = np.log(a[enough] / a.sum()) - np.log(b[enough] / b.sum())
        error = np.sqrt(1 / a[enough] + 1 / b[enough])
        worst = max(worst, float((ratio - SURE * error).max()))
    return worst


@EVERY_CASE
def test_the_simulated_answers_have_the_enumerated_law(case: Case) -> None:
    scale = MarkovLaplace(case.framework(), epsilon=EPSILON).grid_scale(count(1), LENGTH)
    for state, cells in enumerate(answers_given(case, scale)):
        assert not chi_square_agrees(cells, enumerated(case, scale, state), ALPHA).rejected
        twin = enumerated(case, scale / 2, state)
        assert chi_square_agrees(cells, twin, ALPHA).rejected
        other = enumerated(case, scale, 1 - state)
        assert chi_square_agrees(cells, other, ALPHA).rejected


@EVERY_CASE
@pytest.mark.parametrize("kind", [MarkovLaplace, MarkovQuilt])
def test_the_realised_loss_is_below_epsilon(case: Case, kind: Any) -> None:
    mechanism = kind(case.framework(), epsilon=EPSILON)
    scale = mechanism.grid_scale(count(1), LENGTH)
    first, second = (enumerated(case, scale, state)[:-1] for state in (0, 1))
    exact = float(np.abs(np.log(first / second)).max())
    assert exact <= float(mechanism.spent(LENGTH, count(1))) <= EPSILON
    assert worst_loss(*answers_given(case, scale)) <= exact + 1e-9


@pytest.mark.parametrize("case", [CASES[0], CASES[2]], ids=str)
def test_half_the_noise_is_caught(case: Case) -> None:
    """Where the node is the worst one: a tight mechanism has no half to spare."""
    scale = MarkovLaplace(case.framework(), epsilon=EPSILON).grid_scale(count(1), LENGTH) / 2
    assert worst_loss(*answers_given(case, scale)) > EPSILON


def test_the_realised_loss_of_histograms_is_below_epsilon() -> None:
    """Both numbers at once, as the reader sees them: the pair (first, second) is one outcome."""
    case = CASES[0]
    mechanism = MarkovLaplace(case.framework(), epsilon=EPSILON)
    scale = mechanism.grid_scale(histogram(), LENGTH)
    words = drawn(case)
    ones, there = words.sum(axis=1), words[:, case.node] == 1

    def loss(scale: Fraction) -> float:
        first = LENGTH - ones + noise(scale, WORDS, 13)
        second = ones + noise(scale, WORDS, 14)
        # The difference holds all that both tell of the count; far ends are one outcome each.
        told = np.clip(second - first, -FAR, FAR)
        cells = [np.bincount(told[side] + FAR, minlength=2 * FAR + 1) for side in (~there, there)]
        return worst_loss(*cells)

    assert loss(scale) <= EPSILON
    assert loss(scale / 4) > EPSILON


@pytest.mark.parametrize("query", [count(1), histogram()], ids=["count", "histogram"])
def test_errors_and_intervals_are_as_predicted(query: Any) -> None:
    """300 releases through the accountable act, each of a fresh word of the chain."""
    case, releases = CASES[0], 300
    mechanism = MarkovLaplace(case.framework(), epsilon=EPSILON)
    words = drawn(case)
    errors, covered = [], 0
    with using_source(ReplaySource(15)):
        for word in words[:releases]:
            done = release(mechanism, word.tolist(), query=query, confidence="0.8", demo=True)
            errors += [*(done.realised_errors or ())]
            covered += sum(
                row["lower"] <= true <= row["upper"]
                for row, true in zip(
                    done.rows,
                    [int(word.sum())] if query == count(1) else np.bincount(word, minlength=2),
                    strict=True,
                )
            )
    predicted = done.receipt.to_json()["parts"][0]["noise"]["expected_error"]
    mean, spread = float(np.mean(errors)), float(np.std(errors)) / math.sqrt(len(errors))
    assert abs(mean - predicted) < SURE * spread
    assert abs(mean - predicted / 2) > SURE * spread
    assert abs(mean - predicted * 2) > SURE * spread
    share, error = covered / len(errors), math.sqrt(0.16 / len(errors))
    # Whole numbers only: an interval of noise holds a little more than was asked for.
    assert 0.8 - SURE * error < share < 0.87 + SURE * error
