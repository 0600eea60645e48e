"""What the mechanisms on words share: how a language is read, and what their guarantee says.

Contract. An alphabet stands for all words over it. A mechanism that releases any word over the
alphabet accepts no language that forbids some: its output would not be in it.
"""

from abc import abstractmethod
from fractions import Fraction
from typing import Any, Literal, Self, cast, get_args

from privet.errors import ModelError, ParameterError, ParameterTypeError
from privet.exact import read_count, read_epsilon
from privet.exact.number import Number
from privet.languages import Language
from privet.mechanisms.base import HammingMechanism
from privet.privacy import Guarantee
from privet.symbols import Alphabet

Calibration = Literal["auto", "paper", "exact"]
Outside = Literal["refuse", "allow"]
Unprotected = Literal["refuse", "allow"]


def read_language(language: Language | Alphabet) -> Language:
    """`language`, or all words over it if it is an alphabet. Errors: ParameterTypeError."""
    if isinstance(language, Alphabet):
        return Language.all(language)
    if not isinstance(language, Language):
        raise ParameterTypeError(
            f"A {type(language).__name__} is neither an Alphabet nor a Language.",
            hint="Write Alphabet(['low', 'high']) or Language.all(alphabet).",
            parameter="language",
        )
    return language


def read_calibration(calibration: str) -> Calibration:
    """One of "auto", "paper" and "exact". Errors: ParameterError."""
    for known in get_args(Calibration):
        if calibration == known:
            return cast(Calibration, known)
    raise ParameterError(
        "calibration is none of 'auto', 'paper' and 'exact'.", parameter="calibration"
    )


def language_of(data: dict[str, Any]) -> Language:
    """The language in the description of a mechanism: all words where none is given."""
    if data.get("language") is None:
        return Language.all(Alphabet(data["alphabet"]))
    return Language.from_json(data["language"])


def read_all_words(language: Language | Alphabet) -> Language:
    """`language`, or all words over it if it is an alphabet.

    Errors: ModelError for a language that forbids words; ParameterTypeError for anything else.
    """
    language = read_language(language)
    if not language.is_all:
        raise ModelError(
            "The language forbids some words, and this mechanism covers all words only.",
            hint="Use Language.all(alphabet).",
        )
    return language


def read_alphabet(alphabet: Alphabet | Language) -> Alphabet:
    """The alphabet itself, or that of the language of all words. Errors: as `read_all_words`."""
    return read_all_words(alphabet).alphabet


def word_guarantee(epsilon: Fraction, adjacency: int) -> Guarantee:
    """The sentence of a mechanism on words whose neighbours differ in 1 to `adjacency` places."""
    places = "one symbol" if adjacency == 1 else f"{adjacency} symbols"
    return Guarantee(epsilon, Fraction(0), f"Any {places} of a word")


class CalibratedOnWords(HammingMechanism):
    """A mechanism on the words of a language, at a published rate or a larger one.

    A class for all words that names another one `_on_language` makes an instance of that one where
    the language forbids some words; a class that a user derives from it is for all words only.
    """

    language: Language
    calibration: Calibration

    def __new__(cls, language: Language | Alphabet, **parameters: Any) -> Self:
        """An instance of `cls`, or of what replaces it on a language that forbids some words."""
        del parameters  # they are for __init__, whose signature is the one to read
        if "_on_language" in vars(cls) and not read_language(language).is_all:
            return cast(Self, object.__new__(cls._on_language()))
        return object.__new__(cls)

    @classmethod
    @abstractmethod
    def _on_language(cls) -> type["CalibratedOnWords"]:
        """The class of the mechanism on a language that forbids some words."""

    def __getnewargs_ex__(self) -> tuple[tuple[Language], dict[str, Number]]:
        return (self.language,), {"epsilon": self.epsilon}

    def _read_parameters(
        self,
        language: Language | Alphabet,
        epsilon: Number,
        adjacency: int,
        calibration: Calibration,
    ) -> None:
        self.language = read_language(language)
        self.alphabet = self.language.alphabet
        self.epsilon = read_epsilon(epsilon)
        self.adjacency = read_count(adjacency, "adjacency")
        self.calibration = read_calibration(calibration)

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
