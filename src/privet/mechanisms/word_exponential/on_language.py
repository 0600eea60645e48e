"""The exponential mechanism on a language that forbids some words.

Contract. P(x | w) is q^d(w, x) / Z(w) over the words x of the language of the length of w, with
Z(w) the sum of q^d over them and q at the published rate, up to `deviation` for draws in doubles.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from privet.exact import float_down, float_up, read_count
from privet.exact.enclosure import ball, endpoints
from privet.languages.balls import BallTrellis
from privet.languages.trellis import WeightTrellis
from privet.mechanisms.base import FloatArray
from privet.mechanisms.enumerated import spent_on
from privet.mechanisms.on_language import LanguageMechanism, LengthRate, log_law
from privet.mechanisms.word_exponential.mechanism import WordExponential
from privet.randomness import RandomSource

IntArray = npt.NDArray[np.int64]


class ExponentialOnLanguage(LanguageMechanism, WordExponential):
    """What `WordExponential(language, ...)` makes of a language that forbids words."""

    def log_distance_distribution(self, word: Sequence[Any] | int) -> FloatArray:
        """(n+1,) float64: entry l = log P(Hamming distance = l), -inf where no word lies."""
        counts = self._counts(word, "the law of the distance")
        return log_law(counts, -self.rate(len(counts) - 1) if len(counts) > 1 else 0.0)

    def error_bounds(self, word: Sequence[Any] | int) -> tuple[float, float]:
        """For a word its expected errors, which are exact; for a length 0 and the length."""
        if isinstance(word, int | np.integer):
            return 0.0, float(read_count(word, "length", minimum=0))
        expected = self.expected_errors(word)
        return expected, expected

    @property
    def response_matrix(self) -> FloatArray:
        """There is none: symbols of one word are not released independently."""
        raise AttributeError("on this language symbols are not released one by one")

    def _enumerated(self, length: int) -> Fraction:
        rate = self._rates[length]

        def bounds(counts: list[int]) -> tuple[FloatArray, FloatArray]:
            with ctx.workprec(128):
                q, total = ball(rate.q), arb(0)
                for count in reversed(counts):
                    total = total * q + count
                logs = [endpoints(q.log() * level - total.log()) for level in range(length + 1)]
            low, high = zip(*logs, strict=True)
            return np.array([*map(float_down, low)]), np.array([*map(float_up, high)])

        largest = spent_on(self.language, length, self.adjacency, bounds)
        return largest + rate.charge if largest else largest

    def _draw_words(self, source: RandomSource, words: IntArray, rate: LengthRate) -> IntArray:
        released = np.empty_like(words)
        safe = np.zeros(len(words), bool)
        if rate.doubles:
            trellis = WeightTrellis(self.language.automaton, words, float(rate.q))
            safe = trellis.safe
            released[safe] = trellis.draw(source, np.flatnonzero(safe))
        for row in np.flatnonzero(~safe):
            balls = BallTrellis(self.language.automaton, words[row].tolist(), rate.q)
            released[row] = balls.draw(source)
        return released
