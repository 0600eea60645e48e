"""The staircase mechanism on all words: probability steps down by e^-epsilon every b errors.

Contract. P(x | w) is proportional to Q^ceil(max(d(w, x) - r, 0) / b), with b the adjacency, Q a
rational at or above e^-epsilon (rounded up, so more private; epsilon itself is first rounded down
to the grid of record losses) and the shift r in 0..b-1, chosen for each word length as the one with
the fewest expected errors. Every r is private (PROOF.md), so the floats that choose it decide
nothing about privacy. The form is the discrete staircase of [geng-kairouz-oh-viswanath-2015], with
the Hamming distance in the place of |noise|.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privet.exact import (
    exp_down,
    exp_up,
    float_down,
    float_up,
    log_down,
    log_up,
    read_count,
    read_epsilon,
    up,
)
from privet.exact.number import Number
from privet.languages import Language
from privet.mechanisms.base import CodeArray, FloatArray, HammingMechanism
from privet.mechanisms.by_length import ByLength
from privet.mechanisms.levels import StaircaseLevels, log_level_weights, staircase_step_logs
from privet.mechanisms.substitution import draw_by_level
from privet.mechanisms.symbolwise import fraction_bits
from privet.mechanisms.word_staircase.shift import best_shift
from privet.mechanisms.words import read_alphabet, word_guarantee
from privet.privacy import Guarantee, RecordLoss, on_loss_grid
from privet.randomness import current_source
from privet.symbols import Alphabet


@dataclass(frozen=True)
class LengthLaw:
    """Everything about words of one length n >= 1: the shift r, and the law on levels."""

    shift: int
    levels: StaircaseLevels


class WordStaircase(HammingMechanism):
    """The staircase mechanism on words.

    `alphabet`: the public symbols; `epsilon`: the guarantee for words that differ in 1 to
    `adjacency` places. With adjacency 1 it is the exponential mechanism at rate epsilon.
    `factor`: Q, exactly. Errors: ParameterError, ParameterTypeError.
    """

    name: ClassVar[str] = "word-staircase"
    title: ClassVar[str] = "staircase mechanism on words"

    def __init__(
        self, alphabet: Alphabet | Language, *, epsilon: Number, adjacency: int = 1
    ) -> None:
        self.alphabet = read_alphabet(alphabet)
        self.epsilon = read_epsilon(epsilon)
        self.adjacency = read_count(adjacency, "adjacency")
        # An error x of Q changes log(1 / Q) by x / Q; the two roundings add up to 2 * 2^-F.
        rate = on_loss_grid(self.epsilon)
        bits = fraction_bits(exp_up(rate) * max(Fraction(1), 1 / rate))
        self.factor = up(exp_up(-rate, bits), bits)
        self._loss = min(rate, log_up(1 / self.factor))
        self._laws = ByLength(self._make_law)

    @property
    def guarantee(self) -> Guarantee:
        """Pure differential privacy for any `adjacency` symbols of a word."""
        return word_guarantee(self.epsilon, self.adjacency)

    def parameters(self) -> dict[str, Any]:
        """Epsilon (exact text) and adjacency."""
        return {"epsilon": str(self.epsilon), "adjacency": self.adjacency}

    def shift(self, length: int) -> int:
        """r, the number of errors that cost nothing, for words of that length (0 for none)."""
        size = read_count(length, "length", minimum=0)
        return self._laws[size].shift if size else 0

    def spent(self, length: int = 1) -> Fraction:
        """log(1 / Q), rounded up but never above epsilon; 0 for the empty word.

        The shift is below the length, so one changed symbol can cross a step: it is attained.
        """
        return self._loss if read_count(length, "length", minimum=0) else Fraction(0)

    def record_loss(self, length: int = 1) -> RecordLoss:
        """log(1 / Q) for every symbol: a step can fall on a single one."""
        return RecordLoss.constant(length, self._loss)

    def log_distance_distribution(self, word: Sequence[Any] | int) -> FloatArray:
        """(n+1,) float64: entry l = log P(Hamming distance = l)."""
        length = self._length(word)
        steps = staircase_step_logs(length, self._log_factor, self.adjacency, self.shift(length))
        return log_level_weights(length, len(self.alphabet), steps)

    def probability_of_word(self, length: int) -> list[Fraction]:
        """[Q^s(l) / Z, l = 0..n], exactly."""
        size = read_count(length, "length", minimum=0)
        shift, others = self.shift(size), len(self.alphabet) - 1
        weights = [
            self.factor ** -(-max(level - shift, 0) // self.adjacency) for level in range(size + 1)
        ]
        total = sum(
            (math.comb(size, level) * others**level * w for level, w in enumerate(weights)),
            Fraction(0),
        )
        return [weight / total for weight in weights]

    def error_bounds(self, word: Sequence[Any] | int) -> tuple[float, float]:
        """(lower, upper) of the expected errors (PROOF.md).

        Below: what any epsilon-private mechanism has at least, by the argument of Theorem 5 of
        [holohan-leith-mason-2016]. Above: what the exponential mechanism at rate
        log(1/Q) / adjacency has, which is a mixture of the staircases.
        """
        length = self._length(word)
        others = len(self.alphabet) - 1
        rate = log_down(1 / self.factor) / self.adjacency
        lower = float_down(length * others / (exp_up(self.epsilon) + others))
        return lower, float_up(length * others / (exp_down(rate) + others))

    @property
    def _log_factor(self) -> float:
        return -float(self._loss)

    def _draw(self, codes: CodeArray, offsets: npt.NDArray[np.int64]) -> CodeArray:
        source = current_source()

        def levels(length: int, count: int) -> npt.NDArray[np.int64]:
            return self._laws[length].levels.draw(source, count)

        return draw_by_level(source, codes, offsets, len(self.alphabet), levels)

    def _make_law(self, length: int) -> LengthLaw:
        size, adjacency = len(self.alphabet), self.adjacency
        shift = best_shift(length, size, self._log_factor, adjacency)
        levels = StaircaseLevels(length, size, self.factor, period=adjacency, shift=shift)
        return LengthLaw(shift, levels)

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> "WordStaircase":
        return cls(Alphabet(data["alphabet"]), epsilon=data["epsilon"], adjacency=data["adjacency"])
