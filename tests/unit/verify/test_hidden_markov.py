"""Hidden Markov models: the expected values, known examples, and everything that is refused."""

import copy
import itertools
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from privet import HiddenMarkovModel, verify
from privet.errors import (
    CertificateError,
    ModelError,
    ParameterError,
    ParameterTypeError,
    UndecidedError,
)
from privet.verify.models import word_probability
from privet.verify.problem import Threshold
from privet.verify.question import Question
from privet.weighted import Clock, Engine, Lengths, Limits, Proved, Stopped
from privet.weighted.seal import SEAL
from seals import sealed_again

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "hmm.json").read_text())["cases"]
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
GEOMETRIC = [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]]
"""Row i: a count of i in {0, 1, 2} under two-sided geometric noise of ratio 1/2, truncated."""


def counts() -> HiddenMarkovModel:
    """The count stays as it is; each step shows it once more under noise."""
    still = [[int(i == j) for j in range(3)] for i in range(3)]
    return HiddenMarkovModel(still, GEOMETRIC)


def coin() -> HiddenMarkovModel:
    """Two states that forget, and a symbol that tells them apart a little."""
    return HiddenMarkovModel(
        [["0.8", "0.2"], ["0.3", "0.7"]],
        [["3/5", "2/5"], ["2/5", "3/5"]],
        states=["calm", "storm"],
        observations=["sun", "rain"],
    )


# -------------------------------------------------------------------------------- expected values


@pytest.mark.parametrize("case", GOLDEN)
def test_the_worst_ratio_is_the_enumerated_one(case: Any) -> None:
    model = HiddenMarkovModel(case["transition"], case["emission"])
    found, witness = verify.worst_ratio(model, case["pi"], case["tau"], case["length"])
    expected = math.inf if case["max_ratio"] == "inf" else Fraction(case["max_ratio"])
    assert found == expected
    assert len(witness) == case["length"]
    over, under = (
        word_probability(model, tuple(map(Fraction, case[law])), witness)  # type: ignore[arg-type]  # codes
        for law in ("pi", "tau")
    )
    assert over == expected * under if under else over > 0


@pytest.mark.parametrize("case", GOLDEN)
def test_both_verdicts_around_the_worst_ratio(case: Any) -> None:
    model = HiddenMarkovModel(case["transition"], case["emission"])
    if case["max_ratio"] == "inf":
        outcome = verify.hidden_markov(
            model, case["pi"], case["tau"], ratio=10**9, length=case["length"]
        )
        assert isinstance(outcome, verify.Violated)
        assert outcome.ratio == math.inf
        return
    worst = Fraction(case["max_ratio"])
    for factor, kind in ((1, verify.Holds), (Fraction(999_999, 10**6), verify.Violated)):
        outcome = verify.hidden_markov(
            model, case["pi"], case["tau"], ratio=worst * factor, length=case["length"]
        )
        assert isinstance(outcome, kind)


# ------------------------------------------------------------------------------------ the examples


@pytest.mark.parametrize("p", [Fraction(1, 32), HALF, Fraction(31, 32)])
def test_independent_disease_is_exactly_ln_2_private(p: Fraction) -> None:
    # Two people; one is known to be ill, or not; the other is ill with probability p.
    ill, well = [Fraction(0), 1 - p, p], [1 - p, p, Fraction(0)]
    for first, second in ((ill, well), (well, ill)):
        assert verify.worst_ratio(counts(), first, second, 1)[0] == 2
        holds = verify.hidden_markov(counts(), first, second, ratio=2, length=1)
        assert isinstance(holds, verify.Holds)
        fails = verify.hidden_markov(counts(), first, second, ratio="1.9", length=1)
        assert isinstance(fails, verify.Violated)
        assert fails.ratio == 2


def test_a_contagious_disease_has_ratio_4() -> None:
    assert verify.worst_ratio(counts(), 2, 0, 1)[0] == 4
    outcome = verify.hidden_markov(counts(), 2, 0, ratio=2, length=1)
    assert isinstance(outcome, verify.Violated)
    assert outcome.word == [2]
    assert (outcome.first_probability, outcome.second_probability) == (
        Fraction(2, 3),
        Fraction(1, 6),
    )


