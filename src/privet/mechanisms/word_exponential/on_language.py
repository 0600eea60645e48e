"""The exponential mechanism on a language that forbids some words.

Contract. P(x | w) is q^d(w, x) / Z(w) over the words x of the language of the length of w, with
Z(w) the sum of q^d over them and q at the published rate or at the largest one found with a
certificate (calibrated.py), up to `deviation` for draws in doubles.
Two deviations are charged: one for each of two inputs. A certificate speaks of words of the
language alone: words outside it have the published rate only.
"auto" is settled when the mechanism is made: `calibration` is then "exact" or "paper", which is
what is written down, and `calibration_reason` says why.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import arb, ctx

from privet.errors import CertificateError, ParameterError
from privet.exact import log_down, log_up, read_count
from privet.exact.enclosure import ball
from privet.languages import Language
from privet.languages.trellis import Trellis, deviation, is_narrow, terms_of
from privet.mechanisms.base import FloatArray
from privet.mechanisms.enumerated import spent_on
from privet.mechanisms.on_language import (
    LARGEST_SHARE_CHARGED,
    LONGEST_ON_LANGUAGE,
    LanguageMechanism,
    LengthRate,
    log_law,
)
from privet.mechanisms.word_exponential.calibrated import Calibrated, read_calibrated
from privet.mechanisms.word_exponential.calibrating import (
    QUICK,
    THOROUGH,
    Effort,
    Tell,
    calibrate,
    is_published,
    read_seconds,
)
from privet.mechanisms.word_exponential.mechanism import ASKED_FOR, WordExponential
from privet.randomness import RandomSource
from privet.symbols import Alphabet

IntArray = npt.NDArray[np.int64]

CERTIFIED_QUICKLY = "it is certified for this language"
TOO_LARGE = (
    "the language is too large for a certified rate in seconds (calibration 'exact' takes longer)"
)
NOTHING_QUICKLY = (
    "no larger rate was certified in seconds (calibration 'exact' takes longer, and the length of "
    "the longest word helps)"
)
TOO_LONG = "what draws in doubles cost words of that length is more than was kept for it"

_MOST_COMPARED = 1 << 22
"""Pairs of words times levels: a second."""


class ExponentialOnLanguage(LanguageMechanism, WordExponential):
    """What `WordExponential(language, ...)` makes of a language that forbids words."""

    title = "exponential mechanism on a language"
    public_name = "WordExponential"
    deviations_charged = 2
    has_certificates = True

    certified: Calibrated | None
    """The rate that is certified on the language, if calibration is "exact"."""

    calibration_reason: str
    """Why calibration is what it is, for reading."""

    def __init__(
        self,
        language: Language | Alphabet,
        *,
        longest: int | None = None,
        seconds: float | None = 60.0,
        progress: Tell | None = None,
        certified: Mapping[str, Any] | None = None,
        **shared: Any,
    ) -> None:
        super().__init__(language, **shared)
        self.certified, self.calibration_reason = None, ASKED_FOR
        if certified is not None:
            self._take(certified)
        elif self.calibration != "paper":
            size = None if longest is None else read_count(longest, "longest")
            limit = read_seconds(seconds)
            if self.calibration == "auto":
                self._settle(size, QUICK.within(limit), progress)
            else:
                self._check_inputs()
                self.certified = self._found(size, THOROUGH.within(limit), progress)

    def _found(self, longest: int | None, effort: Effort, tell: Tell | None) -> Calibrated:
        """What a search finds. Errors: ParameterError where nothing can have a certificate."""
        target = self.epsilon - self._reserve
        return calibrate(
            self.language, target, self.adjacency, longest=longest, effort=effort, tell=tell
        )

    def _settle(self, longest: int | None, effort: Effort, tell: Tell | None) -> None:
        """Makes "auto" a certified rate where one is found, and the published one elsewhere."""
        why, found = self._why_not(effort), None
        if not why:
            try:
                found = self._found(longest, effort, tell)
            except ParameterError as error:
                why = error.message[0].lower() + error.message[1:].removesuffix(".")
        if found is not None and is_published(found):
            found, why = None, NOTHING_QUICKLY
        self.certified = found
        self.calibration = "paper" if found is None else "exact"
        self.calibration_reason = why or CERTIFIED_QUICKLY

    def _why_not(self, effort: Effort) -> str:
        """Why no rate is looked for at all, or "" ."""
        if self.outside == "allow":
            return "nothing is certified about words outside the language, which are allowed"
        if self._charge_of(1) > self._reserve:
            return "epsilon is too small beside what draws in doubles cost"
        if not effort.reaches(self.language, self.adjacency):
            return TOO_LARGE
        return ""

    def _take(self, certified: Mapping[str, Any]) -> None:
        """The rate of a description, whose certificate is checked."""
        if self.calibration != "exact":
            raise ParameterError(
                "A certified rate is for calibration='exact' only.", parameter="certified"
            )
        self._check_inputs()
        self.certified = read_calibrated(self.language, self.adjacency, certified)
        self._check_epsilon(self.certified)

    def _check_inputs(self) -> None:
        if self.outside == "allow":
            raise ParameterError(
                "What a rate above the published one spends on words outside the language is not "
                "certified.",
                hint="Use calibration='paper', or refuse words outside the language.",
                parameter="calibration",
            )

    def _check_epsilon(self, certified: Calibrated) -> None:
        """Refuse a rate that is not certified to spend at most epsilon."""
        if certified.high + self._reserve > self.epsilon:
            raise CertificateError(
                "The certificate does not keep the rate within epsilon.", field="q"
            )
        if self.adjacency * log_down(1 / certified.q) > self.epsilon:
            raise CertificateError("The rate is above epsilon / adjacency.", field="q")

    @property
    def _reserve(self) -> Fraction:
        """What is kept for draws in doubles: their charge on the longest words there are."""
        return min(self._charge_of(LONGEST_ON_LANGUAGE), self.epsilon * LARGEST_SHARE_CHARGED)

    def _charge_of(self, length: int) -> Fraction:
        return self.deviations_charged * deviation(length, terms_of(self.language.automaton))

    def law_in_use(self, length: int) -> dict[str, Any]:
        """What runs on words of that length: {"calibration", "calibration_reason", "rate", ...}.

        With "certified", the bracket of what it spends, where the rate is certified.
        """
        law: dict[str, Any] = {
            "calibration": self.calibration,
            "calibration_reason": self.calibration_reason,
            "rate": self.rate(length),
            "word_length": length,
        }
        if self.certified is None:
            return law
        if self.ratio(length) != self.certified.q:
            return {**law, "calibration": "paper", "calibration_reason": TOO_LONG}
        return {**law, "certified": self.certified.bracket()}

    def parameters(self) -> dict[str, Any]:
        """As on every language, and the certified rate: its q, a pair of words, the certificate."""
        found = super().parameters()
        if self.certified is not None:
            found["certified"] = self.certified.to_json()
        return found

    def check_size(self, length: int) -> None:
        """Refuse words too long to be drawn or to be certified. Errors: ParameterError."""
        super().check_size(length)
        longest = None if self.certified is None else self.certified.lengths.longest
        if longest is not None and length > longest:
            raise ParameterError(
                f"The rate is certified for words of up to {longest} symbols, not {length}.",
                hint="Give the length of the longest word when the mechanism is made (longest=).",
                parameter="length",
            )

    def _make_rate(self, length: int) -> LengthRate:
        charge = self._charge_of(length)
        if self.certified is None or charge > self._reserve:
            return super()._make_rate(length)
        q = self.certified.q
        narrow = is_narrow(self.language.automaton, length, q)
        return LengthRate(q, log_up(1 / q), charge, narrow)

    def _bound(self, length: int) -> Fraction:
        bound, rate = super()._bound(length), self._rates[length]
        if self.certified is None or rate.q != self.certified.q:
            return bound
        return min(bound, self.certified.high + rate.charge)

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
