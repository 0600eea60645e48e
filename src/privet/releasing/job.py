"""A release between its checks and its draw.

Contract. Preparing a release reads the data and refuses whatever cannot be released; it draws
nothing. A `Job` is what is left to do: everything about it that may be known beforehand, and
`draw`, which samples once and cannot be refused any more. Progress is told in stages, by counts of
symbols, never by values.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from privet.errors import ParameterError
from privet.exact import ratio_up
from privet.mechanisms import WordExponential, WordPermuteAndFlip, WordStaircase
from privet.mechanisms.base import CodeArray, HammingMechanism
from privet.mechanisms.on_language import LanguageMechanism
from privet.mechanisms.symbolwise import SymbolwiseMechanism
from privet.mechanisms.word_exponential.on_language import ExponentialOnLanguage
from privet.privacy import Guarantee
from privet.releasing.blocks import Progress, block_by_block
from privet.releasing.decoding import Decoding
from privet.releasing.prediction import predict
from privet.releasing.receipt import Kind, Part, Per, Receipt
from privet.symbols import Words

BLOCK_SYMBOLS = 1 << 22
"""Words are drawn in blocks of about this many symbols, so that a long draw tells how far it is."""


def silent(_stage: str, _done: int, _total: int) -> None:
    """Progress for nobody."""


class Staged(Protocol):
    """A release that was drawn into hidden files, which have no name yet."""

    def publish(self, receipt: Receipt) -> tuple[Receipt, Any]:
        """Give the files and the receipt their names: the receipt that was written, the data."""

    def discard(self) -> None:
        """Delete the files, unless they were published; always possible."""


@dataclass(frozen=True)
class Drawn:
    """What came out.

    `data`: the release, in the kind that came in; `table`: it as an Arrow table, where there is one
    to be written; `realised_errors`: symbols that differ, by part, if they were to be counted, or
    how far each number of an answer is off; `rows`: the answer to a query, with its intervals;
    `staged`: what is there instead of `data` if it was written as it was drawn.
    """

    data: Any
    table: Any = None
    realised_errors: tuple[float, ...] = ()
    rows: tuple[dict[str, Any], ...] = ()
    staged: Staged | None = None


@dataclass(frozen=True)
class Job:
    """A release that passed every check and has drawn nothing yet.

    `draw(progress, measure)`: samples once; the realised errors are counted only if `measure`;
    `words`: the data, where they are words, for what must be checked of them still; `word_parts`:
    what gives them part by part instead, each with the number of words before; `persons`: counts
    the persons whose rows they are, which is private; None where no column names them.
    """

    kind: Kind
    guarantee: Guarantee
    spent: Fraction
    parts: tuple[Part, ...]
    draw: Callable[[Progress, bool], Drawn]
    shape: dict[str, int] = field(default_factory=dict)
    layout: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    words: Words | None = None
    word_parts: Callable[[], Iterable[tuple[int, Words]]] | None = None
    persons: Callable[[], int] | None = None


def describe_words(
    mechanism: HammingMechanism,
    lengths: Counter[int],
    *,
    column: str | None,
    times: int = 1,
    per: Per = "symbol",
    decoding: Decoding | None = None,
    **stand_ins: Any,
) -> Part:
    """What the mechanism will do to words of those lengths ({length: how many words}).

    `times`: how many times its own epsilon the promise costs; `decoding`: what is done to its
    output, which the expected errors include. Errors: ParameterError for a length that no word of
    the language has; ParameterTypeError, ModelError where the output cannot be decoded.
    """
    if decoding is not None:
        decoding.check(mechanism)
    prediction = predict(mechanism, lengths, decoding)
    present = [length for length in lengths if length] or [1]
    return Part(
        column,
        mechanism.to_json(),
        sum(length * count for length, count in lengths.items()),
        prediction.errors,
        times * max(mechanism.spent(length) for length in present),
        max(mechanism.record_loss(length).maximum for length in present),
        per,
        {**law_in_use(mechanism, max(present)), **prediction.to_json()},
        **stand_ins,
    )


def law_in_use(mechanism: HammingMechanism, length: int) -> dict[str, Any]:
    """The calibration and rate that run on words of that length, whatever was asked for.

    "calibration_reason": why that one ran, where a certified rate could have;
    "rate": -d log P / d distance of the exponential family; "certified": what such a rate spends at
    least (by a pair of words) and at most (by the certificate in the mechanism's description), on
    words of which lengths; "keep_probability" where symbols are answered one by one; the staircase
    has its "factor" and "shift".
    """
    if isinstance(mechanism, ExponentialOnLanguage):
        return mechanism.law_in_use(length)
    if isinstance(mechanism, LanguageMechanism):
        return {"calibration": "paper", "rate": mechanism.rate(length), "word_length": length}
    if isinstance(mechanism, WordStaircase):
        factor, shift = float(mechanism.factor), mechanism.shift(length)
        return {"factor": factor, "shift": shift, "word_length": length}
    if isinstance(mechanism, WordPermuteAndFlip):
        published = ratio_up(mechanism.epsilon / (2 * mechanism.adjacency))
        ran = "paper" if mechanism.ratio(length) == published else "exact"
        return {"calibration": ran, "rate": mechanism.rate(length), "word_length": length}
    if isinstance(mechanism, SymbolwiseMechanism):
        law: dict[str, Any] = {
            "rate": float(mechanism.law.rate_up),
            "keep_probability": float(mechanism.keep_probability),
        }
        if isinstance(mechanism, WordExponential):
            law = {"calibration": mechanism.calibration, **law}
        return law
    return {}


def check_adjacency(adjacency: int, lengths: Counter[int]) -> None:
    """Errors: ParameterError if no word has as many symbols as may differ between neighbours."""
    longest = max(lengths, default=0)
    if adjacency > max(longest, 1):
        raise ParameterError(
            f"adjacency is {adjacency}, but the longest word has {longest} symbols.",
            hint=f"Give an adjacency from 1 to {longest}: how many symbols may differ at once.",
            parameter="adjacency",
        )


def count_different(before: CodeArray, after: CodeArray, measure: bool) -> tuple[int, ...]:
    """How many symbols differ, if that may be known."""
    return (int(np.count_nonzero(before != after)),) if measure else ()


def draw_words(mechanism: HammingMechanism, words: Words, progress: Progress) -> Words:
    """A release of each word, drawn in blocks of whole words (the words are independent)."""
    return block_by_block(
        words, mechanism.release_part, symbols=BLOCK_SYMBOLS, stage="drawing", progress=progress
    )
