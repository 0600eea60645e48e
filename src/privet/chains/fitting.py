"""Counting the steps of public words into a chain.

Contract. Counts and pseudocounts are exact, so the chain is. A state that is never left has no row:
that is refused, never filled in silently. Words that are themselves to be protected give a warning,
since the chain would carry their counts outside the mechanism.
"""

import warnings
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from privet.errors import (
    DataError,
    ModelError,
    ParameterError,
    ParameterTypeError,
    PrivacyLeakWarning,
)
from privet.exact import exact_number
from privet.exact.number import Number
from privet.symbols import Alphabet, Words


@dataclass(frozen=True, eq=False)
class StepCounts:
    """`first`: (k,) int64, words that begin with each symbol; `steps`: (k, k) int64."""

    first: npt.NDArray[np.int64]
    steps: npt.NDArray[np.int64]


def count_steps(words: Words, protected: bool) -> StepCounts:
    """First symbols and steps. Errors: ParameterTypeError, DataError for no symbols."""
    if not isinstance(words, Words):
        raise ParameterTypeError(
            f"A chain is fitted to Words, not to a {type(words).__name__}.",
            hint="Write Words.from_lists(alphabet, lists). From released words a chain is learnt "
            "by privet.estimate.transitions.",
        )
    if not words.codes.size:
        raise DataError("There are no symbols to fit a chain to.", hint="Give at least one word.")
    if protected:
        warnings.warn(
            "The chain is fitted to the protected words themselves: publishing it, or anything "
            "decoded with it, gives away their counts without any guarantee. Fit it to public "
            "words, or learn it from released ones with privet.estimate.transitions.",
            PrivacyLeakWarning,
            stacklevel=3,
        )
    size = len(words.alphabet)
    codes = words.codes.astype(np.int64)
    starts = words.offsets[:-1][words.lengths > 0]
    later = np.ones(codes.size, bool)
    later[starts] = False
    where = np.flatnonzero(later)
    pairs = np.bincount(codes[where - 1] * size + codes[where], minlength=size * size)
    return StepCounts(
        np.bincount(codes[starts], minlength=size).astype(np.int64),
        pairs.reshape(size, size).astype(np.int64),
    )


def rows(
    counts: StepCounts,
    alphabet: Alphabet,
    pseudocount: Number,
    support: npt.ArrayLike | None,
) -> tuple[list[Fraction], list[list[Fraction]]]:
    """The exact initial law and transition rows. Errors: ModelError, ParameterError."""
    extra = exact_number(pseudocount, "pseudocount")
    if extra < 0:
        raise ParameterError("pseudocount must not be negative.", parameter="pseudocount")
    possible = read_support(support, len(alphabet))
    outside = np.argwhere((counts.steps > 0) & ~possible)
    if len(outside):
        i, j = outside[0].tolist()
        raise ModelError(
            f"The words have a step from state {alphabet.symbols[i]} to {alphabet.symbols[j]}, "
            "which the support forbids.",
            hint=f"{len(outside)} kinds of steps are outside the support.",
        )
    first = _shares([Fraction(n) + extra for n in counts.first.tolist()])
    steps = []
    for state, (row, allowed) in enumerate(
        zip(counts.steps.tolist(), possible.tolist(), strict=True)
    ):
        weights = [n + extra if may else Fraction(0) for n, may in zip(row, allowed, strict=True)]
        if not sum(weights):
            raise ModelError(
                f"No word goes on from state {alphabet.symbols[state]}, so its row is unknown.",
                hint="Give a pseudocount such as 1, or leave the state out of the alphabet.",
                row=state,
            )
        steps.append(_shares([Fraction(weight) for weight in weights]))
    return first, steps


def read_support(support: npt.ArrayLike | None, size: int) -> npt.NDArray[np.bool_]:
    """(k, k) bool; all steps if none is given. Errors: ModelError."""
    if support is None:
        return np.ones((size, size), bool)
    possible = np.asarray(support)
    if possible.shape != (size, size) or possible.dtype.kind not in "biu":
        raise ModelError(
            f"The support is a {possible.dtype} array of shape {possible.shape}; {size} states "
            f"need a boolean one of shape ({size}, {size}).",
            hint="Entry (i, j) says whether state j may follow state i.",
        )
    possible = possible.astype(bool)
    for row in np.flatnonzero(~possible.any(axis=1)).tolist():
        raise ModelError(f"Row {row} of the support allows no step at all.", row=row)
    return possible


def _shares(weights: list[Fraction]) -> list[Fraction]:
    total = sum(weights)
    return [weight / total for weight in weights]
