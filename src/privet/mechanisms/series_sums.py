"""What a query needs of its words, part by part: exact sums, lengths, and what must be refused.

Contract. Words may be looked at in parts, cut anywhere between them and in any order: `question`
gives what one look at all of them gives. Sums are of integers or fractions, so that neither the
parts nor their order change them; they are put on the query's grid once, at the end. Nothing is
refused before `question`, which refuses the first word of all that must be, after whatever public
things decide. A constant that was only stated is tried before its function sees any word. No noise
is drawn but by `answered`. Sums are private: they are in no error and no repr.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from privet.errors import DataError, DomainError, PrivetError
from privet.queries import Nodes, Query, cut, read_nodes, read_query
from privet.queries.pieces import empty_words, read_range
from privet.randomness import current_source, discrete_laplace
from privet.symbols import Words

if TYPE_CHECKING:
    from privet.mechanisms.series import SeriesMechanism

Places = npt.NDArray[np.int64]
"""(words,) rising: where the words of a part are among all words."""

_IMPOSSIBLE, _FAILED = "impossible", "failed"
"""Words that no chain can produce, and those that a function of the user's own does not take."""


@dataclass(frozen=True)
class Question:
    """A query about given words, read and checked: everything but the noise.

    `lengths`: {nodes of a word: how many words}; `read`: how many nodes were read of all words;
    `raw`: the query's whole numbers, which are private; `scale`: of the noise on them.
    """

    query: Query
    lengths: dict[int, int]
    read: int
    raw: list[int] = field(repr=False)
    scale: Fraction


class Sums:
    """The whole numbers of a query about words that are added part by part."""

    def __init__(
        self,
        mechanism: "SeriesMechanism",
        query: Query | str | dict[str, Any],
        nodes: Nodes = None,
    ) -> None:
        self._mechanism, self._query = mechanism, read_query(query)
        self._nodes = None if nodes is None else read_range(nodes)
        self._lengths: Counter[int] = Counter()
        self._read = 0
        self._sums: list[Any] = [0] * self._query.size(mechanism.alphabet)
        self._first_empty: int | None = None
        self._troubles: dict[str, tuple[int, PrivetError]] = {}
        self._tried: list[int] | None = None
        self._refuted: PrivetError | None = None

    def __len__(self) -> int:
        """How many words there are so far."""
        return self._lengths.total()

    def add(self, words: Words, places: Places | None = None) -> None:
        """Count some more words; `places`: where they are among all, else after those before.

        Errors: ModelError if the words are over other symbols than the states.
        """
        if not len(words):
            return
        if places is None:
            places = np.arange(len(self), len(self) + len(words))
        sizes, counts = np.unique(words.lengths, return_counts=True)
        self._lengths.update(dict(zip(sizes.tolist(), counts.tolist(), strict=True)))
        if not sizes[0]:
            place = int(places[np.argmin(words.lengths)])
            self._first_empty = min(
                place, place if self._first_empty is None else self._first_empty
            )
        try:
            self._mechanism.framework.check_words(words)
        except DomainError as error:
            self._note(_IMPOSSIBLE, error, places)
        shortest = 1 if self._nodes is None else self._nodes[1]
        # A shorter word, and a constant that does not hold, are refused by `question`.
        if sizes[0] >= shortest and self._holds(sizes.tolist()):
            self._count(words, places)

    def question(self, number: Callable[[int], int] = int) -> Question:
        """Everything but the noise. `number`: that of the word at a place, for errors.

        Errors: as `SeriesMechanism.release`.
        """
        mechanism, query, nodes = self._mechanism, self._query, self._nodes
        lengths = dict(sorted(self._lengths.items()))
        if not lengths:
            raise DataError("There is no word to answer a query about.")
        if self._first_empty is not None:
            raise empty_words(number(self._first_empty), lengths[0], len(self))
        read_nodes(nodes, min(lengths))
        # What only public things decide is refused first.
        scale = mechanism.grid_scale(query, lengths, nodes)
        if self._refuted is not None:
            raise self._refuted
        if self._tried != self._nodes_read(lengths):
            query.verify(mechanism.alphabet, self._nodes_read(lengths))
        for kind in (_IMPOSSIBLE, _FAILED):
            if kind in self._troubles:
                place, error = self._troubles[kind]
                raise _numbered(error, number(place))
        raw = self._sums
        if query.rounding(mechanism.alphabet):
            raw = query.put_on_grid(raw, mechanism.alphabet)
        return Question(query, lengths, self._read, raw, scale)

    def _holds(self, lengths: Iterable[int]) -> bool:
        """Whether a constant that was only stated is not refuted by the first lengths there are."""
        if self._tried is None:
            self._tried = self._nodes_read(lengths)
            try:
                self._query.verify(self._mechanism.alphabet, self._tried)
            except PrivetError as error:
                self._refuted = error.with_traceback(None)
        return self._refuted is None

    def _nodes_read(self, lengths: Iterable[int]) -> list[int]:
        """How many nodes are read of words of those lengths, each number once."""
        if self._nodes is None:
            return sorted(lengths)
        start, stop = self._nodes
        return [stop - start]

    def _count(self, words: Words, places: Places) -> None:
        query, alphabet = self._query, self._mechanism.alphabet
        codes, offsets = cut(words.codes, words.offsets, self._nodes)
        # What moves when it is put on the grid is added up before.
        exact = query.values if query.rounding(alphabet) else query.raw
        try:
            found = exact(alphabet, codes, offsets)
        except DataError as error:
            self._note(_FAILED, error, places)
            return
        self._sums = [before + more for before, more in zip(self._sums, found, strict=True)]
        self._read += int(codes.size)

    def _note(self, kind: str, error: PrivetError, places: Places) -> None:
        """Keep the error of the first word of all that has one of the kind."""
        word = error.payload.get("word")
        if not isinstance(word, int):
            raise error
        place = int(places[word])
        if kind not in self._troubles or place < self._troubles[kind][0]:
            # Without its frames, which hold the words.
            self._troubles[kind] = place, error.with_traceback(None)


def answered(mechanism: "SeriesMechanism", question: Question) -> Any:
    """What `SeriesMechanism.release` gives, with fresh noise: each call is a release of its own."""
    raw = question.raw
    noise = [0] * len(raw)
    if question.scale:
        noise = discrete_laplace(current_source(), question.scale, len(raw)).tolist()
    # Python integers: a sum of int64 could wrap around.
    noisy = [number + more for number, more in zip(raw, noise, strict=True)]
    return question.query.finish(noisy, mechanism.alphabet, question.read)


def _numbered(error: PrivetError, number: int) -> PrivetError:
    """The same refusal, naming the word by its number among all instead of in its part."""
    own = error.payload["word"]
    before, named, after = error.message.rpartition(f"ord {own}")
    if own == number or not named:
        return error
    payload = {**error.payload, "word": number}
    return type(error)(f"{before}ord {number}{after}", hint=error.hint, **payload)
