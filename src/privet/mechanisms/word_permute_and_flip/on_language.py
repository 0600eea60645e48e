"""Permute-and-flip on a language that forbids some words.

Contract. The candidates are the words of the language of the length of w; each is accepted with
q^(d - d_min), d_min the distance of w from the language (0 unless outside words are allowed). They
are drawn from draws of the exponential mechanism (race.py); 20 deviations are charged (PROOF.md).
"""

import functools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import ctx

from privet.exact import float_down, float_up
from privet.exact.enclosure import ball, endpoints
from privet.languages.trellis import Trellis
from privet.mechanisms.base import FloatArray
from privet.mechanisms.enumerated import spent_on
from privet.mechanisms.on_language import LanguageMechanism, log_law
from privet.mechanisms.word_permute_and_flip.enclosures import PsiEnclosure
from privet.mechanisms.word_permute_and_flip.floats import quadrature
from privet.mechanisms.word_permute_and_flip.mechanism import WordPermuteAndFlip
from privet.mechanisms.word_permute_and_flip.race import distances_from, race
from privet.mechanisms.word_permute_and_flip.spectrum import Counted
from privet.randomness import RandomSource

IntArray = npt.NDArray[np.int64]

_MOST_INTEGRALS = 512
"""Words times levels of which the law is enclosed: a few seconds."""


class PermuteAndFlipOnLanguage(LanguageMechanism, WordPermuteAndFlip):
    """What `WordPermuteAndFlip(language, ...)` makes of a language that forbids words."""

    title = "permute-and-flip on a language"
    public_name = "WordPermuteAndFlip"
    deviations_charged = 20

    def log_distance_distribution(self, word: Sequence[Any] | int) -> FloatArray:
        """(n+1,) float64: entry l = log P(Hamming distance = l), -inf where no word lies."""
        counts = self._counts(word, "the law of the distance")
        if len(counts) == 1:
            return np.zeros(1)
        log_q, nearest, spectrum = self._spectrum(counts)
        if log_q == 0:
            return log_law(counts, 0.0)
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
            return 0.0, float(self._length(word))
        counts = self._counts(word, "the bound of the errors")
        if len(counts) == 1:
            return 0.0, 0.0
        log_q, nearest, spectrum = self._spectrum(counts)
        upper = float(np.exp(log_law(counts, log_q)) @ np.arange(len(counts)))
        if log_q == 0:
            return upper * (1 - 1e-11), upper * (1 + 1e-11)
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

    def _draw_by(self, source: RandomSource, trellis: Trellis, words: IntArray) -> IntArray:
        nearest = None
        if self.outside == "allow":
            nearest = distances_from(self.language.automaton, words)
        return race(source, trellis, words, nearest)