def exchangeable(p0: Fraction, p1: Fraction, p2: Fraction) -> tuple[list[Fraction], list[Fraction]]:
    """The law of the number of ill people of two, given that the first is ill, or is not."""
    ill, well = p1 / 2 + p2, p0 + p1 / 2
    return [Fraction(0), p1 / 2 / ill, p2 / ill], [p0 / well, p1 / 2 / well, Fraction(0)]


@pytest.mark.parametrize(
    "parts", [(1, 2, 1), (4, 4, 1), (1, 3, 1), (2, 1, 1), (1, 2, 2), (9, 1, 1)]
)
def test_two_exchangeable_people_are_ln_2_private_below_the_binomial(parts: Any) -> None:
    p0, p1, p2 = (Fraction(part, sum(parts)) for part in parts)
    ill, well = exchangeable(p0, p1, p2)
    worst = max(
        verify.worst_ratio(counts(), ill, well, 1)[0], verify.worst_ratio(counts(), well, ill, 1)[0]
    )
    assert (worst <= 2) == (p0 * p2 <= p1**2 / 4)


def test_a_prior_of_half_and_two_quarters_fails_in_either_direction() -> None:
    ill, well = exchangeable(HALF, Fraction(1, 4), Fraction(1, 4))
    assert verify.worst_ratio(counts(), well, ill, 1)[0] == Fraction(27, 10)
    assert verify.worst_ratio(counts(), ill, well, 1)[0] == Fraction(25, 9)


def noisy_maximum(queries: int) -> HiddenMarkovModel:
    """True answers in {0, 1, 2}, seen as "start"; then noisy ones, seen as the first largest."""
    rows = [[Fraction(x) for x in row] for row in GEOMETRIC]
    answers = list(product(range(3), repeat=queries))
    size = len(answers)
    steps = [[Fraction(0)] * (2 * size) for _ in range(2 * size)]
    seen = [[Fraction(0)] * (queries + 1) for _ in range(2 * size)]
    for i, true in enumerate(answers):
        seen[i][queries] = seen[size + i][true.index(max(true))] = Fraction(1)
        steps[size + i][size + i] = Fraction(1)
        for j, noisy in enumerate(answers):
            steps[i][size + j] = math.prod(
                (rows[a][b] for a, b in zip(true, noisy, strict=True)), start=Fraction(1)
            )
    names = [("true", a) for a in answers] + [("noisy", a) for a in answers]
    return HiddenMarkovModel(steps, seen, states=names)


def test_the_noisy_maximum_of_two_queries() -> None:
    model = noisy_maximum(2)
    answers = list(product(range(3), repeat=2))
    one, both = [], []
    for a, b in product(answers, repeat=2):
        moved = [abs(x - y) for x, y in zip(a, b, strict=True)]
        if a == b or max(moved) > 1:
            continue
        ratio, _ = verify.worst_ratio(model, ("true", a), ("true", b), 2)
        both.append(ratio)
        if sum(moved) == 1:
            one.append(ratio)
    assert max(one) == 2
    assert max(both) == 4


# ------------------------------------------------------------------------------- asking a question


def test_every_way_to_name_a_secret() -> None:
    model = coin()
    expected = verify.worst_ratio(model, [1, 0], ["0", "1"], 4)
    assert verify.worst_ratio(model, "calm", "storm", 4) == expected
    assert verify.worst_ratio(model, {"calm": 1}, {"storm": "1"}, 4) == expected
    assert verify.worst_ratio(model, [1.0, 0.0], (0, 1), 4) == expected
    ratio, witness = expected
    assert witness == ["sun"] * 4
    assert isinstance(ratio, Fraction)


def test_a_violation_is_shown_with_its_exact_probabilities() -> None:
    outcome = verify.hidden_markov(coin(), "calm", "storm", ratio="1.6", length=None)
    assert isinstance(outcome, verify.Violated)
    assert outcome.word == ["sun", "sun"]
    assert outcome.ratio == outcome.first_probability / outcome.second_probability
    assert outcome.ratio > Fraction("1.6")


