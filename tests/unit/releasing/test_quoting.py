"""Plans for an account: what each row would cost it, and what it would allow."""

from fractions import Fraction

import pytest

from accounts import CHAIN, DAY, DIARY, TABLE, VOTE, WORDS, account
from privet import (
    IndependentRecords,
    Language,
    Ledger,
    MarkovFramework,
    MarkovLaplace,
    RandomizedResponse,
    RecordLoss,
    Words,
    plan,
    plan_query,
    plan_table,
    release,
)
from privet.errors import (
    ParameterError,
)

# --------------------------------------------------------------------------------- plans and quotes


def test_a_plan_says_what_each_row_would_cost(ledger: Ledger) -> None:
    steps = account(ledger, IndependentRecords(2), budget=2, unit="step")
    release(RandomizedResponse(DAY, epsilon="0.5"), WORDS, adjacency=2, ledger=steps)
    found = plan(DAY, epsilon=1, length=5, adjacency=2, ledger=steps)
    quotes = {row.title: row.ledger for row in found.rows}
    response, staircase = quotes["randomised response"], quotes["staircase"]
    assert response is not None
    assert staircase is not None
    assert response.cost == 2 * RandomizedResponse(DAY, epsilon="1/2").record_loss(1).maximum
    assert (response.allowed, staircase.allowed) == (True, False)
    assert "to 3, above its budget of 2" in staircase.why_not
    assert found.recommended.allowed
    assert "not enough left for 2 of the rows" in found.reason  # permute-and-flip is the other
    assert "+1" in str(found)
    content = found.to_json()["mechanisms"][0]["ledger"]
    assert content["exact"]["cost"] == str(response.cost)
    after = response.after
    release(RandomizedResponse(DAY, epsilon="0.5"), WORDS, adjacency=2, ledger=steps)
    assert steps.spent() == after


def test_without_rows_the_longest_history_of_a_person_counts(ledger: Ledger) -> None:
    rows = account(ledger)
    rows.reserve(RecordLoss.from_values([0, 0, 0, 3]), person="ada")
    whole = plan_table({"vote": VOTE}, epsilon=2, rows=4, ledger=rows).ledger
    assert plan_table({"vote": VOTE}, epsilon=2, ledger=rows).ledger == whole
    assert whole is not None
    assert whole.after == pytest.approx(5)


def test_a_plan_that_the_account_allows_nothing_of(ledger: Ledger) -> None:
    rows = account(ledger, budget="0.1")
    found = plan(VOTE, epsilon=1, ledger=rows)
    assert not any(row.allowed for row in found.rows)
    assert "But the account allows none of them: it would bring account 'a0' to" in found.reason
    assert rows.spent() == 0


def test_a_plan_for_an_account_of_all_rows_needs_their_number(ledger: Ledger) -> None:
    everything = account(ledger, IndependentRecords("all"))
    with pytest.raises(ParameterError, match="protects all rows at once"):
        plan(VOTE, epsilon=1, ledger=everything)
    row = plan(VOTE, epsilon=1, ledger=everything, rows=3).rows[0]
    release({"vote": row.mechanism}, TABLE, ledger=everything)
    assert row.ledger is not None
    assert row.ledger.after == everything.spent()


def test_a_plan_for_an_account_that_does_not_fit(ledger: Ledger) -> None:
    with pytest.raises(ParameterError, match="protects 3 steps"):
        plan(DAY, epsilon=1, length=5, adjacency=3, ledger=account(ledger, unit="step"))
    other = account(ledger, MarkovFramework(CHAIN, initial="any"))
    with pytest.raises(ParameterError, match="other chains"):
        plan_query(DIARY, "histogram", epsilon=1, length=5, ledger=other)


def test_a_plan_on_a_language_is_quoted_too(ledger: Ledger) -> None:
    steps = account(ledger, budget="0.3", unit="step")
    found = plan(Language.from_chain(CHAIN), epsilon="0.5", length=4, ledger=steps)
    assert [row.ledger is not None for row in found.rows] == [True] * len(found.rows)
    assert not found.recommended.allowed


def test_a_plan_of_a_query_can_cost_less_than_its_epsilon(ledger: Ledger) -> None:
    """After a release about the first steps, one about far ones costs little on top."""
    diary = account(ledger, DIARY, budget=3)
    words = Words.from_lists(DAY, [["home", "work"] * 20])
    release(MarkovLaplace(DIARY, epsilon=1), words, query="histogram", nodes=(0, 5), ledger=diary)
    found = plan_query(DIARY, "histogram", epsilon=1, length=40, nodes=(30, 40), ledger=diary)
    best, transport = found.row("best of both"), found.row("Wasserstein").ledger
    assert best.ledger is not None
    assert best.ledger.cost is not None
    assert best.ledger.cost < Fraction(1, 10)
    assert transport is None or not transport.allowed
    assert best.mechanism is not None
    after = best.ledger.after
    release(best.mechanism, words, query="histogram", nodes=(30, 40), ledger=diary)
    assert diary.spent() == after
