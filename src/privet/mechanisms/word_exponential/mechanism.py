"""The exponential mechanism on words with minus the Hamming distance as utility.

Contract. P(x | w) is proportional to e^(-k d(w, x)) over the words x of the length of w. Over all
words the normaliser does not depend on w, so it is randomised response per symbol at rate k, and
it spends exactly k for each place in which neighbours differ (Theorems 4 and 7 of
[holohan-leith-mason-2016]). The published rate epsilon / (2 adjacency) therefore spends half of
epsilon; the exact one is epsilon / adjacency. Languages that forbid words: on_language.py.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from privet.exact.number import Number
from privet.languages import Language
from privet.mechanisms.symbolwise import SymbolLaw, SymbolwiseMechanism
from privet.mechanisms.word_exponential.calibrating import Tell
from privet.mechanisms.words import (
    CalibratedOnWords,
    Calibration,
    Outside,
    Unprotected,
    language_of,
    read_all_words,
)
from privet.symbols import Alphabet

ASKED_FOR = "it was asked for"
ON_ALL_WORDS = "on all words epsilon / adjacency is spent exactly"


class WordExponential(CalibratedOnWords, SymbolwiseMechanism):
    """The exponential mechanism on words.

    `language`: a Language, or an alphabet for all words over it; `epsilon`: the guarantee for words
    that differ in 1 to `adjacency` places; `calibration`: "paper" for the published rate
    epsilon / (2 adjacency) [chen-leahy-jones-hale-2023], "exact" for the largest one that is
    certified, epsilon / adjacency on all words; "auto" is "exact" on all words and, on a language
    that forbids some, wherever a larger rate than the published one is certified in seconds.
    Afterwards the attribute `calibration` is "exact" or "paper", and `calibration_reason` says why.
    `outside`: whether input words outside the language are refused or allowed. Errors:
    ParameterError, ModelError, CertificateError.

    On a language that forbids words "exact" searches for up to `seconds` (None: without end),
    "auto" for no more than ten: for words of any length and, where that falls short, of up to
    `longest` symbols, and longer ones are refused then. `progress(stage, done, total)` is told how
    far the search is. `certified`, from `parameters()`, takes a rate with its certificate instead,
    which is checked.
    """

    name: ClassVar[str] = "word-exponential"
    title: ClassVar[str] = "exponential mechanism on words"

    def __init__(
        self,
        language: Language | Alphabet,
        *,
        epsilon: Number,
        adjacency: int = 1,
        calibration: Calibration = "auto",
        outside: Outside = "refuse",
        unprotected: Unprotected = "refuse",
        longest: int | None = None,
        seconds: float | None = 60.0,
        progress: Tell | None = None,
        certified: Mapping[str, Any] | None = None,
    ) -> None:
        # Among all words there is nothing outside, without neighbours, or to be searched for.
        del outside, unprotected, longest, seconds, progress, certified
        self._read_parameters(read_all_words(language), epsilon, adjacency, calibration)
        asked = self.calibration
        self.calibration = "paper" if asked == "paper" else "exact"
        self.calibration_reason = ON_ALL_WORDS if asked == "auto" else ASKED_FOR
        places = 2 * self.adjacency if asked == "paper" else self.adjacency
        self.law = SymbolLaw(len(self.alphabet), self.epsilon / places)

    @classmethod
    def _on_language(cls) -> type[CalibratedOnWords]:
        """The class of the mechanism on a language that forbids some words."""
        from privet.mechanisms.word_exponential.on_language import ExponentialOnLanguage

        return ExponentialOnLanguage

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> "WordExponential":
        language, certified = language_of(data), None
        calibration = data["calibration"]
        if calibration == "exact" and not language.is_all:
            # Never searched for again: another clock would find another rate.
            certified = data["certified"] or {}
        elif calibration == "auto" and not language.is_all:
            calibration = "paper"  # what "auto" was on such languages when it was written down
        return cls(
            language,
            epsilon=data["epsilon"],
            adjacency=data["adjacency"],
            calibration=calibration,
            outside=data.get("outside", "refuse"),
            unprotected=data.get("unprotected", "refuse"),
            certified=certified,
        )
