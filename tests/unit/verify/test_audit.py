"""The audit's bounds are those of Clopper and Pearson, and valid whatever the event."""

import importlib
import itertools
import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privet import verify
from privet.errors import ParameterError, ParameterTypeError

# The function of the same name hides the module from `import ... as`.
audit_module = importlib.import_module("privet.verify.audit")
ERROR = Fraction(1, 40)


def tail(chance: Fraction, hits: int, runs: int) -> Fraction:
    """P(at least `hits` of `runs`), summed."""
    return sum(
        (
            math.comb(runs, k) * chance**k * (1 - chance) ** (runs - k)
            for k in range(hits, runs + 1)
        ),
        Fraction(0),
    )


@pytest.mark.parametrize("runs", [1, 2, 30])
def test_bounds_of_a_probability_by_exact_tails(runs: int) -> None:
    for hits in range(runs + 1):
        low = audit_module.probability_low(hits, runs, ERROR)
        high = audit_module.probability_high(hits, runs, ERROR)
        assert 0 <= low <= Fraction(hits, runs) <= high <= 1
        assert low == 0 if hits == 0 else tail(low, hits, runs) <= ERROR
        assert high == 1 if hits == runs else 1 - tail(high, hits + 1, runs) <= ERROR
        # And no more cautious than that.
        if hits:
            assert tail(low * (1 + Fraction(1, 10**6)), hits, runs) > ERROR
        if hits < runs:
            more = 1 - (1 - high) * (1 + Fraction(1, 10**6))
            assert 1 - tail(more, hits + 1, runs) > ERROR


@pytest.mark.parametrize("error", [Fraction(1, 40), Fraction(1, 10**30), Fraction(1, 10**250)])
@pytest.mark.parametrize("runs", [10**3, 10**6, 10**9])
def test_counts_of_0_have_a_closed_form(runs: int, error: Fraction) -> None:
    high = audit_module.probability_high(0, runs, error)
    with_none = math.log1p(-float(high)) * runs
    assert with_none == pytest.approx(math.log(error), rel=1e-6)
    assert with_none <= math.log(error) * (1 - 1e-9)
    assert audit_module.probability_low(0, runs, error) == 0
    assert 0 < audit_module.probability_low(1, runs, error) < Fraction(1, runs)


def test_a_quantile_that_is_wrong_is_made_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_module, "_low", lambda hits, runs, _: hits / runs)
    monkeypatch.setattr(audit_module, "_high", lambda hits, runs, _: hits / runs)
    low = audit_module.probability_low(10, 30, ERROR)
    assert tail(low, 10, 30) <= ERROR
    high = audit_module.probability_high(10, 30, ERROR)
    assert 1 - tail(high, 11, 30) <= ERROR


# ------------------------------------------------------------------------------------- one audit


def response(draw: random.Random, keep: float, size: int = 3) -> Callable[[int], int]:
    def release(x: int) -> int:
        return x if draw.random() < keep else (x + draw.randrange(1, size)) % size

    return release


def test_randomised_response_is_found_out() -> None:
    # keep 3/5 and move 1/5: ratio 3, epsilon 1.0986.
    found = verify.audit(response(random.Random(1), 0.6), 0, 1, samples=40_000)
    assert 0.95 < found.epsilon_low < math.log(3)
    assert found.refutes("0.9")
    assert not found.refutes("1.0987")
    assert found.event == ("one of 1" if found.swapped else "one of 0")
    assert found.over.runs == found.under.runs == 20_000
    assert found.over.hits > 2 * found.under.hits
    assert found.confidence == Fraction(19, 20)
    assert found.delta == 0


def test_the_direction_is_found_as_well() -> None:
    # On input 0 always 0; on input 1 half the time 1: only 1 against 0 shows much.
    draw = random.Random(2)
    found = verify.audit(lambda x: x * draw.randrange(2), 0, 1, samples=2000)
    assert found.swapped
    assert found.event == "one of 1"
    assert found.under.hits == 0
    assert found.epsilon_low > 4


