"""How often each word was released: all that an estimate of the chain needs to know.

Contract. Tallies of parts of a release add to the tally of the whole, so words need never be in one
place; each part holds whole words. Memory is that of the different words, so it stops growing only
where words repeat, as short ones do.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.errors import DataError
from privet.estimate.released import bare
from privet.symbols import Alphabet, read_words


@dataclass(frozen=True, eq=False)
class WordTally:
    """`counts`: {codes of a word as bytes: how often it was released}, over `alphabet`."""

    alphabet: Alphabet
    counts: Counter[bytes]

    @classmethod
    def of(cls, released: Any, alphabet: Alphabet) -> "WordTally":
        """The tally of Words, one word, or a Release. Errors: DomainError by position."""
        found = read_words(alphabet, bare(released))
        codes = np.ascontiguousarray(found.codes, alphabet.code_dtype)
        text, width = codes.tobytes(), codes.itemsize
        ends = (found.offsets * width).tolist()
        each = (text[i:j] for i, j in pairwise(ends))
        return cls(alphabet, Counter(each))

    def __add__(self, other: "WordTally") -> "WordTally":
        """The tally of both. Errors: DataError for other symbols."""
        if self.alphabet != other.alphabet:
            raise DataError(
                "Tallies of words over different alphabets do not add.",
                hint="Parts of one release are counted with the same mechanism.",
            )
        return WordTally(self.alphabet, self.counts + other.counts)

    @property
    def words(self) -> int:
        """How many words there are."""
        return self.counts.total()

    @property
    def symbols(self) -> int:
        """How many symbols they have together."""
        width = self.alphabet.code_dtype.itemsize
        return sum(len(word) // width * times for word, times in self.counts.items())

    @property
    def longest(self) -> int:
        """The length of the longest word."""
        return max(map(len, self.counts), default=0) // self.alphabet.code_dtype.itemsize

    def distinct(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Codes and offsets of the different words that are not empty, and how often each is."""
        full = {word: times for word, times in self.counts.items() if word}
        dtype = self.alphabet.code_dtype
        lengths = np.array([len(word) // dtype.itemsize for word in full], np.int64)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return np.frombuffer(b"".join(full), dtype), offsets, np.array([*full.values()], np.float64)
