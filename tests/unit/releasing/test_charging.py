"""What a release costs an account, which accounts it refuses, and that nothing is drawn then."""

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts import CHAIN, DAY, DIARY, TABLE, VOTE, WORDS, NoBits, account, rows_of
from privet import (
    Alphabet,
    ChainBox,
    Exponential,
    IndependentRecords,
    Language,
    Ledger,
    MarkovChain,
    MarkovFramework,
    MarkovLaplace,
    RandomizedResponse,
    RecordLoss,
    Wasserstein,
    WordExponential,
    Words,
    WordStaircase,
    decode_release,
    queries,
    release,
)
from privet.errors import (
    BudgetExceededError,
    DomainError,
    FileFormatError,
    ParameterError,
    ParameterTypeError,
)
from privet.ledger import Account
from privet.randomness import using_source
from privet.releasing import Answer, Receipt
from privet.releasing.charging import Charge


def refused(wanted: Account, *arguments: Any, says: str, hint: str = "", **options: Any) -> None:
    """The account is not for this release: found before a bit is drawn or a row is written."""
    with using_source(NoBits()), pytest.raises(ParameterError, match=says) as caught:
        release(*arguments, ledger=wanted, **options)
    assert hint in caught.value.hint
    assert [entry.kind for entry in wanted.history()] == ["account"]


# ------------------------------------------------------------------------------ what is charged


def test_a_table_costs_the_sum_of_its_columns_in_every_row(ledger: Ledger) -> None:
    survey = account(ledger)
    done = release(rows_of(), TABLE, ledger=survey)
    loss = sum(m.record_loss(1).maximum for m in rows_of().values())
    assert survey.record_loss() == RecordLoss.constant(3, loss)
    assert survey.spent() == loss <= 2
    assert done.receipt.ledger == {
        "account": survey.name,
        "entry": survey.history()[1].reservation,
        "spent_before": "0",
        "spent_after": str(loss),
    }
    assert "with this release" in str(done.receipt)


def test_several_releases_add_up_row_by_row(ledger: Ledger) -> None:
    survey = account(ledger)
    first = release({"vote": RandomizedResponse(VOTE, epsilon=1)}, TABLE, ledger=survey).receipt
    second = release({"tv": RandomizedResponse(DAY, epsilon="0.5")}, TABLE, ledger=survey).receipt
    assert first.ledger is not None
    assert second.ledger is not None
    assert second.ledger["spent_before"] == first.ledger["spent_after"]
    assert survey.spent() == (first.record_loss + second.record_loss).maximum


@pytest.mark.parametrize("epsilon", ["1/3", "0.1", 1, "2/7"])
def test_a_budget_is_used_up_to_its_last_share(ledger: Ledger, epsilon: str) -> None:
    """Losses are rounded up to a multiple of 2^-64, which may not cost the last release."""
    share, times = Fraction(epsilon), 6
    survey = account(ledger, budget=share * times)
    for _ in range(times):
        release({"vote": RandomizedResponse(VOTE, epsilon=epsilon)}, TABLE, ledger=survey)
    with pytest.raises(BudgetExceededError):
        release({"vote": RandomizedResponse(VOTE, epsilon=epsilon)}, TABLE, ledger=survey)


def test_the_rows_of_a_person_cost_as_many_times(ledger: Ledger) -> None:
    persons = account(ledger, IndependentRecords(2))
    done = release(rows_of(), TABLE, person="who", rows_per_person=2, ledger=persons)
    assert persons.spent() == 2 * sum(m.record_loss(1).maximum for m in rows_of().values())
    assert persons.spent() <= done.receipt.guarantee.epsilon == 4


def test_an_account_of_all_rows_covers_any_number_of_them(ledger: Ledger) -> None:
    everything = account(ledger, IndependentRecords("all"))
    release(rows_of(), TABLE, person="who", rows_per_person=2, ledger=everything)
    assert everything.spent() == 3 * sum(m.record_loss(1).maximum for m in rows_of().values())


def test_words_cost_each_position_of_the_longest(ledger: Ledger) -> None:
    diary = account(ledger, IndependentRecords(2), unit="step")
    mechanism = RandomizedResponse(DAY, epsilon=1)
    release(mechanism, WORDS, adjacency=2, ledger=diary)
    assert diary.record_loss() == RecordLoss.constant(5, mechanism.record_loss(1).maximum)
    exponential = WordExponential(Language.all(DAY), epsilon=1, adjacency=2)
    before = diary.spent()
    release(exponential, WORDS, ledger=diary)
    longest = exponential.record_loss(5).maximum
    assert diary.spent() == before + 2 * longest


