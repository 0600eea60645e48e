"""Responses of known laws at a delta: against all outcomes, Google's dp-accounting, end to end."""

import json
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any, Literal

import pytest
from dp_accounting.pld import privacy_loss_distribution

from privet import (
    Accountant,
    Alphabet,
    IndependentRecords,
    ParameterTypeError,
    RandomizedResponse,
    RecordLoss,
    WordExponential,
    WordPermuteAndFlip,
    Words,
    release,
)
from privet.accounting import Lost
from privet.accounting.repeats import epsilon_at_delta, tight_epsilon
from privet.exact import exp_down, exp_up
from privet.languages import Language
from privet.privacy import Response
from privet.releasing import Receipt

ABC = Alphabet(list("abcdef"))
HAIR = Fraction(1, 1 << 55)

Law = tuple[int, Fraction]
"""(symbols, probability of one given other symbol)."""


def smallest_delta(laws: Sequence[Law], epsilon: Fraction, *, at_most: bool) -> Fraction:
    """The hockey-stick divergence of all outcomes, one by one: the true symbols are 0, or 1."""
    factor = (exp_up if at_most else exp_down)(epsilon, 512)
    delta = Fraction(0)
    for outcome in product(*(range(size) for size, _ in laws)):
        one = other = Fraction(1)
        for (size, move), symbol in zip(laws, outcome, strict=True):
            keep = 1 - (size - 1) * move
            one *= keep if symbol == 0 else move
            other *= keep if symbol == 1 else move
        delta += max(Fraction(0), one - factor * other)
    return delta


def responses(laws: Sequence[Law]) -> list[tuple[Response, int]]:
    return [(Response.of(1 - (size - 1) * move, move), 1) for size, move in laws]


THREE, FIVE, TWO = (3, Fraction(1, 5)), (5, Fraction(1, 9)), (2, Fraction(1, 3))


@pytest.mark.parametrize("delta", ["0.2", "1e-2", "1e-3", "1e-5"])
@pytest.mark.parametrize("laws", [[THREE], [THREE] * 2, [THREE] * 7, [FIVE] * 4, [TWO] * 9])
def test_equal_responses_are_exact(laws: list[Law], delta: str) -> None:
    found = tight_epsilon(responses(laws), Fraction(delta))
    assert smallest_delta(laws, found, at_most=False) <= Fraction(delta)
    if found > HAIR:
        assert smallest_delta(laws, found - HAIR, at_most=True) > Fraction(delta)


@pytest.mark.parametrize("delta", ["0.2", "1e-2", "1e-4"])
@pytest.mark.parametrize(
    "laws", [[THREE, FIVE], [THREE, FIVE, TWO] * 2, [TWO, (4, Fraction(1, 6))]]
)
def test_different_responses_are_never_too_little(laws: list[Law], delta: str) -> None:
    found = tight_epsilon(responses(laws), Fraction(delta))
    assert smallest_delta(laws, found, at_most=False) <= Fraction(delta)
    less = found - Fraction(1, 10**6)
    if less > 0:
        assert smallest_delta(laws, less, at_most=True) > Fraction(delta)


def test_a_delta_of_any_size() -> None:
    """Far below what doubles can add to 1; the smaller it is, the nearer the sum."""
    laws, last = [THREE] * 5, Fraction(0)
    for digits in (1, 3, 10, 40, 300):
        delta = Fraction(1, 10**digits)
        found = tight_epsilon(responses(laws), delta)
        assert smallest_delta(laws, found, at_most=False) <= delta
        assert last <= found <= tight_epsilon(responses(laws), Fraction(0))
        last = found
    assert tight_epsilon(responses(laws), Fraction(0)) - last < HAIR


