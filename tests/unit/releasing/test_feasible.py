"""Plans on languages that forbid words and with chains: one guarantee, simulated errors, advice."""

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet import Alphabet, Language, MarkovChain, RandomizedResponse, WordExponential, plan
from privet.errors import ModelError, ParameterError, ParameterTypeError
from privet.randomness.source import current_source, using_source
from privet.releasing import FeasiblePlan
from privet.releasing.prediction import average_over_chain, predict
from privet.symbols import Words
from privet.testing import ChosenSource

ABC = Alphabet(["a", "b", "c"])
STICKY = MarkovChain(
    ["1/3"] * 3, [["9/10", "1/10", 0], ["1/20", "9/10", "1/20"], [0, "1/10", "9/10"]], ABC
)
LANGUAGE = Language.from_chain(STICKY)


def made(**options: Any) -> FeasiblePlan:
    found = plan(LANGUAGE, **{"epsilon": 2, "length": 12, **options})
    assert isinstance(found, FeasiblePlan)
    return found


def test_rows_have_one_guarantee_and_say_what_is_possible() -> None:
    found = made(chain=STICKY, adjacency=2)
    assert [(row.title, row.possible) for row in found.rows] == [
        ("randomised response", False),
        ("exponential (paper rate)", True),
        ("permute-and-flip (paper rate)", True),
        ("exponential (certified rate)", True),
        ("randomised response + Viterbi", True),
        ("randomised response + marginals", False),
    ]
    for row in found.rows:
        assert row.epsilon == 2
        assert 0 < row.spent <= 2
        if row.decoding is not None:
            assert isinstance(row.mechanism, RandomizedResponse)
            assert row.mechanism.epsilon == 1
            assert not row.can_estimate
            assert row.standard_error(100) is None


def test_simulated_errors_lie_near_those_of_another_way() -> None:
    """The exponential's expected errors of words of the chain, from its exact law by distance."""
    found = made(chain=STICKY, length=6)
    row = found.rows[1]
    words = STICKY.sample_words(400, 6).to_lists()
    exact = np.array([row.mechanism.expected_errors(word) for word in words])
    error = float(np.hypot(exact.std(ddof=1) / 20, row.errors_standard_error))
    assert abs(row.expected_errors - exact.mean()) < 5 * error
    # The language's words, each equally likely, are other words: a chain must make a difference.
    plain = made(length=6).rows[1]
    assert plain.errors_standard_error > 0
    assert made(length=6).averaged_over != found.averaged_over


def test_decoding_wins_with_a_chain_that_says_much() -> None:
    found = made(chain=STICKY, length=60, epsilon=3)
    errors = {row.title: row.expected_errors for row in found.rows}
    assert errors["randomised response + Viterbi"] < 0.7 * errors["exponential (paper rate)"]
    assert found.recommended.title == "randomised response + Viterbi"
    assert "--decode-method viterbi" in found.reason
    assert found.for_estimates.title == "randomised response"


def test_what_may_be_impossible_is_not_recommended_but_named() -> None:
    found = made(length=30, calibration="paper")
    assert found.recommended.possible
    assert "Randomised response errs less" in found.reason
    assert "may be impossible" in found.reason
    assert "--chain" in found.reason


def test_on_all_words_decoding_joins_the_usual_rows() -> None:
    full = MarkovChain(["1/2", "1/2"], [["9/10", "1/10"], ["1/10", "9/10"]], ["x", "y"])
    found = plan(Alphabet(["x", "y"]), chain=full, epsilon=1, length=20)
    usual = plan(Alphabet(["x", "y"]), epsilon=1, length=20)
    assert [row.title for row in found.rows[:6]] == [row.title for row in usual.rows]
    assert [row.title for row in found.rows[6:]] == [
        "randomised response + Viterbi",
        "randomised response + marginals",
    ]
    assert all(row.possible for row in found.rows)


def test_json_has_the_models_and_the_errors_of_errors() -> None:
    content = made(chain=STICKY).to_json()
    assert MarkovChain.from_json(content["chain"]) == STICKY
    assert Language.from_json(content["language"]) == LANGUAGE
    rows = content["mechanisms"]
    assert rows[0]["expected_errors_standard_error"] == 0
    assert rows[4]["expected_errors_standard_error"] > 0
    assert [row["decode_method"] for row in rows] == [None] * 4 + ["viterbi", "marginals"]


