"""What the word mechanisms share on a language that forbids some words.

Contract. Outputs are words of the language, always. The rate is the published one, epsilon / (2b)
for words that differ in up to b places: twice the rate per place is spent at most, whatever the
language, since the normaliser can change with the input too [chen-leahy-jones-hale-2023]; the
exponential mechanism can have a larger one that is certified (word_exponential/calibrated.py).
Draws are made in doubles whose law `languages.trellis` proves to be within `deviation` of the true
one; what that can add to a log-ratio of two inputs is charged to epsilon, by a rate that much
smaller.
How words are drawn is decided by the language, their length and q, which are public. An epsilon so
small that the charge would be seen beside it is not used at all: the rate is 0, and the release a
uniform word of the language that does not depend on the input.
An input word outside the language is refused by word and position, unless `outside="allow"`; a
length of which no word has a neighbour, unless `unprotected="allow"`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from flint import arb

from privet.errors import DomainError, ParameterError
from privet.exact import log_up, read_count
from privet.exact.enclosure import enclose
from privet.exact.number import Number
from privet.languages import Language
from privet.languages.lengths import fewest_differences
from privet.languages.trellis import Trellis, deviation, is_narrow, terms_of, weigh
from privet.mechanisms.base import CodeArray, FloatArray
from privet.mechanisms.by_length import ByLength
from privet.mechanisms.enumerated import MOST_WORDS
from privet.mechanisms.simulation import SimulationSource
from privet.mechanisms.words import (
    CalibratedOnWords,
    Calibration,
    Outside,
    Unprotected,
)
from privet.privacy import Guarantee, RecordLoss
from privet.randomness import RandomSource, current_source
from privet.symbols import Alphabet, Encoded

IntArray = npt.NDArray[np.int64]

LONGEST_ON_LANGUAGE = 1 << 17
LONGEST_WIDE = 1 << 15
"""The longest words that are drawn, by a narrow and by a wide trellis: some ten seconds a block."""

MOST_CELLS = 1 << 26
"""The most (states + 1) x (symbols + 1) of one word: half a gigabyte, twice that where wide."""

LARGEST_SHARE_CHARGED = Fraction(1, 1 << 10)
"""Doubles may cost at most this share of epsilon; beyond it the rate is 0."""

_BLOCK_BYTES = 1 << 24
"""Weights of a block of words stay within the processor's caches: fourfold speed on 16 states."""

_LARGEST_BLOCK_BYTES = 1 << 28
_FEWEST_AT_ONCE = 64
"""Fewer words of a block leave the time to what numpy does once a position."""

_AVERAGED_WORDS = 1000
_AVERAGED_SYMBOLS = 1_000_000
_AVERAGED_MOVES = 1 << 26
_FEWEST_WORDS = 50
_FEWEST_ON_MANY_MOVES = 8


@dataclass(frozen=True)
class LengthRate:
    """The law's parameter for words of one length.

    `q`: the exact ratio, of 53 bits; `rate_up`: log(1/q) from above; `charge`: what draws in
    doubles add to a log-ratio of two inputs; `narrow`: the kind of trellis that draws.
    """

    q: Fraction
    rate_up: Fraction
    charge: Fraction
    narrow: bool


@dataclass(frozen=True)
class AverageErrors:
    """The expected errors averaged over words: `mean`, its `standard_error`, how many `words`."""

    mean: float
    standard_error: float
    words: int


