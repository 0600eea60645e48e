"""The public set of categories, and the codes that stand for them.

Contract. An alphabet is public: it is written down before the data are seen. It has at least two
distinct symbols in a fixed order; symbol i has code i, and codes are unsigned integers of the
smallest width that holds them. A label outside the alphabet is a `DomainError` that names its
position and never the label, unless an `other` symbol was named for it; a missing value (None,
NaN, NA) is a `MissingValueError` unless a `missing` symbol was named. Nothing is dropped.
"""

import math
from collections.abc import Hashable, Iterable, Sequence
from decimal import Decimal
from itertools import repeat
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from privet.errors import (
    DataError,
    DomainError,
    MissingValueError,
    ParameterError,
    ParameterTypeError,
)
from privet.symbols.fixed_width import look_up_text

LARGEST_ALPHABET = 2**31

CodeArray = npt.NDArray[np.unsignedinteger[Any]]


def code_dtype(size: int) -> np.dtype[np.unsignedinteger[Any]]:
    """The smallest unsigned dtype that holds codes 0..size-1."""
    if size <= 2**8:
        return np.dtype(np.uint8)
    return np.dtype(np.uint16) if size <= 2**16 else np.dtype(np.uint32)


def is_missing(value: object) -> bool:
    """Whether `value` is one of the usual marks for "no value": None, NaN, NaT, pandas' NA."""
    if isinstance(value, Decimal):
        return value.is_nan()
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating | np.datetime64) and value != value


def plain_array(array: npt.ArrayLike) -> npt.NDArray[Any]:
    """`array` as numpy's own kind of array, never a subclass with rules of its own.

    A masked array would hide entries from the checks here and carry them out beneath its mask; a
    dtype's metadata would carry out whatever it holds. Errors: DataError if entries are masked.
    """
    if isinstance(array, np.ma.MaskedArray) and bool(np.ma.getmaskarray(array).any()):
        raise DataError(
            "The array has masked entries.",
            hint="Fill them with a symbol of the alphabet that stands for a missing value.",
        )
    plain = np.asarray(array)
    return plain if plain.dtype.metadata is None else plain.astype(bare_dtype(plain.dtype))


def bare_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype without metadata of the caller's."""
    return np.dtype(dtype.str) if dtype.names is None else dtype


class Codes:
    """An integer array whose entries are codes, even when the symbols are integers themselves.

    `.array`: any shape, any integer dtype. Range is checked where an alphabet is at hand.
    """

    __slots__ = ("array",)

    def __init__(self, array: npt.ArrayLike) -> None:
        codes = plain_array(array)
        if codes.dtype.kind not in "iu":
            if codes.size:
                raise ParameterTypeError(
                    f"Codes need an integer array, not one of {codes.dtype}.",
                    hint="Pass labels as a list or array without Codes(...).",
                )
            codes = codes.astype(np.uint8)
        self.array = codes

    def __len__(self) -> int:
        return len(self.array)

    def __repr__(self) -> str:
        return f"Codes(shape={self.array.shape}, dtype={self.array.dtype})"


