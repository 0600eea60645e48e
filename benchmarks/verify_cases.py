"""What is measured about verification, one process each; figures go out as JSON.

Contract. The models are those of `verify.py`. Seconds are CPU seconds of whole questions: the
answer's second check is among them, and the building of the engine's sets.
"""

import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from measure import emit
from verify import (
    MARGIN,
    NARROW,
    Case,
    cyclic,
    dense,
    random_sticky,
    satisfiability,
    sticky,
)
from z3_published import published

from privet import verify

FAMILIES: dict[str, Callable[..., Case]] = {
    "dense": dense,
    "ring": sticky,
    "sticky": random_sticky,
    "cyclic": cyclic,
}


def case_of(family: str, states: str, symbols: str) -> Case:
    """The model of that name and size."""
    if family == "static":
        return sticky(int(states), int(symbols), Fraction(0))
    if family == "3-SAT":
        return satisfiability(int(states), int(symbols))
    return FAMILIES[family](int(states), int(symbols))


def _timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds and result of one call."""
    start = time.process_time()
    result = call()
    return time.process_time() - start, result


def _asked(case: Case, ratio: Fraction, length: int | None, limit: float) -> Any:
    return verify.hidden_markov(
        case.model, case.first, case.second, ratio=ratio, length=length, time_limit=limit
    )


def _bracket(case: Case, length: int | None, limit: float) -> Any:
    return verify.ratio_bracket(case.model, case.first, case.second, length, time_limit=limit)


def _told(outcome: Any) -> str:
    if isinstance(outcome, verify.Undecided):
        return f"{outcome.reason}, {outcome.bracket}"
    return type(outcome).__name__


def margins(family: str, states: str, symbols: str, length: str, limit: str, repeats: str) -> None:
    """One per cent above and below the best ratio that is known."""
    case, seconds = case_of(family, states, symbols), float(limit)
    bracket = _bracket(case, int(length), seconds)
    figures: dict[str, Any] = {"exact": bracket.is_closed, "limit": seconds}
    for name, factor in (("above", 1 + MARGIN), ("below", 1 - MARGIN)):
        taken = []
        ratio = bracket.low * factor
        for _ in range(int(repeats)):
            spent, outcome = _timed(partial(_asked, case, ratio, int(length), seconds))
            taken.append(spent)
            if isinstance(outcome, verify.Undecided):
                break
        figures |= {name: taken, f"{name}_verdict": _told(outcome)}
    emit(**figures)


def beside_z3(
    family: str, states: str, symbols: str, length: str, side: str, limit: str, repeats: str
) -> None:
    """One per cent above ("holds") or below ("violated"): z3 as published, and Privet."""
    case = case_of(family, states, symbols)
    factor = 1 + MARGIN if side == "holds" else 1 - MARGIN
    ratio = Fraction(_bracket(case, int(length), 30.0).low) * factor
    laws = case.first, case.second
    seconds, answer = published(case.model, laws, ratio, int(length), float(limit))
    own = [_timed(partial(_asked, case, ratio, int(length), 30.0)) for _ in range(int(repeats))]
    verdict = _told(own[-1][1])
    expected = {"unsat": "Holds", "sat": "Violated"}.get(answer, verdict)
    if verdict != expected:
        raise ValueError(f"z3 says {answer}, Privet {verdict}")
    emit(published=seconds, answer=answer, own=[taken for taken, _ in own], verdict=verdict)


def narrow(family: str, states: str, symbols: str, length: str, limit: str, repeats: str) -> None:
    """A millionth above the best ratio known, at one length or ("all") at every length."""
    case, seconds = case_of(family, states, symbols), float(limit)
    asked = None if length == "all" else int(length)
    bracket = _bracket(case, asked, seconds)
    taken = []
    for _ in range(int(repeats)):
        spent, outcome = _timed(partial(_asked, case, bracket.low * (1 + NARROW), asked, seconds))
        taken.append(spent)
        if isinstance(outcome, verify.Undecided):
            break
    emit(seconds=taken, verdict=_told(outcome), worst=float(bracket.low), limit=seconds)


def hard(family: str, states: str, symbols: str, length: str, limit: str) -> None:
    """The worst ratio itself, or a bracket; then the claim a millionth above it."""
    case, seconds = case_of(family, states, symbols), float(limit)
    worst, bracket = _timed(partial(_bracket, case, int(length), seconds))
    ratio = bracket.low * (1 + NARROW)
    taken, outcome = _timed(partial(_asked, case, ratio, int(length), seconds))
    answer = f"exact: {float(bracket.low):.10g}" if bracket.is_closed else str(bracket)
    emit(worst=worst, answer=answer, claim=taken, verdict=_told(outcome))


VERIFY_CASES = {
    "verify-hard": hard,
    "verify-margins": margins,
    "verify-narrow": narrow,
    "verify-z3": beside_z3,
}
