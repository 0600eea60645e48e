"""Learning a chain: exact gradients, what the search obeys, what it says when data are too few."""

from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from privet import RandomizedResponse, WordStaircase, estimate
from privet.chains import MarkovChain
from privet.errors import DataError, ModelError, ParameterError, ParameterTypeError
from privet.estimate import WordTally
from privet.estimate.channel import read_channel
from privet.estimate.hidden import reference
from privet.estimate.hidden.information import Free, choose, covariance, information_matrix
from privet.estimate.hidden.learning import (
    Learner,
    Parameters,
    ReleasedWords,
    moment_start,
    spread_start,
)
from privet.estimate.hidden.response import read_response
from privet.randomness import using_source
from privet.symbols import Alphabet, Words
from privet.testing import ReplaySource

AB, ABC = Alphabet("ab"), Alphabet("abc")
F = Fraction
CHAIN = MarkovChain(
    ["1/2", "3/10", "1/5"],
    [["8/10", "15/100", "5/100"], ["1/10", "7/10", "2/10"], ["3/10", 0, "7/10"]],
    ABC,
)
POSSIBLE = np.ones((4, 3), bool)


def released_words(chain: MarkovChain, mechanism: Any, count: int, length: int, seed: int) -> Words:
    with using_source(ReplaySource(seed)):
        words: Words = mechanism.release(chain.sample_words(count, length))
    return words


def distinct(words: Words, mechanism: Any) -> ReleasedWords:
    tally = WordTally.of(words, mechanism.alphabet)
    return ReleasedWords(tally, read_response(mechanism)[1])


def test_repeated_words_are_counted_once() -> None:
    words = Words.from_lists(ABC, [list("ab"), [], list("abc"), list("ab"), list("c")])
    kept = distinct(words, RandomizedResponse(ABC, epsilon=1))
    assert kept.codes.tolist() == [0, 1, 0, 1, 2, 2]
    assert kept.offsets.tolist() == [0, 2, 5, 6]
    assert kept.times.tolist() == [2, 1, 1]


@pytest.mark.parametrize("epsilon", [F(1), F(2000)])
def test_the_gradient_is_that_of_the_enumerated_polynomial(epsilon: Fraction) -> None:
    # With epsilon 2000 the arithmetic is logarithmic. Every entry is positive here, as it is while
    # learning: the chain is CHAIN away from its zero.
    chain = MarkovChain(
        CHAIN.exact_initial,
        [[F(1, 10) + F(7, 10) * p for p in row] for row in CHAIN.exact_transition],
    )
    mechanism = RandomizedResponse(ABC, epsilon=epsilon)
    words = Words.from_lists(ABC, [list("abca"), list("c"), list("ccb"), list("abca")])
    kept = distinct(words, mechanism)
    at = Parameters(chain.initial, chain.transition)
    score, each = kept.score(at), kept.score(at, by_word=True)
    total, slopes = 0.0, np.zeros((4, 3))
    for word in words:
        likelihood, gradient = reference.gradient(
            chain.exact_initial,
            chain.exact_transition,
            mechanism.exact_response_matrix(),
            tuple("abc".index(symbol) for symbol in word),
        )
        total += float(np.log(float(likelihood))) if epsilon < 100 else 0.0
        slopes += np.array([[float(slope) for slope in row] for row in gradient])
    assert score.gradient == pytest.approx(slopes, rel=1e-10)
    assert each.gradient == pytest.approx(slopes, rel=1e-10)
    assert each.by_word is not None
    assert each.by_word.shape == (3, 4, 3)
    if epsilon < 100:
        assert score.log_likelihood == pytest.approx(total, rel=1e-12)


def test_each_iteration_raises_the_objective_and_its_rest_is_a_fixed_point() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=1)
    words = released_words(CHAIN, mechanism, 400, 6, 1)
    for pseudocount in (0.0, 2.0):
        learner = Learner(distinct(words, mechanism), POSSIBLE, pseudocount)
        table, before = learner.tidy(spread_start(0, 3)), -np.inf
        for _ in range(30):
            table, objective = learner._improve(table)
            assert objective >= before - 1e-9
            before = objective
        learnt = learner.learn([Parameters.of(table)], 3000, 1e-8)
        assert learnt.converged
        end = learnt.parameters.table
        assert learner._improve(end)[1] >= before
        assert learner._improve(end)[0] == pytest.approx(end, abs=1e-6)
        assert end.sum(axis=1) == pytest.approx(np.ones(4))


