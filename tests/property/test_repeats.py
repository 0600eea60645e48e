"""Many responses at a delta: the laws that hold whatever they are."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from privet import Accountant, IndependentRecords, RecordLoss
from privet.accounting import Lost
from privet.accounting.repeats import tight_epsilon
from privet.privacy import Response

# On one grid, so that what is found is exact.
losses = st.builds(Fraction, st.integers(1, 300), st.just(256))
neutrals = st.builds(Fraction, st.integers(0, 9), st.just(10))
responses = st.builds(Response, losses, neutrals)
kinds = st.lists(st.tuples(responses, st.integers(1, 6)), min_size=1, max_size=3)
deltas = st.builds(lambda digits: Fraction(3, 10**digits), st.integers(1, 12))


def lost(response: Response) -> Lost:
    return Lost(RecordLoss.constant(4, response.loss), (response,))


@settings(max_examples=40)
@given(kinds, deltas, st.integers(0, 5))
def test_splits_order_and_times_do_not_matter(
    releases: list[tuple[Response, int]], delta: Fraction, cut: int
) -> None:
    whole, split = Accountant(IndependentRecords()), Accountant(IndependentRecords())
    for response, times in releases:
        whole.add(lost(response), times=times)
    for number, (response, times) in enumerate(reversed(releases)):
        first = min(cut, times)
        split.add(lost(response), times=first, name=str(number))
        for _ in range(times - first):
            split.add(lost(response))
    assert whole.epsilon(delta) == split.epsilon(delta)
    again = Accountant.from_json(split.to_json())
    assert again.epsilon(delta) == split.epsilon(delta)


@settings(max_examples=40)
@given(kinds, deltas, deltas)
def test_a_larger_delta_never_costs_more(
    releases: list[tuple[Response, int]], one: Fraction, other: Fraction
) -> None:
    small, large = sorted((one, other))
    assert tight_epsilon(releases, large) <= tight_epsilon(releases, small)
    assert tight_epsilon(releases, small) <= tight_epsilon(releases, Fraction(0))


@settings(max_examples=40)
@given(kinds, deltas)
def test_knowing_the_response_never_costs_more(
    releases: list[tuple[Response, int]], delta: Fraction
) -> None:
    """Nor does one response more cost less."""
    found = tight_epsilon(releases, delta)
    binary = [(Response(response.loss), times) for response, times in releases]
    assert found <= tight_epsilon(binary, delta)
    assert found <= tight_epsilon([*releases, releases[0]], delta)