def test_delta_is_taken_off() -> None:
    draw = random.Random(3)

    def sometimes(x: int) -> Any:
        return x if draw.random() < 0.05 else "none"

    pure = verify.audit(sometimes, 0, 1, samples=4000)
    assert pure.epsilon_low > 1
    assert verify.audit(sometimes, 0, 1, samples=4000, delta="0.05").epsilon_low == 0
    assert verify.audit(sometimes, 0, 1, samples=40_000, delta="0.01").epsilon_low > 1


@pytest.mark.parametrize("outputs", [2, 50, 10**9])
def test_what_does_not_depend_on_the_input_shows_nothing(outputs: int) -> None:
    draw = random.Random(4)
    found = verify.audit(
        lambda _: draw.randrange(outputs), 0, 1, samples=500, confidence="0.999999"
    )
    assert found.epsilon_low == 0
    assert not found.refutes(0)


def laplace(draw: random.Random) -> Callable[[float], float]:
    return lambda x: x + draw.choice([-1, 1]) * draw.expovariate(1.0)


def test_numbers_that_do_not_recur_are_told_apart_by_half_lines() -> None:
    found = verify.audit(laplace(random.Random(5)), 0.0, 1.0, samples=20_000)
    # The order of the runs is drawn anew each time, and with it which half-line is chosen.
    assert 0.4 < found.epsilon_low < 1
    assert found.event.startswith("at ")


def test_events_may_be_named() -> None:
    named = {"above 1": lambda x: x > 1, "any": lambda _: True}
    found = verify.audit(laplace(random.Random(6)), 0.0, 1.0, samples=20_000, events=named)
    assert found.event == "above 1"
    assert 0.8 < found.epsilon_low < 1
    release = response(random.Random(7), 0.6)
    sets = verify.audit(release, 0, 1, samples=20_000, events=[[2], [0, 2]])
    assert sets.event == "one of 0, 2"
    assert sets.epsilon_low < math.log(2)


def test_lists_arrays_and_nan_are_counted() -> None:
    draw = random.Random(8)
    release = response(draw, 0.9, 2)
    for wrap in (
        lambda x: [release(x), "y"],
        lambda x: np.array([release(x), 1]),
        lambda x: math.nan if release(x) else 1.0,
        lambda x: np.float64("nan") if release(x) else "other",
    ):
        found = verify.audit(wrap, 0, 1, samples=2000)
        assert 1 < found.epsilon_low < math.log(9)
    # A NaN on both sides tells nothing, and lies on no half-line.
    assert verify.audit(lambda _: math.nan, 0, 1, samples=1000).epsilon_low == 0
    mixed = verify.audit(
        lambda x: math.nan if draw.random() < 0.5 else float(x), 0, 1, samples=2000
    )
    assert mixed.epsilon_low > 3


def test_a_mechanism_that_drifts_alike_for_both_inputs_shows_nothing() -> None:
    steps = itertools.count()
    found = verify.audit(lambda _: next(steps) // 400, 0, 1, samples=1000)
    assert found.epsilon_low == 0


@pytest.mark.parametrize("period", [2, 4, 6])
def test_a_mechanism_that_alternates_shows_nothing(period: int) -> None:
    calls = itertools.cycle(range(period))
    found = verify.audit(lambda _: next(calls), 0, 1, samples=1000, confidence="0.999999")
    assert found.epsilon_low == 0


# ---------------------------------------------------------------------------------------- coverage

ALPHA = 1e-9
"""The false alarm rate of the tests below, on 400 audits each."""

CONFIDENCE = Fraction(4, 5)
RUNS = 400


def exceeded(release: Callable[[int], Any], epsilon: float, samples: int) -> int:
    """How many of the audits claim more than the truth."""
    return sum(
        verify.audit(release, 0, 1, samples=samples, confidence=CONFIDENCE).epsilon_low > epsilon
        for _ in range(RUNS)
    )


def p_value(exceeding: int) -> float:
    """P(as many or more of the audits, if each exceeds with chance 1 - confidence)."""
    from scipy.stats import binom

    return float(binom.sf(exceeding - 1, RUNS, float(1 - CONFIDENCE)))


def mechanisms(draw: random.Random) -> Iterator[tuple[str, Callable[[int], Any], float]]:
    yield "response", response(draw, 0.6), math.log(3)
    yield "uniform", lambda _: draw.randrange(20), 0.0


@pytest.mark.parametrize("number", [0, 1])
def test_the_bound_exceeds_the_truth_as_seldom_as_it_says(number: int) -> None:
    _, release, epsilon = list(mechanisms(random.Random(number)))[number]
    assert p_value(exceeded(release, epsilon, 60)) > ALPHA


def test_choosing_and_judging_by_the_same_runs_would_be_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(audit_module, "_halves", lambda runs: (runs, runs))
    _, release, epsilon = list(mechanisms(random.Random(1)))[1]
    assert p_value(exceeded(release, epsilon, 60)) < ALPHA


def test_a_bound_without_its_error_would_be_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_module, "probability_low", lambda k, n, _: Fraction(k, n))
    monkeypatch.setattr(audit_module, "probability_high", lambda k, n, _: Fraction(k + 1, n + 1))
    release = response(random.Random(9), 0.6)
    assert p_value(exceeded(release, math.log(3), 200)) < ALPHA