@pytest.mark.parametrize("seed", range(4, 8))
def test_extrapolation_never_lowers_the_likelihood(seed: int) -> None:
    # Few words and much noise, where extrapolated points are often worse and must be dropped.
    mechanism = RandomizedResponse(ABC, epsilon=F(1, 2))
    kept = distinct(released_words(CHAIN, mechanism, 60, 5, seed), mechanism)
    learner = Learner(kept, POSSIBLE, 0.0)
    table, before = learner.tidy(spread_start(seed, 3)), -np.inf
    for _ in range(40):
        table, _, _ = learner._run(table, 1, 1e-9)
        reached = kept.score(Parameters.of(table)).log_likelihood
        assert reached >= before - 1e-9
        before = reached


def test_no_point_nearby_is_more_likely() -> None:
    mechanism = RandomizedResponse(AB, epsilon=2)
    chain = MarkovChain([0.6, 0.4], [[0.8, 0.2], [0.3, 0.7]], AB)
    words = released_words(chain, mechanism, 2000, 4, 2)
    found = estimate.transitions(words, mechanism)
    kept = distinct(words, mechanism)
    table = np.vstack([found.initial, found.chain.transition])
    assert found.converged
    assert found.log_likelihood == pytest.approx(kept.score(Parameters.of(table)).log_likelihood)
    for row, move in product(range(3), (-0.01, 0.01)):
        moved = table.copy()
        moved[row] += [move, -move]
        assert kept.score(Parameters.of(moved)).log_likelihood < found.log_likelihood


def test_without_noise_learning_is_counting() -> None:
    sure = SimpleNamespace(alphabet=ABC, response_matrix=np.eye(3))
    with using_source(ReplaySource(3)):
        words = CHAIN.sample_words(300, 10)
    found, counted = estimate.transitions(words, sure), MarkovChain.fit(words)
    assert found.chain.transition == pytest.approx(counted.transition, abs=1e-6)
    assert found.initial == pytest.approx(counted.initial, abs=1e-6)
    departures = found.departures
    assert departures == pytest.approx(np.bincount(words.codes.reshape(-1, 10)[:, :-1].ravel()))
    # ... and its standard errors are those of shares.
    shares = counted.transition
    binomial = np.sqrt(shares * (1 - shares) / departures[:, None])
    assert found.standard_errors[:2] == pytest.approx(binomial[:2], rel=1e-3)
    smooth = estimate.transitions(words, sure, pseudocount=5)
    counted = MarkovChain.fit(words, pseudocount=5)
    assert smooth.chain.transition == pytest.approx(counted.transition, abs=1e-6)


