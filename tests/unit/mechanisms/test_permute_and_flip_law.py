"""The law of permute-and-flip: definition, polynomial, quadrature and enclosure agree."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import acb, arb
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.exact import exp_up
from privet.mechanisms.word_permute_and_flip import enclosures
from privet.mechanisms.word_permute_and_flip.enclosures import PsiEnclosure
from privet.mechanisms.word_permute_and_flip.floats import quadrature
from privet.mechanisms.word_permute_and_flip.reference import (
    distances_on_all_words,
    law_by_permutations,
    law_by_subsets,
)
from privet.mechanisms.word_permute_and_flip.spectrum import AllWords, Counted

SMALL = [(1, 4), (2, 2), (2, 3), (3, 2), (4, 2), (3, 3)]
RATIOS = [Fraction(99, 100), Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**9)]


def exact_psi(length: int, size: int, q: Fraction) -> list[Fraction]:
    """Z_1 Phi(l) from the law by subsets, one representative of each level."""
    distances = distances_on_all_words([0] * length, size)
    law = law_by_subsets(distances, q)
    z = (1 + (size - 1) * q) ** length
    return [z * law[distances.index(level)] / q**level for level in range(length + 1)]


@pytest.mark.parametrize("distances", [[0, 1, 1, 2], [1, 1, 3], [0, 2, 2, 2, 5], [0, 0, 1]])
def test_subset_formula_is_the_average_over_all_orders(distances: list[int]) -> None:
    q = Fraction(2, 7)
    assert law_by_subsets(distances, q) == law_by_permutations(distances, q)
    assert sum(law_by_subsets(distances, q)) == 1


@pytest.mark.parametrize(("length", "size"), SMALL)
@pytest.mark.parametrize("q", RATIOS)
def test_quadrature_agrees_with_the_definition(length: int, size: int, q: Fraction) -> None:
    nodes = quadrature(AllWords(length, size), math.log(q))
    found = nodes.psi(np.arange(length + 1.0))
    expected = [float(value) for value in exact_psi(length, size, q)]
    np.testing.assert_allclose(found, expected, rtol=1e-13)


@pytest.mark.parametrize(("length", "size"), SMALL)
@pytest.mark.parametrize("q", RATIOS)
def test_enclosures_hold_the_exact_value_and_are_as_narrow_as_asked(
    length: int, size: int, q: Fraction
) -> None:
    enclosure = PsiEnclosure(AllWords(length, size), q)
    for bits in (40, 150):
        first, (flat_low, flat_high) = enclosure.flat_from(bits)
        for level, exact in enumerate(exact_psi(length, size, q)):
            low, high = enclosure.psi(level, bits)
            assert low <= exact <= high
            assert high - low <= exact / 2**bits
            if level >= first:
                assert flat_low <= exact <= flat_high


@settings(deadline=None, max_examples=40)
@given(
    length=st.integers(1, 2000),
    size=st.integers(2, 300),
    rate=st.fractions(Fraction(1, 1000), Fraction(40)),
)
def test_quadrature_agrees_with_the_enclosure_far_from_enumeration(
    length: int, size: int, rate: Fraction
) -> None:
    q = exp_up(-rate)
    enclosure, nodes = (
        PsiEnclosure(AllWords(length, size), q),
        quadrature(AllWords(length, size), -float(rate)),
    )
    levels = [0, 1, min(3, length), length]
    found = nodes.psi(np.array(levels, float))
    for level, value in zip(levels, found, strict=True):
        low, high = enclosure.psi(level, 64)
        assert abs(float(low) / value - 1) < 1e-11
        assert low <= high
    first, (low, high) = enclosure.flat_from(64)
    if first <= length:
        bottom, top = enclosure.psi(first, 70)
        assert low <= top
        assert bottom <= high


@pytest.mark.parametrize(("length", "size", "q"), [(4, 2, Fraction(1, 3)), (3, 3, Fraction(4, 5))])
def test_largest_shift_ratio_is_at_distance_zero(length: int, size: int, q: Fraction) -> None:
    psi = exact_psi(length, size, q)
    for shift in range(1, length + 1):
        ratios = [psi[level] / psi[level + shift] for level in range(length - shift + 1)]
        assert max(ratios) == ratios[0]
        assert ratios == sorted(ratios, reverse=True)


@pytest.mark.parametrize("counts", [[1, 0, 2], [3, 1], [1], [2], [1, 4, 0, 0, 5], [2, 3, 1]])
@pytest.mark.parametrize("q", RATIOS)
def test_counted_candidates_follow_the_definition_too(counts: list[int], q: Fraction) -> None:
    distances = [level for level, count in enumerate(counts) for _ in range(count)]
    law = law_by_subsets(distances, q)
    total = sum(q**distance for distance in distances)
    spectrum = Counted(counts)
    nodes, enclosure = quadrature(spectrum, math.log(q)), PsiEnclosure(spectrum, q)
    for level, count in enumerate(counts):
        if count:
            exact = total * law[distances.index(level)] / q**level
            low, high = enclosure.psi(level, 90)
            assert low <= exact <= high
            assert nodes.psi(np.array([float(level)]))[0] == pytest.approx(float(exact), rel=1e-13)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, RuntimeError])
def test_what_interrupts_an_integral_comes_out_as_it_went_in(stop: type[BaseException]) -> None:
    """Arb's callback swallows exceptions; Python then says SystemError."""
    calls = []

    def integrand(s: acb, analytic: bool) -> acb:
        del analytic
        calls.append(s)
        if len(calls) == 3:
            raise stop
        return s

    with pytest.raises(stop):
        enclosures._integrated(integrand, acb(1), arb(2) ** -50)
    assert len(calls) == 3
