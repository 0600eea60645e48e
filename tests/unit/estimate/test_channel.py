"""Channels against plain matrices, and what is refused."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from privet import WordPermuteAndFlip, WordStaircase
from privet.errors import ParameterError, ParameterTypeError
from privet.estimate.channel import MatrixChannel, SymmetricChannel, read_channel
from privet.symbols import Alphabet

KEEPS = [Fraction(1, 3), Fraction(9, 10), Fraction(1), Fraction(1, 20)]
LOPSIDED = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5]])


def matrix_of(size: int, keep: Fraction) -> np.ndarray:
    matrix = np.full((size, size), float((1 - keep) / (size - 1)))
    np.fill_diagonal(matrix, float(keep))
    return matrix


@pytest.mark.parametrize("keep", KEEPS)
@pytest.mark.parametrize("size", [2, 5])
@pytest.mark.parametrize("axis", [0, 1])
def test_symmetric_channel_is_its_matrix(keep: Fraction, size: int, axis: int) -> None:
    channel, matrix = SymmetricChannel(size, keep), matrix_of(size, keep)
    inverse = np.linalg.inv(matrix)
    table = np.arange(1.0, size * size + 1).reshape(size, size) ** 1.5

    def times(factor: np.ndarray) -> np.ndarray:
        return table @ factor if axis == 1 else factor.T @ table

    assert np.allclose(channel.apply(table, axis), times(matrix))
    assert np.allclose(channel.invert(table, axis), times(inverse))
    assert np.allclose(channel.square(table, axis), times(inverse**2))
    assert np.allclose(channel.excess(table, axis), times(inverse**2 - inverse), atol=1e-9)
    assert np.allclose(channel.inverse, inverse)


@pytest.mark.parametrize("axis", [0, 1])
def test_matrix_channel_undoes_its_matrix_along_one_axis(axis: int) -> None:
    channel = MatrixChannel(LOPSIDED)
    table = np.arange(6.0).reshape((3, 2) if axis == 0 else (2, 3))
    assert np.allclose(channel.invert(channel.apply(table, axis), axis), table)
    assert np.allclose(channel.inverse @ LOPSIDED, np.eye(3))


def test_inverse_keeps_its_digits_where_the_release_says_almost_nothing() -> None:
    # keep = 1/8 + 10^-12 is not told from 1/8 by subtracting floats: the contrast would be off by
    # a part in a thousand.
    channel = SymmetricChannel(8, Fraction(1, 8) + Fraction(1, 10**12))
    assert channel.slope == pytest.approx(8e-12 / 7, rel=1e-15)
    shares = channel.invert(np.array([30.0, 0, 0, 10, 0, 0, 0, 0]), 0)
    assert shares[0] == pytest.approx(25 * 7 / 8e-12, rel=1e-12)
    assert shares.sum() == pytest.approx(40, abs=1e-15 * abs(shares).sum())


def test_excess_keeps_its_digits_where_almost_nothing_is_changed() -> None:
    lie = Fraction(1, 10**20)
    channel = SymmetricChannel(3, 1 - lie)
    excess = channel.excess(np.array([1.0, 0.0, 0.0]), 0)
    assert excess == pytest.approx([1e-20, 0.5e-20, 0.5e-20], rel=1e-12)


def test_symmetric_matrix_is_recognised_without_a_keep_probability() -> None:
    alphabet = Alphabet(["a", "b", "c"])
    matrix = matrix_of(3, Fraction(3, 5))
    read = read_channel(SimpleNamespace(alphabet=alphabet, response_matrix=matrix))
    assert read[0] == alphabet
    assert isinstance(read[1], SymmetricChannel)
    assert read[1].keep == 0.6


def test_keep_probability_is_enough_and_no_matrix_is_built() -> None:
    class Large:
        alphabet = Alphabet(range(100_000))
        keep_probability = Fraction(1, 10)

        @property
        def response_matrix(self) -> np.ndarray:
            raise MemoryError

    assert read_channel(Large())[1].size == 100_000


@pytest.mark.parametrize("size", [2, 8])
def test_no_information_is_refused(size: int) -> None:
    with pytest.raises(ParameterError, match="independent of its input"):
        SymmetricChannel(size, Fraction(1, size))
    with pytest.raises(ParameterError, match="independent of its input"):
        SymmetricChannel(size, Fraction(1, size) + Fraction(1, 10**150))
    uniform = np.full((size, size), 1 / size)
    with pytest.raises(ParameterError, match="independent of its input"):
        read_channel(SimpleNamespace(alphabet=Alphabet(range(size)), response_matrix=uniform))


@pytest.mark.parametrize(
    "matrix",
    [
        [[0.5, 0.5, 0.1], [0, 1, 0], [0, 0, 1]],
        [[1.5, -0.5, 0], [0, 1, 0], [0, 0, 1]],
        [[np.nan, 0.5, 0.5], [0, 1, 0], [0, 0, 1]],
        [[1, 0], [0, 1]],
        [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]],
    ],
)
def test_matrices_that_are_no_channels_are_refused(matrix: list[list[float]]) -> None:
    alphabet = Alphabet(["a", "b", "c"])
    with pytest.raises(ParameterError):
        read_channel(SimpleNamespace(alphabet=alphabet, response_matrix=np.array(matrix)))


@pytest.mark.parametrize("kind", [WordStaircase, WordPermuteAndFlip])
def test_refusal_says_what_can_be_done(kind: type[WordStaircase | WordPermuteAndFlip]) -> None:
    mechanism = kind(Alphabet(["a", "b"]), epsilon=1)
    with pytest.raises(ParameterTypeError, match="each symbol on its own") as caught:
        read_channel(mechanism)
    for remedy in ("RandomizedResponse", "WordExponential", "adds its epsilon"):
        assert remedy in caught.value.hint


@pytest.mark.parametrize(
    "mechanism", [None, "randomized-response", SimpleNamespace(alphabet=Alphabet(["a", "b"]))]
)
def test_mechanisms_on_whole_words_are_refused(mechanism: object) -> None:
    with pytest.raises(ParameterTypeError, match="each symbol on its own"):
        read_channel(mechanism)
