"""Claims with parameters, word by word: values tried, coefficients on boxes, then the solver."""

import importlib
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from flint import Ordering, fmpq_mpoly, fmpq_mpoly_ctx

from privet import verify
from privet.verify import Parameters, SymbolicModel
from privet.verify.outcome import interrupted
from privet.verify.question import Question
from privet.verify.smt import words
from privet.verify.smt.boxes import Box, box_of, coefficients, never_negative
from privet.verify.smt.claims import read_claim
from privet.verify.smt.decide import decide
from privet.verify.smt.solver import Solver
from privet.weighted import Clock, Limits

# The function of the same name does not hide it there.
decisions = importlib.import_module("privet.verify.smt.decide")
UNIT: Box = ((Fraction(0), Fraction(1)),) * 2
CONTEXT = fmpq_mpoly_ctx.get(["p", "q"], Ordering.lex)
P, Q = CONTEXT.gens()
NO_LIMIT = Clock(Limits(None, 1))


def chain(*constraints: str) -> SymbolicModel:
    """A state that is left with chance p or q, seen through noise of ratio 3/2."""
    seen = [["3/5", "2/5"], ["2/5", "3/5"]]
    return SymbolicModel([["1 - p", "p"], ["q", "1 - q"]], seen, Parameters(*constraints))


def at(polynomial: fmpq_mpoly, point: tuple[Fraction, ...]) -> Fraction:
    total = Fraction(0)
    for (a, b), c in polynomial.to_dict().items():
        total += Fraction(int(c.p), int(c.q)) * point[0] ** int(a) * point[1] ** int(b)
    return total


@pytest.mark.parametrize("polynomial", [P * Q - P + 1, (P - 2 * Q) ** 3, 0 * P + 3, P**2 * Q])
def test_coefficients_add_up_to_the_polynomial(polynomial: fmpq_mpoly) -> None:
    box = ((Fraction(1, 3), Fraction(1, 2)), (Fraction(-1), Fraction(2)))
    found = coefficients(polynomial, box)
    d, e = (size - 1 for size in found.shape)

    def combined(x: Fraction, y: Fraction) -> Fraction:
        return sum(
            (
                found[i, j] * x**i * (1 - x) ** (d - i) * y**j * (1 - y) ** (e - j)
                for i, j in product(range(d + 1), range(e + 1))
            ),
            Fraction(0),
        )

    factor = None
    for x, y in product([Fraction(0), Fraction(1, 7), Fraction(2, 3), Fraction(1)], repeat=2):
        point = (Fraction(1, 3) + x / 6, -1 + 3 * y)
        value = at(polynomial, point)
        assert (combined(x, y) == 0) == (value == 0)
        if value:
            factor = factor or combined(x, y) / value
            assert combined(x, y) == factor * value
    assert factor is None or factor > 0


def anywhere(_: object) -> bool:
    return True


def test_what_boxes_say_of_a_polynomial() -> None:
    def say(polynomial: fmpq_mpoly, most: int = 64, allowed: Any = anywhere) -> Any:
        return never_negative(polynomial, UNIT, allowed, NO_LIMIT, most)

    assert say(P * Q + P * (1 - Q)) is True
    assert say(P**2 - P * Q + Q**2 + 1) is True
    # Zero on an edge is no obstacle, zero inside is one that no box takes.
    assert say(P * (1 - Q)) is True
    assert say((P - Q) ** 2) is False
    found = say((2 * P - 1) ** 2 - CONTEXT.constant(1) / 100)
    assert isinstance(found, tuple)
    assert at((2 * P - 1) ** 2 - CONTEXT.constant(1) / 100, found) < 0
    # A corner of the box that the constraints leave out is no answer, what lies beside it is.
    found = say(3 * P - 1, allowed=lambda point: point[0] > 0)
    assert isinstance(found, tuple)
    assert 0 < found[0] < Fraction(1, 3)
    assert say(3 * P - 1, allowed=lambda _: False) is False
    assert say((2 * P - 1) ** 2 - CONTEXT.constant(1) / 100, most=1) is False
    assert say(P**101 * Q**101 + 1) is False


def test_ranges_are_read_from_both_sides() -> None:
    half, one = Fraction(1, 2), Fraction(1)
    known = Parameters("0 < p < 1", "1 >= q > 0", "p <= 1/2", "1/4 < q", "p + q < 1")
    assert box_of(known.names, known.comparisons) == ((Fraction(0), half), (Fraction(1, 4), one))
    assert box_of(("r",), known.comparisons) is None


