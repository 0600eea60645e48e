"""Boxes of chains: their bound against the chains in them, and confidence regions."""

import json
import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from privet.chains import ChainBox, ChainFamily, MarkovChain, max_influence, quilt_scale
from privet.chains.box_words import interval
from privet.errors import ModelError, ParameterError, ParameterTypeError
from privet.randomness import using_source
from privet.symbols import Alphabet, Words
from privet.testing import ReplaySource

BOX = ChainBox(
    [["0.5", "0.1", "0.1"], ["0.2", "0.3", "0.1"], ["0.1", "0.1", "0.6"]],
    [["0.8", "0.3", "0.2"], ["0.5", "0.6", "0.3"], ["0.2", "0.2", "0.8"]],
    ["a", "b", "c"],
)


def members(box: ChainBox, count: int, seed: int) -> list[list[list[Fraction]]]:
    """Transition matrices of the box, at its corners where the rows' sums allow it."""
    rng = np.random.default_rng(seed)
    matrices = []
    for _ in range(count):
        rows = []
        for low, high in zip(box.lower, box.upper, strict=True):
            row = [Fraction(float(x)) for x in low]
            for place in rng.permutation(len(row)).tolist():
                row[place] += min(Fraction(float(high[place])) - row[place], 1 - sum(row))
            rows.append(row)
        matrices.append(rows)
    return matrices


def times(a: list[list[Fraction]], b: list[list[Fraction]]) -> list[list[Fraction]]:
    return [
        [
            sum((p * q for p, q in zip(row, col, strict=True)), Fraction(0))
            for col in zip(*b, strict=True)
        ]
        for row in a
    ]


def test_a_part_covers_all_products_of_chains_in_the_box() -> None:
    matrices = members(BOX, 60, 1)
    for distance in (1, 2, 3, 4):
        worst = 0.0
        for start in range(0, 60 - distance, distance):
            power = matrices[start]
            for step in matrices[start + 1 : start + distance]:
                power = times(power, step)
            # To the right two rows, to the left two columns, against every law of the node.
            for x, y in product(range(3), repeat=2):
                right = max(math.log(power[x][z] / power[y][z]) for z in range(3))
                ratios = [math.log(power[u][x] / power[u][y]) for u in range(3)]
                worst = max(worst, right, max(ratios) - min(ratios))
        assert 0 < worst <= BOX.influence(distance)


def test_both_parts_cover_a_chain_that_changes_with_time() -> None:
    one, two, three, four = members(BOX, 4, 7)
    first = [Fraction(1, 100), Fraction(1, 50), Fraction(97, 100)]
    joint = {
        (u, x, z): first[u] * times(one, two)[u][x] * times(three, four)[x][z]
        for u, x, z in product(range(3), repeat=3)
    }
    law = [sum(joint[u, x, z] for u, z in product(range(3), repeat=2)) for x in range(3)]
    worst = max(
        math.log(joint[u, x, z] / law[x] / (joint[u, y, z] / law[y]))
        for u, x, y, z in product(range(3), repeat=4)
    )
    assert 0 < worst <= max_influence(BOX, 5, 2, [0, 4]) <= 2 * BOX.influence(2) * (1 + 1e-15)


def test_the_diameter_is_the_largest_cross_ratio_in_the_box() -> None:
    # A box of one chain: the definition itself.
    steps = [["0.7", "0.2", "0.1"], ["0.3", "0.5", "0.2"], ["0.15", "0.15", "0.7"]]
    single = ChainBox(steps, steps)
    exact = [[Fraction(x) for x in row] for row in steps]
    largest = max(
        exact[x][y] * exact[v][w] / (exact[v][y] * exact[x][w])
        for x, v, y, w in product(range(3), repeat=4)
    )
    assert math.log(largest) <= single.diameter <= math.log(largest) + 1e-13
    reached = 0.0
    for rows in members(BOX, 200, 3):
        for x, v, y, w in product(range(3), repeat=4):
            cross = rows[x][y] * rows[v][w] / (rows[v][y] * rows[x][w])
            reached = max(reached, math.log(cross))
    assert 0.95 * BOX.diameter < reached <= BOX.diameter


def test_rows_that_have_to_sum_to_one_sharpen_the_bounds() -> None:
    loose = ChainBox([[0, "0.4"], ["0.4", 0]], [["0.6", 1], [1, "0.6"]])
    assert loose.diameter == math.inf
    assert ChainBox([["0.3", 0], [0, "0.3"]], [["0.6", 1], [1, "0.6"]]).diameter < math.inf
    low, high = ChainBox([["0.3", 0], [0, "0.3"]], [["0.6", 1], [1, "0.6"]]).sharpened
    assert low[0, 1] == pytest.approx(0.4)
    assert low[0, 1] <= 0.4
    assert high[0, 1] == pytest.approx(0.7)


def test_a_chain_in_the_box_never_needs_more_noise() -> None:
    scale = quilt_scale(BOX, "any", 1000, 1).scale
    for rows in members(BOX, 5, 11):
        chain = MarkovChain(["1/3", "1/3", "1/3"], rows)
        assert quilt_scale(chain, "any", 1000, 1).scale <= scale
        exact = max_influence(ChainFamily(chain, "any"), 1000, 500, [490, 503])
        assert exact <= max_influence(BOX, 1000, 500, [490, 503])
    assert scale < 1000


