"""Responses: from exact probabilities, and back from JSON."""

import json
from fractions import Fraction

import pytest

from privet import DataError, ParameterError
from privet.exact import exp_down, exp_up
from privet.privacy import Response


def test_the_loss_is_rounded_up_and_the_rest_is_exact() -> None:
    response = Response.of("0.7", "0.1")
    assert response.neutral == Fraction(2, 10)
    assert exp_down(response.loss) >= 7
    assert exp_up(response.loss - Fraction(1, 1 << 63)) < 7
    assert (response.loss * (1 << 64)).denominator == 1


@pytest.mark.parametrize(
    ("keep", "move"), [("0.1", "0.2"), ("0.5", 0), ("0.7", "0.4"), (1, "-0.1"), ("nan", "0.1")]
)
def test_what_is_no_response(keep: str, move: str) -> None:
    with pytest.raises(ParameterError):
        Response.of(keep, move)


@pytest.mark.parametrize(("loss", "neutral"), [(-1, 0), (1, 1), (1, Fraction(-1, 9))])
def test_impossible_numbers(loss: int, neutral: Fraction) -> None:
    with pytest.raises(ParameterError):
        Response(Fraction(loss), Fraction(neutral))


def test_json_goes_round() -> None:
    response = Response.of(Fraction(3, 7), Fraction(1, 7))
    text = json.dumps(response.to_json())
    assert Response.from_json(json.loads(text)) == response
    for broken in (
        {},
        {"loss": "1"},
        {"loss": "-1", "neutral": "0"},
        {"loss": "1", "neutral": "x"},
    ):
        with pytest.raises(DataError):
            Response.from_json(broken)
