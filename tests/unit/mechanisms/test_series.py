"""What mechanisms on series share, on a framework whose bounds can be checked by hand."""

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet.chains import MarkovChain
from privet.errors import DataError, DomainError, ModelError, ParameterError, ParameterTypeError
from privet.exact import exact_number, exp_down, exp_up
from privet.mechanisms import MarkovLaplace, MarkovQuilt
from privet.mechanisms.series import (
    SeriesMechanism,
    largest_noise,
    mean_magnitude,
    round_for_losses,
    round_up,
)
from privet.privacy import IndependentRecords, MarkovFramework, RecordLoss
from privet.queries import (
    Counterexample,
    count,
    custom,
    frequency,
    histogram,
    mean,
    read_query,
    run_lengths,
    transitions,
)
from privet.randomness import using_source
from privet.symbols import Alphabet, Codes, Words
from privet.testing import ChosenSource, ReplaySource


class GroupFramework(MarkovFramework):
    """All nodes protected at once: a scale is the sum of the constants over epsilon."""

    def __init__(self, symbols: str = "ab") -> None:
        even = [Fraction(1, len(symbols))] * len(symbols)
        super().__init__(MarkovChain(even, [even] * len(symbols), list(symbols)))
        self.asked: list[int] = []

    def scale(
        self,
        length: int,
        *,
        epsilon: Any,
        method: Any = "best",  # noqa: ARG002  # one for all
        nodes: Any = None,
    ) -> Fraction:
        start, stop = nodes or (0, length)
        return (stop - start) / exact_number(epsilon, "epsilon")

    def scale_for(self, constants: Any, *, epsilon: Any, method: Any = "best") -> Fraction:  # noqa: ARG002  # one for all
        self.asked.append(constants[-1][1])
        total = sum(((stop - start) * value for start, stop, value in constants), Fraction(0))
        return total / exact_number(epsilon, "epsilon")

    def quilt_scale(self, length: int, *, epsilon: Any, method: Any = "exact") -> Fraction:  # noqa: ARG002  # one for all
        return length / exact_number(epsilon, "epsilon")

    def epsilon(self, record_loss: RecordLoss, *, method: Any = "best") -> Fraction:  # noqa: ARG002  # one for all
        return record_loss.total

    def assumptions(self) -> tuple[str, ...]:
        return ("nothing",)

    def check_words(self, words: Words) -> None:
        if "".join(map(str, words[0])).startswith("aab"):
            raise ModelError("Word 0 cannot happen from position 2 on.")

    def to_json(self) -> dict[str, Any]:
        return {"kind": "group"}


def make(symbols: str = "ab", epsilon: Any = 1, **options: Any) -> MarkovLaplace:
    return MarkovLaplace(GroupFramework(symbols), epsilon=epsilon, **options)


def near(scale: Fraction, exact: int) -> bool:
    """Whether a scale is what it should be, rounded up to whole units of loss."""
    return exact <= scale <= exact * (1 + Fraction(1, 1 << 50))


SILENT = ChosenSource(np.zeros_like)
"""Every draw of noise gives 0."""


WORD = list("abbbabbb")


def test_without_noise_the_answer_is_the_statistic() -> None:
    mechanism = make()
    with using_source(SILENT):
        assert mechanism.release("histogram", WORD).tolist() == [2, 6]
        assert mechanism.release("frequency", WORD).tolist() == [0.25, 0.75]
        assert mechanism.release("count", WORD) == 6
        assert mechanism.release("share", WORD, nodes=(1, 5)) == 0.75
        assert mechanism.release(mean({"a": 1, "b": 3}), WORD) == 2.5
        table = mechanism.release("transitions", WORD)
        assert table.tolist() == [[0, 2], [1, 4]]
        runs = mechanism.release(run_lengths(2, "b"), WORD)
        assert runs.tolist() == [0, 2]
        assert mechanism.release(custom(lambda w: w.count("b"), constant=1), WORD) == 6


