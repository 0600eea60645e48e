"""Float powers with their error bounds, the live sets and the loads, against exact arithmetic."""

from fractions import Fraction
from itertools import pairwise
from math import ldexp

import numpy as np
import pytest

from privet.chains import MarkovChain
from privet.chains.enclosed import Enclosed, Powers, RealType, enclose, largest_ratios, nearest
from privet.chains.marginals import GivenMarginals
from privet.chains.quilt.loads import Loads
from privet.chains.supports import Supports

KINDS: list[RealType] = [np.float64, np.longdouble]


def exactly(x: np.floating) -> Fraction:
    """The rational value, also of a long double that no double holds."""
    mantissa, exponent = np.frexp(x)
    high = float(mantissa)
    low = float(mantissa - type(x)(high))
    return (Fraction(high) + Fraction(low)) * Fraction(2) ** int(exponent)


def power_of(chain: MarkovChain, exponent: int) -> list[list[Fraction]]:
    size = len(chain.alphabet)
    result = [[Fraction(int(x == y)) for y in range(size)] for x in range(size)]
    for _ in range(exponent):
        result = [
            [
                sum((row[u] * chain.exact_transition[u][y] for u in range(size)), Fraction(0))
                for y in range(size)
            ]
            for row in result
        ]
    return result


CHAINS = [
    MarkovChain([1, 0, 0], [["1/3", "1/3", "1/3"], ["1/7", "6/7", 0], [0, "1/10", "9/10"]]),
    MarkovChain([1, 0, 0], [[0.3, 0.3, 0.4], [0.1, 0.9, 0.0], [0.0, 1e-12, 1 - 1e-12]]),
    MarkovChain(
        [1, 0],
        [
            [1 - Fraction(1, 10**300), Fraction(1, 10**300)],
            [Fraction(1, 10**200), 1 - Fraction(1, 10**200)],
        ],
    ),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("chain", CHAINS)
def test_powers_lie_within_their_bounds(chain: MarkovChain, kind: RealType) -> None:
    powers = Powers(enclose(chain._steps, kind))
    for exponent in (0, 1, 2, 3, 7, 16, 40):
        found, exact = powers(exponent), power_of(chain, exponent)
        lower, upper = found.lower(), found.upper()
        for x, row in enumerate(exact):
            for y, value in enumerate(row):
                assert exactly(lower[x, y]) <= value <= exactly(upper[x, y])
                assert found.support[x, y] == (value > 0)
                if value > Fraction(1, 10**290):
                    assert exactly(upper[x, y]) <= value * (1 + Fraction(1, 10**12))
                    assert exactly(lower[x, y]) >= value * (1 - Fraction(1, 10**12))


def test_a_product_that_underflows_is_known_only_from_above() -> None:
    tiny = Fraction(1, 10**300)
    chain = MarkovChain([1, 0, 0], [[1 - tiny, tiny, 0], [0, 1 - tiny, tiny], [0, 0, 1]])
    found = Powers(enclose(chain._steps, np.float64))(2)
    assert found.support[0, 2]
    assert found.lower()[0, 2] == 0
    assert 0 < found.upper()[0, 2] < 1e-280


def test_an_error_that_grew_too_large_claims_nothing() -> None:
    wide = Enclosed(np.eye(2), 0.1, np.float64(0), np.eye(2, dtype=bool))
    assert not wide.lower().any()


@pytest.mark.parametrize("kind", KINDS)
def test_fractions_become_the_nearest_floats(kind: RealType) -> None:
    u = Fraction(float(np.finfo(kind).eps))
    for value in (
        Fraction(1, 3),
        Fraction(2, 3),
        Fraction(1, 10**300),
        Fraction(7),
        1 - Fraction(1, 3**40),
    ):
        assert abs(exactly(nearest(value, kind)) - value) <= u * value
    assert nearest(Fraction(0), kind) == 0
    assert nearest(Fraction(1, 1 << 60), kind) == ldexp(1, -60)


def test_ratios_skip_nothing_over_nothing_and_see_infinity() -> None:
    upper = np.array([[0.5, 0.25, 0.0], [0.5, 0.0, 0.5]])
    found = largest_ratios(upper, upper, upper == 0)
    assert found[0, 1] == np.inf
    assert found[0, 0] == 1
    assert found[1, 0] == 0.5
    assert found[2, 0] == 1
    # The denominators that are 0 here are states that do not occur: skipped.
    assert largest_ratios(upper, upper, np.zeros_like(upper, bool))[0, 1] == 2


def test_marginals_of_many_nodes_at_once_are_those_one_by_one() -> None:
    chain = CHAINS[0]
    start = GivenMarginals(chain, Powers(enclose(chain._steps, np.longdouble)), np.longdouble, 100)
    rows = start.at(range(3, 40, 5))
    for row, node in enumerate(range(3, 40, 5)):
        exact = power_of(chain, node)[0]
        for x, value in enumerate(exact):
            assert exactly(rows.lower()[row, x]) <= value <= exactly(rows.upper()[row, x])


# ----------------------------------------------------------------------------------- live states


def sets(first: list[int], steps: list[list[int]], count: int) -> list[set[int]]:
    here, found = set(first), []
    for _ in range(count):
        found.append(here)
        here = {y for x in here for y in range(len(steps)) if steps[x][y]}
    return found


@pytest.mark.parametrize("seed", range(12))
def test_live_sets_are_those_of_a_walk(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 7))
    steps = (rng.random((size, size)) < 0.25) | np.eye(size, k=1, dtype=bool)
    steps[-1, 0] = True
    first = np.zeros(size, bool)
    first[rng.integers(0, size)] = True
    supports = Supports(first, steps)
    expected = sets(np.flatnonzero(first).tolist(), steps.tolist(), 60)
    assert supports.is_exact
    for node, states in enumerate(expected):
        assert {s for s in range(size) if supports.at(node) >> s & 1} == states
        certain = [1 + j for j in range(node) if len(expected[j]) == 1]
        assert supports.known_before(node) == max(certain, default=0)
    for nodes in (range(3, 50, 4), range(60), range(7, 8), range(20, 50, 3)):
        union = set().union(*(expected[node] for node in nodes))
        assert {s for s in range(size) if supports.union(nodes) >> s & 1} == union
        pairs = {(x, y) for node in nodes for x in expected[node] for y in expected[node] if x != y}
        assert {(int(x), int(y)) for x, y in np.argwhere(supports.pairs(nodes))} == pairs