def test_a_staircase_costs_its_epsilon_for_each_symbol(ledger: Ledger) -> None:
    """Its record loss is all that is known of it beside other releases."""
    diary = account(ledger, IndependentRecords(2), unit="symbol")
    release(WordStaircase(DAY, epsilon=1, adjacency=2), WORDS, ledger=diary)
    assert Fraction(19, 10) < diary.spent() <= 2


def test_values_symbols_and_choices_are_records_of_their_own_kind(ledger: Ledger) -> None:
    mechanism = RandomizedResponse(VOTE, epsilon=1)
    values = account(ledger, unit="value")
    release(mechanism, ["Clinton", "Dole"], ledger=values)
    assert values.record_loss() == RecordLoss.constant(2, mechanism.record_loss(1).maximum)
    word = account(ledger, unit="step")
    release(mechanism, ["Clinton", "Dole"], adjacency=1, ledger=word)
    assert word.spent() == values.spent()
    choices = account(ledger, unit="choice")
    table = Exponential(["a", "b"], scores={"x": [0, 1], "y": [1, 0]}, sensitivity=1, epsilon=1)
    release(table, "x", ledger=choices)
    assert choices.record_loss() == table.record_loss(1)
    by_function = Exponential(
        ["a", "b"], scores=lambda x, y: int((x == "x") == (y == "b")), sensitivity=1, epsilon=1
    )
    release(by_function, "x", ledger=choices)
    assert len(choices.history()) == 5


def test_with_a_delta_the_loss_that_holds_without_one_is_charged(ledger: Ledger) -> None:
    survey = account(ledger)
    mechanism = RandomizedResponse(VOTE, epsilon=1, delta="0.1")
    done = release({"vote": mechanism}, TABLE, ledger=survey)
    assert survey.spent() == mechanism.record_loss(1).maximum > done.receipt.guarantee.epsilon


def test_a_receipt_states_a_loss_that_covers_series_of_every_length() -> None:
    # A short series may lose more at a step than a long one, if the constant is the user's own.
    steep = queries.Own(len, constant=lambda count: 3 if count == 2 else 1, name="steep")
    done = release(MarkovLaplace(DIARY, epsilon=1), WORDS, query=steep)
    answer = done.receipt.parts[0]
    assert isinstance(answer, Answer)
    stated = done.receipt.record_loss
    assert len(stated) == 5
    for steps in (2, 3, 5):
        loss = answer.loss_of(steps)
        assert all(loss.at(node) <= stated.at(node) for node in range(steps))
    assert answer.loss_of(2).at(0) > answer.loss_of(5).at(0)


def test_a_query_costs_the_largest_loss_over_the_lengths(ledger: Ledger) -> None:
    diary = account(ledger, DIARY)
    mechanism = MarkovLaplace(DIARY, epsilon=1)
    asked = queries.count("sick")
    release(mechanism, WORDS, query=asked, nodes=(0, 2), ledger=diary)
    losses = [mechanism.record_loss(n, asked, (0, 2), among=[2, 3, 5]) for n in (2, 3, 5)]
    assert diary.record_loss() == RecordLoss.largest_of(losses)
    assert diary.spent() == DIARY.epsilon(RecordLoss.largest_of(losses))
    told = "query: count=sick of series, steps 0 to 1, markov-laplace, epsilon 1"
    assert diary.history()[1].note == told  # which two counts would not have alike


def test_two_queries_cost_what_their_losses_cost_together(ledger: Ledger) -> None:
    diary = account(ledger, DIARY)
    words = Words.from_lists(DAY, [["home", "work", "sick", "home"]])
    mechanism = MarkovLaplace(DIARY, epsilon=1)
    one = release(mechanism, words, query="histogram", ledger=diary).receipt
    two = release(mechanism, words, query=queries.count("sick"), ledger=diary).receipt
    assert diary.spent() == DIARY.epsilon(one.record_loss + two.record_loss)
    assert two.ledger is not None
    assert Fraction(two.ledger["spent_after"]) == diary.spent()


