"""Words that can happen, made from released words and a public chain.

Contract. Released words came from a mechanism that answers each symbol independently; `chain` is a
public Markov chain that says what true words are like. Decoding is a function of the release and of
public inputs: it costs no privacy, and the guarantee of the release is that of what is decoded
[dwork-roth-2014]. Nothing here may ever be given the protected words. The chain's states are the
symbols of the alphabet, in any order; another set is a ModelError.

`viterbi` gives the single most likely word, which the chain can always produce. `posterior` gives
the probability of each symbol at each position; its most likely symbols have the fewest expected
errors of all decodings, but next to each other they may be impossible. `sample` draws words from
the posterior, each one possible. Words may have any lengths; all are worked on together, with
memory beyond input and output far below 1 GB. Words without symbols stay so.
"""

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.chains import MarkovChain
from privet.chains.simulate import draw_categories
from privet.errors import DataError, ParameterTypeError
from privet.estimate.hidden.arithmetic import Arithmetic
from privet.estimate.hidden.batches import Batch
from privet.estimate.hidden.best_path import BestPath
from privet.estimate.hidden.model import HiddenModel, check_possible
from privet.estimate.hidden.response import read_response
from privet.estimate.released import bare
from privet.exact import read_count
from privet.randomness import current_source
from privet.symbols import Alphabet, Encoded, read_words

__all__ = ["Posterior", "posterior", "sample", "viterbi"]

FloatArray = npt.NDArray[np.float64]


def viterbi(released: Any, mechanism: object, chain: MarkovChain) -> Any:
    """The most likely word behind each released one, in the same kind as `released`.

    `released`: Words, one word as a list, array or Codes, or a Release of these; `mechanism`: the
    one that released them (randomised response, or the exponential mechanism on all words). The
    result is always a word that the chain can produce. Errors: ModelError for a chain over other
    symbols, ParameterTypeError for other mechanisms, DomainError by position.
    """
    encoded, model = _read(released, mechanism, chain)
    return encoded.rebuild(BestPath(model).decode(encoded.codes, encoded.offsets))


def posterior(released: Any, mechanism: object, chain: MarkovChain) -> "Posterior":
    """The probability of every symbol at every position, given the released words.

    Arguments and errors as those of `viterbi`.
    """
    encoded, model = _read(released, mechanism, chain)
    marginals = np.empty((encoded.codes.size, model.size))
    likelihood = np.zeros(encoded.offsets.size - 1)
    for batch, arithmetic in model.schedule(encoded.codes, encoded.offsets):
        _smooth(batch, arithmetic, marginals, likelihood)
    check_possible(likelihood)
    return Posterior(read_response(mechanism)[0], encoded, marginals, likelihood)


def sample(released: Any, mechanism: object, chain: MarkovChain, size: int = 1) -> list[Any]:
    """`size` independent draws of the words behind the released ones, each as `released`.

    Draw r is a word for each released word, from the law of true words given the release, to the
    precision of doubles; impossible words are never drawn. Arguments and errors as `viterbi`.
    """
    encoded, model = _read(released, mechanism, chain)
    draws = [np.empty_like(encoded.codes) for _ in range(read_count(size, "size"))]
    likelihood = np.zeros(encoded.offsets.size - 1)
    for batch, arithmetic in model.schedule(encoded.codes, encoded.offsets):
        _draw(batch, arithmetic, draws, likelihood)
    check_possible(likelihood)
    return [encoded.rebuild(codes) for codes in draws]


