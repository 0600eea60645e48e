"""Propagated epsilons against expected values, exact rationals and all mechanisms there are."""

import json
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import linprog

from privet.chains import ChainBox, MarkovChain
from privet.chains.propagation import (
    Propagation,
    propagated_epsilon,
    propagated_epsilon_of_box,
    propagated_scale,
    sweep,
)
from privet.chains.propagation.reference import reference_epsilon
from privet.errors import ModelError, ParameterError

F = Fraction
GOLDEN = Path(__file__).parents[3] / "golden" / "quilt.json"
CASES = json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]
Pieces = list[tuple[int, int, Fraction]]


def single(losses: list[Fraction]) -> Pieces:
    return [(node, node + 1, loss) for node, loss in enumerate(losses)]


def binary(keep: str, other: str | None = None, first: Any = None) -> MarkovChain:
    p, q = F(keep), F(other or keep)
    law = first or [(1 - q) / (2 - p - q), (1 - p) / (2 - p - q)]
    return MarkovChain(law, [[p, 1 - p], [1 - q, q]])


def least_epsilon(chain: MarkovChain, losses: list[Fraction]) -> float:
    """The largest log-ratio over all mechanisms with these losses, by a linear programme.

    Variables: f(x) = P(o | x) for each word x, with f(x) <= e^(loss of the difference) f(y).
    """
    size, length = len(chain.states), len(losses)
    words = list(product(range(size), repeat=length))
    prob = np.array(
        [
            chain.initial[w[0]] * np.prod([chain.transition[step] for step in pairwise(w)])
            for w in words
        ]
    )
    rows = []
    for (i, v), (j, w) in product(enumerate(words), repeat=2):
        places = [t for t in range(length) if v[t] != w[t]]
        if len(places) == 1:
            row = np.zeros(len(words))
            row[i], row[j] = 1.0, -np.exp(float(losses[places[0]]))
            rows.append(row)
    worst = 0.0
    for node in range(length):
        laws = [np.where([w[node] == s for w in words], prob, 0.0) for s in range(size)]
        for a, b in product(laws, repeat=2):
            if a is not b and a.sum() and b.sum():
                found = linprog(
                    -a / a.sum(),
                    A_ub=np.array(rows),
                    b_ub=np.zeros(len(rows)),
                    A_eq=[b / b.sum()],
                    b_eq=[1.0],
                )
                worst = max(worst, float(np.log(-float(found.fun or 0))))
    return worst


@pytest.mark.parametrize("number", range(len(CASES)))
def test_expected_values(number: int) -> None:
    case = CASES[number]
    losses = single([F(value) for value in case["record_loss"]])
    epsilon = max(
        float(propagated_epsilon(MarkovChain(**theta), "given", losses).epsilon)
        for theta in case["theta"]
    )
    assert epsilon == pytest.approx(float(case["propagation_epsilon"]), abs=1e-9)
    assert epsilon >= float(case["least_epsilon"]) - 1e-7


def chain_of(rng: np.random.Generator, size: int, zeros: bool) -> MarkovChain:
    def law() -> list[Fraction]:
        while True:
            row = [int(x) for x in rng.integers(0 if zeros else 1, 8, size)]
            if sum(row):
                return [F(x, sum(row)) for x in row]

    return MarkovChain(law(), [law() for _ in range(size)])


