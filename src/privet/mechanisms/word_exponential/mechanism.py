"""The exponential mechanism on all words with minus the Hamming distance as utility.

Contract. P(x | w) is proportional to e^(-k d(w, x)) over all words x of the length of w. Its
normaliser does not depend on w, so it is randomised response per symbol at rate k, and it spends
exactly k for each place in which neighbours differ (Theorems 4 and 7 of
[holohan-leith-mason-2016]). The published rate epsilon / (2 adjacency) therefore spends half of
epsilon; the exact one is epsilon / adjacency.
"""

from typing import Any, ClassVar, Literal

from privet.errors import ParameterError
from privet.exact import read_count, read_epsilon
from privet.exact.number import Number
from privet.languages import Language
from privet.mechanisms.symbolwise import SymbolLaw, SymbolwiseMechanism
from privet.mechanisms.words import read_all_words, word_guarantee
from privet.privacy import Guarantee
from privet.symbols import Alphabet

Calibration = Literal["auto", "paper", "exact"]


class WordExponential(SymbolwiseMechanism):
    """The exponential mechanism on words.

    `language`: `Language.all(alphabet)`, or the alphabet; `epsilon`: the guarantee for words that
    differ in 1 to `adjacency` places; `calibration`: "paper" for the published rate
    epsilon / (2 adjacency) [chen-leahy-jones-hale-2023], "exact" (and "auto") for
    epsilon / adjacency. Errors: ParameterError, ModelError.
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
    ) -> None:
        self.language = read_all_words(language)
        self.alphabet = self.language.alphabet
        self.epsilon = read_epsilon(epsilon)
        self.adjacency = read_count(adjacency, "adjacency")
        if calibration not in ("auto", "paper", "exact"):
            raise ParameterError(
                "calibration is none of 'auto', 'paper' and 'exact'.", parameter="calibration"
            )
        self.calibration = calibration
        places = 2 * self.adjacency if calibration == "paper" else self.adjacency
        self.law = SymbolLaw(len(self.alphabet), self.epsilon / places)

    @property
    def guarantee(self) -> Guarantee:
        """Pure differential privacy for any `adjacency` symbols of a word."""
        return word_guarantee(self.epsilon, self.adjacency)

    def parameters(self) -> dict[str, Any]:
        """Epsilon (exact text), adjacency, calibration."""
        return {
            "epsilon": str(self.epsilon),
            "adjacency": self.adjacency,
            "calibration": self.calibration,
        }

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> "WordExponential":
        return cls(
            Alphabet(data["alphabet"]),
            epsilon=data["epsilon"],
            adjacency=data["adjacency"],
            calibration=data["calibration"],
        )
