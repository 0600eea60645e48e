"""The exponential mechanism on a language that forbids some words.

Contract. P(x | w) is q^d(w, x) / Z(w) over the words x of the language of the length of w, with
Z(w) the sum of q^d over them and q at the published rate, up to `deviation` for draws in doubles.
Two deviations are charged: one for each of two inputs.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from privet.exact.enclosure import ball
from privet.languages.trellis import Trellis
from privet.mechanisms.base import FloatArray
from privet.mechanisms.enumerated import spent_on
from privet.mechanisms.on_language import LanguageMechanism, log_law
from privet.mechanisms.word_exponential.mechanism import WordExponential
from privet.randomness import RandomSource

IntArray = npt.NDArray[np.int64]

_MOST_COMPARED = 1 << 22
"""Pairs of words times levels: a second."""


class ExponentialOnLanguage(LanguageMechanism, WordExponential):
    """What `WordExponential(language, ...)` makes of a language that forbids words."""

    title = "exponential mechanism on a language"
    public_name = "WordExponential"
    deviations_charged = 2

    def log_distance_distribution(self, word: Sequence[Any] | int) -> FloatArray:
        """(n+1,) float64: entry l = log P(Hamming distance = l), -inf where no word lies."""
        counts = self._counts(word, "the law of the distance")
        return log_law(counts, -self.rate(len(counts) - 1) if len(counts) > 1 else 0.0)

    def error_bounds(self, word: Sequence[Any] | int) -> tuple[float, float]:
        """For a word its expected errors, which are exact; for a length 0 and the length."""
        if isinstance(word, int | np.integer):
            return 0.0, float(self._length(word))
        expected = self.expected_errors(word)
        return expected, expected

    @property
    def response_matrix(self) -> FloatArray:
        """There is none: symbols of one word are not released independently."""
        raise AttributeError("on this language symbols are not released one by one")

    def _can_enumerate(self, words: int, length: int) -> bool:
        return words * words * (length + 1) <= _MOST_COMPARED

    def _enumerated(self, length: int) -> Fraction:
        rate = self._rates[length]

        levels = np.arange(length + 1.0)
        with ctx.workprec(128):
            q = ball(rate.q)
            log_q = float(q.log().mid())

        def bounds(counts: list[int]) -> tuple[FloatArray, FloatArray]:
            with ctx.workprec(128):
                total = arb(0)
                for count in reversed(counts):
                    total = total * q + count
                log_total = float(total.log().mid())
            logs = levels * log_q - log_total
            # Two doubles rounded, a product and a difference: a relative 2^-51 of each part.
            slack = 2.0**-50 * (abs(log_total) + length * abs(log_q))
            return logs - slack, logs + slack

        largest = spent_on(self.language, length, self.adjacency, bounds)
        return largest + rate.charge if largest else largest

    def _draw_by(self, source: RandomSource, trellis: Trellis, words: IntArray) -> IntArray:
        return trellis.draw(source, np.arange(len(words)))