def test_words_are_charged_to_an_account_of_series(ledger: Ledger) -> None:
    """Any private release of symbols has a record loss, of which the chains make more."""
    diary = account(ledger, DIARY)
    mechanism = RandomizedResponse(DAY, epsilon="0.5")
    release(mechanism, Words.from_lists(DAY, [["home", "work", "sick"]]), ledger=diary)
    loss = RecordLoss.constant(3, mechanism.record_loss(1).maximum)
    assert diary.spent() == DIARY.epsilon(loss) > Fraction(1, 2)
    release(MarkovLaplace(DIARY, epsilon=1), ["home", "work"], query="histogram", ledger=diary)
    assert diary.spent() > DIARY.epsilon(loss)


def test_the_states_may_stand_in_another_order(ledger: Ledger) -> None:
    diary = account(ledger, DIARY)
    turned = Alphabet(["sick", "home", "work"])
    words = Words.from_lists(turned, [["home", "work", "sick"]])
    release(RandomizedResponse(turned, epsilon=1), words, ledger=diary)
    words = Words.from_lists(turned, [["home", "sick"]])
    with pytest.raises(DomainError, match="Word 0 cannot happen"):
        release(RandomizedResponse(turned, epsilon=1), words, ledger=diary)
    assert len(diary.history()) == 3


def test_a_box_of_chains_is_a_framework_too(ledger: Ledger) -> None:
    lower, upper = [["0.4", "0.2"], ["0.2", "0.4"]], [["0.8", "0.6"], ["0.6", "0.8"]]
    box = MarkovFramework(ChainBox(lower, upper, ["Clinton", "Dole"]))
    town = account(ledger, box)
    release(MarkovLaplace(box, epsilon=1), ["Clinton"] * 4, query="histogram", ledger=town)
    assert Fraction(9, 10) < town.spent() <= Fraction(1_000_001, 1_000_000)


def test_decoding_costs_nothing_before_or_after(ledger: Ledger) -> None:
    steps = account(ledger, unit="step")
    mechanism = RandomizedResponse(DAY, epsilon=1)
    decoded = release(mechanism, WORDS, decode=CHAIN, ledger=steps)
    assert steps.spent() == mechanism.record_loss(1).maximum
    plain = release(mechanism, WORDS, ledger=steps)
    spent = steps.spent()
    later = decode_release(plain, CHAIN)
    assert steps.spent() == spent
    assert later.receipt.ledger == plain.receipt.ledger != decoded.receipt.ledger


# ------------------------------------------------------------------------ accounts that do not fit


def test_an_account_of_another_unit_is_refused(ledger: Ledger) -> None:
    refused(
        account(ledger, IndependentRecords(2)),
        rows_of(),
        TABLE,
        person="who",
        rows_per_person=3,
        says=r"protects 3 rows at once, and account 'a0' protects 2 rows",
        hint="IndependentRecords(3)",
    )
    refused(
        account(ledger, unit="step"),
        RandomizedResponse(DAY, epsilon=1),
        WORDS,
        adjacency=4,
        says="protects 4 steps .* at once",
        hint="IndependentRecords(4)",
    )


def test_an_account_of_other_records_is_refused(ledger: Ledger) -> None:
    refused(
        account(ledger),
        RandomizedResponse(DAY, epsilon=1),
        WORDS,
        says=r"counts rows, and this release is of steps \(symbols\)",
        hint="unit='step'",
    )
    refused(account(ledger, DIARY), rows_of(), TABLE, says="counts steps .*is of rows")


def test_a_query_needs_the_account_of_its_own_chains(ledger: Ledger) -> None:
    ask = MarkovLaplace(DIARY, epsilon=1), WORDS
    refused(
        account(ledger, unit="step"),
        *ask,
        query="histogram",
        says="takes the records to be independent",
        hint="the framework of the query's mechanism",
    )
    refused(
        account(ledger, MarkovFramework(CHAIN, initial="any")),
        *ask,
        query="histogram",
        says="has other chains, or another start",
        hint="account.framework",
    )


def test_the_framework_that_the_ledger_gives_back_is_the_same(ledger: Ledger) -> None:
    fitted = MarkovFramework(MarkovChain.fit(WORDS, pseudocount="0.5"), initial="stationary")
    made = account(ledger, fitted)
    assert ledger.account(made.name).framework == fitted
    release(MarkovLaplace(fitted, epsilon=1), WORDS, query="histogram", ledger=made)


