"""Outcomes print as sentences that say what was found."""

from fractions import Fraction

import numpy as np

from privet import Alphabet, HiddenMarkovModel, RandomizedResponse, verify
from privet.verify.outcome import Undecided, interrupted

MODEL = HiddenMarkovModel(
    [["9/10", "1/10"], ["1/10", "9/10"]],
    [["3/4", "1/4"], ["1/4", "3/4"]],
    states=["ill", "well"],
    observations=["yes", "no"],
)


def test_a_word_that_breaks_a_claim_is_told_with_its_odds() -> None:
    outcome = verify.hidden_markov(MODEL, "ill", "well", ratio=4, length=2)
    assert str(outcome) == ("Violated: the word (yes, yes) is 7 times as likely (0.525 to 0.075).")
    assert str(verify.hidden_markov(MODEL, "ill", "well", ratio=8, length=2)).startswith("Holds")


def test_a_set_that_breaks_a_claim_is_told_with_its_rows() -> None:
    told = str(verify.finite_mechanism([["3/4", "1/4"], ["1/4", "3/4"]], ratio=2))
    assert told == (
        "Violated: the outputs in columns 0 together are 3 times as likely (0.75 to 0.25) from "
        "row 0 as from row 1; a delta of 0.25 would do."
    )
    never = str(verify.finite_mechanism([[1, 0], ["1/2", "1/2"]], ratio=2))
    assert "infinitely as likely (0.5 to 0) from row 1 as from row 0" in never


def test_undecided_and_audits_are_told() -> None:
    assert isinstance(interrupted(), Undecided)
    assert str(interrupted()) == "Undecided: interrupted. Give it more time."
    seen = verify.audit(lambda x: x, 0, 1, samples=400)
    told = str(seen)
    assert told.startswith("With confidence 0.95, epsilon is at least ")
    assert "in 0 of 200 on the" in told
    assert f"{seen.epsilon_low:.4g}" in told


def test_a_mechanism_that_is_checked_says_so() -> None:
    mechanism = RandomizedResponse(Alphabet(["a", "b"]), epsilon=1)
    told = str(verify.own_mechanism(mechanism))
    assert told == "randomized-response on inputs of 1 symbol: every claim is kept (4 comparisons)."
    # The exact law holds; its doubles need not, which is why the docstring warns of them.
    assert str(verify.finite_mechanism(mechanism.exact_response_matrix(), epsilon=1))[:5] == "Holds"
    rounded = np.abs(np.array(mechanism.exact_response_matrix(), float) - mechanism.response_matrix)
    assert rounded.max() == 0
    assert Fraction(1) == sum(mechanism.exact_response_matrix()[0])
