"""What the word mechanisms share on a language that forbids some words.

Contract. Outputs are words of the language, always. The rate is the published one, epsilon / (2b)
for words that differ in up to b places: twice the rate per place is spent at most, whatever the
language, since the normaliser can change with the input too [chen-leahy-jones-hale-2023]. Draws
are made in doubles where `languages.trellis` proves their law within `deviation` of the true one;
twice that is charged to epsilon, by a rate that much smaller. Other words are drawn by balls.
An input word outside the language is refused by word and position, unless `outside="allow"`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.errors import DomainError, ParameterError
from privet.exact import exp_up, float_up, log_up, ratio_up, read_count, read_epsilon
from privet.exact.number import Number
from privet.languages import Language
from privet.languages.trellis import SMALLEST_RATIO, WeightTrellis, deviation, terms_of
from privet.mechanisms.base import CodeArray, FloatArray, HammingMechanism
from privet.mechanisms.by_length import ByLength
from privet.mechanisms.enumerated import MOST_WORDS
from privet.mechanisms.words import Calibration, Outside, read_calibration, read_language
from privet.privacy import Guarantee, RecordLoss
from privet.randomness import RandomSource, current_source
from privet.symbols import Alphabet, Encoded

IntArray = npt.NDArray[np.int64]

_LARGEST_SHARE_CHARGED = Fraction(1, 1 << 10)
"""Doubles may cost at most this share of epsilon; beyond it every word is drawn by balls."""

_BLOCK_BYTES = 1 << 24
"""Weights of a block of words stay within the processor's caches: fourfold speed on 16 states."""
_AVERAGED_WORDS = 1000


@dataclass(frozen=True)
class LengthRate:
    """The law's parameter for words of one length.

    `q`: the exact ratio; `rate_up`: log(1/q) from above; `charge`: what draws in doubles add to a
    log-ratio of two inputs, 0 where `doubles` is False and every word is drawn by balls.
    """

    q: Fraction
    rate_up: Fraction
    charge: Fraction
    doubles: bool


@dataclass(frozen=True)
class AverageErrors:
    """The expected errors averaged over words: `mean`, its `standard_error`, how many `words`."""

    mean: float
    standard_error: float
    words: int


