"""The general exponential mechanism: forms of scores, sensitivity, extremes, refusals."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet import Alphabet, DataError, DomainError, Exponential, ParameterError

OUTPUTS = ["low", "middle", "high"]
TABLE = [[2, 1, 0], [1, 2, 1], [0, 1, 2]]


def make(
    scores: Any = TABLE, *, sensitivity: Any = 2, epsilon: Any = 1, **more: Any
) -> Exponential:
    return Exponential(OUTPUTS, scores=scores, sensitivity=sensitivity, epsilon=epsilon, **more)


def test_every_form_of_scores_says_the_same() -> None:
    listed = make()
    assert make(np.array(TABLE)).to_json() == listed.to_json()
    assert make(dict(zip(OUTPUTS, TABLE, strict=True))) == listed
    named = {x: dict(zip(OUTPUTS, row, strict=True)) for x, row in zip(OUTPUTS, TABLE, strict=True)}
    assert make(named) == listed

    def score(x: str, y: str) -> int:
        return TABLE[OUTPUTS.index(x)][OUTPUTS.index(y)]

    assert make(score, inputs=OUTPUTS) == listed
    assert (
        Exponential(
            Alphabet(OUTPUTS), scores=TABLE, sensitivity="2", epsilon="1", inputs=Alphabet(OUTPUTS)
        )
        == listed
    )
    function = make(score)
    np.testing.assert_allclose(function.probabilities("middle"), listed.probabilities("middle"))


def test_law_is_the_definition() -> None:
    mechanism = make(epsilon=3, sensitivity="2.5")
    weights = np.exp(3 / 5 * np.array(TABLE))
    expected = weights / weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(mechanism.response_matrix, expected, rtol=1e-14)
    shortfall = float(expected[0] @ [0, 1, 2])
    assert mechanism.expected_shortfall("low") == pytest.approx(shortfall, rel=1e-14)
    assert shortfall < mechanism.shortfall_bound == pytest.approx(math.log(3) / 0.6)


def test_float_scores_mean_their_decimals() -> None:
    scores = [[0.1, 0.3], [0.2, 0.2]]
    floats = Exponential(["a", "b"], scores=scores, sensitivity=0.1, epsilon=1)
    assert floats.table is not None
    assert floats.table.rows[0] == (Fraction(1, 10), Fraction(3, 10))
    assert floats.table.sensitivity == Fraction(1, 10)


def test_scores_that_differ_by_millions_do_not_underflow() -> None:
    scores = {"x": [0, -(10**6), -(10**6) - 1], "y": [1, -(10**6), -(10**6)]}
    mechanism = make(scores, sensitivity=1, epsilon=1)
    assert mechanism.release("x") == "low"
    assert 0 < mechanism.spent() <= 1
    shifted = make({k: [s - 10**9 for s in row] for k, row in scores.items()}, sensitivity=1)
    np.testing.assert_array_equal(shifted.response_matrix, mechanism.response_matrix)
    reference = [float(law) for law in mechanism._laws[0].log_probabilities(100)]
    assert reference[1] == pytest.approx(-500_000)


def test_enormous_epsilon_picks_the_best_and_tiny_epsilon_any() -> None:
    sure = make(epsilon=10**4)
    assert [sure.release(x) for x in OUTPUTS] == OUTPUTS
    assert sure.release_many(OUTPUTS * 5) == OUTPUTS * 5
    np.testing.assert_allclose(make(epsilon="1e-6").response_matrix, 1 / 3, rtol=1e-5)


def test_spent_is_below_the_promise_where_the_normaliser_is_constant() -> None:
    # Cyclic scores have one normaliser, so half of epsilon is spent [holohan-leith-mason-2016].
    mechanism = make([[2, 1, 0], [0, 2, 1], [1, 0, 2]], epsilon=1)
    assert mechanism.spent() == pytest.approx(Fraction(1, 2), abs=1e-15)
    assert mechanism.spent() >= Fraction(1, 2)
    assert mechanism.guarantee.epsilon == 1


def test_the_promise_can_be_reached() -> None:
    # Many outputs one way, one the other: the normaliser falls as the score rises.
    outputs = [f"y{i}" for i in range(10_001)]
    rows = {"x": [1] + [0] * 10_000, "z": [0] + [1] * 10_000}
    mechanism = Exponential(outputs, scores=rows, sensitivity=1, epsilon=2)
    assert 1.9 < mechanism.spent() <= 2


def test_named_neighbours_cost_less_than_all_pairs() -> None:
    pairs = [("low", "middle"), ("high", "middle"), ("low", "low")]
    mechanism = make(sensitivity=1, neighbours=pairs)
    assert mechanism.spent() <= 1
    # Low and high are no neighbours, but a record loss covers them too.
    assert mechanism.record_loss().maximum > mechanism.spent()
    assert "2 pairs are named" in mechanism.guarantee.sentence


def test_a_function_of_unlisted_inputs_promises_what_was_stated() -> None:
    def count(data: list[str], y: str) -> int:
        return data.count(y)

    mechanism = make(count, sensitivity=1, epsilon=10**4)
    assert mechanism.release(["low", "high", "high"]) == "high"
    assert mechanism.release_many([["low"], ["middle"]]) == ["low", "middle"]
    assert mechanism.spent() == 10**4
    assert mechanism.record_loss(7).pieces == [(0, 7, Fraction(10**4))]
    assert "moves no score by more than 1" in mechanism.guarantee.sentence
    for needs_inputs in (mechanism.to_json, lambda: mechanism.response_matrix):
        with pytest.raises(ParameterError, match="inputs not listed"):
            needs_inputs()


@pytest.mark.parametrize("sensitivity", [0, -1, math.nan, math.inf, True, "x", None], ids=repr)
def test_bad_sensitivity_is_refused(sensitivity: object) -> None:
    with pytest.raises(ParameterError, match="sensitivity"):
        make(sensitivity=sensitivity)


def test_a_sensitivity_below_the_real_one_is_refused() -> None:
    with pytest.raises(ParameterError, match="stated sensitivity 1 is below that of the scores, 2"):
        make(sensitivity=1)
    make(sensitivity=1, neighbours=[("low", "middle")])
    with pytest.raises(ParameterError, match="below"):
        make(sensitivity="0.999", neighbours=[("low", "middle")])


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, True, "x", None], ids=repr)
def test_bad_scores_are_refused_by_position(score: object) -> None:
    scores = [[2, 1, 0], [1, 2, score], [0, 1, 2]]
    with pytest.raises(ParameterError, match="score of output 2 for input 1"):
        make(scores)
    with pytest.raises(ParameterError, match="score of output 0 is"):
        make(lambda *_: score).release("secret")


@pytest.mark.parametrize(
    ("scores", "more"),
    [
        (TABLE[:2], {}),
        (TABLE[:2], {"inputs": ["x", "y", "z"]}),
        ([[1, 2], [3, 4], [5, 6]], {}),
        ({"x": [1, 2, 3], "y": [1, 2]}, {}),
        ({"x": {"low": 1, "middle": 2}, "y": [1, 2, 3]}, {}),
        ({"x": {"low": 1, "middle": 2, "high": 1, "more": 1}, "y": [1, 2, 3]}, {}),
        ({"x": [1, 2, 3], "y": [1, 2, 3]}, {"inputs": ["x", "z"]}),
        (["abc", "abc", "abc"], {}),
        (np.zeros((3, 3, 3)), {}),
        (3, {}),
        ("abc", {}),
        (TABLE, {"neighbours": "some"}),
        (TABLE, {"neighbours": []}),
        (TABLE, {"neighbours": [("low", "low")]}),
        (TABLE, {"neighbours": ["ab"]}),
        (TABLE, {"neighbours": [("low", "middle", "high")]}),
        (TABLE, {"neighbours": [("low", "elsewhere")]}),
        (lambda *_: 1, {"neighbours": [("low", "high")]}),
        (TABLE, {"inputs": ["x", "x", "y"]}),
        ({"x": [1, 2, 3]}, {}),
    ],
    ids=range(20),
)
def test_tables_that_do_not_fit_are_refused(scores: Any, more: dict[str, Any]) -> None:
    with pytest.raises((ParameterError, DataError, DomainError)):
        make(scores, sensitivity=10, **more)


def test_one_output_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least two"):
        Exponential(["only"], scores=[[1]], sensitivity=1, epsilon=1)


def test_unknown_inputs_are_refused_without_the_value() -> None:
    mechanism = make()
    with pytest.raises(DomainError) as refusal:
        mechanism.release("patient-17")
    assert "17" not in str(refusal.value)
    with pytest.raises(DomainError, match="position 1") as refusal:
        mechanism.release_many(["low", "patient-17"])
    assert "17" not in str(refusal.value)


def test_release_many_takes_nothing() -> None:
    assert make().release_many([]) == []


@pytest.mark.parametrize(
    ("scores", "sensitivity", "epsilon", "spent"),
    [
        ([[0, 1], [1, 0]], 1, "1e-15", Fraction(1, 2 * 10**15)),
        ([[0, 10**9], [1, 10**9 - 1]], 2, "0.5", Fraction(1, 4)),
    ],
)
def test_what_all_pairs_spend_is_as_sharp_as_what_listed_pairs_do(
    scores: list[list[int]], sensitivity: int, epsilon: str, spent: Fraction
) -> None:
    def make(neighbours: Any) -> Exponential:
        return Exponential(
            ["x", "y"],
            scores=scores,
            inputs=["p", "q"],
            sensitivity=sensitivity,
            epsilon=epsilon,
            neighbours=neighbours,
        )

    every, listed = make("all").spent(), make([("p", "q")]).spent()
    assert abs(every - listed) <= listed / 10**30
    assert every <= spent * (1 + Fraction(1, 10**9))
