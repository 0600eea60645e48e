"""Weighted words: sums, accuracy, what is refused, and draws of exactly the stated law."""

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.languages import Language
from privet.languages.balls import BallTrellis
from privet.languages.trellis import WeightTrellis, choose, deviation
from privet.symbols import Alphabet
from privet.testing import ChosenSource, ReplaySource, chi_square_agrees

ALPHA = 1e-9


def grid(rows: int, columns: int) -> Language:
    """A robot that stays or moves to a room beside its own."""
    rooms = list(itertools.product(range(rows), range(columns)))
    near = [[int(abs(a - c) + abs(b - d) <= 1) for c, d in rooms] for a, b in rooms]
    return Language.from_allowed(Alphabet(range(len(rooms))), near)


LANGUAGES = {
    "grid": (grid(2, 2), 4),
    "closed": (Language.from_regex(Alphabet(["a", "b", "x"]), "(a|b)* x*"), 5),
    "even": (Language.from_dfa(Alphabet([0, 1]), [[0, 1], [1, 0]], 0, [True, False]), 5),
}


def listed(language: Language, length: int) -> list[tuple[int, ...]]:
    size = len(language.alphabet)
    return [
        word
        for word in itertools.product(range(size), repeat=length)
        if language.contains(language.alphabet.decode(np.array(word)))
    ]


def distances(word: tuple[int, ...], words: list[tuple[int, ...]]) -> list[int]:
    return [sum(a != b for a, b in zip(word, other, strict=True)) for other in words]


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize("q", [0.75, 2.0**-20, 1.0])
def test_totals_are_those_of_the_definition(name: str, q: float) -> None:
    language, length = LANGUAGES[name]
    words = listed(language, length)
    trellis = WeightTrellis(language.automaton, np.array(words), q, different=True)
    assert trellis.safe.all()
    for row, word in enumerate(words):
        weights = [Fraction(q) ** d for d in distances(word, words)]
        total, others = sum(weights), sum(weights) - 1
        assert trellis.log_total()[row] == pytest.approx(math.log(total), abs=1e-13)
        if others:
            assert trellis.log_excess()[row] == pytest.approx(
                math.log(others), rel=1e-13, abs=1e-13
            )
        else:
            assert trellis.log_excess()[row] == -math.inf
        balls = BallTrellis(language.automaton, list(word), Fraction(q))
        assert abs(float(balls.total(100)) / float(total) - 1) < 1e-15
        assert abs(float(balls.excess(100)) - float(others)) <= 1e-15 * float(total)


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize("different", [False, True])
def test_the_law_of_the_doubles_is_within_the_stated_deviation(name: str, different: bool) -> None:
    """The steps of a draw, multiplied out in exact rationals, against the true law."""
    language, length = LANGUAGES[name]
    q = float(np.nextafter(0.3, 1))
    words = listed(language, length)
    trellis = WeightTrellis(language.automaton, np.array(words), q, different=True)
    for row in range(0, len(words), 5):
        weights = {
            other: Fraction(q) ** d
            for other, d in zip(words, distances(words[row], words), strict=True)
            if d or not different
        }
        for other, weight in weights.items():
            drawn = probability_drawn(trellis, row, other, different)
            ratio = drawn / (weight / sum(weights.values()))
            assert abs(math.log(ratio)) <= float(deviation(length, language.automaton.size))


def probability_drawn(
    trellis: WeightTrellis, row: int, word: tuple[int, ...], different: bool
) -> Fraction:
    """P(word) for the input `row`, from the very weights that `draw` compares."""
    probability, only = Fraction(1), np.array([row])
    state, on_path = np.array([trellis._automaton.initial]), True
    for i, symbol in enumerate(word):
        given = trellis._words[i][row]
        symbols = trellis._successors.symbols[:, state[0]]
        targets = trellis._successors.targets[:, state]
        weights = trellis._weights(i, targets, only, (symbols != given)[:, None])[:, 0]
        if different and on_path:
            assert trellis._excess is not None
            weights = np.where(symbols == given, trellis._excess[i + 1][row], weights)
        exact = [Fraction(float(weight)) for weight in weights]
        place = int(np.flatnonzero(symbols == symbol)[0])
        probability *= exact[place] / sum(exact)
        state, on_path = targets[place], on_path and symbol == given
    return probability


