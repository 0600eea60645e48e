"""A solver that crashes, hangs, lies or does not know: never Holds. All with real processes."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from privet import HiddenMarkovModel, verify
from privet.errors import MissingExtraError
from privet.verify.smt import decide, find, solver
from privet.verify.smt.algebraic import AlgebraicNumber
from privet.verify.smt.solver import Query, Satisfiable, Solver, Unknown, Unsatisfiable
from privet.weighted import Clock, Limits

READ = "import json, os, sys, time\nrequest = json.loads(sys.stdin.readline())\n"
SAY = "print(json.dumps({!r}), flush=True)\n"


def say(**answer: Any) -> str:
    return SAY.format(answer)


def scripted(program: str) -> list[str]:
    return [sys.executable, "-c", READ + program]


def clock(seconds: float | None = 30) -> Clock:
    return Clock(Limits(seconds, 1))


BROKEN = {
    "segfault": ("os.kill(os.getpid(), 11)", "signal 11"),
    "exit": ("sys.exit(3)", "exit status 3"),
    "silent end": ("pass", "exit status 0"),
    "half a line": ("sys.stdout.write('{')", "ended unexpectedly"),
    "no JSON": ("print('unsat', flush=True)", "cannot be read"),
    "no object": ("print('[]', flush=True)", "cannot be read"),
    "another verdict": (say(verdict="maybe", reason="", values={}, version="1"), "cannot be read"),
    "no version": (say(verdict="unsat", reason=""), "cannot be read"),
    "unknown": (say(verdict="unknown", reason="(incomplete)", values={}), "incomplete"),
    "timeout": (say(verdict="unknown", reason="timeout", values={}), "time limit"),
    "no values": (say(verdict="sat", reason="", values={}, version="1"), "cannot be read"),
    "no number": (say(verdict="sat", reason="", values={"x": "?"}, version="1"), "cannot be read"),
    "zero below": (say(verdict="sat", reason="", values={"x": "1/0"}, version="1"), "be read"),
    "no root": (
        say(
            verdict="sat",
            reason="",
            values={"x": {"polynomial": ["-2", "0", "1"], "low": "-2", "high": "2"}},
            version="1",
        ),
        "cannot be read",
    ),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_solver_is_unknown(how: str) -> None:
    program, reason = BROKEN[how]
    with Solver(clock(), command=scripted(program)) as broken:
        verdict = broken.ask(Query("", ("x",)))
        assert isinstance(verdict, Unknown)
        assert reason in verdict.reason


def model() -> verify.SymbolicModel:
    return verify.SymbolicModel(
        [["1 - p", "p"], ["p", "1 - p"]],
        [["3/4", "1/4"], ["1/4", "3/4"]],
        verify.Parameters("0 < p < 1/2"),
    )


def numbers() -> HiddenMarkovModel:
    return HiddenMarkovModel([["0.8", "0.2"], ["0.2", "0.8"]], [["3/4", "1/4"], ["1/4", "3/4"]])


@pytest.mark.parametrize("how", BROKEN)
def test_nothing_holds_of_a_broken_solver(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program, reason = BROKEN[how]
    for room in (decide, find):
        monkeypatch.setattr(room, "Solver", partial(Solver, command=scripted(program)))
    for outcome in (
        verify.for_all_parameters(model(), 0, 1, ratio=100, length=2),
        verify.find_parameters(model(), 0, 1, ratio=100, length=2),
        verify.hidden_markov(numbers(), 0, 1, ratio=100, length=2, engine="smt"),
    ):
        assert isinstance(outcome, verify.Undecided)
        assert reason in outcome.reason
        assert outcome.hint


def liar(*answers: str) -> list[str]:
    loop = "".join(f"{answer}\nsys.stdin.readline()\n" for answer in answers)
    return scripted(loop)


FINE = say(verdict="unsat", reason="", values={}, version="1")


def sat(**values: Any) -> str:
    return say(
        verdict="sat",
        reason="",
        version="1",
        values={name.replace("_", "."): value for name, value in values.items()},
    )


@pytest.mark.parametrize(
    "values",
    [
        {"parameter_p": "1/4", "word_0": "1/1", "word_1": "1/1"},  # a word below the ratio
        {"parameter_p": "1/4", "word_0": "2/1", "word_1": "0/1"},  # no symbol
        {"parameter_p": "1/4", "word_0": "1/2", "word_1": "0/1"},
        {"parameter_p": "1/4", "word_0": "-1/1", "word_1": "0/1"},
        {"parameter_p": "3/4", "word_0": "0/1", "word_1": "0/1"},  # outside of the range
        {"parameter_p": "0/1", "word_0": "0/1", "word_1": "0/1"},
        {
            # sqrt 2 - 1, and a word below the ratio
            "parameter_p": {"polynomial": ["-1", "2", "1"], "low": "0/1", "high": "1/1"},
            "word_0": "1/1",
            "word_1": "1/1",
        },
        {
            # 1 / sqrt 2, outside of the range: the word is above the ratio there, by 4.6 to 2
            "parameter_p": {"polynomial": ["-1", "0", "2"], "low": "0/1", "high": "1/1"},
            "word_0": "0/1",
            "word_1": "1/1",
        },
    ],
)
def test_a_counterexample_that_does_not_stand_is_undecided(
    values: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The domain has values, three rows are laws; then the lie; then no rational values beside it.
    domain = sat(parameter_p="1/4")
    answers = [domain, FINE, FINE, sat(**values), *[FINE] * 5]
    monkeypatch.setattr(decide, "Solver", partial(Solver, command=liar(*answers)))
    outcome = verify.for_all_parameters(model(), 0, 1, ratio=2, length=2, encoding="linear")
    assert isinstance(outcome, verify.Undecided)
    assert "does not stand" in outcome.reason


@pytest.mark.parametrize("word", [("1/1", "1/1"), ("2/1", "0/1"), ("1/2", "0/1")])
def test_a_word_of_numbers_that_does_not_stand_is_undecided(
    word: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lie = sat(word_0=word[0], word_1=word[1])
    monkeypatch.setattr(decide, "Solver", partial(Solver, command=liar(lie)))
    outcome = verify.hidden_markov(numbers(), 0, 1, ratio=2, length=2, engine="smt")
    assert isinstance(outcome, verify.Undecided)
    assert "does not stand" in outcome.reason


@pytest.mark.parametrize("p", ["3/4", "1/4"])
def test_values_that_do_not_stand_are_undecided(p: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # 3/4 is outside of the range; at 1/4 a known word is above the ratio, which the solver denies.
    domain = sat(parameter_p="1/4")
    answers = [domain, FINE, FINE, sat(parameter_p=p)]
    monkeypatch.setattr(find, "Solver", partial(Solver, command=liar(*answers)))
    outcome = verify.find_parameters(model(), 0, 1, ratio="1.1", length=2)
    assert isinstance(outcome, verify.Undecided)
    assert "do not stand" in outcome.reason


def test_a_solver_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "_GRACE", 0.2)
    with Solver(clock(0.2), command=scripted("time.sleep(1000)")) as hanging:
        assert hanging.ask(Query("")) == Unknown("time limit")
        assert hanging.ask(Query("")) == Unknown("time limit")


def test_after_a_crash_comes_a_new_process() -> None:
    with Solver(clock(), command=scripted("sys.exit(1)")) as broken:
        for _ in range(2):
            verdict = broken.ask(Query(""))
            assert isinstance(verdict, Unknown)
            assert "exit status 1" in verdict.reason


@pytest.fixture
def z3() -> Iterator[Solver]:
    with Solver(clock()) as running:
        yield running


def test_z3_answers_exactly(z3: Solver) -> None:
    declared = "(declare-fun x () Real)(declare-fun y () Real)"
    verdict = z3.ask(Query(f"{declared}(assert (= (* 3.0 x) (- 2.0)))", ("x", "y")))
    assert isinstance(verdict, Satisfiable)
    assert verdict.values["x"] == Fraction(-2, 3)
    verdict = z3.ask(Query(f"{declared}(assert (and (= (* x x) 2.0) (< x 0.0)))", ("x",)))
    assert isinstance(verdict, Satisfiable)
    root = verdict.values["x"]
    assert isinstance(root, AlgebraicNumber)
    assert root.polynomial == (-2, 0, 1)
    assert root.high < 0
    assert isinstance(z3.ask(Query(f"{declared}(assert (< (* x x) 0.0))")), Unsatisfiable)


def test_a_text_that_is_none_is_unknown(z3: Solver) -> None:
    verdict = z3.ask(Query("(assert (= x 1.0))"))
    assert isinstance(verdict, Unknown)
    assert isinstance(z3.ask(Query("(assert false)")), Unsatisfiable)


def hard() -> tuple[HiddenMarkovModel, list[Fraction], list[Fraction]]:
    """Ten states, and a ratio just above the worst: nothing that z3 decides soon."""
    size = 10
    rows = [
        [Fraction(1 + (3 * i + 5 * j + i * j) % 7) for j in range(size)] for i in range(size + 2)
    ]
    laws = [[entry / sum(row) for entry in row] for row in rows]
    seen = [[Fraction(1 + (i * i + 2 * j) % 5) for j in range(4)] for i in range(size)]
    emission = [[entry / sum(row) for entry in row] for row in seen]
    return HiddenMarkovModel(laws[:size], emission), laws[size], laws[size + 1]


@pytest.mark.parametrize("engine", ["smt", "smt-published"])
def test_what_takes_too_long_is_undecided(engine: Any) -> None:
    chain, first, second = hard()
    ratio = verify.worst_ratio(chain, first, second, 12)[0] * Fraction(1001, 1000)
    assert isinstance(ratio, Fraction)
    outcome = verify.hidden_markov(
        chain, first, second, ratio=ratio, length=12, engine=engine, time_limit=0.5
    )
    assert isinstance(outcome, verify.Undecided)
    assert outcome.reason == "time limit"
    assert "time_limit" in outcome.hint


def test_what_takes_too_much_memory_is_undecided() -> None:
    chain, first, second = hard()
    ratio = verify.worst_ratio(chain, first, second, 12)[0] * Fraction(1001, 1000)
    assert isinstance(ratio, Fraction)
    outcome = verify.hidden_markov(
        chain, first, second, ratio=ratio, length=12, engine="smt", memory_limit=24
    )
    assert isinstance(outcome, verify.Undecided)
    assert "memory" in outcome.reason or "ended" in outcome.reason


def test_an_interrupt_is_undecided_and_ends_the_solver() -> None:
    chain, first, second = hard()
    running: list[subprocess.Popen[str]] = []
    started = Solver._started

    def noted(self: Solver) -> "subprocess.Popen[str]":
        running.append(started(self))
        return running[-1]

    ratio = verify.worst_ratio(chain, first, second, 12)[0] * Fraction(1001, 1000)
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Solver, "_started", noted)
        timer.start()
        outcome = verify.hidden_markov(
            chain, first, second, ratio=ratio, length=12, engine="smt", time_limit=100
        )
        timer.join()
    assert isinstance(outcome, verify.Undecided)
    assert outcome.reason == "interrupted"
    assert running[-1].poll() is not None


def test_without_z3_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    for ask in (
        lambda: verify.for_all_parameters(model(), 0, 1, ratio=2, length=2),
        lambda: verify.find_parameters(model(), 0, 1, ratio=2, length=2),
        lambda: verify.hidden_markov(model(), 0, 1, ratio=2, length=2),
        lambda: verify.hidden_markov(numbers(), 0, 1, ratio=2, length=2, engine="smt"),
    ):
        with pytest.raises(MissingExtraError, match=r"privet\[verify\]"):
            ask()
    assert "(check-sat)" in verify.smt_lib(model(), 0, 1, ratio=2, length=2)
    assert isinstance(verify.hidden_markov(numbers(), 0, 1, ratio=100, length=2), verify.Holds)


def test_nothing_here_imports_z3() -> None:
    program = "import sys; from privet import verify; print('z3' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert done.stdout.strip() == "False"
