"""What a mechanism may be given, read into codes, and the way back to the same kind.

Contract. `mechanism.release(x)` gives back what it was given: `Words` for `Words`, `Codes` for
`Codes`, an array for an array (codes of the same dtype, or labels), a list for a list. An integer
array holds codes only if no symbol is an integer; otherwise its entries are labels. A bare string
is refused, since "ab" could be one symbol or two.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.errors import DataError, DomainError, ParameterTypeError
from privet.symbols.alphabet import Alphabet, CodeArray, Codes
from privet.symbols.words import Words


@dataclass(frozen=True)
class Encoded:
    """`codes`: (total,); `offsets`: (words + 1,) int64; `rebuild`: codes -> what was given."""

    codes: CodeArray
    offsets: npt.NDArray[np.int64]
    rebuild: Callable[[CodeArray], Any]


def read_symbols(alphabet: Alphabet, x: object) -> Encoded:
    """Categories in any accepted form; an array may have any shape, and keeps it."""
    if isinstance(x, Words):
        return _from_words(alphabet, x)
    if isinstance(x, Codes):
        array = x.array
        return _single(alphabet.check_codes(array).ravel(), lambda out: Codes(_shaped(out, array)))
    if isinstance(x, np.ndarray):
        return _from_array(alphabet, x)
    if isinstance(x, list | tuple):
        kind = type(x) if type(x) in (list, tuple) else list
        return _single(alphabet.encode(x), lambda out: kind(alphabet.decode(out)))
    raise ParameterTypeError(
        f"A {type(x).__name__} is not data this mechanism can read.",
        hint="Give a list of symbols, an array, Codes or Words; tables and files go through "
        "privet.release.",
    )


def read_words(alphabet: Alphabet, x: object) -> Encoded:
    """One word (list, tuple, one-dimensional array, Codes) or many (Words)."""
    shape = x.array.shape if isinstance(x, Codes) else getattr(x, "shape", None)
    if isinstance(x, Codes | np.ndarray) and shape is not None and len(shape) != 1:
        raise DataError(
            f"One word is a one-dimensional array; this one has shape {shape}.",
            hint="Many words go through Words(alphabet, codes, offsets) or Words.from_lists.",
        )
    return read_symbols(alphabet, x)


def _single(codes: CodeArray, rebuild: Callable[[CodeArray], Any]) -> Encoded:
    return Encoded(codes, np.array([0, codes.size], np.int64), rebuild)


def _from_words(alphabet: Alphabet, words: Words) -> Encoded:
    if words.alphabet != alphabet:
        raise DomainError(
            "The words and the mechanism have different alphabets.",
            hint="Encode the words with the mechanism's alphabet.",
        )
    return Encoded(words.codes, words.offsets, words.with_codes)


def _from_array(alphabet: Alphabet, array: npt.NDArray[Any]) -> Encoded:
    if array.dtype.kind in "iu" and not alphabet.has_integers:
        return _single(alphabet.check_codes(array).ravel(), lambda out: _shaped(out, array))
    if isinstance(array, np.ma.MaskedArray) and bool(np.ma.getmaskarray(array).any()):
        raise DataError(
            "The array has masked entries.",
            hint="Fill them with a symbol of the alphabet that stands for a missing value.",
        )

    def labels(out: CodeArray) -> npt.NDArray[Any]:
        if array.dtype.kind == "O":
            table = np.empty(len(alphabet), object)
            table[:] = alphabet.symbols
        else:
            table = np.array(alphabet.symbols)
            if array.dtype.kind in "iufb":
                table = table.astype(np.result_type(table.dtype, array.dtype))
        return np.asarray(table[out].reshape(array.shape))

    return _single(alphabet.encode(array.ravel()), labels)


def _shaped(codes: CodeArray, like: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return codes.reshape(like.shape).astype(like.dtype, copy=False)