def test_a_chain_that_leaves_the_language_or_has_other_states_is_refused() -> None:
    free = MarkovChain(["1/3"] * 3, [["1/3"] * 3] * 3, ABC)
    with pytest.raises(ModelError, match="language forbids"):
        made(chain=free)
    with pytest.raises(ModelError, match="other states"):
        made(chain=MarkovChain([1, 0], [[1, 0], [0, 1]], ["a", "b"]))
    with pytest.raises(ParameterTypeError, match="not a Markov chain"):
        made(chain=LANGUAGE)


def test_a_length_without_words_is_refused() -> None:
    pairs = Language.from_regex(ABC, "(a b)*")
    with pytest.raises(ParameterError, match="no word of length 3"):
        plan(pairs, epsilon=1, length=3)
    assert plan(pairs, epsilon=1, length=4).rows[1].spent <= 1


def test_averages_add_up_over_lengths() -> None:
    """Every symbol wrong: the errors are the symbols, without any standard error."""

    def other(words: Words) -> Words:
        return words.with_codes((words.codes + 1) % 3)

    found = average_over_chain(other, STICKY, {3: 10, 50: 2, 1: 1})
    assert found.errors == pytest.approx(131)
    assert found.standard_error == 0
    assert average_over_chain(other, STICKY, {}).errors == 0


def test_delta_is_used_by_randomised_response_alone() -> None:
    found = made(delta="0.01")
    assert found.rows[0].mechanism.guarantee.delta == Fraction(1, 100)
    assert "delta is not used" in found.rows[1].note


def test_a_plan_repeats_itself_and_leaves_the_private_source_alone() -> None:
    def forbidden(_out: object) -> object:
        raise AssertionError("a bit of the source in force was used")

    with using_source(ChosenSource(forbidden)):  # type: ignore[arg-type]  # never returns
        first = made(chain=STICKY).to_json()
    assert made(chain=STICKY).to_json() == first
    assert made().to_json() == made().to_json()
    assert current_source().private


def test_what_lies_within_the_noise_is_not_told_apart() -> None:
    one_way = Language.from_allowed(Alphabet(["o", "c"]), [[1, 1], [0, 1]])
    found = plan(one_way, epsilon=1, length=60, calibration="paper")
    assert found.recommended.title == "exponential (paper rate)"
    assert found.rows[2].expected_errors < found.rows[1].expected_errors
    assert found.reason.startswith(
        "Exponential (paper rate). It and permute-and-flip (paper rate) have the fewest expected "
        "errors of what is always possible, with no difference within simulation error, and the "
        "simplest is starred."
    )
    assert "has the fewest" not in found.reason


def test_a_clear_winner_is_named_alone() -> None:
    found = made(chain=STICKY, length=60, epsilon=3)
    assert found.reason.startswith("Randomised response + Viterbi has the fewest expected errors")


def test_rows_say_where_nothing_is_protected_and_where_epsilon_is_not_used() -> None:
    constant = Language.from_regex(Alphabet(["a", "b"]), "a* | b*")
    found = plan(constant, epsilon=5, length=20)
    for row in found.rows[1:]:
        assert "no two words of length 20 differ in one place" in row.note
        assert row.spent == 0
    assert "no two words" not in found.rows[0].note
    for row in plan(LANGUAGE, epsilon="1e-50", length=20).rows[1:]:
        assert "nothing to do with the input" in row.note
    assert all("no two words" not in row.note for row in made().rows)


def test_a_length_that_would_take_long_is_refused_at_once() -> None:
    for length in (10**6, 10**9):
        with pytest.raises(ParameterError, match="too long for this language"):
            made(length=length)


def test_many_lengths_are_looked_at_through_a_few() -> None:
    mechanism = WordExponential(LANGUAGE, epsilon=2)
    lengths = Counter({length: 1 + length % 3 for length in range(5, 205)})
    found = predict(mechanism, lengths)
    every = sum(count * mechanism.expected_errors(n) for n, count in lengths.items())
    assert abs(found.errors - every) < 5 * found.standard_error
    assert found.standard_error < 0.05 * found.errors
    assert found.words <= 1100
    assert predict(mechanism, lengths) == found
    assert predict(WordExponential(LANGUAGE, epsilon=2), lengths) == found
