"""The part of `privet verify model` on files with parameters: for all values, or some found.

Contract. As `privet.cli.verify_model`; values that were found count as a claim that holds, and that
there are none as one that is violated. A solver's word is called that: nobody can check it again.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.cli.verify_common import (
    HOLDS,
    UNDECIDED,
    VIOLATED,
    exact,
    lengths_text,
    number,
    print_files,
    save_shown,
    word_text,
)

if TYPE_CHECKING:
    from privet.verify import SymbolicOutcome, SymbolicVerification
    from privet.verify.smt.algebraic import Real

_SHORT = Fraction(1, 10**12)


def answer_symbolic(
    question: "SymbolicVerification",
    seconds: Fraction,
    certificate: Path | None,
    overwrite: bool,
    as_json: bool,
) -> int:
    """Answer, print and save. Errors: ModelError, MissingExtraError."""
    from privet.cli.output import Ticker, print_json

    with Ticker() as tick:
        tick("verifying", 0, 0)
        found = question.decide(time_limit=float(seconds))
    saved = 0
    if certificate is not None:
        saved = save_shown(question.certificates(found), certificate, overwrite)
    code = max((_code(each) for each in found), key=[HOLDS, UNDECIDED, VIOLATED].index)
    if as_json:
        path = str(certificate) if saved else None
        print_json({**_as_json(question, found, code), "certificate": path})
    else:
        _print(question, found)
        print_files(certificate, saved, [])
    return code


def _code(each: "SymbolicOutcome") -> int:
    from privet.verify import Found, Holds, Undecided

    if isinstance(each.outcome, Undecided):
        return UNDECIDED
    return HOLDS if isinstance(each.outcome, Holds | Found) else VIOLATED


def _print(question: "SymbolicVerification", found: "Sequence[SymbolicOutcome]") -> None:
    from privet.cli.output import print_table, print_text

    which = "for some values" if question.ask == "find" else "for all values"
    print_text(
        f"Claim, {lengths_text(question.length)}, {which} with "
        f"{'; '.join(question.model.parameters.texts)}: each is at most {question.ratio} times as "
        "likely under one law as under the other."
    )
    joint = "and" if question.ask == "find" and question.both_ways else "against"
    rows = [[f"{each.first} {joint} {each.second}", *_cells(each)] for each in found]
    print_table("", ["laws of the first state", "verdict", "because"], rows, text_columns=3)


def _cells(each: "SymbolicOutcome") -> list[str]:
    from privet.verify import Found, Holds, NotFound, ParametersViolated, Undecided

    outcome = each.outcome
    if isinstance(outcome, Undecided):
        return ["undecided", f"{outcome.reason}. {outcome.hint}"]
    if isinstance(outcome, Found):
        return ["holds", f"at {_values(outcome.values)}, checked again"]
    if isinstance(outcome, NotFound):
        return ["VIOLATED", f"at all values: {outcome.certificate}"]
    if isinstance(outcome, Holds):
        return ["holds", str(outcome.certificate)]
    if not isinstance(outcome, ParametersViolated):
        raise AssertionError
    times = "infinitely" if outcome.second_probability == 0 else f"{number(outcome.ratio)} times"
    word = word_text(outcome.word)
    return ["VIOLATED", f"at {_values(outcome.values)}: {word} is {times} as likely"]


def _values(values: "Mapping[str, Real]") -> str:
    return ", ".join(f"{name} = {_value(value)}" for name, value in values.items())


def _value(value: "Real") -> str:
    if isinstance(value, Fraction):
        return number(value)
    return f"about {float(value.within(_SHORT)[0]):.7g}"


def _as_json(
    question: "SymbolicVerification", found: "Sequence[SymbolicOutcome]", code: int
) -> dict[str, Any]:
    length = question.length
    shown = [length.start, length.stop - 1] if isinstance(length, range) else length
    return {
        "verdict": {HOLDS: "holds", VIOLATED: "violated", UNDECIDED: "undecided"}[code],
        "ask": question.ask,
        "parameters": list(question.model.parameters.texts),
        "ratio": str(question.ratio),
        "length": "all" if shown is None else shown,
        "pairs": [
            {"first": each.first, "second": each.second, **_outcome_as_json(each)} for each in found
        ],
    }


def _outcome_as_json(each: "SymbolicOutcome") -> dict[str, Any]:
    from privet.verify import Found, Holds, NotFound, ParametersViolated, Undecided

    outcome = each.outcome
    if isinstance(outcome, Undecided):
        return {"verdict": "undecided", "reason": outcome.reason, "hint": outcome.hint}
    if isinstance(outcome, Found):
        return {"verdict": "holds", "values": _values_as_json(outcome.values)}
    if isinstance(outcome, NotFound):
        return {"verdict": "violated", "values": None, "because": str(outcome.certificate)}
    if isinstance(outcome, Holds):
        return {"verdict": "holds", "because": str(outcome.certificate)}
    if not isinstance(outcome, ParametersViolated):
        raise AssertionError
    return {
        "verdict": "violated",
        "values": _values_as_json(outcome.values),
        "word": [str(symbol) for symbol in outcome.word],
        "ratio_of_word": exact(outcome.ratio),
        "is_exact": outcome.is_exact,
    }


def _values_as_json(values: "Mapping[str, Real]") -> dict[str, Any]:
    return {
        name: exact(value)
        if isinstance(value, Fraction)
        else {
            "polynomial": list(value.polynomial),
            "low": exact(value.low),
            "high": exact(value.high),
        }
        for name, value in values.items()
    }
