"""What a mechanism really spends on a language small enough to list.

Contract. `spent_on` is an upper bound, tight to about 1e-13, of the largest log-ratio of the law
over pairs of words of one length that differ in 1..adjacency places and over all outputs; 0 if
there is no such pair.
"""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from privet.languages import Language

MOST_WORDS = 256

FloatArray = npt.NDArray[np.float64]
LogBounds = Callable[[list[int]], tuple[FloatArray, FloatArray]]
"""counts of outputs by distance -> (n+1,) lower and upper bounds of log P(one output at l)."""


def list_words(language: Language, length: int) -> npt.NDArray[np.int64]:
    """(count, length) codes of all words of that length, in lexicographic order."""
    automaton, alive = language.automaton, language.automaton.alive(length)
    words: list[tuple[int, ...]] = [()]
    states = [automaton.initial]
    for i in range(length):
        moves = [
            ((*word, symbol), target)
            for word, state in zip(words, states, strict=True)
            for symbol, target in enumerate(automaton.transitions[state].tolist())
            if target >= 0 and alive[length - i - 1, target]
        ]
        words, states = [word for word, _ in moves], [state for _, state in moves]
    return np.array(words, np.int64).reshape(len(words), length)


def spent_on(language: Language, length: int, adjacency: int, bounds: LogBounds) -> Fraction:
    """The largest log-ratio, rounded up. `bounds`: the law of the mechanism by distance."""
    words = list_words(language, length)
    distances = (words[:, None, :] != words[None, :, :]).sum(axis=2)
    neighbours = (distances >= 1) & (distances <= adjacency)
    if not neighbours.any():
        return Fraction(0)
    low, high = np.empty(distances.shape), np.empty(distances.shape)
    for row, here in enumerate(distances):
        bottom, top = bounds(np.bincount(here, minlength=length + 1).tolist())
        low[row], high[row] = bottom[here], top[here]
    worst = max(
        float((high[row] - low[neighbours[row]]).max())
        for row in range(len(words))
        if neighbours[row].any()
    )
    # One subtraction of doubles: relative error below 2^-52 of the larger operand.
    slack = 2.0**-50 * max(float(np.abs(low).max()), 1.0)
    return Fraction(math.nextafter(worst + slack, math.inf))
