"""What the mechanisms on words share: how a language is read, and what their guarantee says.

Contract. An alphabet stands for all words over it. A mechanism that releases any word over the
alphabet accepts no language that forbids some: its output would not be in it.
"""

from fractions import Fraction
from typing import Any, Literal, cast, get_args

from privet.errors import ModelError, ParameterError, ParameterTypeError
from privet.languages import Language
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
