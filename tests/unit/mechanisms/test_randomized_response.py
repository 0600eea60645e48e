"""Randomised response: the certified parameter, its tightness, and what it takes and gives back."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet import Alphabet, Codes, ParameterError, RandomizedResponse
from privet.exact import exp_down, exp_up
from privet.mechanisms.randomized_response.reference import parent, smallest_delta
from privet.mechanisms.symbolwise import SymbolLaw
from privet.privacy import on_loss_grid

ALPHABET = Alphabet(["no", "yes", "unknown"])

epsilons = st.one_of(
    st.fractions(Fraction(1, 10**6), 50),
    st.sampled_from([Fraction(1, 10**300), Fraction(1, 10**12), Fraction(10**4), Fraction(999)]),
)
deltas = st.one_of(
    st.just(Fraction(0)),
    st.fractions(Fraction(1, 10**9), Fraction(99, 100)),
    st.just(Fraction(1, 10**200)),
    st.just(1 - Fraction(1, 10**20)),
)


@given(st.integers(2, 10**6), epsilons, deltas)
def test_parameter_is_on_the_private_side_and_as_close_as_promised(
    size: int, epsilon: Fraction, delta: Fraction
) -> None:
    law = SymbolLaw(size, epsilon, delta)
    bits = law.bits + 200
    if not delta:
        # Without delta the rate lies on the grid of record losses; very small ones are below it.
        assert law.rate == epsilon or 0 < epsilon - law.rate < Fraction(1, 1 << 64)
        assert law.rate == on_loss_grid(epsilon)
        epsilon = law.rate
    tight_above = (1 - delta) / (exp_down(epsilon, bits) + size - 1)
    move = law.move_probability
    assert law.bits % 16 == 0
    # Theorem 8 holds for every value e^epsilon can have; then p is within 2^-60 of it.
    assert move >= (1 - delta) / (exp_up(epsilon, bits) + size - 1)
    assert move <= tight_above * (1 + Fraction(1, 1 << 60))
    assert 0 < move < Fraction(1, size)
    assert law.keep_probability == 1 - (size - 1) * move
    # The rate: keep / p lies between e^(k (1 - 2^-60)) and e^k, for the k of Theorem 4.
    odds, best = law.keep_probability / move, (1 - (size - 1) * tight_above) / tight_above
    assert odds <= best * (1 + Fraction(1, 1 << bits - 8))
    loss = Fraction(1, 1 << 60) * law.rate_up
    assert odds >= best * exp_down(-loss, 300) * (1 - Fraction(1, 1 << bits - 8))
    assert law.rate_up <= epsilon or delta > 0
    assert law.rate_up >= epsilon * (1 - Fraction(1, 1 << 59))


@given(st.integers(2, 5), st.fractions(Fraction(1, 10), 5), deltas, st.fractions(0, 6))
def test_smallest_delta_is_that_of_the_definition(
    size: int, epsilon: Fraction, delta: Fraction, asked: Fraction
) -> None:
    mechanism = RandomizedResponse(Alphabet(range(size)), epsilon=epsilon, delta=delta)
    rows = [parent(size, mechanism.move_probability, code) for code in range(size)]
    found = mechanism.smallest_delta(asked)
    assert smallest_delta(rows, exp_up(asked, 400)) <= found
    assert found <= smallest_delta(rows, exp_down(asked, 400)) + Fraction(1, 1 << 70)
    assert mechanism.smallest_delta(epsilon) <= delta + Fraction(1, 1 << 70)


def test_delta_zero_is_the_textbook_mechanism() -> None:
    mechanism = RandomizedResponse(ALPHABET, epsilon="1.5")
    assert float(mechanism.keep_probability) == pytest.approx(math.exp(1.5) / (math.exp(1.5) + 2))
    np.testing.assert_allclose(mechanism.response_matrix.sum(axis=1), 1)
    exact = mechanism.exact_response_matrix()
    assert [sum(row) for row in exact] == [1, 1, 1]
    np.testing.assert_array_equal(mechanism.response_matrix, np.array(exact, float))
    assert mechanism.spent() == mechanism.spent(1000)


def test_delta_moves_less_and_loses_more() -> None:
    pure = RandomizedResponse(ALPHABET, epsilon=1)
    mechanism = RandomizedResponse(ALPHABET, epsilon=1, delta="0.05")
    assert mechanism.move_probability < pure.move_probability
    assert mechanism.spent() <= 1
    # Theorem 4: the pure loss of a value is log((e^eps + (m-1) delta) / (1 - delta)).
    rate = math.log((math.e + 2 * 0.05) / 0.95)
    assert float(mechanism.record_loss(4).maximum) == pytest.approx(rate, rel=1e-15)
    assert "delta = 0.05" in mechanism.guarantee.sentence
    assert mechanism.guarantee.sentence.startswith("Any one value (one row of one column)")


@pytest.mark.parametrize("delta", [-0.1, 1, 1.0, 2, math.nan, math.inf, True, "x", None], ids=repr)
def test_bad_delta_is_refused(delta: object) -> None:
    with pytest.raises(ParameterError, match="delta"):
        RandomizedResponse(ALPHABET, epsilon=1, delta=delta)  # type: ignore[arg-type]  # the point


@pytest.mark.parametrize("epsilon", [-1, math.nan, True], ids=repr)
def test_smallest_delta_refuses_what_is_no_epsilon(epsilon: float) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        RandomizedResponse(ALPHABET, epsilon=1).smallest_delta(epsilon)


def test_arrays_of_any_shape_keep_it() -> None:
    mechanism = RandomizedResponse(ALPHABET, epsilon=1)
    for shape in [(), (0,), (5,), (3, 4), (2, 0, 3)]:
        codes = np.zeros(shape, np.int16)
        assert mechanism.release(codes).shape == shape
        assert mechanism.release(codes).dtype == np.int16
        assert mechanism.release(Codes(codes)).array.shape == shape


def test_columns_that_are_not_contiguous_are_read() -> None:
    mechanism = RandomizedResponse(ALPHABET, epsilon=10**4)
    table = np.arange(12, dtype=np.uint8).reshape(4, 3) % 3
    assert np.array_equal(mechanism.release(table[:, 1]), table[:, 1])
    assert np.array_equal(mechanism.release(table[::-1, ::2]), table[::-1, ::2])


def test_integer_symbols_are_labels() -> None:
    mechanism = RandomizedResponse(Alphabet([10, 20, 30]), epsilon=10**4)
    assert mechanism.release(np.array([30, 10])).tolist() == [30, 10]
    assert mechanism.release(Codes([2, 0])).array.tolist() == [2, 0]


def test_large_alphabets_work() -> None:
    size = 10**5
    mechanism = RandomizedResponse(Alphabet(range(size)), epsilon=2)
    codes = np.arange(size, dtype=np.uint32)
    out = mechanism.release(Codes(codes)).array
    assert out.dtype == np.uint32
    assert int(out.max()) < size
    assert np.count_nonzero(out == codes) < 100
