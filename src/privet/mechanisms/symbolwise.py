"""Answering each symbol by itself: the law of k-ary randomised response, and what follows from it.

Contract. A symbol is kept with probability 1 - (m-1) p and becomes each of the m - 1 others with
probability p = P / 2^F. P is rounded up, so p is never below the p of the rate asked for, which is
more privacy (Theorem 8 of [holohan-leith-mason-2016]); F is so large that both p and the rate
log(keep / p) are within a relative 2^-60 of it. Without delta the rate is first rounded down to a
multiple of 2^-64, the grid of record losses (a rate below that is left as it is). Everything stated
is computed from P / 2^F. The law on words is the exponential mechanism at that rate (Theorem 7
there).
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.exact import exp_down, exp_up, float_down, float_up, log_up, read_count
from privet.mechanisms.base import CodeArray, FloatArray, HammingMechanism
from privet.mechanisms.levels import log_level_weights
from privet.privacy import RecordLoss, Response, on_loss_grid
from privet.randomness import OffsetLaw, current_source

PRECISION = 60
"""Rounding the parameter changes it, and the rate, by a factor within 1 +- 2^-60."""

_STEP = 16


def fraction_bits(sensitivity: Fraction) -> int:
    """F, a multiple of 16, so that sensitivity * 2 * 2^-F <= 2^-60."""
    bits = PRECISION + 1 + (-(-sensitivity.numerator // sensitivity.denominator)).bit_length()
    return -(-bits // _STEP) * _STEP


class SymbolLaw:
    """The certified law of one symbol at rate `rate` > 0 over `size` symbols, tight for `delta`.

    `move_probability` p and `keep_probability`, exact; `rate_up`: a bound of log(keep / p), which
    is the rate itself if delta = 0 and at most log((e^rate + (m-1) delta) / (1 - delta)) otherwise.
    """

    def __init__(self, size: int, rate: Fraction, delta: Fraction = Fraction(0)) -> None:
        rate = rate if delta else on_loss_grid(rate)
        self.size, self.rate, self.delta = size, rate, delta
        # An error x of p changes log(keep / p) by x / (p keep), relatively by x / (p keep rate),
        # and keep >= 1/m; the two roundings below add up to less than 2 * 2^-F.
        inverse = (exp_up(rate) + size - 1) / (1 - delta)
        self.bits = fraction_bits(inverse * max(Fraction(1), size / rate))
        exact = (1 - delta) / (exp_down(rate, self.bits) + size - 1)
        self.move = -((-exact.numerator << self.bits) // exact.denominator)
        self.move_probability = Fraction(self.move, 1 << self.bits)
        self.keep_probability = 1 - (size - 1) * self.move_probability
        # For delta = 0, keep / p <= e^rate is what p >= 1 / (e^rate + m - 1) says, so the rate
        # bounds the logarithm as well as the rounded logarithm does.
        loss = log_up(self.keep_probability / self.move_probability)
        self.rate_up = loss if delta else min(loss, rate)

    @cached_property
    def offsets(self) -> OffsetLaw:
        """The sampler: what is added to a code, modulo m."""
        return OffsetLaw(self.size, self.move, self.bits)

    def expected_errors(self, length: int) -> Fraction:
        """n (m-1) p, exactly."""
        return length * (self.size - 1) * self.move_probability

    def error_bounds(self, length: int) -> tuple[float, float]:
        """(lower, upper) of the expected errors by Theorem 5 of [holohan-leith-mason-2016].

        n (m-1) (1-delta) / (e^rate + m - 1) from below, and from above the expected errors of the
        rounded law, which attain it but for the rounding.
        """
        share = (1 - self.delta) / (exp_up(self.rate) + self.size - 1)
        lower = float_down(length * (self.size - 1) * share)
        return lower, float_up(self.expected_errors(length))


class SymbolwiseMechanism(HammingMechanism):
    """A mechanism whose release of a word is a release of each symbol by `law`."""

    law: SymbolLaw

    @property
    def keep_probability(self) -> Fraction:
        """Exact P(a symbol is released as it is)."""
        return self.law.keep_probability

    @property
    def move_probability(self) -> Fraction:
        """Exact P(a symbol is released as one given other symbol)."""
        return self.law.move_probability

    @property
    def response(self) -> Response | None:
        """The law of one symbol as the accountant takes it, from the exact probabilities."""
        return Response(self.law.rate_up, 1 - self.keep_probability - self.move_probability)

    @property
    def response_matrix(self) -> FloatArray:
        """(m, m) float64: entry (i, j) = P(symbol j released | symbol i). It has m^2 entries.

        Rounded to doubles, in either direction: of a mechanism at exactly epsilon, a verdict about
        these may be violated in the last digits. Verify `exact_response_matrix()` instead.
        """
        size = self.law.size
        matrix = np.full((size, size), float(self.move_probability))
        np.fill_diagonal(matrix, float(self.keep_probability))
        return matrix

    def exact_response_matrix(self) -> list[list[Fraction]]:
        """m rows of m exact probabilities, as `response_matrix`."""
        keep, move = self.keep_probability, self.move_probability
        size = range(self.law.size)
        return [[keep if i == j else move for j in size] for i in size]

    def spent(self, length: int = 1) -> Fraction:
        """An upper bound of log(keep / p) min(adjacency, length), exact within 2^-64."""
        size = read_count(length, "length", minimum=0)
        return min(self.epsilon, self.law.rate_up * min(self.adjacency, size))

    def record_loss(self, length: int = 1) -> RecordLoss:
        """log(keep / p) for every symbol: symbols are answered independently."""
        return RecordLoss.constant(length, self.law.rate_up)

    def log_distance_distribution(self, word: Sequence[Any] | int) -> FloatArray:
        """(n+1,) float64: entry l = log P(Hamming distance = l), a binomial law."""
        return log_level_weights(self._length(word), self.law.size, -float(self._log_odds))

    def probability_of_word(self, length: int) -> list[Fraction]:
        """[p^l keep^(n-l), l = 0..n], exactly."""
        size = read_count(length, "length", minimum=0)
        keep, move = self.keep_probability, self.move_probability
        return [move**level * keep ** (size - level) for level in range(size + 1)]

    def expected_errors(self, word: Sequence[Any] | int) -> float:
        """The expected number of symbols that differ: n (m-1) p, to the nearest double."""
        return float(self.law.expected_errors(self._length(word)))

    def error_bounds(self, word: Sequence[Any] | int) -> tuple[float, float]:
        """(lower, upper) by Theorem 5 of [holohan-leith-mason-2016], which is attained."""
        return self.law.error_bounds(self._length(word))

    @cached_property
    def _log_odds(self) -> Fraction:
        return log_up(self.keep_probability / self.move_probability)

    def _draw(self, codes: CodeArray, offsets: npt.NDArray[np.int64]) -> CodeArray:
        del offsets  # symbols are answered independently, whatever word they stand in
        released = np.empty_like(codes)
        self.law.offsets.apply_into(current_source(), codes, released)
        return released
