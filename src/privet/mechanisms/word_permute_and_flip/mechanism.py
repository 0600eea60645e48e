"""Permute-and-flip on all words, without visiting any: draw the distance, then a word at it.

Contract. For words of length n the mechanism is permute-and-flip [mckenna-sheldon-2020] with
utility minus the Hamming distance and acceptance q^distance, q the exact rational of that length.
The law by distance and what it spends are proved in PROOF.md; both come from certified enclosures.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privet.errors import ParameterError
from privet.exact import float_down, float_up, log_up, ratio_up, read_count
from privet.exact.number import Number
from privet.languages import Language
from privet.mechanisms.base import CodeArray, FloatArray
from privet.mechanisms.by_length import ByLength
from privet.mechanisms.substitution import draw_by_level
from privet.mechanisms.word_permute_and_flip.enclosures import PsiEnclosure
from privet.mechanisms.word_permute_and_flip.floats import Quadrature, quadrature
from privet.mechanisms.word_permute_and_flip.levels import PermuteAndFlipLevels
from privet.mechanisms.word_permute_and_flip.spectrum import AllWords
from privet.mechanisms.words import (
    CalibratedOnWords,
    Calibration,
    Outside,
    Unprotected,
    language_of,
    read_all_words,
)
from privet.privacy import RecordLoss
from privet.randomness import current_source
from privet.symbols import Alphabet

_SEARCH_MARGIN = Fraction(1, 1 << 40)
"""Relative step back from the float search, far above its error and far below what anyone sees."""

_SMALLEST_SEARCHED = Fraction(1, 1 << 30)
"""Below this epsilon the doubles cannot see what a rate spends; the published rate is used."""

_DOUBLES = 1e-11
"""More than the relative error of psi in doubles."""

_LARGEST_EXACT_LAW = 128
"""Words of which the law is written out in rationals: seconds, not minutes."""


@dataclass(frozen=True)
class LengthLaw:
    """Everything about words of one length n >= 1: q, what it spends, enclosures, float law."""

    length: int
    q: Fraction
    rate_up: Fraction
    psi: PsiEnclosure
    levels: PermuteAndFlipLevels
    quadrature: Quadrature


class WordPermuteAndFlip(CalibratedOnWords):
    """Permute-and-flip on words.

    `language`: `Language.all(alphabet)`, or the alphabet; `epsilon`: the guarantee for words that
    differ in 1 to `adjacency` places; `calibration`: "paper" for the published rate
    epsilon/(2 adjacency), "exact" (and "auto") for the largest rate up to epsilon/adjacency whose
    certified spent epsilon is at most epsilon, for each word length by itself (below epsilon =
    2^-30 the published rate: doubles cannot search there). Errors:
    ParameterError, ModelError.
    """

    name: ClassVar[str] = "word-permute-and-flip"
    title: ClassVar[str] = "permute-and-flip on words"

    def __init__(
        self,
        language: Language | Alphabet,
        *,
        epsilon: Number,
        adjacency: int = 1,
        calibration: Calibration = "auto",
        outside: Outside = "refuse",
        unprotected: Unprotected = "refuse",
    ) -> None:
        del outside, unprotected  # among all words there is nothing outside, or without neighbours
        self._read_parameters(read_all_words(language), epsilon, adjacency, calibration)
        self._laws = ByLength(self._make_law)

    @classmethod
    def _on_language(cls) -> type[CalibratedOnWords]:
        """The class of the mechanism on a language that forbids some words."""
        from privet.mechanisms.word_permute_and_flip.on_language import PermuteAndFlipOnLanguage

        return PermuteAndFlipOnLanguage

    def ratio(self, length: int) -> Fraction:
        """q = e^-k, the exact rational of words of that length."""
        return self._law(length).q

    def rate(self, length: int) -> float:
        """k, the rate in use for words of that length: acceptance is e^(-k distance)."""
        return float(self._law(length).rate_up)

    def spent(self, length: int = 1) -> Fraction:
        """K b' + log(Phi(0)/Phi(b')), b' = min(adjacency, length), rounded up (PROOF.md)."""
        if read_count(length, "length", minimum=0) == 0:
            return Fraction(0)
        law = self._law(length)
        return min(self.epsilon, _spent_up(law.psi, law.rate_up, min(self.adjacency, length)))

    def record_loss(self, length: int = 1) -> RecordLoss:
        """min(2k, k + log(Phi(0)/Phi(1))) for every symbol (PROOF.md, "Record loss")."""
        if read_count(length, "length", minimum=0) == 0:
            return RecordLoss.constant(0, 0)
        law = self._law(length)
        single = law.rate_up + min(law.rate_up, law.psi.log_ratio_up(1))
        return RecordLoss.constant(length, single)

    def log_distance_distribution(self, word: Sequence[Any] | int) -> FloatArray:
        """(n+1,) float64: entry l = log P(Hamming distance = l)."""
        length = self._length(word)
        if length == 0:
            return np.zeros(1)
        law = self._law(length)
        return law.levels.log_probabilities(law.quadrature)

    def error_bounds(self, word: Sequence[Any] | int) -> tuple[float, float]:
        """Theorem 2 of [benvenuti-rao-hale-2026] at the rate in use.

        A negative lower bound says nothing.
        """
        length = self._length(word)
        if length == 0:
            return 0.0, 0.0
        law = self._law(length)
        odds = (len(self.alphabet) - 1) * law.q
        upper = length * odds / (1 + odds)
        first, last = law.quadrature.psi(np.array([0.0, float(length)]))
        lower = float_down(upper) - length / 4 * (1 + _DOUBLES) * float(first - last)
        return lower - _DOUBLES * abs(lower), float_up(upper)

    def probability_of_word(self, length: int) -> list[Fraction]:
        """[q^l Phi(l), l = 0..n] as exact rationals: the integral of a polynomial of degree m^n."""
        size = read_count(length, "length", minimum=0)
        count = self.language.count(size)
        if count > _LARGEST_EXACT_LAW:
            raise ParameterError(f"The exact law of {count} words is too long to write out.")
        if size == 0:
            return [Fraction(1)]
        q = self._law(size).q
        words_at = self.language.count_by_distance([self.alphabet.symbols[0]] * size)
        return [q**level * _phi_exactly(words_at, q, level) for level in range(size + 1)]

    def _draw(self, codes: CodeArray, offsets: npt.NDArray[np.int64]) -> CodeArray:
        source = current_source()

        def levels(length: int, count: int) -> npt.NDArray[np.int64]:
            return self._law(length).levels.draw(source, count)

        return draw_by_level(source, codes, offsets, len(self.alphabet), levels)

    def _law(self, length: int) -> LengthLaw:
        return self._laws[read_count(length, "length")]

    def _make_law(self, length: int) -> LengthLaw:
        symbols = len(self.alphabet)
        if self.calibration == "paper":
            q = ratio_up(self.epsilon / (2 * self.adjacency))
        else:
            q = _calibrate(length, symbols, self.epsilon, self.adjacency)
        psi = PsiEnclosure(AllWords(length, symbols), q)
        rate_up = log_up(1 / q)
        nodes = quadrature(AllWords(length, symbols), -float(rate_up))
        return LengthLaw(
            length, q, rate_up, psi, PermuteAndFlipLevels(length, symbols, q, psi), nodes
        )

    @classmethod
    def _from_json(cls, data: dict[str, Any]) -> "WordPermuteAndFlip":
        return cls(
            language_of(data),
            epsilon=data["epsilon"],
            adjacency=data["adjacency"],
            calibration=data["calibration"],
            outside=data.get("outside", "refuse"),
            unprotected=data.get("unprotected", "refuse"),
        )


