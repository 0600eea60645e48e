"""The staircase: its shift is the best, the best staircase solves the linear programme."""

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet import Alphabet, Language, ModelError, WordExponential, WordStaircase
from privet.exact import exp_up
from privet.mechanisms.word_staircase.reference import expected_errors, least_expected_errors
from privet.mechanisms.word_staircase.shift import best_shift
from privet.privacy import on_loss_grid

# Lengths, alphabet sizes, adjacencies, epsilons: 144 programmes.
GRID = list(itertools.product([2, 5, 10], [2, 3, 5, 20], [1, 2, 3, 4], [0.3, 2, 6]))


@pytest.mark.parametrize(("length", "size", "adjacency", "epsilon"), GRID)
def test_no_law_by_distance_has_fewer_errors(
    length: int, size: int, adjacency: int, epsilon: float
) -> None:
    mechanism = WordStaircase(Alphabet(range(size)), epsilon=epsilon, adjacency=adjacency)
    least = least_expected_errors(length, size, epsilon, adjacency)
    assert mechanism.expected_errors(length) == pytest.approx(least, rel=1e-6, abs=1e-8)


def test_the_programme_sees_a_worse_shift() -> None:
    # The comparison above would notice: with the other shift there are over ten times the errors.
    factor = exp_up(Fraction(-10))
    shifts = [float(expected_errors(10, 5, factor, 2, shift)) for shift in (0, 1)]
    least = least_expected_errors(10, 5, 10.0, 2)
    assert min(shifts) == pytest.approx(least, rel=1e-7)
    assert max(shifts) > 10 * least


@given(
    st.integers(1, 40),
    st.integers(2, 50),
    st.integers(1, 45),
    st.fractions(Fraction(1, 100), 40, max_denominator=100),
)
def test_shift_is_the_best(length: int, size: int, period: int, epsilon: Fraction) -> None:
    factor = exp_up(-epsilon)
    shift = best_shift(length, size, -float(epsilon), period)
    errors = [expected_errors(length, size, factor, period, r) for r in range(min(period, length))]
    assert 0 <= shift < min(period, length)
    assert float(errors[shift]) == pytest.approx(float(min(errors)), rel=1e-9)


@pytest.mark.parametrize("epsilon", ["1e-300", "1e-6", 1, 700, 10**4])
@pytest.mark.parametrize("adjacency", [1, 5, 60])
def test_factor_is_on_the_private_side(epsilon: object, adjacency: int) -> None:
    mechanism = WordStaircase(Alphabet("ab"), epsilon=epsilon, adjacency=adjacency)  # type: ignore[arg-type]  # texts and numbers
    rate = on_loss_grid(mechanism.epsilon)
    assert rate == mechanism.epsilon or mechanism.epsilon - rate < Fraction(1, 1 << 64)
    wanted = exp_up(-rate, 20_000)
    assert wanted <= mechanism.factor < 1
    assert mechanism.factor <= wanted * (1 + Fraction(1, 1 << 60))
    spent = mechanism.spent(70)
    assert rate * (1 - Fraction(1, 1 << 59)) <= spent <= rate <= mechanism.epsilon
    assert math.isfinite(mechanism.expected_errors(70))


def test_adjacency_one_is_the_exponential_mechanism() -> None:
    alphabet = Alphabet("abcd")
    staircase = WordStaircase(alphabet, epsilon=2)
    exponential = WordExponential(alphabet, epsilon=2)
    assert staircase.shift(9) == 0
    for length in (1, 9, 1000):
        assert staircase.expected_errors(length) == pytest.approx(
            exponential.expected_errors(length), rel=1e-12
        )
        lower, upper = staircase.error_bounds(length)
        assert lower == pytest.approx(upper, rel=1e-14)


def test_it_beats_the_exponential_mechanism_where_several_symbols_change() -> None:
    # The case worked out by hand: 10 symbols over 5, two of them protected, epsilon 10.
    alphabet = Alphabet("abcde")
    assert WordStaircase(alphabet, epsilon=10, adjacency=2).expected_errors(10) == pytest.approx(
        0.065, abs=5e-4
    )
    assert WordExponential(alphabet, epsilon=10, adjacency=2).expected_errors(10) == pytest.approx(
        0.262, abs=5e-4
    )


def test_a_language_of_all_words_is_as_good_as_its_alphabet() -> None:
    alphabet = Alphabet("ab")
    assert WordStaircase(Language.all(alphabet), epsilon=1) == WordStaircase(alphabet, epsilon=1)


def test_a_language_that_forbids_words_is_refused() -> None:
    some = Language.from_allowed(Alphabet("ab"), [[1, 1], [1, 0]])
    with pytest.raises(ModelError, match="forbids some words"):
        WordStaircase(some, epsilon=1)