# --------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"samples": 7}, ParameterError, "at least 8"),
        ({"samples": True}, ParameterTypeError, "not a whole number"),
        ({"confidence": 1}, ParameterError, "strictly between"),
        ({"confidence": 0}, ParameterError, "strictly between"),
        ({"confidence": math.nan}, ParameterError, "finite"),
        ({"delta": 1}, ParameterError, "delta"),
        ({"delta": -1}, ParameterError, "delta"),
        ({"events": {}}, ParameterError, "empty"),
        ({"events": []}, ParameterError, "empty"),
        ({"events": {"x": 3}}, ParameterTypeError, "not a function"),
    ],
)
def test_what_cannot_be_audited_is_refused(arguments: Any, error: Any, message: str) -> None:
    calls = {"samples": 10, **arguments}
    with pytest.raises(error, match=message):
        verify.audit(lambda x: x, 0, 1, **calls)


def test_outputs_that_cannot_be_counted_are_refused_by_type() -> None:
    with pytest.raises(ParameterTypeError, match="dict, which cannot be counted") as refusal:
        verify.audit(lambda _: {"secret": 1}, 0, 1, samples=10)
    assert "secret" not in str(refusal.value)


class Awkward:
    """An output one of whose methods fails, with the output in the text of its error."""

    def __init__(self, fails: str, number: int) -> None:
        self._fails, self._number = fails, number

    def _fail(self, name: str) -> None:
        if name == self._fails:
            raise ZeroDivisionError("secret")

    def __hash__(self) -> int:
        self._fail("hash")
        return 1

    def __eq__(self, other: object) -> bool:
        self._fail("==")
        return isinstance(other, Awkward) and self._number == other._number

    def __repr__(self) -> str:
        self._fail("repr")
        return "secret"


@pytest.mark.parametrize(
    ("fails", "message"),
    [
        ("hash", "a Awkward, which cannot be counted"),
        ("==", "^Comparing outputs raised ZeroDivisionError"),
        ("repr", r"^repr\(\) of an output raised ZeroDivisionError"),
    ],
)
def test_what_outputs_raise_is_named_and_not_shown(fails: str, message: str) -> None:
    draw = random.Random(1)
    with pytest.raises(ParameterError, match=message) as refusal:
        verify.audit(lambda _: Awkward(fails, draw.randrange(2)), 0, 1, samples=40)
    assert "secret" not in str(refusal.value)
    assert refusal.value.__cause__ is None
    assert refusal.value.__suppress_context__


def test_what_an_event_raises_is_named_and_not_shown() -> None:
    def asked(output: str) -> bool:
        raise KeyError(output)

    with pytest.raises(ParameterError, match=r"^The event 'late' raised KeyError") as refusal:
        verify.audit(lambda _: "secret", 0, 1, samples=40, events={"late": asked})
    assert "secret" not in str(refusal.value)
    assert refusal.value.__suppress_context__


def test_what_the_mechanism_raises_is_its_own() -> None:
    def broken(_: object) -> int:
        raise LookupError("its own words")

    with pytest.raises(LookupError, match="its own words"):
        verify.audit(broken, 0, 1, samples=40)


def test_a_claim_that_is_no_number_is_refused() -> None:
    found = verify.audit(lambda x: x, 0, 1, samples=10)
    for claim in (math.nan, "x", True):
        with pytest.raises(ParameterError):
            found.refutes(claim)
