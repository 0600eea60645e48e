"""Decoding against the enumeration of all hidden words, in Fractions, and at the ends of floats."""

import math
from fractions import Fraction
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from privet import RandomizedResponse, WordExponential, WordStaircase, decode
from privet.chains import MarkovChain
from privet.errors import DataError, DomainError, ModelError, ParameterError, ParameterTypeError
from privet.estimate.hidden import batches, reference
from privet.estimate.hidden.model import RANGE, HiddenModel
from privet.estimate.hidden.response import read_response
from privet.languages import Language
from privet.randomness import using_source
from privet.symbols import Alphabet, Codes, Words
from privet.testing import ReplaySource

ABC = Alphabet("abc")
F = Fraction
RARE = MarkovChain(
    ["1/2", "1/3", "1/6"], [["8/10", "2/10", 0], [0, "6/10", "4/10"], [1, 0, 0]], ABC
)
DENSE = MarkovChain(
    ["1/3", "1/3", "1/3"],
    [["1/2", "1/3", "1/6"], ["1/5", "3/5", "1/5"], ["1/10", "1/10", "8/10"]],
    ABC,
)
TIES = MarkovChain(["1/3", "1/3", "1/3"], [["1/3"] * 3] * 3, ABC)
STUCK = MarkovChain(["1/2", "1/2"], [[1, 0], [0, 1]], ["a", "b"])
CHAINS = {"with zeros": RARE, "dense": DENSE, "nothing but ties": TIES}


def exact_law(
    chain: MarkovChain, mechanism: RandomizedResponse, word: tuple[int, ...]
) -> dict[tuple[int, ...], Fraction]:
    return reference.joint(
        chain.exact_initial, chain.exact_transition, mechanism.exact_response_matrix(), word
    )


def all_words(length: int) -> Words:
    lists = [list(word) for n in range(1, length + 1) for word in product("abc", repeat=n)]
    return Words.from_lists(ABC, lists)


@pytest.mark.parametrize("epsilon", [F(1, 2), F(3), F(40)])
@pytest.mark.parametrize("name", CHAINS)
def test_every_released_word_is_decoded_as_enumeration_says(name: str, epsilon: Fraction) -> None:
    chain, mechanism = CHAINS[name], RandomizedResponse(ABC, epsilon=epsilon)
    words = all_words(4)
    best = decode.viterbi(words, mechanism, chain)
    known = decode.posterior(words, mechanism, chain)
    for number, (start, stop) in enumerate(zip(words.offsets, words.offsets[1:], strict=False)):
        law = exact_law(chain, mechanism, tuple(words.codes[start:stop].tolist()))
        total, largest = sum(law.values()), max(law.values())
        assert law[tuple(best.codes[start:stop].tolist())] >= largest * (1 - F(1, 10**12))
        assert known.log_likelihood[number] == pytest.approx(math.log(total), abs=1e-12)
        exact = np.array(reference.marginals(law, 3), dtype=float)
        assert known.marginals[start:stop] == pytest.approx(exact, rel=1e-12, abs=1e-300)
        wrong = (stop - start) - exact.max(axis=1).sum()
        assert known.expected_errors[number] == pytest.approx(wrong, abs=1e-12)


def test_ties_go_to_the_first_state_from_the_last_position_on() -> None:
    # Powers of two, whose logarithms add up without error, so that ties are ties in floats too.
    chain = MarkovChain(["1/4"] * 4, [["1/4"] * 4] * 4, list("abcd"))
    flat = SimpleNamespace(alphabet=chain.alphabet, response_matrix=np.full((4, 4), 0.25))
    assert decode.viterbi(list("dcb"), flat, chain) == list("aaa")
    # Two best words, "ab" and "ba": the last position decides for "a".
    swap = MarkovChain(["1/2", "1/2"], [[0, 1], [1, 0]], ["a", "b"])
    flat = SimpleNamespace(alphabet=swap.alphabet, response_matrix=np.full((2, 2), 0.5))
    assert decode.viterbi(list("ab"), flat, swap) == list("ba")
    assert decode.viterbi(list("abb"), flat, swap) == list("aba")
    assert decode.posterior(list("ab"), flat, swap).most_likely() == list("aa")


