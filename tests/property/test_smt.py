"""Random small models: both encodings, another solver and the exact engine say the same."""

import random
from fractions import Fraction

import pytest

from privet import HiddenMarkovModel, verify
from privet.verify import Parameters, SymbolicModel
from privet.verify.outcome import Outcome
from privet.verify.problem import Threshold
from privet.verify.question import Question
from privet.verify.smt.claims import read_claim
from privet.verify.smt.decide import decide, decide_numbers
from privet.verify.smt.solver import Solver
from privet.weighted import Clock, Lengths, Limits
from smt_solvers import ask_cvc5

Law = list[Fraction]


def law(draw: random.Random, size: int) -> Law:
    """A third of the entries are zero, more or less."""
    weights = [draw.choice([0, 1, 2, 3]) for _ in range(size)]
    weights[draw.randrange(size)] += 1
    return [Fraction(weight, sum(weights)) for weight in weights]


def kind(outcome: Outcome) -> str:
    return "unsat" if isinstance(outcome, verify.Holds) else "sat"


@pytest.mark.parametrize("seed", range(6))
def test_four_ways_to_decide(seed: int) -> None:
    draw = random.Random(seed)
    verdicts = []
    with Solver(Clock(Limits(200, 1))) as solver:
        for _ in range(12):
            states, symbols, length = draw.randint(2, 3), draw.randint(2, 3), draw.randint(1, 3)
            model = HiddenMarkovModel(
                [law(draw, states) for _ in range(states)],
                [law(draw, symbols) for _ in range(states)],
            )
            first, second = law(draw, states), law(draw, states)
            worst, _ = verify.worst_ratio(model, first, second, length)
            ratio = Fraction(draw.randint(4, 12), 4)
            if isinstance(worst, Fraction) and worst and draw.random() < 0.5:
                ratio = worst * draw.choice([Fraction(1), Fraction(999, 1000)])
            question = Question(model, first, second, Lengths(length, length))
            threshold = Threshold(ratio, ratio)
            exact = question.decide(threshold, Limits())
            assert kind(exact) == ("sat" if worst > ratio else "unsat")
            for encoding in ("linear", "published"):
                outcome = decide_numbers(question, threshold, encoding, solver)
                assert type(outcome) is type(exact)
            text = verify.smt_lib(model, first, second, ratio=ratio, length=length)
            assert ask_cvc5(text) == kind(exact)
            verdicts.append(kind(exact))
    assert set(verdicts) == {"sat", "unsat"}


@pytest.mark.parametrize("seed", range(4))
def test_what_holds_for_all_values_holds_on_a_grid(seed: int) -> None:
    draw = random.Random(100 + seed)
    mixed = Parameters("0 <= p <= 1")
    with Solver(Clock(Limits(200, 1))) as solver:
        for _ in range(8):
            one, other, first, second = (law(draw, 2) for _ in range(4))
            row = [f"p*{a} + (1 - p)*{b}" for a, b in zip(one, other, strict=True)]
            model = SymbolicModel([law(draw, 2), row], [law(draw, 2), law(draw, 2)], mixed)
            length = draw.randint(1, 3)
            grid = [Fraction(i, 8) for i in range(9)]
            worst = [verify.worst_ratio(model.at({"p": p}), first, second, length)[0] for p in grid]
            for ratio in (Fraction(5, 4), Fraction(2), Fraction(4)):
                claim = read_claim(model, first, second, ratio, length)
                outcome = decide(claim, "linear", solver)
                assert type(decide(claim, "words", solver)) is type(outcome)
                if isinstance(outcome, verify.Holds):
                    assert max(worst) <= ratio
                else:
                    assert isinstance(outcome, verify.ParametersViolated)
                    p = outcome.values["p"]
                    assert isinstance(p, Fraction)
                    again = verify.worst_ratio(model.at({"p": p}), first, second, length)[0]
                    assert ratio < outcome.ratio <= again
                if max(worst) > ratio:
                    assert isinstance(outcome, verify.Violated)
