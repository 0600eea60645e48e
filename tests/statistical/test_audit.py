"""Our own mechanisms under the audit: what they spend is not refuted, half of it is.

False alarm rate 1e-9 a test, thousands of releases of each of two inputs; the bits are replayed.
The same audit that lets the true epsilon stand must refute the wrong twin's claim, half of it.
"""

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from privet import Alphabet, Language, MarkovChain, MarkovFramework, verify
from privet.mechanisms import (
    REGISTRY,
    Exponential,
    HammingMechanism,
    MarkovLaplace,
    MarkovQuilt,
    Mechanism,
    RandomizedResponse,
    SeriesMechanism,
    Wasserstein,
    WassersteinTable,
    WordExponential,
    WordPermuteAndFlip,
    WordStaircase,
)
from privet.randomness import using_source
from privet.symbols import Words
from privet.testing import ReplaySource

CONFIDENCE = 1 - Fraction(1, 10**9)
SAMPLES = 20_000
SAMPLES_ONE_BY_ONE = 2000
"""Of mechanisms that do not release many words at once."""

AB = Alphabet(["a", "b"])
EVEN = MarkovFramework(MarkovChain(["1/2", "1/2"], [["1/2", "1/2"]] * 2, ["off", "on"]))
GRID = Language.from_allowed(Alphabet(["a", "b", "c"]), [[1, 1, 0], [1, 1, 1], [0, 1, 1]])
TABLE = {"": {"yes": {0: "1/2", 1: "1/2"}, "no": {1: "1/2", 2: "1/2"}}}

MECHANISMS: list[tuple[Mechanism, Any, Any]] = [
    (RandomizedResponse(AB, epsilon=1), ["a"], ["b"]),
    (RandomizedResponse(AB, epsilon=1, delta="1/10"), ["a"], ["b"]),
    (WordExponential(AB, epsilon=2, adjacency=2), ["a", "a"], ["b", "b"]),
    (WordExponential(GRID, epsilon=2), ["a", "b"], ["b", "b"]),
    (WordPermuteAndFlip(AB, epsilon=2), ["a", "b"], ["b", "b"]),
    (WordPermuteAndFlip(GRID, epsilon=3), ["a", "b"], ["b", "b"]),
    (WordStaircase(AB, epsilon=1, adjacency=2), ["a", "b", "a"], ["b", "a", "a"]),
    (Exponential(AB, scores=[[1, 0], [0, 1]], sensitivity=1, epsilon=6), "a", "b"),
    (MarkovLaplace(EVEN, epsilon=3), "off", "on"),
    (MarkovQuilt(EVEN, epsilon=3), "off", "on"),
    (Wasserstein(EVEN, epsilon=3), "off", "on"),
    (WassersteinTable(TABLE, epsilon=3), "yes", "no"),
]


def words_of(mechanism: HammingMechanism, word: list[Any]) -> Iterator[Any]:
    """Releases of one word, many at a time."""
    while True:
        yield from mechanism.release(Words.from_lists(mechanism.alphabet, [word] * 5000)).to_lists()


def answers_given(mechanism: SeriesMechanism, state: str, draw: random.Random) -> Iterator[Any]:
    """Counts over two steps, the first one in `state`: what the guarantee is about."""
    while True:
        word = [state, draw.choice(["off", "on"])]
        yield mechanism.release("count", word)


def releases(mechanism: Any, given: Any) -> Iterator[Any]:
    if isinstance(mechanism, HammingMechanism):
        return words_of(mechanism, given)
    draw = random.Random(str(given))
    if isinstance(mechanism, SeriesMechanism):
        return answers_given(mechanism, given, draw)
    if isinstance(mechanism, WassersteinTable):
        values = [*mechanism.distributions[""][given]]
        return (mechanism.release(draw.choice(values)) for _ in iter(int, 1))
    return (mechanism.release(given) for _ in iter(int, 1))


def spent(mechanism: Any) -> Fraction:
    """What is really spent on the inputs above."""
    if isinstance(mechanism, SeriesMechanism):
        return Fraction(mechanism.spent(2))
    if isinstance(mechanism, WassersteinTable):
        return Fraction(mechanism.spent())
    length = 3 if mechanism.name == WordStaircase.name else 2
    return Fraction(mechanism.spent(1 if mechanism.name == RandomizedResponse.name else length))


def test_every_mechanism_is_audited() -> None:
    assert {mechanism.name for mechanism, _, _ in MECHANISMS} == set(REGISTRY)


@pytest.mark.parametrize(("mechanism", "first", "second"), MECHANISMS, ids=lambda x: repr(x)[:40])
def test_what_is_spent_stands_and_half_of_it_does_not(
    mechanism: Any, first: Any, second: Any
) -> None:
    on_words = isinstance(mechanism, HammingMechanism)
    streams = {str(given): releases(mechanism, given) for given in (first, second)}
    draw: Callable[[Any], Any] = lambda given: next(streams[str(given)])  # noqa: E731  # one line
    with using_source(ReplaySource(7)):
        found = verify.audit(
            draw,
            first,
            second,
            samples=SAMPLES if on_words else SAMPLES_ONE_BY_ONE,
            confidence=CONFIDENCE,
            delta=mechanism.guarantee.delta,
        )
    claimed = spent(mechanism)
    assert 0 < claimed <= mechanism.epsilon
    assert not found.refutes(claimed)
    assert found.refutes(claimed / 2)
