"""What a mechanism does to one symbol, in logarithms, so that no probability is too small to hold.

Contract. Entry (i, j) is log P(symbol j released | symbol i), to a few last digits, however small
the probability; -inf only where a matrix of floats says 0. Only mechanisms that answer each symbol
independently have one; any other is refused.
"""

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from privet.errors import ParameterError, ParameterTypeError
from privet.estimate.channel import named
from privet.symbols import Alphabet

FloatArray = npt.NDArray[np.float64]

_TOLERANCE = 1e-12


def read_response(mechanism: object) -> tuple[Alphabet, FloatArray]:
    """The alphabet and the log response matrix (m, m) of a mechanism.

    It has an `alphabet`, and exact `keep_probability` and `move_probability` or a
    `response_matrix`. Errors: ParameterTypeError, ParameterError for a matrix that is not
    stochastic.
    """
    alphabet = getattr(mechanism, "alphabet", None)
    language = getattr(mechanism, "language", None)
    # On a language that forbids words the symbols of a release depend on each other.
    if isinstance(alphabet, Alphabet) and getattr(language, "is_all", True):
        keep = getattr(mechanism, "keep_probability", None)
        move = getattr(mechanism, "move_probability", None)
        if isinstance(keep, Fraction) and isinstance(move, Fraction):
            logs = np.full((len(alphabet), len(alphabet)), _log(move))
            np.fill_diagonal(logs, _log(keep))
            return alphabet, logs
        matrix = getattr(mechanism, "response_matrix", None)
        if matrix is not None:
            return alphabet, _logs(np.asarray(matrix, np.float64), len(alphabet))
    raise ParameterTypeError(
        f"{named(mechanism)} does not answer each symbol on its own, so what it released "
        "cannot be decoded symbol by symbol.",
        hint="Release with RandomizedResponse, or WordExponential on all words.",
    )


def _log(probability: Fraction) -> float:
    # Python's logarithm takes integers of any size; a float of the ratio could be 0.
    if probability <= 0:
        return -math.inf
    if probability > Fraction(1, 2):
        return math.log1p(float(probability - 1))
    return math.log(probability.numerator) - math.log(probability.denominator)


def _logs(matrix: FloatArray, size: int) -> FloatArray:
    # Written so that NaN fails it.
    if matrix.shape != (size, size) or not (
        (matrix >= 0).all() and (abs(matrix.sum(axis=1) - 1) <= _TOLERANCE).all()
    ):
        raise ParameterError(
            f"The response matrix is not a stochastic matrix of shape ({size}, {size}).",
            hint="Each row holds the probabilities of the outputs for one input and sums to 1.",
        )
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(matrix))
