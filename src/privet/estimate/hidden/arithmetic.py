"""The forward and backward recursions of hidden Markov models, in floats and in logarithms.

Contract. Both arithmetics compute the same numbers [rabiner-1989]: forward states are normalised at
every position, their normalisers multiply to the likelihood of the released word, and backward
states are scaled by the same normalisers, so that forward times backward is the posterior. Arrays
are (w, k): w words, k states.

Floats are fast and lose what is below 10^-308 of the largest entry. `Linear` may only be given
words for which that cannot happen or was seen not to happen (`privet.estimate.hidden.model`);
`Logarithmic` takes any word.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privet.estimate.hidden.batches import Batch, backwards

FloatArray = npt.NDArray[np.float64]
IndexArray = npt.NDArray[np.intp]

CEILING = 1e250
"""Cap of the backward states of `Linear`.

Where a forward state is possible its backward state is at most 1 / forward, far below the cap; the
cap only keeps states that are impossible at that position from overflowing.
"""


@dataclass(frozen=True, eq=False)
class Forward:
    """`state`: (w, k) normalised, P(state at t | released up to t); `scale`: (w,) normaliser.

    In `Logarithmic` both are logarithms.
    """

    state: FloatArray
    scale: FloatArray

    @property
    def size(self) -> int:
        """The number of numbers held."""
        return self.state.size + self.scale.size


class Arithmetic(ABC):
    """One way to compute: every method takes and gives its own representation of numbers."""

    @abstractmethod
    def first(self, symbols: IndexArray) -> Forward:
        """The forward state of the first position, from the symbols (w,) released there."""

    @abstractmethod
    def advance(self, before: Forward, symbols: IndexArray) -> Forward:
        """The next position's, for the first len(symbols) words."""

    def forwards(self, batch: Batch) -> Iterator[tuple[int, int, Forward]]:
        """(t, number of words that have it, forward state at t), from the last t to the first."""
        active = batch.active()

        def advance(before: Forward, position: int) -> Forward:
            return self.advance(before, batch.symbols(position, active[position]))

        first = self.first(batch.symbols(0, active[0]))
        for position, forward in backwards(first, advance, batch.longest):
            yield position, active[position], forward

    @abstractmethod
    def ends(self, words: int) -> FloatArray:
        """The backward state (words, k) of a last position: 1."""

    @abstractmethod
    def message(self, backward: FloatArray, symbols: IndexArray, scale: FloatArray) -> FloatArray:
        """(w, k): what a position and all after it say about its state, scaled."""

    @abstractmethod
    def retreat(self, message: FloatArray, words: int) -> FloatArray:
        """(words, k): the backward state of the position before, where more words may end."""

    @abstractmethod
    def marginals(self, forward: FloatArray, backward: FloatArray) -> FloatArray:
        """(w, k) float64: the posterior of the state, rows summing to 1."""

    @abstractmethod
    def weights(self, forward: FloatArray, following: IndexArray) -> FloatArray:
        """(w, k) float64, proportional to P(state | released up to here, next state (w,))."""

    @abstractmethod
    def plain(self, forward: FloatArray) -> FloatArray:
        """(w, k) float64: the forward state as probabilities."""

    @abstractmethod
    def log_scale(self, scale: FloatArray) -> FloatArray:
        """(w,) float64: logarithms of normalisers."""

    @abstractmethod
    def steps(
        self, forward: FloatArray, message: FloatArray, weights: FloatArray | None
    ) -> FloatArray:
        """(k, k): the derivative of the log likelihood in each transition probability.

        Summed over words with `weights` (w,); with None, (w, k, k) word by word. Times the
        transition probability it is the expected number of such steps from this position.
        """


