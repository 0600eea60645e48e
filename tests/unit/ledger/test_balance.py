"""The worst of many persons: exact where it refuses, quick where it need not be exact."""

from fractions import Fraction
from typing import Any

import pytest

from privet import IndependentRecords, Ledger, MarkovChain, MarkovFramework, RecordLoss
from privet.errors import BudgetExceededError
from privet.ledger.balance import MANY_HISTORIES
from privet.ledger.people import People

PAIRS = IndependentRecords(2)


def only(position: int, value: int = 1) -> RecordLoss:
    return RecordLoss.segment(200, position, position + 1, value)


class Counted:
    """How often an epsilon is worked out."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        real = IndependentRecords.epsilon

        def counting(framework: IndependentRecords, loss: RecordLoss) -> Fraction:
            self.count += 1
            return real(framework, loss)

        monkeypatch.setattr(IndependentRecords, "epsilon", counting)


def test_the_worst_person_decides() -> None:
    account = Ledger.open("memory:").account("a", PAIRS, 10)
    account.reserve(only(0), person="ada")
    account.reserve(only(1, 2), person="bob")
    account.reserve(only(1, 3), person="bob")
    account.reserve(only(5))
    assert account.spent() == 6  # bob: 5 + 1; ada: 1 + 1
    assert account.cost(only(0, 4), person="ada") == 6
    assert account.cost(only(0, 7), person="ada") == 9
    assert account.record_loss("ada") == only(0) + only(5)
    assert account.record_loss() == account.record_loss("somebody else") == only(5)


def test_a_refusal_is_exact_however_many_persons_there_are() -> None:
    # Each person loses 1 at another place. Of all of them at once, two records would lose 2.
    ledger = Ledger.open("memory:")
    tight, roomy = ledger.account("tight", PAIRS, 1), ledger.account("roomy", PAIRS, 3)
    for number in range(MANY_HISTORIES + 5):
        for account in (tight, roomy):
            account.reserve(only(number), person=f"p{number}")
    assert tight.spent() == 1  # exact, where the bound of 2 is above the budget
    assert roomy.spent() == 2  # the bound, which the budget allows
    with pytest.raises(BudgetExceededError) as caught:
        tight.reserve(only(150))
    assert (caught.value.payload["epsilon"], caught.value.payload["cost"]) == (2, 1)
    tight.set_budget("3/2")  # the bound is above this one as well
    tight.reserve(RecordLoss.segment(200, 150, 151, "1/2"))
    assert tight.spent() == Fraction(3, 2)


def test_a_budget_may_come_down_to_what_is_really_spent() -> None:
    account = Ledger.open("memory:").account("a", PAIRS, 3)
    for number in range(MANY_HISTORIES + 5):
        account.reserve(only(number), person=f"p{number}")
    assert account.spent() == 2
    account.set_budget(1)
    assert account.spent() == 1


def test_a_release_about_everybody_costs_the_same_however_many_persons_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    account = Ledger.open("memory:").account("a", PAIRS, 100)
    for number in range(100):
        account.reserve(only(number), person=f"p{number}")
    counted = Counted(monkeypatch)
    account.reserve(only(150))
    assert counted.count <= 2


def test_persons_with_equal_histories_are_one() -> None:
    people = People()
    for number in range(50):
        people.add(f"p{number}", only(3))
    assert list(people.different) == [only(3)]
    people.add("p7", only(4))
    people.take_away("p7", only(3))
    assert set(people.different) == {only(3), only(4)}
    people.take_away("p7", only(4))
    assert people.largest == only(3)


def test_an_account_of_a_chain_charges_less_than_the_sum() -> None:
    chain = MarkovChain(["1/2", "1/2"], [["0.6", "0.4"], ["0.4", "0.6"]])
    framework = MarkovFramework(chain, initial="stationary")
    account = Ledger.open("memory:").account("a", framework, 3)
    loss = RecordLoss.constant(50, "0.1")
    alone = framework.epsilon(loss)
    for _ in range(5):
        account.reserve(loss).commit()
    assert account.spent() == framework.epsilon(
        RecordLoss.constant(50, "0.1")
        + RecordLoss.from_json({"bits": 64, "pieces": [[50, str(4 * int(loss.maximum * 2**64))]]})
    )
    assert account.spent() <= 5 * alone
    assert account.unit == "step"


def test_losses_of_different_lengths_add_up() -> None:
    account = Ledger.open("memory:").account("a", IndependentRecords(1), 10)
    account.reserve(RecordLoss.constant(3, 1))
    account.reserve(RecordLoss.constant(8, 2))
    assert account.record_loss() == RecordLoss.from_values([3, 3, 3, 2, 2, 2, 2, 2])


def test_opening_reads_from_the_last_checkpoint_on(tmp_path: Any) -> None:
    place = tmp_path / "a.db"
    with Ledger.open(place, create=True) as ledger:
        ledger._books._every = 20
        account = ledger.account("a", IndependentRecords(1), 1000)
        for _ in range(60):
            account.reserve(only(3)).commit()
        spent = account.spent()
    with Ledger.open(place) as ledger:
        read: list[int] = []
        session_rows = type(ledger._store).reading
        with session_rows(ledger._store) as session:
            kind = type(session)
        real = kind.rows

        def counting(self: Any, after: int = 0, account: str | None = None) -> Any:
            for row in real(self, after, account):
                read.append(row.number)
                yield row

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kind, "rows", counting)
            assert ledger.account("a").spent() == spent == 60
        assert len(read) < 40