def test_the_best_word_of_real_ties_is_one_of_the_best() -> None:
    # The chain is the same backwards and mirrored, so many released words have several best ones.
    chain = MarkovChain(
        ["1/3"] * 3, [["3/5", "2/5", 0], ["2/5", "1/5", "2/5"], [0, "2/5", "3/5"]], ABC
    )
    mechanism = RandomizedResponse(ABC, epsilon=2)
    tied = 0
    for released in product(range(3), repeat=4):
        law = exact_law(chain, mechanism, released)
        best = reference.most_likely(law)
        found = decode.viterbi(Codes(released), mechanism, chain)
        assert tuple(found.array.tolist()) in best
        tied += len(best) > 1
    assert tied > 10


def test_the_decoded_word_can_happen_and_the_likely_symbols_need_not() -> None:
    with using_source(ReplaySource(5)):
        mechanism = RandomizedResponse(ABC, epsilon=1)
        words = RARE.sample_words(300, 12)
        released = mechanism.release(words)
        drawn = decode.sample(released, mechanism, RARE, 2)
    assert np.isfinite(RARE.log_likelihood(decode.viterbi(released, mechanism, RARE))).all()
    assert np.isneginf(RARE.log_likelihood(released)).any()
    known = decode.posterior(released, mechanism, RARE)
    assert np.isneginf(RARE.log_likelihood(known.most_likely())).any()
    for draw in drawn:
        assert np.isfinite(RARE.log_likelihood(draw)).all()
    assert drawn[0] != drawn[1]


def ragged() -> Words:
    with using_source(ReplaySource(8)):
        words = RARE.sample_words(9, [4, 0, 1, 7, 7, 2, 0, 30, 5])
        released: Words = RandomizedResponse(ABC, epsilon=2).release(words)
    return released


def check_word_by_word(words: Words, mechanism: Any, chain: MarkovChain) -> None:
    best, known = decode.viterbi(words, mechanism, chain), decode.posterior(words, mechanism, chain)
    assert np.array_equal(best.offsets, words.offsets)
    assert np.array_equal(known.offsets, words.offsets)
    assert abs(known.marginals.sum(axis=1) - 1).max() < 1e-13
    for number, word in enumerate(words):
        start, stop = words.offsets[number : number + 2]
        assert best[number] == decode.viterbi(word, mechanism, chain)
        alone = decode.posterior(word, mechanism, chain)
        assert alone.marginals == pytest.approx(known.marginals[start:stop], rel=1e-11)
        assert alone.log_likelihood[0] == pytest.approx(known.log_likelihood[number], rel=1e-12)
        assert alone.expected_errors[0] == pytest.approx(known.expected_errors[number], abs=1e-11)


def test_a_ragged_batch_is_every_word_alone() -> None:
    check_word_by_word(ragged(), RandomizedResponse(ABC, epsilon=2), RARE)


@pytest.fixture
def tiny_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "SEGMENT", 100)


@pytest.mark.usefixtures("tiny_segments")
def test_what_is_computed_twice_to_save_memory_is_the_same() -> None:
    check_word_by_word(ragged(), RandomizedResponse(ABC, epsilon=2), RARE)
    with using_source(ReplaySource(2)):
        drawn = decode.sample(ragged(), RandomizedResponse(ABC, epsilon=2), RARE)[0]
    assert np.isfinite(RARE.log_likelihood(drawn)).all()


@pytest.mark.parametrize("length", [1, 2, 3, 7, 10])
@pytest.mark.parametrize("segment", [1, 2, 3, 4, 100])
def test_backwards_visits_every_position_once(
    length: int, segment: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "SEGMENT", segment)

    def advance(before: np.ndarray, position: int) -> np.ndarray:
        assert position == before[0] + 1
        return np.array([position])

    visited = [(t, int(s[0])) for t, s in batches.backwards(np.array([0]), advance, length)]
    assert visited == [(t, t) for t in range(length - 1, -1, -1)]