@pytest.mark.parametrize(
    "word",
    [
        WORD,
        tuple(WORD),
        np.array(WORD),
        Codes(np.array([0, 1, 1, 1, 0, 1, 1, 1])),
        np.array([0, 1]),
    ],
    ids=["list", "tuple", "array", "Codes", "codes"],
)
def test_every_kind_of_word_is_read(word: Any) -> None:
    with using_source(SILENT):
        assert make().release("count", word) == (6 if len(word) == 8 else 1)


def test_several_people_are_added_up_with_the_noise_of_the_longest() -> None:
    alphabet = Alphabet("ab")
    words = Words.from_lists(alphabet, [list("bb"), list("abbb"), list("b")])
    mechanism = make()
    with using_source(SILENT):
        assert mechanism.release("count", words) == 6
        assert mechanism.release("share", words) == 6 / 7
        # No step leads from one person's word to another's.
        steps = mechanism.release("transitions", words)
        assert steps.sum() == 4
        assert mechanism.release("count", words, nodes=(0, 1)) == 2
    assert mechanism.noise_scale("count", words.lengths) == 4
    assert mechanism.noise_scale("count", [2, 1]) == 2
    assert mechanism.record_loss(2, "count", among=[2, 4, 1]) == RecordLoss.constant(2, "1/4")
    assert mechanism.record_loss(2) == RecordLoss.constant(2, "1/2")
    assert mechanism.spent([2, 4, 1], "count") == 1
    assert mechanism.expected_error("share", [2, 4, 1]) == pytest.approx(
        mean_magnitude(Fraction(4)) / 7
    )
    with pytest.raises(ParameterError, match=r"0 \.\. 0"):
        mechanism.release("count", words, nodes=(0, 2))


def test_a_scale_is_asked_for_once_by_the_longest_series() -> None:
    mechanism = make()
    words = Words.from_lists(Alphabet("ab"), [["a"] * n for n in (3, 5, 3, 5, 5)])
    for _ in range(3):
        mechanism.release("count", words)
        mechanism.release("share", words)
    assert sorted(mechanism.framework.asked) == [5]  # type: ignore[attr-defined]  # the stand-in


def test_scales_and_losses_are_the_constants_over_each_other() -> None:
    mechanism = make(epsilon="1/2")
    assert mechanism.scale(10) == 20
    assert mechanism.scale(10, nodes=(2, 5)) == 6
    assert near(mechanism.noise_scale("histogram", 10), 40)
    assert near(mechanism.noise_scale("histogram", 10, nodes=(2, 5)), 12)
    # Steps within nodes 2 .. 4: 2 + 4 + 2.
    assert mechanism.noise_scale("transitions", 10, nodes=(2, 5)) == 16
    loss = mechanism.record_loss(10, "transitions", nodes=(2, 5))
    assert loss == RecordLoss.from_values([0, 0, "1/8", "1/4", "1/8", 0, 0, 0, 0, 0])
    assert mechanism.spent(10, "transitions", nodes=(2, 5)) == Fraction(1, 2)
    # In units of the statistic: the grid of these levels is 5.
    levels = mean({"a": 0, "b": 5})
    assert near(mechanism.grid_scale(levels, 10), 20)
    assert near(mechanism.noise_scale(levels, 10), 100)
    largest = mechanism.record_loss(10, levels).maximum
    assert Fraction(1, 20) - Fraction(1, 1 << 63) < largest <= Fraction(1, 20)


@pytest.mark.parametrize("epsilon", ["1/10", "1/3", 1, "0.7", 9])
@pytest.mark.parametrize("query", ["count", "transitions", "own"])
def test_what_is_recorded_fits_a_budget_of_exactly_epsilon(query: str, epsilon: Any) -> None:
    mechanism = make(epsilon=epsilon)
    asked = custom(lambda _: 0.0, constant="1/7", grid="1/9") if query == "own" else query
    loss = mechanism.record_loss(7, asked)
    assert mechanism.epsilon * (1 - Fraction(1, 1 << 50)) < loss.total <= mechanism.epsilon
    scale = mechanism.grid_scale(asked, 7)
    for start, _, constant in read_query(asked).constants(mechanism.alphabet, 7):
        (value,) = [v for begin, end, v in loss.pieces if begin <= start < end]
        assert value == constant / scale


