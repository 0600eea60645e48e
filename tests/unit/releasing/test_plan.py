"""Plans: every mechanism at the same guarantee, the best one recommended, nothing drawn."""

from fractions import Fraction
from typing import Any

import pytest

from privet import Alphabet, Language, estimate, plan
from privet.errors import ParameterError
from privet.randomness.source import using_source
from privet.releasing import plan_curve
from privet.releasing.notes import weak_parameters
from privet.testing import ChosenSource

FOUR = Alphabet(range(4))


def by_title(**options: int | str) -> dict[str, float]:
    made = plan(FOUR, **options)  # type: ignore[arg-type]  # numbers and lengths, as the test says
    return {row.title: row.expected_errors for row in made.rows}


def test_published_numbers() -> None:
    """n = 20, m = 4, one symbol protected, epsilon = 5: known expected errors."""
    errors = by_title(epsilon=5, length=20)
    assert errors["randomised response"] == pytest.approx(0.3963, abs=5e-4)
    assert errors["permute-and-flip (paper rate)"] == pytest.approx(3.951, abs=5e-3)


def test_the_staircase_wins_where_two_symbols_are_protected() -> None:
    made = plan(Alphabet(range(5)), epsilon=10, length=10, adjacency=2)
    errors = {row.title: row.expected_errors / 10 for row in made.rows}
    assert errors["randomised response"] == pytest.approx(0.262 / 10, rel=5e-3)
    assert errors["staircase"] == pytest.approx(0.065 / 10, rel=2e-2)
    assert made.recommended.title == "staircase"
    assert "Staircase" in made.reason


def test_every_row_keeps_the_guarantee() -> None:
    for row in plan(FOUR, epsilon="2.5", length=9, adjacency=3).rows:
        assert row.epsilon == Fraction(5, 2)
        assert 0 < row.spent <= row.epsilon
        lower, upper = row.bounds
        assert lower <= row.expected_errors * (1 + 1e-9)
        assert row.expected_errors <= upper * (1 + 1e-9)


def test_among_equals_the_simplest_is_recommended() -> None:
    assert plan(FOUR, epsilon=1, length=5).recommended.title == "randomised response"


def test_delta_helps_one_symbol_and_is_left_out_for_several() -> None:
    without, with_delta = plan(FOUR, epsilon=1), plan(FOUR, epsilon=1, delta="0.1")
    assert with_delta.rows[0].expected_errors < without.rows[0].expected_errors
    assert "delta is not used" in with_delta.rows[1].note
    several = plan(FOUR, epsilon=1, delta="0.1", length=4, adjacency=2)
    assert "Delta is not used" in several.reason
    assert several.rows[0].mechanism.guarantee.delta == 0


def test_noise_that_says_nothing_is_called_that() -> None:
    assert "blind guessing" in plan(FOUR, epsilon="0.01").reason
    assert "blind guessing" not in plan(FOUR, epsilon=5).reason


def test_a_language_and_its_alphabet_plan_the_same() -> None:
    assert by_title(epsilon=1, length=3) == {
        row.title: row.expected_errors for row in plan(Language.all(FOUR), epsilon=1, length=3).rows
    }


def test_curves_fall_as_epsilon_grows() -> None:
    for curve in plan_curve(FOUR, epsilons=[0.5, 1, 2, 4], length=6, adjacency=2):
        assert list(curve.shares_wrong) == sorted(curve.shares_wrong, reverse=True)
        assert len(set(curve.shares_wrong)) == 4


def test_planning_uses_no_random_bit() -> None:
    def forbidden(_out: object) -> object:
        raise AssertionError("a random bit was used")

    with using_source(ChosenSource(forbidden)):  # type: ignore[arg-type]  # never returns
        plan(FOUR, epsilon=1, length=6, adjacency=2)


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"epsilon": 0}, "epsilon"),
        ({"epsilon": "nan"}, "epsilon"),
        ({"epsilon": True}, "epsilon"),
        ({"epsilon": 1, "delta": 1}, "delta"),
        ({"epsilon": 1, "length": 0}, "length"),
        ({"epsilon": 1, "adjacency": 0}, "adjacency"),
        ({"epsilon": 1, "length": 3, "adjacency": 4}, "adjacency is 4"),
    ],
)
def test_parameters_out_of_range_are_refused(options: dict[str, Any], place: str) -> None:
    with pytest.raises(ParameterError, match=place):
        plan(FOUR, **options)


def test_ties_are_called_ties() -> None:
    reason = plan(Alphabet(range(5)), epsilon=4, length=81, adjacency=2).reason
    assert "Four have the fewest expected errors" in reason
    assert "the simplest is recommended; the paper rates err 1.7 times more" in reason


def test_a_recommendation_that_cannot_be_estimated_says_so() -> None:
    made = plan(Alphabet(range(5)), epsilon=5, length=4, adjacency=4)
    assert made.recommended.title == "staircase"
    assert not made.recommended.can_estimate
    assert made.for_estimates.title == "randomised response"
    assert "--mechanism randomized-response" in made.reason
    assert "a second release costs its epsilon again" in made.reason
    assert [row.can_estimate for row in made.rows] == [True, True, False, False, True, False]


def test_what_can_be_estimated_is_what_the_estimates_read() -> None:
    for row in plan(FOUR, epsilon=2, length=3, adjacency=2).rows:
        if row.can_estimate:
            assert estimate.frequencies([0, 1, 2, 3], row.mechanism).size == 4
        else:
            with pytest.raises(ParameterError):
                estimate.frequencies([0, 1, 2, 3], row.mechanism)


def test_a_delta_that_changes_nothing_is_called_that() -> None:
    assert "Delta changes nothing" in plan(FOUR, epsilon=1, delta="1e-9").reason
    assert "Delta" not in plan(FOUR, epsilon=1, delta="0.1").reason


def test_the_standard_error_is_the_largest_of_the_estimates() -> None:
    """Against the estimate's own standard error where one symbol has all rows."""
    row = plan(FOUR, epsilon=1).rows[0]
    worst = row.standard_error(1000)
    assert worst is not None
    keep, move = float(row.mechanism.keep_probability), float(row.mechanism.move_probability)  # type: ignore[attr-defined]  # randomised response
    shares = [share / 20 for share in range(21)]
    errors = [
        ((s * keep * (1 - keep) + (1 - s) * move * (1 - move)) / 1000) ** 0.5 / (keep - move)
        for s in shares
    ]
    assert worst == pytest.approx(max(errors))
    assert plan(FOUR, epsilon=1, length=3, adjacency=2).rows[2].standard_error(10) is None


def test_weak_parameters_are_noted() -> None:
    assert weak_parameters(Fraction(9), Fraction(1, 1000), 500) == ()
    assert "epsilon = 10 is weak" in weak_parameters(Fraction(10))[0]
    assert "1 / rows = 0.01" in weak_parameters(Fraction(1), Fraction(1, 100), 100)[0]
    assert "is weak" in plan(FOUR, epsilon=12).reason
