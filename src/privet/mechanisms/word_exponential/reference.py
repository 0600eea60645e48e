"""The exponential mechanism by its definition, in exact rationals, listing every word.

The tests run it; nothing else does.
"""

import itertools
from collections.abc import Sequence
from fractions import Fraction

from privet.mechanisms.word_exponential.mechanism import WordExponential
from privet.symbols import hamming_distance


def law(mechanism: WordExponential, word: Sequence[int]) -> dict[tuple[int, ...], Fraction]:
    """P(output) for every word: weights q^distance, q = p / keep = e^-k, over their sum."""
    q = mechanism.move_probability / mechanism.keep_probability
    words = itertools.product(range(len(mechanism.alphabet)), repeat=len(word))
    weights = {output: q ** hamming_distance(word, output) for output in words}
    total = sum(weights.values(), Fraction(0))
    return {output: weight / total for output, weight in weights.items()}
