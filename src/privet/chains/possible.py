"""Which words a family or a box of chains can produce.

Contract. A chain with initial law "given" or "stationary" starts in the states of that law, with
"any" in every state; a box makes every step whose upper bound is positive. Only what is possible is
looked at, not how probable it is.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from privet.chains.box import ChainBox
from privet.chains.family import ChainFamily
from privet.chains.marginals import Initial
from privet.chains.markov import MarkovChain
from privet.chains.structure import closed_classes
from privet.symbols import Alphabet, Words

BoolArray = npt.NDArray[np.bool_]


def first_impossible(model: ChainFamily | ChainBox, words: Words) -> npt.NDArray[np.int64]:
    """(words,) int64: how far the chain that gets farthest can make each word; its length if all.

    Errors: ModelError if the words are over other symbols than the states.
    """
    reached = np.zeros(len(words), np.int64)
    for start, steps in _patterns(model, words.alphabet):
        np.maximum(reached, _reached(words, start, steps), out=reached)
    return reached


def _patterns(
    model: ChainFamily | ChainBox, alphabet: Alphabet
) -> Iterator[tuple[BoolArray, BoolArray]]:
    """(k,) and (k, k) for each chain: possible first states and steps, in the alphabet's order."""
    if isinstance(model, ChainBox):
        ordered = model.in_order_of(alphabet)
        yield np.ones(len(alphabet), bool), ordered.sharpened[1] > 0
    else:
        for chain in model.chains:
            moved = chain.in_order_of(alphabet)
            yield first_states(moved, model.initial), moved.support()


def first_states(chain: MarkovChain, initial: Initial) -> BoolArray:
    """(k,): which states node 0 may have. Errors: ModelError if no single law is stationary."""
    if initial == "given":
        return np.asarray(chain.initial > 0)
    if initial == "any":
        return np.ones(len(chain.alphabet), bool)
    classes = closed_classes(chain.support())
    return np.isin(np.arange(len(chain.alphabet)), classes[0])


def _reached(words: Words, start: BoolArray, steps: BoolArray) -> npt.NDArray[np.int64]:
    """(words,): the first position that cannot follow those before it; the length if all can."""
    codes = words.codes.astype(np.int64)
    bad = np.zeros(codes.size, bool)
    bad[1:] = ~steps[codes[:-1], codes[1:]]
    first = words.offsets[:-1][words.lengths > 0]
    bad[first] = ~start[codes[first]]
    where = np.flatnonzero(bad)
    word = np.searchsorted(words.offsets, where, side="right") - 1
    result = words.lengths.copy()
    np.minimum.at(result, word, where - words.offsets[word])
    return result