def test_the_ratio_grows_with_the_length_towards_one_that_holds_for_all() -> None:
    brackets = verify.ratio_by_length(coin(), "calm", "storm", 30)
    ratios = [bracket.low for bracket in brackets]
    assert all(bracket.is_closed for bracket in brackets)
    assert ratios == sorted(ratios)
    above = ratios[-1] * Fraction(1_000_001, 10**6)
    assert isinstance(verify.hidden_markov(coin(), "calm", "storm", ratio=above), verify.Holds)
    inside = verify.hidden_markov(coin(), "calm", "storm", ratio=ratios[4], length=range(1, 6))
    assert isinstance(inside, verify.Holds)
    beyond = verify.hidden_markov(coin(), "calm", "storm", ratio=ratios[4], length=range(1, 7))
    assert isinstance(beyond, verify.Violated)
    bracket = verify.ratio_bracket(coin(), "calm", "storm", None)
    assert ratios[-1] <= bracket.high <= above


def test_a_thousand_steps_of_two_states() -> None:
    ratio, witness = verify.worst_ratio(coin(), "calm", "storm", 1000)
    assert witness == ["sun"] * 1000
    outcome = verify.hidden_markov(coin(), "calm", "storm", ratio=ratio, length=1000)
    assert isinstance(outcome, verify.Holds)


def test_epsilon_is_enclosed_and_a_tie_is_not_decided() -> None:
    model = counts()
    assert isinstance(verify.hidden_markov(model, 1, 2, epsilon="0.7", length=1), verify.Holds)
    violated = verify.hidden_markov(model, 1, 2, epsilon="0.69", length=1)
    assert isinstance(violated, verify.Violated)
    digits = "0.69314718055994530941723212145817656807550013436025525412068"
    tie = verify.hidden_markov(model, 1, 2, epsilon=digits, length=1)
    assert isinstance(tie, verify.Undecided)
    assert "tie" in tie.reason
    assert "ratio=2" in tie.hint
    assert tie.bracket.low <= 2 <= tie.bracket.high


def test_an_epsilon_of_0_is_claimed_as_a_ratio() -> None:
    with pytest.raises(ParameterError, match="greater than 0") as refusal:
        verify.hidden_markov(coin(), "calm", "storm", epsilon=0)
    assert refusal.value.hint.startswith("ratio=1 ")


def test_a_symbolic_model_without_parameters_is_one_of_numbers() -> None:
    model = verify.SymbolicModel(
        [["1 - 1/5", "1/5"], ["0.3", "0.7"]],
        [["3/5", "2/5"], ["2/5", "3/5"]],
        verify.Parameters(),
        states=["calm", "storm"],
        observations=["sun", "rain"],
    )
    # Words of every length, an epsilon and a certificate: no solver has any of them.
    for engine in ("auto", "exact"):
        outcome = verify.hidden_markov(model, "calm", ["0", "1/2 + 1/2"], epsilon=1, engine=engine)
        assert isinstance(outcome, verify.Holds)
        assert isinstance(outcome.certificate, verify.ModelCertificate)
    violated = verify.hidden_markov(model, "calm", "storm", ratio="1 + 1/4", length=3)
    plain = verify.hidden_markov(coin(), "calm", "storm", ratio="5/4", length=3)
    assert isinstance(violated, verify.Violated)
    assert violated == plain
    with pytest.raises(ModelError, match="has no range"):
        verify.hidden_markov(model, "calm", "storm", ratio="p")
    by_solver = verify.hidden_markov(model, "calm", "storm", ratio=9, length=3, engine="smt")
    assert isinstance(by_solver, verify.Holds)
    assert isinstance(by_solver.certificate, verify.SolverCertificate)


def test_an_outcome_is_neither_true_nor_false() -> None:
    outcome = verify.hidden_markov(coin(), "calm", "storm", ratio=2)
    with pytest.raises(TypeError, match="three outcomes"):
        bool(outcome)


