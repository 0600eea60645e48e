"""The words that can happen.

Contract. A language is a public set of words over a public alphabet, known before the data are
seen, and never empty. Counts are exact integers of any size and samples are uniform to the last
bit; nothing enumerates words. Equal languages compare equal however they were made, because each
keeps its smallest automaton. A language knows nothing of data: its errors name symbols, states and
lengths, which are public, and of a word only positions.
"""

import math
import os
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from privet.errors import (
    DataError,
    DomainError,
    ModelError,
    ParameterError,
    ParameterTypeError,
)
from privet.exact import read_count
from privet.languages import documents, lengths, operations, tables
from privet.languages.automaton import Automaton
from privet.languages.counting import CountTable, DistanceTable, count
from privet.languages.expressions import automaton_of
from privet.languages.nondeterministic import determinise
from privet.languages.operations import MOST_STATES
from privet.languages.parse import parse
from privet.randomness import current_source, random_subset_masks, uniform_below
from privet.symbols import Alphabet, Words, read_words
from privet.whole_files import write_json

_MOST_COUNTED = 1 << 20

_MOST_COUNTING_BITS = 1 << 42
"""Of all the numbers added up in one count: half a minute or less."""


class ChainLike(Protocol):
    """What `Language.from_chain` needs of a Markov chain."""

    @property
    def states(self) -> Sequence[Hashable]:
        """The symbols."""

    @property
    def initial(self) -> Any:
        """(k,) probabilities of the first symbol."""

    @property
    def transition(self) -> Any:
        """(k, k) probabilities: row i is the law of the symbol after symbol i."""


