"""Repeated releases at a delta, against exact rationals and against Google's dp-accounting."""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Literal

import numpy as np
import pytest
from dp_accounting.pld import common, privacy_loss_distribution

from privet.accounting import Lost, repeats
from privet.accounting.repeats import epsilon_at_delta
from privet.errors import ParameterError
from privet.exact import down, exp_down, exp_up, up
from privet.privacy import RecordLoss, Response


def tight_epsilon(losses: Sequence[tuple[Fraction, int]], delta: Fraction) -> Fraction:
    """Of binary responses with those losses."""
    return repeats.tight_epsilon([(Response(loss), times) for loss, times in losses], delta)


def at_delta(
    unit: int | Literal["all"], losses: Sequence[tuple[RecordLoss, int]], delta: Fraction
) -> Fraction:
    """Of releases of which only the loss is known."""
    return epsilon_at_delta(unit, [(Lost(loss), times) for loss, times in losses], delta)


def delta_above(losses: Sequence[tuple[Fraction, int]], epsilon: Fraction) -> Fraction:
    """A rational at or above the delta of those randomised responses at that epsilon."""
    return _delta(losses, epsilon, at_most=False)


def delta_below(losses: Sequence[tuple[Fraction, int]], epsilon: Fraction) -> Fraction:
    return _delta(losses, epsilon, at_most=True)


BITS = 1024
"""Of the fixed point in which the reference calculates, each number rounded the same way."""


def _delta(losses: Sequence[tuple[Fraction, int]], epsilon: Fraction, *, at_most: bool) -> Fraction:
    """By counting: of each kind of response, how many are untruthful."""
    rounded, other, fixed = (exp_down, exp_up, down) if at_most else (exp_up, exp_down, up)
    losses = [(Response(loss).loss, times) for loss, times in losses]  # as they are charged
    # A response is truthful with probability 1 / (1 + e^-loss); each untruthful one costs e^-loss.
    start = Fraction(1)
    for loss, times in losses:
        for _ in range(times):
            start = fixed(start / fixed(1 + other(-loss, BITS), BITS), BITS)
    whole = Fraction(0)
    for untruthful in product(*(range(times + 1) for _, times in losses)):
        kinds = [(loss, times, j) for (loss, times), j in zip(losses, untruthful, strict=True)]
        loss = sum(((times - 2 * j) * each for each, times, j in kinds), Fraction(0))
        if loss <= epsilon:
            continue
        ways = math.prod(math.comb(times, j) for _, times, j in kinds)
        fall = sum((-j * each for each, _, j in kinds), Fraction(0))
        mass = fixed(start * fixed(rounded(fall, BITS), BITS), BITS)
        whole += ways * fixed(mass * (1 - other(epsilon - loss, BITS)), BITS)
    return whole


@pytest.mark.parametrize("times", [1, 2, 7, 60])
@pytest.mark.parametrize("loss", ["1/10", "1", "3"])
@pytest.mark.parametrize("delta", ["0.3", "1e-3", "1e-9", "1e-20", "1e-60"])
def test_equal_losses_are_exact(times: int, loss: str, delta: str) -> None:
    losses, allowed = [(Fraction(loss), times)], Fraction(delta)
    found = tight_epsilon(tuple(losses), allowed)
    assert 0 <= found <= times * Response(Fraction(loss)).loss
    assert delta_below(losses, found) <= allowed
    slack = Fraction(1, 1 << 60)
    if found > slack:
        assert delta_above(losses, found - slack) > allowed


@pytest.mark.parametrize(("times", "loss"), [(1000, "0.01"), (1000, "0.1"), (100, "1")])
@pytest.mark.parametrize("delta", ["1e-3", "1e-6", "1e-12", "1e-30"])
def test_a_thousand_releases(times: int, loss: str, delta: str) -> None:
    losses, allowed = [(Fraction(loss), times)], Fraction(delta)
    found = tight_epsilon(tuple(losses), allowed)
    assert delta_below(losses, found) <= allowed < delta_above(losses, found - Fraction(1, 10**9))


def test_never_below_where_dp_accounting_is() -> None:
    """Its law is that of doubles: at a delta of 1e-12 its epsilon is a little too small."""
    losses, allowed = [(Fraction(1, 100), 1000)], Fraction(1, 10**12)
    theirs = Fraction(google(losses, 1e-12))
    assert delta_below(losses, theirs) > allowed
    assert tight_epsilon(tuple(losses), allowed) > theirs


def google(losses: Sequence[tuple[Fraction, int]], delta: float, interval: float = 1e-4) -> float:
    whole = None
    for loss, times in losses:
        one = privacy_loss_distribution.from_privacy_parameters(
            common.DifferentialPrivacyParameters(float(loss), 0),
            value_discretization_interval=interval,
        ).self_compose(times)
        whole = one if whole is None else whole.compose(one)
    assert whole is not None
    return float(whole.get_epsilon_for_delta(delta))


