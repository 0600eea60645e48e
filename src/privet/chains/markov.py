"""Markov chains over public states: what sequences are like, known before the data are seen.

Contract. A chain is public. State i has the i-th symbol of `states`; a word is a sequence of states
whose first symbol follows `initial` and each next one the row of `transition` of the one before.
Every word of n states has a probability, and those of one length sum to 1. What is exact stays
exact: a chain given in integers, Fractions or text has its rational probabilities in
`exact_initial` and `exact_transition`; `initial` and `transition` are their nearest doubles, and
are positive exactly where the rationals are.
"""

import os
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from privet.chains import fitting, structure
from privet.chains.naming import (
    check_fields,
    other_names,
    read_origin,
    read_symbol_names,
    shown,
)
from privet.chains.simulate import draw_paths
from privet.chains.stochastic import (
    FloatArray,
    Rows,
    StochasticMatrix,
    read_distribution,
    read_only,
    read_stochastic,
)
from privet.errors import ModelError, ParameterError, ParameterTypeError
from privet.exact import read_count
from privet.exact.number import Number
from privet.languages import Language
from privet.randomness import current_source
from privet.symbols import Alphabet, Words
from privet.whole_files import write_json

Support: TypeAlias = "Language | MarkovChain | npt.ArrayLike | None"
"""What is possible: a language, a chain (for its words), or (k, k) of 0 and 1 for transitions."""