class Language:
    """A set of words over `alphabet`; make one with a named constructor such as `Language.all`.

    `automaton`: what accepts its words, None for all words. `|`, `&` and `~` are union,
    intersection and complement. Errors: ModelError if there are no words at all.
    """

    __slots__ = ("_all", "_automaton", "_table", "alphabet")

    alphabet: Alphabet

    def __init__(self, alphabet: Alphabet, automaton: Automaton | None = None) -> None:
        self.alphabet = _read_alphabet(alphabet)
        self._automaton = None if automaton is None else _smallest(alphabet, automaton)
        self._all = self._automaton is None
        self._table: CountTable | None = None

    @classmethod
    def all(cls, alphabet: Alphabet) -> "Language":
        """Every word over `alphabet`."""
        return cls(alphabet)

    @classmethod
    def from_allowed(
        cls, alphabet: Alphabet, allowed: tables.AllowedSteps, start: object = None
    ) -> "Language":
        """Words in which every symbol may follow the one before it.

        `allowed`: (m, m) of 0 and 1 or bool, entry (i, j) whether symbol j may follow symbol i, or
        {symbol: [symbols that may follow]}; `start`: the symbol, or the symbols, a word may begin
        with; None for any. The empty word belongs to it. Errors: ModelError by row and column.
        """
        first = np.ones(len(_read_alphabet(alphabet)), np.bool_)
        if start is not None:
            first = tables.read_start(alphabet, start)
        return cls(alphabet, tables.from_steps(alphabet, allowed, first))

    @classmethod
    def from_chain(cls, chain: ChainLike, start: object = None) -> "Language":
        """Words of positive probability under a Markov chain.

        `chain`: has `states`, `initial` (k,) and `transition` (k, k); `start`: the symbol, or the
        symbols, a word may begin with, in place of those of positive initial probability. The empty
        word belongs to it.
        """
        if not all(hasattr(chain, name) for name in ("states", "initial", "transition")):
            raise ParameterTypeError(
                f"A {type(chain).__name__} is not a Markov chain.",
                hint="Make one with MarkovChain(initial, transition, states).",
                parameter="chain",
            )
        alphabet = Alphabet(chain.states)
        steps = np.asarray(np.asarray(chain.transition) > 0, np.bool_)
        if start is None:
            first = np.asarray(np.asarray(chain.initial) > 0, np.bool_)
        else:
            first = tables.read_start(alphabet, start)
        return cls(alphabet, tables.from_steps(alphabet, steps, first))

    @classmethod
    def from_regex(
        cls, alphabet: Alphabet, pattern: str, *, most_states: int = MOST_STATES
    ) -> "Language":
        """Words that a regular expression over the symbols describes: see `languages.parse`.

        Errors: ModelError naming the position of what cannot be read, or the bound on states.
        """
        bound = read_count(most_states, "most_states")
        automaton = automaton_of(parse(pattern, _read_alphabet(alphabet)), len(alphabet))
        return cls(alphabet, determinise(automaton, bound))

    @classmethod
    def from_dfa(
        cls,
        alphabet: Alphabet,
        transitions: npt.ArrayLike | tables.Moves,
        initial: Any,
        accepting: Any,
    ) -> "Language":
        """Words that a deterministic automaton accepts.

        Either names, {state: {symbol: next state}} with the initial state and the list of accepting
        ones, or numbers: an (S, m) table with -1 for no move, the initial row, and (S,) bool.
        """
        _read_alphabet(alphabet)
        if isinstance(transitions, Mapping):
            named = tables.deterministic(alphabet, transitions, initial, accepting)
            return cls(alphabet, named)
        return cls(alphabet, Automaton(transitions, initial, accepting))

    @classmethod
    def from_nfa(
        cls,
        alphabet: Alphabet,
        transitions: tables.Moves,
        initial: Hashable,
        accepting: Sequence[Hashable],
        *,
        most_states: int = MOST_STATES,
    ) -> "Language":
        """Words that a nondeterministic automaton accepts, determinised and minimised.

        `transitions`: {state: {symbol: [next states]}}, where the symbol None stands for moving
        without reading one; `accepting`: list of states. Errors: ModelError naming what is wrong,
        or the bound if determinising needs more than `most_states` states.
        """
        bound = read_count(most_states, "most_states")
        automaton = tables.nondeterministic(
            _read_alphabet(alphabet), transitions, initial, accepting
        )
        return cls(alphabet, determinise(automaton, bound))

    @property
    def is_all(self) -> bool:
        """Whether every word over the alphabet belongs to the language."""
        return self._all

    @property
    def automaton(self) -> Automaton:
        """The smallest deterministic automaton of the language, trimmed; state 0 is initial."""
        if self._automaton is None:  # made when asked for: the alphabet may be huge
            self._automaton = Automaton(np.zeros((1, len(self.alphabet)), np.int32), 0, [True])
        return self._automaton

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Language)
            and self.alphabet == other.alphabet
            and self._all == other._all
            and (self._all or self.automaton == other.automaton)
        )

    def __hash__(self) -> int:
        return hash((self.alphabet, None if self._all else self._automaton))

    def __reduce__(self) -> tuple[object, ...]:
        return Language, (self.alphabet, None if self._all else self._automaton)

    def __repr__(self) -> str:
        if self._all:
            return f"Language.all({self.alphabet!r})"
        return f"Language({self.alphabet!r}, {self.automaton!r})"

    def union(self, other: "Language", *, most_states: int = MOST_STATES) -> "Language":
        """Words of either language; the same as `|`.

        Errors: ModelError for different alphabets, or if more than `most_states` states are needed.
        """
        self._check_alphabet(other)
        bound = read_count(most_states, "most_states")
        joined = operations.union(self.automaton, other.automaton, bound)
        return Language(self.alphabet, joined)

    def intersection(self, other: "Language", *, most_states: int = MOST_STATES) -> "Language":
        """Words of both languages; the same as `&`. Errors: as `union`, and if there are none."""
        self._check_alphabet(other)
        bound = read_count(most_states, "most_states")
        joined = operations.intersection(self.automaton, other.automaton, bound)
        return Language(self.alphabet, joined)

    def complement(self) -> "Language":
        """Words over the alphabet that are not in the language; the same as `~`."""
        return Language(self.alphabet, operations.complement(self.automaton))

    def __or__(self, other: "Language") -> "Language":
        return self.union(other) if isinstance(other, Language) else NotImplemented

    def __and__(self, other: "Language") -> "Language":
        return self.intersection(other) if isinstance(other, Language) else NotImplemented

    def __invert__(self) -> "Language":
        return self.complement()

    def contains(self, word: Sequence[Any]) -> bool:
        """Whether `word` (a list of symbols) is in the language; unknown symbols make it not."""
        try:
            return self.first_impossible(word) is None
        except DomainError:
            return False

    def first_impossible(self, word: Sequence[Hashable]) -> int | None:
        """Where `word` leaves the language, or None if it belongs to it.

        The position of the first symbol after which no word of the language begins like this one;
        the word's length if it ends where no word may. Errors: DomainError for unknown symbols.
        """
        codes = self._read(word)
        left = int(self.automaton.walk(codes, np.array([0, codes.size], np.int64))[0])
        return None if left < 0 else left

    def first_impossible_each(self, words: Words) -> npt.NDArray[np.int64]:
        """(words,) int64: `first_impossible` of each word, -1 for one in the language."""
        if self.is_all:
            return np.full(len(words), -1, np.int64)
        return self.automaton.walk(read_words(self.alphabet, words).codes, words.offsets)

    def has_words(self, length: int) -> bool:
        """Whether the language has words of that length.

        Errors: ParameterError for a length above 2^20 on more than 1024 states, if no shorter ones
        tell.
        """
        size = read_count(length, "length", minimum=0)
        if self.is_all:
            return True
        found = lengths.has_words(self.automaton, size)
        if found is None:
            raise _too_long(size, lengths.LONGEST_STEPPED)
        return found

    def check_length(self, length: int) -> None:
        """Refuse a length that no word has. Errors: ParameterError naming the nearest lengths."""
        if self.has_words(length):
            return
        near: list[int] = []
        if length <= lengths.LONGEST_STEPPED:
            # From a longer word, steps of at most S symbols can be cut out, so the next length
            # above is at most S away, or below S.
            flags = lengths.lengths_up_to(self.automaton, length + self.automaton.size + 1)
            known = np.flatnonzero(flags)
            near = [*known[known < length][-1:].tolist(), *known[known > length][:1].tolist()]
        hint = f"The nearest length it has is {near[0]}." if near else ""
        if len(near) > 1:
            hint = f"The nearest lengths it has are {' and '.join(map(str, near))}."
        raise ParameterError(
            f"The language has no word of length {length}.",
            hint=hint,
            parameter="length",
            lengths=tuple(near),
        )

    def count(self, length: int) -> int:
        """The number of words of that length, exactly.

        Errors: ParameterError for a length of which the exact number takes minutes.
        """
        size = read_count(length, "length", minimum=0)
        self._check_counting(size, size)
        if self.is_all:
            return int(len(self.alphabet) ** size)
        return count(self.automaton, size)

    def count_up_to(self, length: int, most: int) -> int:
        """The number of words of that length, or `most` (at most 2^20) if there are more."""
        size = read_count(length, "length", minimum=0)
        bound = read_count(most, "most")
        if bound > _MOST_COUNTED:
            raise ParameterError(f"most is above {_MOST_COUNTED}.", parameter="most")
        if self.is_all:
            return bound if size > _MOST_COUNTED else min(bound, len(self.alphabet) ** size)
        if size > lengths.LONGEST_STEPPED:
            raise _too_long(size, lengths.LONGEST_STEPPED)
        return lengths.count_up_to(self.automaton, size, bound)

    def count_by_distance(self, word: Sequence[Any]) -> list[int]:
        """[number of words at Hamming distance l from `word`, for l = 0..n], exactly.

        `word` need not be in the language. Time and memory grow as n^3 and n^2.5 bits a state.
        Errors: ParameterError for a word so long that it would take minutes.
        """
        codes = self._read(word)
        self._check_counting(codes.size, codes.size**2)
        if self.is_all:
            others = len(self.alphabet) - 1
            return [
                math.comb(codes.size, errors) * others**errors for errors in range(codes.size + 1)
            ]
        return DistanceTable(self.automaton, codes).counts

    def sample(self, length: int) -> list[Any]:
        """A uniformly random word of that length, as a list of symbols.

        Errors: ParameterError if the language has none, naming the nearest lengths it has.
        """
        size = read_count(length, "length", minimum=0)
        if self.is_all:
            codes = uniform_below(current_source(), len(self.alphabet), size)
            return self.alphabet.decode(codes.astype(np.int64))
        self._check_counting(size, size)
        self.check_length(size)
        table = self._table
        if table is None or table.length != size:
            table = self._table = CountTable(self.automaton, size)
        return self.alphabet.decode(table.sample(current_source()))

    def sample_at_distance(self, word: Sequence[Any], distance: int) -> list[Any]:
        """A uniformly random word of the language at that Hamming distance from `word`.

        Errors: ParameterError if there is none.
        """
        codes = self._read(word)
        self._check_counting(codes.size, codes.size**2)
        errors = read_count(distance, "distance", minimum=0)
        if self.is_all and errors <= codes.size:
            return self.alphabet.decode(self._substituted(codes, errors))
        table = DistanceTable(self.automaton, codes) if errors <= codes.size else None
        if table is None or table.counts[errors] == 0:
            raise ParameterError(
                f"The language has no word at distance {errors} from the given one.",
                hint="count_by_distance says how many words each distance has.",
                parameter="distance",
            )
        return self.alphabet.decode(table.sample(current_source(), errors))

    def _substituted(self, codes: npt.NDArray[Any], errors: int) -> npt.NDArray[np.int64]:
        """`codes` with that many positions, a uniform subset, moved to uniform other symbols."""
        source, size = current_source(), len(self.alphabet)
        changed = random_subset_masks(source, np.array([errors], np.int64), codes.size)[0]
        moved = codes.astype(np.int64)
        moved[changed] += 1 + uniform_below(source, size - 1, errors).astype(np.int64)
        return moved % size

    def to_json(self) -> dict[str, Any]:
        """The language as a JSON document: see `languages.documents`."""
        return documents.write(self.alphabet, self.automaton)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the model file that `privet.read_model` reads, whole or not at all.

        Errors: OutputError for a place that cannot be written to, or a file that exists, unless
        `overwrite`.
        """
        write_json(path, self.to_json(), overwrite=overwrite)

    @classmethod
    def from_json(cls, document: object) -> "Language":
        """The language of a document. Errors: ModelError naming the field and row."""
        return cls(*documents.read(document))

    def _read(self, word: object) -> npt.NDArray[Any]:
        if isinstance(word, Words):
            raise DataError(
                "One word is expected, not Words.", hint="Pass words[i], or loop over the words."
            )
        return read_words(self.alphabet, word).codes

    def _check_counting(self, length: int, numbers: int) -> None:
        """Refuse to count with more than 2^42 bits, move by move: `numbers` for each move."""
        moves = 1 if self.is_all else self.automaton.edges[1].size
        if moves * numbers * length * math.log2(len(self.alphabet)) > _MOST_COUNTING_BITS:
            raise ParameterError(
                f"Words of {length} symbols are too long to be counted on this language.",
                hint="Exact numbers have as many digits as the words have symbols.",
                parameter="length",
            )

    def _check_alphabet(self, other: "Language") -> None:
        if not isinstance(other, Language):
            raise ParameterTypeError(
                f"A {type(other).__name__} is not a Language.",
                hint="Both sides must be languages.",
                parameter="other",
            )
        if self.alphabet != other.alphabet:
            raise ModelError(
                "The two languages have different alphabets.",
                hint="Make both over the same symbols in the same order.",
            )


def _read_alphabet(alphabet: object) -> Alphabet:
    if not isinstance(alphabet, Alphabet):
        raise ParameterTypeError(
            f"A {type(alphabet).__name__} is not an Alphabet.",
            hint="Write Alphabet(['low', 'high']).",
            parameter="alphabet",
        )
    return alphabet


def _too_long(length: int, longest: int) -> ParameterError:
    return ParameterError(
        f"Words of {length} symbols are too long for this language.",
        hint=f"Up to {longest} symbols are looked through.",
        parameter="length",
    )


def _smallest(alphabet: Alphabet, automaton: Automaton) -> Automaton | None:
    """The smallest automaton of the same words, or None where these are all words."""
    if not isinstance(automaton, Automaton):
        raise ParameterTypeError(
            f"A {type(automaton).__name__} is not an automaton.",
            hint="Use a named constructor, such as Language.from_regex.",
            parameter="automaton",
        )
    if automaton.symbols != len(alphabet):
        raise ModelError(
            f"The automaton reads {automaton.symbols} symbols, the alphabet has {len(alphabet)}.",
            hint="Column a of the table belongs to symbol a of the alphabet.",
        )
    small = automaton.minimised()
    if not small.accepting.any():
        raise ModelError(
            "The language has no words at all.", hint="A release must have words to choose from."
        )
    return None if small.size == 1 and bool((small.transitions == 0).all()) else small
