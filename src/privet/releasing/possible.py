"""The words that can happen, where the mechanism itself knows no language.

Contract. The language is public. Words of the data outside it are refused by number and position
before anything is drawn, as a mechanism on a language refuses them, unless they are allowed; that
there is a release then tells that all of them are inside. What goes out may leave the language: the
notes say when.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.errors import DomainError, ModelError, ParameterError, ParameterTypeError
from privet.languages import Language
from privet.mechanisms import Mechanism
from privet.mechanisms.base import HammingMechanism
from privet.mechanisms.on_language import LanguageMechanism
from privet.releasing.decoding import Decoding
from privet.releasing.leaving import first_leaving
from privet.symbols import Words


@dataclass(frozen=True)
class Possible:
    """`language`: the words that can happen; `outside`: "refuse" or "allow" other ones."""

    language: Language
    outside: str = "refuse"

    @classmethod
    def read(cls, language: object, outside: str, mechanism: object) -> "Possible | None":
        """What was asked for; None without a language. Errors: ParameterError, ModelError."""
        if outside not in ("refuse", "allow"):
            raise ParameterError(
                f"outside takes 'refuse' or 'allow', not {outside!r}.",
                hint="Words outside the language are refused by default.",
                parameter="outside",
            )
        if language is None:
            if outside == "allow":
                raise ParameterError(
                    "outside='allow' needs a language.",
                    hint="Give the language, here or to a mechanism on it.",
                    parameter="outside",
                )
            return None
        if not isinstance(language, Language):
            raise ParameterTypeError(
                f"A {type(language).__name__} is not a language.",
                hint="Make one with Language.from_regex and its kin, or read_model(path).",
                parameter="language",
            )
        _check_mechanism(mechanism, language)
        return cls(language, outside)

    @property
    def refuses(self) -> bool:
        """Whether a release tells that every word of the data is in the language."""
        return self.outside == "refuse" and not self.language.is_all

    def check(self, words: Words) -> None:
        """Refuse words outside. Errors: DomainError with `word` and `position`."""
        if not self.refuses:
            return
        left = self.language.first_impossible_each(words)
        outside = np.flatnonzero((left >= 0) & (words.lengths > 0))
        if not outside.size:
            return
        word, position = int(outside[0]), int(left[outside[0]])
        at_end = position == int(words.lengths[word])
        where = "may not end where it does" if at_end else f"is impossible at position {position}"
        raise DomainError(
            f"Word {word} is not in the language: it {where}; {outside.size} "
            f"word{'s are' if outside.size > 1 else ' is'} outside.",
            hint="Correct the data or the language, or allow words outside it (outside='allow').",
            word=word,
            position=position,
        )

    def notes(self, decoding: Decoding | None, lengths: Counter[int]) -> tuple[str, ...]:
        """A note where the words that go out may leave the language."""
        if self.language.is_all:
            return ()
        if decoding is None:
            note = (
                "the mechanism knows no language: its words may leave the one that was named; "
                "decoding with a public chain (--decode) makes possible words of them at no cost "
                "to privacy"
            )
            return (note,)
        chain = decoding.chain.in_order_of(self.language.alphabet)
        note = "the decoded words may leave the language that was named"
        try:
            found = first_leaving(Language.from_chain(chain), self.language, lengths)
        except ModelError:  # too large to compare
            return (note,)
        if found is not None:
            return (f"{note}: {found}",)
        return () if decoding.always_possible else (note,)

    def to_json(self) -> dict[str, Any]:
        """{"outside": ..., "language": ...}: what a receipt says of it."""
        return {"outside": self.outside, "language": self.language.to_json()}


def _check_mechanism(mechanism: object, language: Language) -> None:
    if isinstance(mechanism, LanguageMechanism):
        raise ParameterError(
            "The mechanism has a language of its own.",
            hint="Leave language out; give outside to the mechanism.",
            parameter="language",
        )
    if not isinstance(mechanism, Mechanism) or not isinstance(mechanism, HammingMechanism):
        raise ParameterError(
            "Only words have a language, and this release is of no words.",
            hint="Leave language out.",
            parameter="language",
        )
    if mechanism.alphabet != language.alphabet:
        raise ModelError(
            "The language and the mechanism have different alphabets.",
            hint="Make both over the same symbols in the same order.",
        )
