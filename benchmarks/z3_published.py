"""The published way to check a hidden Markov model with an SMT solver, to be timed beside Privet's.

Contract. Algorithm 1 of [liu-wang-zhang-2022], written with z3's own interface as it is
printed: a real variable a step, two vectors of sums side by side, an emission
chosen by the step's variable, and at the end the question whether one total exceeds c times the
other. Nothing here is used by Privet.
"""

import time
from fractions import Fraction
from typing import Any

from privet import HiddenMarkovModel

Row = list[Fraction]


def published(
    model: HiddenMarkovModel,
    laws: tuple[Row, Row],
    ratio: Fraction,
    length: int,
    seconds: float,
) -> tuple[float, str]:
    """(CPU seconds from the model to the answer, "sat", "unsat" or "unknown")."""
    import z3

    start = time.process_time()
    solver = z3.Solver()
    solver.set("timeout", round(1000 * seconds))
    solver.add(*_constraints(z3, model, laws, ratio, length))
    answer = str(solver.check())
    return time.process_time() - start, answer


def _constraints(
    z3: Any, model: HiddenMarkovModel, laws: tuple[Row, Row], ratio: Fraction, length: int
) -> list[Any]:
    def real(value: Fraction) -> Any:
        return z3.RealVal(f"{value.numerator}/{value.denominator}")

    symbols = range(len(model.observations))
    seen, steps = model.exact_emission, model.exact_transition
    word = [z3.Real(f"w{t}") for t in range(length)]

    def selected(letter: Any, row: Any) -> Any:
        chosen = letter
        for code in reversed(symbols):
            chosen = z3.If(letter == code, real(row[code]), chosen)
        return chosen

    constraints = [z3.Or(*(letter == code for code in symbols)) for letter in word]
    totals = []
    for law in laws:
        sums = [real(p) * selected(word[0], row) for p, row in zip(law, seen, strict=True)]
        for letter in word[1:]:
            sums = [
                z3.Sum(*(a * real(row[j]) for a, row in zip(sums, steps, strict=True)))
                * selected(letter, seen[j])
                for j in range(len(sums))
            ]
        totals.append(z3.Sum(*sums))
    return [*constraints, totals[0] > real(ratio) * totals[1]]
