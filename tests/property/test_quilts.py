"""Quilts on random chains against enumeration: never below the truth, and 1e-9 near it."""

import math
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from privet.chains import (
    ChainFamily,
    MarkovChain,
    max_influence,
    published_quilt_scale,
    quilt_epsilon,
    quilt_scale,
    quilt_scale_for,
)
from privet.chains.marginals import Initial
from privet.chains.quilt.reference import Reference
from privet.chains.structure import closed_classes
from privet.exact import log_down, log_up

CLOSE = 1 + Fraction(1, 10**9)

INITIALS: st.SearchStrategy[Initial] = st.sampled_from(["given", "stationary", "any"])

WEIGHTS = {
    "dense": st.integers(1, 9).map(Fraction),
    "sparse": st.sampled_from([0, 0, 1, 2, 5]).map(Fraction),
    "near-deterministic": st.sampled_from(
        [Fraction(0), Fraction(1), Fraction(3), Fraction(1, 10**12), Fraction(1, 10**300)]
    ),
}


@st.composite
def rows(draw: st.DrawFn, size: int) -> list[Fraction]:
    """A distribution: dense, sparse, nearly certain, or certain."""
    kind = draw(st.sampled_from([*WEIGHTS, "certain"]))
    weights = (
        [Fraction(0)] * size if kind == "certain" else [draw(WEIGHTS[kind]) for _ in range(size)]
    )
    weights[draw(st.integers(0, size - 1))] += 1
    return [weight / sum(weights) for weight in weights]


@st.composite
def chains(draw: st.DrawFn, sizes: tuple[int, int] = (2, 4)) -> MarkovChain:
    """Reducible, periodic and absorbing ones among them."""
    size = draw(st.integers(*sizes))
    shift = draw(st.sampled_from([None, None, None, 1]))
    steps = [draw(rows(size)) for _ in range(size)]
    if shift is not None:
        cycle = [[Fraction(int(y == (x + shift) % size)) for y in range(size)] for x in range(size)]
        kept = draw(st.integers(0, size))
        steps = cycle[:kept] + steps[kept:]
    return MarkovChain(draw(rows(size)), steps)


def has_law(chain: MarkovChain, initial: Initial) -> bool:
    return initial != "stationary" or len(closed_classes(chain.support())) == 1


@settings(max_examples=150)
@given(
    chains(),
    INITIALS,
    st.integers(1, 6),
    st.sampled_from([Fraction(1, 100), Fraction(1, 2), Fraction(1), Fraction(5), Fraction(1500)]),
)
def test_scales_are_those_of_the_definition(
    chain: MarkovChain, initial: Initial, length: int, epsilon: Fraction
) -> None:
    if has_law(chain, initial):
        low, high = Reference(chain, initial, length).scale([Fraction(1)] * length, epsilon)
        assert low <= quilt_scale(chain, initial, length, epsilon).scale <= high * CLOSE


@settings(max_examples=60)
@given(
    chains(),
    INITIALS,
    st.lists(st.fractions(0, 2, max_denominator=9), min_size=1, max_size=6),
    st.sampled_from([Fraction(1), Fraction(4)]),
)
def test_losses_and_constants_of_every_node_count(
    chain: MarkovChain, initial: Initial, values: list[Fraction], epsilon: Fraction
) -> None:
    if has_law(chain, initial):
        reference = Reference(chain, initial, len(values))
        pieces = [(node, node + 1, value) for node, value in enumerate(values)]
        low, high = reference.epsilon(values)
        assert low <= quilt_epsilon(chain, initial, pieces).epsilon <= high * CLOSE
        low, high = reference.scale(values, epsilon)
        assert low <= quilt_scale_for(chain, initial, pieces, epsilon).scale <= high * CLOSE


@settings(max_examples=150)
@given(chains(), INITIALS, st.integers(1, 7), st.data())
def test_influences_are_those_of_the_definition(
    chain: MarkovChain, initial: Initial, length: int, data: st.DataObject
) -> None:
    if not has_law(chain, initial):
        return
    node = data.draw(st.integers(0, length - 1))
    left = data.draw(st.sampled_from([None, *range(1, node + 1)]))
    right = data.draw(st.sampled_from([None, *range(1, length - node)]))
    ratio = Reference(chain, initial, length).influence(node, left, right)
    places = [node + d * s for d, s in ((left, -1), (right, 1)) if d is not None]
    found = max_influence(ChainFamily(chain, initial), length, node, places)
    if not isinstance(ratio, Fraction):
        assert found == math.inf
    else:
        assert log_down(ratio) <= Fraction(found) <= log_up(ratio) * CLOSE


@settings(max_examples=40)
@given(st.lists(chains((3, 3)), min_size=1, max_size=3), st.integers(1, 6))
def test_the_published_scale_of_a_family_is_never_smaller(
    family: list[MarkovChain], length: int
) -> None:
    published = published_quilt_scale(ChainFamily(family), length, 1).scale
    worst = max(quilt_scale(chain, "given", length, 1).scale for chain in family)
    assert worst <= published * CLOSE
    assert published <= length


@settings(max_examples=60)
@given(chains(), INITIALS, st.integers(1, 60), st.integers(0, 3))
def test_a_longer_series_never_needs_less_noise_at_a_stationary_start(
    chain: MarkovChain, initial: Initial, length: int, more: int
) -> None:
    if has_law(chain, initial):
        shorter = quilt_scale(chain, initial, length, 1).scale
        assert shorter <= length
        assert shorter >= 1
        if initial != "given":
            assert shorter <= quilt_scale(chain, initial, length + more, 1).scale * CLOSE