def test_evidence_that_turns_late_is_not_lost_to_underflow() -> None:
    # A word never changes its state; 600 symbols speak for one and 700 for the other. After 600 the
    # other's weight is e^-1200, below every double, and still it must win.
    mechanism = RandomizedResponse(STUCK.alphabet, epsilon=2)
    words = Words.from_lists(
        STUCK.alphabet, [["a"] * 600 + ["b"] * 700, ["b"] * 1200 + ["a"] * 1300, ["a"] * 3]
    )
    known = decode.posterior(words, mechanism, STUCK)
    odds = math.log(mechanism.keep_probability / mechanism.move_probability)
    log_keep = math.log(mechanism.keep_probability)
    assert known.marginals[:1300, 0] == pytest.approx(
        np.full(1300, math.exp(-100 * odds)), rel=1e-9
    )
    assert known.marginals[1300:3800, 1] == pytest.approx(math.exp(-100 * odds), rel=1e-9)
    assert known.marginals[3800:, 0] == pytest.approx(1 / (1 + math.exp(-3 * odds)), rel=1e-12)
    expected = math.log(0.5) + 1300 * log_keep - 600 * odds
    assert known.log_likelihood[0] == pytest.approx(expected, rel=1e-12)
    assert decode.viterbi(words, mechanism, STUCK).to_lists() == [
        ["b"] * 1300,
        ["a"] * 2500,
        ["a"] * 3,
    ]
    with using_source(ReplaySource(0)):
        assert decode.sample(words, mechanism, STUCK)[0][0] == ["b"] * 1300


def test_states_that_cannot_be_there_never_overflow() -> None:
    # All evidence is for a state that cannot be reached: how well it would explain the rest grows
    # beyond every double, and must not touch the state that is.
    start = MarkovChain([1, 0], [[1, 0], [0, 1]], STUCK.alphabet)
    mechanism = RandomizedResponse(STUCK.alphabet, epsilon=2)
    known = decode.posterior(["b"] * 2000, mechanism, start)
    assert known.marginals.tolist() == [[1.0, 0.0]] * 2000
    assert decode.viterbi(["b"] * 2000, mechanism, start) == ["a"] * 2000


def test_small_differences_count_behind_large_ones() -> None:
    # Every symbol is a lie that costs 10,000 nats, 2 10^8 in all, where floats are 3 10^-8 apart;
    # what decides between "b" and "c" at every other position are 4 10^-9 nats.
    near, far = F(1, 2) - F(1, 10**9), F(1, 2) + F(1, 10**9)
    chain = MarkovChain(
        [1, 0, 0, 0], [[0, near, far, 0], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]], list("abcd")
    )
    mechanism = RandomizedResponse(chain.alphabet, epsilon=10_000)
    assert decode.viterbi(["d"] * 20_000, mechanism, chain) == ["a", "c"] * 10_000


def test_floats_that_are_seen_to_be_safe_agree_with_logarithms() -> None:
    # Long words on a chain that never mixes are looked at; those whose evidence is mixed stay.
    mechanism = RandomizedResponse(STUCK.alphabet, epsilon=2)
    words = Words.from_lists(STUCK.alphabet, [["a", "b"] * 500, ["a"] * 600 + ["b"] * 600])
    model = HiddenModel.of(STUCK, read_response(mechanism)[1])
    assert model.bound(1200) > RANGE
    scheduled = [
        (type(arithmetic).__name__, batch.words.tolist())
        for batch, arithmetic in model.schedule(words.codes, words.offsets)
    ]
    assert scheduled == [("Linear", [0]), ("Logarithmic", [1])]
    assert decode.posterior(words, mechanism, STUCK).marginals == pytest.approx(0.5, rel=1e-10)


def test_both_arithmetics_give_the_same() -> None:
    released = ragged()
    logs = read_response(RandomizedResponse(ABC, epsilon=2))[1]
    model = HiddenModel.of(RARE, logs)
    outcomes = []
    for linear in (model._linear, None):
        model._linear = linear
        marginals, likelihood = np.empty((released.codes.size, 3)), np.zeros(len(released))
        for batch, arithmetic in model.schedule(released.codes, released.offsets):
            assert (type(arithmetic).__name__ == "Linear") == (linear is not None)
            decode._smooth(batch, arithmetic, marginals, likelihood)
        outcomes.append((marginals, likelihood))
    (plain, first), (careful, second) = outcomes
    assert plain == pytest.approx(careful, rel=1e-11, abs=1e-300)
    assert first == pytest.approx(second, rel=1e-12)


@pytest.mark.parametrize("epsilon", [F(500), F(2000), F(10_000)])
def test_no_epsilon_is_too_large_for_floats(epsilon: Fraction) -> None:
    # P(move) is below every double from 745 on. "aca" has a step that cannot happen: one symbol is
    # wrong, and the best words are those with one mistake.
    mechanism = RandomizedResponse(ABC, epsilon=epsilon)
    assert decode.viterbi(list("abca"), mechanism, RARE) == list("abca")
    known = decode.posterior(list("aca"), mechanism, RARE)
    law = exact_law(RARE, mechanism, (0, 2, 0))
    assert known.marginals == pytest.approx(
        np.array(reference.marginals(law, 3), dtype=float), rel=1e-9, abs=1e-300
    )
    best = decode.viterbi(list("aca"), mechanism, RARE)
    assert tuple("abc".index(s) for s in best) in reference.most_likely(law)


