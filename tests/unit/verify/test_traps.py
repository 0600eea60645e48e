"""Traps that once caught an engine: memory that forgets the depth, floats that are no numbers."""

import math
import random
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from privet import HiddenMarkovModel, verify
from privet.verify.models import word_probability
from privet.weighted.cones import Sign
from privet.weighted.cones import TestSet as Cone

Law = list[Fraction]


def trap() -> HiddenMarkovModel:
    """Nothing moves, and the first symbol says nothing: a vector repeats with less to come."""
    return HiddenMarkovModel([[1, 0], [0, 1]], [["1/2", "2/5", "1/10"], ["1/2", "1/10", "2/5"]])


@pytest.mark.parametrize("ratio", [10, "15.999999"])
def test_a_prefix_seen_before_is_not_done_if_less_is_to_come(ratio: Any) -> None:
    outcome = verify.hidden_markov(trap(), [1, 0], [0, 1], ratio=ratio, length=2)
    assert isinstance(outcome, verify.Violated)
    assert outcome.word == [1, 1]
    assert outcome.ratio == 16
    assert verify.worst_ratio(trap(), [1, 0], [0, 1], 2)[0] == 16
    holds = verify.hidden_markov(trap(), [1, 0], [0, 1], ratio=16, length=2)
    assert isinstance(holds, verify.Holds)
    assert verify.check_certificate(holds.certificate.to_json()).lengths.longest == 2  # type: ignore[union-attr]  # of a model


@pytest.mark.parametrize("length", range(1, 7))
def test_the_trap_at_every_depth(length: int) -> None:
    assert verify.worst_ratio(trap(), [1, 0], [0, 1], length)[0] == 4**length
    below = verify.hidden_markov(trap(), [1, 0], [0, 1], ratio=4**length - 1, length=length)
    assert isinstance(below, verify.Violated)
    longer = verify.hidden_markov(trap(), [1, 0], [0, 1], ratio=4**length, length=None)
    assert isinstance(longer, verify.Violated)


def models(seed: int) -> tuple[HiddenMarkovModel, Law, Law, int]:
    draw = random.Random(seed)

    def law(size: int) -> Law:
        weights = [draw.choice([0, 0, 1, 2, 3]) for _ in range(size)]
        weights[draw.randrange(size)] += 1
        return [Fraction(weight, sum(weights)) for weight in weights]

    # Three states at least: in the plane no floats are asked.
    size = draw.randint(3, 5)
    model = HiddenMarkovModel([law(size) for _ in range(size)], [law(2) for _ in range(size)])
    return model, law(size), law(size), draw.randint(2, 6)


def enumerated(model: HiddenMarkovModel, first: Law, second: Law, length: int) -> Any:
    ratios: list[Any] = []
    for word in product(range(2), repeat=length):
        over = word_probability(model, tuple(first), word)
        under = word_probability(model, tuple(second), word)
        if over or under:
            ratios.append(over / under if under else math.inf)
    return max(ratios)


def not_a_number(like: Any) -> Any:
    return np.full(np.shape(like), np.nan)


@pytest.mark.parametrize("block", range(5))
def test_floats_that_are_no_numbers_decide_nothing(
    monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr("privet.weighted.search.unit_floats", not_a_number)
    monkeypatch.setattr("privet.weighted.excess.unit_floats", not_a_number)
    monkeypatch.setattr(Cone, "floats", property(lambda tests: not_a_number(cone_shape(tests))))
    kinds = set()
    for seed in range(20 * block, 20 * block + 20):
        model, first, second, length = models(seed)
        worst = enumerated(model, first, second, length)
        assert verify.worst_ratio(model, first, second, length)[0] == worst
        for ratio in (Fraction(3, 2), Fraction(3)):
            outcome = verify.hidden_markov(model, first, second, ratio=ratio, length=length)
            assert isinstance(outcome, verify.Violated if worst > ratio else verify.Holds)
            kinds.add(type(outcome))
    assert kinds == {verify.Holds, verify.Violated}


def cone_shape(tests: Any) -> Any:
    return np.zeros((len(tests.vectors[0]), len(tests.vectors)))


def naive_sign(tests: Cone, vector: Any, direction: Any) -> Sign:
    """A filter that believes a comparison with NaN: nothing seems to be above, so nothing is."""
    del vector, direction
    return Sign(-1, math.nan) if tests.vectors else Sign(-1, -1.0)


def test_a_filter_that_believes_nan_never_leads_to_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cone, "sign", naive_sign)
    monkeypatch.setattr("privet.weighted.worst.Engine.guess_above", lambda *_: None)
    monkeypatch.setattr("privet.weighted.breadth.Glance.run", lambda *_: None)
    refused = 0
    for seed in range(40):
        model, first, second, length = models(seed)
        worst = enumerated(model, first, second, length)
        if worst in (1, math.inf):
            continue
        ratio = worst * Fraction(999_999, 10**6)
        outcome = verify.hidden_markov(model, first, second, ratio=ratio, length=length)
        assert not isinstance(outcome, verify.Holds)
        refused += isinstance(outcome, verify.Undecided) and "did not follow" in outcome.reason
    assert refused > 5
