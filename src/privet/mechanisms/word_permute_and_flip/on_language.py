"""Permute-and-flip on a language that forbids some words.

Contract. The candidates are the words of the language of the length of w; each is accepted with
q^(d - d_min), d_min the distance of w from the language (0 unless outside words are allowed). The
release of a word of the language is drawn as a mixture of exponential mechanisms (mixture.py), that
of another word by its distance and then uniformly among the words at it.
"""

import functools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import ctx

from privet.exact import float_down, float_up, read_count
from privet.exact.enclosure import ball, endpoints
from privet.languages.automaton import Automaton
from privet.languages.balls import BallTrellis
from privet.languages.counting import DistanceTable
from privet.languages.trellis import SMALLEST_RATIO, WeightTrellis
from privet.mechanisms.base import FloatArray
from privet.mechanisms.enumerated import MOST_WORDS, list_words, spent_on
from privet.mechanisms.on_language import LanguageMechanism, LengthRate, log_law
from privet.mechanisms.word_permute_and_flip.enclosures import PsiEnclosure
from privet.mechanisms.word_permute_and_flip.floats import quadrature
from privet.mechanisms.word_permute_and_flip.levels import CountedLevels
from privet.mechanisms.word_permute_and_flip.mechanism import WordPermuteAndFlip
from privet.mechanisms.word_permute_and_flip.mixture import ExactChoice, choose_rates
from privet.mechanisms.word_permute_and_flip.spectrum import Counted
from privet.randomness import RandomSource, random_bits, uniform_below_each

IntArray = npt.NDArray[np.int64]

_MOST_INTEGRALS = 4096
"""Words times levels of which the law is enclosed: seconds, not minutes."""

_FASTEST_MIXTURE = Fraction(9, 10)
_FEWEST_OTHERS = 50.0
"""With q above 9/10 and less than 50 of weight beside the input, the mixture has too many rates."""


