"""Word mechanisms on languages that forbid words: law, cost, draws, refusals."""

import itertools
import json
import math
import pickle
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet import (
    Alphabet,
    DomainError,
    Language,
    ParameterError,
    WordExponential,
    WordPermuteAndFlip,
    Words,
)
from privet.exact import exp_down, exp_up
from privet.mechanisms import Mechanism
from privet.mechanisms.enumerated import list_words
from privet.mechanisms.on_language import LanguageMechanism
from privet.mechanisms.word_permute_and_flip.mixture import ExactChoice, choose_rates
from privet.mechanisms.word_permute_and_flip.reference import law_by_subsets
from privet.randomness import using_source
from privet.testing import ReplaySource, chi_square_agrees

ALPHA = 1e-9
Word = tuple[int, ...]
GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "words.json").read_text())["cases"]
RESTRICTED = [case for case in GOLDEN if not all(map(all, case["allowed"]))]
KINDS: dict[str, Any] = {
    "exponential": WordExponential,
    "permute_and_flip": WordPermuteAndFlip,
}
CLOSED = Language.from_regex(Alphabet(["a", "b", "x"]), "(a|b)* x*")


def language_of(case: dict[str, Any]) -> Language:
    return Language.from_allowed(Alphabet(range(case["symbols"])), case["allowed"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", RESTRICTED, ids=range(len(RESTRICTED)))
def test_handed_cases_agree(case: dict[str, Any], kind: str) -> None:
    mechanism = KINDS[kind](
        language_of(case),
        epsilon=case["epsilon"],
        adjacency=case["adjacency"],
        calibration="paper",
    )
    word, length = case["word"], case["length"]
    np.testing.assert_allclose(
        mechanism.distance_distribution(word), np.array(case[kind], float), atol=1e-12
    )
    if f"tight_epsilon_{kind}" in case:
        spent = mechanism.spent(length)
        assert float(spent) == pytest.approx(float(case[f"tight_epsilon_{kind}"]), abs=1e-12)
        assert spent <= mechanism.epsilon


def exact_law(
    mechanism: Any, words: list[tuple[int, ...]], given: tuple[int, ...]
) -> list[Fraction]:
    """P(word | given) in exact rationals, from the definition of the mechanism."""
    q = mechanism.ratio(len(given))
    distances = [sum(a != b for a, b in zip(given, w, strict=True)) for w in words]
    if isinstance(mechanism, WordPermuteAndFlip):
        return law_by_subsets(distances, q)
    weights = [q**d for d in distances]
    return [weight / sum(weights) for weight in weights]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("adjacency", [1, 2])
@pytest.mark.parametrize("epsilon", ["0.2", "3"])
def test_the_whole_matrix_keeps_what_is_stated(kind: str, adjacency: int, epsilon: str) -> None:
    mechanism = KINDS[kind](CLOSED, epsilon=epsilon, adjacency=adjacency)
    length = 3
    words = [tuple(row) for row in list_words(CLOSED, length).tolist()]
    laws = [exact_law(mechanism, words, word) for word in words]
    loss = mechanism.record_loss(length).maximum
    worst = Fraction(1)
    for (v, first), (w, second) in itertools.permutations(zip(words, laws, strict=True), 2):
        changed = sum(a != b for a, b in zip(v, w, strict=True))
        largest = max(p / q for p, q in zip(first, second, strict=True))
        assert largest <= exp_up(changed * loss)
        if changed <= adjacency:
            worst = max(worst, largest)
    spent = mechanism.spent(length)
    assert worst <= exp_up(spent)
    assert worst >= exp_down(spent * (1 - Fraction(1, 10**9)))
    assert spent <= mechanism.epsilon
    for word, law in zip(words[::4], laws[::4], strict=True):
        symbols = CLOSED.alphabet.decode(np.array(word))
        by_distance = mechanism.distance_distribution(symbols)
        exact = np.zeros(length + 1)
        for other, share in zip(words, law, strict=True):
            exact[sum(a != b for a, b in zip(word, other, strict=True))] += float(share)
        np.testing.assert_allclose(by_distance, exact, atol=1e-12)
        lower, upper = mechanism.error_bounds(symbols)
        assert lower <= mechanism.expected_errors(symbols) <= upper


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("epsilon", ["1", "8"])
def test_draws_follow_the_law_and_a_wrong_twin_is_seen(kind: str, epsilon: str) -> None:
    mechanism = KINDS[kind](CLOSED, epsilon=epsilon)
    words = [tuple(row) for row in list_words(CLOSED, 4).tolist()]
    given, size = words[11], 40_000
    flat = np.tile(np.array(given, np.uint8), size)
    many = Words(CLOSED.alphabet, flat, np.arange(0, 4 * size + 1, 4))
    with using_source(ReplaySource(5)):
        released = mechanism.release(many).codes.reshape(size, 4)
    counts = Counter(map(tuple, released.tolist()))
    assert set(counts) <= set(words)
    observed = np.array([counts[word] for word in words])
    law = np.array([float(p) for p in exact_law(mechanism, words, given)])
    assert not chi_square_agrees(observed, law, ALPHA).rejected
    twin = KINDS["permute_and_flip" if kind == "exponential" else "exponential"]
    wrong = exact_law(twin(CLOSED, epsilon=epsilon), words, given)
    if epsilon == "8":  # at small epsilon the two are too close for this many draws
        assert chi_square_agrees(observed, np.array([float(p) for p in wrong]), ALPHA).rejected


def test_rates_chosen_by_balls_and_by_doubles_have_one_law() -> None:
    automaton, q = CLOSED.automaton, Fraction(3, 4)
    word = np.array([[0, 1, 1, 2]])
    size = 30_000
    doubles = choose_rates(ReplaySource(6), automaton, np.repeat(word, size, axis=0), q).rates
    source = ReplaySource(7)
    exact = ExactChoice(automaton, word[0].tolist(), q)
    balls = np.array([exact.choose(source, *map(int, source.words(2))) for _ in range(400)])
    top = int(doubles.max()) + 1
    law = np.bincount(doubles, minlength=top + 1) / size
    assert not chi_square_agrees(
        np.bincount(balls, minlength=top + 1)[: top + 1], law, ALPHA
    ).rejected


def test_doubles_and_balls_agree_on_the_same_uniform_numbers() -> None:
    automaton, q = CLOSED.automaton, Fraction(3, 4)
    words = np.array([[0, 1, 1, 2], [2, 2, 2, 2], [0, 0, 0, 0]] * 20)
    source = ReplaySource(8)
    arrival, place = source.words(len(words)), source.words(len(words))

    class Twice(ReplaySource):
        """Gives `arrival`, then `place`, as the choice asks for them."""

        def words(self, count: int, dtype: Any = np.uint64) -> Any:
            del count, dtype
            self.given = getattr(self, "given", 0) + 1
            return (arrival, place)[self.given - 1]

    rates = choose_rates(Twice(0), automaton, words, q).rates
    for row, rate in enumerate(rates):
        exact = ExactChoice(automaton, words[row].tolist(), q)
        assert exact.choose(ReplaySource(9), int(arrival[row]), int(place[row])) == rate


@pytest.mark.parametrize("kind", KINDS)
def test_every_release_is_in_the_language_also_of_words_outside_it(kind: str) -> None:
    outside = Words.from_lists(CLOSED.alphabet, [["x", "a", "b"], ["a", "x", "a"], ["a", "a", "x"]])
    strict = KINDS[kind](CLOSED, epsilon=1)
    with pytest.raises(DomainError, match=r"Word 0 .* impossible at position 1; 2 words") as caught:
        strict.release(outside)
    assert caught.value.payload == {"word": 0, "position": 1}
    lenient = KINDS[kind](CLOSED, epsilon=1, outside="allow")
    for _ in range(50):
        assert all(CLOSED.contains(word) for word in lenient.release(outside))
    assert lenient.distance_distribution(["x", "a", "b"])[0] == 0


def test_words_outside_follow_the_law_with_the_nearest_word_as_reference() -> None:
    mechanism = WordPermuteAndFlip(CLOSED, epsilon=6, outside="allow")
    given, size = ["x", "a", "x"], 3000
    words = [tuple(row) for row in list_words(CLOSED, 3).tolist()]
    codes = CLOSED.alphabet.encode(given)
    law = exact_law(mechanism, words, tuple(codes.tolist()))
    with using_source(ReplaySource(10)):
        drawn = Counter(
            tuple(CLOSED.alphabet.encode(mechanism.release(given)).tolist()) for _ in range(size)
        )
    observed = np.array([drawn[word] for word in words])
    assert not chi_square_agrees(observed, np.array([float(p) for p in law]), ALPHA).rejected


@pytest.mark.parametrize("kind", KINDS)
def test_a_language_in_which_little_is_left_to_choose(kind: str) -> None:
    alphabet = Alphabet(["a", "b"])
    single = Language.from_dfa(alphabet, [[1, -1], [-1, 0]], 0, [True, True])
    mechanism = KINDS[kind](single, epsilon=1)
    assert mechanism.release(["a", "b", "a"]) == ["a", "b", "a"]
    assert mechanism.spent(3) == 0
    assert mechanism.distance_distribution(["a", "b"]).tolist() == [1.0, 0.0, 0.0]
    even = Language.from_dfa(alphabet, [[0, 1], [1, 0]], 0, [True, False])
    mechanism = KINDS[kind](even, epsilon=1)
    assert mechanism.spent(4) == 0  # no two words differ in one place: nothing is protected
    assert sum(symbol == "b" for symbol in mechanism.release(list("abba"))) % 2 == 0


@pytest.mark.parametrize("kind", KINDS)
def test_averages_agree_with_the_language(kind: str) -> None:
    mechanism = KINDS[kind](CLOSED, epsilon=2)
    words = [CLOSED.alphabet.decode(row) for row in list_words(CLOSED, 4)]
    exact = float(np.mean([mechanism.expected_errors(word) for word in words]))
    average = mechanism.average_errors(4)
    assert abs(average.mean - exact) < 6 * average.standard_error
    assert mechanism.expected_errors(4) == average.mean
    assert mechanism.average_errors(4) == average


@pytest.mark.parametrize("kind", KINDS)
def test_descriptions_and_copies(kind: str) -> None:
    mechanism = KINDS[kind](CLOSED, epsilon="0.5", adjacency=2, outside="allow")
    assert isinstance(mechanism, LanguageMechanism)
    again = Mechanism.from_json(json.loads(json.dumps(mechanism.to_json())))
    assert again == mechanism
    assert type(again) is type(mechanism)
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism
    assert not hasattr(mechanism, "response_matrix")
    assert "possible or not" in mechanism.guarantee.sentence


@pytest.mark.parametrize("kind", KINDS)
def test_bad_requests(kind: str) -> None:
    with pytest.raises(ParameterError, match="not certified"):
        KINDS[kind](CLOSED, epsilon=1, calibration="exact")
    with pytest.raises(ParameterError, match="outside"):
        KINDS[kind](CLOSED, epsilon=1, outside="maybe")
    mechanism = KINDS[kind](CLOSED, epsilon=1)
    with pytest.raises(ParameterError, match="depends on the word"):
        mechanism.distance_distribution(3)
    with pytest.raises(ParameterError, match="depends on the word"):
        mechanism.probability_of_word(3)
    with pytest.raises(DomainError):
        mechanism.distance_distribution(["x", "a"])
    only_even = Language.from_dfa(Alphabet(["a", "b"]), [[1, 1], [0, 0]], 0, [True, False])
    with pytest.raises(ParameterError, match="length"):
        KINDS[kind](only_even, epsilon=1).release(["a"])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("epsilon", ["1e-300", "1e-9", "300", "10000"])
def test_extreme_epsilon_goes_through_balls(kind: str, epsilon: str) -> None:
    mechanism = KINDS[kind](CLOSED, epsilon=epsilon)
    word = ["a", "b", "x"]
    assert CLOSED.contains(mechanism.release(word))
    assert 0 <= mechanism.spent(3) <= mechanism.epsilon
    if mechanism.epsilon >= 300:
        assert mechanism.release(word) == word


def test_what_doubles_cost_is_taken_from_the_rate() -> None:
    mechanism = WordExponential(CLOSED, epsilon=1, adjacency=2)
    assert isinstance(mechanism, LanguageMechanism)
    rate = mechanism._rates[1000]
    assert rate.doubles
    assert 0 < rate.charge < Fraction(1, 10**10)
    assert 4 * rate.rate_up + rate.charge <= 1
    assert math.isclose(mechanism.rate(1000), 0.25, rel_tol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_inputs_outside_count_where_they_are_allowed(kind: str) -> None:
    even = Language.from_dfa(Alphabet(["a", "b"]), [[0, 1], [1, 0]], 0, [True, False])
    strict = KINDS[kind](even, epsilon=2)
    lenient = KINDS[kind](even, epsilon=2, outside="allow")
    assert strict.spent(3) == 0
    words = [tuple(row) for row in list_words(even, 3).tolist()]
    first, second = (exact_law(lenient, words, word) for word in ((0, 0, 0), (0, 0, 1)))
    largest = max(max(p / q, q / p) for p, q in zip(first, second, strict=True))
    assert largest > exp_up(Fraction(1))
    assert largest <= exp_up(lenient.spent(3))
    assert lenient.spent(3) <= 2
    assert "possible or not" in lenient.guarantee.sentence


@pytest.mark.parametrize("epsilon", ["0.01", "0.4"])
def test_few_words_and_a_small_epsilon_cost_little(epsilon: str) -> None:
    alphabet = Alphabet(["a", "b", "c"])
    two = Language.from_regex(alphabet, "a b | c c")
    mechanism = WordPermuteAndFlip(two, epsilon=epsilon)
    size = 20_000
    many = Words(alphabet, np.tile(np.array([0, 1], np.uint8), size), np.arange(0, 2 * size + 1, 2))
    with using_source(ReplaySource(11)):
        released = mechanism.release(many).codes.reshape(size, 2)
    observed = np.array([(released == word).all(axis=1).sum() for word in ([0, 1], [2, 2])])
    law = [float(p) for p in exact_law(mechanism, [(0, 1), (2, 2)], (0, 1))]
    assert not chi_square_agrees(observed, np.array(law), ALPHA).rejected
    assert observed.sum() == size


def test_a_word_with_little_beside_it_is_drawn_by_distance() -> None:
    # One word near the input and 1024 words 42 places away: at this rate they weigh 24 together,
    # and the mixture would need hundreds of rates.
    alphabet = Alphabet(["a", "b", "c"])
    language = Language.from_regex(alphabet, "a{42} | a{41} b | c{32} (b | c){10}")
    mechanism = WordPermuteAndFlip(language, epsilon="0.18")
    size, length = 2000, 42
    flat = np.zeros(size * length, np.uint8)
    many = Words(alphabet, flat, np.arange(0, flat.size + 1, length))
    with using_source(ReplaySource(12)):
        released = mechanism.release(many).codes.reshape(size, length)
    drawn = np.bincount((released != 0).sum(axis=1), minlength=length + 1)
    law = mechanism.distance_distribution(["a"] * length)
    assert drawn[law == 0].sum() == 0
    assert not chi_square_agrees(drawn[law > 0], law[law > 0], ALPHA).rejected
    wrong = WordPermuteAndFlip(language, epsilon="0.3").distance_distribution(["a"] * length)
    assert chi_square_agrees(drawn[law > 0], wrong[law > 0], ALPHA).rejected


def test_long_listed_languages_fall_back_to_the_bound() -> None:
    language = Language.from_regex(Alphabet(["a", "b"]), "a* b*")
    mechanism = WordPermuteAndFlip(language, epsilon=1)
    assert 1 - Fraction(1, 10**9) < mechanism.spent(200) <= 1
    assert mechanism.spent(20) < Fraction(95, 100)


def test_many_symbols_on_few_states_are_charged_by_symbols() -> None:
    size = 400
    alphabet = Alphabet(range(size))
    allowed = np.ones((size, size), int)
    allowed[-1, -1] = 0
    mechanism = WordPermuteAndFlip(Language.from_allowed(alphabet, allowed), epsilon=1)
    assert isinstance(mechanism, LanguageMechanism)
    assert mechanism.language.automaton.size <= 3
    assert mechanism._rates[2].charge >= 2 * 2 * 2 * Fraction(size, 1 << 53)
