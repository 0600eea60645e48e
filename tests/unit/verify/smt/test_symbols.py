"""Parameters and models with parameters: what is read, and what is refused before any solver."""

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from privet import HiddenMarkovModel, verify
from privet.errors import ModelError, ParameterError, ParameterTypeError
from privet.verify import Parameters, SymbolicModel


def coin(*constraints: str) -> SymbolicModel:
    return SymbolicModel(
        [["1 - p", "p"], ["p", "1 - p"]],
        [["0.75", "1/4"], ["1/4", 0.75]],
        Parameters(*(constraints or ("0 < p < 1",))),
        states=["calm", "storm"],
        observations=["sun", "rain"],
    )


def test_a_range_and_a_constraint() -> None:
    parameters = Parameters("0 < p < 1", "1 >= q > 1/2", "p*q <= 1/4", "p < q")
    assert parameters.names == ("p", "q")
    allowed, too_large = {"p": Fraction(1, 4), "q": Fraction(1)}, {"p": 0.5, "q": 1}
    assert parameters.allow(allowed)
    assert parameters.read_values({"q": 1, "p": "1/4"}) == allowed
    wrong: Any
    for wrong in (too_large, {"p": 0, "q": 1}, {"p": "0.1"}, {"p": 1, "q": 1, "r": 1}, {}):
        with pytest.raises(ModelError):
            parameters.read_values(wrong)
    for wrong in ("q", True, float("nan"), None):
        with pytest.raises(ParameterError, match="the value of 'p'"):
            parameters.read_values({"p": wrong, "q": 1})


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        (["p < 1"], "'p', which has no range"),
        (["0 < p"], "'p', which has no range"),
        (["0 < p > 1"], "'p', which has no range"),
        (["0 < p < q"], "no range"),
        (["0 < 2*p < 1"], "no range"),
        (["p = 1/2"], "no range"),
        (["0 < p < 1", "p + q < 1"], "'q', which has no range"),
        (["1 < p < 0"], "empty"),
        (["1/2 < p < 1/2"], "empty"),
        (["1/2 <= p < 1/2"], "empty"),
        (["0 > p > 1"], "empty"),
        (["0 < p < 1", "p"], "compares nothing"),
        (["0 < p < 1/0"], "divides by zero"),
        ([("p", 0, 1)], "is not text"),
    ],
)
def test_parameters_without_a_range_are_refused(constraints: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Parameters(*constraints)


def test_a_range_may_be_one_point() -> None:
    assert Parameters("1/2 <= p <= 1/2").read_values({"p": "0.5"}) == {"p": Fraction(1, 2)}


def test_a_model_at_values() -> None:
    assert coin().at({"p": "0.2"}) == HiddenMarkovModel(
        [["0.8", "0.2"], ["0.2", "0.8"]],
        [["3/4", "1/4"], ["1/4", "3/4"]],
        ["calm", "storm"],
        ["sun", "rain"],
    )
    with pytest.raises(ModelError, match="constraints"):
        coin().at({"p": 1})


def test_a_model_as_json() -> None:
    model = coin("0 < p < 1", "p^2 < 1/2")
    document = json.loads(json.dumps(model.to_json()))
    again = SymbolicModel.from_json(document)
    assert again.to_json() == document
    assert again.parameters == model.parameters
    assert (again.transition, again.emission) == (model.transition, model.emission)
    assert again.states == ("calm", "storm")
    for name in ("parameters", "transition", "emission", "kind"):
        with pytest.raises(ModelError):
            SymbolicModel.from_json({k: v for k, v in document.items() if k != name})
    with pytest.raises(ModelError, match="note"):
        SymbolicModel.from_json({**document, "note": 1})
    with pytest.raises(ModelError):
        SymbolicModel.from_json({**document, "parameters": "0 < p < 1"})


@pytest.mark.parametrize(
    ("transition", "emission", "message"),
    [
        ([["1-r", "r"], [0, 1]], [[1], [1]], "'r', which has no range"),
        ([["1-p", "p"], [0, 1]], [["q"], [1]], "'q', which has no range"),
        ([["1-p", "p/0"], [0, 1]], [[1], [1]], r"Entry \(0, 1\) of the transition .* by zero"),
        ([["1-p", "p +"], [0, 1]], [[1], [1]], "Entry"),
        ([["1-p", "p"]], [[1]], "another length"),
        ([["1-p", "p"], [1]], [[1], [1]], "differ in length"),
        ([["1-p", "p"], [0, 1]], [[1]], "1 rows, and there are 2 states"),
        ([["1-p", "p"], [0, 1]], [[], []], "empty"),
        ([], [], "empty"),
        ([[float("nan"), 1], [0, 1]], [[1], [1]], "not a finite number"),
        ([[True, 1], [0, 1]], [[1], [1]], "boolean"),
    ],
)
def test_a_model_that_cannot_be_read_is_refused(
    transition: Any, emission: Any, message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        SymbolicModel(transition, emission, Parameters("0 < p < 1"))


def test_parameters_are_parameters() -> None:
    wrong: Any = ["0 < p < 1"]
    with pytest.raises(ParameterTypeError, match="not Parameters"):
        SymbolicModel([[1]], [[1]], wrong)


@pytest.mark.parametrize(
    ("secret", "message"),
    [
        ("fog", "not one of the states"),
        (7, "not one of the states"),
        (None, "not one of the states"),
        (["p"], "1 probabilities"),
        (["p", "1-p", 0], "3 probabilities"),
        ({"fog": 1}, "names a state"),
        (["q", "1-q"], "'q', which has no range"),
        (["1/0", 1], "by zero"),
        ([0, 0], "sums to 0"),
        ({}, "sums to 0"),
        (["1/2", "1/3"], "sums to 5/6"),
        ([-1, 2], "negative"),
    ],
)
def test_a_secret_that_is_no_law_is_refused(secret: Any, message: str) -> None:
    for first, second in ((secret, "calm"), ("calm", secret)):
        with pytest.raises(ModelError, match=message):
            verify.for_all_parameters(coin(), first, second, ratio=2, length=2)
        with pytest.raises(ModelError, match=message):
            verify.find_parameters(coin(), first, second, ratio=2, length=2)
        with pytest.raises(ModelError, match=message):
            verify.smt_lib(coin(), first, second, ratio=2, length=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ratio": 0}, "greater than 0"),
        ({"ratio": "-2"}, "greater than 0"),
        ({"ratio": "2 - 2"}, "greater than 0"),
        ({"ratio": float("nan")}, "finite"),
        ({"ratio": True}, "boolean"),
        ({"ratio": Decimal(-1)}, "greater than 0"),
        ({"ratio": None}, "ratio"),
        ({"ratio": "q"}, "no range"),
        ({"ratio": "c ="}, "ratio"),
        ({"ratio": 2, "length": 0}, "at least 1"),
        ({"ratio": 2, "length": None}, "not every length"),
        ({"ratio": 2, "length": range(0)}, "range"),
        ({"ratio": 2, "encoding": "magic"}, "encoding"),
        ({"ratio": 2, "time_limit": 0}, "time_limit"),
        ({"ratio": 2, "memory_limit": 0}, "memory_limit"),
    ],
)
def test_a_question_that_cannot_be_read_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises((ParameterError, ModelError), match=message):
        verify.for_all_parameters(coin(), "calm", "storm", **{"length": 2, **arguments})


def test_something_else_than_a_model_is_refused() -> None:
    wrong: Any = [[1]]
    with pytest.raises(ParameterTypeError, match="SymbolicModel"):
        verify.for_all_parameters(wrong, 0, 0, ratio=2, length=1)