def test_live_sets_of_an_absurd_period_are_replaced_by_more() -> None:
    # Two cycles of 11 and 13 states: a period of 143.
    steps = np.zeros((24, 24), bool)
    for x in range(11):
        steps[x, (x + 1) % 11] = True
    for x in range(13):
        steps[11 + x, 11 + (x + 1) % 13] = True
    supports = Supports(np.isin(np.arange(24), [0, 11]), steps)
    assert not supports.is_exact
    assert supports.at(10**6) == (1 << 24) - 1


# ----------------------------------------------------------------------------------------- loads


@pytest.mark.parametrize("count", [1, 3, 40])
def test_windows_are_sums_of_loads(count: int) -> None:
    rng = np.random.default_rng(count)
    cuts = [0, *np.cumsum(rng.integers(1, 5, count)).tolist()]
    pieces = [(start, stop, Fraction(int(rng.integers(0, 9)), 7)) for start, stop in pairwise(cuts)]
    loads = Loads(pieces)
    values = [value for start, stop, value in pieces for _ in range(start, stop)]
    length = len(values)
    for _ in range(60):
        first = int(rng.integers(0, length))
        nodes = range(first, length, int(rng.integers(1, 4)))
        base = int(rng.integers(0, first + 1))
        a, b = (int(n) for n in rng.integers(1, length + 2, 2))
        sums = [sum(values[max(i - a + 1, base) : min(i + b, length)], Fraction(0)) for i in nodes]
        largest, node = loads.largest(nodes, base, a, b)
        assert largest * loads.unit == max(sums)
        assert loads.window(node, base, a, b) == largest


def test_loads_without_a_common_unit_are_rounded_up() -> None:
    values = [Fraction(1, 10**200 + n) for n in range(1, 9)]
    loads = Loads([(n, n + 1, value) for n, value in enumerate(values)])
    total = loads.total * loads.unit
    assert sum(values) <= total <= sum(values) * (1 + Fraction(1, 1 << 120))
