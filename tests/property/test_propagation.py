"""Laws of propagation: monotone, bounded by the sum, blind to order, no matter the chain."""

from fractions import Fraction
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from privet.chains import MarkovChain
from privet.chains.propagation import propagated_epsilon

F = Fraction
SLACK = F(1, 10**10)


@st.composite
def chains(draw: st.DrawFn) -> MarkovChain:
    size = draw(st.integers(2, 4))
    weight = st.integers(draw(st.integers(0, 1)), 9)

    def law() -> list[Fraction]:
        row = draw(st.lists(weight, min_size=size, max_size=size).filter(any))
        return [F(entry, sum(row)) for entry in row]

    return MarkovChain(law(), [law() for _ in range(size)])


loss = st.integers(0, 40).map(lambda n: F(n, 16))
losses = st.lists(loss, min_size=1, max_size=12)
starts = st.sampled_from(["given", "any"])


def epsilon(chain: MarkovChain, initial: Any, values: list[Fraction]) -> Fraction:
    pieces = [(node, node + 1, value) for node, value in enumerate(values)]
    return propagated_epsilon(chain, initial, pieces).epsilon


@settings(deadline=None, max_examples=60)
@given(chains(), starts, losses)
def test_between_the_largest_loss_and_the_sum(
    chain: MarkovChain, initial: str, values: list[Fraction]
) -> None:
    found = epsilon(chain, initial, values)
    assert found <= sum(values)
    if all(p > 0 for row in chain.exact_transition for p in row):
        assert found >= max(values[1:], default=F(0))


@settings(deadline=None, max_examples=60)
@given(chains(), starts, losses, st.data())
def test_more_loss_never_costs_less(
    chain: MarkovChain, initial: str, values: list[Fraction], data: st.DataObject
) -> None:
    node = data.draw(st.integers(0, len(values) - 1))
    more = [value + (i == node) * data.draw(loss) for i, value in enumerate(values)]
    assert epsilon(chain, initial, more) >= epsilon(chain, initial, values) - SLACK


@settings(deadline=None, max_examples=60)
@given(chains(), losses)
def test_any_start_costs_at_least_the_given_one(chain: MarkovChain, values: list[Fraction]) -> None:
    assert epsilon(chain, "any", values) >= epsilon(chain, "given", values) - SLACK


@settings(deadline=None, max_examples=40)
@given(chains(), starts, st.lists(st.tuples(st.integers(1, 60), loss), min_size=1, max_size=4))
def test_pieces_may_be_cut_anywhere(
    chain: MarkovChain, initial: Any, parts: list[tuple[int, Fraction]]
) -> None:
    whole, cut, last = [], [], 0
    for count, value in parts:
        whole.append((last, last + count, value))
        cut += [(last, last + count // 2, value), (last + count // 2, last + count, value)]
        last += count
    one = propagated_epsilon(chain, initial, whole).epsilon
    two = propagated_epsilon(chain, initial, cut).epsilon
    # Cutting may only change how closely a long stretch is looked at.
    assert abs(one - two) <= F(1, 10**6) * (1 + one)