def test_scales_are_rounded_up() -> None:
    pieces = [(0, 5, Fraction(16, 7)), (5, 6, Fraction(0))]
    for exact in (Fraction(1, 9), Fraction(100, 3), Fraction(10**8)):
        assert exact <= round_for_losses(exact, pieces) <= exact * (1 + Fraction(1, 1 << 30))
    # So large that whole units of loss are too coarse.
    large = Fraction(10**12, 7)
    assert large < round_for_losses(large, pieces) < large * (1 + Fraction(1, 1 << 62))
    assert make().spent(5, mean({"a": 0, "b": 1}, grid="1e-10")) <= 1
    assert round_up(Fraction(10**30, 7)) == -(-(10**30) // 7)
    tiny = round_up(Fraction(1, 3 * 10**30))
    assert Fraction(1, 3 * 10**30) < tiny < Fraction(1, 3 * 10**30) * (1 + Fraction(1, 1 << 62))


def test_what_no_node_can_move_needs_no_noise() -> None:
    mechanism = make()
    assert mechanism.noise_scale("transitions", 1) == 0
    assert mechanism.release("transitions", ["a"]).tolist() == [[0, 0], [0, 0]]
    assert mechanism.record_loss(1, "transitions").total == 0
    assert mechanism.spent(1, "transitions") == 0
    assert mechanism.expected_error("transitions", 1) == 0
    low, high = mechanism.interval("transitions", np.zeros((2, 2), np.int64), 1)
    assert not low.any()
    assert not high.any()
    assert mechanism.release(run_lengths(2), ["b"]).tolist() == [1, 0]
    # Together with longer words there is noise, and the single node still loses nothing.
    assert mechanism.record_loss(1, "transitions", among=[1, 4]).total == 0


@pytest.mark.parametrize("scale", [Fraction(1, 50), Fraction(1, 3), Fraction(2), Fraction(31, 7)])
@pytest.mark.parametrize("share", [Fraction(1, 20), Fraction(1, 2), Fraction(1, 10**6)])
def test_intervals_are_the_exact_tails(scale: Fraction, share: Fraction) -> None:
    def tail(h: int, power: Any, other: Any) -> Fraction:
        return 2 * power(-Fraction(h + 1) / scale) / (1 + other(-1 / scale))  # type: ignore[no-any-return]  # Any

    h = largest_noise(scale, share)
    assert tail(h, exp_up, exp_down) <= share
    assert h == 0 or tail(h - 1, exp_down, exp_up) > share


def test_an_interval_allows_for_rounding_and_division() -> None:
    mechanism = make()
    query = custom(lambda w: w.count("b") / 3, constant="1/3", grid="1/2")
    h = largest_noise(mechanism.grid_scale(query, 4), Fraction(1, 10))
    low, high = mechanism.interval(query, 2.5, 4, confidence=0.9)
    assert (low, high) == (2.5 - h / 2 - 0.25, 2.5 + h / 2 + 0.25)
    h = largest_noise(mechanism.grid_scale("frequency", 4, (0, 2)), Fraction(1, 20))
    low, high = mechanism.interval("frequency", np.array([0.5, 1.0]), 4, nodes=(0, 2))
    assert low.tolist() == [0.5 - h / 2, 1 - h / 2]
    assert high.tolist() == [0.5 + h / 2, 1 + h / 2]
    for confidence in (0, 1, 1.5, float("nan"), True):
        with pytest.raises(ParameterError, match="confidence"):
            mechanism.interval("count", 3, 4, confidence=confidence)


def test_the_ends_of_an_interval_are_within_it_as_doubles() -> None:
    # Taken apart as doubles, 0.331 - 0.02 is above 0.311, and leaves it out.
    mechanism, steps = make(), 1000
    h = largest_noise(mechanism.grid_scale("frequency", steps), Fraction(1, 20))
    released = np.arange(steps + 1) / steps
    low, high = mechanism.interval("frequency", released, steps)
    assert low.tolist() == [(number - h) / steps for number in range(steps + 1)]
    assert high.tolist() == [(number + h) / steps for number in range(steps + 1)]
    levels = mean({"a": "0.1", "b": "0.4"})
    h = largest_noise(mechanism.grid_scale(levels, 7), Fraction(1, 20))
    points = [Fraction(1, 10) + number * Fraction(3, 70) for number in range(8)]
    low, high = mechanism.interval(levels, np.array([float(x) for x in points]), 7)
    assert low.tolist() == [float(x - h * Fraction(3, 70)) for x in points]
    assert high.tolist() == [float(x + h * Fraction(3, 70)) for x in points]


def test_intervals_of_what_no_double_holds() -> None:
    mechanism, large = make(), 2**60 + 1
    h = largest_noise(mechanism.grid_scale("count", 4), Fraction(1, 20))
    assert mechanism.interval("count", large, 4) == (float(large - h), float(large + h))
    assert mechanism.interval("frequency", float("inf"), 4) == (math.inf, math.inf)


@pytest.mark.parametrize("scale", [Fraction(1, 900), Fraction(1, 3), Fraction(5), Fraction(10**9)])
def test_expected_magnitude_is_the_sum(scale: Fraction) -> None:
    q = math.exp(-1 / scale)
    if scale < 100:
        terms = [2 * j * (1 - q) / (1 + q) * q**j for j in range(2000)]
        assert mean_magnitude(scale) == pytest.approx(math.fsum(terms), rel=1e-12, abs=1e-300)
    else:
        assert mean_magnitude(scale) == pytest.approx(float(scale), rel=1e-12)


def test_errors_are_as_predicted() -> None:
    # 20 000 releases: the mean absolute error is within five standard errors of the prediction.
    mechanism = make(epsilon=2)
    with using_source(ReplaySource(1)):
        released = [mechanism.release("share", WORD) for _ in range(20_000)]
    errors = np.abs(np.array(released) - 0.75)
    predicted = mechanism.expected_error("share", 8)
    assert abs(errors.mean() - predicted) < 5 * errors.std() / math.sqrt(20_000)
    low, high = mechanism.interval("share", 0.75, 8, confidence=0.9)
    inside = np.mean([low <= value <= high for value in released])
    assert 0.9 <= inside < 0.95


# ----------------------------------------------------------------------------------- refusals


def test_data_that_cannot_be_answered_about_are_refused() -> None:
    mechanism = make()
    alphabet = Alphabet("ab")
    with pytest.raises(DataError, match="Word 0 is empty"):
        mechanism.release("count", [])
    with pytest.raises(DataError, match="Word 1 is empty"):
        mechanism.release("count", Words.from_lists(alphabet, [["a"], [], ["b"]]))
    with pytest.raises(DataError, match="no word"):
        mechanism.release("count", Words.from_lists(alphabet, []))
    with pytest.raises(DomainError, match="position 1") as refusal:
        mechanism.release("count", ["a", "ann"])
    assert "ann" not in str(refusal.value)
    with pytest.raises(DomainError, match="different alphabets"):
        mechanism.release("count", Words.from_lists(Alphabet("xy"), [["x"]]))
    with pytest.raises(ModelError, match="position 2"):
        mechanism.release("count", list("aab"))
    with pytest.raises(ModelError, match="position 2"):
        mechanism.check("count", list("aab"))
    with pytest.raises(ParameterError, match="nodes"):
        mechanism.release("count", WORD, nodes=(2, 9))
    with pytest.raises(ParameterError, match="no query"):
        mechanism.release("median", WORD)
    mechanism.check("count", WORD)


def test_a_constant_that_a_search_refutes_stops_the_release() -> None:
    query = custom(lambda w: 2 * w.count("b"), constant=1)
    with pytest.raises(ParameterError, match="too small") as refusal:
        make().release(query, WORD)
    found = refusal.value.payload["counterexample"]
    assert isinstance(found, Counterexample)
    assert found.first != WORD or found.second != WORD
    with pytest.raises(ParameterError, match="too small"):
        make().check(query, WORD, nodes=(0, 3))
    # The check comes before the data are looked at.
    seen: list[tuple[str, ...]] = []

    def watch(word: list[str]) -> int:
        seen.append(tuple(word))
        return 2 * word.count("b")

    with pytest.raises(ParameterError, match="too small"), using_source(ReplaySource(4)):
        make().release(custom(watch, constant=1), ["a"] * 300 + WORD)
    assert ("a",) * 300 + tuple(WORD) not in seen


def test_noise_beyond_the_sampler_is_refused_before_the_data_are_read() -> None:
    with pytest.raises(ParameterError, match=r"2\^40"):
        make(epsilon="1e-12").release("count", ["not a state"] * 3 and WORD)
    fine = mean({"a": 0, "b": 1}, grid="1e-12")
    with pytest.raises(ParameterError, match=r"2\^40"):
        make().release(fine, WORD)


@pytest.mark.parametrize("length", [0, -1, True, 2.0, "3", [], [3, 0], None])
def test_bad_lengths_are_refused(length: Any) -> None:
    with pytest.raises(ParameterError, match="length"):
        make().noise_scale("count", length)


def test_parameters_are_checked_when_the_mechanism_is_made() -> None:
    chain = MarkovChain([1, 0], [["1/2", "1/2"], ["1/2", "1/2"]])
    for framework in (chain, IndependentRecords(), "ab", None):
        with pytest.raises(ParameterTypeError, match="not a MarkovFramework"):
            MarkovLaplace(framework, epsilon=1)  # type: ignore[arg-type]  # refused
    with pytest.raises(ParameterError, match="method is none of"):
        make(method="fast")
    with pytest.raises(ParameterError, match="method is none of"):
        MarkovQuilt(GroupFramework(), epsilon=1, method="best")  # type: ignore[arg-type]  # refused


# -------------------------------------------------------------------------- what they say


def test_the_guarantee_names_what_it_assumes() -> None:
    promised = make().guarantee
    assert promised.epsilon == 1
    assert promised.unit.startswith("Any one step of a series")
    assert promised.assumptions[0] == "nothing"
    assert "how many steps each series has" in promised.published
    stated = make().guarantee_of(custom(len, constant="1/2", name="length"))
    assert "'length' by at most 1/2" in stated.sentence
    assert make().guarantee_of("count") == promised


def test_mechanisms_compare_by_what_they_do() -> None:
    assert make() == make()
    assert hash(make()) == hash(make())
    different: list[SeriesMechanism] = [
        make(epsilon=2),
        make("abc"),
        make(method="quilt"),
        MarkovQuilt(GroupFramework(), epsilon=1),
    ]
    assert all(other != make() for other in different)
    assert json.loads(json.dumps(make(method="group").to_json())) == {
        "mechanism": "markov-laplace",
        "framework": {"kind": "group"},
        "epsilon": "1",
        "method": "group",
    }
    assert "epsilon='1', method='best'" in repr(make())


def test_the_published_mechanism_takes_every_query_for_one_on_all_nodes() -> None:
    mechanism = MarkovQuilt(GroupFramework(), epsilon="1/2")
    assert mechanism.scale(6) == 12
    assert near(mechanism.noise_scale("histogram", 6), 24)
    assert near(mechanism.noise_scale("histogram", 6, nodes=(0, 1)), 24)
    assert near(mechanism.noise_scale("transitions", 6), 48)
    assert near(mechanism.noise_scale("transitions", 6, nodes=(0, 2)), 24)
    (first, second) = mechanism.record_loss(6, "histogram", nodes=(0, 1)).pieces
    assert near(1 / first[2], 12)
    assert second == (1, 6, Fraction(0))
    assert mechanism.spent(6, "histogram", nodes=(0, 1)) < Fraction(1, 10)
    assert near(1 / mechanism.spent(6, count("a")), 2)
    with using_source(SILENT):
        assert mechanism.release(histogram(), WORD[:6]).tolist() == [2, 4]
        assert mechanism.release(frequency(), WORD[:4]).tolist() == [0.25, 0.75]
        assert mechanism.release(transitions(), WORD[:2]).tolist() == [[0, 1], [0, 0]]
