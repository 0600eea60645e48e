"""The part of `privet demo` on verification: a proof, and the word that breaks a bolder claim.

Contract. The model comes with the package and is made up; both answers are exact.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privet.verify import PairOutcome

_BOLD = 4


@dataclass(frozen=True)
class VerifyRun:
    """The claim of the file, and a bolder one: what was found for each pair of laws."""

    ratio: str
    holds: "tuple[PairOutcome, ...]"
    bold: "tuple[PairOutcome, ...]"


def verify_infection() -> VerifyRun:
    """Verify the model of an infection that comes with Privet, at two ratios."""
    from pathlib import Path

    import privet
    from privet.verify import Verification, read_verification

    file = Path(privet.__file__).parent / "datasets" / "infection.toml"
    question = read_verification(file)
    if not isinstance(question, Verification):
        raise AssertionError
    bold = question.asking(ratio=_BOLD).decide()
    return VerifyRun(str(question.ratio), question.decide(), bold)


def print_infection(run: VerifyRun) -> None:
    """Both answers."""
    from privet.cli.output import print_text
    from privet.cli.verify_common import number, word_text
    from privet.verify import Holds, Violated

    print_text("5. A proof, or what breaks it: a noisy test of an infection, day after day", "bold")
    proved = all(isinstance(each.outcome, Holds) for each in run.holds)
    verdict = "proved for words of every length" if proved else "not proved"
    print_text(
        "Whether somebody was infectious on the first day makes no sequence of answers more than "
        f"{run.ratio} times as likely: {verdict}. One answer alone has the ratio 2."
    )
    for each in run.bold:
        if isinstance(each.outcome, Violated):
            print_text(
                f"That it is at most {_BOLD} times is violated: {word_text(each.outcome.word)} is "
                f"{number(each.outcome.ratio)} times as likely if {each.first}."
            )


def infection_as_json(run: VerifyRun) -> dict[str, Any]:
    """The same verdicts."""
    from privet.verify import Violated

    broken = [each.outcome for each in run.bold if isinstance(each.outcome, Violated)]
    return {
        "ratio": run.ratio,
        "verdicts": [type(each.outcome).__name__.lower() for each in run.holds],
        "bolder_ratio": str(_BOLD),
        "words": [[str(symbol) for symbol in outcome.word] for outcome in broken],
    }