def _spent_up(psi: PsiEnclosure, rate_up: Fraction, shift: int) -> Fraction:
    """Shift k + log(Phi(0)/Phi(shift)) from above."""
    return shift * rate_up + psi.log_ratio_up(shift)


def _calibrate(length: int, size: int, epsilon: Fraction, adjacency: int) -> Fraction:
    """The largest q = e^-k found with k <= epsilon/adjacency and certified spent <= epsilon."""
    shift = min(adjacency, length)
    cap = epsilon / adjacency
    if epsilon < _SMALLEST_SEARCHED:
        return ratio_up(cap / 2)
    rate, step = _search_rate(length, size, epsilon, cap, shift), _SEARCH_MARGIN
    while rate > cap / 2:
        q = ratio_up(rate)
        if _spent_up(PsiEnclosure(AllWords(length, size), q), log_up(1 / q), shift) <= epsilon:
            return q
        rate, step = rate * (1 - step), step * 4
    return ratio_up(cap / 2)


def _search_rate(length: int, size: int, epsilon: Fraction, cap: Fraction, shift: int) -> Fraction:
    """A root in floats; only a proposal, for what it costs is certified afterwards."""

    def excess(rate: float) -> float:
        first, last = quadrature(AllWords(length, size), -rate).psi(np.array([0.0, float(shift)]))
        return shift * rate + math.log(first / last) - float(epsilon)

    top = excess(float(cap))
    if top <= -1e-12 * float(epsilon):
        return cap
    if top <= 0:  # long words: nothing to see in doubles but their rounding
        return cap * (1 - _SEARCH_MARGIN)
    bottom = excess(float(cap) / 2)
    if bottom >= 0:  # 2kb is spent at most, so this is a matter of rounding
        return cap / 2
    rate = _crossing(excess, (float(cap) / 2, bottom), (float(cap), top), 1e-14 * float(cap))
    return min(cap, Fraction(rate)) * (1 - _SEARCH_MARGIN)


def _crossing(
    function: Callable[[float], float],
    below: tuple[float, float],
    above: tuple[float, float],
    width: float,
) -> float:
    """Where a rising function crosses zero, by the Illinois rule of false position.

    `below`, `above`: (place, value), the values of either sign. Within `width`, or as near as 100
    steps come. scipy has this too, and takes half a second to import.
    """
    last = 0
    for _ in range(100):
        (a, at_a), (b, at_b) = below, above
        place = b - at_b * (b - a) / (at_b - at_a)
        value = function(place)
        if value == 0 or min(place - a, b - place) <= width:
            return place
        # An end that stays twice has its value halved, so that the other end moves past it.
        if value < 0:
            below, above = (place, value), (b, at_b / 2 if last < 0 else at_b)
        else:
            above, below = (place, value), (a, at_a / 2 if last > 0 else at_a)
        last = -1 if value < 0 else 1
    return place


def _phi_exactly(words_at: list[int], q: Fraction, level: int) -> Fraction:
    """Phi(level): the polynomial prod (1 - q^j t)^(M_j - [j = level]) integrated over (0, 1)."""
    polynomial = [Fraction(1)]
    for j, count in enumerate(words_at):
        for _ in range(count - (j == level)):
            shifted = [Fraction(0), *polynomial]
            polynomial = [
                a - q**j * b for a, b in zip([*polynomial, Fraction(0)], shifted, strict=True)
            ]
    return sum((c / (i + 1) for i, c in enumerate(polynomial)), Fraction(0))