@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-8])
@pytest.mark.parametrize(
    "losses",
    [
        [("0.05", 200)],
        [("0.05", 100), ("0.2", 20)],
        [("0.0137", 300), ("0.1", 30), ("1", 2)],
    ],
)
def test_as_dp_accounting(losses: list[tuple[str, int]], delta: float) -> None:
    asked = tuple((Fraction(loss), times) for loss, times in losses)
    ours = float(tight_epsilon(asked, Fraction(delta)))
    assert ours == pytest.approx(google(asked, delta), rel=2e-3)
    assert ours < float(sum(loss * times for loss, times in asked))


@pytest.mark.parametrize("delta", ["0.1", "1e-4", "1e-10"])
def test_different_losses_are_never_too_little(delta: str) -> None:
    """On a common grid exactly; off any grid within the grid's width of it."""
    generator = np.random.default_rng(3)
    for _ in range(6):
        kinds = int(generator.integers(2, 4))
        losses = [
            (Fraction(int(generator.integers(1, 10**6)), 10**5), int(generator.integers(1, 6)))
            for _ in range(kinds)
        ]
        whole = sum((loss * times for loss, times in losses), Fraction(0))
        found = tight_epsilon(tuple(losses), Fraction(delta))
        assert delta_below(losses, found) <= Fraction(delta)
        less = found - whole * kinds / (1 << 15) - Fraction(1, 1 << 60)
        if less > 0:
            assert delta_above(losses, less) > Fraction(delta)


def test_adding_n_times_is_n_additions() -> None:
    loss, delta = RecordLoss.segment(50, 10, 20, "0.3"), Fraction(1, 10**6)
    once = at_delta(1, [(loss, 100)], delta)
    assert once == at_delta(1, [(loss, 1)] * 100, delta)
    assert once == at_delta(1, [(loss, 60), (loss, 40)], delta)
    same = RecordLoss.constant(30, "0.3")
    assert once == at_delta(1, [(loss, 99), (same, 1)], delta)
    assert at_delta(1, [(loss, 1)], delta) < once / 20


def test_the_worst_record_counts() -> None:
    """The record with the largest sum is not always the worst: few large losses hide less."""
    few, many = RecordLoss.segment(2, 0, 1, 4), RecordLoss.segment(2, 1, 2, "0.01")
    delta = Fraction(1, 10**6)
    both = at_delta(1, [(few, 1), (many, 500)], delta)
    assert both == tight_epsilon(((few.maximum, 1),), delta)
    assert few.maximum - both < Fraction(1, 10000)
    assert at_delta(1, [(many, 500)], delta) < 2
    assert at_delta(1, [(few, 1), (many, 500)], Fraction(0)) == 500 * many.maximum
    longer = RecordLoss.segment(9, 8, 9, 5)
    assert at_delta(1, [(few, 1), (longer, 1)], Fraction(0)) == 5


def test_units_of_several_records() -> None:
    loss, delta = RecordLoss.from_values([1, 3, 2]), Fraction(1, 10**6)
    for unit, lost in ((1, 3), (2, 5), (3, 6), (5, 6)):
        assert at_delta(unit, [(loss, 20)], delta) == tight_epsilon(((Fraction(lost), 20),), delta)
    assert at_delta("all", [(loss, 20)], Fraction(0)) == 120


def test_too_many_pieces_are_charged_by_their_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    losses = [(RecordLoss.segment(9, start, 9, "0.1"), 5) for start in range(9)]
    delta = Fraction(1, 1000)
    tight = at_delta(1, losses, delta)
    monkeypatch.setattr("privet.accounting.repeats._MOST_CLASSES", 1)
    assert tight < at_delta(1, losses, delta) <= 45 * RecordLoss.constant(1, "0.1").maximum


def test_too_many_responses_are_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several together are never charged less than apart, nor more than their sum."""
    delta = Fraction(1, 1000)
    known = [(Response(Fraction(1, 10), Fraction(1, 2)), 100), (Response(Fraction(1)), 3)]
    apart = repeats.tight_epsilon(known, delta)
    monkeypatch.setattr("privet.accounting.repeats._MOST_TIMES", 30)
    together = [(4 * Response(Fraction(1, 10)).loss, 25), (Fraction(3), 1)]
    assert apart < repeats.tight_epsilon(known, delta) == tight_epsilon(together, delta) < 13


def test_nothing_lost_and_deltas_that_are_none() -> None:
    assert at_delta(1, [], Fraction(1, 10)) == 0
    assert at_delta(1, [(RecordLoss.constant(4, 0), 9)], Fraction(1, 10)) == 0
    assert at_delta(1, [(RecordLoss.constant(4, 1), 0)], Fraction(0)) == 0
    assert tight_epsilon(((Fraction(1, 10), 1),), Fraction(9, 10)) == 0
    for bad in (Fraction(1), Fraction(-1, 2)):
        with pytest.raises(ParameterError, match="delta"):
            at_delta(1, [], bad)
