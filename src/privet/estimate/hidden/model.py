"""A chain behind a response: which arithmetic is safe for which words.

Contract. `schedule` gives every word that has symbols to exactly one batch, with an arithmetic
whose floats lose nothing of it. The proof for plain floats:

Let p be the smallest positive transition probability, q that of the initial law, r the range of the
log response (its largest less its smallest entry), and d a number of steps in which every state
reaches every state. Among the paths that lead to a state at position t, those that differ only in
the last d steps differ in weight by at most p^d e^(-d r), and there is one from every state d steps
before; so every normalised forward entry is at least p^d e^(-(d + 1) r). At positions t < d, or for
a chain without such a d, the same holds with t in the place of d and the factor q, for every state
that can be there. Where L = d (r + log 1/p) + r + log 1/q is at most `RANGE`, no entry comes near
the end of doubles. Otherwise the forward pass is run first, and the words in which an entry that is
possible falls below `TINY` go to logarithms. A backward entry is at most 1 / forward where that is
possible, and what it loses at the lower end has a posterior below 10^-100.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from privet.chains import MarkovChain
from privet.chains.structure import mixing_steps
from privet.errors import DataError
from privet.estimate.hidden.arithmetic import Arithmetic, Linear, Logarithmic
from privet.estimate.hidden.batches import Batch, batches

FloatArray = npt.NDArray[np.float64]

RANGE = 300.0
"""Nats between the largest and the smallest entry for which plain floats are proved safe."""

TINY = 1e-200
"""The smallest forward entry with which a word is left to plain floats after a look."""

_LINEAR_NUMBERS = 1 << 15
_LOG_NUMBERS = 1 << 18


class HiddenModel:
    """`initial` (k,), `transition` (k, k) probabilities; `log_response` (k, m)."""

    def __init__(
        self, initial: FloatArray, transition: FloatArray, log_response: FloatArray
    ) -> None:
        self.size = len(initial)
        self.initial, self.transition, self.log_response = initial, transition, log_response
        with np.errstate(divide="ignore"):
            self.log_initial, self.log_transition = np.log(initial), np.log(transition)
        self._logarithmic = Logarithmic(self.log_initial, self.log_transition, log_response)
        response = np.exp(log_response)
        self._linear: Linear | None = None
        if bool((response > TINY).all()):
            self._linear = Linear(initial, transition, response)
        self._mixing = mixing_steps(transition > 0)

    @classmethod
    def of(cls, chain: MarkovChain, log_response: FloatArray) -> "HiddenModel":
        """The model of a chain whose states are in the order of the response."""
        return cls(chain.initial, chain.transition, log_response)

    def bound(self, length: int) -> float:
        """L of the contract for words of that length: nats an entry can fall below the largest."""
        least = -float(np.log(self.transition[self.transition > 0].min()))
        first = -float(np.log(self.initial[self.initial > 0].min()))
        spread = float(self.log_response.max() - self.log_response.min())
        steps = length if self._mixing is None else min(length, self._mixing)
        return steps * (spread + least) + spread + first

    def schedule(
        self, codes: npt.NDArray[np.unsignedinteger], offsets: npt.NDArray[np.int64]
    ) -> Iterator[tuple[Batch, Arithmetic]]:
        """Batches of all words that have symbols, each with a safe arithmetic."""
        for batch in batches(codes, offsets, max(1, _LINEAR_NUMBERS // self.size)):
            if self._linear is None:
                yield from self._in_logarithms(batch)
            elif self.bound(batch.longest) <= RANGE:
                yield batch, self._linear
            else:
                lost = self._endangered(batch, self._linear)
                if not lost.all():
                    yield batch.select(~lost), self._linear
                if lost.any():
                    yield from self._in_logarithms(batch.select(lost))

    def _in_logarithms(self, batch: Batch) -> Iterator[tuple[Batch, Arithmetic]]:
        step = max(1, _LOG_NUMBERS // self.size**2)
        for start in range(0, len(batch.words), step):
            chosen = np.zeros(len(batch.words), bool)
            chosen[start : start + step] = True
            yield batch.select(chosen), self._logarithmic

    def _endangered(self, batch: Batch, linear: Linear) -> npt.NDArray[np.bool_]:
        """(w,): the words of which plain floats would lose something on the way forward."""
        safe = np.ones(len(batch.words), bool)
        possible = self.initial > 0
        support = (self.transition > 0).astype(np.float64)
        forward = None
        with np.errstate(divide="ignore", invalid="ignore"):
            for position, active in enumerate(batch.active()):
                symbols = batch.symbols(position, active)
                if forward is None:
                    forward = linear.first(symbols)
                else:
                    forward = linear.advance(forward, symbols)
                    possible = possible @ support > 0
                # Written so that NaN, which follows from a sum of 0, fails it.
                safe[:active] &= (forward.state[:, possible] >= TINY).all(axis=1)
        return ~safe


def check_possible(log_likelihood: FloatArray) -> None:
    """Refuse words that no word of the chain could have been released as.

    A response that is positive everywhere excludes none; a matrix with zeros may.
    """
    for word in np.flatnonzero(np.isneginf(log_likelihood)).tolist():
        raise DataError(
            f"Released word {word} cannot have come from any word of the chain.",
            hint="The mechanism or the chain is not the one these words were released with.",
            word=word,
        )