@pytest.mark.parametrize("delta", [1e-2, 1e-5, 1e-8])
@pytest.mark.parametrize(("size", "noise", "times"), [(3, 0.8, 60), (10, 0.9, 100), (2, 0.9, 200)])
def test_as_dp_accounting(size: int, noise: float, times: int, delta: float) -> None:
    """Its losses are rounded to multiples of 1e-4, and composed by a Fourier transform."""
    # Not its accountant: that one counts any number of equal events as one.
    google = privacy_loss_distribution.from_randomized_response(noise, size).self_compose(times)
    move = Fraction(str(noise)) / size
    response = Response.of(1 - (size - 1) * move, move)
    ours = float(tight_epsilon([(response, times)], Fraction(delta)))
    assert ours == pytest.approx(google.get_epsilon_for_delta(delta), rel=1e-3)
    binary = float(tight_epsilon([(Response(response.loss), times)], Fraction(delta)))
    assert ours <= binary
    if size > 2:
        assert ours < 0.95 * binary


SURVEY = [list("abcdef")[number % 6] for number in range(30)]


def test_two_releases_of_randomised_response() -> None:
    mechanism = RandomizedResponse(ABC, epsilon="0.5")
    receipts = [release(mechanism, SURVEY).receipt for _ in range(2)]
    accountant = Accountant(IndependentRecords())
    for receipt in receipts:
        accountant.add(receipt)
    assert accountant.epsilon() == 1
    move = mechanism.move_probability
    for delta in ("1e-6", "1e-2", "0.1"):
        found = accountant.epsilon(delta)
        assert smallest_delta([(6, move)] * 2, found, at_most=False) <= Fraction(delta)
        assert smallest_delta([(6, move)] * 2, found - HAIR, at_most=True) > Fraction(delta)
    by_loss = Accountant(IndependentRecords())
    by_loss.add(receipts[0].record_loss, times=2)
    assert accountant.epsilon("1e-6") < by_loss.epsilon("1e-6") < 1
    # Read back from a file, a receipt is worth the same.
    again = Receipt.from_json(json.loads(receipts[0].to_text()))
    assert Lost.of(again) == Lost.of(receipts[0])


@pytest.mark.parametrize("delta", ["1e-6", "0.01", "0.2"])
def test_a_mechanism_with_its_own_delta_loses_nothing(delta: str) -> None:
    """Its law at its delta is its epsilon; without a delta it is the larger record loss."""
    mechanism = RandomizedResponse(ABC, epsilon="0.7", delta=delta)
    accountant = Accountant(IndependentRecords()).add(release(mechanism, SURVEY).receipt)
    assert accountant.epsilon() > mechanism.epsilon
    assert 0 <= accountant.epsilon(delta) - mechanism.spent() <= HAIR
    twice = accountant.add(release(mechanism, SURVEY).receipt).epsilon(2 * Fraction(delta))
    assert twice <= 2 * mechanism.epsilon + HAIR


def table_receipt() -> Receipt:
    labels = {"vote": ["Clinton", "Dole"], "tv_news": [str(number) for number in range(8)]}
    data = {
        name: [values[row % len(values)] for row in range(40)] for name, values in labels.items()
    }
    mechanisms = {
        "vote": RandomizedResponse(Alphabet(labels["vote"]), epsilon="0.5"),
        "tv_news": RandomizedResponse(Alphabet(labels["tv_news"]), epsilon=1),
    }
    import pandas as pd

    return release(mechanisms, pd.DataFrame(data)).receipt


def test_a_table_is_answered_column_by_column() -> None:
    receipt = table_receipt()
    lost = Lost.of(receipt)
    vote, news = (receipt.mechanism(name) for name in ("vote", "tv_news"))
    assert isinstance(vote, RandomizedResponse)
    assert isinstance(news, RandomizedResponse)
    laws = [(2, vote.move_probability), (8, news.move_probability)]
    assert len(lost.responses) == 2
    assert sum(each.loss for each in lost.responses) == lost.record_loss.maximum
    for delta in ("1e-6", "0.05"):
        found = Accountant(IndependentRecords()).add(receipt).epsilon(delta)
        assert smallest_delta(laws, found, at_most=False) <= Fraction(delta)
        assert smallest_delta(laws, found - Fraction(1, 10**6), at_most=True) > Fraction(delta)


