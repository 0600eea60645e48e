"""What the older theorems charge, beside the rules called by hand."""

from fractions import Fraction

import pytest

from privet.accounting import rules
from privet.accounting.older import OlderCharge, older_charges
from privet.chains import ChainBox, MarkovChain
from privet.errors import ParameterTypeError
from privet.privacy import Framework, IndependentRecords, MarkovFramework, RecordLoss

FAST = MarkovFramework(
    MarkovChain(["1/2", "1/2"], [["3/5", "2/5"], ["2/5", "3/5"]]), initial="stationary"
)
WHOLE = RecordLoss.constant(120, "0.1")
THEOREMS = {
    "sequential composition",
    "parallel composition",
    "II.6",
    "III.1",
    "III.3",
    "III.7",
}


def charges(framework: Framework, *losses: tuple[RecordLoss, int]) -> dict[str, OlderCharge]:
    found = older_charges(framework, [("release", loss, times) for loss, times in losses])
    assert {each.theorem for each in found} == THEOREMS
    for each in found:
        assert (each.epsilon is None) == bool(each.why_not)
        told, known = each.to_json(), each.epsilon
        assert told["exact"]["epsilon"] == (None if known is None else str(known))
        assert (told["epsilon"] is None) == (known is None)
        assert known is None or Fraction(told["epsilon"]) >= known
    return {each.theorem: each for each in found}


def test_the_same_release_again() -> None:
    found = charges(FAST, (WHOLE, 10))
    alone = FAST.epsilon(WHOLE, method="quilt")
    assert found["II.6"].epsilon == found["III.7"].epsilon == 10 * alone
    assert found["III.1"].why_not == "the releases read one part of the series, not two"
    assert found["III.3"].why_not == found["III.1"].why_not
    for name in ("sequential composition", "parallel composition"):
        assert found[name].why_not == "the records are not independent"
    assert charges(FAST, *[(WHOLE, 1)] * 10) == found


def test_different_releases() -> None:
    found = charges(FAST, (WHOLE, 1), (RecordLoss.constant(120, 2), 1))
    assert "the active quilt of node" in found["II.6"].why_not
    both = FAST.epsilon(WHOLE, method="quilt") + FAST.epsilon(
        RecordLoss.constant(120, 2), method="quilt"
    )
    assert found["III.7"].epsilon == both
    part = charges(FAST, (WHOLE, 1), (RecordLoss.segment(120, 0, 50, 1), 1))
    assert "does not read all nodes alike" in part["II.6"].why_not
    assert part["III.7"].epsilon is not None


def test_two_parts() -> None:
    one, two = RecordLoss.segment(50, 0, 50, "0.1"), RecordLoss.segment(150, 100, 150, "0.2")
    found = charges(FAST, (one, 1), (two, 1))
    alone = [FAST.epsilon(loss, method="quilt") for loss in (one, two)]
    by_hand = rules.disjoint_subchains(FAST, (0, 50), (100, 150), (alone[0], alone[1]))
    assert found["III.1"].epsilon == by_hand
    assert found["III.1"].covers == "the nodes of the two parts"
    third = found["III.3"].epsilon
    assert third is not None
    assert third > max(alone)  # approximate quilts need a larger epsilon for the same loss
    # The scale of the approximate mechanism at that epsilon is the one the loss stands for.
    scale = FAST.quilt_scale(50, epsilon=third, method="approximate")
    assert float(1 / scale) == pytest.approx(0.2, rel=1e-6)
    again = charges(FAST, (one, 2), (two, 1))
    assert again["III.3"].why_not == "a part has more than one release"
    assert again["III.1"].epsilon == rules.disjoint_subchains(
        FAST, (0, 50), (100, 150), (2 * alone[0], alone[1])
    )
    near = charges(FAST, (one, 1), (RecordLoss.segment(150, 51, 150, "0.2"), 1))
    assert "the quilts reach" in near["III.3"].why_not
    uneven = one + RecordLoss.segment(50, 0, 10, "0.1")
    assert "alike" in charges(FAST, (uneven, 1), (two, 1))["III.3"].why_not
    three = charges(FAST, (one, 1), (two, 1), (RecordLoss.segment(80, 60, 80, 1), 1))
    assert three["III.1"].why_not == "the releases read 3 parts of the series, not two"


def test_chains_that_the_lemma_does_not_cover() -> None:
    one, two = RecordLoss.segment(50, 0, 50, "0.1"), RecordLoss.segment(150, 100, 150, "0.2")
    periodic = MarkovFramework(MarkovChain([1, 0], [[0, 1], [1, 0]]))
    assert "Lemma II.3" in charges(periodic, (one, 1), (two, 1))["III.3"].why_not
    box = ChainBox([["0.4", "0.4"], ["0.4", "0.4"]], [["0.6", "0.6"], ["0.6", "0.6"]])
    found = charges(MarkovFramework(box), (one, 1), (two, 1))
    assert "box" in found["III.3"].why_not
    assert found["III.1"].epsilon is not None


def test_independent_records() -> None:
    records = IndependentRecords()
    odd = RecordLoss.from_values([1, 0, 1])
    even = RecordLoss.from_values([0, 2])
    found = charges(records, (odd, 1), (even, 1))
    assert found["sequential composition"].epsilon == 3
    assert found["parallel composition"].epsilon == 2
    for name in ("II.6", "III.1", "III.3", "III.7"):
        assert "the records are independent" in found[name].why_not
    twice = charges(records, (odd, 2), (even, 1))
    assert twice["sequential composition"].epsilon == 4
    assert twice["parallel composition"].why_not == "a record is part of two releases"
    pairs = charges(IndependentRecords(2), (odd, 1), (even, 1))
    assert pairs["sequential composition"].epsilon == 4
    assert "more than one record" in pairs["parallel composition"].why_not


def test_nothing_and_too_much() -> None:
    assert {each.why_not for each in charges(FAST).values()} == {"there are no releases"}
    many = [(RecordLoss.constant(3, Fraction(1, number)), 1) for number in range(1, 300)]
    assert {each.why_not for each in charges(FAST, *many).values()} == {
        "it is worked out for up to 200 different losses"
    }
    none = charges(FAST, (RecordLoss.constant(5, 0), 1))
    assert none["III.7"].epsilon == 0
    with pytest.raises(ParameterTypeError):
        older_charges(FAST, [("a", WHOLE, True)])
