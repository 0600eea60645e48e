"""The errors to expect of a release, from public things alone.

Contract. Predicted before the draw from the mechanism, the lengths (which go out) and public
models, never from the words. Where no formula exists the errors are averaged by simulation: over
the language's words of each length, each equally likely, or over words of the public chain that
decodes. A simulated number has its standard error and says over what it is averaged. It is the same
every time: simulations use replayable bits, which are in force in `average_over_chain` alone.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from privet.chains import MarkovChain
from privet.mechanisms.base import HammingMechanism
from privet.mechanisms.on_language import LanguageMechanism, words_to_average
from privet.mechanisms.simulation import SimulationSource
from privet.randomness.source import using_source
from privet.releasing.decoding import Decoding
from privet.symbols import Words

OVER_LANGUAGE = "the words of the language, each equally likely"
OVER_CHAIN = "the words of the chain"

_FEWEST_WORDS = 50
"""Of one length, or of many lengths together."""

_FEW_LENGTHS = 8
_FEW_SYMBOLS = 1 << 17
"""Up to here, all lengths together, each length of a language is averaged by itself."""

_MOST_SAMPLED = 32
"""Lengths looked at where there are many."""

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
        for length in present:
            mechanism.check_size(length)
        if len(present) > _FEW_LENGTHS or sum(present) > max(_FEW_SYMBOLS, *present):
            return _average_over_language(mechanism, present)
        found = [(count, mechanism.average_errors(n)) for n, count in present.items()]
        return Prediction(
            sum(count * average.mean for count, average in found),
            math.hypot(*(count * average.standard_error for count, average in found)),
            OVER_LANGUAGE,
            sum(average.words for _, average in found),
        )
    return Prediction(sum(n * mechanism.expected_errors(k) for k, n in present.items()))


def average_over_chain(
    act: Act, chain: MarkovChain, lengths: dict[int, int], moves: int = 1
) -> Prediction:
    """Wrong symbols in what `act` makes of words of the chain, by simulation.

    `lengths`: {length: number of words}, whose errors are added up; `moves`: of the automaton that
    `act` works on, if it does.
    """
    if not lengths:
        return Prediction(0.0, 0.0, OVER_CHAIN)
    drawn = _shares(lengths, moves)
    with using_source(SimulationSource()):
        words = chain.sample_words(sum(drawn.values()), list(_repeated(drawn)))
        return _average(act, words, drawn, lengths, OVER_CHAIN)


def _average_over_language(mechanism: LanguageMechanism, lengths: dict[int, int]) -> Prediction:
    """The same over words of the language, at a few lengths that stand for many.

    Lengths are taken at equal steps through all symbols, so that each symbol counts alike; the
    share of wrong symbols among those stands for that among all. The standard error takes them for
    a random sample, which is more than they leave open where the share changes slowly.
    """
    for length in lengths:
        mechanism.language.check_length(length)
    source, moves = SimulationSource(), mechanism.language.automaton.edges[1].size
    ordered = np.array(sorted(lengths))
    symbols = np.array([n * lengths[n] for n in ordered.tolist()], np.float64)
    mean = float(symbols @ ordered / symbols.sum())
    steps = max(2, min(_MOST_SAMPLED, int(_FEW_SYMBOLS / mean)))
    ends = np.cumsum(symbols) / symbols.sum()
    picked = ordered[np.searchsorted(ends, (np.arange(steps) + 0.5) / steps)]
    each = max(2, words_to_average(mean, moves) // steps)
    shares, within, simulated = [], 0.0, 0
    for length, times in Counter(picked.tolist()).items():
        words = mechanism.draw_public_words(source, length, times * each)
        wrong = (mechanism.simulate(source, words) != words).mean(axis=1)
        shares += [float(wrong.mean())] * times
        within += (times / steps) ** 2 * float(wrong.var(ddof=1)) / wrong.size
        simulated += wrong.size
    spread = math.sqrt(within + float(np.var(shares, ddof=1)) / steps)
    total = float(symbols.sum())
    return Prediction(total * float(np.mean(shares)), total * spread, OVER_LANGUAGE, simulated)


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


def _shares(lengths: dict[int, int], moves: int) -> dict[int, int]:
    """How many words of each length are simulated: in proportion, and some of each."""
    count = sum(lengths.values())
    mean = sum(length * words for length, words in lengths.items()) / count
    wanted = words_to_average(mean, moves)
    fewest = max(2, _FEWEST_WORDS // len(lengths))
    if len(lengths) == 1:
        fewest = min(_FEWEST_WORDS, wanted)
    return {n: max(fewest, round(wanted * words / count)) for n, words in lengths.items()}


def _repeated(counts: dict[int, int]) -> Iterable[int]:
    for length, size in counts.items():
        yield from [length] * size


def _silent(_stage: str, _done: int, _total: int) -> None:
    """A simulation is quick; nobody is told."""
