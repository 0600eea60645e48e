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
from privet.symbols.alphabet import Alphabet, CodeArray, Codes, bare_dtype, plain_array
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
    # Not by a method of `words`: a subclass could give back what it was made of.
    return Encoded(words.codes, words.offsets, lambda out: Words(alphabet, out, words.offsets))


def _from_array(alphabet: Alphabet, given: npt.NDArray[Any]) -> Encoded:
    array = plain_array(given)
    if array.dtype.kind in "iu" and not alphabet.has_integers:
        return _single(alphabet.check_codes(array).ravel(), lambda out: _shaped(out, array))

    def labels(out: CodeArray) -> npt.NDArray[Any]:
        return np.asarray(_label_table(alphabet, array.dtype)[out].reshape(array.shape))

    return _single(alphabet.encode(array.ravel()), labels)


def _label_table(alphabet: Alphabet, like: np.dtype[Any]) -> npt.NDArray[Any]:
    """(m,) the symbols as an array: of the dtype `like` or wider if it holds every one exactly.

    Otherwise of objects, so that a symbol is never turned into something else.
    """
    symbols = alphabet.symbols
    if like.kind == "T":
        like = np.dtypes.StringDType()  # without the caller's object for missing values
    if like.kind != "O":
        # Objects first: of mixed symbols numpy would make text, of large integers doubles.
        for dtype in (like, *map(np.dtype, _wider(like.kind))):
            try:
                table: npt.NDArray[Any] = np.array(symbols, dtype)
            except (OverflowError, TypeError, ValueError):
                continue
            if table.shape == (len(symbols),) and _same(table.tolist(), symbols):
                return table
    objects = np.empty(len(symbols), object)
    for code, symbol in enumerate(symbols):
        objects[code] = symbol
    return objects


def _wider(kind: str) -> tuple[str, ...]:
    return {"i": ("i8", "u8"), "u": ("u8", "i8"), "f": ("f8",), "U": ("U",), "S": ("S",)}.get(
        kind, ()
    )


def _same(listed: list[Any], symbols: tuple[Any, ...]) -> bool:
    numbers = (int, float)
    return all(
        new == old and (type(new) is type(old) or isinstance(new, numbers))
        for new, old in zip(listed, symbols, strict=True)
    )


def _shaped(codes: CodeArray, like: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return codes.reshape(like.shape).astype(bare_dtype(like.dtype), copy=False)
