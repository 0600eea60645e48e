"""Markov chains over public states: what sequences are like, known before the data are seen.

Contract. A chain is public. State i has the i-th symbol of `states`; a word is a sequence of states
whose first symbol follows `initial` and each next one the row of `transition` of the one before.
Every word of n states has a probability, and those of one length sum to 1. What is exact stays
exact: a chain given in integers, Fractions or text has its rational probabilities in
`exact_initial` and `exact_transition`; `initial` and `transition` are their nearest doubles, and
are positive exactly where the rationals are.
"""

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.chains import fitting, structure
from privet.chains.naming import check_fields, read_symbol_names, shown
from privet.chains.simulate import draw_paths
from privet.chains.stochastic import (
    FloatArray,
    Rows,
    StochasticMatrix,
    read_distribution,
    read_only,
    read_stochastic,
)
from privet.errors import ModelError, ParameterError
from privet.exact import read_count
from privet.exact.number import Number
from privet.randomness import current_source
from privet.symbols import Alphabet, Words


class MarkovChain:
    """A Markov chain with a given law of the first state.

    `initial`: k probabilities; `transition`: k rows of k, row i for the steps out of state i; both
    exact (integers, Fraction, Decimal, text) or floats (see `privet.chains.stochastic`); `states`:
    k symbols or an Alphabet, 0 .. k - 1 unless given. Errors: ModelError naming the row.
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
        """(k, k): which steps are possible."""
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
        """(k,) float64: the law that a step leaves as it is, each entry to a few last digits.

        Errors: ModelError if there is more than one (several closed classes of states).
        """
        return self._stationary

    def exact_stationary(self) -> tuple[Fraction, ...]:
        """The same as exact rationals. Errors: as `stationary`."""
        return self._exact_stationary

    def log_likelihood(self, words: Words) -> FloatArray:
        """(w,) float64: log P(word) among the words of its length; -inf if it cannot happen.

        Errors: ModelError if the words are over other symbols than the states.
        """
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
        if isinstance(length, int | np.integer):
            lengths = np.full(rows, read_count(int(length), "length", 0), np.int64)
        else:
            lengths = np.array([read_count(each, "length", 0) for each in length], np.int64)
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
        if alphabet == self.alphabet:
            return self
        if len(alphabet) != len(self.alphabet) or any(
            s not in self.alphabet for s in alphabet.symbols
        ):
            raise ModelError(
                f"The chain has other states ({len(self.alphabet)}) than the alphabet has symbols "
                f"({len(alphabet)}).",
                hint=f"The states are {shown(self.alphabet)}; the symbols are {shown(alphabet)}.",
            )
        order = [self.alphabet.index(symbol) for symbol in alphabet.symbols]
        return MarkovChain._of(
            self._first.reordered([0], order), self._steps.reordered(order, order), alphabet
        )

    @classmethod
    def _of(
        cls, first: StochasticMatrix, steps: StochasticMatrix, alphabet: Alphabet
    ) -> "MarkovChain":
        chain = cls.__new__(cls)
        chain._first, chain._steps, chain.alphabet = first, steps, alphabet
        return chain

    @classmethod
    def fit(
        cls,
        words: Words,
        *,
        pseudocount: Number = 0,
        support: npt.ArrayLike | None = None,
        protected: bool = False,
    ) -> "MarkovChain":
        """The chain of PUBLIC words: shares of first symbols and of steps, exactly.

        `pseudocount`: added to the count of every possible first symbol and step (0: what never
        occurs becomes impossible); `support`: (k, k) bool, the steps that are possible, all unless
        given; `protected`: say True if the words are the very data to be protected: the chain then
        gives them away, which a PrivacyLeakWarning says. Released words are learnt from by
        `privet.estimate.transitions`, which undoes the noise; counting them would not.

        Errors: ModelError for a state that is never left, or a step outside the support;
        ParameterTypeError for anything but Words.
        """
        counts = fitting.count_steps(words, protected)
        first, steps = fitting.rows(counts, words.alphabet, pseudocount, support)
        return cls(first, steps, words.alphabet)

    def to_json(self) -> dict[str, Any]:
        """{"kind": "markov-chain", "states": ..., "initial": ..., "transition": ...}."""
        return {
            "kind": self.kind,
            "states": self.alphabet.to_json(),
            "initial": self._first.to_json()[0],
            "transition": self._steps.to_json(),
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "MarkovChain":
        """The inverse of `to_json`. Errors: ModelError naming the field or the row."""
        check_fields(data, cls.kind, ("initial", "transition"), ("states",))
        return cls(data["initial"], data["transition"], data.get("states"))

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
