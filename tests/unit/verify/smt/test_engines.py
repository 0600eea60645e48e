"""The solver as an engine for numbers: the exact engine's verdicts, its own certificate."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from privet import HiddenMarkovModel, verify
from privet.errors import CertificateError, ParameterError

GOLDEN = json.loads((Path(__file__).parents[3] / "golden" / "hmm.json").read_text())["cases"]
ENGINES: list[Any] = ["smt", "smt-published"]


def coin() -> HiddenMarkovModel:
    return HiddenMarkovModel(
        [["0.8", "0.2"], ["0.3", "0.7"]],
        [["3/5", "2/5"], ["2/5", "3/5"]],
        ["calm", "storm"],
        ["sun", "rain"],
    )


def at_most_three_steps(model: HiddenMarkovModel, case: Any) -> tuple[int, Fraction | float]:
    length = min(case["length"], 3)
    return length, verify.worst_ratio(model, case["pi"], case["tau"], length)[0]


@pytest.mark.parametrize("case", GOLDEN)
def test_the_expected_models_with_words_of_at_most_three_symbols(case: Any) -> None:
    model = HiddenMarkovModel(case["transition"], case["emission"])
    length, worst = at_most_three_steps(model, case)
    expected = [(worst, verify.Holds)] if isinstance(worst, Fraction) else []
    below = worst * Fraction(999, 1000) if isinstance(worst, Fraction) else Fraction(10**6)
    for ratio, kind in [*expected, (below, verify.Violated)]:
        outcome = verify.hidden_markov(
            model, case["pi"], case["tau"], ratio=ratio, length=length, engine="smt"
        )
        assert isinstance(outcome, kind)


def test_a_ratio_of_ten_thousand_digits() -> None:
    worst, _ = verify.worst_ratio(coin(), "calm", "storm", 2)
    assert isinstance(worst, Fraction)
    for sign, kind in ((1, verify.Holds), (-1, verify.Violated)):
        ratio = worst + sign * Fraction(1, 7**12_000)
        outcome = verify.hidden_markov(coin(), "calm", "storm", ratio=ratio, length=2, engine="smt")
        assert isinstance(outcome, kind)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_violation_has_its_exact_probabilities(engine: Any) -> None:
    outcome = verify.hidden_markov(
        coin(), "calm", "storm", ratio="1.6", length=range(1, 4), engine=engine
    )
    assert isinstance(outcome, verify.Violated)
    assert len(outcome.word) == 3
    assert set(outcome.word) <= {"sun", "rain"}
    assert outcome.ratio == outcome.first_probability / outcome.second_probability
    assert outcome.ratio > Fraction("1.6")


@pytest.mark.parametrize("engine", ENGINES)
def test_the_certificate_says_whom_one_believes(engine: Any) -> None:
    outcome = verify.hidden_markov(coin(), "calm", "storm", ratio=9, length=2, engine=engine)
    assert isinstance(outcome, verify.Holds)
    certificate = outcome.certificate
    assert isinstance(certificate, verify.SolverCertificate)
    assert (certificate.solver, certificate.length) == ("z3", 2)
    assert certificate.encoding == ("published" if engine == "smt-published" else "linear")
    document = json.loads(json.dumps(certificate.to_json()))
    assert document["checkable"] is False
    with pytest.raises(CertificateError):
        verify.check_certificate(document)


def test_epsilon_is_enclosed_and_a_tie_is_not_decided() -> None:
    still = [[int(i == j) for j in range(3)] for i in range(3)]
    model = HiddenMarkovModel(
        still, [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]]
    )
    for epsilon, kind in (("0.7", verify.Holds), ("0.69", verify.Violated)):
        outcome = verify.hidden_markov(model, 1, 2, epsilon=epsilon, length=1, engine="smt")
        assert isinstance(outcome, kind)
    digits = "0.69314718055994530941723212145817656807550013436025525412068"
    tie = verify.hidden_markov(model, 1, 2, epsilon=digits, length=1, engine="smt")
    assert isinstance(tie, verify.Undecided)
    assert "tie" in tie.reason


def test_a_solver_cannot_decide_every_length() -> None:
    with pytest.raises(ParameterError, match="not every length"):
        verify.hidden_markov(coin(), "calm", "storm", ratio=2, engine="smt")


def test_an_unknown_engine_is_refused() -> None:
    wrong: Any = "z3"
    with pytest.raises(ParameterError, match="'smt-published'"):
        verify.hidden_markov(coin(), "calm", "storm", ratio=2, length=1, engine=wrong)
    with pytest.raises(ParameterError, match="memory_limit"):
        verify.hidden_markov(
            coin(), "calm", "storm", ratio=2, length=1, engine="smt", memory_limit=0
        )