def test_a_word_of_ten_thousand_symbols() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=1)
    with using_source(ReplaySource(4)):
        word = RARE.sample(10_000)
        released = mechanism.release(word)
        drawn = decode.sample(released, mechanism, RARE)[0]
    known = decode.posterior(released, mechanism, RARE)
    best = decode.viterbi(released, mechanism, RARE)
    assert math.isfinite(known.log_likelihood[0])
    assert abs(known.marginals.sum(axis=1) - 1).max() < 1e-12
    for guess in (best, drawn):
        chain_says = RARE.log_likelihood(Words.from_lists(ABC, [guess]))
        assert np.isfinite(chain_says).all()
    wrong = sum(a != b for a, b in zip(known.most_likely(), word, strict=True))
    assert wrong == pytest.approx(known.expected_errors[0], abs=5 * math.sqrt(10_000))
    assert known.expected_errors[0] <= known.expected_errors_of(best)[0]


def test_the_best_word_does_not_depend_on_where_scores_are_recentred() -> None:
    # On 200 symbols the best path is compared with plain dynamic programming in Fractions.
    mechanism = RandomizedResponse(ABC, epsilon=F(3, 2))
    with using_source(ReplaySource(6)):
        released = mechanism.release(Words.from_lists(ABC, [DENSE.sample(200)]))
    steps, seen = DENSE.exact_transition, mechanism.exact_response_matrix()
    score = [DENSE.exact_initial[s] * seen[s][released.codes[0]] for s in range(3)]
    for symbol in released.codes[1:].tolist():
        score = [max(score[i] * steps[i][j] for i in range(3)) * seen[j][symbol] for j in range(3)]
    best = decode.viterbi(released, mechanism, DENSE).codes.tolist()
    weight = DENSE.exact_initial[best[0]] * seen[best[0]][released.codes[0]]
    for i, j, symbol in zip(best, best[1:], released.codes[1:].tolist(), strict=False):
        weight *= steps[i][j] * seen[j][symbol]
    assert weight >= max(score) * (1 - F(1, 10**10))


def test_the_answer_is_of_the_kind_that_was_given() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=1)
    codes = np.array([0, 1, 2, 0], np.uint8)
    expected = decode.viterbi(codes, mechanism, RARE)
    assert isinstance(expected, np.ndarray)
    assert expected.dtype == np.uint8
    assert decode.viterbi(Codes(codes), mechanism, RARE).array.tolist() == expected.tolist()
    assert decode.viterbi(list("abca"), mechanism, RARE) == ABC.decode(expected)
    known = decode.posterior(tuple("abca"), mechanism, RARE)
    assert isinstance(known.most_likely(), tuple)
    assert known.words == tuple("abca")
    assert isinstance(decode.sample(list("abca"), mechanism, RARE)[0], list)
    none = Words.from_lists(ABC, [])
    assert len(decode.viterbi(none, mechanism, RARE)) == 0
    assert decode.posterior(none, mechanism, RARE).marginals.shape == (0, 3)
    assert decode.viterbi([], mechanism, RARE) == []
    assert repr(decode.posterior(none, mechanism, RARE)) == "Posterior(0 words, 0 symbols)"


def test_the_order_of_the_states_does_not_matter() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=1)
    turned = RARE.in_order_of(Alphabet("cab"))
    for word in (list("abcab"), list("ccc")):
        assert decode.viterbi(word, mechanism, turned) == decode.viterbi(word, mechanism, RARE)
        known = decode.posterior(word, mechanism, turned).marginals
        assert known == pytest.approx(decode.posterior(word, mechanism, RARE).marginals)


def test_the_exponential_mechanism_on_all_words_is_decoded_alike() -> None:
    word = list("abcab")
    exponential = WordExponential(Language.all(ABC), epsilon=2, adjacency=2)
    response = RandomizedResponse(ABC, epsilon=1)
    known = decode.posterior(word, exponential, DENSE).marginals
    assert known == pytest.approx(decode.posterior(word, response, DENSE).marginals, rel=1e-12)