@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize("different", [False, True])
def test_draws_follow_the_weights_and_a_wrong_rate_is_seen(name: str, different: bool) -> None:
    language, length = LANGUAGES[name]
    words = listed(language, length)
    given, q, size = words[len(words) // 2], 0.5, 40_000
    source = ReplaySource(1)
    trellis = WeightTrellis(language.automaton, np.array([given]), q, different=True)
    drawn = trellis.draw(source, np.zeros(size, np.int64), different=different)
    counts = Counter(map(tuple, drawn.tolist()))
    assert set(counts) <= set(words)
    observed = np.array([counts[word] for word in words])
    kept = np.array([d > 0 or not different for d in distances(given, words)])
    assert observed[~kept].sum() == 0

    def law(ratio: float) -> NDArray[Any]:
        weights = ratio ** np.array(distances(given, words), float)[kept]
        return np.asarray(weights / weights.sum())

    assert not chi_square_agrees(observed[kept], law(q), ALPHA).rejected
    if kept.sum() > 2:
        assert chi_square_agrees(observed[kept], law(q * 0.8), ALPHA).rejected


def test_balls_draw_the_same_law() -> None:
    language, length = LANGUAGES["closed"]
    words = listed(language, length)
    given = words[7]
    for different in (False, True):
        balls = BallTrellis(language.automaton, list(given), Fraction(1, 2))
        source = ReplaySource(2)
        drawn = Counter(tuple(balls.draw(source, different=different)) for _ in range(3000))
        weights = np.array([0.5**d if d or not different else 0 for d in distances(given, words)])
        observed = np.array([drawn[word] for word in words])
        assert observed[weights == 0].sum() == 0
        law = weights[weights > 0] / weights.sum()
        assert not chi_square_agrees(observed[weights > 0], law, ALPHA).rejected


def test_a_weight_that_doubles_would_lose_is_seen_and_left_to_balls() -> None:
    # After one wrong step "x" there is no way back: its weight is q^(n-1) beside 1.
    alphabet = Alphabet(["a", "x"])
    language = Language.from_allowed(alphabet, [[1, 1], [0, 1]])
    length, q = 2000, 0.4
    words = np.zeros((2, length), np.int64)
    words[1] = 1
    trellis = WeightTrellis(language.automaton, words, q)
    assert trellis.safe.tolist() == [False, True]
    balls = BallTrellis(language.automaton, [0] * length, Fraction(q))
    exact = (1 - Fraction(q) ** (length + 1)) / (1 - Fraction(q))
    assert float(balls.total(128)) == pytest.approx(float(exact), rel=1e-15)
    assert len(balls.draw(ReplaySource(3))) == length


def test_a_choice_is_proportional_to_the_doubles_to_the_last_bit() -> None:
    weights = np.array([[3.0], [0.0], [1e-300], [5.0]])
    total = Fraction(8) + Fraction(1e-300)

    def chosen(point: Fraction, digits: int = 1200) -> int:
        bits = int(point / total * (1 << digits))
        rest = [bits >> (digits - 64)]

        def give(out: NDArray[Any]) -> Any:
            if out.dtype == np.uint64:
                return np.full(out.shape, rest[0], np.uint64)
            position = give.used = getattr(give, "used", 64) + 8 * out.size  # type: ignore[attr-defined]  # the bits already given
            part = bits >> (digits - position) & ((1 << 8 * out.size) - 1)
            return np.frombuffer(part.to_bytes(out.size, "big"), np.uint8)

        return int(choose(ChosenSource(give), weights)[0])

    tiny = Fraction(1e-300)
    assert chosen(Fraction(0)) == 0
    assert chosen(Fraction(3) - tiny) == 0
    assert chosen(Fraction(3) + tiny / 2) == 2
    assert chosen(Fraction(3) + tiny * 2) == 3
    assert chosen(total - tiny) == 3


def test_the_deviation_is_small_for_long_words() -> None:
    assert deviation(10_000, 17) < Fraction(1, 10**10)
    assert deviation(0, 17) == 0
