"""Word mechanisms on languages that forbid words: law, cost, draws, refusals."""

import itertools
import json
import math
import pickle
from collections import Counter
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privet import (
    Alphabet,
    DomainError,
    Language,
    ModelError,
    ParameterError,
    WordExponential,
    WordPermuteAndFlip,
    Words,
)
from privet.exact import exp_down, exp_up
from privet.languages.trellis import deviation, weigh
from privet.mechanisms import Mechanism
from privet.mechanisms.enumerated import list_words
from privet.mechanisms.on_language import (
    LONGEST_ON_LANGUAGE,
    LONGEST_WIDE,
    LanguageMechanism,
    words_to_average,
)
from privet.mechanisms.word_permute_and_flip.reference import law_by_subsets
from privet.randomness import current_source, using_source
from privet.testing import ChosenSource, ReplaySource, chi_square_agrees

ALPHA = 1e-9
Word = tuple[int, ...]
GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "words.json").read_text())["cases"]
RESTRICTED = [case for case in GOLDEN if not all(map(all, case["allowed"]))]
KINDS: dict[str, Any] = {
    "exponential": partial(WordExponential, calibration="paper"),
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
    assert not mechanism.protects_nothing(3)  # the only word there is is no secret
    assert mechanism.release(["a", "b", "a"]) == ["a", "b", "a"]
    assert mechanism.spent(3) == 0
    assert mechanism.distance_distribution(["a", "b"]).tolist() == [1.0, 0.0, 0.0]
    even = Language.from_dfa(alphabet, [[0, 1], [1, 0]], 0, [True, False])
    mechanism = KINDS[kind](even, epsilon=1, unprotected="allow")
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
def test_averages_over_long_words_take_fewer_of_them(kind: str) -> None:
    assert [words_to_average(n) for n in (1, 1000, 4000, 10**5)] == [1000, 1000, 250, 50]
    ring = Language.from_allowed(Alphabet("abc"), [[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    mechanism = KINDS[kind](ring, epsilon=2)
    average = mechanism.average_errors(4000)
    assert average.words == 250
    assert 0 < average.standard_error < 0.01 * average.mean
    again = KINDS[kind](ring, epsilon=2).average_errors(4000)
    # Six standard errors of their difference: alpha 2e-9; a release of all words is 1000 apart.
    apart = math.hypot(average.standard_error, again.standard_error)
    assert abs(average.mean - again.mean) < 6 * apart


def test_averages_over_large_automata_take_fewer_words() -> None:
    assert [words_to_average(300, moves) for moves in (64, 1000, 2000, 10**6)] == [
        1000,
        224,
        112,
        8,
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_averages_are_replayed_and_use_no_bit_of_a_release(kind: str) -> None:
    def forbidden(_out: object) -> object:
        raise AssertionError("a bit of the source in force was used")

    with using_source(ChosenSource(forbidden)):  # type: ignore[arg-type]  # never returns
        first = KINDS[kind](CLOSED, epsilon=1).average_errors(6)
    assert KINDS[kind](CLOSED, epsilon=1).average_errors(6) == first
    source = current_source()
    assert source.private
    mechanism = KINDS[kind](CLOSED, epsilon=1)
    mechanism.average_errors(40)
    word = ["a", "b"] * 20
    assert mechanism.release(word) != mechanism.release(word)  # each of 2^40 words or more


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
        KINDS[kind](CLOSED, epsilon=1, calibration="exact", outside="allow")
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
def test_extreme_epsilon_is_drawn_at_once(kind: str, epsilon: str) -> None:
    mechanism = KINDS[kind](CLOSED, epsilon=epsilon)
    word = ["a", "b", "x"]
    assert CLOSED.contains(mechanism.release(word))
    assert 0 <= mechanism.spent(3) <= mechanism.epsilon
    if mechanism.epsilon >= 300:
        assert mechanism.release(word) == word


@pytest.mark.parametrize(("kind", "times"), [("exponential", 2), ("permute_and_flip", 20)])
def test_what_doubles_cost_is_taken_from_the_rate(kind: str, times: int) -> None:
    mechanism: Any = KINDS[kind](CLOSED, epsilon=1, adjacency=2)
    rate = mechanism._rates[1000]
    assert rate.charge == times * deviation(1000, 3)
    assert 4 * rate.rate_up + rate.charge <= 1
    assert math.isclose(mechanism.rate(1000), 0.25, rel_tol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("epsilon", ["1e-300", "1e-50", "1e-12"])
def test_an_epsilon_beside_which_doubles_would_be_seen_is_not_used(kind: str, epsilon: str) -> None:
    mechanism: Any = KINDS[kind](CLOSED, epsilon=epsilon)
    assert mechanism.ratio(40) == 1
    assert mechanism.rate(40) == mechanism.spent(40) == mechanism.record_loss(40).maximum == 0
    (remark,) = mechanism.remarks([40])
    assert "nothing to do with the input" in remark
    words = [["a"] * 40, ["x"] * 40]
    with using_source(ReplaySource(13)):
        first = mechanism.release(words[0])
    with using_source(ReplaySource(13)):
        assert mechanism.release(words[1]) == first  # not even a rounding knows the word
    law = mechanism.distance_distribution(["a", "b"])
    assert law == pytest.approx(np.array([1, 3, 3]) / 7)  # aa ab ba bb ax bx xx, each equally
    assert mechanism.error_bounds(["a", "b"]) == pytest.approx((9 / 7, 9 / 7))
    assert KINDS[kind](CLOSED, epsilon="1e-6").ratio(40) < 1


@pytest.mark.parametrize("kind", KINDS)
def test_how_a_word_is_drawn_does_not_depend_on_it(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trellis comes from q, the length and the language; words that were slow, as all others.

    24 "o" in 300 symbols took 80 s, 25 took 0.1 s; and a word whose weights no double holds went
    another way than its neighbours.
    """
    language = Language.from_allowed(Alphabet(["o", "c"]), {"o": ["o", "c"], "c": ["c"]})
    made: list[tuple[int, Fraction, bool]] = []

    def spy(automaton: Any, words: Any, q: Fraction, *, narrow: bool) -> Any:
        made.append((words.shape[1], q, narrow))
        return weigh(automaton, words, q, narrow=narrow)

    monkeypatch.setattr("privet.mechanisms.on_language.weigh", spy)
    for epsilon, narrow in (("0.06", True), ("8", False)):
        mechanism = KINDS[kind](language, epsilon=epsilon)
        for first in (0, 24, 25, 150, 300):
            mechanism.release(["o"] * first + ["c"] * (300 - first))
        assert set(made) == {(300, mechanism.ratio(300), narrow)}
        assert len(made) == 5  # one trellis a word
        made.clear()


@pytest.mark.parametrize("kind", KINDS)
def test_words_too_long_are_refused_before_anything_is_counted(kind: str) -> None:
    mechanism: Any = KINDS[kind](CLOSED, epsilon=1)
    for ask in (
        mechanism.spent,
        mechanism.rate,
        mechanism.ratio,
        mechanism.record_loss,
        mechanism.expected_errors,
        mechanism.average_errors,
        mechanism.error_bounds,
        lambda n: mechanism.release(["a"] * n),
    ):
        with pytest.raises(ParameterError, match="too long") as caught:
            ask(LONGEST_WIDE + 1)
        assert str(LONGEST_WIDE) in caught.value.hint
    for ask in (mechanism.spent, mechanism.expected_errors, mechanism.average_errors):
        with pytest.raises(ParameterError, match="too long"):
            ask(10**9)
    mixing: Any = KINDS[kind](Language.from_allowed(Alphabet("ab"), [[1, 1], [1, 0]]), epsilon=1)
    assert mixing.rate(LONGEST_ON_LANGUAGE) > 0
    with pytest.raises(ParameterError, match="too long"):
        mixing.rate(LONGEST_ON_LANGUAGE + 1)
    states = 3000
    table = [[(s + 1) % states, (7 * s + 3) % states] for s in range(states)]
    flags = [(s * s) % 3001 % 2 > 0 for s in range(states)]
    large: Any = KINDS[kind](Language.from_dfa(Alphabet("ab"), table, 0, flags), epsilon=1)
    with pytest.raises(ParameterError, match="With 3000 states, words may have up to 22361"):
        large.rate(30_000)


@pytest.mark.parametrize("kind", KINDS)
def test_lengths_of_which_no_word_has_a_neighbour_are_refused(kind: str) -> None:
    language = Language.from_regex(Alphabet(["a", "b"]), "a* | b*")
    mechanism: Any = KINDS[kind](language, epsilon=5)
    assert not mechanism.protects_nothing(1)
    assert mechanism.protects_nothing(2)
    assert mechanism.spent(2) == mechanism.spent(400) == 0
    assert 0 < mechanism.spent(1) <= 5
    words = Words.from_lists(language.alphabet, [["a"], ["b", "b"]])
    for act in (mechanism.release, mechanism.check):
        with pytest.raises(
            ParameterError, match=r"No two words of length 2 .* one place"
        ) as caught:
            act(words)
        assert caught.value.payload["length"] == 2
    assert "length 2, 3 differ in one place" in mechanism.remarks([1, 2, 2, 3])[0]
    assert KINDS[kind](language, epsilon=5, adjacency=2).release(["b", "b"]) in (
        ["a", "a"],
        ["b", "b"],
    )
    allowed = KINDS[kind](language, epsilon=5, unprotected="allow")
    assert len(allowed.release(words)) == 2
    assert Mechanism.from_json(json.loads(json.dumps(allowed.to_json()))) == allowed
    assert allowed != mechanism
    lenient: Any = KINDS[kind](language, epsilon=5, outside="allow")
    assert not lenient.protects_nothing(2)  # other words are inputs too
    assert lenient.spent(2) > 0
    with pytest.raises(ParameterError, match="unprotected"):
        KINDS[kind](language, epsilon=5, unprotected="maybe")


@pytest.mark.parametrize("kind", KINDS)
def test_more_words_than_can_be_listed_spend_nothing_without_neighbours(kind: str) -> None:
    even = Language.from_dfa(Alphabet(["a", "b"]), [[0, 1], [1, 0]], 0, [True, False])
    assert even.count(30) > 256
    mechanism: Any = KINDS[kind](even, epsilon=5)
    assert mechanism.spent(30) == 0
    assert mechanism.protects_nothing(30)
    assert KINDS[kind](even, epsilon=5, adjacency=2).spent(30) > 4


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_caller_reads_names_the_public_class(kind: str) -> None:
    mechanism = KINDS[kind](CLOSED, epsilon=1)
    made = KINDS[kind]
    public = made.func if isinstance(made, partial) else made
    assert repr(mechanism).startswith(f"{public.__name__}(")
    assert mechanism.title.endswith("on a language")


@pytest.mark.parametrize("public", [WordExponential, WordPermuteAndFlip])
def test_a_class_derived_from_a_public_one_is_for_all_words(public: Any) -> None:
    class Derived(public):  # type: ignore[misc]  # the base is chosen by the test
        """Nothing of its own."""

    assert type(Derived(CLOSED.alphabet, epsilon=1)) is Derived
    with pytest.raises(ModelError, match="forbids some words"):
        Derived(CLOSED, epsilon=1)


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
    mechanism = WordPermuteAndFlip(two, epsilon=epsilon, unprotected="allow")
    size = 20_000
    many = Words(alphabet, np.tile(np.array([0, 1], np.uint8), size), np.arange(0, 2 * size + 1, 2))
    with using_source(ReplaySource(11)):
        released = mechanism.release(many).codes.reshape(size, 2)
    observed = np.array([(released == word).all(axis=1).sum() for word in ([0, 1], [2, 2])])
    law = [float(p) for p in exact_law(mechanism, [(0, 1), (2, 2)], (0, 1))]
    assert not chi_square_agrees(observed, np.array(law), ALPHA).rejected
    assert observed.sum() == size


def test_a_word_with_little_beside_it_follows_the_law() -> None:
    # One word near the input and 1024 words 42 places away: at this rate they weigh 24 together.
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
    mechanism: Any = WordPermuteAndFlip(language, epsilon=1)
    assert not mechanism._can_enumerate(251, 250)  # 251 words took half a minute
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
