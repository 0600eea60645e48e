"""Many words in one flat array, the layout of an Arrow list column.

Contract. Word i is `codes[offsets[i]:offsets[i+1]]`. Codes index the public alphabet, offsets start
at 0, never fall and end at len(codes). Both arrays are read-only. Words may be empty and ragged.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from privet.errors import DataError, DomainError, ParameterTypeError
from privet.symbols.alphabet import Alphabet, CodeArray, plain_array

_Scalar = TypeVar("_Scalar", bound=np.generic)


class Words:
    """Words over an alphabet.

    `codes`: (total,) codes of all words one after the other; `offsets`: (words + 1,) int64.
    Errors: DataError if the offsets do not fit, DomainError if a code is outside the alphabet.
    """

    __slots__ = ("alphabet", "codes", "offsets")

    alphabet: Alphabet
    codes: CodeArray
    offsets: npt.NDArray[np.int64]

    def __init__(self, alphabet: Alphabet, codes: npt.ArrayLike, offsets: npt.ArrayLike) -> None:
        flat, bounds = plain_array(codes), plain_array(offsets)
        if flat.ndim != 1 or bounds.ndim != 1:
            raise DataError("The codes and the offsets of words are one-dimensional arrays.")
        if bounds.dtype.kind not in "iu" or bounds.size == 0:
            raise DataError(
                "The offsets of words are whole numbers, one more of them than there are words.",
                hint="No words at all have offsets [0].",
            )
        # A copy: whoever keeps the array could otherwise move the words of a finished release.
        bounds = np.array(bounds, np.int64)
        if bounds[0] != 0 or bounds[-1] != flat.size or bool((np.diff(bounds) < 0).any()):
            raise DataError(
                f"The offsets of words must rise from 0 to the number of codes, {flat.size}.",
                hint="Word i is codes[offsets[i]:offsets[i+1]].",
            )
        self.alphabet = alphabet
        self.codes = _read_only(alphabet.check_codes(flat))
        self.offsets = _read_only(bounds)

    @classmethod
    def from_lists(
        cls,
        alphabet: Alphabet,
        lists: Iterable[Sequence[Hashable]],
        *,
        other: Hashable | None = None,
        missing: Hashable | None = None,
    ) -> "Words":
        """Words from lists of symbols. Errors: DomainError naming the word and the position."""
        if isinstance(lists, str | bytes) or not isinstance(lists, Iterable):
            raise ParameterTypeError(
                f"Words are made from lists of symbols, not from a {type(lists).__name__}.",
                hint="Write Words.from_lists(alphabet, [['low', 'high'], ['low']]); a table goes "
                "through privet.words_from_table.",
            )
        rows = [*lists]
        for number, row in enumerate(rows):
            if isinstance(row, str | bytes) or not isinstance(row, Sequence | np.ndarray):
                raise ParameterTypeError(
                    f"Word {number} is a {type(row).__name__}, not a list of symbols.",
                    hint="Write [list(word) for word in words] for words of characters.",
                )
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        try:
            codes = alphabet.encode((s for row in rows for s in row), other=other, missing=missing)
        except DomainError as error:
            raise _locate(error, offsets) from None
        return cls(alphabet, codes, offsets)

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """(words,) int64: the number of symbols of each word."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return self.offsets.size - 1

    def __getitem__(self, index: int) -> list[Any]:
        if not -len(self) <= index < len(self):
            raise IndexError(f"There are {len(self)} words.")
        index %= len(self)
        return self.alphabet.decode(self.codes[self.offsets[index] : self.offsets[index + 1]])

    def __iter__(self) -> Iterator[list[Any]]:
        return (self[index] for index in range(len(self)))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Words)
            and self.alphabet == other.alphabet
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.codes, other.codes)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal by value, so not hashable

    def __repr__(self) -> str:
        return f"Words({len(self)} words, {self.codes.size} symbols, {self.alphabet!r})"

    def to_lists(self) -> list[list[Any]]:
        """Every word as a list of symbols."""
        return [*self]

    def with_codes(self, codes: npt.ArrayLike) -> "Words":
        """Words of the same lengths with other codes."""
        return Words(self.alphabet, codes, self.offsets)


def _locate(error: DomainError, offsets: npt.NDArray[np.int64]) -> DomainError:
    """The same refusal with the flat position turned into word and position within it."""
    flat = error.payload.get("position")
    if not isinstance(flat, int):
        return error
    word = int(np.searchsorted(offsets, flat, side="right")) - 1
    position = flat - int(offsets[word])
    message = error.message.replace(f"position {flat}", f"position {position} of word {word}")
    return type(error)(message, hint=error.hint, position=position, word=word)


def _read_only(array: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
    view = array.view()
    view.flags.writeable = False
    return view
