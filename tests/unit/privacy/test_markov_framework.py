"""Pufferfish on Markov chains: which bound counts, what is assumed, which words are refused."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet.chains import ChainBox, ChainFamily, MarkovChain, quilt_epsilon, quilt_scale
from privet.chains.propagation import PropagationBound, propagated_epsilon, propagated_scale
from privet.errors import DataError, DomainError, ModelError, ParameterError, ParameterTypeError
from privet.privacy import MarkovFramework, RecordLoss
from privet.symbols import Alphabet, Words

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "quilt.json").read_text())["cases"]
CLOSE = 1 + Fraction(1, 10**9)

FAST = MarkovChain(["1/2", "1/2"], [["3/5", "2/5"], ["2/5", "3/5"]], ["a", "b"])
SLOW = MarkovChain(["1/4", "3/4"], [["1/5", "4/5"], ["1/10", "9/10"]], ["b", "a"])
BOX = ChainBox([["0.5", "0.3"], ["0.3", "0.5"]], [["0.7", "0.5"], ["0.5", "0.7"]], ["a", "b"])


@pytest.mark.parametrize("case", GOLDEN)
def test_scales_and_epsilons_agree_with_the_oracle(case: dict[str, Any]) -> None:
    chains = [MarkovChain(theta["initial"], theta["transition"]) for theta in case["theta"]]
    framework = MarkovFramework(chains)
    scale = framework.quilt_scale(case["length"], epsilon=case["epsilon"])
    assert scale == framework.scale(case["length"], epsilon=case["epsilon"], method="quilt")
    expected = Fraction(case["scale"])
    assert expected * (1 - Fraction(1, 10**15)) <= scale <= expected * CLOSE
    loss = RecordLoss.from_values(case["record_loss"])
    quilt = Fraction(case["joint_quilt_epsilon"])
    found = framework.epsilon(loss, method="quilt")
    assert quilt * (1 - Fraction(1, 10**15)) <= found <= quilt * CLOSE
    # The worst chain outside the smaller of the two bounds.
    best = framework.epsilon(loss)
    assert best <= min(found, framework.epsilon(loss, method="propagation"))
    assert best >= Fraction(case["least_epsilon"]) - Fraction(1, 10**7)


def test_the_best_is_the_smaller_bound_chain_by_chain() -> None:
    family = ChainFamily([FAST, SLOW], "stationary")
    framework = MarkovFramework(family)
    loss = RecordLoss.constant(300, "1/10") + RecordLoss.segment(300, 20, 40, 1)
    each = [
        min(
            quilt_epsilon(chain, "stationary", loss.pieces).epsilon,
            propagated_epsilon(chain, "stationary", loss.pieces).epsilon,
        )
        for chain in family.chains
    ]
    bound = framework.bound(loss)
    assert framework.epsilon(loss) == bound.epsilon == max(each)
    assert bound.chain == each.index(max(each))
    assert bound.method == "propagation"
    assert isinstance(bound.detail, PropagationBound)
    scales = [
        min(
            quilt_scale(chain, "stationary", 300, 1).scale,
            propagated_scale(chain, "stationary", [(0, 300, Fraction(1))], Fraction(1))[0],
        )
        for chain in family.chains
    ]
    assert framework.scale(300, epsilon=1) == max(scales)


def test_group_privacy_is_the_sum_and_bounds_the_others() -> None:
    framework = MarkovFramework(FAST)
    loss = RecordLoss.constant(50, "1/5")
    assert framework.epsilon(loss, method="group") == loss.total
    assert framework.scale(50, epsilon="1/2", method="group") == 100
    assert framework.epsilon(loss) < loss.total
    assert framework.scale(50, epsilon="1/2") <= 100
    assert framework.bound(loss, method="group").detail is None


def test_no_loss_costs_nothing() -> None:
    framework = MarkovFramework(FAST)
    assert framework.epsilon(RecordLoss.constant(50, 0)) == 0
    assert framework.epsilon(RecordLoss.constant(0, 1)) == 0
    assert framework.scale_for([(0, 9, Fraction(0))], epsilon=1) == 0


def test_a_query_of_some_nodes_needs_less_noise() -> None:
    framework = MarkovFramework(FAST, initial="any")
    whole = framework.scale(400, epsilon=1, method="quilt")
    part = framework.scale(400, epsilon=1, method="quilt", nodes=(100, 104))
    ends = framework.scale(400, epsilon=1, method="quilt", nodes=(0, 400))
    assert 1 <= part < ends
    assert ends == whole
    loss = RecordLoss.segment(400, 100, 104, 1 / part)
    assert framework.epsilon(loss, method="quilt") <= CLOSE
    for nodes in ((3, 3), (0, 401), (5, 2)):
        with pytest.raises(ParameterError, match=r"not a range within 0..400"):
            framework.scale(400, epsilon=1, nodes=nodes)


def test_adding_a_release_never_lowers_the_epsilon() -> None:
    framework = MarkovFramework(FAST)
    once = RecordLoss.segment(60, 10, 50, "1/4")
    more = once + RecordLoss.segment(60, 0, 20, "1/10")
    assert framework.epsilon(once) <= framework.epsilon(more)
    assert (
        framework.epsilon(more)
        <= framework.epsilon(once) + framework.epsilon(RecordLoss.segment(60, 0, 20, "1/10")) * 2
    )


def test_the_approximate_scale_is_above_the_exact_one() -> None:
    framework = MarkovFramework([FAST, SLOW], initial="any")
    exact = framework.quilt_scale(500, epsilon=1)
    assert exact <= framework.quilt_scale(500, epsilon=1, method="approximate")
    found = framework.worst_quilt(500, epsilon=1)
    assert found.scale == exact
    with pytest.raises(ModelError, match="periodic"):
        MarkovFramework(MarkovChain([1, 0], [[0, 1], [1, 0]])).quilt_scale(
            5, epsilon=1, method="approximate"
        )


def test_the_influence_is_that_of_the_family() -> None:
    both = MarkovFramework([FAST, SLOW])
    alone = [MarkovFramework(chain) for chain in (FAST, SLOW)]
    assert both.max_influence(20, 9, [5, 12]) == max(
        framework.max_influence(20, 9, [5, 12]) for framework in alone
    )
    assert both.max_influence(20, 9, []) == 0


def test_a_box_holds_every_start() -> None:
    framework = MarkovFramework(BOX)
    assert framework.initial == "any"
    assert framework == MarkovFramework(BOX, initial="any")
    assert framework.quilt_scale(500, epsilon=1) == quilt_scale(BOX, "any", 500, 1).scale
    inside = MarkovFramework(FAST, initial="any")
    assert inside.quilt_scale(500, epsilon=1) <= framework.quilt_scale(500, epsilon=1)
    assert framework.notes() == ()
    loss = RecordLoss.constant(100, "1/20")
    assert inside.epsilon(loss, method="quilt") <= framework.epsilon(loss, method="quilt")
    assert inside.epsilon(loss) <= framework.epsilon(loss) <= loss.total
    assert framework.scale(100, epsilon=1) <= framework.scale(100, epsilon=1, method="quilt")
    with pytest.raises(ParameterError, match="every law of the first node"):
        MarkovFramework(BOX, initial="stationary")
    with pytest.raises(ParameterError, match="a box of chains has one bound"):
        framework.quilt_scale(5, epsilon=1, method="approximate")


def test_a_box_that_allows_the_impossible_says_so() -> None:
    box = ChainBox([[0, "0.1"], ["0.1", "0.1"]], [["0.9", 1], ["0.9", "0.9"]])
    framework = MarkovFramework(box)
    assert "infinite" in framework.notes()[0]
    assert framework.max_influence(9, 4, [2]) == math.inf
    assert framework.scale(9, epsilon=1, method="quilt") == 9


def test_what_is_assumed_is_said() -> None:
    (own,) = MarkovFramework(FAST).assumptions()
    assert own.startswith("the series is made by the stated Markov chain on the 2 states")
    assert "its own law of the first state" in own
    (many,) = MarkovFramework([FAST, SLOW], initial="any").assumptions()
    assert "one of 2 stated Markov chains" in many
    assert "any law of the first state" in many
    (rest,) = MarkovFramework(FAST, initial="stationary").assumptions()
    assert "stationary law at every step" in rest
    region = ChainBox([["0.5", "0.1"]] * 2, [["0.9", "0.5"]] * 2, confidence="0.95")
    within, sure = MarkovFramework(region).assumptions()
    assert "may change with time" in within
    assert "confidence of 95 %" in sure
    assert len(MarkovFramework(BOX).assumptions()) == 1


def test_words_that_no_chain_can_make_are_refused_by_position() -> None:
    alphabet = Alphabet(["x", "y", "z"])
    forward = MarkovChain([1, 0, 0], [["1/2", "1/2", 0], [0, "1/2", "1/2"], [0, 0, 1]], alphabet)
    backward = MarkovChain([0, 0, 1], [[1, 0, 0], ["1/2", "1/2", 0], [0, "1/2", "1/2"]], alphabet)
    both = MarkovFramework([forward, backward])
    both.check_words(Words.from_lists(alphabet, [list("xxyyzz"), [], list("zyyx")]))
    bad = Words.from_lists(alphabet, [list("xyz"), list("xyzyx"), list("y")])
    with pytest.raises(DomainError, match=r"Word 1 .* position 3\.") as caught:
        both.check_words(bad)
    assert (caught.value.payload["word"], caught.value.payload["position"]) == (1, 3)
    assert not any(f"'{symbol}'" in str(caught.value) for symbol in "xyz")
    with pytest.raises(DomainError, match=r"Word 0 .* position 0\."):
        both.check_words(Words.from_lists(alphabet, [list("y")]))
    MarkovFramework(forward, initial="any").check_words(
        Words.from_lists(alphabet, [list("yyz"), list("zz")])
    )
    resting = MarkovFramework(forward, initial="stationary")
    resting.check_words(Words.from_lists(alphabet, [list("zzz")]))
    with pytest.raises(DomainError, match=r"Word 0 .* position 0"):
        resting.check_words(Words.from_lists(alphabet, [list("xyz")]))
    turned = Words.from_lists(Alphabet(["z", "y", "x"]), [list("xyz"), list("xz")])
    with pytest.raises(DomainError, match=r"Word 1 .* position 1"):
        MarkovFramework(forward).check_words(turned)
    with pytest.raises(ModelError, match="other states"):
        both.check_words(Words.from_lists(Alphabet(["x", "y"]), [list("xy")]))


def test_words_that_a_box_cannot_make_are_refused() -> None:
    box = ChainBox([[0, 1], ["0.5", "0.5"]], [[0, 1], ["0.5", "0.5"]], ["a", "b"])
    framework = MarkovFramework(box)
    framework.check_words(Words.from_lists(Alphabet(["b", "a"]), [list("abba")]))
    with pytest.raises(DomainError, match=r"Word 0 .* position 2"):
        framework.check_words(Words.from_lists(Alphabet(["b", "a"]), [list("baa")]))


@pytest.mark.parametrize(
    "framework",
    [
        MarkovFramework(FAST),
        MarkovFramework([FAST, SLOW], initial="stationary"),
        MarkovFramework(BOX),
    ],
)
def test_a_framework_survives_json(framework: MarkovFramework) -> None:
    again = MarkovFramework.from_json(json.loads(json.dumps(framework.to_json())))
    assert again == framework
    assert hash(again) == hash(framework)
    assert repr(again) == repr(framework)
    assert again.alphabet == framework.alphabet


def test_frameworks_differ_by_chains_and_start() -> None:
    assert MarkovFramework(FAST) != MarkovFramework(FAST, initial="any")
    assert MarkovFramework(FAST) != MarkovFramework(SLOW)
    assert MarkovFramework(ChainFamily(FAST, "any")) == MarkovFramework(FAST, initial="any")
    assert MarkovFramework(ChainFamily(FAST, "any"), initial="given") == MarkovFramework(FAST)


def test_unfit_arguments_are_refused() -> None:
    framework = MarkovFramework(FAST)
    with pytest.raises(ParameterError, match=r"no method 'fast'"):
        framework.scale(5, epsilon=1, method="fast")  # type: ignore[arg-type]  # on purpose
    with pytest.raises(ParameterTypeError, match="takes a RecordLoss"):
        framework.epsilon(1)  # type: ignore[arg-type]  # on purpose
    with pytest.raises(DataError, match="no nodes"):
        framework.scale_for([], epsilon=1)
    with pytest.raises(ParameterError, match="epsilon"):
        framework.scale(5, epsilon=-1)
    with pytest.raises(ModelError, match="unknown field 'extra'"):
        MarkovFramework.from_json({**framework.to_json(), "extra": 1})
    with pytest.raises(ModelError, match="lacks 'chains'"):
        MarkovFramework.from_json({"kind": "markov-framework", "initial": "any"})


def test_the_epsilon_bounds_what_a_randomised_response_gives_away() -> None:
    # Randomised response on three nodes: the posterior odds of the middle one, by enumeration.
    keep = Fraction(3, 4)
    loss = RecordLoss.constant(3, 1.0986122886681099)  # ln 3, rounded up
    framework = MarkovFramework(SLOW)
    start, steps = SLOW.exact_initial, SLOW.exact_transition
    worst = Fraction(0)
    for out in np.ndindex(2, 2, 2):
        odds = []
        for x in range(2):
            joint = total = Fraction(0)
            for first in range(2):
                for last in range(2):
                    path = start[first] * steps[first][x] * steps[x][last]
                    seen = path
                    for true, said in zip((first, x, last), out, strict=True):
                        seen *= keep if true == said else 1 - keep
                    joint, total = joint + seen, total + path
            odds.append(joint / total)
        worst = max(worst, odds[0] / odds[1], odds[1] / odds[0])
    assert math.log(worst) <= framework.epsilon(loss)
