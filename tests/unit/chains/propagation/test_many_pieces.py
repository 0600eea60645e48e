"""Losses of very many pieces: lanes side by side, and levels raised where it cannot matter."""

import random
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.chains import MarkovChain
from privet.chains.marginals import Initial
from privet.chains.propagation import Propagation, bound, sweep
from privet.chains.propagation.lanes import walk_lanes
from privet.chains.propagation.programme import LinearStep
from privet.chains.propagation.raising import busiest, cut, merged, raised, walked

F = Fraction
CHAINS = {
    "four": MarkovChain(
        ["1/10", "2/10", "3/10", "4/10"],
        [
            ["7/10", "1/10", "1/10", "1/10"],
            ["1/10", "6/10", "2/10", "1/10"],
            ["5/100", "15/100", "7/10", "1/10"],
            ["2/10", "1/10", "1/10", "6/10"],
        ],
    ),
    "sparse": MarkovChain(
        ["1/2", "1/2", "0"],
        [["1/2", "1/2", "0"], ["0", "1/2", "1/2"], ["1/2", "0", "1/2"]],
    ),
    "binary": MarkovChain(["1/4", "3/4"], [["9/10", "1/10"], ["3/10", "7/10"]]),
}
Pieces = list[tuple[int, int, Fraction]]