def test_the_support_is_kept() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=2)
    words = released_words(CHAIN, mechanism, 500, 6, 4)
    found = estimate.transitions(words, mechanism, support=CHAIN.support())
    assert np.array_equal(found.chain.support(), CHAIN.support())
    assert found.standard_errors[2, 1] == 0
    assert found.intervals[2, 1].tolist() == [0, 0]
    assert (found.standard_errors[CHAIN.support()] > 0).all()
    one_way = estimate.transitions(words, mechanism, support=[[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    assert one_way.chain.transition.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert one_way.standard_errors.tolist() == [[0, 0, 0]] * 3


def test_what_words_begin_with_is_kept() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=2)
    words = released_words(CHAIN, mechanism, 500, 6, 4)
    found = estimate.transitions(words, mechanism, start=[1, 1, 0])
    assert (found.initial > 0).tolist() == [True, True, False]
    assert (found.initial_standard_errors > 0).tolist() == [True, True, False]
    only = estimate.transitions(words, mechanism, start=[0, 1, 0])
    assert only.initial.tolist() == [0, 1, 0]
    assert only.initial_standard_errors.tolist() == [0, 0, 0]


def test_the_estimate_is_the_same_every_time_and_from_every_start() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=2)
    words = released_words(CHAIN, mechanism, 1000, 6, 5)
    first = estimate.transitions(words, mechanism, restarts=0)
    again = estimate.transitions(words, mechanism, restarts=0)
    more = estimate.transitions(words, mechanism, restarts=3)
    assert first.chain == again.chain
    assert more.chain.transition == pytest.approx(first.chain.transition, abs=1e-3)
    assert more.log_likelihood >= first.log_likelihood - 1e-6


def test_both_informations_agree_on_many_words() -> None:
    mechanism = RandomizedResponse(AB, epsilon=3)
    chain = MarkovChain([0.6, 0.4], [[0.8, 0.2], [0.3, 0.7]], AB)
    words = released_words(chain, mechanism, 20_000, 5, 6)
    kept = distinct(words, mechanism)
    table = np.vstack([chain.initial, chain.transition])
    free = Free.of(table, np.ones((3, 2), bool))
    observed = information_matrix("observed", kept, table, free)
    by_words = information_matrix("words", kept, table, free)
    assert by_words == pytest.approx(observed, rel=0.05, abs=0.02 * observed.max())
    assert covariance(observed) == pytest.approx(np.linalg.inv(observed), rel=1e-9)
    assert choose("auto", kept, 3) == "observed"
    assert choose("words", kept, 3) == "words"
    assert choose("auto", kept, 10**8) == "observed"  # far fewer words than parameters
    large = SimpleNamespace(codes=np.empty(10**7), size=16, times=np.full(10**5, 1.0))
    assert choose("auto", large, 255) == "words"  # type: ignore[arg-type]  # sizes are enough


def test_differences_at_the_edge_stay_inside() -> None:
    # The derivative at an entry of 1e-10 is taken from one side; it must agree with the polynomial
    # continued to the other side, which the enumeration gives.
    mechanism = RandomizedResponse(AB, epsilon=1)
    words = Words.from_lists(AB, [list("aba"), list("bba"), list("aab")])
    kept = distinct(words, mechanism)
    table = np.array([[0.5, 0.5], [1 - 1e-10, 1e-10], [0.4, 0.6]])
    free = Free.of(table, np.ones((3, 2), bool))
    assert list(zip(free.rows.tolist(), free.columns.tolist(), strict=True)) == [
        (0, 1),
        (1, 1),
        (2, 0),
    ]
    matrix = information_matrix("observed", kept, table, free)
    step = F(1, 1000)

    def slope(move: Fraction) -> float:
        rows = [[1 - move, move], [F(2, 5), F(3, 5)]]
        total = 0.0
        for word in words:
            codes = tuple("ab".index(symbol) for symbol in word)
            _, gradient = reference.gradient(
                [F(1, 2)] * 2, rows, mechanism.exact_response_matrix(), codes
            )
            total += float(gradient[1][1] - gradient[1][0])
        return total

    second = (slope(step) - slope(-step)) / float(2 * step)
    assert matrix[1, 1] == pytest.approx(-second, rel=1e-4)


def test_directions_without_information_are_not_inverted() -> None:
    assert covariance(np.array([[1.0, 1.0], [1.0, 1.0]])) is None
    assert covariance(np.array([[1.0, 0.0], [0.0, 0.0]])) is None
    assert covariance(np.array([[1.0, 0.0], [0.0, -1.0]])) is None
    assert covariance(np.array([[np.nan]])) is None
    scaled = np.diag([1e-8, 1e8])
    assert covariance(scaled) == pytest.approx(np.linalg.inv(scaled))


def test_one_long_word_says_much_about_steps_and_nothing_about_its_start() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=3)
    released = released_words(CHAIN, mechanism, 1, 1000, 7)
    found = estimate.transitions(released, mechanism, restarts=0, support=CHAIN.support())
    assert (found.initial_standard_errors > 0.5).all()
    assert found.initial_intervals[:, 1] - found.initial_intervals[:, 0] == pytest.approx(1.0)
    assert any("law of the first state" in note for note in found.notes)
    errors = found.standard_errors[CHAIN.support()]
    assert (errors < 0.06).all()
    off = abs(found.chain.transition - CHAIN.transition)[CHAIN.support()]
    assert (off < 5 * errors).all()


def test_steps_estimated_at_zero_are_said_to_be_at_the_edge() -> None:
    # 40 words at epsilon 2 on a chain that only goes round: about half of the steps that never
    # happen are estimated at 0, where the likelihood is not concave in all of them together.
    steps = 0.9 * np.eye(5) + 0.1 * np.roll(np.eye(5), 1, axis=1)
    chain = MarkovChain([0.2] * 5, steps, Alphabet("abcde"))
    mechanism = RandomizedResponse(chain.alphabet, epsilon=2)
    found = estimate.transitions(released_words(chain, mechanism, 40, 40, 0), mechanism)
    edge = found.chain.transition < 1e-6
    assert edge.sum() >= 5
    assert any("estimated at 0" in note for note in found.notes)
    assert (found.standard_errors[edge] > 0.003).all()
    assert np.isfinite(found.standard_errors).all()
    assert np.isfinite(found.initial_standard_errors).all()
    inside = (found.intervals[..., 0] <= steps) & (steps <= found.intervals[..., 1])
    assert inside.mean() > 0.85