class Alphabet:
    """The public categories, in order.

    `symbols`: at least two distinct hashable values (text, integers, ...), none of them missing; a
    string is the sequence of its characters. Errors: ParameterError for fewer than two symbols,
    duplicates or a missing symbol; ParameterTypeError for an unhashable symbol.
    """

    __slots__ = ("_codes", "code_dtype", "has_integers", "symbols")

    symbols: tuple[Hashable, ...]
    code_dtype: np.dtype[np.unsignedinteger[Any]]
    has_integers: bool

    def __init__(self, symbols: Iterable[Hashable]) -> None:
        if not isinstance(symbols, Iterable):
            raise ParameterTypeError(
                f"An alphabet is a sequence of symbols, not a {type(symbols).__name__}.",
                hint="Write Alphabet(['low', 'high']) or Alphabet(range(5)).",
            )
        listed = tuple(_plain(symbol) for symbol in symbols)
        if len(listed) < 2:
            raise ParameterError(
                f"An alphabet needs at least two symbols; this one has {len(listed)}.",
                hint="A column with one possible value has nothing to protect or release.",
            )
        if len(listed) > LARGEST_ALPHABET:
            raise ParameterError(f"An alphabet holds at most {LARGEST_ALPHABET} symbols.")
        self._codes = _number_symbols(listed)
        self.symbols = listed
        self.code_dtype = code_dtype(len(listed))
        # 1.0 equals 1: an array of integers may well hold such symbols.
        self.has_integers = any(
            isinstance(symbol, int) or (isinstance(symbol, float) and symbol.is_integer())
            for symbol in listed
        )

    def __len__(self) -> int:
        return len(self.symbols)

    def __contains__(self, symbol: object) -> bool:
        return _has_hash(symbol) and symbol in self._codes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Alphabet) and self.symbols == other.symbols

    def __hash__(self) -> int:
        return hash(self.symbols)

    def __repr__(self) -> str:
        if len(self) <= 12:
            return f"Alphabet({list(self.symbols)!r})"
        shown = ", ".join(repr(symbol) for symbol in self.symbols[:10])
        return f"Alphabet([{shown}, ... {len(self)} symbols])"

    def __reduce__(self) -> tuple[type[Self], tuple[tuple[Hashable, ...]]]:
        return type(self), (self.symbols,)

    def index(self, symbol: Hashable) -> int:
        """The code of one symbol. Errors: DomainError (without the value) if it is not one."""
        code = self._codes.get(symbol) if _has_hash(symbol) else None
        if code is None:
            raise DomainError(
                "The symbol asked for is not in the alphabet.", hint=self._listing(), position=None
            )
        return code

    def encode(
        self,
        labels: Iterable[object],
        *,
        other: Hashable | None = None,
        missing: Hashable | None = None,
    ) -> CodeArray:
        """Codes of a sequence of labels: (n,) array of `code_dtype`.

        `other`: the symbol that stands for every label outside the alphabet; `missing`: the symbol
        that stands for every missing value. Errors: DomainError, MissingValueError by position.
        """
        if isinstance(labels, str | bytes):
            raise ParameterTypeError(
                "A sequence of labels is expected, not one string.",
                hint="Write list('abc') or ['low', 'high'].",
            )
        found: npt.NDArray[np.int64] | None = None
        sequence: Any
        if isinstance(labels, np.ndarray):
            sequence = array = plain_array(labels)
            if array.dtype.kind == "U" and array.ndim == 1:
                found = look_up_text(array, self.symbols)
        else:
            sequence = [*labels]
        if found is None:
            sequence = sequence.tolist() if isinstance(sequence, np.ndarray) else sequence
            found = self._look_up(sequence)
        unknown = np.flatnonzero(found < 0)
        if unknown.size:
            self._replace_unknown(sequence, found, unknown, other, missing)
        return found.astype(self.code_dtype)

    def decode(self, codes: npt.ArrayLike) -> list[Any]:
        """The symbols of a one-dimensional array of codes. Errors: DomainError by position."""
        array = self.check_codes(plain_array(codes))
        return [self.symbols[code] for code in array.ravel().tolist()]

    def check_codes(self, codes: npt.NDArray[Any]) -> CodeArray:
        """`codes` as `code_dtype`, same shape, after checking every one lies in 0..m-1."""
        codes = plain_array(codes)
        if codes.dtype.kind not in "iu" and codes.size:
            raise ParameterTypeError(f"Codes are integers; this array holds {codes.dtype}.")
        if codes.size and (int(codes.max()) >= len(self) or int(codes.min()) < 0):
            outside = (codes < 0) | (codes >= len(self))
            position = int(np.flatnonzero(outside.ravel())[0])
            raise DomainError(
                f"The code at position {position} is outside 0..{len(self) - 1}; "
                f"{int(outside.sum())} codes are.",
                hint="Codes are positions in the alphabet, counted from 0.",
                position=position,
            )
        return codes.astype(self.code_dtype, copy=False)

    def to_json(self) -> list[Any]:
        """The symbols as a JSON list. Errors: ParameterTypeError if one has no JSON form."""
        for symbol in self.symbols:
            if not isinstance(symbol, str | int | float | bool):
                raise ParameterTypeError(
                    f"A symbol of type {type(symbol).__name__} cannot be written to JSON.",
                    hint="Use text or numbers as symbols.",
                )
        return list(self.symbols)

    def _look_up(self, labels: Sequence[object]) -> npt.NDArray[np.int64]:
        try:
            codes = map(self._codes.get, labels, repeat(-1))
            return np.fromiter(codes, np.int64, len(labels))
        except Exception:  # whatever a label's own hash or comparison raises
            position = next((i for i, x in enumerate(labels) if not self._can_look_up(x)), -1)
            if position < 0:
                raise
            raise DomainError(
                f"The entry at position {position} is a {type(labels[position]).__name__}, "
                "not a symbol.",
                hint="Many words go through Words.from_lists(alphabet, lists).",
                position=position,
            ) from None

    def _can_look_up(self, label: object) -> bool:
        try:
            self._codes.get(label)
        except Exception:  # as above
            return False
        return True

    def _replace_unknown(
        self,
        labels: Sequence[object],
        found: npt.NDArray[np.int64],
        unknown: npt.NDArray[np.intp],
        other: Hashable | None,
        missing: Hashable | None,
    ) -> None:
        absent = np.fromiter((is_missing(labels[i]) for i in unknown), bool, unknown.size)
        if absent.any() and missing is None:
            position = int(unknown[absent][0])
            raise MissingValueError(
                f"There is no value at position {position}; "
                f"{_in_all(int(absent.sum()), 'value')} missing.",
                hint="Name the symbol that stands for a missing value, or complete the data.",
                position=position,
            )
        if not absent.all() and other is None:
            position = int(unknown[~absent][0])
            raise DomainError(
                f"The label at position {position} is not in the alphabet; "
                f"{_in_all(int((~absent).sum()), 'label')} not.",
                hint=f"Name an 'other' symbol for them, or extend it. {self._listing()}",
                position=position,
            )
        if missing is not None:
            found[unknown[absent]] = self.index(missing)
        if other is not None:
            found[unknown[~absent]] = self.index(other)

    def _listing(self) -> str:
        shown = ", ".join(str(symbol) for symbol in self.symbols[:8])
        return f"The alphabet is {shown}{', ...' if len(self) > 8 else ''} ({len(self)} symbols)."