def many(count: int, longest: int, seed: int = 1) -> Pieces:
    """Pieces of 1 to `longest` nodes, a few of them ten times as long."""
    draw = random.Random(seed)
    pieces, start = [], 0
    for _ in range(count):
        long = 10 if draw.random() < 0.1 else 1
        stop = start + draw.randint(1, longest) * long
        pieces.append((start, stop, F(draw.randint(0, 40), 100) * F(draw.randint(1, 4), 4)))
        start = stop
    return pieces


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty pieces are many, and three lanes are worth it whatever they have to do."""
    monkeypatch.setattr(sweep, "MANY", 20)
    monkeypatch.setattr(bound, "MANY", 20)
    monkeypatch.setattr(sweep, "_FEWEST_LANES", 3)
    monkeypatch.setattr(sweep, "lanes_for", lambda _size, _work, _far: 3)


def plainly(chain: MarkovChain, initial: Initial, pieces: Pieces) -> Fraction:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "MANY", 1 << 60)
        patch.setattr(bound, "MANY", 1 << 60)
        return Propagation(chain, initial).bound(pieces).epsilon


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("name", [*CHAINS])
@pytest.mark.parametrize("initial", ["given", "stationary", "any"])
def test_lanes_and_raising_change_nothing_but_the_time(
    name: str, initial: Initial, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = many(60, 8)
    slow = plainly(CHAINS[name], initial, pieces)
    close = 1 + F(1, 10**8)
    fast = Propagation(CHAINS[name], initial).bound(pieces).epsilon
    assert slow / close <= fast <= slow * close
    # The same lanes without raising: every node is walked.
    monkeypatch.setattr(bound, "MANY", 1 << 60)
    ran: list[int] = []

    def counted(*arguments: Any) -> Any:
        ran.append(1)
        return walk_lanes(*arguments)

    monkeypatch.setattr(sweep, "walk_lanes", counted)
    lanes = Propagation(CHAINS[name], initial).bound(pieces).epsilon
    assert slow / close <= lanes <= slow * close
    assert ran


@pytest.mark.usefixtures("few")
def test_one_node_among_many_pieces() -> None:
    pieces = many(60, 8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bound, "MANY", 1 << 60)
        every = {node: Propagation(CHAINS["four"]).bound(pieces, node) for node in (0, 300)}
    for node, expected in every.items():
        found = Propagation(CHAINS["four"]).bound(pieces, node)
        assert found.node == expected.node == node
        assert float(found.epsilon) == pytest.approx(float(expected.epsilon), rel=1e-8)


@pytest.mark.usefixtures("few")
def test_what_is_too_much_to_walk_is_merged_and_stays_a_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pieces = many(60, 8)
    exact = plainly(CHAINS["four"], "stationary", pieces)
    monkeypatch.setattr(bound, "_MOST_WALKED", 1 << 13)
    loose = Propagation(CHAINS["four"], "stationary").bound(pieces).epsilon
    largest = max(loss for _, _, loss in pieces)
    constant = plainly(CHAINS["four"], "stationary", [(0, pieces[-1][1], largest)])
    close = 1 + F(1, 10**8)
    assert exact * close < loose <= constant * close


def at(pieces: Pieces, node: int) -> Fraction:
    return next(loss for start, stop, loss in pieces if start <= node < stop)


profiles = st.lists(st.tuples(st.integers(1, 6), st.integers(0, 5).map(F)), min_size=1, max_size=12)


def laid(profile: list[tuple[int, Fraction]]) -> Pieces:
    pieces, start = [], 0
    for count, loss in profile:
        pieces.append((start, start + count, loss))
        start += count
    return pieces


@given(profiles, st.integers(0, 5).map(F), st.integers(0, 5), st.integers(0, 9))
def test_raised_losses_are_higher_only_far_from_what_is_high(
    profile: list[tuple[int, Fraction]], level: Fraction, far: int, kept: int
) -> None:
    pieces = laid(profile)
    length = pieces[-1][1]
    new = list(raised(pieces, level, far, kept))
    assert new[0][0] == 0
    assert new[-1][1] == length
    assert all(a[1] == b[0] for a, b in pairwise(new))
    for node in range(length):
        old, higher = at(pieces, node), at(new, node)
        nearby = range(max(0, node - far), min(length, node + far + 1))
        assert higher >= old
        if node < kept or any(at(pieces, other) > level for other in nearby):
            assert higher == old


@given(profiles, st.integers(1, 9), st.integers(0, 20), st.integers(1, 20))
def test_merging_and_cutting(
    profile: list[tuple[int, Fraction]], nodes: int, start: int, size: int
) -> None:
    pieces = laid(profile)
    length = pieces[-1][1]
    new = list(merged(pieces, nodes))
    assert all(at(new, node) >= at(pieces, node) for node in range(length))
    assert max(loss for _, _, loss in new) == max(loss for _, _, loss in pieces)
    part = list(cut(pieces, start, start + size))
    assert [at(part, node) for node in range(part[-1][1] if part else 0)] == [
        at(pieces, node) for node in range(start, min(length, start + size))
    ]
    assert walked(pieces, 3) == sum(min(3, count) for count, _ in profile)


def test_the_busiest_node_is_in_the_middle_of_what_is_lost() -> None:
    assert busiest([(0, 100, F(1)), (100, 110, F(2)), (110, 200, F(1))], 10) in range(100, 110)
    assert busiest([(0, 5, F(3)), (5, 300, F(1)), (300, 400, F(2))], 50) in range(300, 400)


@pytest.mark.parametrize("name", [*CHAINS])
def test_many_gains_at_once_are_the_steps_of_each(name: str) -> None:
    kernel = CHAINS[name].transition
    size = len(kernel)
    draw = np.random.default_rng(7)
    gains = 1 + draw.random((9, size, size)) * np.linspace(0.01, 20, 9)[:, None, None]
    gains[:, np.arange(size), np.arange(size)] = 1.0
    seed = LinearStep(kernel)
    seed.improve(gains[4])
    together = seed.copies(9)
    together.improve(gains)
    found = together.step(gains)
    # And again, with other gains for each: forests are mended, every one as it would be alone.
    together.improve(gains[::-1].copy())
    backward = together.step(gains[::-1].copy())[::-1]
    for number, each in enumerate(gains):
        alone = LinearStep(kernel)
        alone.improve(gains[4])
        alone.improve(each)
        assert found[number] == pytest.approx(alone.step(each), rel=1e-9)
        other = LinearStep(kernel)
        other.improve(gains[4])
        other.improve(gains[len(gains) - 1 - number])
        other.improve(each)
        assert backward[number] == pytest.approx(other.step(each), rel=1e-9)
