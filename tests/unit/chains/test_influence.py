"""Max-influence: against oracles and closed forms, and what it refuses."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet.chains import ChainBox, ChainFamily, MarkovChain, influence_curve, max_influence
from privet.errors import ParameterError, ParameterTypeError

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "quilt.json").read_text())["cases"]
SYMMETRIC = MarkovChain(["1/2", "1/2"], [["4/5", "1/5"], ["1/5", "4/5"]])


@pytest.mark.parametrize("case", [case for case in GOLDEN if case["influence"]])
def test_influences_agree_with_the_oracle(case: dict[str, Any]) -> None:
    chains = [MarkovChain(theta["initial"], theta["transition"]) for theta in case["theta"]]
    for entry in case["influence"]:
        found = max_influence(ChainFamily(chains), case["length"], entry["node"], entry["quilt"])
        expected = float(entry["value"])
        if math.isinf(expected) or expected == 0:
            assert found == expected
        else:
            assert expected * (1 - 1e-15) <= found <= expected * (1 + 1e-9)


def test_a_symmetric_chain_has_a_closed_form() -> None:
    # With second eigenvalue l, P^t is ((1 + l^t) / 2, (1 - l^t) / 2): one side log of their ratio.
    def side(t: int) -> float:
        return math.log((1 + 0.6**t) / (1 - 0.6**t))

    family = ChainFamily(SYMMETRIC, "stationary")
    assert max_influence(family, 50, 20, [25]) == pytest.approx(side(5), rel=1e-12)
    assert max_influence(family, 50, 20, [17, 25]) == pytest.approx(side(3) + side(5), rel=1e-12)
    # Far away the influence is tiny and keeps its digits.
    assert max_influence(family, 200, 100, [0]) == pytest.approx(2 * 0.6**100, rel=1e-12)


def test_farther_nodes_of_a_quilt_do_not_matter() -> None:
    family = ChainFamily(SYMMETRIC, "any")
    near = max_influence(family, 30, 10, [7, 12])
    assert max_influence(family, 30, 10, [1, 3, 7, 12, 20, 29]) == near
    assert max_influence(family, 30, 10, (n for n in (12, 7, 7))) == near
    assert max_influence(family, 30, 10, []) == 0


def test_independent_nodes_have_no_influence_at_all() -> None:
    row = ["1/7", "2/7", "4/7"]
    chain = MarkovChain(["1/3", "1/3", "1/3"], [row, row, row])
    for initial in ("given", "stationary", "any"):
        assert max_influence(ChainFamily(chain, initial), 40, 20, [3, 33]) == 0


def test_what_can_be_excluded_has_infinite_influence() -> None:
    chain = MarkovChain(["1/2", "1/2"], [["1/2", "1/2"], [0, 1]])
    assert max_influence(ChainFamily(chain), 9, 4, [5]) == math.inf
    assert max_influence(ChainFamily(chain), 9, 4, [0]) == math.inf


def test_every_start_is_worse_than_each_of_them() -> None:
    steps = [["1/2", "1/3", "1/6"], ["1/5", "1/5", "3/5"], ["1/4", "1/4", "1/2"]]
    total = max_influence(ChainFamily(MarkovChain([1, 0, 0], steps), "any"), 9, 3, [1, 6])
    rng = np.random.default_rng(2)
    found = []
    for _ in range(40):
        weights = [Fraction(int(n)) ** 6 for n in rng.integers(1, 60, 3)]
        start = [weight / sum(weights) for weight in weights]
        found.append(max_influence(ChainFamily(MarkovChain(start, steps)), 9, 3, [1, 6]))
    assert max(found) <= total
    tiny = Fraction(1, 10**12)
    corners = [[1 - 2 * tiny if x == s else tiny for x in range(3)] for s in range(3)]
    nearly = [max_influence(ChainFamily(MarkovChain(c, steps)), 9, 3, [1, 6]) for c in corners]
    assert max(nearly) == pytest.approx(total, rel=1e-9)


def test_a_family_has_the_largest_influence_of_its_chains() -> None:
    other = MarkovChain(["1/2", "1/2"], [["1/2", "1/2"], ["1/3", "2/3"]])
    both = max_influence(ChainFamily([SYMMETRIC, other]), 9, 4, [3, 6])
    assert both == max(max_influence(chain, 9, 4, [3, 6]) for chain in (SYMMETRIC, other))


def test_floats_stand_for_themselves() -> None:
    floats = MarkovChain([0.5, 0.5], [[0.8, 0.2], [0.2, 0.8]])
    assert max_influence(floats, 9, 4, [6]) == pytest.approx(
        max_influence(SYMMETRIC, 9, 4, [6]), rel=1e-14
    )


def test_the_curve_falls_and_is_that_of_the_middle_node() -> None:
    curve = influence_curve(SYMMETRIC, "stationary", 101, [1, 2, 5, 20, 50])
    assert curve == sorted(curve, reverse=True)
    assert curve[2] == max_influence(ChainFamily(SYMMETRIC, "stationary"), 101, 50, [45, 55])
    # Beyond the right end only the left part is left.
    assert influence_curve(SYMMETRIC, "any", 4, [2]) == [
        max_influence(ChainFamily(SYMMETRIC, "any"), 4, 2, [0])
    ]
    box = ChainBox([["0.7", "0.1"], ["0.1", "0.7"]], [["0.9", "0.3"], ["0.3", "0.9"]])
    assert influence_curve(box, "any", 101, [3]) == [max_influence(box, 101, 50, [47, 53])]


def test_nodes_out_of_range_are_refused() -> None:
    with pytest.raises(ParameterError, match="beyond the last of 5 nodes"):
        max_influence(SYMMETRIC, 5, 5, [0])
    for quilt in ([2], [5], [0, 2]):
        with pytest.raises(ParameterError, match="other nodes of the series"):
            max_influence(SYMMETRIC, 5, 2, quilt)
    with pytest.raises(ParameterError, match="at least 0"):
        max_influence(SYMMETRIC, 5, 2, [-1])
    with pytest.raises(ParameterTypeError):
        max_influence(SYMMETRIC, 5, 2, [0.5])  # type: ignore[list-item]  # on purpose
