"""Laws that hold for mechanisms whatever their parameters."""

from fractions import Fraction
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from privet import Alphabet, IndependentRecords, RandomizedResponse, WordExponential, WordStaircase
from privet.exact import exp_down

epsilons = st.fractions(Fraction(1, 1000), 30, max_denominator=1000)


@given(epsilons, st.integers(2, 6), st.integers(1, 8), st.integers(1, 5))
def test_a_staircase_never_steps_down_by_more_than_epsilon_within_its_adjacency(
    epsilon: Fraction, symbols: int, length: int, adjacency: int
) -> None:
    mechanism = WordStaircase(Alphabet(range(symbols)), epsilon=epsilon, adjacency=adjacency)
    law, limit = mechanism.probability_of_word(length), exp_down(epsilon, 512)
    assert all(a >= b for a, b in pairwise(law))
    for distance in range(length + 1):
        assert law[distance] <= limit * law[min(distance + adjacency, length)]


@given(epsilons, st.integers(2, 6), st.integers(1, 8), st.integers(1, 5))
def test_the_staircase_has_no_more_errors_than_the_exponential_mechanism(
    epsilon: Fraction, symbols: int, length: int, adjacency: int
) -> None:
    alphabet = Alphabet(range(symbols))
    staircase = WordStaircase(alphabet, epsilon=epsilon, adjacency=adjacency)
    exponential = WordExponential(alphabet, epsilon=epsilon, adjacency=adjacency)
    best, rival = staircase.expected_errors(length), exponential.expected_errors(length)
    assert best <= rival * (1 + 1e-9)
    lower, upper = staircase.error_bounds(length)
    assert lower * (1 - 1e-9) <= best <= upper * (1 + 1e-9)


@given(epsilons, epsilons, st.integers(2, 300))
def test_more_epsilon_means_fewer_errors_and_more_loss(
    first: Fraction, second: Fraction, symbols: int
) -> None:
    less, more = sorted([first, second])
    alphabet = Alphabet(range(symbols))
    private = RandomizedResponse(alphabet, epsilon=less)
    loose = RandomizedResponse(alphabet, epsilon=more)
    assert private.move_probability >= loose.move_probability
    assert private.spent() <= loose.spent()
    assert private.expected_errors(9) >= loose.expected_errors(9)


@given(epsilons, st.integers(2, 6), st.integers(1, 40), st.integers(1, 5))
def test_word_guarantee_is_no_more_than_the_losses_of_its_symbols(
    epsilon: Fraction, symbols: int, length: int, adjacency: int
) -> None:
    mechanism = WordExponential(Alphabet(range(symbols)), epsilon=epsilon, adjacency=adjacency)
    by_records = IndependentRecords(adjacency).epsilon(mechanism.record_loss(length))
    slack = Fraction(adjacency, 1 << 64)
    assert mechanism.spent(length) <= by_records <= mechanism.spent(length) + slack


@settings(max_examples=30)
@given(st.lists(st.integers(0, 2), max_size=30), epsilons)
def test_a_release_has_the_length_and_alphabet_of_its_word(
    word: list[int], epsilon: Fraction
) -> None:
    alphabet = Alphabet(range(3))
    for mechanism in (
        RandomizedResponse(alphabet, epsilon=epsilon, delta="1/1000"),
        WordExponential(alphabet, epsilon=epsilon),
        WordStaircase(alphabet, epsilon=epsilon),
    ):
        out = mechanism.release(word)
        assert len(out) == len(word)
        assert set(out) <= {0, 1, 2}
