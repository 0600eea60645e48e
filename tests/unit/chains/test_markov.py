"""Markov chains: how they are read, what they refuse, their laws against enumeration."""

from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest

from privet.accounting.rules import from_output_tables
from privet.chains import MarkovChain
from privet.errors import (
    DataError,
    ModelError,
    ParameterError,
    ParameterTypeError,
    PrivacyLeakWarning,
)
from privet.privacy import MarkovFramework
from privet.randomness import using_source
from privet.symbols import Alphabet, Words
from privet.testing import ReplaySource
from privet.verify import Parameters, SymbolicModel

EXACT = MarkovChain(["1/3", "2/3"], [["0.9", "1/10"], [Fraction(1, 5), Decimal("0.8")]], ["a", "b"])
HALF = [0.5, 0.5]


def test_exact_entries_stay_exact() -> None:
    assert EXACT.is_exact
    assert EXACT.states == ("a", "b")
    assert EXACT.alphabet == Alphabet(["a", "b"])
    assert EXACT.exact_initial == (Fraction(1, 3), Fraction(2, 3))
    assert EXACT.exact_transition[0] == (Fraction(9, 10), Fraction(1, 10))
    assert EXACT.initial.tolist() == [1 / 3, 2 / 3]
    assert EXACT.transition.tolist() == [[0.9, 0.1], [0.2, 0.8]]


def test_one_float_makes_a_chain_of_floats() -> None:
    chain = MarkovChain([0.5, "1/2"], np.array([[0.9, 0.1], [0.7, 0.3]], dtype=object))
    assert not chain.is_exact
    assert chain.states == (0, 1)
    assert [sum(row) for row in chain.exact_transition] == [1, 1]
    assert float(chain.exact_transition[0][0]) == pytest.approx(0.9, rel=1e-15)


def test_rows_that_are_off_by_rounding_are_divided_by_their_sum() -> None:
    row = [0.7, 0.2, 0.1 + 5e-10]
    chain = MarkovChain([1.0, 0.0, 0.0], [row] * 3)
    assert abs(chain.transition.sum(axis=1) - 1).max() < 1e-15
    assert chain.transition[0, 0] == pytest.approx(0.7 / sum(row), rel=1e-15)
    again = MarkovChain(chain.initial, chain.transition)
    assert np.array_equal(again.transition, chain.transition)


def test_arrays_are_read_only_and_copied() -> None:
    matrix = np.array([[0.9, 0.1], [0.2, 0.8]])
    chain = MarkovChain(HALF, matrix)
    matrix[0, 0] = 7.0
    assert chain.transition[0, 0] == 0.9
    with pytest.raises(ValueError, match="read-only"):
        chain.transition[0, 0] = 1.0


