"""Whether words of one language leave another, at the lengths that are in use.

Contract. Both languages are public, and so is what is said of them: a length, a position and the
symbols there. The empty word is left out of account: nothing is released for it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.languages import Language
from privet.languages.automaton import Automaton
from privet.languages.operations import complement, intersection

_LONGEST = 4096
"""Lengths up to here are compared where no length is given."""


@dataclass(frozen=True)
class Leaving:
    """A word that leaves: its `length`, the `position` where, and the `symbols` up to there.

    The position is the length of the word if it only ends where it may not.
    """

    length: int
    position: int
    symbols: tuple[Any, ...]

    def __str__(self) -> str:
        """Where, as a part of a sentence."""
        before = f" after {self.symbols[self.position - 1]!r}" if self.position else ""
        words = f"words of {self.length} symbol{'' if self.length == 1 else 's'}"
        if self.position == self.length:
            return f"{words} that end{before}"
        symbol = self.symbols[self.position]
        return f"{words} with {symbol!r} at position {self.position}{before}"


def first_leaving(
    words: Language, language: Language, lengths: Iterable[int] | None = None
) -> Leaving | None:
    """A word of `words` that is not in `language`, of one of the lengths; None if there is none.

    Without lengths, of any length up to 4096 that `language` has. Errors: ModelError for languages
    too large to compare.
    """
    if language.is_all:
        return None
    joined = intersection(words.automaton, complement(language.automaton))
    if joined.is_empty:
        return None
    beyond = Language(language.alphabet, joined)
    if lengths is None:
        chosen = _common(beyond.automaton, language)
    else:
        chosen = (length for length in sorted({*lengths} - {0}) if beyond.has_words(length))
    length = next(iter(chosen), None)
    return None if length is None else _example(beyond.automaton, language, length)


def _common(beyond: Automaton, language: Language) -> Iterator[int]:
    """Lengths of which there are words both beyond the language and in it."""
    inside = language.automaton
    most = min(_LONGEST, (beyond.size + 1) * (inside.size + 1))
    both = beyond.alive(most)[:, beyond.initial] & inside.alive(most)[:, inside.initial]
    yield from (np.flatnonzero(both[1:]) + 1).tolist()


def _example(beyond: Automaton, language: Language, length: int) -> Leaving:
    """The first word of that length, in the order of the alphabet."""
    alive, state = beyond.alive(length), beyond.initial
    codes = np.empty(length, language.alphabet.code_dtype)
    for place in range(length):
        after = beyond.transitions[state]
        possible = (after >= 0) & alive[length - place - 1][after]
        codes[place] = int(np.argmax(possible))
        state = int(after[codes[place]])
    position = int(language.automaton.walk(codes, np.array([0, length], np.int64))[0])
    return Leaving(length, position, tuple(language.alphabet.decode(codes)))