def test_too_little_data_is_said_and_not_made_up() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=F(1, 10))
    words = released_words(CHAIN, mechanism, 4, 3, 8)
    found = estimate.transitions(words, mechanism, iterations=50)
    assert found.notes
    # Whatever can be said is either nothing at all or far too wide to be mistaken for knowledge.
    errors = found.standard_errors
    assert (np.isinf(errors) | (errors > 0.2)).any(axis=1).all()
    assert found.intervals.min() >= 0
    assert found.intervals.max() <= 1


def test_a_search_cut_short_says_so() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=F(1, 2))
    words = released_words(CHAIN, mechanism, 200, 4, 9)
    found = estimate.transitions(words, mechanism, restarts=0, iterations=1, tolerance=1e-12)
    assert not found.converged
    assert any("not come to rest" in note for note in found.notes)


def test_rows_and_intervals() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=3)
    words = released_words(CHAIN, mechanism, 2000, 5, 10)
    found = estimate.transitions(words, mechanism, confidence=0.9)
    rows = found.to_rows()
    assert len(rows) == 9
    assert rows[5]["from"] == "b"
    assert rows[5]["to"] == "c"
    assert rows[5]["probability"] == found.chain.transition[1, 2]
    reach = 1.6448536269514722 * rows[5]["standard_error"]
    assert rows[5]["upper"] - rows[5]["lower"] == pytest.approx(2 * reach)
    assert found.confidence == 0.9
    assert found.information == "observed"
    narrow, wide = (
        found.intervals,
        estimate.transitions(words, mechanism, confidence=0.99).intervals,
    )
    assert (wide[..., 1] - wide[..., 0] >= narrow[..., 1] - narrow[..., 0]).all()


def test_starts_are_inside_and_the_moments_are_near_the_truth() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=3)
    words = released_words(CHAIN, mechanism, 20_000, 5, 11)
    start = moment_start(distinct(words, mechanism), read_channel(mechanism)[1])
    assert start[1:] == pytest.approx(CHAIN.transition, abs=0.05)
    for table in (start, *(spread_start(number, 3) for number in range(5))):
        assert table.shape == (4, 3)
        assert table.min() > 0
        assert table.sum(axis=1) == pytest.approx(np.ones(4))
    assert abs(spread_start(0, 3) - spread_start(1, 3)).max() > 0.1


def test_what_cannot_be_learnt_from_is_refused() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=1)
    words = Words.from_lists(ABC, [list("ab"), list("ca")])
    single = Words.from_lists(ABC, [["a"], [], ["b"]])
    for nothing in (single, Words.from_lists(ABC, [])):
        with pytest.raises(DataError, match="two symbols"):
            estimate.transitions(nothing, mechanism)
    with pytest.raises(ParameterTypeError, match="The staircase mechanism"):
        estimate.transitions(words, WordStaircase(ABC, epsilon=1))
    blind = SimpleNamespace(alphabet=ABC, response_matrix=np.full((3, 3), 1 / 3))
    with pytest.raises(ParameterError, match="independent of its input"):
        estimate.transitions(words, blind)
    with pytest.raises(ModelError, match="support"):
        estimate.transitions(words, mechanism, support=np.eye(2))
    with pytest.raises(ModelError, match="start"):
        estimate.transitions(words, mechanism, start=[1, 1])
    for wrong in ({"pseudocount": -1}, {"restarts": -1}, {"iterations": 0}, {"information": "no"}):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            estimate.transitions(words, mechanism, **wrong)


def test_tallies_of_parts_learn_the_same_chain() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=3)
    words = released_words(CHAIN, mechanism, 300, 5, 12)
    cut = 100
    parts = [
        Words(ABC, words.codes[: cut * 5], words.offsets[: cut + 1]),
        Words(ABC, words.codes[cut * 5 :], words.offsets[cut:] - cut * 5),
    ]
    first, second = (WordTally.of(part, ABC) for part in parts)
    tally = first + second
    assert (tally.words, tally.symbols, tally.longest) == (300, 1500, 5)
    whole, summed = (estimate.transitions(each, mechanism) for each in (words, tally))
    assert np.array_equal(whole.chain.transition, summed.chain.transition)
    assert np.array_equal(whole.all_standard_errors, summed.all_standard_errors)
    assert str(whole) == str(summed)
    other = WordTally.of(Words.from_lists(Alphabet("xyz"), [["x", "y"]]), Alphabet("xyz"))
    with pytest.raises(DataError, match="do not add"):
        _ = tally + other
    with pytest.raises(DataError, match="other symbols"):
        estimate.transitions(other, mechanism)
