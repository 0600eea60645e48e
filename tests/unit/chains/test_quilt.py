"""Noise scales and epsilons by quilts: against oracles, published numbers and enumeration."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet import datasets
from privet.chains import (
    ChainBox,
    ChainFamily,
    MarkovChain,
    approximate_quilt_scale,
    max_influence,
    published_quilt_scale,
    quilt_epsilon,
    quilt_scale,
    quilt_scale_for,
)
from privet.chains.marginals import Initial
from privet.chains.quilt.reference import Reference
from privet.errors import DataError, ModelError, ParameterError
from privet.privacy import RecordLoss

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "quilt.json").read_text())["cases"]
CLOSE = 1 + Fraction(1, 10**9)


def chains_of(case: dict[str, Any]) -> list[MarkovChain]:
    return [MarkovChain(theta["initial"], theta["transition"]) for theta in case["theta"]]


def binary(first: str, second: str) -> MarkovChain:
    p, q = Fraction(first), Fraction(second)
    return MarkovChain(["1/2", "1/2"], [[p, 1 - p], [1 - q, q]])


def sticky(size: int, stay: float) -> MarkovChain:
    places = np.arange(size)
    steps = np.exp(-np.abs(places[:, None] - places[None, :]) / 3.0)
    np.fill_diagonal(steps, 0)
    steps = (1 - stay) * steps / steps.sum(axis=1, keepdims=True)
    np.fill_diagonal(steps, stay)
    return MarkovChain(np.eye(size)[0], steps)


def assert_just_above(value: Fraction, expected: str) -> None:
    """Not below the decimals, which are rounded to 18 digits or to a double, and 1e-9 near."""
    exact = Fraction(expected)
    assert exact * (1 - Fraction(1, 10**15)) <= value <= exact * CLOSE


@pytest.mark.parametrize("case", GOLDEN)
def test_scales_and_epsilons_agree_with_the_oracle(case: dict[str, Any]) -> None:
    chains, length, epsilon = chains_of(case), case["length"], case["epsilon"]
    scale = max(quilt_scale(chain, "given", length, epsilon).scale for chain in chains)
    assert_just_above(scale, case["scale"])
    published = published_quilt_scale(ChainFamily(chains), length, epsilon)
    assert_just_above(published.scale, case["published_scale"])
    pieces = RecordLoss.from_values(case["record_loss"]).pieces
    joint = max(quilt_epsilon(chain, "given", pieces).epsilon for chain in chains)
    assert_just_above(joint, case["joint_quilt_epsilon"])


@pytest.mark.parametrize(
    ("stay", "stationary", "start", "approximate"),
    [
        ("0.5", 1, 1, 8.97),
        ("0.6", 3.57, 3.95, 11.5),
        ("0.8", 13.1, 14.2, 24.0),
        ("0.9", 31.7, 33.6, 49.2),
    ],
)
def test_binary_chains_have_the_published_scales(
    stay: str, stationary: float, start: float, approximate: float
) -> None:
    chain = binary(stay, stay)
    found = [
        quilt_scale(chain, "stationary", 100, 1),
        quilt_scale(chain, "any", 100, 1),
        quilt_scale(chain, "any", 100, 1, "approximate"),
    ]
    expected = [stationary, start, approximate]
    assert [float(each.scale) for each in found] == pytest.approx(expected, rel=5e-3)


def test_the_weather_of_seattle_has_the_known_scale() -> None:
    words = datasets.load("seattle").words()
    chain = MarkovChain.fit(words, pseudocount="1/2")
    found = quilt_scale(chain, "stationary", 1461, 1)
    assert float(found.scale) == pytest.approx(30.65, abs=5e-3)
    assert (found.left, found.right) == (13, 13)
    assert found.nearby == 25


def test_the_answer_says_which_node_and_quilt_decide_it() -> None:
    found = quilt_scale(binary("0.9", "0.9"), "any", 1000, 1)
    distances = [d for d in (found.left, found.right) if d is not None]
    assert distances
    places = ([found.node - found.left] if found.left else []) + (
        [found.node + found.right] if found.right else []
    )
    family = ChainFamily(binary("0.9", "0.9"), "any")
    exact = max_influence(family, 1000, found.node, places)
    assert exact <= found.influence <= exact + 1e-14
    assert found.scale >= found.nearby / (1 - Fraction(exact))
    assert not found.is_group


def test_an_epsilon_too_small_for_any_quilt_means_group_privacy() -> None:
    found = quilt_scale(binary("0.9", "0.9"), "stationary", 20, "0.01")
    assert found.is_group
    assert found.scale == 20 / Fraction("0.01")
    assert found.influence == 0


@pytest.mark.parametrize("initial", ["given", "stationary", "any"])
def test_one_node_needs_the_noise_of_one_node(initial: Initial) -> None:
    chain = binary("0.9", "0.7")
    assert quilt_scale(chain, initial, 1, "1/3").scale == 3
    assert quilt_epsilon(chain, initial, [(0, 1, Fraction(2, 7))]).epsilon == Fraction(2, 7)


@pytest.mark.parametrize("initial", ["stationary", "any"])
def test_a_periodic_chain_gains_nothing_when_all_its_states_are_live(initial: Initial) -> None:
    cycle = MarkovChain([1, 0, 0], [[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    assert quilt_scale(cycle, initial, 10**6, 1).scale == 10**6


def test_a_periodic_chain_from_one_class_is_exact() -> None:
    steps = [[0, 0, "1/2", "1/2"], [0, 0, "1/4", "3/4"], ["1/3", "2/3", 0, 0], ["3/5", "2/5", 0, 0]]
    chain = MarkovChain(["1/5", "4/5", 0, 0], steps)
    short = quilt_scale(chain, "given", 9, 2).scale
    low, high = Reference(chain, "given", 9).scale([Fraction(1)] * 9, Fraction(2))
    assert low <= short <= high * CLOSE
    long = [quilt_scale(chain, "given", length, 2) for length in (10**3, 10**6)]
    assert long[1].scale == pytest.approx(float(long[0].scale), rel=1e-9)
    assert not long[0].is_group


def test_a_reducible_chain_stops_at_the_noise_of_all_nodes() -> None:
    chain = MarkovChain(
        ["1/2", "1/2", 0, 0],
        [["1/2", "1/2", 0, 0], ["1/2", "1/4", "1/4", 0], [0, 0, "1/2", "1/2"], [0, 0, 1, 0]],
    )
    assert quilt_scale(chain, "given", 10**6, 1).scale == 10**6
    assert quilt_scale(chain, "any", 10**6, 1).scale == 10**6
    assert quilt_scale(chain, "stationary", 10**6, 1).scale < 100
    parts = MarkovChain(["1/2", "1/2"], [[1, 0], [0, 1]])
    assert quilt_scale(parts, "given", 1000, 1).scale == 1000
    with pytest.raises(ModelError, match="2 closed classes"):
        quilt_scale(parts, "stationary", 1000, 1)


def test_a_node_whose_value_is_certain_ends_what_is_near() -> None:
    # From state 0 every time; being absorbed or not can be told for ever, but node 0 tells nothing.
    chain = MarkovChain([1, 0, 0], [["1/2", "1/2", 0], [0, 1, 0], [0, 0, 1]])
    assert quilt_scale(chain, "given", 10**5, 1).scale == 10**5 - 1
    certain = MarkovChain([1, 0], [[1, 0], [0, 1]])
    assert quilt_scale(certain, "given", 50, 1).scale == 1


def test_entries_far_below_the_doubles_when_multiplied_keep_their_digits() -> None:
    tiny = Fraction(1, 10**300)
    chain = MarkovChain(
        ["1/3", "1/3", "1/3"],
        [[1 - tiny, tiny, 0], ["1/2", Fraction(1, 2) - tiny, tiny], ["1/2", 0, "1/2"]],
    )
    constants = [Fraction(1)] * 6
    for epsilon in (1, 3, 1000, 3000):
        for initial in ("given", "stationary", "any"):
            low, high = Reference(chain, initial, 6).scale(constants, Fraction(epsilon))
            found = quilt_scale(chain, initial, 6, epsilon).scale
            assert low <= found <= high * CLOSE


@pytest.mark.parametrize("initial", ["given", "stationary", "any"])
def test_the_scale_stops_growing_with_the_length(initial: Initial) -> None:
    chain = sticky(5, 0.7)
    scales = [quilt_scale(chain, initial, 10**n, 1).scale for n in (4, 5, 6)]
    assert scales[0] * (1 - Fraction(1, 10**9)) <= scales[2] <= scales[0] * CLOSE
    assert scales[0] * (1 - Fraction(1, 10**9)) <= scales[1] <= scales[0] * CLOSE


def test_doubles_and_long_doubles_give_the_same_scale() -> None:
    large = sticky(13, 0.6)  # doubles are tried first
    apart = [
        quilt_scale(large, "stationary", 10**4, epsilon).scale for epsilon in (1, "1", "1.0000001")
    ]
    assert apart[0] == apart[1]
    assert apart[2] < apart[0] < apart[2] * (1 + Fraction(1, 10**6))
    # So small an epsilon that the errors of doubles would show.
    assert quilt_scale(large, "stationary", 10**6, "1e-7").scale < 10**13


def test_pieces_with_a_constant_of_one_are_the_plain_scale() -> None:
    chain = binary("0.8", "0.7")
    plain = quilt_scale(chain, "any", 60, 2)
    split = quilt_scale_for(
        chain, "any", [(0, 7, Fraction(1)), (7, 8, Fraction(1)), (8, 60, Fraction(1))], 2
    )
    assert split.scale == pytest.approx(float(plain.scale), rel=1e-10)


def test_losses_at_the_scale_cost_the_epsilon() -> None:
    chain = binary("0.8", "0.7")
    pieces = [
        (0, 10, Fraction(1)),
        (10, 30, Fraction(0)),
        (30, 31, Fraction(5)),
        (31, 90, Fraction(1, 3)),
    ]
    found = quilt_scale_for(chain, "given", pieces, 2).scale
    spent = quilt_epsilon(
        chain, "given", [(start, stop, value / found) for start, stop, value in pieces]
    ).epsilon
    assert Fraction(2) * (1 - Fraction(1, 10**9)) <= spent <= Fraction(2) * CLOSE


def test_very_many_nodes_with_losses_of_their_own() -> None:
    chain = binary("0.7", "0.6")
    rng = np.random.default_rng(5)
    losses = RecordLoss.from_values([Fraction(int(n), 64) for n in rng.integers(0, 9, 10**5)])
    bound = quilt_epsilon(chain, "stationary", losses.pieces)
    window = 20
    start = bound.node - window
    around = [
        (t - start, t - start + 1, value)
        for first, stop, value in losses.pieces
        for t in range(max(first, start), min(stop, bound.node + window))
    ]
    near = quilt_epsilon(chain, "stationary", around)
    assert near.epsilon <= bound.epsilon <= near.epsilon * CLOSE


def test_no_losses_cost_nothing_and_no_constants_need_no_noise() -> None:
    chain = binary("0.8", "0.7")
    assert quilt_epsilon(chain, "any", [(0, 50, Fraction(0))]).epsilon == 0
    assert quilt_scale_for(chain, "any", [(0, 50, Fraction(0))], 1).scale == 0


def test_a_family_costs_its_worst_chain_and_never_more_than_published() -> None:
    family = ChainFamily([binary("0.9", "0.6"), binary("0.6", "0.9"), binary("0.8", "0.8")], "any")
    worst = max(quilt_scale(chain, "any", 200, 2).scale for chain in family.chains)
    assert worst <= published_quilt_scale(family, 200, 2).scale


def test_the_approximate_scale_of_a_family_takes_its_worst_numbers() -> None:
    chains = [binary("0.9", "0.6"), binary("0.5", "0.5")]
    together = approximate_quilt_scale(chains, 500, 1).scale
    apart = [approximate_quilt_scale([chain], 500, 1).scale for chain in chains]
    assert together >= max(apart)


def test_arguments_out_of_range_are_refused() -> None:
    chain = binary("0.8", "0.7")
    with pytest.raises(ParameterError, match="length must be at least 1"):
        quilt_scale(chain, "any", 0, 1)
    with pytest.raises(ParameterError, match="epsilon"):
        quilt_scale(chain, "any", 5, 0)
    with pytest.raises(ParameterError, match="no method 'best'"):
        quilt_scale(chain, "any", 5, 1, "best")  # type: ignore[arg-type]  # on purpose
    with pytest.raises(ParameterError, match="kind of start 'first'"):
        quilt_scale(chain, "first", 5, 1)  # type: ignore[arg-type]  # on purpose
    with pytest.raises(DataError, match="no nodes"):
        quilt_epsilon(chain, "any", [])
    with pytest.raises(DataError, match="without gaps"):
        quilt_epsilon(chain, "any", [(0, 2, Fraction(1)), (3, 4, Fraction(1))])
    with pytest.raises(ParameterError, match="cannot be negative"):
        quilt_epsilon(chain, "any", [(0, 2, Fraction(-1))])
    with pytest.raises(ParameterError, match="any start"):
        quilt_scale(ChainBox([["0.1", "0.1"]] * 2, [["0.9", "0.9"]] * 2), "given", 5, 1)
