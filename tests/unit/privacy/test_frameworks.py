"""Frameworks as JSON: there and back, and what is no framework."""

import json
from typing import Any

import pytest

from privet import IndependentRecords, MarkovChain, MarkovFramework
from privet.errors import ModelError, ParameterTypeError
from privet.privacy import Framework
from privet.privacy.frameworks import framework_from_json, framework_to_json

CHAIN = MarkovChain([0.3, 0.7], [["1/3", "2/3"], [0.1, 0.9]], ["wet", "dry"])
OTHER = MarkovChain(["1/2", "1/2"], [["1/2", "1/2"], ["1/4", "3/4"]], ["wet", "dry"])


@pytest.mark.parametrize(
    "framework",
    [
        IndependentRecords(1),
        IndependentRecords(12),
        IndependentRecords("all"),
        MarkovFramework(CHAIN),
        MarkovFramework([CHAIN, OTHER], initial="stationary"),
        MarkovFramework(OTHER, initial="any"),
    ],
    ids=repr,
)
def test_a_framework_comes_back_equal_and_is_written_the_same_again(framework: Framework) -> None:
    text = json.dumps(framework_to_json(framework))
    again = framework_from_json(json.loads(text))
    assert again == framework
    assert json.dumps(framework_to_json(again)) == text


@pytest.mark.parametrize(
    "data",
    [
        None, [], {}, {"kind": "other"}, {"kind": "independent-records"},
        {"kind": "independent-records", "unit": 0}, {"kind": "independent-records", "unit": "some"},
        {"kind": "independent-records", "unit": True},
        {"kind": "independent-records", "unit": 1, "more": 2},
        {"kind": "markov-framework", "initial": "given"},
    ],
)  # fmt: skip
def test_what_is_no_framework_is_refused(data: Any) -> None:
    with pytest.raises(ModelError):
        framework_from_json(data)


def test_only_frameworks_are_written() -> None:
    with pytest.raises(ParameterTypeError, match="not a framework"):
        framework_to_json("rows")  # type: ignore[arg-type]  # refused: the test
