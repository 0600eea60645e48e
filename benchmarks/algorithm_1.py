"""Permute-and-flip on words as it was published, written literally, to be timed beside Privet's.

Contract. Algorithm 1 of [benvenuti-rao-hale-2026]: the automaton whose states are (position, errors
so far) and which accepts the words at one Hamming distance from the input, V(q) = the paths from q
to its accepting state, and the policy that appends a symbol with probability V(next) / V(q). On
a language that forbids words a state holds the state of the language's automaton too. The law of
the distance is the alternating sum over subsets of candidates, expanded as it is printed.

Nothing here is a release: the draws come from Python's generator and probabilities are doubles.
"""

import itertools
import math
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from measure import emit, rooms

import privet

State = tuple[int, int, int]
"""Position, errors so far, state of the language's automaton (always 0 on all words)."""


class DistanceAutomaton:
    """The automaton of the words at `distance` from `word`, its counts V and its policy."""

    def __init__(self, word: Sequence[int], distance: int, moves: Sequence[Sequence[int]]) -> None:
        self._word, self._moves = word, moves
        length = len(word)
        self.paths: dict[State, int] = {}
        self.policy: dict[State, list[float]] = {}
        for state in range(len(moves)):  # every prefix of these languages is a word of them
            self.paths[length, distance, state] = 1
        for position in reversed(range(length)):
            for errors in range(min(position, distance) + 1):
                for state in range(len(moves)):
                    self._visit((position, errors, state))

    def _visit(self, here: State) -> None:
        """V of a state from those of the states after it, and the policy there."""
        onwards = [
            0 if (then := self._next(here, symbol)) is None else self.paths.get(then, 0)
            for symbol in range(len(self._moves[0]))
        ]
        total = sum(onwards)
        if total:
            self.paths[here] = total
            self.policy[here] = [paths / total for paths in onwards]

    def _next(self, here: State, symbol: int) -> State | None:
        position, errors, state = here
        target = self._moves[state][symbol]
        if target < 0:
            return None
        return position + 1, errors + (symbol != self._word[position]), target

    def draw(self, initial: int) -> list[int]:
        """A uniformly random word at the distance: the policy, followed from the start."""
        here, drawn = (0, 0, initial), []
        for _ in self._word:
            (symbol,) = random.choices(range(len(self._moves[0])), self.policy[here])
            drawn.append(symbol)
            then = self._next(here, symbol)
            assert then is not None
            here = then
        return drawn


def expanded_law(counts: Sequence[int], rate: float) -> list[float]:
    """P(distance = l) for l = 0..n by the sum over all subsets of the other candidates.

    `counts`: how many candidates lie at each distance; `rate`: epsilon / (2 b).
    """
    apart = [level for level, count in enumerate(counts) for _ in range(count)]
    law = []
    for level, count in enumerate(counts):
        others = apart.copy()
        others.remove(level)
        accepted = [math.exp(-rate * other) for other in others]
        terms = (
            (-1) ** size / (size + 1) * math.prod(subset)
            for size in range(len(accepted) + 1)
            for subset in itertools.combinations(accepted, size)
        )
        law.append(count * math.exp(-rate * level) * math.fsum(terms))
    return law


def _seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of one call: repeated until a tenth of a second has passed."""
    start, calls = time.process_time(), 0
    while True:
        result = call()
        calls += 1
        taken = time.process_time() - start
        if taken > 0.1:
            return taken / calls, result


def beside_algorithm_1(kind: str, length: str, epsilon: str) -> None:
    """One word at the mean distance: Algorithm 1, Privet's draw there, Privet's whole release."""
    chain, language = _domain(kind)
    word = chain.sample(int(length))
    mechanism = privet.WordPermuteAndFlip(language, epsilon=epsilon, calibration="paper")
    distance = round(mechanism.expected_errors(len(word) if language.is_all else word))
    codes = language.alphabet.encode(word).tolist()
    moves = language.automaton.transitions.tolist()
    prepare, published = _seconds(lambda: DistanceAutomaton(codes, distance, moves))
    follow, _ = _seconds(lambda: published.draw(language.automaton.initial))
    own, _ = _seconds(lambda: language.sample_at_distance(word, distance))
    whole, _ = _seconds(lambda: mechanism.release(word))
    paths = published.paths[0, 0, language.automaton.initial]
    if paths != language.count_by_distance(word)[distance]:
        raise ValueError("Algorithm 1 and count_by_distance count different words")
    emit(
        distance=distance,
        states=len(published.paths),
        published=prepare + follow,
        follow=follow,
        own=own,
        whole=whole,
    )


def beside_expansion(length: str, epsilon: str) -> None:
    """The law of the distance over two symbols: expanded as published, and Privet's."""
    language = privet.Language.all(privet.Alphabet("ab"))
    counts = language.count_by_distance(["a"] * int(length))

    def own() -> Any:
        mechanism = privet.WordPermuteAndFlip(language, epsilon=epsilon, calibration="paper")
        return mechanism.distance_distribution(int(length))

    published, expanded = _seconds(lambda: expanded_law(counts, float(epsilon) / 2))
    taken, law = _seconds(own)
    off = float(np.abs(law - expanded).max())
    emit(words=sum(counts), published=published, own=taken, off=off)


def _domain(kind: str) -> tuple[privet.MarkovChain, privet.Language]:
    if kind == "all words":
        chain = privet.MarkovChain(np.full(4, 0.25), np.full((4, 4), 0.25))
        return chain, privet.Language.all(chain.alphabet)
    chain = privet.MarkovChain(np.full(16, 1 / 16), rooms(4))
    return chain, privet.Language.from_chain(chain)