def _in_all(count: int, what: str) -> str:
    return f"{count} {what} in all is" if count == 1 else f"{count} {what}s in all are"


def _has_hash(value: object) -> bool:
    """Whether `value` can be looked up: a tuple of lists, say, only seems to be hashable."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _check_symbol(code: int, symbol: Hashable) -> None:
    """Refuse symbols that could not be written to a receipt or a file."""
    if is_missing(symbol):
        raise ParameterError(
            f"Symbol {code} of the alphabet is a missing value.",
            hint="Give missing values a name of their own, such as 'missing'.",
        )
    if isinstance(symbol, float) and math.isinf(symbol):
        raise ParameterError(
            f"Symbol {code} of the alphabet is infinite.", hint="Use text or finite numbers."
        )
    if isinstance(symbol, str) and not _is_text(symbol):
        raise ParameterError(
            f"Symbol {code} of the alphabet is not valid Unicode text.",
            hint="It holds half a surrogate pair, as bytes read in the wrong encoding do.",
        )


def _is_text(symbol: str) -> bool:
    try:
        symbol.encode()
    except UnicodeEncodeError:
        return False
    return True


def _plain(symbol: Hashable) -> Hashable:
    """Numpy scalars as Python values, so that symbols print, compare and serialise plainly."""
    return symbol.item() if isinstance(symbol, np.generic) else symbol


def _number_symbols(symbols: tuple[Hashable, ...]) -> dict[Hashable, int]:
    codes: dict[Hashable, int] = {}
    for code, symbol in enumerate(symbols):
        _check_symbol(code, symbol)
        try:
            first = codes.setdefault(symbol, code)
        except TypeError:
            raise ParameterTypeError(
                f"Symbol {code} of the alphabet is a {type(symbol).__name__}, which cannot be one.",
                hint="Use text, numbers or tuples.",
            ) from None
        if first != code:
            raise ParameterError(
                f"Symbols {first} and {code} of the alphabet are equal.",
                hint="Each category is listed once.",
            )
    return codes