class LanguageMechanism(HammingMechanism):
    """A word mechanism on a language that is not all words."""

    language: Language
    outside: Outside

    def __init__(
        self,
        language: Language | Alphabet,
        *,
        epsilon: Number,
        adjacency: int = 1,
        calibration: Calibration = "auto",
        outside: Outside = "refuse",
    ) -> None:
        self.language = read_language(language)
        self.alphabet = self.language.alphabet
        self.epsilon = read_epsilon(epsilon)
        self.adjacency = read_count(adjacency, "adjacency")
        self.calibration = read_calibration(calibration)
        if self.calibration == "exact":
            raise ParameterError(
                "What a rate above the published one spends on this language is not certified.",
                hint="Use calibration='paper' or 'auto', or the language of all words.",
                parameter="calibration",
            )
        if outside not in ("refuse", "allow"):
            raise ParameterError("outside is neither 'refuse' nor 'allow'.", parameter="outside")
        self.outside = outside
        self._rates = ByLength(self._make_rate)
        self._averages = ByLength(self._make_average)

    def parameters(self) -> dict[str, Any]:
        """Epsilon (exact text), adjacency, calibration, outside, language (as JSON)."""
        return {
            "epsilon": str(self.epsilon),
            "adjacency": self.adjacency,
            "calibration": self.calibration,
            "outside": self.outside,
            "language": self.language.to_json(),
        }

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.language!r}, epsilon={str(self.epsilon)!r}, "
            f"adjacency={self.adjacency})"
        )

    @property
    def guarantee(self) -> Guarantee:
        """Pure differential privacy for any `adjacency` symbols of a word of the language."""
        places = "one symbol" if self.adjacency == 1 else f"{self.adjacency} symbols"
        change = "possible word" if self.outside == "refuse" else "word, possible or not"
        return Guarantee(
            self.epsilon,
            Fraction(0),
            f"Any {places} of a word, against any change that leads to another {change}",
        )

    def ratio(self, length: int) -> Fraction:
        """q = e^-k, the exact rational of words of that length."""
        return self._rates[read_count(length, "length")].q

    def rate(self, length: int) -> float:
        """k, the rate in use for words of that length."""
        return float(self._rates[read_count(length, "length")].rate_up)

    def record_loss(self, length: int = 1) -> RecordLoss:
        """2k for every symbol (twice the triangle inequality), and the charge of doubles."""
        if read_count(length, "length", minimum=0) == 0:
            return RecordLoss.constant(0, 0)
        rate = self._rates[length]
        return RecordLoss.constant(length, 2 * rate.rate_up + rate.charge)

    def average_errors(self, length: int) -> AverageErrors:
        """The expected errors averaged over the words of that length, each equally likely.

        By drawing 1000 words and a release of each; the same answer is given again.
        """
        return self._averages[read_count(length, "length")]

    def expected_errors(self, word: Sequence[Any] | int) -> float:
        """The expected number of symbols that differ from `word`.

        For a length, the average over its words (`average_errors` has the standard error).
        """
        if isinstance(word, int | np.integer):
            size = read_count(word, "length", minimum=0)
            return self.average_errors(size).mean if size else 0.0
        distribution = self.distance_distribution(word)
        return float(distribution @ np.arange(distribution.size))

    def probability_of_word(self, length: int) -> list[Fraction]:
        """Refused: on this language the law depends on the word."""
        del length
        raise ParameterError(
            "On this language the law depends on the word, not on its length alone.",
            hint="distance_distribution(word) gives it.",
            parameter="length",
        )

    def spent(self, length: int = 1) -> Fraction:
        """What is really spent where all inputs can be listed (256 words at most), else 2 b' k.

        Both include the charge of draws in doubles, and neither exceeds epsilon. Where words
        outside the language are allowed, the inputs are all words, and it is 2 b' k.
        """
        size = read_count(length, "length", minimum=0)
        if size == 0 or not self.language.has_words(size):
            return Fraction(0)
        bound = min(self.epsilon, self._bound(size))
        words = self.language.count(size)
        if self.outside == "allow" or words > MOST_WORDS or not self._can_enumerate(words, size):
            return bound
        return min(bound, self._enumerated(size))

    def _can_enumerate(self, words: int, length: int) -> bool:
        """Whether the law of so many words is worked out in seconds."""
        del words, length
        return True

    def _enumerated(self, length: int) -> Fraction:
        """The largest log-ratio over all pairs of neighbours, and the charge of doubles."""
        raise NotImplementedError

    def _bound(self, length: int) -> Fraction:
        """2 b' k and the charge of doubles, b' = min(adjacency, length)."""
        rate = self._rates[length]
        return 2 * min(self.adjacency, length) * rate.rate_up + rate.charge

    def _counts(self, word: Sequence[Any] | int, what: str) -> list[int]:
        """How many words of the language lie at each distance from `word`."""
        if isinstance(word, int | np.integer):
            raise ParameterError(
                f"On this language {what} depends on the word, not on its length alone.",
                hint="Give a word; average_errors(length) averages the errors over all words.",
                parameter="word",
            )
        encoded = self._read(word)
        self._check_words(encoded)
        return self.language.count_by_distance(word)

    def _check_words(self, encoded: Encoded) -> None:
        lengths = np.unique(np.diff(encoded.offsets))
        for length in lengths.tolist():
            self.language.check_length(length)
        if self.outside == "allow":
            return
        left = self.language.automaton.walk(encoded.codes, encoded.offsets)
        outside = np.flatnonzero(left >= 0)
        if outside.size:
            word, position = int(outside[0]), int(left[outside[0]])
            at_end = position == int(np.diff(encoded.offsets)[word])
            where = (
                "may not end where it does" if at_end else f"is impossible at position {position}"
            )
            raise DomainError(
                f"Word {word} is not in the language: it {where}; {outside.size} "
                f"word{'s are' if outside.size > 1 else ' is'} outside.",
                hint="Correct the data or the language, or allow words outside it "
                "(outside='allow'); every release is in the language all the same.",
                word=word,
                position=position,
            )

    def _draw(self, codes: CodeArray, offsets: IntArray) -> CodeArray:
        source, released = current_source(), np.empty_like(codes)
        lengths = np.diff(offsets)
        states = self.language.automaton.size
        for length in np.unique(lengths[lengths > 0]).tolist():
            rows = np.flatnonzero(lengths == length)
            at_once = max(1, _BLOCK_BYTES // (8 * (states + 1) * (length + 1)))
            for start in range(0, rows.size, at_once):
                where = offsets[rows[start : start + at_once]][:, None] + np.arange(length)
                words = codes[where].astype(np.int64)
                released[where] = self._draw_words(source, words, self._rates[length])
        return released

    def _draw_words(self, source: RandomSource, words: IntArray, rate: LengthRate) -> IntArray:
        """A release of each of `words` (w, n), all of one length."""
        raise NotImplementedError

    def _make_rate(self, length: int) -> LengthRate:
        charge = 2 * deviation(length, terms_of(self.language.automaton) + 2)
        rate = (self.epsilon - charge) / (2 * self.adjacency)
        if charge <= self.epsilon * _LARGEST_SHARE_CHARGED:
            q = Fraction(min(1.0, float_up(exp_up(-rate))))
            if SMALLEST_RATIO <= q < 1:
                return LengthRate(q, log_up(1 / q), charge, True)
        q = ratio_up(self.epsilon / (2 * self.adjacency))
        return LengthRate(q, log_up(1 / q), Fraction(0), False)

    def _make_average(self, length: int) -> AverageErrors:
        self.language.check_length(length)
        words = uniform_words(current_source(), self.language, length, _AVERAGED_WORDS)
        offsets = np.arange(0, words.size + 1, length)
        flat = words.ravel().astype(self.alphabet.code_dtype)
        errors = (self._draw(flat, offsets) != flat).reshape(words.shape).sum(axis=1)
        spread = float(errors.std(ddof=1)) / math.sqrt(errors.size)
        return AverageErrors(float(errors.mean()), spread, int(errors.size))


def uniform_words(source: RandomSource, language: Language, length: int, count: int) -> IntArray:
    """(count, length) codes: words of the language, uniform up to the deviation of doubles."""
    trellis = WeightTrellis(language.automaton, np.zeros((1, length), np.int64), 1.0)
    if not trellis.safe.all():
        alphabet = language.alphabet
        return np.array([alphabet.encode(language.sample(length)) for _ in range(count)], np.int64)
    return trellis.draw(source, np.zeros(count, np.int64))


def log_law(counts: Sequence[int], log_q: float) -> FloatArray:
    """(n+1,): log of M_l q^l / sum, the law of the distance of the exponential mechanism."""
    logs = np.array([math.log(count) if count else -np.inf for count in counts])
    logs = logs + log_q * np.arange(len(counts))
    largest = logs.max()
    return np.asarray(logs - largest - math.log(float(np.exp(logs - largest).sum())))
