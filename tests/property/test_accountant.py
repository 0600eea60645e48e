"""Laws of the accountant: order, splitting, repetition, persons, budgets; and it is never low."""

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from privet import Accountant, IndependentRecords, MarkovChain, MarkovFramework, RecordLoss
from privet.chains.quilt.reference import Reference
from privet.errors import BudgetExceededError
from privet.privacy import Framework, LossSum

LENGTH = 6
values = st.fractions(Fraction(0), Fraction(3, 2), max_denominator=50)


@st.composite
def losses(draw: st.DrawFn) -> RecordLoss:
    """Short and long ones, zeros among them."""
    return RecordLoss.from_values(draw(st.lists(values, min_size=1, max_size=LENGTH)))


@st.composite
def frameworks(draw: st.DrawFn) -> Framework:
    """Independent records of any unit, and chains of two or three states."""
    if draw(st.booleans()):
        return IndependentRecords(draw(st.sampled_from([1, 2, 4, "all"])))
    size = draw(st.integers(2, 3))
    weights = st.lists(st.integers(1, 9), min_size=size, max_size=size)
    rows = [draw(weights) for _ in range(size + 1)]
    first, *steps = [[Fraction(weight, sum(row)) for weight in row] for row in rows]
    return MarkovFramework(
        MarkovChain(first, steps), initial=draw(st.sampled_from(["given", "stationary", "any"]))
    )


def spread(loss: RecordLoss, length: int) -> list[Fraction]:
    return [loss.at(record) for record in range(length)]


@given(st.lists(losses(), max_size=6))
def test_a_sum_is_pointwise_with_shorter_losses_extended_by_zeros(many: list[RecordLoss]) -> None:
    length = max((loss.length for loss in many), default=0)
    total = RecordLoss.sum_of(many)
    assert total.length == length
    expected = [sum(column) for column in zip(*(spread(x, length) for x in many), strict=True)]
    assert spread(total, length) == (expected if many else [])
    again = RecordLoss([])
    for loss in many:
        longest = max(again.length, loss.length)
        again = again.extended(longest) + loss.extended(longest)
    assert total == again
    running = LossSum()
    for number, loss in enumerate(many):
        running.add(loss)
        if number % 2:
            running.loss()
    assert running.loss() == total
    assert sum((loss.total for loss in many), Fraction(0)) == total.total


@given(losses(), st.integers(0, 5), st.integers(0, 9), st.integers(0, 9))
def test_multiples_and_ranges_of_a_loss(loss: RecordLoss, times: int, a: int, b: int) -> None:
    assert times * loss == RecordLoss.sum_of([loss] * times).extended(loss.length)
    wide = spread(loss, 12)
    assert loss.within(range(a, b)) == sum(wide[a:b])
    assert [loss.largest(k) for k in range(5)] == [
        sum(sorted(wide, reverse=True)[:k]) for k in range(5)
    ]


@settings(deadline=None)
@given(frameworks(), st.lists(losses(), min_size=1, max_size=5), st.randoms())
def test_order_and_splitting_do_not_matter(
    framework: Framework, many: list[RecordLoss], shuffle: object
) -> None:
    one = Accountant(framework)
    for loss in many:
        one.add(loss)
    other = Accountant(framework)
    order = sorted(many, key=lambda loss: (loss.total, loss.length))
    for loss in order:
        for start, stop, value in loss.pieces:
            other.add(RecordLoss.segment(loss.length, start, stop, value))
        other.epsilon()
    whole = Accountant(framework).add(RecordLoss.sum_of(many))
    assert one.record_loss() == other.record_loss() == whole.record_loss()
    assert one.epsilon() == other.epsilon() == whole.epsilon()
    del shuffle


@settings(deadline=None)
@given(frameworks(), losses(), losses(), st.integers(0, 9))
def test_times_n_is_n_additions(
    framework: Framework, first: RecordLoss, loss: RecordLoss, times: int
) -> None:
    for person in (None, "someone"):
        at_once = Accountant(framework).add(first).add(loss, times=times, person=person)
        singly = Accountant(framework).add(first)
        for _ in range(times):
            singly.add(loss, person=person)
        assert at_once.to_json() == singly.to_json()
        assert len(at_once) == len(singly) == times + 1
        assert at_once.epsilon() == singly.epsilon()
        assert at_once.epsilon() == Accountant(framework).add(first).cost(
            loss, person=person, times=times
        )


@settings(deadline=None)
@given(frameworks(), st.lists(st.tuples(st.sampled_from([None, 0, 1, 2]), losses()), max_size=6))
def test_the_epsilon_is_that_of_the_worst_person(
    framework: Framework, releases: Sequence[tuple[int | None, RecordLoss]]
) -> None:
    account = Accountant(framework)
    for number, (person, loss) in enumerate(releases):
        account.add(loss, person=person)
        if number % 2:
            account.epsilon()
    each = [framework.epsilon(account.record_loss(person)) for person in (None, 0, 1, 2)]
    close = 1 + Fraction(1, 10**8)
    assert max(each) / close <= account.epsilon() <= max(each)
    assert Accountant.from_json(account.to_json()).epsilon() == account.epsilon()


@settings(deadline=None)
@given(
    frameworks(),
    st.lists(st.tuples(st.sampled_from([None, 0, 1]), losses()), max_size=6),
    st.fractions(Fraction(1, 10), 6, max_denominator=20),
)
def test_a_budget_is_never_exceeded_and_what_fits_is_taken(
    framework: Framework, releases: Sequence[tuple[int | None, RecordLoss]], budget: Fraction
) -> None:
    account = Accountant(framework, budget=budget)
    for person, loss in releases:
        before, cost = account.to_json(), account.cost(loss, person=person)
        try:
            account.add(loss, person=person)
        except BudgetExceededError:
            assert cost > budget
            assert account.to_json() == before
        else:
            assert cost <= budget * (1 + Fraction(1, 10**8))
    assert account.epsilon() <= budget * (1 + Fraction(1, 10**8))
    assert account.remaining() == max(0, budget - account.epsilon())


@settings(deadline=None, max_examples=40)
@given(frameworks(), losses())
def test_a_chain_costs_its_worst_node_and_never_more_than_quilts(
    framework: Framework, loss: RecordLoss
) -> None:
    account = Accountant(framework).add(loss)
    epsilon = account.epsilon()
    nodes = [account.epsilon_of(node) for node in range(loss.length)]
    close = 1 + Fraction(1, 10**6)
    assert max(nodes) <= epsilon * close
    assert all(account.epsilon_of(n) >= loss.at(n) for n in range(loss.length))
    if isinstance(framework, IndependentRecords):
        assert max(nodes) == epsilon
    else:
        # The worst chain has one worst node; two bounds may disagree on which it is.
        chains = framework.chains
        assert isinstance(chains, tuple)
        reference = Reference(chains[0], framework.initial, loss.length)
        _, high = reference.epsilon(spread(loss, loss.length))
        assert epsilon <= high * (1 + Fraction(1, 10**9))
        assert epsilon >= loss.maximum
