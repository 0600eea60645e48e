"""Weighted words: sums, accuracy, which trellis, and draws of exactly the stated law."""

import inspect
import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.languages import Language
from privet.languages.automaton import Automaton
from privet.languages.trellis import (
    NarrowTrellis,
    Trellis,
    choose,
    deviation,
    is_narrow,
    merging_steps,
    weigh,
)
from privet.languages.wide import WideTrellis
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
    "finite": (Language.from_regex(Alphabet(["a", "b"]), "a{5} | (a | b){3} b a | b"), 5),
}
ONE_WAY = Language.from_allowed(Alphabet(["a", "x"]), [[1, 1], [0, 1]])
BOTH = pytest.mark.parametrize("kind", [NarrowTrellis, WideTrellis])


def listed(language: Language, length: int) -> list[tuple[int, ...]]:
    size = len(language.alphabet)
    return [
        word
        for word in itertools.product(range(size), repeat=length)
        if language.contains(language.alphabet.decode(np.array(word)))
    ]


def distances(word: tuple[int, ...], words: list[tuple[int, ...]]) -> list[int]:
    return [sum(a != b for a, b in zip(word, other, strict=True)) for other in words]


@BOTH
@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize("q", [Fraction(3, 4), Fraction(1, 1 << 20), Fraction(1)])
def test_totals_are_those_of_the_definition(name: str, q: Fraction, kind: Any) -> None:
    language, length = LANGUAGES[name]
    words = listed(language, length)
    trellis = kind(language.automaton, np.array(words), q)
    for row, word in enumerate(words):
        total = sum(q**d for d in distances(word, words))
        mantissa, exponent = (part[row] for part in trellis.total())
        found = Fraction(float(mantissa)) * Fraction(2) ** int(exponent)
        assert abs(found / total - 1) < Fraction(1, 1 << 48)
        assert trellis.log_total()[row] == pytest.approx(math.log(total), abs=1e-13)


def exact_steps(trellis: Trellis, row: int, i: int, state: int) -> list[Fraction]:
    """The weights that a draw compares after i symbols in `state`, as the rationals they are."""
    moves = trellis._successors
    differs = moves.symbols[:, state] != trellis._words[i][row]
    found = []
    for target, apart in zip(moves.targets[:, state].tolist(), differs.tolist(), strict=True):
        if isinstance(trellis, NarrowTrellis):
            value = float(trellis._values[i + 1, target, row])
            found.append(Fraction(value * float(trellis.q) if apart else value))
        else:
            assert isinstance(trellis, WideTrellis)
            value = float(trellis._mantissas[i + 1, target, row])
            power = int(trellis._exponents[i + 1, target, row])
            if apart:
                value, power = value * trellis._mantissa_of_q, power + trellis._exponent_of_q
            found.append(Fraction(value) * Fraction(2) ** power if value else Fraction(0))
    return found


def probability_drawn(trellis: Trellis, row: int, word: tuple[int, ...]) -> Fraction:
    """P(word) for the input `row`, from the very weights that `draw` compares."""
    probability, state = Fraction(1), trellis.automaton.initial
    for i, symbol in enumerate(word):
        exact = exact_steps(trellis, row, i, state)
        place = int(np.flatnonzero(trellis._successors.symbols[:, state] == symbol)[0])
        probability *= exact[place] / sum(exact)
        state = int(trellis._successors.targets[place, state])
    return probability


@BOTH
@pytest.mark.parametrize("name", LANGUAGES)
def test_the_law_of_the_doubles_is_within_the_stated_deviation(name: str, kind: Any) -> None:
    """The steps of a draw, multiplied out in exact rationals, against the true law."""
    language, length = LANGUAGES[name]
    q = Fraction(float(np.nextafter(0.3, 1)))
    words = listed(language, length)
    trellis = kind(language.automaton, np.array(words), q)
    for row in range(0, len(words), 5):
        weights = [q**d for d in distances(words[row], words)]
        for other, weight in zip(words, weights, strict=True):
            ratio = probability_drawn(trellis, row, other) / (weight / sum(weights))
            assert abs(math.log(ratio)) <= float(deviation(length, language.automaton.size))