class MarkovChain:
    """A Markov chain with a given law of the first state.

    `initial`: k probabilities; `transition`: k rows of k, row i for the transitions out of state i;
    both exact (integers, Fraction, Decimal, text) or floats (see `privet.chains.stochastic`);
    `states`: k symbols or an Alphabet, 0 .. k - 1 unless given. Errors: ModelError naming the row.
    """

    kind = "markov-chain"

    def __init__(
        self,
        initial: Sequence[Any] | npt.NDArray[Any],
        transition: Rows,
        states: Iterable[Hashable] | Alphabet | None = None,
    ) -> None:
        first = read_distribution(initial, "the initial distribution")
        size = first.floats.shape[1]
        self.alphabet = read_symbol_names(states, size, "states")
        steps = read_stochastic(
            transition, "the transition matrix", [f"state {s}" for s in self.alphabet.symbols]
        )
        if steps.floats.shape != (size, size):
            rows, columns = steps.floats.shape
            raise ModelError(
                f"The transition matrix has {rows} rows of {columns} entries, and the initial "
                f"distribution has {size} entries.",
                hint="Both have one entry for each state.",
            )
        self._first, self._steps = first, steps
        self._origin: dict[str, str] | None = None

    @property
    def states(self) -> tuple[Hashable, ...]:
        """The symbols of the states, in the order of all rows and columns."""
        return self.alphabet.symbols

    @property
    def initial(self) -> FloatArray:
        """(k,) float64, read-only: P(first state = i)."""
        row: FloatArray = self._first.floats[0]
        return row

    @property
    def transition(self) -> FloatArray:
        """(k, k) float64, read-only: entry (i, j) = P(next state = j | this state = i)."""
        return self._steps.floats

    @property
    def is_exact(self) -> bool:
        """Whether every probability was given as an exact number."""
        return self._first.is_exact and self._steps.is_exact

    @property
    def exact_initial(self) -> tuple[Fraction, ...]:
        """The exact law of the first state; floats stand for themselves over their exact sum."""
        return self._first.exact[0]

    @property
    def exact_transition(self) -> tuple[tuple[Fraction, ...], ...]:
        """The exact rows of the transition matrix; floats as in `exact_initial`."""
        return self._steps.exact

    def support(self) -> npt.NDArray[np.bool_]:
        """(k, k): which transitions are possible."""
        return self.transition > 0

    @cached_property
    def _stationary(self) -> FloatArray:
        return read_only(structure.stationary_law(self.transition, self.support(), self.states))

    @cached_property
    def _exact_stationary(self) -> tuple[Fraction, ...]:
        rows = structure.rationals(self.exact_transition)
        law = structure.stationary_law(rows, self.support(), self.states)
        return tuple(structure.fraction(value) for value in law.tolist())

    def stationary(self) -> FloatArray:
        """(k,) float64: the law that a transition leaves as it is, each entry to a few last digits.

        Errors: ModelError if there is more than one (several closed classes of states).
        """
        return self._stationary

    def exact_stationary(self) -> tuple[Fraction, ...]:
        """The same as exact rationals. Errors: as `stationary`."""
        return self._exact_stationary

    def log_likelihood(self, words: Words) -> FloatArray:
        """(w,) float64: log P(word) among the words of its length; -inf if it cannot happen.

        Errors: ModelError if the words are over other symbols than the states; ParameterTypeError
        for anything but Words.
        """
        if not isinstance(words, Words):
            raise ParameterTypeError(
                f"The likelihood is that of Words, not of a {type(words).__name__}.",
                hint="Write Words.from_lists(chain.alphabet, lists).",
                parameter="words",
            )
        chain = self.in_order_of(words.alphabet)
        with np.errstate(divide="ignore"):
            first, steps = np.log(chain.initial), np.log(chain.transition)
        begun = words.lengths > 0
        terms = np.zeros(words.codes.size)
        later = np.ones(words.codes.size, bool)
        later[words.offsets[:-1][begun]] = False
        terms[~later] = first[words.codes[~later]]
        where = np.flatnonzero(later)
        terms[where] = steps[words.codes[where - 1], words.codes[where]]
        total = np.zeros(len(words))
        if begun.any():
            total[begun] = np.add.reduceat(terms, words.offsets[:-1][begun])
        return total

    def sample(self, length: int) -> list[Any]:
        """One word of that length, as a list of states, drawn to the precision of doubles."""
        return self.sample_words(1, length)[0]

    def sample_words(self, count: int, length: int | Sequence[int] | npt.NDArray[Any]) -> Words:
        """`count` independent words of one length, or of `count` lengths."""
        rows = read_count(count, "count", 0)
        if isinstance(length, Sequence | np.ndarray) and np.ndim(length) == 1:
            lengths = np.array([read_count(each, "length", 0) for each in length], np.int64)
        else:
            one: Any = length  # what is neither a number nor a list is refused as no number
            lengths = np.full(rows, read_count(one, "length", 0), np.int64)
        if len(lengths) != rows:
            raise ParameterError(
                f"There are {len(lengths)} lengths for {rows} words.", parameter="length"
            )
        codes = draw_paths(
            current_source(), self.initial, self.transition, lengths, self.alphabet.code_dtype
        )
        return Words(self.alphabet, codes, np.concatenate([[0], np.cumsum(lengths)]))

    def in_order_of(self, alphabet: Alphabet) -> "MarkovChain":
        """The same chain with its states in the order of `alphabet`.

        Errors: ModelError unless the alphabet has exactly the states of the chain.
        """
        if not isinstance(alphabet, Alphabet):
            raise ParameterTypeError(
                f"A {type(alphabet).__name__} is not an alphabet.",
                hint="Give an Alphabet of the states of the chain.",
                parameter="alphabet",
            )
        if alphabet == self.alphabet:
            return self
        if len(alphabet) != len(self.alphabet) or any(
            s not in self.alphabet for s in alphabet.symbols
        ):
            raise ModelError(
                f"The chain has other states ({len(self.alphabet)}) than the alphabet has symbols "
                f"({len(alphabet)}).",
                hint=other_names(self.alphabet, "the chain", alphabet, "the alphabet"),
            )
        order = [self.alphabet.index(symbol) for symbol in alphabet.symbols]
        first, steps = self._first.reordered([0], order), self._steps.reordered(order, order)
        return MarkovChain._of(first, steps, alphabet, self._origin)

    @classmethod
    def _of(
        cls,
        first: StochasticMatrix,
        steps: StochasticMatrix,
        alphabet: Alphabet,
        origin: dict[str, str] | None,
    ) -> "MarkovChain":
        chain = cls.__new__(cls)
        chain._first, chain._steps, chain.alphabet = first, steps, alphabet
        chain._origin = origin
        return chain

    @property
    def learnt_from(self) -> dict[str, str] | None:
        """The release it was learnt from ("file", "sha256", "epsilon"); None if nobody said so.

        Such a chain holds what the release tells of its data: used for another release of the same
        data, it adds its epsilon to that one's.
        """
        return None if self._origin is None else dict(self._origin)

    def with_origin(self, *, file: str, sha256: str, epsilon: str) -> "MarkovChain":
        """The same chain, said to be learnt from that release (see `learnt_from`)."""
        origin = read_origin({"file": file, "sha256": sha256, "epsilon": epsilon})
        return MarkovChain._of(self._first, self._steps, self.alphabet, origin)

    @classmethod
    def fit(
        cls,
        words: Words,
        *,
        pseudocount: Number = 0,
        support: Support = None,
        start: npt.ArrayLike | None = None,
        protected: bool = False,
    ) -> "MarkovChain":
        """The chain of PUBLIC words: shares of first symbols and of transitions, exactly.

        `pseudocount`: added to the count of every possible first symbol and transition (0: what
        never occurs becomes impossible); `support`: what is possible, a Language, a MarkovChain for
        its words, or (k, k) bool for transitions, and `start`: (k,) bool, the first symbols that
        are, all unless given; `protected`: say True if
        the words are the very data to be protected: the chain then gives them away, which a
        PrivacyLeakWarning says. Released words are learnt from by `privet.estimate.transitions`,
        which undoes the noise; counting them would not.

        Errors: ModelError for a state that is never left, for a support in which words end after
        some state, and by word and position for words outside support or start;
        ParameterTypeError for anything but Words.
        """
        fitting.check_words(words, protected)
        if isinstance(support, MarkovChain):
            support = Language.from_chain(support)
        first, steps = fitting.rows(words, pseudocount, support, start)
        return cls(first, steps, words.alphabet)

    def to_json(self) -> dict[str, Any]:
        """{"kind": "markov-chain", "states": ..., "initial": ..., "transition": ...}."""
        return {
            "kind": self.kind,
            "states": self.alphabet.to_json(),
            "initial": self._first.to_json()[0],
            "transition": self._steps.to_json(),
            **({} if self._origin is None else {"learnt_from": dict(self._origin)}),
        }

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the model file that `privet.read_model` reads, whole or not at all.

        Errors: OutputError for a place that cannot be written to, or a file that exists, unless
        `overwrite`.
        """
        write_json(path, self.to_json(), overwrite=overwrite)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "MarkovChain":
        """The inverse of `to_json`. Errors: ModelError naming the field or the row."""
        check_fields(data, cls.kind, ("initial", "transition"), ("states", "learnt_from"))
        chain = cls(data["initial"], data["transition"], data.get("states"))
        chain._origin = read_origin(data.get("learnt_from"))
        return chain

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, MarkovChain)
            and self.alphabet == other.alphabet
            and np.array_equal(self.transition, other.transition)
            and np.array_equal(self.initial, other.initial)
            and self.exact_initial == other.exact_initial
            and self.exact_transition == other.exact_transition
        )

    def __hash__(self) -> int:
        return hash((self.alphabet, self.transition.tobytes(), self.initial.tobytes()))

    def __repr__(self) -> str:
        kind = "exact" if self.is_exact else "floats"
        return f"MarkovChain({len(self.alphabet)} states, {kind}: {shown(self.alphabet)})"
