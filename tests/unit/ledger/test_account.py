"""Accounts and reservations: what they take, what they refuse, and in which words."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privet import IndependentRecords, Ledger, MarkovChain, MarkovFramework, RecordLoss
from privet.errors import BudgetExceededError, LedgerError, ParameterError, ParameterTypeError
from privet.ledger import entries

LOSS = RecordLoss.constant(3, "1/4")
CHAIN = MarkovChain(["1/2", "1/2"], [["0.6", "0.4"], ["0.4", "0.6"]])


@pytest.fixture
def ledger() -> Ledger:
    return Ledger.open("memory:")


def test_a_reservation_counts_from_the_moment_it_is_given(ledger: Ledger) -> None:
    account = ledger.account("diary", IndependentRecords(1), "0.5")
    reservation = account.reserve(LOSS)
    assert reservation.spent_before == 0
    assert reservation.spent_after == Fraction(1, 4)
    assert account.spent() == account.remaining() == Fraction(1, 4)
    reservation.commit()
    assert account.spent() == Fraction(1, 4)


def test_a_refusal_says_what_it_would_come_to_and_writes_nothing(ledger: Ledger) -> None:
    account = ledger.account("diary", IndependentRecords(1), "0.5")
    account.reserve(LOSS)
    rows = list(ledger.export())
    with pytest.raises(
        BudgetExceededError, match=r"from epsilon 0\.25 to 0\.75, above its budget of 0\.5"
    ) as caught:
        account.reserve(RecordLoss.constant(3, "1/2"))
    payload = caught.value.payload
    assert (payload["epsilon"], payload["budget"], payload["spent"], payload["cost"]) == (
        Fraction(3, 4), Fraction(1, 2), Fraction(1, 4), Fraction(1, 2),
    )  # fmt: skip
    assert list(ledger.export()) == rows
    account.reserve(LOSS)  # to the last bit
    assert account.remaining() == 0


def test_void_gives_back_and_commit_does_not(ledger: Ledger) -> None:
    account = ledger.account("diary", IndependentRecords(1), 1)
    first, second = account.reserve(LOSS), account.reserve(LOSS)
    first.void("the source was not readable")
    assert account.spent() == Fraction(1, 4)
    second.commit({"kind": "words"})
    with pytest.raises(LedgerError, match="was committed before, so it cannot be made void"):
        second.void("too late")
    with pytest.raises(LedgerError, match="was made void before, so it cannot be committed"):
        first.commit()
    with pytest.raises(LedgerError, match="was committed before, so it cannot be committed"):
        second.commit()
    with pytest.raises(ParameterError, match="without a reason"):
        account.reserve(LOSS).void(" ")
    assert [entry.state for entry in account.history()] == [
        None, "void", "committed", None, None, "reserved",
    ]  # fmt: skip


def test_history_says_who_what_and_why(ledger: Ledger) -> None:
    account = ledger.account("diary", IndependentRecords(1), 1, who="owner")
    account.reserve(LOSS, person="p1", note="May", seeded=True, who="ada").void("no", who="bob")
    account.set_budget(2, who="owner")
    made, reserved, void, budget = account.history()
    assert (made.kind, made.who) == ("account", "owner")
    assert (made.budget, made.spent) == (Fraction(1), Fraction(0))
    assert (reserved.person, reserved.note, reserved.who) == ("p1", "May", "ada")
    assert reserved.seeded
    assert (reserved.loss, reserved.spent, reserved.state) == (LOSS, Fraction(1, 4), "void")
    assert (void.reason, void.who, void.spent) == ("no", "bob", Fraction(0))
    assert (budget.kind, budget.budget, budget.spent) == ("budget", Fraction(2), Fraction(0))


def test_a_budget_cannot_go_below_what_is_spent(ledger: Ledger) -> None:
    account = ledger.account("diary", IndependentRecords(1), 1)
    account.reserve(LOSS)
    account.set_budget("1/4")
    assert account.remaining() == 0
    with pytest.raises(LedgerError, match=r"epsilon 0\.25 is spent"):
        account.set_budget("0.2")
    assert account.budget == Fraction(1, 4)


def test_the_order_is_that_of_the_numbers_whatever_the_clocks_say(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = ledger.account("diary", IndependentRecords(1), 10)
    from privet.ledger import books

    for year in ("2040", "2020", "2031"):
        monkeypatch.setattr(books, "now", lambda year=year: f"{year}-01-01T00:00:00Z")
        account.reserve(LOSS, note=year)
    history = account.history()[1:]
    assert [entry.note for entry in history] == ["2040", "2020", "2031"]
    assert [entry.number for entry in history] == [2, 3, 4]
    assert [entry.spent for entry in history] == [Fraction(n, 4) for n in (1, 2, 3)]
    assert ledger.verify().ok


def test_an_account_is_opened_as_it_was_made_or_not_at_all(ledger: Ledger) -> None:
    markov = MarkovFramework(CHAIN)
    ledger.account("rows", IndependentRecords(2), 1)
    ledger.account("series", markov, 1)
    assert ledger.account("series", MarkovFramework(CHAIN), 1).framework == markov
    assert ledger.account("rows").framework == IndependentRecords(2)
    assert ledger.accounts() == ["rows", "series"]
    for framework, budget, unit, words in (
        (IndependentRecords(1), 1, None, r"exists with IndependentRecords\(unit=2\)"),
        (markov, 1, None, "exists with IndependentRecords"),
        (IndependentRecords(2), 2, None, "exists with a budget of 1"),
        (IndependentRecords(2), 1, "value", "exists with the unit 'row'"),
    ):
        with pytest.raises(LedgerError, match=words):
            ledger.account("rows", framework, budget, unit=unit)
    with pytest.raises(LedgerError, match=r"no account 'other'; it has 'rows', 'series'"):
        ledger.account("other")
    with pytest.raises(LedgerError, match="no account 'other'"):
        ledger.account("other", IndependentRecords(1))


def test_records_of_another_kind_do_not_add_up(ledger: Ledger) -> None:
    account = ledger.account("diary", MarkovFramework(CHAIN), 5, unit="symbol")
    assert account.unit == "step"
    account.reserve(LOSS, unit="symbol")
    account.reserve(LOSS, unit="step")
    with pytest.raises(LedgerError, match="counts losses per step, and this release loses per row"):
        account.reserve(LOSS, unit="row")
    with pytest.raises(ParameterError):
        ledger.account("x", IndependentRecords(1), 1, unit="person")


@pytest.mark.parametrize(
    "arguments",
    [
        {"loss": 1},
        {"loss": LOSS, "person": 7},
        {"loss": LOSS, "person": ""},
        {"loss": LOSS, "person": "a\nb"},
        {"loss": LOSS, "note": "x" * 5000},
        {"loss": LOSS, "note": "\0"},
        {"loss": LOSS, "who": ""},
        {"loss": LOSS, "unit": "mile"},
    ],
)
def test_what_is_no_charge_is_refused_before_anything_is_written(
    ledger: Ledger, arguments: dict[str, Any]
) -> None:
    account = ledger.account("diary", IndependentRecords(1), 5)
    with pytest.raises(ParameterError):
        account.reserve(arguments.pop("loss"), **arguments)
    assert len(list(ledger.export())) == 1


@pytest.mark.parametrize("budget", [0, -1, float("nan"), True, "much"])
def test_a_budget_is_an_epsilon(ledger: Ledger, budget: Any) -> None:
    with pytest.raises(ParameterError):
        ledger.account("diary", IndependentRecords(1), budget)
    assert ledger.accounts() == []


def test_a_framework_is_needed_that_can_be_written_down(ledger: Ledger) -> None:
    with pytest.raises(ParameterTypeError, match="not a framework"):
        ledger.account("diary", "independent", 1)  # type: ignore[arg-type]  # refused: the test


@pytest.mark.parametrize("receipt", [{"a": {1, 2}}, {"a": float("nan")}])
def test_a_receipt_consists_of_json_values(ledger: Ledger, receipt: dict[str, Any]) -> None:
    reservation = ledger.account("diary", IndependentRecords(1), 1).reserve(LOSS)
    with pytest.raises(ParameterError, match="JSON"):
        reservation.commit(receipt)
    assert reservation.state == "reserved"


def test_an_unknown_reservation_is_an_error(ledger: Ledger) -> None:
    with pytest.raises(LedgerError, match="no reservation of that id"):
        ledger.reservation("0" * 16)


def test_another_version_that_says_more_is_reported_and_is_no_fault(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    account = ledger.account("diary", IndependentRecords(1), 1)
    account.reserve(LOSS)
    real = IndependentRecords.epsilon
    monkeypatch.setattr(IndependentRecords, "epsilon", lambda self, loss: real(self, loss) * 2)
    verification = ledger.verify()
    assert verification.ok
    (restated,) = verification.restated
    assert (restated.account, restated.stated, restated.now) == (
        "diary",
        Fraction(1, 4),
        Fraction(1, 2),
    )
    assert ledger.verify(recompute=False).restated == ()
    monkeypatch.setattr(IndependentRecords, "epsilon", lambda self, loss: real(self, loss) / 2)
    assert ledger.verify().restated == ()


def test_who_writes_is_known_without_being_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "@" in entries.somebody(None)
    monkeypatch.setattr("getpass.getuser", lambda: (_ for _ in ()).throw(OSError()))
    assert entries.somebody(None).startswith("unknown@")


def test_a_path_may_be_a_path_or_text_or_a_url(tmp_path: Path) -> None:
    place = tmp_path / "a b%.db"
    Ledger.open(place, create=True).account("x", IndependentRecords(1), 1)
    for address in (place, str(place), f"sqlite:///{place}"):
        with Ledger.open(address) as ledger:
            assert ledger.accounts() == ["x"]


def test_the_same_letters_are_one_person_and_one_account(ledger: Ledger) -> None:
    composed, parts = "Jos\u00e9", "Jose\u0301"
    account = ledger.account(composed, IndependentRecords(1), "0.4")
    assert ledger.account(parts).name == composed
    account.reserve(LOSS, person=parts)
    with pytest.raises(BudgetExceededError):
        account.reserve(LOSS, person=composed)
    for blank in ("Ann ", " Ann", "Ann\u00a0"):
        with pytest.raises(ParameterError, match=r"blank|cannot be printed"):
            account.reserve(LOSS, person=blank)
        with pytest.raises(ParameterError, match=r"blank|cannot be printed"):
            ledger.account(blank, IndependentRecords(1), 1)


def test_a_writer_whose_name_is_no_text_can_be_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "\udcff")
    with Ledger.open(tmp_path / "a.db", create=True) as ledger:
        account = ledger.account("one", IndependentRecords(1), 1)
        account.reserve(LOSS).commit()
        assert account.history()[1].who.startswith("\\udcff@")
        assert ledger.verify().ok


def test_an_account_for_one_person_charges_that_person(ledger: Ledger) -> None:
    account = ledger.account("s", IndependentRecords(), 3)
    ada, bob = account.for_person("ada"), account.for_person("bob")
    assert (account.person, ada.person, ada.name) == (None, "ada", "s")
    ada.reserve(LOSS)
    bob.reserve(LOSS)
    assert [entry.person for entry in account.history() if entry.kind == "reserve"] == [
        "ada",
        "bob",
    ]
    assert account.spent() == LOSS.maximum  # of the worst person, not the sum
    assert ada.record_loss() == account.record_loss("ada") == LOSS
    assert ada.cost(LOSS) == account.cost(LOSS, person="ada") == 2 * LOSS.maximum
    assert account.cost(LOSS) == 2 * LOSS.maximum  # everybody: ada again, and bob
    assert "ada" in repr(ada)


def test_an_account_for_one_person_is_of_no_other(ledger: Ledger) -> None:
    ada = ledger.account("s", IndependentRecords(), 3).for_person("ada")
    assert ada.for_person("ada").person == "ada"
    for ask in (
        lambda: ada.for_person("bob"),
        lambda: ada.reserve(LOSS, person="bob"),
        lambda: ada.cost(LOSS, person="bob"),
        lambda: ada.record_loss("bob"),
    ):
        with pytest.raises(ParameterError, match="another one was named") as caught:
            ask()
        assert "bob" not in str(caught.value)
    for wrong in ("", 7):
        with pytest.raises(ParameterError):
            ledger.account("s").for_person(wrong)  # type: ignore[arg-type]  # refused at run time