@BOTH
@pytest.mark.parametrize("name", LANGUAGES)
def test_draws_follow_the_weights_and_a_wrong_rate_is_seen(name: str, kind: Any) -> None:
    language, length = LANGUAGES[name]
    words = listed(language, length)
    given, q, size = words[len(words) // 2], Fraction(1, 2), 40_000
    trellis = kind(language.automaton, np.array([given]), q)
    drawn = trellis.draw(ReplaySource(1), np.zeros(size, np.int64))
    counts = Counter(map(tuple, drawn.tolist()))
    assert set(counts) <= set(words)
    observed = np.array([counts[word] for word in words])

    def law(ratio: float) -> NDArray[Any]:
        weights = ratio ** np.array(distances(given, words), float)
        return np.asarray(weights / weights.sum())

    assert not chi_square_agrees(observed, law(0.5), ALPHA).rejected
    assert chi_square_agrees(observed, law(0.4), ALPHA).rejected


def test_wide_numbers_keep_what_doubles_would_lose() -> None:
    # After one wrong step "x" there is no way back: its weight is q^(n-1) beside 1.
    length, q = 3000, Fraction(0.4)
    words = np.zeros((1, length), np.int64)
    assert not is_narrow(ONE_WAY.automaton, length, q)
    trellis = weigh(ONE_WAY.automaton, words, q, narrow=False)
    assert isinstance(trellis, WideTrellis)
    mantissas, exponents = trellis.total()
    total = Fraction(float(mantissas[0])) * Fraction(2) ** int(exponents[0])
    exact = (1 - q ** (length + 1)) / (1 - q)
    assert abs(total / exact - 1) < Fraction(1, 1 << 40)
    # A draw that goes wrong at once has a chance that no double holds; it is there all the same.
    first = exact_steps(trellis, 0, 0, ONE_WAY.automaton.initial)
    assert first[1] > 0
    assert first[1] / sum(first) < Fraction(1, 1 << 1074)
    ratio = first[1] / sum(first) / (q**length / exact)
    assert abs(ratio - 1) < Fraction(1, 1 << 38)
    top = trellis.draw(ReplaySource(1), np.zeros(5, np.int64))
    assert top.shape == (5, length)
    assert trellis._choose(
        source=EndlessOnes(),
        i=0,
        targets=trellis._successors.targets[:, [0]],
        rows=np.zeros(1, np.int64),
        differs=np.array([[False], [True]]),
    ).tolist() == [1]


class EndlessOnes(ChosenSource):
    """A uniform number whose binary digits are all 1: the last possible choice, however small."""

    def __init__(self) -> None:
        super().__init__(lambda out: np.full(out.shape, np.iinfo(out.dtype).max, out.dtype))


@pytest.mark.parametrize("bits", [10, 20_000])
def test_a_ratio_below_every_double_is_drawn_with(bits: int) -> None:
    q = Fraction(1, 1 << bits)
    words = np.array([[0, 0, 1], [1, 1, 1]])
    trellis = weigh(ONE_WAY.automaton, words, q, narrow=False)
    beside = sum(2.0 ** (-bits * d) for d in (1, 2, 3))
    assert trellis.log_total()[1] == pytest.approx(math.log1p(beside), rel=1e-12)
    if bits > 1000:
        assert trellis.draw(ReplaySource(2), np.array([0, 1])).tolist() == words.tolist()


def test_the_trellis_is_chosen_by_public_quantities_alone() -> None:
    assert [*inspect.signature(is_narrow).parameters] == ["automaton", "length", "q"]
    assert [*inspect.signature(merging_steps).parameters] == ["automaton"]
    rooms = grid(4, 4).automaton
    assert merging_steps(rooms) == 6  # from corner to corner
    assert is_narrow(rooms, 10**6, Fraction(1, 64))
    assert not is_narrow(rooms, 10**6, Fraction(1, 1 << 101))
    # Words over "x" alone have no way back: their weights are lost beside others.
    assert merging_steps(ONE_WAY.automaton) is None
    assert is_narrow(ONE_WAY.automaton, 100, Fraction(1, 2))
    assert not is_narrow(ONE_WAY.automaton, 1000, Fraction(1, 2))


@pytest.mark.parametrize("name", LANGUAGES)
def test_no_value_leaves_the_spread_that_is_promised(name: str) -> None:
    """Positive values of one position lie as near to each other as the module says, all words."""
    language, length = LANGUAGES[name]
    q = Fraction(1, 32)
    trellis = WideTrellis(language.automaton, np.array(listed(language, length)), q)
    degree = int((language.automaton.transitions >= 0).sum(axis=1).max())
    merging = merging_steps(language.automaton)
    for i in range(length + 1):
        mantissas, exponents = trellis._mantissas[i], trellis._exponents[i]
        sizes = np.where(mantissas > 0, exponents + np.log2(np.maximum(mantissas, 0.5)), np.nan)
        steps = length - i if merging is None else min(length - i, merging)
        spread = np.nanmax(sizes, axis=0) - np.nanmin(sizes, axis=0)
        assert (spread <= steps * math.log2(32 + degree - 1) + 1e-9).all()


def test_a_sparse_automaton_gives_the_same_sums() -> None:
    states = 200
    table = np.array([[(s + 1) % states, (7 * s + 3) % states] for s in range(states)])
    automaton = Automaton(table, 0, np.arange(states) % 3 > 0)
    words = np.random.default_rng(1).integers(0, 2, (6, 40))
    q = Fraction(1, 4)
    narrow, wide = NarrowTrellis(automaton, words, q), WideTrellis(automaton, words, q)
    np.testing.assert_allclose(narrow.log_total(), wide.log_total(), rtol=1e-13)


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
