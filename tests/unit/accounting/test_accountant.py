"""The accountant: golden values, budgets, persons, JSON, explanations."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privet import (
    Accountant,
    Alphabet,
    BudgetExceededError,
    ChainBox,
    DataError,
    Exponential,
    IndependentRecords,
    MarkovChain,
    MarkovFramework,
    MarkovQuilt,
    ParameterError,
    ParameterTypeError,
    RandomizedResponse,
    RecordLoss,
    WordExponential,
    WordStaircase,
    datasets,
    queries,
)
from privet.accounting.explanation import MOST_LINES
from privet.chains import quilt_epsilon
from privet.chains.propagation import bound
from privet.chains.propagation.sweep import MANY

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "quilt.json").read_text())["cases"]
STEADY = MarkovChain(["1/2", "1/2"], [["4/5", "1/5"], ["1/5", "4/5"]], ["a", "b"])
THREE = MarkovChain(
    ["1/3", "1/3", "1/3"],
    [["1/2", "1/4", "1/4"], ["1/5", "3/5", "1/5"], ["1/10", "1/5", "7/10"]],
)


def steady() -> MarkovFramework:
    return MarkovFramework(STEADY, initial="stationary")


@pytest.mark.parametrize("case", GOLDEN)
def test_the_epsilon_lies_between_what_some_mechanism_reaches_and_both_bounds(
    case: dict[str, Any],
) -> None:
    chains = [MarkovChain(theta["initial"], theta["transition"]) for theta in case["theta"]]
    account = Accountant(MarkovFramework(chains))
    for node, value in enumerate(case["record_loss"]):
        account.add(RecordLoss.segment(int(case["length"]), node, node + 1, value))
    epsilon = account.epsilon()
    assert epsilon >= Fraction(case["least_epsilon"]) - Fraction(1, 10**7)
    limits = Fraction(case["joint_quilt_epsilon"]), Fraction(case["propagation_epsilon"])
    assert epsilon <= min(limits) + Fraction(1, 10**6)
    # The worst node is one of the nodes, and no node is worse.
    nodes = [account.epsilon_of(node) for node in range(int(case["length"]))]
    close = 1 + Fraction(1, 10**6)
    assert epsilon / close <= max(nodes) <= epsilon * close


@pytest.mark.parametrize(
    ("epsilon", "expected", "quilts"), [(1, "2.693", "5.324"), (5, "13.913", "14.632")]
)
def test_ten_quilt_releases_of_the_seattle_weather(
    epsilon: int, expected: str, quilts: str
) -> None:
    words = datasets.seattle().words()
    chain = MarkovChain.fit(words, pseudocount="0.5")
    framework = MarkovFramework(chain, initial="stationary")
    mechanism = MarkovQuilt(framework, epsilon=epsilon)
    loss = mechanism.record_loss(1461, queries.histogram())
    account = Accountant(framework).add(loss, times=10)
    assert float(account.epsilon()) == pytest.approx(float(expected), abs=1e-3)
    alone = quilt_epsilon(chain, "stationary", (10 * loss).pieces)
    assert float(alone.epsilon) == pytest.approx(float(quilts), abs=1e-3)
    older = {charge.theorem: charge.epsilon for charge in account.explain().older}
    assert older["III.7"] is not None
    assert float(older["III.7"]) == pytest.approx(10 * epsilon, rel=1e-6)


def test_sequential_and_parallel_at_once() -> None:
    account = Accountant(IndependentRecords())
    account.add(RecordLoss.segment(10, 0, 4, 1)).add(RecordLoss.segment(10, 4, 10, 2))
    assert account.epsilon() == 2
    assert account.add(RecordLoss.constant(10, "1/2"), times=3).epsilon() == Fraction(7, 2)
    assert [account.epsilon_of(node) for node in (3, 4)] == [Fraction(5, 2), Fraction(7, 2)]
    assert len(account) == 5
    pairs = Accountant(IndependentRecords(2)).add(RecordLoss.from_values([1, 3, 2]))
    assert pairs.epsilon() == 5
    assert [pairs.epsilon_of(node) for node in range(3)] == [4, 5, 5]
    whole = Accountant(IndependentRecords("all")).add(RecordLoss.from_values([1, 3, 2]))
    assert whole.epsilon() == whole.epsilon_of(0) == 6


@pytest.mark.parametrize("node", [-1, 3, True, 0.5])
@pytest.mark.parametrize("framework", [IndependentRecords(), steady()])
def test_a_record_that_is_not_there_has_no_epsilon(framework: Any, node: Any) -> None:
    account = Accountant(framework).add(RecordLoss.constant(3, 1))
    with pytest.raises(ParameterError):
        account.epsilon_of(node)
    with pytest.raises(ParameterError):
        account.add(RecordLoss.constant(3, 1), person="a").epsilon_of(node)


def test_a_node_of_a_chain_costs_more_near_the_release() -> None:
    account = Accountant(steady()).add(RecordLoss.segment(200, 90, 110, "1/10"))
    at = [account.epsilon_of(node) for node in (0, 80, 95, 100)]
    assert at[0] < at[1] < at[2] <= at[3] * (1 + Fraction(1, 10**9))
    assert account.epsilon() == pytest.approx(float(at[3]), rel=1e-6)


@pytest.mark.parametrize("framework", [IndependentRecords(), steady()])
def test_a_refusal_changes_nothing_and_equality_is_allowed(framework: Any) -> None:
    loss = RecordLoss.constant(50, "1/10")
    budget = Accountant(framework).add(loss, times=3).epsilon()
    account = Accountant(framework, budget=budget).add(loss, times=2)
    before = account.to_json()
    with pytest.raises(BudgetExceededError) as caught:
        account.add(loss, times=2, person="someone")
    assert account.to_json() == before
    assert caught.value.payload["epsilon"] == account.cost(loss, times=2)
    assert caught.value.payload["budget"] == budget
    assert caught.value.payload["spent"] == account.epsilon()
    assert caught.value.payload["cost"] == account.cost(loss, times=2) - account.epsilon()
    account.add(loss)
    assert account.epsilon() == budget
    assert account.remaining() == 0
    with pytest.raises(BudgetExceededError):
        account.add(RecordLoss.segment(50, 3, 4, Fraction(1, 2**64)), times=1 << 30)


def test_a_budget_set_later_counts_what_was_added_before() -> None:
    account = Accountant(IndependentRecords()).add(RecordLoss.constant(3, 1))
    account.budget = Fraction(1)
    with pytest.raises(BudgetExceededError):
        account.add(RecordLoss.constant(3, "1/2"))
    copy = Accountant.from_json({**account.to_json(), "budget": "1"})
    with pytest.raises(BudgetExceededError):
        copy.add(RecordLoss.constant(3, "1/2"))


def test_many_small_additions_stay_within_the_budget_on_a_chain() -> None:
    account = Accountant(steady(), budget="1/2")
    for start in range(0, 400, 4):
        try:
            account.add(RecordLoss.segment(400, start % 60, start % 60 + 4, "1/50"))
        except BudgetExceededError:
            break
    assert 20 < len(account) < 100
    assert account.epsilon() <= Fraction(1, 2)


def test_a_bound_that_jumps_does_not_exceed_the_budget_that_admitted_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # From MANY pieces on losses are merged if there is too much to walk: a coarser bound.
    monkeypatch.setattr(bound, "_MOST_WALKED", 800)
    values = [Fraction(5 if i % 9 == 0 else 1 + i % 2, 1000) for i in range(MANY - 2)]
    many = RecordLoss.from_values([*values, *[Fraction(1, 10**9)] * 400])
    more = RecordLoss.segment(len(many), 400, 401, Fraction(1, 10**6))
    framework = steady()
    alone, together = framework.epsilon(many), framework.epsilon(many + more)
    assert together > alone * Fraction(11, 10)  # and the sum of both is only a millionth more
    budget = alone * Fraction(101, 100)
    account = Accountant(framework, budget=budget).add(many).add(more, name="more")
    assert alone <= account.epsilon() <= alone + more.total
    assert account.remaining() == budget - account.epsilon() > 0
    assert account.explain().epsilon == account.epsilon()
    assert "added since" in str(account.explain())
    assert max(account.epsilon_of(node) for node in (0, 100, 400)) <= account.epsilon()
    with pytest.raises(BudgetExceededError) as caught:
        account.add(many)
    assert caught.value.payload["spent"] == account.epsilon() <= budget
    # Without the budget nothing else is known than what the searches find.
    assert Accountant(framework).add(many).add(more).epsilon() == together


def test_no_budget_no_remainder() -> None:
    with pytest.raises(ParameterError, match="no budget"):
        Accountant(IndependentRecords()).remaining()
    assert Accountant(steady(), budget=2).remaining() == 2
    assert Accountant(steady()).epsilon() == 0
    assert len(Accountant(steady()).add(RecordLoss.constant(3, 1), times=0)) == 0


@pytest.mark.parametrize("framework", [IndependentRecords(), IndependentRecords(2), steady()])
def test_the_worst_person_counts(framework: Any) -> None:
    account = Accountant(framework).add(RecordLoss.constant(30, "1/20"))
    everybody = account.epsilon()
    alone: dict[object, Fraction] = {}
    for number in range(40):
        loss = RecordLoss.segment(30, number % 29, number % 29 + 1 + number % 2, f"{number}/100")
        account.add(loss, person=number)
        alone[number] = framework.epsilon(account.record_loss(number))
    assert account.epsilon() == pytest.approx(float(max(alone.values())), rel=1e-9)
    assert alone[account.explain().person] == pytest.approx(float(account.epsilon()), rel=1e-9)
    assert account.record_loss("nobody") == account.record_loss()
    assert framework.epsilon(account.record_loss()) == everybody
    # Asked in between or not, and everybody last or first, the answer is the same.
    other = Accountant(framework)
    for number in range(40):
        loss = RecordLoss.segment(30, number % 29, number % 29 + 1 + number % 2, f"{number}/100")
        other.add(loss, person=number)
        if number % 7 == 0:
            other.epsilon()
    assert other.add(RecordLoss.constant(30, "1/20")).epsilon() == account.epsilon()


def test_persons_with_series_of_their_own_length() -> None:
    account = Accountant(steady())
    account.add(RecordLoss.constant(5, "1/10"), person="short")
    account.add(RecordLoss.constant(50, "1/10"), person="long")
    assert account.epsilon() == steady().epsilon(RecordLoss.constant(50, "1/10"))
    assert account.epsilon_of(40) == account.epsilon_of(40, person="long")
    with pytest.raises(ParameterError):
        account.epsilon_of(40, person="short")


def test_delta_helps_independent_records_and_is_harmless_on_chains() -> None:
    loss = RecordLoss.constant(4, "1/10")
    account = Accountant(IndependentRecords()).add(loss, times=100, person="a").add(loss)
    assert account.epsilon() == pytest.approx(10.1)
    assert account.epsilon("1e-6") < 5
    assert account.epsilon("1e-6") <= account.epsilon("1e-9") <= account.epsilon()
    series = Accountant(steady()).add(loss, times=100)
    assert series.epsilon("1e-6") == series.epsilon()
    for each in (account, series):
        with pytest.raises(ParameterError):
            each.epsilon(1)


def test_json_round_trip() -> None:
    for framework in (IndependentRecords("all"), steady(), MarkovFramework(_box())):
        account = (
            Accountant(framework, budget="1/3")
            if framework == steady()
            else (Accountant(framework))
        )
        account.add(RecordLoss.segment(9, 1, 4, "1/100"), times=3, name="first")
        account.add(RecordLoss.constant(9, "1/100"), person="a").add(
            RecordLoss.constant(3, "1/100"), person=7
        )
        data = json.loads(json.dumps(account.to_json()))
        copy = Accountant.from_json(data)
        assert copy.to_json() == data
        assert copy.epsilon() == account.epsilon()
        assert (copy.budget, len(copy)) == (account.budget, 5)


@pytest.mark.parametrize(
    "data", [{}, [], {"kind": "privet accountant"}, {"kind": "privet accountant", "framework": 3}]
)
def test_other_json_is_refused(data: Any) -> None:
    with pytest.raises((DataError, ParameterError, ValueError)):
        Accountant.from_json(data)


def _box() -> ChainBox:
    return ChainBox([["0.5", "0.3"], ["0.3", "0.5"]], [["0.7", "0.5"], ["0.5", "0.7"]], ["a", "b"])


class WithoutLoss:
    @property
    def record_loss(self) -> RecordLoss:
        raise ParameterError("This release has no record loss.")


class Receipt:
    record_loss = RecordLoss.constant(4, 1)


def test_what_can_be_added() -> None:
    account = Accountant(IndependentRecords()).add(Receipt(), name="receipt")
    assert account.epsilon() == 1
    with pytest.raises(ParameterError, match="no record loss"):
        account.add(WithoutLoss())
    mechanism: Any = RandomizedResponse(Alphabet(["a", "b"]), epsilon=1)
    for other in (mechanism, 3, "loss", None, Receipt):
        with pytest.raises(ParameterTypeError):
            account.add(other)  # type: ignore[arg-type]  # what the check is for
    with pytest.raises(ParameterTypeError):
        account.add(RecordLoss.constant(4, 1), times=2.0)  # type: ignore[arg-type]  # as above
    with pytest.raises(ParameterTypeError):
        account.add(RecordLoss.constant(4, 1), person=["a"])  # type: ignore[arg-type]  # as above
    with pytest.raises(ParameterError):
        Accountant(IndependentRecords(), budget=-1)
    with pytest.raises(ParameterTypeError):
        Accountant("records")  # type: ignore[arg-type]  # as above
    with pytest.raises(ParameterTypeError):
        Accountant(IndependentRecords()).add(RecordLoss.constant(4, 1), person=("a", 1)).to_json()
    assert account.epsilon() == 1


def test_an_explanation_by_propagation_names_the_states() -> None:
    account = Accountant(steady()).add(RecordLoss.constant(60, "1/20"), times=2, name="counts")
    why = account.explain()
    assert why.bound == "propagation"
    assert set(why.detail["states"]) == {"a", "b"}
    assert why.epsilon == account.epsilon()
    assert why.contributions[0].times == 2
    assert float(why.contributions[0].at_node) == pytest.approx(0.1)
    total = float(why.detail["loss"]) + why.detail["left"] + why.detail["right"]
    assert total == pytest.approx(float(why.epsilon), rel=1e-9)
    assert "'a'" in str(why)
    assert json.loads(json.dumps(why.to_json()))["bound"] == "propagation"


def test_an_explanation_by_a_quilt_adds_up() -> None:
    # Where nothing is known of ratios, propagation has only the sum; the first node's own loss
    # counts alone if the chain forgets at once.
    forgets = MarkovChain(["1/2", "1/2"], [["1/2", "1/2"], ["1/2", "1/2"]], ["a", "b"])
    found = [
        Accountant(MarkovFramework(chain)).add(loss).explain()
        for chain in (forgets, STEADY, THREE)
        for loss in (RecordLoss.constant(40, 3), RecordLoss.segment(40, 3, 30, "1/2"))
    ]
    quilts = [why for why in found if why.bound in ("quilt", "group")]
    for why in quilts:
        if why.bound == "quilt":
            total = why.detail["influence"] + float(why.detail["nearby_loss"])
            assert total == pytest.approx(float(why.epsilon), rel=1e-9)
            nearby = sum(each.nearby or 0 for each in why.contributions)
            assert nearby == why.detail["nearby_loss"]
    for why in found:
        assert str(why)


def test_an_explanation_under_independence_adds_up() -> None:
    account = Accountant(IndependentRecords())
    for number in range(MOST_LINES + 10):
        account.add(RecordLoss.segment(5, 0, 3, f"1/{number + 1}"), name=f"release {number}")
    account.add(RecordLoss.segment(5, 2, 4, 1), person="ann")
    why = account.explain()
    assert (why.person, why.node, why.bound) == ("ann", 2, "largest")
    assert len(why.contributions) == MOST_LINES
    assert sum(each.at_node for each in why.contributions) == why.epsilon
    assert sum(each.times for each in why.contributions) == MOST_LINES + 11
    assert "ann" in str(why)
    assert account.explain(person="bob").epsilon == why.epsilon - 1
    empty = Accountant(IndependentRecords()).explain()
    assert empty.node is None
    assert empty.epsilon == 0
    assert "nothing was lost" in str(empty)


@pytest.mark.parametrize("number", [3, 7, 10])
@pytest.mark.parametrize("epsilon", ["1", "1/3", "2.5"])
def test_equal_shares_of_an_epsilon_cost_no_more_than_it(number: int, epsilon: str) -> None:
    alphabet = Alphabet(["a", "b", "c"])
    share = Fraction(epsilon) / number
    for mechanism in (
        RandomizedResponse(alphabet, epsilon=share),
        WordExponential(alphabet, epsilon=share),
        Exponential(alphabet, scores=lambda x, y: int(x == y), sensitivity=1, epsilon=share),
        WordStaircase(alphabet, epsilon=share),
        WordStaircase(alphabet, epsilon=share, adjacency=2),
    ):
        account = Accountant(IndependentRecords(), budget=epsilon)
        account.add(mechanism.record_loss(6), times=number)
        assert account.epsilon() <= Fraction(epsilon)
        assert mechanism.spent(6) <= share