def test_what_limits_cut_short_is_undecided_with_a_bracket() -> None:
    model = HiddenMarkovModel(
        [[int(j == (i + 1) % 6) for j in range(6)] for i in range(6)],
        [
            [
                f"{2 + (i * 3 + j) % 5}/{sum(2 + (i * 3 + x) % 5 for x in range(3))}"
                for j in range(3)
            ]
            for i in range(6)
        ],
    )
    first, second = ["1/4", "1/4", "1/8", "1/8", "1/8", "1/8"], ["1/6"] * 6
    worst, _ = verify.worst_ratio(model, first, second, 9)
    bracket = verify.ratio_bracket(model, first, second, 40, node_limit=1)
    assert not bracket.is_closed
    assert worst <= bracket.low <= bracket.high <= Fraction(3, 2)
    outcome = verify.hidden_markov(
        model,
        first,
        second,
        ratio=bracket.low * Fraction(10**6 + 1, 10**6),
        length=40,
        node_limit=1,
    )
    assert isinstance(outcome, verify.Undecided)
    assert outcome.reason == "node limit"
    assert outcome.bracket.low <= outcome.bracket.high
    with pytest.raises(UndecidedError, match="node limit") as caught:
        verify.worst_ratio(model, first, second, 40, node_limit=1)
    assert caught.value.payload["low"] == bracket.low


def test_an_interrupt_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("privet.weighted.worst.Engine.guess_above", interrupted)
    outcome = verify.hidden_markov(coin(), "calm", "storm", ratio=2)
    assert isinstance(outcome, verify.Undecided)
    assert outcome.reason == "interrupted"


def test_an_engine_that_errs_is_caught_by_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.weighted.worst.Engine.guess_above", lambda *_: (0, 1))
    with pytest.raises(CertificateError, match="not above"):
        verify.hidden_markov(coin(), "calm", "storm", ratio=2)
    monkeypatch.setattr("privet.weighted.worst.Engine.guess_above", lambda *_: None)
    # A search that closes everything: its certificate does not stand.
    monkeypatch.setattr("privet.weighted.breadth.Glance.run", lambda *_: None)
    monkeypatch.setattr("privet.weighted.search._Run._judge", lambda *_: (None, None))
    outcome = verify.hidden_markov(counts(), 2, 0, ratio="3.999", length=1)
    assert isinstance(outcome, verify.Undecided)
    assert "may be exceeded" in outcome.reason


def test_delta_at_a_length() -> None:
    model = coin()
    calm, storm = (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))
    words = list(product(range(2), repeat=5))
    expected = sum(
        max(
            Fraction(0),
            word_probability(model, calm, w) - Fraction(3, 2) * word_probability(model, storm, w),
        )
        for w in words
    )
    found = verify.delta_bracket(model, "calm", "storm", ratio="3/2", length=5)
    assert found.low == found.high == expected
    enclosed = verify.delta_bracket(model, "calm", "storm", epsilon="0.4", length=5)
    assert 0 < enclosed.low <= enclosed.high < enclosed.low + Fraction(1, 10**30)


# ------------------------------------------------------------------------------------ certificates


def certificate() -> dict[str, Any]:
    worst, _ = verify.worst_ratio(coin(), "calm", "storm", 5)
    outcome = verify.hidden_markov(coin(), "calm", "storm", ratio=worst, length=5)
    assert isinstance(outcome, verify.Holds)
    assert isinstance(outcome.certificate, verify.ModelCertificate)
    document: dict[str, Any] = json.loads(json.dumps(outcome.certificate.to_json()))
    return document