class Posterior:
    """What is known of the true words: P(symbol at a position | released words), and more.

    `marginals`: (total, m) float64, row r for position r of the flat words, columns in the order of
    the alphabet; `words`: the released ones; `log_likelihood`: (w,) float64, log P(released word |
    its length).
    """

    def __init__(
        self,
        alphabet: Alphabet,
        encoded: Encoded,
        marginals: FloatArray,
        log_likelihood: FloatArray,
    ) -> None:
        self.alphabet, self._encoded = alphabet, encoded
        self.marginals, self.log_likelihood = marginals, log_likelihood
        marginals.flags.writeable = log_likelihood.flags.writeable = False

    @property
    def words(self) -> Any:
        """The released words, in the kind they were given in."""
        return self._encoded.rebuild(self._encoded.codes)

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """(w + 1,): word i has the rows offsets[i] : offsets[i + 1] of `marginals`."""
        return self._encoded.offsets

    def most_likely(self) -> Any:
        """At each position its most likely symbol (the first of equals), as the released words.

        No decoding has fewer expected errors; the word as a whole may be impossible in the chain.
        """
        best = self.marginals.argmax(axis=1)
        return self._encoded.rebuild(best.astype(self._encoded.codes.dtype))

    @cached_property
    def expected_errors(self) -> FloatArray:
        """(w,): how many symbols of `most_likely` differ from the true word, in expectation."""
        return self._by_word(1 - self.marginals.max(axis=1))

    def expected_errors_of(self, words: Any) -> FloatArray:
        """(w,): the same for any guess: words of the same lengths as the released ones.

        Errors: DataError for other lengths, DomainError for other symbols.
        """
        guess = read_words(self.alphabet, words)
        if not np.array_equal(guess.offsets, self.offsets):
            raise DataError(
                "The guess has words of other lengths than the released ones.",
                hint="A decoded word has as many symbols as the word it was decoded from.",
            )
        there = guess.codes.astype(np.intp)[:, None]
        return self._by_word(1 - np.take_along_axis(self.marginals, there, axis=1)[:, 0])

    def _by_word(self, values: FloatArray) -> FloatArray:
        """(w,): sums of values (total,) over the positions of each word."""
        lengths = np.diff(self.offsets)
        number = np.repeat(np.arange(lengths.size), lengths)
        return np.bincount(number, weights=values, minlength=lengths.size).astype(np.float64)

    def __repr__(self) -> str:
        return f"Posterior({self.offsets.size - 1} words, {len(self.marginals)} symbols)"


def _read(released: object, mechanism: object, chain: MarkovChain) -> tuple[Encoded, HiddenModel]:
    alphabet, log_response = read_response(mechanism)
    if not isinstance(chain, MarkovChain):
        raise ParameterTypeError(
            f"A {type(chain).__name__} is not a Markov chain.",
            hint="Make one with MarkovChain(initial, transition, states), or read_model(path).",
            parameter="chain",
        )
    model = HiddenModel.of(chain.in_order_of(alphabet), log_response)
    return read_words(alphabet, bare(released)), model


def _smooth(
    batch: Batch, arithmetic: Arithmetic, marginals: FloatArray, likelihood: FloatArray
) -> None:
    """Forward and backward over one batch, written to the rows of its words."""
    message = arithmetic.ends(0)
    for position, count, forward in arithmetic.forwards(batch):
        backward = arithmetic.retreat(message, count)
        marginals[batch.starts[:count] + position] = arithmetic.marginals(forward.state, backward)
        likelihood[batch.words[:count]] += arithmetic.log_scale(forward.scale)
        message = arithmetic.message(backward, batch.symbols(position, count), forward.scale)


def _draw(
    batch: Batch,
    arithmetic: Arithmetic,
    draws: list[npt.NDArray[np.unsignedinteger]],
    likelihood: FloatArray,
) -> None:
    """Forward, and on the way back a draw of each state given the one after it."""
    source = current_source()
    following = [np.zeros(0, np.intp) for _ in draws]
    for position, count, forward in arithmetic.forwards(batch):
        rows = batch.starts[:count] + position
        likelihood[batch.words[:count]] += arithmetic.log_scale(forward.scale)
        for number, codes in enumerate(draws):
            going_on = len(following[number])
            inner = arithmetic.weights(forward.state[:going_on], following[number])
            last = arithmetic.plain(forward.state[going_on:])
            chosen = draw_categories(source, np.concatenate([inner, last]))
            # Only a word that is impossible has no weight anywhere; it is refused afterwards.
            np.minimum(chosen, inner.shape[1] - 1, out=chosen)
            codes[rows] = chosen
            following[number] = chosen
