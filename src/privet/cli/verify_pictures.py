"""The pictures of `privet verify model --pictures`: model, worst ratio by length, telling word.

Contract. The worst ratios of the curve share one time limit; a length that it cuts short is drawn
as the bracket that is known. Files have fixed names in the folder, and replace older ones only
where that is allowed.
"""

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import OutputError

if TYPE_CHECKING:
    from privet.reports.verify_plots import RatioCurve, WordPicture
    from privet.verify import PairBracket, PairOutcome, Verification
    from privet.verify.outcome import Ratio

    Answer = PairOutcome | PairBracket

_MOST_PAIRS = 6
_LONGEST = 20
_SHORTEST_CURVE = 8


_NAMES = "model.svg", "ratio.svg", "word.svg"


def ready_folder(folder: Path, overwrite: bool) -> None:
    """Make the folder.

    Errors: OutputError, also for a picture that is there, unless `overwrite`; MissingExtraError if
    nothing can be drawn.
    """
    from privet.reports.plots import require_matplotlib
    from privet.whole_files import refuse_existing

    require_matplotlib()
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"The folder {folder} cannot be made: {error.strerror}.",
            hint="Choose another place.",
            path=str(folder),
        ) from None
    for name in _NAMES:
        refuse_existing(folder / name, overwrite)


def draw(
    folder: Path, question: "Verification", found: "Sequence[Answer]", seconds: Fraction
) -> list[Path]:
    """The files that were drawn. Errors: OutputError."""
    from privet.reports.verify_plots import (
        model_figure,
        ratio_figure,
        trellis_figure,
        write_picture,
    )

    model, laws = question.model, question.laws
    drawn = [folder / name for name in _NAMES[:2]]
    write_picture(drawn[0], lambda: model_figure(model, laws), title="Privet: model")
    pairs = telling_pairs(found)
    curves = _curves(question, pairs, float(seconds))
    claimed = _claimed(question)
    write_picture(
        drawn[1],
        lambda: ratio_figure(curves, claimed=claimed, pairs=len(question.pairs)),
        title="Privet: ratio by length",
    )
    word = _word(question, found)
    if word is not None:
        drawn.append(folder / _NAMES[2])
        write_picture(drawn[2], lambda: trellis_figure(model, word), title="Privet: word")
    return drawn


def telling_pairs(found: "Sequence[Answer]") -> list[tuple[str, str]]:
    """The pairs to draw: the few whose largest known ratio is largest, in their own order."""
    known = [told[0] if (told := _telling(each)) else Fraction(0) for each in found]
    first = sorted(range(len(found)), key=lambda i: -known[i])[:_MOST_PAIRS]
    return [(found[i].first, found[i].second) for i in sorted(first)]


def _curves(
    question: "Verification", pairs: Sequence[tuple[str, str]], seconds: float
) -> list["RatioCurve"]:
    from privet.reports.verify_plots import RatioCurve
    from privet.verify import ratio_by_length

    longest = _longest(question.length)
    each = seconds / (longest * len(pairs))
    lengths = tuple(range(1, longest + 1))
    return [
        RatioCurve(
            f"{first} against {second}",
            lengths,
            tuple(
                ratio_by_length(
                    question.model,
                    question.laws[first],
                    question.laws[second],
                    longest,
                    time_limit=each,
                )
            ),
        )
        for first, second in pairs
    ]


def _longest(length: Any) -> int:
    """As long as asked, but enough to see a curve and not too much to wait for."""
    asked = _LONGEST if length is None else length.stop - 1 if isinstance(length, range) else length
    return max(_SHORTEST_CURVE, min(asked, _LONGEST))


def _claimed(question: "Verification") -> float | None:
    from privet.verify.problem import read_threshold

    if not question.has_claim:
        return None
    return float(read_threshold(question.ratio, question.epsilon).low)


def _word(question: "Verification", found: "Sequence[Answer]") -> "WordPicture | None":
    """The first counterexample, or the word of the largest ratio that is known."""
    from privet.reports.verify_plots import WordPicture
    from privet.verify import Violated

    known = [(*told, each) for each in found if (told := _telling(each))]
    if not known:
        return None
    broken = [one for one in known if isinstance(getattr(one[2], "outcome", None), Violated)]
    ratio, word, each = broken[0] if broken else max(known, key=lambda one: one[0])
    laws = {name: question.laws[name] for name in (each.first, each.second)}
    times = f"{float(ratio):.4g} times" if isinstance(ratio, Fraction) else "infinitely"
    what = "Counterexample" if broken else "The word that tells most"
    return WordPicture(word, laws, f"{what}: {times} as likely under {each.first}")


def _telling(each: "Answer") -> "tuple[Ratio, tuple[object, ...]] | None":
    """A word of large ratio that an answer holds, and its ratio."""
    from privet.verify import Holds, PairBracket, Undecided, Violated

    answer = each.bracket if isinstance(each, PairBracket) else each.outcome
    if isinstance(answer, Violated):
        return answer.ratio, tuple(answer.word)
    if isinstance(answer, Holds):
        return None
    bracket = answer.bracket if isinstance(answer, Undecided) else answer
    return None if bracket.witness is None else (bracket.low, tuple(bracket.witness))