class Linear(Arithmetic):
    """Plain floats. `initial` (k,), `transition` (k, k), `response` (k, m): probabilities."""

    def __init__(self, initial: FloatArray, transition: FloatArray, response: FloatArray) -> None:
        self._initial = initial
        self._steps = np.ascontiguousarray(transition)
        self._back = np.ascontiguousarray(transition.T)
        self._response = np.ascontiguousarray(response.T)
        self._ones = np.ones(len(transition))

    def first(self, symbols: IndexArray) -> Forward:
        """Initial law times response, normalised."""
        return self._normalised(self._initial * self._seen(symbols))

    def advance(self, before: Forward, symbols: IndexArray) -> Forward:
        """(forward P) times response, normalised."""
        state = before.state[: len(symbols)] @ self._steps
        state *= self._seen(symbols)
        return self._normalised(state)

    def ends(self, words: int) -> FloatArray:
        """Ones."""
        return np.ones((words, len(self._ones)))

    def message(self, backward: FloatArray, symbols: IndexArray, scale: FloatArray) -> FloatArray:
        """Response times backward state, over the normaliser."""
        message = self._seen(symbols)
        message *= backward
        message /= scale[:, None]
        return np.minimum(message, CEILING, out=message)

    def retreat(self, message: FloatArray, words: int) -> FloatArray:
        """P times the message."""
        backward = self.ends(words)
        np.matmul(message, self._back, out=backward[: len(message)])
        return backward

    def marginals(self, forward: FloatArray, backward: FloatArray) -> FloatArray:
        """Forward times backward; dividing by the sum only removes rounding."""
        posterior = forward * backward
        posterior /= (posterior @ self._ones)[:, None]
        return posterior

    def weights(self, forward: FloatArray, following: IndexArray) -> FloatArray:
        """Forward times P(next | state)."""
        return np.asarray(forward * self._back[following])

    def plain(self, forward: FloatArray) -> FloatArray:
        """Itself."""
        return forward

    def log_scale(self, scale: FloatArray) -> FloatArray:
        """The logarithm."""
        return np.asarray(np.log(scale))

    def steps(
        self, forward: FloatArray, message: FloatArray, weights: FloatArray | None
    ) -> FloatArray:
        """Forward (outer) message."""
        if weights is None:
            return np.asarray(forward[:, :, None] * message[:, None, :])
        return np.asarray((forward * weights[:, None]).T @ message)

    def _seen(self, symbols: IndexArray) -> FloatArray:
        """(w, k): P(symbol released | state), a fresh array."""
        return np.take(self._response, symbols, axis=0)

    def _normalised(self, state: FloatArray) -> Forward:
        scale = state @ self._ones
        state /= scale[:, None]
        return Forward(state, scale)


class Logarithmic(Arithmetic):
    """Logarithms of everything; -inf is an impossibility. Arguments: logarithms, as `Linear`."""

    def __init__(self, initial: FloatArray, transition: FloatArray, response: FloatArray) -> None:
        self._initial, self._steps = initial, transition
        self._response = np.ascontiguousarray(response.T)

    def first(self, symbols: IndexArray) -> Forward:
        """As `Linear.first`."""
        return self._normalised(self._initial + self._response[symbols])

    def advance(self, before: Forward, symbols: IndexArray) -> Forward:
        """As `Linear.advance`."""
        state = log_sum(before.state[: len(symbols), :, None] + self._steps, 1)
        return self._normalised(state + self._response[symbols])

    def ends(self, words: int) -> FloatArray:
        """Zeros, the logarithm of 1."""
        return np.zeros((words, len(self._steps)))

    def message(self, backward: FloatArray, symbols: IndexArray, scale: FloatArray) -> FloatArray:
        """As `Linear.message`."""
        return np.asarray(self._response[symbols] + backward - _finite(scale)[:, None])

    def retreat(self, message: FloatArray, words: int) -> FloatArray:
        """As `Linear.retreat`."""
        backward = self.ends(words)
        backward[: len(message)] = log_sum(message[:, None, :] + self._steps, 2)
        return backward

    def marginals(self, forward: FloatArray, backward: FloatArray) -> FloatArray:
        """As `Linear.marginals`."""
        logs = forward + backward
        return np.asarray(np.exp(logs - _finite(log_sum(logs, 1))[:, None]))

    def weights(self, forward: FloatArray, following: IndexArray) -> FloatArray:
        """As `Linear.weights`, up to a factor."""
        logs = forward + self._steps.T[following]
        return np.asarray(np.exp(logs - _finite(logs.max(axis=1))[:, None]))

    def plain(self, forward: FloatArray) -> FloatArray:
        """The exponential."""
        return np.asarray(np.exp(forward))

    def log_scale(self, scale: FloatArray) -> FloatArray:
        """Itself."""
        return scale

    def steps(
        self, forward: FloatArray, message: FloatArray, weights: FloatArray | None
    ) -> FloatArray:
        """As `Linear.steps`."""
        each = np.exp(forward[:, :, None] + message[:, None, :])
        return np.asarray(each if weights is None else np.einsum("wij,w->ij", each, weights))

    def _normalised(self, state: FloatArray) -> Forward:
        scale = log_sum(state, 1)
        return Forward(state - _finite(scale)[:, None], scale)


def log_sum(logs: FloatArray, axis: int) -> FloatArray:
    """log of the sum of exp(logs) along an axis; -inf where all are."""
    largest = _finite(logs.max(axis=axis))
    with np.errstate(divide="ignore"):
        total = np.log(np.exp(logs - np.expand_dims(largest, axis)).sum(axis=axis))
    return np.asarray(total + largest)


def _finite(logs: FloatArray) -> FloatArray:
    """0 in the place of -inf, so that subtracting it changes nothing."""
    return np.where(np.isfinite(logs), logs, 0.0)