def test_words_that_an_account_of_series_cannot_hold(ledger: Ledger) -> None:
    refused(
        account(ledger, DIARY),
        RandomizedResponse(DAY, epsilon=1),
        Words.from_lists(DAY, [["home", "work", "sick"]]),
        adjacency=2,
        says="protects 2 symbols at once, and Account 'a0' one step",
        hint="adjacency=1",
    )
    more = Alphabet(["home", "work", "sick", "unknown"])
    refused(
        account(ledger, DIARY),
        RandomizedResponse(more, epsilon=1),
        Words.from_lists(more, [["home", "work"]]),
        says="states of account 'a1' are not the symbols",
    )
    impossible = account(ledger, DIARY)
    words = Words.from_lists(DAY, [["home", "work"], ["work", "home", "sick"]])
    with pytest.raises(DomainError, match="Word 1 cannot happen") as caught:
        release(RandomizedResponse(DAY, epsilon=1), words, ledger=impossible)
    assert caught.value.payload["position"] == 2
    assert impossible.spent() == 0


def test_what_has_no_record_loss_cannot_be_charged(ledger: Ledger) -> None:
    refused(
        account(ledger, DIARY),
        Wasserstein(DIARY, epsilon=1),
        Words.from_lists(DAY, [["home", "work"]]),
        query=queries.count("home"),
        says="has no record loss",
        hint="MarkovLaplace",
    )


@pytest.mark.parametrize("given", ["spend.db", 3, True])
def test_what_is_no_account(given: Any) -> None:
    with pytest.raises(ParameterTypeError, match="is not an account"):
        release(rows_of(), TABLE, ledger=given)


def test_a_ledger_is_not_yet_an_account(ledger: Ledger) -> None:
    with pytest.raises(ParameterTypeError, match="A Ledger is not an account") as caught:
        release(rows_of(), TABLE, ledger=ledger)  # type: ignore[arg-type]  # which is the test
    assert ".account(" in caught.value.hint


# ----------------------------------------------------------------------------------- the receipt


def test_a_receipt_names_its_entry_or_none(ledger: Ledger) -> None:
    done = release(rows_of(), TABLE, ledger=account(ledger)).receipt
    assert Receipt.from_json(json.loads(done.to_text())) == done
    free = release(rows_of(), TABLE).receipt
    assert free.to_json()["ledger"] is None
    old = {name: value for name, value in free.to_json().items() if name != "ledger"}
    assert Receipt.from_json(old) == free


@pytest.mark.parametrize(
    "change",
    [
        {"spent_after": "0"},
        {"spent_before": "-1"},
        {"entry": ""},
        {"account": 3},
        {"more": "text"},
        {"spent_before": "some"},
    ],
)
def test_a_receipt_whose_account_contradicts_itself(ledger: Ledger, change: dict[str, Any]) -> None:
    survey = account(ledger)
    release(rows_of(), TABLE, ledger=survey)
    content = release(rows_of(), TABLE, ledger=survey).receipt.to_json()
    content["ledger"] = {**content["ledger"], **change}
    with pytest.raises(FileFormatError):
        Receipt.from_json(content)


# ------------------------------------------------------------------------------ the largest loss


LOSSES = st.lists(
    st.lists(st.integers(0, 3), min_size=0, max_size=8).map(RecordLoss.from_values),
    max_size=5,
)


@given(LOSSES)
def test_the_largest_loss_at_each_position(losses: list[RecordLoss]) -> None:
    length = max(map(len, losses), default=0)
    found = RecordLoss.largest_of(losses)
    values = [Fraction(0)] * length
    for loss in losses:
        for start, stop, value in loss.pieces:
            values[start:stop] = [max(value, other) for other in values[start:stop]]
    assert found == RecordLoss.from_values(values)
    assert len(found) == length


def test_a_charge_is_made_of_the_receipt_alone() -> None:
    done = release(rows_of(), TABLE, person="who", rows_per_person=2).receipt
    again = Receipt.from_json(json.loads(done.to_text()))
    assert Charge.of(again) == Charge.of(done)
    assert (Charge.of(done).records, Charge.of(done).covered) == ("row", 2)