def leaves(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(node, dict | list):
        for key in node if isinstance(node, dict) else range(len(node)):
            yield from leaves(node[key], (*path, key))
    else:
        yield path


def changed(document: dict[str, Any], path: tuple[Any, ...], value: Any) -> Any:
    """With another value there, and sealed again: only the rest of the check can tell."""
    copied = copy.deepcopy(document)
    here = copied
    for key in path[:-1]:
        here = here[key]
    here[path[-1]] = value
    return sealed_again(copied)


def test_a_certificate_stands_alone() -> None:
    claim = verify.check_certificate(certificate())
    assert claim.model == coin()
    assert [*claim.first, *claim.second] == [1, 0, 0, 1]
    assert (claim.lengths.shortest, claim.lengths.longest) == (5, 5)
    assert claim.ratio == verify.worst_ratio(coin(), "calm", "storm", 5)[0]


def test_a_certificate_is_refused_with_any_number_moved() -> None:
    document = certificate()
    harmless = {("proof", "reach"), ("proof", "depth"), ("proof", "shortest")}
    for path in leaves(document):
        if path[:2] in {("model", "states"), ("model", "observations")}:
            continue  # names
        if path[-1] == SEAL:
            continue
        old: Any = document
        for key in path:
            old = old[key]
        values: list[Any] = [None, "x", "-1", 1.5, True, "1/7"]
        if path not in harmless:
            values.append(old + 1 if isinstance(old, int) else f"{old}1")
        for value in values:
            with pytest.raises(CertificateError):
                verify.check_certificate(changed(document, path, value))


def test_a_certificate_has_its_fields_and_no_others() -> None:
    document = certificate()
    for name in document:
        rest = {k: v for k, v in document.items() if k != name}
        with pytest.raises(CertificateError):
            verify.check_certificate(sealed_again(rest))
    with pytest.raises(CertificateError, match="unknown"):
        verify.check_certificate({**document, "note": ""})
    wrong: Any
    for wrong in ([], None, "x", 3):
        with pytest.raises(CertificateError):
            verify.check_certificate(wrong)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("first",), ["1/2", "1/2"], "secrets"),
        (("first",), ["1", "1"], "sum to 1"),
        (("first",), ["1/0", "1"], "zero"),
        (("first",), ["1"], "one entry a state"),
        (("second",), ["1/3", "2/3"], "secrets"),
        (("model", "transition", 0), ["0.7", "0.3"], "steps"),
        (("model", "emission", 0), ["1/2", "1/2"], "steps"),
        (("model", "emission", 0), ["1/2", "1/3"], "model"),
        (("ratio",), "3", "another ratio"),
        (("longest",), None, "fewer lengths"),
        (("longest",), 6, "fewer lengths"),
        (("longest",), 4, "below the shortest"),
        (("shortest",), 0, "not a length"),
        (("proof", "problem", "moves"), [[0, -1]], "does not fit"),
        (("proof", "problem", "finals"), [["1", "2"]], "final weights|Step"),
    ],
)
def test_a_proof_of_something_else_is_refused(path: Any, value: Any, message: str) -> None:
    with pytest.raises(CertificateError, match=message):
        verify.check_certificate(changed(certificate(), path, value))


# --------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("secret", "message"),
    [
        ([0, 0], "sums to 0"),
        (["1/2", "1/3"], "sums to"),
        ([-1, 2], "negative"),
        ([math.nan, 1.0], "not a number"),
        ([1], "1 probabilities"),
        ([1, 0, 0], "3 probabilities"),
        ("fog", "not one of the states"),
        (7, "not one of the states"),
        ({"fog": 1}, "names a state"),
        ({}, "sums to 0"),
        (None, "NoneType"),
    ],
)
def test_a_secret_that_is_no_law_is_refused(secret: Any, message: str) -> None:
    for first, second in ((secret, "calm"), ("calm", secret)):
        with pytest.raises(ModelError, match=message):
            verify.hidden_markov(coin(), first, second, ratio=2, length=3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "either ratio or epsilon"),
        ({"ratio": 2, "epsilon": 1}, "either ratio or epsilon"),
        ({"ratio": 0}, "greater than 0"),
        ({"ratio": -1}, "greater than 0"),
        ({"ratio": math.nan}, "not a finite number"),
        ({"ratio": math.inf}, "not a finite number"),
        ({"ratio": True}, "boolean"),
        ({"epsilon": 0}, "greater than 0"),
        ({"epsilon": math.nan}, "not a finite number"),
        ({"ratio": 2, "length": 0}, "at least 1"),
        ({"ratio": 2, "length": True}, "not a whole number"),
        ({"ratio": 2, "length": 2.5}, "not a whole number"),
        ({"ratio": 2, "length": range(0)}, "range of lengths"),
        ({"ratio": 2, "length": range(3)}, "range of lengths"),
        ({"ratio": 2, "length": range(1, 9, 2)}, "range of lengths"),
        ({"ratio": 2, "engine": "magic"}, "engine"),
        ({"ratio": 2, "time_limit": 0}, "time_limit"),
        ({"ratio": 2, "node_limit": 0}, "node_limit"),
    ],
)
def test_a_question_that_cannot_be_read_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        verify.hidden_markov(coin(), "calm", "storm", **arguments)