def test_a_step_that_may_be_impossible_leaves_only_group_privacy() -> None:
    box = ChainBox([[0, "0.1"], ["0.1", "0.1"]], [["0.9", 1], ["0.9", "0.9"]])
    assert max_influence(box, 9, 4, [3]) == math.inf
    found = quilt_scale(box, "any", 50, 1)
    assert found.scale == 50
    assert found.is_group


def test_an_interval_ends_just_outside_its_condition() -> None:
    for hits, trials in ((0, 5), (1, 5), (3, 4), (7, 7), (40, 1000)):
        alpha = Fraction(1, 80)
        beta = Fraction(
            math.factorial(hits) * math.factorial(trials - hits), math.factorial(trials + 1)
        )

        def holds(
            p: Fraction, n: int = hits, m: int = trials, level: Fraction = alpha * beta
        ) -> bool:
            return p**n * (1 - p) ** (m - n) > level

        low, high = interval(hits, trials, alpha)
        step = Fraction(1, 1 << 38)
        assert low <= Fraction(hits, trials) <= high
        assert not holds(low) or low == 0
        assert not holds(high) or high == 1
        assert holds(low + step)
        assert holds(high - step)
    assert interval(0, 0, Fraction(1, 20)) == (Fraction(0), Fraction(1))


def test_the_mixture_behind_an_interval_is_a_fair_game() -> None:
    p = Fraction(3, 11)
    for trials in range(1, 9):
        mean = Fraction(0)
        for hits in range(trials + 1):
            beta = Fraction(
                math.factorial(hits) * math.factorial(trials - hits), math.factorial(trials + 1)
            )
            mean += math.comb(trials, hits) * beta  # times p^hits (1-p)^misses over the same
        assert mean == 1
    assert p < 1


def test_a_region_of_words_holds_their_chain_and_shrinks() -> None:
    chain = MarkovChain(["1/2", "1/2"], [["4/5", "1/5"], ["2/5", "3/5"]], ["a", "b"])
    with using_source(ReplaySource(1)):
        few, many = (chain.sample_words(20, length) for length in (30, 3000))
    wide, narrow = ChainBox.from_words(few), ChainBox.from_words(many, confidence="0.99")
    assert narrow.confidence == Fraction(99, 100)
    assert (narrow.upper - narrow.lower).max() < 0.05 < (wide.upper - wide.lower).max()
    assert narrow.diameter < wide.diameter
    assert repr(narrow) == "ChainBox(2 states, confidence 0.99: a, b)"
    never = Words.from_lists(Alphabet(["a", "b"]), [list("aaaabab")])
    assert ChainBox.from_words(never).diameter == math.inf
    with pytest.raises(ParameterTypeError):
        ChainBox.from_words(["ab"])  # type: ignore[arg-type]  # on purpose


def test_a_box_survives_json_and_another_order() -> None:
    again = ChainBox.from_json(json.loads(json.dumps(BOX.to_json())))
    assert again == BOX
    assert hash(again) == hash(BOX)
    turned = BOX.in_order_of(Alphabet(["c", "a", "b"]))
    assert turned != BOX
    assert turned.lower[0, 1] == BOX.lower[2, 0]
    assert turned.diameter == pytest.approx(BOX.diameter)
    with pytest.raises(ModelError, match="other states"):
        BOX.in_order_of(Alphabet(["a", "b", "d"]))
    region = ChainBox([["0.5", "0.1"]] * 2, [["0.9", "0.5"]] * 2, confidence="0.9")
    assert ChainBox.from_json(json.loads(json.dumps(region.to_json()))) == region


def test_floats_are_read_as_their_decimals_and_kept_outward() -> None:
    box = ChainBox(np.array([[0.1, 0.7], [0.3, 0.3]]), [[0.3, 0.9], [0.7, 0.7]])
    assert Fraction(float(box.lower[0, 0])) <= Fraction(1, 10)
    assert Fraction(float(box.upper[0, 1])) >= Fraction(9, 10)
    with pytest.raises(ValueError, match="read-only"):
        box.lower[0, 0] = 0


def test_boxes_that_hold_no_chain_are_refused() -> None:
    with pytest.raises(ModelError, match=r"Row 1 .* not in order"):
        ChainBox([["0.5", "0.1"], ["0.5", "0.1"]], [["0.9", "0.5"], ["0.4", "0.9"]])
    with pytest.raises(ModelError, match=r"Row 0 .* sum to 1"):
        ChainBox([["0.5", "0.6"], ["0.5", "0.1"]], [["0.9", "0.6"], ["0.9", "0.9"]])
    with pytest.raises(ModelError, match=r"Row 0 .* sum to 1"):
        ChainBox([["0.1", "0.1"]] * 2, [["0.4", "0.4"]] * 2)
    with pytest.raises(ModelError, match="3 entries for 2 states"):
        ChainBox([["0.5", "0.1", 0], ["0.5", "0.1"]], [["0.9", "0.5"], ["0.9", "0.9"]])
    with pytest.raises(ModelError, match="no finite number"):
        ChainBox([["0.5", math.nan], ["0.5", "0.1"]], [["0.9", "0.5"], ["0.9", "0.9"]])
    with pytest.raises(ModelError, match="2 rows, the upper ones 3"):
        ChainBox([["0.1", "0.1"]] * 2, [["0.4", "0.4", "0.4"]] * 3)
    with pytest.raises(ParameterError, match="confidence"):
        ChainBox([["0.1", "0.1"]] * 2, [["0.9", "0.9"]] * 2, confidence=1)
