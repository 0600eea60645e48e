"""The exported text, given to two solvers: one verdict, and it is that of the exact engine."""

from fractions import Fraction
from typing import Any

import pytest
import z3

from privet import HiddenMarkovModel, verify
from privet.errors import ParameterError
from privet.verify import Parameters, SymbolicModel
from smt_solvers import ask_cvc5, ask_z3

GEOMETRIC = [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]]
STILL = [[int(i == j) for j in range(3)] for i in range(3)]
ILL, WELL = [0, "1 - p", "p"], ["1 - p", "p", 0]


SOLVERS = {"z3": ask_z3, "cvc5": ask_cvc5}


def coin() -> HiddenMarkovModel:
    return HiddenMarkovModel(
        [["0.8", "0.2"], ["0.3", "0.7"]],
        [["3/5", "2/5"], ["2/5", "3/5"]],
        ["calm", "storm"],
        ["sun\n(assert false)", "rain"],
    )


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("length", [1, 2, 3])
def test_numbers(solver: str, length: int) -> None:
    worst, _ = verify.worst_ratio(coin(), "calm", "storm", length)
    assert isinstance(worst, Fraction)
    for ratio, expected in ((worst, "unsat"), (worst * Fraction(99, 100), "sat")):
        text = verify.smt_lib(coin(), "calm", "storm", ratio=ratio, length=length)
        assert "(set-logic QF_LRA)" in text
        assert SOLVERS[solver](text) == expected


@pytest.mark.parametrize("length", [1, 2])
def test_numbers_as_published(length: int) -> None:
    worst, _ = verify.worst_ratio(coin(), "calm", "storm", length)
    assert isinstance(worst, Fraction)
    for ratio, expected in ((worst, "unsat"), (worst * Fraction(99, 100), "sat")):
        text = verify.smt_lib(
            coin(), "calm", "storm", ratio=ratio, length=length, encoding="published"
        )
        assert "(set-logic QF_NRA)" in text
        assert ask_z3(text) == expected


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("first", "second", "ratio", "expected"),
    [
        (ILL, WELL, 2, "unsat"),
        (WELL, ILL, 2, "unsat"),
        (ILL, WELL, "1.9", "sat"),
        ([0, "1 - p", "p"], 0, 4, "unsat"),
        # No law for some p, no ratio for some p, a division by zero for some p.
        ([0, "1 - p", "p/2"], WELL, 100, "sat"),
        ([0, "1 - 2*p", "2*p"], WELL, 100, "sat"),
        (ILL, WELL, "p - 1/2", "sat"),
        (ILL, WELL, "2 + 0/(p - 1/2)", "sat"),
    ],
)
def test_parameters(solver: str, first: Any, second: Any, ratio: Any, expected: str) -> None:
    model = SymbolicModel(STILL, GEOMETRIC, Parameters("0 < p < 1"))
    text = verify.smt_lib(model, first, second, ratio=ratio, length=1)
    assert "(set-logic QF_NRA)" in text
    assert SOLVERS[solver](text) == expected


def test_the_text_of_a_certificate_is_the_question() -> None:
    outcome = verify.hidden_markov(coin(), "calm", "storm", ratio=9, length=2, engine="smt")
    assert isinstance(outcome, verify.Holds)
    assert isinstance(outcome.certificate, verify.SolverCertificate)
    assert outcome.certificate.text == verify.smt_lib(coin(), "calm", "storm", ratio=9, length=2)
    assert ask_cvc5(outcome.certificate.text) == "unsat"


def test_names_are_kept_apart() -> None:
    names = ["word", "vector", "and", "ite", "Real", "let", "exp", "real", "assert", "entry"]
    parameters = Parameters(*(f"0 < {name} < 1/10" for name in names))
    model = SymbolicModel(STILL, GEOMETRIC, parameters)
    row: list[Any] = ["+".join(names), "1 - (" + "+".join(names) + ")", 0]
    text = verify.smt_lib(model, row, row, ratio=1, length=1)
    assert ask_cvc5(text) == ask_z3(text) == "unsat"


def test_the_letters_are_the_codes_of_the_observations() -> None:
    text = verify.smt_lib(coin(), "calm", "storm", ratio="1.4", length=1)
    assert "assert false" not in text
    solver = z3.Solver()
    solver.from_string(text)
    assert solver.check() == z3.sat
    assert solver.model().eval(z3.Real("word.0")) == 0


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(ParameterError, match="encoding"):
        verify.smt_lib(coin(), "calm", "storm", ratio=2, length=1, encoding="best")
