"""The words that can happen.

Contract. A language is a public set of words over a public alphabet, known before the data are
seen. Counts are exact integers of any size; nothing enumerates words. Only the language of all
words exists so far: one that forbids some words needs the automata that count them.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from privet.exact import read_count
from privet.randomness import current_source, uniform_below
from privet.symbols import Alphabet, read_words


class Language:
    """A set of words over `alphabet`; make one with a named constructor such as `Language.all`."""

    __slots__ = ("alphabet",)

    def __init__(self, alphabet: Alphabet) -> None:
        self.alphabet = alphabet

    @classmethod
    def all(cls, alphabet: Alphabet) -> "Language":
        """Every word over `alphabet`."""
        return cls(alphabet)

    @property
    def is_all(self) -> bool:
        """Whether every word over the alphabet belongs to the language."""
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Language) and self.alphabet == other.alphabet

    def __hash__(self) -> int:
        return hash(("all words", self.alphabet))

    def __repr__(self) -> str:
        return f"Language.all({self.alphabet!r})"

    def contains(self, word: Sequence[Any]) -> bool:
        """Whether `word` (a list of symbols) is in the language; unknown symbols make it not."""
        return all(symbol in self.alphabet for symbol in word)

    def count(self, length: int) -> int:
        """The number of words of that length, exactly."""
        return int(len(self.alphabet) ** read_count(length, "length", minimum=0))

    def count_by_distance(self, word: Sequence[Any]) -> list[int]:
        """[number of words at Hamming distance l from `word`, for l = 0..n], exactly."""
        length = read_words(self.alphabet, word).codes.size
        others = len(self.alphabet) - 1
        return [math.comb(length, errors) * others**errors for errors in range(length + 1)]

    def sample(self, length: int) -> list[Any]:
        """A uniformly random word of that length, as a list of symbols."""
        size = read_count(length, "length", minimum=0)
        codes = uniform_below(current_source(), len(self.alphabet), size)
        return self.alphabet.decode(codes.astype(np.int64))