@pytest.mark.parametrize(
    ("initial", "transition", "message"),
    [
        (HALF, [[0.5, 0.5], [0.5, 0.48]], r"Row 1 \(state b\) .*0\.98.* 0\.02 too little"),
        (HALF, [[0.5, 0.5 + 3e-9], [0.5, 0.5]], r"Row 0 \(state a\).*3e-09 too much"),
        (["1/2", "1/2"], [["1/3", "2/3"], ["1/3", "1/3"]], r"Row 1.*0\.333 too little"),
        ([0.5, 0.6], [HALF, HALF], r"The initial distribution sums to 1\.1.* 0\.1 too much"),
        (HALF, [[1.5, -0.5], HALF], r"Row 0 \(state a\) of the transition matrix has an entry"),
        (["1/2", "1/2"], [["3/2", "-1/2"], [1, 0]], r"Row 0 .* negative entry"),
        (HALF, [[0.5, float("nan")], HALF], r"Row 0 .*negative or not a number"),
        (HALF, [[0.5, float("inf")], HALF], r"Row 0 .*negative or not a number"),
        ([float("nan"), 1.0], [HALF, HALF], r"The initial distribution has an entry"),
        (["1/2", "1/2"], [["x", 1], [1, 0]], r"Entry 0 of row 0 of the transition matrix"),
        ([1, 0], [[True, 0], [1, 0]], r"Entry 0 of row 0 of the transition matrix"),
        ([1, 0], [["1e-320", "1"], [1, 0]], r"Row 0 .*sums"),
        ([1, 0], [["1/2", "1/2"], [1]], r"Row 1 of the transition matrix has 1 entries"),
        ([1, 0], [[1, 0]], "1 rows of 2 entries"),
        ([1, 0, 0], [[1, 0], [0, 1]], "2 rows of 2 entries, and the initial"),
        ([1], [[1]], "needs at least two"),
        ("ab", [[1, 0], [0, 1]], "The initial distribution is a str"),
        (HALF, ["ab", "cd"], "Row 0 of the transition matrix is a str"),
        (HALF, [], "The transition matrix is empty"),
        (np.ones((2, 2)) / 2, [HALF, HALF], "one row is needed"),
        (HALF, np.ones(2), "two dimensions"),
        (HALF, 3, "is a int"),
    ],
)
def test_what_is_not_a_chain_is_refused(initial: Any, transition: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        MarkovChain(initial, transition, ["a", "b", "c"][: max(2, len(initial))])


def test_a_frame_is_not_read_column_by_column() -> None:
    rows = [[0.5, 0.3, 0.2], [0.4, 0.2, 0.4], [0.1, 0.5, 0.4]]  # the columns add up to 1 as well
    frame = pl.DataFrame(rows, orient="row")
    with pytest.raises(ModelError, match="is a DataFrame, not a list of rows"):
        MarkovChain([0.5, 0.25, 0.25], frame)  # type: ignore[arg-type]  # refused at run time
    with pytest.raises(ModelError, match="is a DataFrame, not a list of rows"):
        SymbolicModel(frame, rows, Parameters())  # type: ignore[arg-type]  # refused at run time
    chain = MarkovChain(["1/2", "1/4", "1/4"], rows)
    with pytest.raises(DataError, match="is a DataFrame, not a list of rows"):
        from_output_tables(MarkovFramework(chain), 1, frame, rows)  # type: ignore[arg-type]  # as above
    assert MarkovChain([0.5, 0.25, 0.25], frame.to_numpy()).transition[0].tolist() == rows[0]


def test_a_tiny_positive_entry_is_refused_and_never_becomes_zero() -> None:
    tiny = Fraction(1, 10**320)
    with pytest.raises(ModelError, match=r"Row 0 .*positive entry below"):
        MarkovChain([1, 0], [[tiny, 1 - tiny], [0, 1]])
    with pytest.raises(ModelError, match=r"Row 0 .*positive entry below"):
        MarkovChain([1, 0], np.array([[5e-320, 1.0], [0, 1]]))


@pytest.mark.parametrize(
    ("states", "error", "message"),
    [
        (["a", "a"], ModelError, "equal"),
        (["a", None], ModelError, "missing"),
        (["a", "b", "c"], ModelError, "3 states and 2 columns"),
        ("ab", ParameterTypeError, "one string"),
    ],
)
def test_states_that_name_nothing_are_refused(
    states: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        MarkovChain(HALF, [HALF, HALF], states)


def test_the_support_is_where_steps_are_possible() -> None:
    chain = MarkovChain([1, 0, 0], [[0, 1, 0], ["1/2", 0, "1/2"], [1, 0, 0]])
    assert chain.support().astype(int).tolist() == [[0, 1, 0], [1, 0, 1], [1, 0, 0]]


def test_a_chain_is_put_in_the_order_of_an_alphabet() -> None:
    chain = MarkovChain(["1/4", "3/4"], [[0, 1], ["1/3", "2/3"]], ["x", "y"])
    turned = chain.in_order_of(Alphabet(["y", "x"]))
    assert turned.exact_initial == (Fraction(3, 4), Fraction(1, 4))
    assert turned.exact_transition[0] == (Fraction(2, 3), Fraction(1, 3))
    assert turned.exact_transition[1] == (Fraction(1), Fraction(0))
    assert turned.transition.flags.c_contiguous
    assert chain.in_order_of(chain.alphabet) is chain
    floats = MarkovChain(HALF, [[0.9, 0.1], [0.3, 0.7]], ["x", "y"]).in_order_of(Alphabet("yx"))
    assert floats.transition.tolist() == [[0.7, 0.3], [0.1, 0.9]]
    for other in (["x", "z"], ["x", "y", "z"]):
        with pytest.raises(ModelError, match="other states"):
            chain.in_order_of(Alphabet(other))


@pytest.mark.parametrize(
    "transition",
    [
        [["9/10", "1/10"], ["1/5", "4/5"]],
        [[0, 1], [1, 0]],
        [["1/2", "1/2"], [0, 1]],
        [["1/2", "1/4", "1/4"], [0, "1/3", "2/3"], [0, 1, 0]],
        [[0, 1, 0], [0, 0, 1], ["1/7", "6/7", 0]],
    ],
)
def test_the_stationary_law_is_left_as_it_is_by_a_step(transition: list[list[Any]]) -> None:
    size = len(transition)
    chain = MarkovChain([1, *[0] * (size - 1)], transition)
    law = chain.exact_stationary()
    rows = chain.exact_transition
    assert sum(law) == 1
    for j in range(size):
        assert sum(law[i] * rows[i][j] for i in range(size)) == law[j]
    assert chain.stationary() == pytest.approx([float(p) for p in law], rel=1e-14, abs=0)


def test_a_rare_state_keeps_its_digits() -> None:
    tiny = Fraction(1, 10**14)
    chain = MarkovChain([1, 0], [[1 - tiny, tiny], ["1/2", "1/2"]])
    assert chain.stationary()[1] == pytest.approx(float(chain.exact_stationary()[1]), rel=1e-14)


def test_several_closed_classes_have_no_single_stationary_law() -> None:
    chain = MarkovChain(["1/2", "1/2", 0], [[1, 0, 0], [0, 1, 0], ["1/2", "1/2", 0]], list("abc"))
    with pytest.raises(ModelError, match=r"2 closed classes.*a; b"):
        chain.stationary()
    with pytest.raises(ModelError, match="2 closed classes"):
        chain.exact_stationary()


def probability(chain: MarkovChain, word: tuple[int, ...]) -> float:
    result = 1.0
    for position, state in enumerate(word):
        row = chain.initial if position == 0 else chain.transition[word[position - 1]]
        result *= row[state]
    return float(result)


def test_log_likelihood_is_the_product_of_the_steps() -> None:
    chain = MarkovChain([0.25, 0.75], [[0.0, 1.0], [0.4, 0.6]], ["x", "y"])
    lists = [[], *([*word] for n in (1, 2, 4) for word in product("xy", repeat=n)), []]
    words = Words.from_lists(Alphabet(["y", "x"]), lists)
    expected = [probability(chain, tuple("xy".index(s) for s in word)) for word in lists]
    assert np.exp(chain.log_likelihood(words)) == pytest.approx(expected, rel=1e-13)
    assert sum(expected[1:3]) == pytest.approx(1)
    assert np.isneginf(chain.log_likelihood(words)).any()
    assert chain.log_likelihood(Words.from_lists(words.alphabet, [])).shape == (0,)


def test_samples_have_the_lengths_asked_for_and_are_possible() -> None:
    chain = MarkovChain([0, 1, 0], [[0, 1, 0], ["1/2", 0, "1/2"], [1, 0, 0]], list("abc"))
    with using_source(ReplaySource(1)):
        words = chain.sample_words(5, [0, 3, 7, 1, 0])
        assert words.lengths.tolist() == [0, 3, 7, 1, 0]
        assert np.isfinite(chain.log_likelihood(words)).all()
        assert chain.sample(4)[0] == "b"
        assert chain.sample_words(0, 3).codes.size == 0
        many = chain.sample_words(100, 50)
    assert np.isfinite(chain.log_likelihood(many)).all()
    with pytest.raises(ParameterError, match="2 lengths for 3 words"):
        chain.sample_words(3, [1, 2])
    with pytest.raises(ParameterError, match="length"):
        chain.sample_words(3, -1)


def test_fit_counts_exactly() -> None:
    words = Words.from_lists(Alphabet("ab"), [list("aab"), list("b"), [], list("ba")])
    chain = MarkovChain.fit(words)
    assert chain.exact_initial == (Fraction(1, 3), Fraction(2, 3))
    assert chain.exact_transition[0] == (Fraction(1, 2), Fraction(1, 2))
    assert chain.exact_transition[1] == (Fraction(1), Fraction(0))
    smooth = MarkovChain.fit(words, pseudocount="1/2")
    assert smooth.exact_transition[1] == (Fraction(3, 4), Fraction(1, 4))
    masked = MarkovChain.fit(words, pseudocount=1, support=[[1, 1], [1, 0]])
    assert masked.exact_transition[1] == (Fraction(1), Fraction(0))
    words = Words.from_lists(Alphabet("ab"), [list("aab"), list("aa"), []])
    assert MarkovChain.fit(words, pseudocount=1).exact_initial == (Fraction(3, 4), Fraction(1, 4))
    begun = MarkovChain.fit(words, pseudocount=1, start=[True, False])
    assert begun.exact_initial == (Fraction(1), Fraction(0))


def test_fit_refuses_what_it_cannot_know() -> None:
    words = Words.from_lists(Alphabet("abc"), [list("aab")])
    with pytest.raises(ModelError, match="goes on from state b"):
        MarkovChain.fit(words)
    with pytest.raises(ModelError, match="Word 0 leaves the support at position 2"):
        MarkovChain.fit(words, pseudocount=1, support=np.eye(3, dtype=bool))
    with pytest.raises(ModelError, match="allows no transition"):
        MarkovChain.fit(words, support=np.zeros((3, 3), bool))
    with pytest.raises(ModelError, match=r"shape \(2, 2\)"):
        MarkovChain.fit(words, support=np.eye(2, dtype=bool))
    with pytest.raises(ModelError, match=r"Word 0 .* at position 0: no word may begin so"):
        MarkovChain.fit(words, pseudocount=1, start=[0, 1, 1])
    with pytest.raises(ModelError, match="no first symbol at all"):
        MarkovChain.fit(words, pseudocount=1, start=[0, 0, 0])
    for wrong in ([1, 1], [0.5, 0.5, 0]):
        with pytest.raises(ModelError, match=r"need a boolean one of shape \(3,\)"):
            MarkovChain.fit(words, pseudocount=1, start=wrong)
    with pytest.raises(ParameterError, match="pseudocount"):
        MarkovChain.fit(words, pseudocount=-1)
    with pytest.raises(DataError, match="no symbols"):
        MarkovChain.fit(Words.from_lists(Alphabet("ab"), []))
    with pytest.raises(ParameterTypeError, match=r"estimate\.transitions"):
        MarkovChain.fit([["a", "b"]])  # type: ignore[arg-type]  # that it is refused is the test


def test_fitting_the_protected_words_warns() -> None:
    words = Words.from_lists(Alphabet("ab"), [list("aabb")])
    with pytest.warns(PrivacyLeakWarning, match="protected words themselves"):
        MarkovChain.fit(words, pseudocount=1, protected=True)


@pytest.mark.parametrize(
    "chain", [EXACT, MarkovChain([0.1, 0.9], [[1 / 3, 2 / 3], [0.3, 0.7]], ["x", 2])]
)
def test_json_gives_the_same_chain_back(chain: MarkovChain) -> None:
    again = MarkovChain.from_json(chain.to_json())
    assert again == chain
    assert hash(again) == hash(chain)
    assert again.is_exact == chain.is_exact


def test_chains_differ_by_states_and_by_numbers() -> None:
    turned = MarkovChain(EXACT.exact_initial, EXACT.exact_transition, ["b", "a"])
    other = MarkovChain(EXACT.exact_initial, [[1, 0], [0, 1]], ["a", "b"])
    assert len({EXACT, turned, other}) == 3
    assert EXACT != "chain"
    assert repr(EXACT) == "MarkovChain(2 states, exact: a, b)"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "chain"}, "not of kind 'markov-chain'"),
        ({"initial": None}, "lacks 'initial'"),
        ({"extra": 1}, "unknown field 'extra'"),
    ],
)
def test_a_wrong_description_is_refused(change: dict[str, Any], message: str) -> None:
    data = {k: v for k, v in {**EXACT.to_json(), **change}.items() if v is not None}
    with pytest.raises(ModelError, match=message):
        MarkovChain.from_json(data)
