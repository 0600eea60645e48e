"""What the mechanisms on words share: how a language is read, and what their guarantee says.

Contract. The mechanisms so far release any word over the alphabet, so only the language of all
words is accepted: on a language that forbids some words their laws would not be private at the
stated rate. An alphabet stands for all words over it.
"""

from fractions import Fraction

from privet.errors import ModelError, ParameterTypeError
from privet.languages import Language
from privet.privacy import Guarantee
from privet.symbols import Alphabet


def read_all_words(language: Language | Alphabet) -> Language:
    """`language`, or all words over it if it is an alphabet.

    Errors: ModelError for a language that forbids words; ParameterTypeError for anything else.
    """
    if isinstance(language, Alphabet):
        return Language.all(language)
    if not isinstance(language, Language):
        raise ParameterTypeError(
            f"A {type(language).__name__} is neither an Alphabet nor a Language.",
            hint="Write Alphabet(['low', 'high']) or Language.all(alphabet).",
            parameter="language",
        )
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
