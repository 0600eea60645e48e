"""Permute-and-flip as a race: its law, its exact decisions, and how many draws it takes."""

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet import Alphabet, Language
from privet.languages.trellis import Trellis, weigh
from privet.mechanisms.enumerated import list_words
from privet.mechanisms.word_permute_and_flip import race as racing
from privet.mechanisms.word_permute_and_flip.race import distances_from, race
from privet.mechanisms.word_permute_and_flip.reference import law_by_subsets
from privet.testing import ReplaySource, chi_square_agrees

ALPHA = 1e-9
CLOSED = Language.from_regex(Alphabet(["a", "b", "x"]), "(a|b)* x*")
LENGTH = 3
WORDS = [tuple(row) for row in list_words(CLOSED, LENGTH).tolist()]
INSIDE, OUTSIDE = (0, 1, 2), (2, 0, 2)


def law(given: tuple[int, ...], q: Fraction) -> np.ndarray[Any, Any]:
    apart = [sum(a != b for a, b in zip(given, w, strict=True)) for w in WORDS]
    return np.array([float(p) for p in law_by_subsets(apart, q)])


def raced(given: tuple[int, ...], q: Fraction, size: int, seed: int) -> np.ndarray[Any, Any]:
    words = np.tile(np.array(given), (size, 1))
    trellis = weigh(CLOSED.automaton, words, q, narrow=True)
    nearest = distances_from(CLOSED.automaton, words)
    drawn = Counter(map(tuple, race(ReplaySource(seed), trellis, words, nearest).tolist()))
    assert set(drawn) <= set(WORDS)
    return np.array([drawn[word] for word in WORDS])


@pytest.mark.parametrize("given", [INSIDE, OUTSIDE])
@pytest.mark.parametrize("q", [Fraction(1, 8), Fraction(3, 4), Fraction(1023, 1024)])
def test_the_race_has_the_law(given: tuple[int, ...], q: Fraction) -> None:
    counts = raced(given, q, 60_000, 1)
    assert not chi_square_agrees(counts, law(given, q), ALPHA).rejected
    # Wrong twins: the first success, whatever failed before; and another rate.
    apart = np.array([sum(a != b for a, b in zip(given, w, strict=True)) for w in WORDS])
    first = float(q) ** apart
    if q < Fraction(1, 2):  # above, they are too close for this many draws
        assert chi_square_agrees(counts, first / first.sum(), ALPHA).rejected
        assert chi_square_agrees(counts, law(given, q * Fraction(4, 5)), ALPHA).rejected


@pytest.mark.parametrize("given", [INSIDE, OUTSIDE])
def test_exact_decisions_have_the_same_law(
    given: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(racing, "_MARGIN", 2.0)  # nothing is decided in doubles
    asked = []
    decide = racing._Clock._decide

    def counted(*arguments: Any) -> bool:
        asked.append(1)
        return decide(*arguments)

    monkeypatch.setattr(racing._Clock, "_decide", counted)
    q = Fraction(3, 4)
    counts = raced(given, q, 3000, 2)
    assert len(asked) > 1500
    assert not chi_square_agrees(counts, law(given, q), ALPHA).rejected


def test_doubles_and_balls_decide_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same uniform numbers, decided by both wherever doubles dare to."""
    decide, differ = racing._Clock._decide, []
    survives = racing._Clock.survives

    def both(
        clock: Any, source: Any, beyond: np.ndarray[Any, Any], fresh: np.ndarray[Any, Any]
    ) -> Any:
        class Once:
            """Gives the coins of this call twice."""

            def words(self, count: int) -> Any:
                del count
                return coins

        coins = source.words(beyond.size)
        once: Any = Once()
        found = survives(clock, once, beyond, fresh)
        for place in np.flatnonzero((beyond > 0) & fresh).tolist():
            exact = decide(clock, ReplaySource(9), place, int(beyond[place]), int(coins[place]))
            differ.append(exact != found[place])
        clock._exact.clear()
        return found

    monkeypatch.setattr(racing._Clock, "survives", both)
    raced(INSIDE, Fraction(7, 8), 400, 3)
    raced(OUTSIDE, Fraction(7, 8), 400, 4)
    assert len(differ) > 500
    assert not any(differ)


def test_bits_that_were_drawn_are_kept_for_the_rows_that_go_on() -> None:
    uniform = racing._Uniform(5)
    uniform.refine(ReplaySource(1))
    assert uniform.known == 128
    assert uniform.bits >> 64 == 5
    words = np.array([INSIDE, INSIDE])
    clock = racing._Clock(
        weigh(CLOSED.automaton, words, Fraction(1, 2), narrow=True), np.zeros(2, np.int64)
    )
    source = ReplaySource(2)
    clock.advance(source)
    clock._decide(source, 1, 1, 1 << 63)
    kept = clock._exact[1][0]
    clock.keep(np.array([False, True]))
    clock.advance(source)
    assert clock._exact[1][0] is kept
    assert len(clock._exact[1]) == 2
    assert clock._exact[1][1].bits == int(clock._gaps[1][0])


@pytest.mark.parametrize("size", [1, 2, 5, 50, 2000])
@pytest.mark.parametrize("q", [Fraction(1, 1000), Fraction(1, 2), Fraction(999, 1000)])
def test_a_race_takes_few_draws_whatever_lies_beside_the_word(size: int, q: Fraction) -> None:
    """`size` words as far away as the word is long, hence any weight beside 1."""

    class Few(Trellis):
        """The word 0 and `size` other words of one symbol, at distance 1."""

        def __init__(self, count: int) -> None:
            self.q, self.count, self.draws = q, count, 0

        def _backward(self) -> None: ...

        def _choose(self, *_: Any) -> Any: ...

        def total(self) -> Any:
            return np.full(self.count, 1 + size * float(q)), np.zeros(self.count, np.int64)

        def draw(self, source: Any, rows: Any) -> Any:
            self.draws += rows.size
            point = source.words(rows.size) * 2.0**-64 * (1 + size * float(q))
            other = np.minimum(1 + (point - 1) / float(q), size)
            return np.where(point < 1, 0, np.floor(np.maximum(other, 1)))[:, None].astype(int)

    trellis = Few(20_000)
    race(ReplaySource(5), trellis, np.zeros((20_000, 1), np.int64))
    assert trellis.draws < 1.35 * 20_000


def test_distances_from_a_language_are_those_of_the_list() -> None:
    every = np.array([*itertools.product(range(3), repeat=LENGTH)])
    found = distances_from(CLOSED.automaton, every)
    apart = (every[:, None, :] != np.array(WORDS)[None]).sum(axis=2)
    assert found.tolist() == apart.min(axis=1).tolist()


def test_a_rate_near_zero_has_its_logarithm() -> None:
    assert racing._log(1 - Fraction(1, 1 << 50)) == pytest.approx(-(2.0**-50), rel=1e-12)
    assert racing._log(Fraction(1, 1 << 5000)) == pytest.approx(-5000 * math.log(2))