@pytest.mark.parametrize(
    ("ratio", "holds"), [("10", True), ("4", False), ("(3/2)^5", True), ("15/2", False)]
)
def test_two_parameters_at_length_5_need_no_solver(ratio: str, holds: bool) -> None:
    # The linear encoding has no answer to these in 10 seconds.
    outcome = verify.for_all_parameters(
        chain("0 < p < 1", "0 < q < 1"), 0, 1, ratio=ratio, length=5
    )
    if holds:
        assert isinstance(outcome, verify.Holds)
        certificate = outcome.certificate
        assert isinstance(certificate, verify.SolverCertificate)
        assert (certificate.solver, certificate.encoding) == ("privet", "word by word")
        assert certificate.text.startswith("; Is some word of 5 symbols")
    else:
        assert isinstance(outcome, verify.ParametersViolated)
        assert outcome.is_exact
        assert outcome.ratio > outcome.claimed


def test_what_boxes_leave_open_goes_to_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    # 2 p (1 - p) reaches 1/2 at p = 1/2, where no box ends: the ratio 3 is touched, not exceeded.
    model = SymbolicModel(
        [[1, 0], [0, 1]],
        [["2*p*(1 - p)", "1/4", "3/4 - 2*p*(1 - p)"], ["1/6", "7/12", "1/4"]],
        Parameters("0 < p < 9/10"),
    )
    with Solver(Clock(Limits(60, 1))) as solver:
        asked = read_claim(model, 0, 1, "3", 1)
        outcome = decide(asked, "words", solver)
        assert isinstance(outcome, verify.Holds)
        assert isinstance(outcome.certificate, verify.SolverCertificate)
        assert outcome.certificate.solver == "z3"
        assert outcome.certificate.encoding == "word by word"
        # No boxes at all: each word is put to the solver.
        monkeypatch.setattr(words, "_ROUNDS", ())
        monkeypatch.setattr(words, "is_nonnegative", lambda *_: False)
        by_solver = decide(asked, "words", solver)
        assert isinstance(by_solver, verify.Holds)
        assert isinstance(by_solver.certificate, verify.SolverCertificate)
        assert by_solver.certificate.solver == "z3"
        assert by_solver.certificate.encoding == "word by word"
        monkeypatch.setattr(decisions, "by_trying", lambda *_: None)
        broken = decide(read_claim(model, 0, 1, "299/100", 1), "words", solver)
        assert isinstance(broken, verify.ParametersViolated)


def test_values_are_tried_before_anything_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(decisions, "by_words", never)
    # Violated near p = q = 0 only, at 2^12 words, and with a division in the model.
    model = SymbolicModel(
        [["1 - p", "p"], ["q/(1 + q)", "1/(1 + q)"]],
        [["3/5", "2/5"], ["2/5", "3/5"]],
        Parameters("0 < p < 1", "0 < q < 1"),
    )
    outcome = verify.for_all_parameters(model, 0, 1, ratio=20, length=12)
    assert isinstance(outcome, verify.ParametersViolated)
    assert outcome.ratio > 20
    # Values that the constraints leave out are not tried.
    tried = read_claim(chain("0 < p < 1", "0 < q < 1", "p + q > 3"), 0, 1, "1", 1)
    assert decisions.by_trying(tried, NO_LIMIT) is None


def test_an_interrupt_while_values_are_tried_ends_the_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Question, "decide", lambda *_: interrupted())
    model = chain("0 < p < 1", "0 < q < 1")
    outcome = verify.for_all_parameters(model, 0, 1, ratio=10, length=3)
    assert isinstance(outcome, verify.Undecided)
    assert outcome.reason == "interrupted"


def test_too_many_words_are_left_to_the_whole_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "MOST_WORDS", 1)
    outcome = verify.for_all_parameters(chain("0 < p < 1", "0 < q < 1"), 0, 1, ratio="10", length=2)
    assert isinstance(outcome, verify.Holds)
    assert isinstance(outcome.certificate, verify.SolverCertificate)
    assert outcome.certificate.encoding == "linear"


def test_what_is_not_decided_is_never_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(words, "_ROUNDS", ())
    monkeypatch.setattr(words, "is_nonnegative", lambda *_: False)
    model = chain("0 < p < 1", "0 < q < 1")
    outcome = verify.for_all_parameters(model, 0, 1, ratio="(3/2)^9", length=9, time_limit=2)
    assert isinstance(outcome, verify.Undecided)


def test_values_that_no_model_of_numbers_can_have_are_not_tried() -> None:
    # At p = 1/100 a probability is below the range of floats, which HiddenMarkovModel refuses.
    seen = [["1 - 1e-307 * p", "1e-307 * p"]] * 2
    model = SymbolicModel([[1, 0], [0, 1]], seen, Parameters("0 < p < 1"))
    outcome = verify.for_all_parameters(model, [1, 0], [0, 1], ratio=2, length=2)
    assert isinstance(outcome, verify.Holds)