class PermuteAndFlipOnLanguage(LanguageMechanism, WordPermuteAndFlip):
    """What `WordPermuteAndFlip(language, ...)` makes of a language that forbids words."""

    def log_distance_distribution(self, word: Sequence[Any] | int) -> FloatArray:
        """(n+1,) float64: entry l = log P(Hamming distance = l), -inf where no word lies."""
        counts = self._counts(word, "the law of the distance")
        if len(counts) == 1:
            return np.zeros(1)
        log_q, nearest, spectrum = self._spectrum(counts)
        levels = np.arange(len(counts) - 1.0 - nearest + 1)
        law = log_law(counts, log_q)
        law[nearest:] += np.log(quadrature(spectrum, log_q).psi(levels))
        return law

    def error_bounds(self, word: Sequence[Any] | int) -> tuple[float, float]:
        """Theorem 2 of [benvenuti-rao-hale-2026] on this language; for a length 0 and the length.

        Above: the expected errors of the exponential mechanism at the same rate. Below: less a
        quarter of (largest - smallest distance) (psi(smallest) - psi(largest)), Gruess'
        inequality; it may be negative and then says nothing.
        """
        if isinstance(word, int | np.integer):
            return 0.0, float(read_count(word, "length", minimum=0))
        counts = self._counts(word, "the bound of the errors")
        if len(counts) == 1:
            return 0.0, 0.0
        log_q, nearest, spectrum = self._spectrum(counts)
        upper = float(np.exp(log_law(counts, log_q)) @ np.arange(len(counts)))
        furthest = max(level for level, count in enumerate(counts) if count)
        psi = quadrature(spectrum, log_q).psi(np.array([0.0, float(furthest - nearest)]))
        spread = (furthest - nearest) / 4 * float(psi[0] - psi[1])
        return upper - spread - 1e-11 * (1 + spread), upper * (1 + 1e-11)

    def _spectrum(self, counts: list[int]) -> tuple[float, int, Counted]:
        nearest = next(level for level, count in enumerate(counts) if count)
        return -self.rate(len(counts) - 1), nearest, Counted(counts[nearest:])

    def _can_enumerate(self, words: int, length: int) -> bool:
        return words * (length + 1) <= _MOST_INTEGRALS

    def _enumerated(self, length: int) -> Fraction:
        rate = self._rates[length]

        @functools.cache
        def by_counts(counts: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
            return bounds_of(counts)

        def bounds_of(counts: tuple[int, ...]) -> tuple[FloatArray, FloatArray]:
            spectrum = Counted(counts)
            psi = PsiEnclosure(spectrum, rate.q)
            low, high = np.full(length + 1, -np.inf), np.full(length + 1, np.inf)
            with ctx.workprec(128):
                log_q, log_z = ball(rate.q).log(), spectrum.total(ball(rate.q)).log()
            for level in (level for level, count in enumerate(counts) if count):
                bottom, top = psi.psi(level, 80)
                with ctx.workprec(128):
                    rest = log_q * level - log_z
                    low[level] = float_down(endpoints(rest + ball(bottom).log())[0])
                    high[level] = float_up(endpoints(rest + ball(top).log())[1])
            return low, high

        def bounds(counts: list[int]) -> tuple[FloatArray, FloatArray]:
            return by_counts(tuple(counts))

        largest = spent_on(self.language, length, self.adjacency, bounds)
        return largest + rate.charge if largest else largest

    def _draw_words(self, source: RandomSource, words: IntArray, rate: LengthRate) -> IntArray:
        """How a word is drawn depends on it and on the law, never on a random number."""
        automaton, length = self.language.automaton, words.shape[1]
        if self.language.count(length) <= MOST_WORDS:
            return draw_listed(source, list_words(self.language, length), words, rate.q)
        released = words.copy()
        offsets = np.arange(0, words.size + 1, length)
        by_level = automaton.walk(words.astype(np.uint32).ravel(), offsets) >= 0
        if rate.doubles:
            inside = np.flatnonzero(~by_level)
            first = WeightTrellis(automaton, words[inside], float(rate.q), different=True)
            slow = first.safe & (first.log_excess() < math.log(_FEWEST_OTHERS))
            if rate.q > _FASTEST_MIXTURE:
                by_level[inside[slow]] = True
                inside = inside[~slow]
            released[inside] = self._draw_mixture(source, words[inside], rate.q)
        else:
            for row in np.flatnonzero(~by_level):
                released[row] = self._draw_by_balls(source, words[row].tolist(), rate.q)
        rows = np.flatnonzero(by_level)
        released[rows] = draw_by_level(source, automaton, words[rows], rate.q)
        return released

    def _draw_mixture(self, source: RandomSource, words: IntArray, q: Fraction) -> IntArray:
        released = words.copy()
        choices = choose_rates(source, self.language.automaton, words, q)
        for number in np.unique(choices.rates[choices.rates > 0]).tolist():
            rows = np.flatnonzero(choices.rates == number)
            power = q**number
            ratio = float(power)
            safe = np.zeros(rows.size, bool)
            if number == 1:
                safe = choices.first.safe[rows]
                released[rows[safe]] = choices.first.draw(source, rows[safe], different=True)
            elif ratio >= SMALLEST_RATIO:
                trellis = WeightTrellis(self.language.automaton, words[rows], ratio, different=True)
                safe = trellis.safe
                released[rows[safe]] = trellis.draw(source, np.flatnonzero(safe), different=True)
            for row in rows[~safe]:
                balls = BallTrellis(self.language.automaton, words[row].tolist(), power)
                released[row] = balls.draw(source, different=True)
        return released

    def _draw_by_balls(self, source: RandomSource, word: list[int], q: Fraction) -> list[int]:
        automaton = self.language.automaton
        choice = ExactChoice(automaton, word, q)
        number = choice.choose(source, random_bits(source, 64), random_bits(source, 64))
        if number == 0:
            return word
        return BallTrellis(automaton, word, q**number).draw(source, different=True)


def draw_by_level(
    source: RandomSource, automaton: Automaton, words: IntArray, q: Fraction
) -> IntArray:
    """A release of each of `words` (w, n): its distance by exact counts, then a uniform word at it.

    What is worked out for a word serves all words equal to it.
    """
    released = words.copy()
    kinds, kind_of = np.unique(words, axis=0, return_inverse=True)
    for number, word in enumerate(kinds):
        table = DistanceTable(automaton, word)
        nearest = next(level for level, count in enumerate(table.counts) if count)
        rows = np.flatnonzero(kind_of.ravel() == number)
        levels = CountedLevels(table.counts[nearest:], q).draw(source, rows.size)
        for row, level in zip(rows, levels.tolist(), strict=True):
            released[row] = table.sample(source, nearest + level)
    return released


def draw_listed(
    source: RandomSource, candidates: IntArray, words: IntArray, q: Fraction
) -> IntArray:
    """A release of each of `words` (w, n) among the listed `candidates` (c, n), in the same way."""
    released = words.copy()
    kinds, kind_of = np.unique(words, axis=0, return_inverse=True)
    for number, word in enumerate(kinds):
        rows = np.flatnonzero(kind_of.ravel() == number)
        distances = (candidates != word).sum(axis=1)
        counts = np.bincount(distances)
        nearest = int(distances.min())
        levels = CountedLevels(counts[nearest:].tolist(), q).draw(source, rows.size) + nearest
        order = np.argsort(distances, kind="stable")
        first = np.concatenate([[0], np.cumsum(counts)])[levels]
        place = uniform_below_each(source, counts[levels].astype(np.uint64)).astype(np.int64)
        released[rows] = candidates[order[first + place]]
    return released
