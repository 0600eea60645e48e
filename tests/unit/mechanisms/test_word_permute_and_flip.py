"""Permute-and-flip as a mechanism: what it spends, how it is calibrated, where it degenerates."""

import math
from fractions import Fraction

import numpy as np
import pytest

from privet.exact import exp_up
from privet.languages import Language
from privet.mechanisms.word_permute_and_flip import WordPermuteAndFlip
from privet.symbols import Alphabet

CASES = [(1, 2, 1), (2, 2, 2), (3, 3, 2), (4, 2, 1), (4, 2, 3), (2, 5, 1)]


def make(size: int, **settings: object) -> WordPermuteAndFlip:
    return WordPermuteAndFlip(Language.all(Alphabet(range(size))), **settings)  # type: ignore[arg-type]  # settings are spelled at each call


@pytest.mark.parametrize(("length", "size", "adjacency"), CASES)
@pytest.mark.parametrize("epsilon", ["0.1", "1", "6"])
@pytest.mark.parametrize("calibration", ["paper", "exact"])
def test_spent_is_the_largest_log_ratio_of_the_exact_law(
    length: int, size: int, adjacency: int, epsilon: str, calibration: str
) -> None:
    mechanism = make(size, epsilon=epsilon, adjacency=adjacency, calibration=calibration)
    law = mechanism.probability_of_word(length)
    shifts = range(1, min(adjacency, length) + 1)
    worst = max(law[i] / law[i + s] for s in shifts for i in range(length - s + 1))
    spent = mechanism.spent(length)
    assert spent <= mechanism.epsilon
    assert worst <= exp_up(spent)
    assert float(spent) == pytest.approx(math.log(worst), abs=1e-12)


@pytest.mark.parametrize(("length", "size", "adjacency"), CASES)
def test_exact_calibration_uses_the_whole_epsilon_or_the_largest_rate(
    length: int, size: int, adjacency: int
) -> None:
    mechanism = make(size, epsilon=3, adjacency=adjacency, calibration="exact")
    published = make(size, epsilon=3, adjacency=adjacency, calibration="paper")
    at_cap = mechanism.rate(length) == pytest.approx(3 / adjacency, rel=1e-11)
    assert at_cap or float(mechanism.spent(length)) == pytest.approx(3, abs=1e-10)
    assert mechanism.expected_errors(length) < published.expected_errors(length)
    assert published.rate(length) == pytest.approx(1.5 / adjacency, rel=1e-15)


def test_calibration_tends_to_the_full_rate_on_long_words() -> None:
    mechanism = make(5, epsilon=1, adjacency=2)
    assert mechanism.rate(1000) == pytest.approx(0.5, rel=1e-11)
    assert mechanism.spent(1000) <= 1


@pytest.mark.parametrize("epsilon", ["1e-300", "1e-9", "50", "10000"])
def test_extreme_epsilon_stays_exact_and_sound(epsilon: str) -> None:
    mechanism = make(3, epsilon=epsilon)
    assert 0 <= mechanism.spent(4) <= mechanism.epsilon
    assert mechanism.rate(4) > 0
    assert 0 < mechanism.ratio(4) < 1
    np.testing.assert_allclose(mechanism.distance_distribution(4).sum(), 1, rtol=1e-12)
    if mechanism.epsilon >= 50:
        assert mechanism.release([0, 1, 2, 0] * 5) == [0, 1, 2, 0] * 5


@pytest.mark.parametrize(("length", "size", "adjacency"), CASES)
def test_record_loss_covers_every_pair_of_words(length: int, size: int, adjacency: int) -> None:
    mechanism = make(size, epsilon=2, adjacency=adjacency)
    law = mechanism.probability_of_word(length)
    loss = mechanism.record_loss(length).maximum
    for changed in range(1, length + 1):
        worst = max(law[i] / law[i + changed] for i in range(length - changed + 1))
        assert worst <= exp_up(changed * loss)
    if length:
        assert law[0] / law[1] == pytest.approx(float(exp_up(loss)), rel=1e-12)


def test_theorem_2_bounds_enclose_the_expected_errors() -> None:
    for length, size, epsilon in [(3, 2, "1"), (20, 4, "5"), (50, 3, "8"), (1, 2, "0.5")]:
        for calibration in ("paper", "exact"):
            mechanism = make(size, epsilon=epsilon, calibration=calibration)
            lower, upper = mechanism.error_bounds(length)
            assert lower <= mechanism.expected_errors(length) <= upper


def test_published_figure_for_twenty_symbols() -> None:
    # n = 20, m = 4, b = 1, epsilon = 5 at the published rate: 3.95 wrong symbols.
    mechanism = make(4, epsilon=5, calibration="paper")
    assert mechanism.expected_errors(20) == pytest.approx(3.95, abs=0.005)


def test_the_law_of_a_million_symbols_is_at_hand() -> None:
    mechanism = make(4, epsilon=1)
    log_law = mechanism.log_distance_distribution(10**6)
    assert np.isfinite(log_law).all()
    assert np.exp(log_law).sum() == pytest.approx(1, abs=1e-9)
    assert mechanism.expected_errors(10**6) == pytest.approx(
        10**6 * 3 / (3 + math.exp(1)), rel=1e-9
    )


def test_words_without_symbols_cost_and_change_nothing() -> None:
    mechanism = make(2, epsilon=1)
    assert mechanism.release([]) == []
    assert mechanism.spent(0) == 0
    assert mechanism.distance_distribution(0).tolist() == [1.0]
    assert mechanism.record_loss(0).maximum == 0
    assert mechanism.probability_of_word(0) == [Fraction(1)]


@pytest.mark.parametrize("epsilon", ["0.001", "1", "8", "1500"])
def test_error_bounds_are_rounded_outwards(epsilon: str) -> None:
    for length, size in [(20, 4), (1, 2), (7, 3)]:
        mechanism = make(size, epsilon=epsilon)
        odds = (size - 1) * mechanism.ratio(length)
        lower, upper = mechanism.error_bounds(length)
        assert Fraction(upper) >= length * odds / (1 + odds)
        assert upper > 0
        assert lower <= mechanism.expected_errors(length)


@pytest.mark.parametrize("size", [2, 3, 8])
@pytest.mark.parametrize("epsilon", ["0.1", "0.77", "3.7"])
@pytest.mark.parametrize("adjacency", [1, 3, 7])
def test_every_length_has_a_rate_also_where_doubles_see_rounding_only(
    size: int, epsilon: str, adjacency: int
) -> None:
    mechanism = make(size, epsilon=epsilon, adjacency=adjacency)
    for length in (1, 5, 60, 64, 65, 100, 1000):
        spent = mechanism.spent(length)
        assert 0 < spent <= mechanism.epsilon
        if length >= 100:
            assert spent >= mechanism.epsilon * (1 - Fraction(1, 10**9))