class LanguageMechanism(CalibratedOnWords):
    """A word mechanism on a language that is not all words."""

    outside: Outside
    unprotected: Unprotected
    public_name: ClassVar[str]
    """The class that a caller makes."""
    deviations_charged: ClassVar[int]
    """How many `deviation`s draws in doubles add to a log-ratio of two inputs."""
    has_certificates: ClassVar[bool] = False
    """Whether what a rate above the published one spends can be certified."""

    def __init__(
        self,
        language: Language | Alphabet,
        *,
        epsilon: Number,
        adjacency: int = 1,
        calibration: Calibration = "auto",
        outside: Outside = "refuse",
        unprotected: Unprotected = "refuse",
    ) -> None:
        self._read_parameters(language, epsilon, adjacency, calibration)
        if self.calibration == "exact" and not self.has_certificates:
            raise ParameterError(
                "What a rate above the published one spends on this language is not certified.",
                hint="Use calibration='paper' or 'auto', or the exponential mechanism, which can "
                "have a certified rate.",
                parameter="calibration",
            )
        for name, value in (("outside", outside), ("unprotected", unprotected)):
            if value not in ("refuse", "allow"):
                raise ParameterError(f"{name} is neither 'refuse' nor 'allow'.", parameter=name)
        self.outside, self.unprotected = outside, unprotected
        self._differences: tuple[int, IntArray | None] = (-1, None)
        self._rates = ByLength(self._make_rate)
        self._averages = ByLength(self._make_average)
        self._spent = ByLength(self._make_spent)

    def parameters(self) -> dict[str, Any]:
        """Epsilon (exact text), adjacency, calibration, outside, unprotected, language (JSON)."""
        return {
            **super().parameters(),
            "outside": self.outside,
            "unprotected": self.unprotected,
            "language": self.language.to_json(),
        }

    def __repr__(self) -> str:
        return (
            f"{self.public_name}({self.language!r}, epsilon={str(self.epsilon)!r}, "
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

    @property
    def response(self) -> None:
        """None: symbols of a word of the language are not answered one by one."""
        return None

    def ratio(self, length: int) -> Fraction:
        """q = e^-k, the exact rational of words of that length."""
        return self._rate(length).q

    def rate(self, length: int) -> float:
        """k, the rate in use for words of that length."""
        return float(self._rate(length).rate_up)

    def charge(self, length: int) -> Fraction:
        """What draws in doubles add to a log-ratio of two inputs of that length, at most."""
        return self._rate(length).charge

    def record_loss(self, length: int = 1) -> RecordLoss:
        """2k for every symbol (twice the triangle inequality), and the charge of doubles."""
        if read_count(length, "length", minimum=0) == 0:
            return RecordLoss.constant(0, 0)
        rate = self._rate(length)
        return RecordLoss.constant(length, 2 * rate.rate_up + rate.charge)

    def average_errors(self, length: int) -> AverageErrors:
        """The expected errors averaged over the words of that length, each equally likely.

        By drawing up to 1000 words (see `words_to_average`) and a release of each, with replayable
        bits: the same answer is given again.
        """
        return self._averages[self._checked_length(length)]

    def protects_nothing(self, length: int) -> bool:
        """Whether no two words of that length are neighbours, though there are several.

        Whichever of them is released, nobody is promised that it could have been another one. False
        as well where words outside the language are allowed, where the length has at most one word,
        which is public, and where a large language would take long to look through.
        """
        size = self._checked_length(length)
        if self.outside == "allow":
            return False
        return self._neighbours(size) is False and self.language.count_up_to(size, 2) > 1

    def remarks(self, lengths: Sequence[int]) -> tuple[str, ...]:
        """What to know of releases of words of those lengths, for receipts and plans."""
        found = []
        idle = [n for n in sorted(set(lengths)) if n and self.protects_nothing(n)]
        if idle:
            found.append(
                f"no two words of length {_listed(idle)} differ in {_places(self.adjacency)}, so "
                "nothing protects them: the release may tell such a word for certain"
            )
        flat = [n for n in sorted(set(lengths)) if n and self._rate(n).q == 1]
        if flat:
            found.append(
                f"epsilon is too small to be used on words of length {_listed(flat)}: the release "
                "is a random word of the language that has nothing to do with the input"
            )
        return tuple(found)

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

        Both include the charge of draws in doubles, and neither exceeds epsilon. 0 where no two
        words are neighbours. Where words outside the language are allowed, the inputs are all
        words, and it is 2 b' k.
        """
        size = read_count(length, "length", minimum=0)
        if size == 0:
            return Fraction(0)
        return self._spent[self._checked_length(size)]

    def simulate(self, source: RandomSource, words: IntArray) -> IntArray:
        """A release of each of the public `words` (w, n) with the bits of `source`."""
        offsets = np.arange(0, words.size + 1, words.shape[1])
        flat = words.ravel().astype(self.alphabet.code_dtype)
        return self._release(source, flat, offsets).reshape(words.shape).astype(np.int64)

    def draw_public_words(self, source: RandomSource, length: int, count: int) -> IntArray:
        """(count, length) codes: words of the language, uniform up to the deviation of doubles."""
        language = self.language
        narrow = is_narrow(language.automaton, length, Fraction(1))
        trellis = weigh(
            language.automaton, np.zeros((1, length), np.int64), Fraction(1), narrow=narrow
        )
        return trellis.draw(source, np.zeros(count, np.int64))

    def check_size(self, length: int) -> None:
        """Refuse words too long to be drawn. Errors: ParameterError."""
        states = self.language.automaton.size
        most = min(LONGEST_ON_LANGUAGE, MOST_CELLS // (states + 1) - 1)
        if length > LONGEST_WIDE and not self._rates[min(length, most)].narrow:
            most = min(most, LONGEST_WIDE)
        if length > most:
            raise ParameterError(
                f"Words of {length} symbols are too long for this language.",
                hint=f"With {states} states, words may have up to {most} symbols.",
                parameter="length",
            )

    def _make_spent(self, length: int) -> Fraction:
        if not self.language.has_words(length):
            return Fraction(0)
        bound = min(self.epsilon, self._bound(length))
        if self.outside == "allow" or not bound:
            return bound
        if self._neighbours(length) is False:
            return Fraction(0)
        words = self.language.count_up_to(length, MOST_WORDS + 1)
        if words > MOST_WORDS or not self._can_enumerate(words, length):
            return bound
        return min(bound, self._enumerated(length))

    def _neighbours(self, length: int) -> bool | None:
        """Whether two words of that length are neighbours; None where it is not known."""
        known, fewest = self._differences
        if known < length:
            longest = max(length, 2 * known)
            fewest = fewest_differences(self.language.automaton, longest, self.adjacency)
            if fewest is None and longest > length:
                longest = length
                fewest = fewest_differences(self.language.automaton, length, self.adjacency)
            self._differences = longest if fewest is not None else LONGEST_ON_LANGUAGE, fewest
        if fewest is None:
            return None
        return bool(fewest[length] <= self.adjacency)

    def _can_enumerate(self, words: int, length: int) -> bool:
        """Whether the law of so many words is worked out in seconds."""
        raise NotImplementedError

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
        self._check_in_language(encoded)
        return self.language.count_by_distance(word)

    def _check_words(self, encoded: Encoded) -> None:
        self._check_in_language(encoded)
        if self.unprotected == "allow":
            return
        for length in np.unique(np.diff(encoded.offsets)).tolist():
            if length and self.protects_nothing(length):
                raise ParameterError(
                    f"No two words of length {length} of the language differ in "
                    f"{_places(self.adjacency)}, so nothing would protect them.",
                    hint="Use a larger adjacency, or a language with more words; in Python, "
                    "unprotected='allow' releases them all the same.",
                    parameter="adjacency",
                    length=length,
                )

    def _check_in_language(self, encoded: Encoded) -> None:
        lengths = np.unique(np.diff(encoded.offsets))
        self.check_size(int(lengths.max(initial=0)))
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
        return self._release(current_source(), codes, offsets)

    def _release(self, source: RandomSource, codes: CodeArray, offsets: IntArray) -> CodeArray:
        released, lengths = np.empty_like(codes), np.diff(offsets)
        states = self.language.automaton.size
        for length in np.unique(lengths[lengths > 0]).tolist():
            rate = self._rate(length)
            rows = np.flatnonzero(lengths == length)
            size = (8 if rate.narrow else 16) * (states + 1) * (length + 1)
            at_once = max(1, min(_FEWEST_AT_ONCE, _LARGEST_BLOCK_BYTES // size))
            at_once = max(at_once, _BLOCK_BYTES // size)
            for start in range(0, rows.size, at_once):
                where = offsets[rows[start : start + at_once]][:, None] + np.arange(length)
                words = codes[where].astype(np.int64)
                released[where] = self._draw_words(source, words, rate)
        return released

    def _draw_words(self, source: RandomSource, words: IntArray, rate: LengthRate) -> IntArray:
        """A release of each of `words` (w, n), all of one length."""
        if rate.q == 1:
            # From the language alone: not even roundings depend on the words.
            return self.draw_public_words(source, words.shape[1], len(words))
        trellis = weigh(self.language.automaton, words, rate.q, narrow=rate.narrow)
        return self._draw_by(source, trellis, words)

    def _draw_by(self, source: RandomSource, trellis: Trellis, words: IntArray) -> IntArray:
        """A release of each of `words` (w, n) by their trellis."""
        raise NotImplementedError

    def _rate(self, length: int) -> LengthRate:
        return self._rates[self._checked_length(length)]

    def _checked_length(self, length: int) -> int:
        size = read_count(length, "length")
        self.check_size(size)
        return size

    def _length(self, word: Sequence[Any] | int) -> int:
        size = super()._length(word)
        self.check_size(size)
        return size

    def _make_rate(self, length: int) -> LengthRate:
        automaton, q = self.language.automaton, Fraction(1)
        charge = self.deviations_charged * deviation(length, terms_of(automaton))
        if charge <= self.epsilon * LARGEST_SHARE_CHARGED:
            q = ratio_above((self.epsilon - charge) / (2 * self.adjacency))
        narrow = is_narrow(automaton, length, q)
        if q == 1:
            return LengthRate(q, Fraction(0), Fraction(0), narrow)
        return LengthRate(q, log_up(1 / q), charge, narrow)

    def _make_average(self, length: int) -> AverageErrors:
        self.language.check_length(length)
        source = SimulationSource()
        drawn = words_to_average(length, self.language.automaton.edges[1].size)
        words = self.draw_public_words(source, length, drawn)
        errors = (self.simulate(source, words) != words).sum(axis=1)
        spread = float(errors.std(ddof=1)) / math.sqrt(errors.size)
        return AverageErrors(float(errors.mean()), spread, int(errors.size))


def words_to_average(length: float, moves: int = 1) -> int:
    """How many words of that (mean) length a simulated average takes; `moves`: of the automaton.

    1000, but no more than make a million symbols (fewer where there are more than 64 moves), and
    50 at least (8 on thousands of moves): the wrong symbols of a long word are many, so their
    number varies little beside its mean and fewer words tell it as well. The standard error says
    how well.
    """
    symbols = min(_AVERAGED_SYMBOLS, _AVERAGED_MOVES / moves)
    fewest = _FEWEST_WORDS
    if fewest * length * moves > 8 * _AVERAGED_MOVES:
        fewest = _FEWEST_ON_MANY_MOVES
    return max(fewest, min(_AVERAGED_WORDS, math.ceil(symbols / length)))


def log_law(counts: Sequence[int], log_q: float) -> FloatArray:
    """(n+1,): log of M_l q^l / sum, the law of the distance of the exponential mechanism."""
    logs = np.array([math.log(count) if count else -np.inf for count in counts])
    logs = logs + log_q * np.arange(len(counts))
    largest = logs.max()
    return np.asarray(logs - largest - math.log(float(np.exp(logs - largest).sum())))


def ratio_above(rate: Fraction, bits: int = 53) -> Fraction:
    """The smallest number of so many bits that is surely at or above e^-rate; at most 1."""
    high = enclose(arb.exp, -rate, bits + 11)[1]
    shift = bits - (high.numerator.bit_length() - high.denominator.bit_length())
    scaled = high * (1 << shift) if shift >= 0 else high / (1 << -shift)
    while scaled >= 1 << bits:
        scaled, shift = scaled / 2, shift - 1
    mantissa = -(-scaled.numerator // scaled.denominator)
    return min(Fraction(1), mantissa * Fraction(2) ** -shift)


def _places(adjacency: int) -> str:
    return "one place" if adjacency == 1 else f"{adjacency} places or fewer"


def _listed(lengths: list[int]) -> str:
    shown = ", ".join(map(str, lengths[:5]))
    return shown if len(lengths) <= 5 else f"{shown} and {len(lengths) - 5} more"
