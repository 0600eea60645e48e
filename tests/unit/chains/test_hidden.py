"""Hidden Markov models: reading, refusing, JSON."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.chains import HiddenMarkovModel, MarkovChain
from privet.errors import ModelError

COUNTS = HiddenMarkovModel(
    [["1/2", "1/2"], [0, 1]],
    [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"]],
    ["well", "ill"],
    ["none", "one", "two"],
)


def test_entries_states_and_observations() -> None:
    assert COUNTS.is_exact
    assert COUNTS.states == ("well", "ill")
    assert COUNTS.observations == ("none", "one", "two")
    assert COUNTS.exact_emission[0] == (Fraction(2, 3), Fraction(1, 6), Fraction(1, 6))
    assert COUNTS.exact_transition[1] == (Fraction(0), Fraction(1))
    assert COUNTS.emission.shape == (2, 3)
    assert COUNTS.transition.tolist() == [[0.5, 0.5], [0.0, 1.0]]
    floats = HiddenMarkovModel(COUNTS.transition, COUNTS.exact_emission)
    assert not floats.is_exact
    assert (floats.states, floats.observations) == ((0, 1), (0, 1, 2))
    assert repr(COUNTS).startswith("HiddenMarkovModel(2 states, exact: well, ill; 3 observations")


@pytest.mark.parametrize(
    ("transition", "emission", "message"),
    [
        ([[1, 0], ["1/2", "1/3"]], [[1, 0], [0, 1]], r"Row 1 of the transition.*0\.167 too little"),
        ([[1, 0], [0, 1]], [[1, 0], [1, 1]], r"Row 1 of the emission matrix.*1 too much"),
        ([[1, 0]], [[1, 0], [1, 0]], "1 rows of 2"),
        ([[1, 0], [0, 1]], [[1, 0]], "1 rows, and there are 2 states"),
        ([[1, 0], [0, 1]], [[1], [1]], "1 of its observations"),
    ],
)
def test_what_is_not_a_model_is_refused(transition: Any, emission: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        HiddenMarkovModel(transition, emission)


def test_json_gives_the_same_model_back() -> None:
    floats = HiddenMarkovModel(np.eye(2), [[0.1, 0.9], [0.5, 0.5]])
    for model in (COUNTS, floats):
        again = HiddenMarkovModel.from_json(model.to_json())
        assert again == model
        assert hash(again) == hash(model)
    assert floats != COUNTS
    with pytest.raises(ModelError, match="kind 'hidden-markov-model'"):
        HiddenMarkovModel.from_json(MarkovChain([1, 0], [[1, 0], [0, 1]]).to_json())
