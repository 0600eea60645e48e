"""`privet verify model`: a proof that a hidden Markov model is private, or the word that breaks it.

Contract. No mathematics here: the file asks, `privet.verify` answers, and this prints. The first
thing that is violated decides the exit code, then what is undecided.
"""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.output import AsJson
from privet.cli.places import shipped
from privet.cli.verify_common import (
    HOLDS,
    UNDECIDED,
    VIOLATED,
    ClaimedEpsilon,
    ClaimedRatio,
    Overwrite,
    TimeLimit,
    claim_text,
    exact,
    lengths_text,
    number,
    one_claim,
    print_files,
    read_seconds,
    refuse_existing_files,
    save_shown,
    verdicts_alone,
    word_text,
)
from privet.errors import ParameterError

if TYPE_CHECKING:
    from privet.verify import (
        Bracket,
        Holds,
        Outcome,
        PairBracket,
        PairOutcome,
        Verification,
    )

    Answer = PairOutcome | PairBracket

_FEW_PAIRS = 2
"""Pairs of which one sees at once whose ratio is larger."""

EXAMPLE = (
    f"privet verify model {shipped('infection.toml')} --save-certificate proof.json "
    "--pictures pictures"
)


def model(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The model, the laws and the claim: JSON or TOML; verify library writes one.",
        ),
    ],
    ratio: ClaimedRatio = None,
    epsilon: ClaimedEpsilon = None,
    length: Annotated[
        str | None,
        typer.Option(
            "--length", "-n", metavar="N", help="Symbols of a word: 20, 1..20 or all lengths: all."
        ),
    ] = None,
    time_limit: TimeLimit = "60",
    save_certificate: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT.json",
            help="Write the proofs and counterexamples, for privet verify certificate.",
        ),
    ] = None,
    pictures: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Draw the model, the worst ratio by length and the word that tells most.",
        ),
    ] = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Prove that no word tells two laws of the first state apart, or show one that does.

    The claim is in the file, or in --ratio or --epsilon: for every word of the lengths asked about,
    its probability under one law is at most so many times that under the other. Without a claim the
    worst ratio itself is found. Exit codes: 0 holds (or the worst ratio is known), 1 violated, 2
    usage, 3 undecided.
    """
    with verdicts_alone():
        code = _model(
            file,
            (ratio, epsilon, length),
            read_seconds(time_limit),
            save_certificate,
            pictures,
            overwrite,
            as_json,
        )
    if code:
        raise typer.Exit(code)


def _model(
    file: Path,
    asked: tuple[str | None, str | None, str | None],
    seconds: Fraction,
    certificate: Path | None,
    pictures: Path | None,
    overwrite: bool,
    as_json: bool,
) -> int:
    from privet.cli.output import Ticker, print_json
    from privet.verify import Verification, read_verification

    ratio, epsilon, length = asked
    one_claim(ratio, epsilon)
    refuse_existing_files([certificate] if certificate else [], overwrite)
    question = read_verification(file)
    if not isinstance(question, Verification):
        from privet.cli.verify_symbolic import answer_symbolic

        if pictures is not None:
            raise ParameterError("--pictures draws models of numbers, and this has parameters.")
        changed = question.asking(ratio=ratio, epsilon=epsilon, length=length or "")
        return answer_symbolic(changed, seconds, certificate, overwrite, as_json)
    question = question.asking(ratio=ratio, epsilon=epsilon, length=length or "")
    if pictures is not None:
        from privet.cli.verify_pictures import ready_folder

        ready_folder(pictures, overwrite)
    with Ticker() as tick:
        tick("verifying", 0, 0)
        found = _answers(question, seconds)
        saved = 0 if certificate is None else _save(question, found, certificate, overwrite)
        if pictures is not None:
            from privet.cli.verify_pictures import draw

            tick("drawing", 0, 0)
            drawn = draw(pictures, question, found, seconds)
        else:
            drawn = []
    code = _exit_code(found)
    content = _as_json(question, found, code)
    if as_json:
        content["certificate"] = str(certificate) if saved else None
        content["pictures"] = [str(path) for path in drawn]
        print_json(content)
    else:
        _print(question, found)
        print_files(certificate, saved, drawn)
    return code


def _answers(question: "Verification", seconds: Fraction) -> "Sequence[Answer]":
    limit = float(seconds)
    return (
        question.decide(time_limit=limit)
        if question.has_claim
        else question.worst(time_limit=limit)
    )


def _exit_code(found: "Sequence[Answer]") -> int:
    from privet.verify import PairBracket, Undecided, Violated

    answers = [each.bracket if isinstance(each, PairBracket) else each.outcome for each in found]
    if any(isinstance(answer, Violated) for answer in answers):
        return VIOLATED
    if any(isinstance(answer, Undecided) or _is_open(answer) for answer in answers):
        return UNDECIDED
    return HOLDS


def _is_open(answer: object) -> bool:
    from privet.verify import Bracket

    return isinstance(answer, Bracket) and not answer.is_closed


def _save(question: "Verification", found: "Sequence[Answer]", path: Path, overwrite: bool) -> int:
    """How many proofs and counterexamples were written."""
    from privet.verify import certificates_of

    return save_shown(certificates_of(question, found), path, overwrite)


# ------------------------------------------------------------------------------------- the report


def _print(question: "Verification", found: "Sequence[Answer]") -> None:
    from privet.cli.output import print_table, print_text
    from privet.verify import PairBracket, PairOutcome, Undecided

    print_text(_claim_sentence(question))
    rows = [[f"{each.first} against {each.second}", *_cells(each)] for each in found]
    head = "verdict" if question.has_claim else "worst ratio"
    print_table("", ["laws of the first state", head, "because"], rows, text_columns=3)
    if not question.has_claim and len(found) > _FEW_PAIRS:
        print_text(_largest(found), style="bold")
    if not question.has_claim:
        print_text(_as_epsilon(found), style="bold")
    for each in found:
        if isinstance(each, PairOutcome) and isinstance(each.outcome, Undecided):
            about = f"{each.first} against {each.second}"
            print_text(f"{about}: {each.outcome.hint}", style="dim")
    if any(isinstance(each, PairBracket) and not each.bracket.is_closed for each in found):
        print_text(
            "The worst ratio lies between the two numbers. Claim one above the larger (--ratio) to "
            "get a proof, or ask about one length.",
            style="dim",
        )


def _largest(found: "Sequence[Answer]") -> str:
    from privet.verify import PairBracket

    brackets = [each for each in found if isinstance(each, PairBracket)]
    worst = max(brackets, key=lambda each: (each.bracket.high, each.bracket.low))
    value = _bracket_cells(worst.bracket)[0]
    return f"The largest of all: {value}, {worst.first} against {worst.second}."


def _as_epsilon(found: "Sequence[Answer]") -> str:
    """The logarithm of the largest ratio, rounded up: what a claim would have to be."""
    from privet.exact import log_up
    from privet.privacy.guarantee import decimal_up
    from privet.verify import PairBracket

    highest = max(each.bracket.high for each in found if isinstance(each, PairBracket))
    if not isinstance(highest, Fraction):
        return "No epsilon is large enough: the ratio is infinite, or no bound of it was found."
    return f"Epsilon, the logarithm of the largest: {decimal_up(log_up(highest), 7)}."


def _claim_sentence(question: "Verification") -> str:
    words = lengths_text(question.length)
    if not question.has_claim:
        return f"How much likelier a word can be under one law than under the other, {words}:"
    claim = claim_text(question.ratio, question.epsilon)
    return f"Claim, {words}: each is {claim} as likely under one law as under the other."


def _cells(each: "Answer") -> list[str]:
    from privet.verify import PairBracket

    if isinstance(each, PairBracket):
        return _bracket_cells(each.bracket)
    return _outcome_cells(each.outcome)


def _bracket_cells(bracket: "Bracket") -> list[str]:
    because = "" if bracket.witness is None else f"reached by {word_text(bracket.witness)}"
    if bracket.is_closed:
        return [number(bracket.low), because]
    value = f"{number(bracket.low)} to {number(bracket.high)}"
    return [value, "; ".join(part for part in (because, bracket.reason) if part)]


def _outcome_cells(outcome: "Outcome") -> list[str]:
    from privet.verify import Holds, Violated

    if isinstance(outcome, Holds):
        return ["holds", f"{_steps(outcome)}, checked again"]
    if isinstance(outcome, Violated):
        size = "1 symbol" if len(outcome.word) == 1 else f"{len(outcome.word)} symbols"
        ratio = (
            "infinitely" if outcome.second_probability == 0 else f"{number(outcome.ratio)} times"
        )
        odds = f"{float(outcome.first_probability):.4g} to {float(outcome.second_probability):.4g}"
        return ["VIOLATED", f"{ratio} as likely ({odds}): {word_text(outcome.word)} ({size})"]
    low, high = number(outcome.bracket.low), number(outcome.bracket.high)
    return ["undecided", f"{outcome.reason}; the worst ratio lies in {low} to {high}"]


def _steps(outcome: "Holds") -> str:
    steps = _size(outcome)
    return "a proof" if steps is None else f"a proof of {steps:,} step{'s' * (steps != 1)}"


def _size(outcome: "Holds") -> int | None:
    from privet.verify import ModelCertificate

    certificate = outcome.certificate
    return len(certificate.proof.tree) if isinstance(certificate, ModelCertificate) else None


# ------------------------------------------------------------------------------------------ JSON


def _as_json(question: "Verification", found: "Sequence[Answer]", code: int) -> dict[str, Any]:
    verdict = {HOLDS: "holds", VIOLATED: "violated", UNDECIDED: "undecided"}[code]
    if not question.has_claim:
        verdict = "known" if code == HOLDS else "bracket"
    length = question.length
    if isinstance(length, range):
        length_json: object = [length.start, length.stop - 1]
    else:
        length_json = "all" if length is None else length
    return {
        "verdict": verdict,
        "ratio": _text(question.ratio),
        "epsilon": _text(question.epsilon),
        "length": length_json,
        "pairs": [_pair_as_json(each) for each in found],
    }


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _pair_as_json(each: "Answer") -> dict[str, Any]:
    from privet.verify import PairBracket

    pair = {"first": each.first, "second": each.second}
    if isinstance(each, PairBracket):
        return {**pair, **_bracket_as_json(each.bracket)}
    return {**pair, **_outcome_as_json(each.outcome)}


def _outcome_as_json(outcome: "Outcome") -> dict[str, Any]:
    from privet.verify import Holds, Violated

    if isinstance(outcome, Holds):
        return {"verdict": "holds", "proof_steps": _size(outcome)}
    if isinstance(outcome, Violated):
        return {
            "verdict": "violated",
            "word": [str(symbol) for symbol in outcome.word],
            "first_probability": exact(outcome.first_probability),
            "second_probability": exact(outcome.second_probability),
            "ratio_of_word": exact(outcome.ratio),
        }
    return {"verdict": "undecided", "hint": outcome.hint, **_bracket_as_json(outcome.bracket)}


def _bracket_as_json(bracket: "Bracket") -> dict[str, Any]:
    word = None if bracket.witness is None else [str(symbol) for symbol in bracket.witness]
    return {
        "low": exact(bracket.low),
        "high": exact(bracket.high),
        "word": word,
        "reason": bracket.reason,
    }