def test_a_matrix_may_be_any_response() -> None:
    matrix = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.0, 0.3, 0.7]])
    mechanism = SimpleNamespace(alphabet=ABC, response_matrix=matrix)
    rows = [[F(p) / sum(map(F, row)) for p in row] for row in matrix.tolist()]
    law = reference.joint(RARE.exact_initial, RARE.exact_transition, rows, (0, 1, 0, 2))
    known = decode.posterior(list("abac"), mechanism, RARE)
    exact = np.array(reference.marginals(law, 3), dtype=float)
    assert known.marginals == pytest.approx(exact, rel=1e-12, abs=1e-300)
    assert decode.viterbi(list("abac"), mechanism, RARE) in [
        ABC.decode(np.array(word)) for word in reference.most_likely(law)
    ]


def test_a_word_that_nothing_could_be_released_as_is_refused() -> None:
    sure = SimpleNamespace(alphabet=ABC, response_matrix=np.eye(3))
    words = Words.from_lists(ABC, [list("ab"), list("ac"), list("bc")])
    for call in (decode.viterbi, decode.posterior, decode.sample):
        with pytest.raises(DataError, match="Released word 1 cannot"):
            call(words, sure, RARE)
        assert call(list("abca"), sure, RARE)


def test_expected_errors_of_a_guess() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=1)
    words = Words.from_lists(ABC, [list("ab"), [], list("bca")])
    known = decode.posterior(words, mechanism, RARE)
    own = known.expected_errors_of(known.most_likely())
    assert own == pytest.approx(known.expected_errors, abs=1e-13)
    assert own[1] == 0
    rows = known.marginals
    expected = [2 - rows[0, 0] - rows[1, 1], 0, 3 - rows[2, 1] - rows[3, 2] - rows[4, 0]]
    assert known.expected_errors_of(words) == pytest.approx(expected)
    with pytest.raises(DataError, match="other lengths"):
        known.expected_errors_of(Words.from_lists(ABC, [list("ab"), [], list("bc")]))
    with pytest.raises(DomainError):
        known.expected_errors_of(Words.from_lists(Alphabet("xyz"), [list("xy"), [], list("xyz")]))


def test_what_cannot_be_decoded_is_refused() -> None:
    mechanism = RandomizedResponse(ABC, epsilon=1)
    with pytest.raises(ModelError, match="other states"):
        decode.viterbi(list("ab"), mechanism, STUCK)
    with pytest.raises(ParameterTypeError, match="The staircase mechanism"):
        decode.viterbi(list("ab"), WordStaircase(ABC, epsilon=1), RARE)
    dependent = SimpleNamespace(
        alphabet=ABC, response_matrix=np.eye(3), language=SimpleNamespace(is_all=False)
    )
    with pytest.raises(ParameterTypeError, match="each symbol on its own"):
        decode.viterbi(list("ab"), dependent, RARE)
    with pytest.raises(ParameterTypeError, match="not a Markov chain"):
        decode.posterior(list("ab"), mechanism, np.eye(3))  # type: ignore[arg-type]  # refused
    with pytest.raises(DomainError, match="position 1"):
        decode.posterior(list("ax"), mechanism, RARE)
    with pytest.raises(ParameterError, match="size"):
        decode.sample(list("ab"), mechanism, RARE, 0)
    for matrix in (np.ones((2, 2)) / 2, np.ones((3, 3)), np.full((3, 3), np.nan)):
        with pytest.raises(ParameterError, match="not a stochastic matrix"):
            decode.viterbi(list("ab"), SimpleNamespace(alphabet=ABC, response_matrix=matrix), RARE)


def test_log_responses_keep_their_digits_at_both_ends() -> None:
    for epsilon in (F(1, 10**9), F(1), F(50), F(5000)):
        mechanism = RandomizedResponse(ABC, epsilon=epsilon)
        alphabet, logs = read_response(mechanism)
        assert alphabet == ABC
        assert logs[0, 1] - logs[0, 0] == pytest.approx(-float(epsilon), rel=1e-5)
    sure = read_response(RandomizedResponse(ABC, epsilon=50))[1][1, 1]
    assert sure == pytest.approx(-2 * math.exp(-50), rel=1e-9, abs=0)
    assert logs[0, 1] == pytest.approx(-5000, rel=1e-12)
