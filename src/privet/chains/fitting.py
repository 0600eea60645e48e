"""Counting the transitions of public words into a chain.

Contract. Counts and pseudocounts are exact, so the chain is. A state that is never left has no row:
that is refused, never filled in silently. A chain always goes on, so a support in which words end
after some state is refused too. Words that are themselves to be protected give a warning, since the
chain would carry their counts outside the mechanism.
"""

import warnings
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from privet.chains.naming import other_names
from privet.errors import (
    DataError,
    ModelError,
    ParameterError,
    ParameterTypeError,
    PrivacyLeakWarning,
)
from privet.exact import exact_number
from privet.exact.number import Number
from privet.languages import Language
from privet.symbols import Alphabet, Words

BoolArray = npt.NDArray[np.bool_]


def check_words(words: Words, protected: bool) -> None:
    """Errors: ParameterTypeError for anything but Words, DataError for no symbols."""
    if not isinstance(words, Words):
        raise ParameterTypeError(
            f"A chain is fitted to Words, not to a {type(words).__name__}.",
            hint="Write Words.from_lists(alphabet, lists), or privet.words_from_table for a table. "
            "From released words a chain is learnt by privet.estimate.transitions.",
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


def rows(
    words: Words,
    pseudocount: Number,
    support: Language | npt.ArrayLike | None,
    start: npt.ArrayLike | None = None,
) -> tuple[list[Fraction], list[list[Fraction]]]:
    """The exact initial law and transition rows. Errors: ModelError, ParameterError."""
    extra = exact_number(pseudocount, "pseudocount")
    if extra < 0:
        raise ParameterError("pseudocount must not be negative.", parameter="pseudocount")
    alphabet = words.alphabet
    may_begin, possible = read_possible(support, start, alphabet)
    _check_inside(words, may_begin, possible)
    counts = count_steps(words)
    first = _shares(_weights(counts[0], may_begin, extra))
    steps = []
    for state, (row, allowed) in enumerate(zip(counts[1:], possible, strict=True)):
        weights = _weights(row, allowed, extra)
        if not sum(weights):
            raise ModelError(
                f"No word goes on from state {alphabet.symbols[state]}, so its row is unknown.",
                hint="Give a pseudocount such as 1, or leave the state out of the alphabet.",
                row=state,
            )
        steps.append(_shares(weights))
    return first, steps


def read_possible(
    support: Language | npt.ArrayLike | None, start: npt.ArrayLike | None, alphabet: Alphabet
) -> tuple[BoolArray, BoolArray]:
    """(k,) first symbols and (k, k) steps that are possible, in the order of `alphabet`.

    Errors: ModelError for a support or start of the wrong form, and where words end after a state.
    """
    begin = _read_start(start, alphabet)
    if not isinstance(support, Language):
        steps = _read_matrix(support, len(alphabet))
        used = np.ones(len(alphabet), bool)
    else:
        first, steps = _of_language(support, alphabet)
        used = first | steps.any(axis=0)
        begin &= first
        if not begin.any():
            raise ModelError("start and support allow no first symbol together.")
    for row in np.flatnonzero(~steps.any(axis=1)).tolist():
        raise _never_left(alphabet.symbols[row], row, bool(used[row]))
    return begin, steps


def _never_left(symbol: object, row: int, used: bool) -> ModelError:
    if not used:
        return ModelError(
            f"No word of the support has state {symbol!r}, so nothing is known of it.",
            hint="Leave the state out of the alphabet, or let it occur.",
            row=row,
        )
    return ModelError(
        f"Words end after state {symbol!r} in the support (row {row} of it allows no transition), "
        "and a chain always goes on.",
        hint=f"Let {symbol!r} follow itself in the support, if words may stay there, or give no "
        "support.",
        row=row,
    )


def _of_language(language: Language, alphabet: Alphabet) -> tuple[BoolArray, BoolArray]:
    """Which symbols are first, and follow which, in some word of the language."""
    if set(language.alphabet.symbols) != set(alphabet.symbols):
        raise ModelError(
            f"The support has other symbols ({len(language.alphabet)}) than the words have "
            f"({len(alphabet)}).",
            hint=other_names(language.alphabet, "the support", alphabet, "the words"),
        )
    order = [language.alphabet.index(symbol) for symbol in alphabet.symbols]
    table = language.automaton.transitions[:, order]
    steps = np.zeros((len(alphabet), len(alphabet)), bool)
    for symbol in range(len(alphabet)):
        after = np.unique(table[:, symbol])
        steps[symbol] = (table[after[after >= 0]] >= 0).any(axis=0)
    return table[language.automaton.initial] >= 0, steps


def _read_matrix(support: npt.ArrayLike | None, size: int) -> BoolArray:
    """(k, k) bool; all steps if none is given. Errors: ModelError."""
    if support is None:
        return np.ones((size, size), bool)
    return _read_bits(
        support,
        (size, size),
        "The support",
        "Entry (i, j) says whether state j may follow state i; a Language or a MarkovChain can be "
        "given instead.",
    )


def _read_start(start: npt.ArrayLike | None, alphabet: Alphabet) -> BoolArray:
    """(k,) bool, the first symbols that are possible; all if none are given. Errors: ModelError."""
    size = len(alphabet)
    if start is None:
        return np.ones(size, bool)
    possible = _read_bits(
        start, (size,), "start", "Entry i says whether a word may begin with state i."
    )
    if not possible.any():
        raise ModelError("start allows no first symbol at all.")
    return possible


def _read_bits(given: npt.ArrayLike, shape: tuple[int, ...], name: str, hint: str) -> BoolArray:
    """An array of 0 and 1, or of bool. Errors: ModelError."""
    wanted = f"{shape[0]} states need a boolean one of shape {shape}"
    try:
        bits = np.asarray(given)
    except ValueError:
        raise ModelError(f"{name} has rows of different lengths; {wanted}.", hint=hint) from None
    if bits.shape != shape or bits.dtype.kind not in "biu":
        raise ModelError(
            f"{name} is a {bits.dtype} array of shape {bits.shape}; {wanted}.", hint=hint
        )
    if isinstance(given, np.ma.MaskedArray) and bool(np.ma.getmaskarray(given).any()):
        raise ModelError(f"{name} has masked entries.", hint=hint)
    wrong = np.argwhere((bits != 0) & (bits != 1))
    if len(wrong):
        place = ", ".join(map(str, wrong[0].tolist()))
        raise ModelError(f"Entry ({place}) of {name} is neither 0 nor 1.", hint=hint)
    return bits.astype(bool)


def _check_inside(words: Words, may_begin: BoolArray, possible: BoolArray) -> None:
    """Refuse the first word that leaves the support, by its number and the position in it."""
    codes = words.codes.astype(np.int64)
    starts = words.offsets[:-1][words.lengths > 0]
    outside = np.zeros(codes.size, bool)
    outside[1:] = ~possible[codes[:-1], codes[1:]]
    outside[starts] = ~may_begin[codes[starts]]
    if not outside.any():
        return
    flat = int(np.argmax(outside))
    word = int(np.searchsorted(words.offsets, flat, side="right")) - 1
    position = flat - int(words.offsets[word])
    number = len(np.unique(np.searchsorted(words.offsets, np.flatnonzero(outside), side="right")))
    why = "a word may not go on so" if position else "no word may begin so"
    raise ModelError(
        f"Word {word} leaves the support at position {position}: {why}; "
        f"{'1 word does' if number == 1 else f'{number} words do'}.",
        hint="Correct the words or the support. Words and positions count from 0.",
        word=word,
        position=position,
    )


def count_steps(words: Words) -> npt.NDArray[np.int64]:
    """(k + 1, k): how many words begin with each symbol, then how often each follows each."""
    size = len(words.alphabet)
    codes = words.codes.astype(np.int64)
    starts = words.offsets[:-1][words.lengths > 0]
    later = np.ones(codes.size, bool)
    later[starts] = False
    where = np.flatnonzero(later)
    pairs = np.bincount(codes[where - 1] * size + codes[where], minlength=size * size)
    first = np.bincount(codes[starts], minlength=size)
    return np.vstack([first, pairs.reshape(size, size)]).astype(np.int64)


def _weights(
    counts: npt.NDArray[np.int64], possible: npt.NDArray[np.bool_], extra: Fraction
) -> list[Fraction]:
    """Counts with the pseudocount, where possible."""
    pairs = zip(counts.tolist(), possible.tolist(), strict=True)
    return [n + extra if may else Fraction(0) for n, may in pairs]


def _shares(weights: list[Fraction]) -> list[Fraction]:
    total = sum(weights)
    return [weight / total for weight in weights]