def test_something_else_than_a_model_is_refused() -> None:
    with pytest.raises(ParameterTypeError, match="HiddenMarkovModel"):
        verify.worst_ratio([[1]], 0, 0, 1)  # type: ignore[arg-type]  # on purpose


def sticky(size: int = 2) -> HiddenMarkovModel:
    """States that hardly move, with names that no file can hold."""
    stay, go = Fraction(9, 10), Fraction(1, 10 * (size - 1))
    rows = [[stay if i == j else go for j in range(size)] for i in range(size)]
    seen = [[Fraction(i + 1, size + 1), Fraction(size - i, size + 1)] for i in range(size)]
    return HiddenMarkovModel(rows, seen, [("at", i) for i in range(size)], [("a",), ("b",)])


@pytest.mark.parametrize("length", [3, None])
def test_states_of_any_names_can_be_proved_private(length: int | None) -> None:
    model = sticky()
    outcome = verify.hidden_markov(model, ("at", 0), ("at", 1), ratio=100, length=length)
    assert isinstance(outcome, verify.Holds)
    assert isinstance(outcome.certificate, verify.ModelCertificate)
    assert outcome.certificate.model is model


def test_after_a_search_cut_short_a_tie_is_not_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    model = sticky()
    worst, _ = verify.worst_ratio(model, [1, 0], [0, 1], 6)
    question = Question(model, [1, 0], [0, 1], Lengths(6, 6))
    decide, asked = Engine.decide, []

    def then_stop(self: Engine, ratio: Fraction, lengths: Lengths, clock: Clock) -> Any:
        asked.append(ratio)
        if len(asked) == 1:
            return decide(self, ratio, lengths, clock)
        return Stopped("time limit", ((),), 0)

    monkeypatch.setattr(Engine, "decide", then_stop)
    threshold = Threshold(Fraction(worst) - Fraction(1, 10**9), Fraction(worst))
    outcome = question.decide(threshold, Limits())
    assert isinstance(outcome, verify.Undecided)
    assert (outcome.reason, len(asked)) == ("time limit", 2)