def test_words_are_answered_symbol_by_symbol() -> None:
    """Two symbols of one release are two responses; a word has no more symbols than it has."""
    words = Words.from_lists(ABC, [list("abc"), list("fade"), list("b")])
    mechanism = WordExponential(ABC, epsilon=1, adjacency=2)
    receipt = release(mechanism, words).receipt
    law = (6, mechanism.move_probability)
    cases: list[tuple[int | Literal["all"], int]] = [(1, 1), (2, 2), (3, 3), (9, 4), ("all", 4)]
    for unit, symbols in cases:
        accountant = Accountant(IndependentRecords(unit)).add(receipt)
        found = accountant.epsilon("0.01")
        assert smallest_delta([law] * symbols, found, at_most=False) <= Fraction(1, 100)
        assert smallest_delta([law] * symbols, found - HAIR, at_most=True) > Fraction(1, 100)
        assert found < accountant.epsilon()


def test_what_is_not_answered_one_by_one_is_charged_by_its_loss() -> None:
    words = Words.from_lists(ABC, [list("abc"), list("fade")])
    allowed = [[int(one != other) for other in range(6)] for one in range(6)]
    for mechanism in (
        WordPermuteAndFlip(ABC, epsilon=1),
        WordExponential(Language.from_allowed(ABC, allowed), epsilon=1),
    ):
        receipt = release(mechanism, words).receipt
        assert receipt.responses == ()
        accountant = Accountant(IndependentRecords(2)).add(receipt)
        assert accountant.epsilon("0.01") == tight_epsilon(
            [(Response(2 * receipt.record_loss.maximum), 1)], Fraction(1, 100)
        )


def test_the_accountant_keeps_responses() -> None:
    lost = Lost(RecordLoss.constant(9, "0.2"), (Response(Fraction(1, 5), Fraction(1, 2)),))
    accountant = Accountant(IndependentRecords()).add(lost, times=50, name="daily")
    accountant.add(lost.record_loss, times=3).add(lost, person="Ann", times=2)
    data = json.loads(json.dumps(accountant.to_json()))
    again = Accountant.from_json(data)
    assert again.to_json() == accountant.to_json()
    assert again.epsilon("1e-6") == accountant.epsilon("1e-6")
    assert len(accountant.explain().contributions) == 3
    # Files of before have no responses: charged by the losses, which is more.
    for each in data["releases"]:
        each.pop("responses", None)
    old = Accountant.from_json(data)
    assert old.epsilon() == accountant.epsilon()
    assert old.epsilon("1e-6") > accountant.epsilon("1e-6")
    # Equal releases of another name are one kind: memory grows with the kinds.
    many = Accountant(IndependentRecords())
    for _ in range(100):
        many.add(lost)
    assert many.to_json()["releases"][0]["times"] == 100
    assert len(many.to_json()["releases"]) == 1


def test_a_release_where_not_all_records_are_read() -> None:
    """A response is given where something is lost; elsewhere nothing is known, nor lost."""
    response = Response(Fraction(1), Fraction(1, 3))
    some = Lost(RecordLoss.segment(9, 2, 4, 1), (response,))
    other = Lost(RecordLoss.segment(9, 3, 9, 1), (response,))
    delta = Fraction(1, 100)
    at = [tight_epsilon([(response, times)], delta) for times in range(5)]
    assert epsilon_at_delta(1, [(some, 1)], delta) == at[1]
    assert epsilon_at_delta(1, [(some, 1), (other, 1)], delta) == at[2]
    # Two records at most are read by the first.
    assert epsilon_at_delta(3, [(some, 1)], delta) == epsilon_at_delta(2, [(some, 1)], delta)
    assert epsilon_at_delta(2, [(some, 1), (other, 1)], delta) == at[4]


def test_other_things_are_no_responses() -> None:
    class Told:
        record_loss = RecordLoss.constant(3, 1)
        responses: tuple[Any, ...] = (Fraction(1),)

    with pytest.raises(ParameterTypeError, match="responses of a Told"):
        Accountant(IndependentRecords()).add(Told())
