"""The errors to expect of a release, from public things alone.

Contract. Predicted before the draw from the mechanism, the lengths (which go out) and public
models, never from the words. Where no formula exists the errors are averaged by simulation: over
the language's words of each length, each equally likely, or over words of the public chain that
decodes. A simulated number has its standard error and says over what it is averaged.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.chains import MarkovChain
from privet.mechanisms.base import HammingMechanism
from privet.mechanisms.on_language import LanguageMechanism, uniform_words
from privet.randomness import current_source
from privet.releasing.decoding import Decoding
from privet.symbols import Words

OVER_LANGUAGE = "the words of the language, each equally likely"
OVER_CHAIN = "the words of the public chain"

_SIMULATED_WORDS = 1000
_SIMULATED_SYMBOLS = 1_000_000
_FEWEST_WORDS = 50
"""A thousand words are simulated, fewer where they are long, and some of each length."""

_FEW_LENGTHS = 8
_LONG = 1000
"""Up to here a language's words are averaged by the mechanism itself, a thousand of each length."""

Act = Callable[[Words], Words]


@dataclass(frozen=True)
class Prediction:
    """Expected wrong symbols: `errors` in all and their `standard_error`.

    `over`: what they are averaged over, with how many simulated `words`; empty if they are exact.
    """

    errors: float
    standard_error: float = 0.0
    over: str = ""
    words: int = 0

    def to_json(self) -> dict[str, Any]:
        """What a receipt says beside the number; nothing if it is exact."""
        if not self.over:
            return {}
        return {
            "expected_errors_standard_error": self.standard_error,
            "expected_errors_averaged_over": self.over,
            "simulated_words": self.words,
        }


def predict(
    mechanism: HammingMechanism, lengths: Counter[int], decoding: Decoding | None = None
) -> Prediction:
    """Expected errors of words of those lengths ({length: how many words}).

    Errors: ParameterError for a length that no word of the language has.
    """
    present = {length: count for length, count in lengths.items() if length and count}
    if decoding is not None:

        def act(words: Words) -> Words:
            return decoding.decode(mechanism.release(words), mechanism, _silent)

        return average_over_chain(act, decoding.chain.in_order_of(mechanism.alphabet), present)
    if isinstance(mechanism, LanguageMechanism):
        if len(present) > _FEW_LENGTHS or max(present, default=0) > _LONG:
            return _average_over_language(mechanism, present)
        found = [(count, mechanism.average_errors(n)) for n, count in present.items()]
        return Prediction(
            sum(count * average.mean for count, average in found),
            math.hypot(*(count * average.standard_error for count, average in found)),
            OVER_LANGUAGE,
            sum(average.words for _, average in found),
        )
    return Prediction(sum(n * mechanism.expected_errors(k) for k, n in present.items()))


def average_over_chain(act: Act, chain: MarkovChain, lengths: dict[int, int]) -> Prediction:
    """Wrong symbols in what `act` makes of words of the chain, by simulation.

    `lengths`: {length: number of words}, whose errors are added up.
    """
    if not lengths:
        return Prediction(0.0, 0.0, OVER_CHAIN)
    drawn = _shares(lengths)
    words = chain.sample_words(sum(drawn.values()), list(_repeated(drawn)))
    return _average(act, words, drawn, lengths, OVER_CHAIN)


def _average_over_language(mechanism: LanguageMechanism, lengths: dict[int, int]) -> Prediction:
    """The same over words of the language, fewer of each length than `average_errors` draws."""
    for length in lengths:
        mechanism.language.check_length(length)
    drawn, source, language = _shares(lengths), current_source(), mechanism.language
    codes = [uniform_words(source, language, n, size).ravel() for n, size in drawn.items()]
    offsets = np.concatenate([[0], np.cumsum([*_repeated(drawn)])]).astype(np.int64)
    flat = np.concatenate(codes).astype(mechanism.alphabet.code_dtype)
    words = Words(mechanism.alphabet, flat, offsets)
    return _average(mechanism.release, words, drawn, lengths, OVER_LANGUAGE)


def _average(
    act: Act, words: Words, drawn: dict[int, int], lengths: dict[int, int], over: str
) -> Prediction:
    """Errors added up over `lengths` from `words`, of which `drawn` have each length in turn."""
    wrong = act(words).codes != words.codes
    number = np.repeat(np.arange(len(words)), words.lengths)
    errors = np.bincount(number, weights=wrong, minlength=len(words))
    total, variance, first = 0.0, 0.0, 0
    for length, size in drawn.items():
        of_length = errors[first : first + size]
        total += lengths[length] * float(of_length.mean())
        variance += lengths[length] ** 2 * float(of_length.var(ddof=1)) / size
        first += size
    return Prediction(total, math.sqrt(variance), over, len(words))


def _shares(lengths: dict[int, int]) -> dict[int, int]:
    """How many words of each length are simulated: in proportion, and some of each."""
    count = sum(lengths.values())
    mean = sum(length * words for length, words in lengths.items()) / count
    wanted = min(_SIMULATED_WORDS, math.ceil(_SIMULATED_SYMBOLS / mean))
    fewest = max(2, _FEWEST_WORDS // len(lengths))
    if len(lengths) == 1:
        fewest = _FEWEST_WORDS
    return {n: max(fewest, round(wanted * words / count)) for n, words in lengths.items()}


def _repeated(counts: dict[int, int]) -> Iterable[int]:
    for length, size in counts.items():
        yield from [length] * size


def _silent(_stage: str, _done: int, _total: int) -> None:
    """A simulation is quick; nobody is told."""