def test_an_interrupt_ends_all_that_was_still_to_come(monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def interrupted(*_: object) -> Any:
        opened.append(1)
        raise KeyboardInterrupt

    monkeypatch.setattr("privet.weighted.breadth.Glance.run", lambda *_: None)
    monkeypatch.setattr("privet.weighted.search._Run._open", interrupted)
    model, laws = sticky(4), {"a": (1, 0, 0, 0), "b": (0, 0, 0, 1)}
    bracket = verify.ratio_bracket(model, laws["a"], laws["b"], None)
    assert (bracket.reason, len(opened)) == ("interrupted", 1)
    assert isinstance(bracket.low, Fraction)
    assert 1 < bracket.low <= bracket.high
    opened.clear()
    curve = verify.ratio_by_length(model, laws["a"], laws["b"], 40)
    assert (curve[-1].reason, len(opened)) == ("interrupted", 1)
    opened.clear()
    exact = {name: tuple(map(Fraction, law)) for name, law in laws.items()}
    question = verify.Verification(model, exact, (("a", "b"), ("b", "a")), length=40)
    assert [each.bracket.reason for each in question.worst()] == ["interrupted"] * 2
    assert len(opened) == 1
    opened.clear()
    asked = question.asking(ratio=bracket.low * Fraction(1001, 1000), length="all")
    answers = [each.outcome for each in asked.decide()]
    assert [getattr(each, "reason", None) for each in answers] == ["interrupted"] * 2
    assert len(opened) == 1


def test_an_interrupt_keeps_the_bracket_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(Engine, "decide", interrupted)
    bracket = verify.ratio_bracket(sticky(3), [1, 0, 0], [0, 0, 1], None)
    assert bracket.reason == "interrupted"
    assert bracket.witness is not None
    assert 1 < bracket.low <= bracket.high < math.inf


def test_the_excess_of_long_words_ends_with_the_time() -> None:
    bracket = verify.delta_bracket(sticky(), [1, 0], [0, 1], ratio=2, length=10**9, time_limit=0.2)
    assert (bracket.low, bracket.high, bracket.reason) == (0, 1, "time limit")


def test_words_too_long_to_evaluate_end_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    # The time is that of a clock which every look moves on, so the machine does not count.
    looks = itertools.count()
    monkeypatch.setattr("privet.weighted.limits.time.monotonic", lambda: next(looks) / 200)
    found = verify.ratio_bracket(coin(), "calm", "storm", 20_000, time_limit=2)
    assert found.reason == "time limit"
    assert found.witness is None
    # What shorter words show stands all the same: it is the ratio of one of 32 symbols.
    assert 1 < found.low <= found.high < 3
    exact = verify.ratio_bracket(coin(), "calm", "storm", 32, time_limit=None)
    assert found.low <= exact.high
    with pytest.raises(UndecidedError, match="time limit"):
        verify.worst_ratio(coin(), "calm", "storm", 20_000, time_limit=2)
    outcome = verify.hidden_markov(
        coin(), "calm", "storm", ratio=found.low * Fraction(999, 1000), length=20_000, time_limit=1
    )
    assert isinstance(outcome, verify.Undecided)
    assert "Shorter words are above the ratio" in outcome.hint


def test_an_interrupt_before_the_excess_is_a_bracket(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("privet.weighted.excess.Suffixes", interrupted)
    bracket = verify.delta_bracket(sticky(), [1, 0], [0, 1], epsilon=1, length=5)
    assert (bracket.low, bracket.high, bracket.reason) == (0, 1, "interrupted")


def test_candidates_for_long_words_end_with_the_time() -> None:
    engine = Question(sticky(), [1, 0], [0, 1], Lengths(10**9, 10**9))._engine
    ratio, word = engine.guess(Lengths(10**9, 10**9), Clock(Limits(0.2)))
    # No word of that length, and what the shorter ones promise.
    assert word is None
    assert 1 <= ratio <= verify.ratio_bracket(sticky(), [1, 0], [0, 1], 32).high


# ----------------------------------------------------------------- a proof that does not stand


def without_its_end(found: Any) -> Any:
    """A proof whose tree leaves the last words out."""
    return replace(found, tree=found.tree[:-1])


@pytest.mark.parametrize("way", ["glance", "decide"])
def test_a_proof_that_the_check_does_not_follow_is_no_verdict(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Engine.decide

    def spoilt(engine: Engine, ratio: Fraction, lengths: Lengths, clock: Clock) -> Any:
        proved = real(engine, ratio, lengths, clock)
        assert isinstance(proved, Proved)
        return replace(proved, certificate=without_its_end(proved.certificate))

    monkeypatch.setattr(Engine, "glance", spoilt if way == "glance" else lambda *_: None)
    monkeypatch.setattr(Engine, "decide", spoilt)
    outcome = verify.hidden_markov(coin(), "calm", "storm", ratio=4, length=3)
    assert isinstance(outcome, verify.Undecided)
    assert "did not follow the proof" in outcome.reason
    assert (outcome.bracket.low, outcome.bracket.high) == (0, math.inf)


def test_a_worst_ratio_whose_proof_does_not_stand_is_not_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = Engine.worst
    expected, _ = verify.worst_ratio(coin(), "calm", "storm", 3)

    def spoilt(engine: Engine, lengths: Lengths, limits: Limits) -> Any:
        found = real(engine, lengths, limits)
        return replace(found, certificate=without_its_end(found.certificate))

    monkeypatch.setattr(Engine, "worst", spoilt)
    bracket = verify.ratio_bracket(coin(), "calm", "storm", 3)
    assert (bracket.low, bracket.high) == (expected, math.inf)
    with pytest.raises(UndecidedError, match="did not follow the proof"):
        verify.worst_ratio(coin(), "calm", "storm", 3)
