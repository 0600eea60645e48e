"""Categories and words over them, as codes into a public alphabet."""

from privet.symbols.alphabet import Alphabet, Codes
from privet.symbols.coercion import Encoded, read_symbols, read_words
from privet.symbols.distance import hamming_distance
from privet.symbols.words import Words

__all__ = [
    "Alphabet",
    "Codes",
    "Encoded",
    "Words",
    "hamming_distance",
    "read_symbols",
    "read_words",
]