@pytest.mark.parametrize("seed", range(40))
def test_never_below_exact_rationals_and_hardly_above(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = int(rng.choice([2, 3, 3, 4]))
    length = 3 if size == 4 else int(rng.integers(1, 7))
    chain = chain_of(rng, size, seed % 2 == 0)
    losses = [F(int(x), 4) for x in rng.integers(0, 9, length)]
    try:
        chain.stationary()
        starts: list[Any] = ["given", "stationary"]
    except ModelError:
        starts = ["given"]
    for initial in starts:
        exact = reference_epsilon(chain, initial, losses)
        found = propagated_epsilon(chain, initial, single(losses)).epsilon
        if exact == 0:
            assert found <= max(losses)  # no two states to tell apart: the node itself is charged
        else:
            assert -F(1, 10**30) <= found - exact <= F(1, 10**11)
        if initial == "given":
            anyhow = propagated_epsilon(chain, "any", single(losses)).epsilon
            assert anyhow >= exact - F(1, 10**30)


@pytest.mark.parametrize(("size", "length"), [(2, 1), (2, 2), (2, 3), (2, 4), (3, 3)])
@pytest.mark.parametrize("seed", range(3))
def test_all_mechanisms_on_short_chains(size: int, length: int, seed: int) -> None:
    rng = np.random.default_rng(100 * length + seed)
    chain = chain_of(rng, size, zeros=False)
    losses = [F(int(x), 4) for x in rng.integers(0, 7, length)]
    least = least_epsilon(chain, losses)
    found = float(propagated_epsilon(chain, "given", single(losses)).epsilon)
    assert found >= least - 1e-7
    if size == 2:
        assert found == pytest.approx(least, abs=1e-7)  # on two states it is exact


@pytest.mark.parametrize("seed", range(6))
def test_any_start_covers_every_start(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.dirichlet(np.ones(3), size=3)
    losses: Pieces = [(0, 30, F(1, 5))]
    bound = propagated_epsilon(MarkovChain([1 / 3] * 3, rows), "any", losses).epsilon
    for _ in range(20):
        start = rng.dirichlet(np.full(3, rng.choice([0.05, 1.0])))
        chain = MarkovChain(np.maximum(start, 1e-12), rows) if start.min() > 1e-12 else None
        if chain is not None:
            assert propagated_epsilon(chain, "given", losses).epsilon <= bound


def test_two_nodes_of_any_start_are_exact() -> None:
    # The law of the first node is free, and the closed form is the supremum itself.
    chain = binary("0.9", "0.7")
    losses = single([F(1), F(1, 2)])
    bound = float(propagated_epsilon(chain, "any", losses).epsilon)
    best = max(
        float(
            propagated_epsilon(
                binary("0.9", "0.7", [F(n, 2000), 1 - F(n, 2000)]), "given", losses
            ).epsilon
        )
        for n in range(1, 2000, 7)
    )
    assert best <= bound + 1e-12
    assert best == pytest.approx(bound, abs=1e-4)


STARTS = [
    ("stationary", None),
    ("given", [F(1), F(0)]),
    ("given", [F(1, 3), F(2, 3)]),
    ("any", None),
]


@pytest.mark.parametrize(("initial", "first"), STARTS)
@pytest.mark.parametrize(
    "values",
    [
        [(0, 300, F(1, 4))],
        [(0, 100, F(0)), (100, 180, F(1, 2)), (180, 300, F(0))],
        [(0, 120, F(1, 2)), (120, 170, F(1, 100)), (170, 300, F(1, 3))],
        [(0, 1, F(3)), (1, 300, F(1, 20))],
    ],
)
def test_jumping_is_walking(
    initial: Any, first: Any, values: Pieces, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = binary("0.8", "0.7", first)
    jumped = propagated_epsilon(chain, initial, values).epsilon
    monkeypatch.setattr(sweep, "_SHORT", 10**9)
    monkeypatch.setattr(sweep, "_STILL", -1.0)
    walked = propagated_epsilon(chain, initial, values).epsilon
    assert jumped >= walked - F(1, 10**12)
    assert jumped <= walked + F(1, 10**9)


def test_a_walk_cut_short_is_still_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    chain, losses = binary("0.99"), [(0, 200, F(1, 90))]
    walked = propagated_epsilon(chain, "stationary", losses).epsilon
    monkeypatch.setattr(sweep, "_MOST_NODES", 20)
    monkeypatch.setattr(sweep, "_WORK", 0)
    short = propagated_epsilon(chain, "stationary", losses).epsilon
    assert walked <= short < F(200, 90)


@pytest.mark.parametrize(
    "chain",
    [
        MarkovChain(["1/2", "1/2"], [[1, 0], [0, 1]]),
        MarkovChain([1, 0, 0], [[0, 1, 0], [0, 0, 1], [1, 0, 0]]),
        MarkovChain(["1/3", "1/3", "1/3"], [[0, 1, 0], [0, 0, 1], [1, 0, 0]]),
        MarkovChain([1, 0], [["1/2", "1/2"], [0, 1]]),
        MarkovChain([1, 0, 0], [["1/2", "1/4", "1/4"], [0, 1, 0], [0, 0, 1]]),
        MarkovChain(["1/2", "1/4", "1/4"], [[0, "1/2", "1/2"], [1, 0, 0], [1, 0, 0]]),
    ],
)
@pytest.mark.parametrize("initial", ["given", "any"])
def test_chains_that_never_mix_stay_within_the_sum(chain: MarkovChain, initial: Any) -> None:
    short = [F(1, 4), F(1, 2), F(0), F(1, 4), F(1, 8)]
    exact = reference_epsilon(chain, "given", short)
    found = propagated_epsilon(chain, initial, single(short)).epsilon
    assert exact - F(1, 10**30) <= found <= sum(short)
    if initial == "given" and exact:
        assert found - exact <= F(1, 10**11)
    long = propagated_epsilon(chain, initial, [(0, 3000, F(1, 100))])
    assert F(1, 100) <= long.epsilon <= 30


def test_a_chain_that_stays_where_it_is_costs_the_sum() -> None:
    chain = MarkovChain(["1/2", "1/2"], [[1, 0], [0, 1]])
    bound = propagated_epsilon(chain, "given", [(0, 10**6, F(1, 10))])
    assert bound.epsilon == 10**5
    assert propagated_epsilon(chain, "given", [(0, 40, F(1, 10))]).epsilon == 4


@pytest.mark.parametrize("loss", [F(30), F(1000), F(10**6)])
@pytest.mark.parametrize("initial", ["given", "stationary", "any"])
def test_huge_losses_neither_overflow_nor_understate(loss: Fraction, initial: Any) -> None:
    chain = binary("0.75", "0.5")
    bound = propagated_epsilon(chain, initial, [(0, 50, loss)])
    # A node is then known: what its neighbours say about it is their likelihood ratio.
    limit = float(loss) + 2 * np.log(2.0) + (0 if initial != "any" else np.log(3.0))
    assert loss <= bound.epsilon
    assert float(bound.epsilon) <= limit + 1e-6
    absorbing = MarkovChain([1, 0], [["1/2", "1/2"], [0, 1]])
    assert loss <= propagated_epsilon(absorbing, "given", [(0, 50, loss)]).epsilon <= 50 * loss


def test_one_node_and_no_loss() -> None:
    assert propagated_epsilon(binary("0.9"), "given", [(0, 1, F(5, 7))]).epsilon == F(5, 7)
    nothing = propagated_epsilon(binary("0.9"), "any", [(0, 10**6, F(0))])
    assert nothing.epsilon == 0
    assert not np.isnan([nothing.left, nothing.right]).any()


def test_nodes_beside_a_segment_are_secrets_too() -> None:
    chain = binary("0.9")
    losses: Pieces = [(0, 50, F(0)), (50, 60, F(1, 10)), (60, 100, F(0))]
    bound = propagated_epsilon(chain, "stationary", losses)
    assert 50 <= bound.node < 60
    alone = propagated_epsilon(chain, "stationary", [(0, 10, F(1, 10))])
    assert float(bound.epsilon) == pytest.approx(float(alone.epsilon), abs=1e-11)
    # With the loss on two nodes far apart, a node of no loss between them can be the worst.
    lone: Pieces = [(0, 1, F(3)), (1, 2, F(0)), (2, 3, F(3))]
    middle = propagated_epsilon(chain, "stationary", lone)
    assert middle.epsilon >= reference_epsilon(chain, "stationary", [F(3), F(0), F(3)])
    assert middle.node in (0, 1, 2)


def test_independent_nodes_cost_the_largest_loss() -> None:
    chain = MarkovChain(["1/3", "2/3"], [["1/3", "2/3"], ["1/3", "2/3"]])
    for initial in ("given", "stationary", "any"):
        found = propagated_epsilon(chain, initial, [(0, 9, F(1)), (9, 10**6, F(1, 2))])
        assert 1 <= found.epsilon < 1 + F(1, 10**10)


def test_small_losses_grow_by_one_plus_and_minus_the_second_eigenvalue() -> None:
    for keep in ("0.6", "0.8", "0.9"):
        second = 2 * float(keep) - 1
        found = propagated_epsilon(binary(keep), "stationary", [(0, 10**6, F(1, 10**5))])
        expected = 1e-5 * (1 + second) / (1 - second)
        assert float(found.epsilon) == pytest.approx(expected, rel=1e-5)


def test_the_invariant_start_is_the_stationary_one() -> None:
    chain = binary("0.8", "0.6")
    losses: Pieces = [(0, 10, F(1, 3)), (10, 2000, F(1, 7))]
    assert Propagation(chain, "given").bound(losses) == Propagation(chain, "stationary").bound(
        losses
    )


def test_gaps_and_negative_losses_are_refused() -> None:
    for pieces in ([], [(1, 2, F(1))], [(0, 1, F(1)), (2, 3, F(1))], [(0, 1, F(-1))]):
        with pytest.raises(ParameterError):
            propagated_epsilon(binary("0.8"), "given", pieces)
    two = MarkovChain(["1/2", "1/2"], [[1, 0], [0, 1]])
    with pytest.raises(ModelError, match="closed classes"):
        propagated_epsilon(two, "stationary", [(0, 2, F(1))])


class Between:
    def __init__(self, centre: npt.ArrayLike, width: float) -> None:
        self.lower = np.asarray(centre) - width
        self.upper = np.asarray(centre) + width


def test_a_box_covers_its_chains_and_is_monotone() -> None:
    rng = np.random.default_rng(4)
    centre = rng.dirichlet(np.full(3, 4.0), size=3)
    losses: Pieces = [(0, 40, F(1, 6))]
    narrow = propagated_epsilon_of_box(Between(centre, 0.01), losses).epsilon
    wide = propagated_epsilon_of_box(Between(centre, 0.03), losses).epsilon
    assert narrow < wide < F(40, 6)
    for _ in range(10):
        rows = centre + rng.uniform(-0.005, 0.005, (3, 3))
        chain = MarkovChain(rng.dirichlet(np.ones(3)), rows / rows.sum(axis=1, keepdims=True))
        for initial in ("given", "any"):
            assert propagated_epsilon(chain, initial, losses).epsilon <= narrow


def test_a_box_with_possible_zeros_gives_the_sum() -> None:
    box = Between([[0.75, 0.25], [0.25, 0.75]], 0.25)
    assert propagated_epsilon_of_box(box, [(0, 50, F(1, 50))]).epsilon == 1


def test_scales_of_binary_chains() -> None:
    for keep, expected in [("0.6", 1.47), ("0.8", 3.85), ("0.9", 8.64)]:
        scale, bound = propagated_scale(binary(keep), "stationary", [(0, 1461, F(1))], F(1))
        assert float(scale) == pytest.approx(expected, abs=0.005)
        assert bound.epsilon <= 1


def randomised_response_epsilon(first: npt.NDArray[Any], rows: Any, losses: list[float]) -> float:
    """log P(all answers 0 | X_last = 0) / P(.. | X_last = 1), states 0 and 1 answered truly or not.

    Other states answer 0 as if they were state 0.
    """
    seen = np.array(first, np.longdouble)
    law = seen.copy()
    for loss in losses[:-1]:
        answer = np.ones(len(seen), np.longdouble)
        answer[1] = np.exp(-np.longdouble(loss))
        seen, law = (seen * answer) @ rows, law @ rows
        total = law.sum()
        seen, law = seen / total, law / total
    return float(losses[-1] + np.log(seen[0] / law[0]) - np.log(seen[1] / law[1]))


BORN_ONCE = [["9/10", "1/10", 0], ["1/10", "9/10", 0], ["1/2", "1/2", 0]]
"""No step leads to the last state."""


@pytest.mark.parametrize("count", [118, 119, 120, 122])
def test_states_that_cannot_occur_are_no_way_round(count: int) -> None:
    rows = np.array([[0.9, 0.1, 0], [0.1, 0.9, 0], [0.5, 0.5, 0]], np.longdouble)
    losses = [0.1] * count + [2.0]
    pieces = [(0, count, Fraction(1, 10)), (count, count + 1, Fraction(2))]
    reached = randomised_response_epsilon(np.array([0.5, 0.5, 0.0]), rows, losses)
    assert reached > 2.386
    chain = MarkovChain(["1/2", "1/2", 0], BORN_ONCE)
    assert propagated_epsilon(chain, "any", pieces).epsilon >= reached


def test_a_walk_cut_short_goes_no_way_round_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.chains.propagation.sweep._MOST_NODES", 40)
    monkeypatch.setattr("privet.chains.propagation.sweep._WORK", 40 * 64)
    tiny = Fraction(1, 2 * 10**13)
    rows: list[list[Any]] = [
        [0, 0, 1 - tiny, tiny],
        [0, 0, tiny, 1 - tiny],
        [1 - tiny, tiny, 0, 0],
        [tiny, 1 - tiny, 0, 0],
    ]
    periodic = MarkovChain(["1/2", "1/2", 0, 0], rows)
    pieces = [
        (0, 30, Fraction(0)),
        (30, 31, Fraction(1)),
        (31, 100, Fraction(0)),
        (100, 101, Fraction(60)),
    ]
    # The first answer tells which half of its class the chain is in, and it hardly ever changes.
    assert propagated_epsilon(periodic, "given", pieces).epsilon > Fraction("60.9999")
    start = MarkovChain(["9/20", "9/20", "1/10"], BORN_ONCE)
    steady = [(0, 303, Fraction(1, 10)), (303, 304, Fraction(2))]
    assert propagated_epsilon(start, "given", steady).epsilon > Fraction("2.3862")


class _SignedBox:
    """A box whose zeros carry a sign, as rounding down can leave them."""

    lower = np.array([[0.6, -0.0], [0.3, 0.3]])
    upper = np.array([[1.0, 0.4], [0.7, 0.7]])


def test_the_sign_of_a_zero_says_nothing() -> None:
    one = [(0, 2, Fraction(1))]
    assert propagated_epsilon_of_box(_SignedBox(), one).epsilon == 2
    box = ChainBox([["0.6", "0"], ["0.3", "0.3"]], [["1", "0.4"], ["0.7", "0.7"]])
    assert not np.signbit(box.lower).any()
    # One chain of the box, both steps answered by randomised response: 1.58.
    assert propagated_epsilon_of_box(box, one).epsilon >= Fraction("1.584")


def test_steps_without_digits_are_not_trusted_beside_huge_losses() -> None:
    tiny = F(1, 10**300)
    chain = MarkovChain(["1/2", "1/2"], [[1 - tiny, tiny], [F(1, 2), F(1, 2)]])
    for initial in ("given", "stationary", "any"):
        huge = propagated_epsilon(chain, initial, [(0, 3, F(400))])
        assert huge.epsilon == 1200
        assert huge.left == huge.right == np.inf
        assert propagated_epsilon(chain, initial, [(0, 3, F(1))]).right < 1
