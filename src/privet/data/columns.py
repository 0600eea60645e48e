"""Categorical columns to codes and back.

Contract. A column is read against its public alphabet and written back in the Arrow type it came
in. Only distinct values are looked up; rows are an integer gather, so a dictionary-encoded column
stays codes all the way. What goes out is dictionary-encoded in the order of the alphabet, never in
the order of the data, and lists every symbol, so that neither order nor absence says anything. A
value that is missing or outside the alphabet is refused by row and never printed.
"""

import math
import re
import warnings
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.data.arrow import (
    ROWS_COUNT,
    described,
    indices_of,
    is_list,
    kind_of,
    pa,
    pc,
    rows_that,
    value_type,
    without_views,
)
from privet.data.compact import dictionary_type
from privet.errors import DataError, DomainError, MissingValueError, PrivacyLeakWarning
from privet.symbols import Alphabet
from privet.symbols.alphabet import CodeArray, is_missing

_UNKNOWN, _MISSING = -1, -2
_WHOLE = re.compile(r"0|-?[1-9][0-9]*")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_TRUTH = {"true": True, "True": True, "false": False, "False": False}
_LARGEST_STRING_BYTES = 2**31 - 1
_FEW_VALUES = 10
_WIDEST = 1 << 16
_LISTS = (
    "A column of lists holds a word a row: name it alone, with the number of symbols that are "
    "protected (adjacency)."
)


def match_alphabet(alphabet: Alphabet, kind: Any, *, name: str = "") -> Alphabet:
    """The alphabet with its symbols as values of the Arrow type `kind`, in the same order.

    Text reads as a number only if it is written the one plain way ("7", not "07"), and a whole
    number reads as text that way. Errors: DomainError naming the column and the first symbol, by
    its public position, that has no value of that type.
    """
    values = value_type(kind)
    family = kind_of(values)
    place = f"The column '{name}'" if name else "The column"
    if family == "null":
        return alphabet
    if not family:
        raise DomainError(
            f"{place} holds {described(values)}, which Privet does not read as categories.",
            hint=_LISTS if is_list(values) else "Convert it to text or whole numbers first.",
            column=name,
        )
    converted = [_convert(symbol, values, family) for symbol in alphabet.symbols]
    if None in converted:
        code = converted.index(None)
        raise DomainError(
            f"{place} holds {values}, but symbol {code} of its alphabet, "
            f"{alphabet.symbols[code]!r}, cannot be read as that.",
            hint=f"Convert the column to text, or write the alphabet as {family} values.",
            column=name,
        )
    pairs = zip(converted, alphabet.symbols, strict=True)
    if all(type(new) is type(old) and new == old for new, old in pairs):
        return alphabet
    first: dict[Hashable, int] = {}
    for code, symbol in enumerate(converted):
        if family == "float" and first.setdefault(symbol, code) != code:
            raise DomainError(
                f"{place} holds {values}, in which symbols {first[symbol]} and {code} of its "
                "alphabet are the same number.",
                hint="Convert the column to text, or list numbers that the type tells apart.",
                column=name,
            )
    return Alphabet(converted)


def encode_column(
    column: Any,
    alphabet: Alphabet,
    *,
    name: str,
    other: Hashable | None = None,
    missing: Hashable | None = None,
) -> CodeArray:
    """Codes of a column (ChunkedArray or Array): (rows,) array of the alphabet's code dtype.

    `other` and `missing` are symbols of the alphabet that stand for labels outside it and for
    missing values (null, NaN). Errors: DomainError and MissingValueError naming column and row.
    """
    codes, absent = encode_with_missing(column, alphabet, name=name, other=other)
    if absent is None:
        return codes
    if missing is None:
        raise without_value(name, int(np.argmax(absent)), int(np.count_nonzero(absent)))
    codes[absent] = alphabet.index(missing)
    return codes


def encode_with_missing(
    column: Any, alphabet: Alphabet, *, name: str, other: Hashable | None = None
) -> tuple[CodeArray, npt.NDArray[np.bool_] | None]:
    """Codes, and (rows,) bool where there is no value (None if every row has one; code 0 there)."""
    found = look_up_column(column, alphabet, name=name, other=other)
    if found.unknown_count:
        raise outside_alphabet(
            alphabet, name, found.unknown_row, found.unknown_count, found.codes.size
        )
    return found.codes, found.absent


@dataclass(frozen=True)
class LookedUp:
    """A column against its alphabet, whatever it holds.

    `codes`: (rows,) of the alphabet's code dtype, 0 where there is none; `absent`: (rows,) bool
    where there is no value, None if every row has one; `unknown_row`, `unknown_count`: the first
    row whose label is outside the alphabet (-1: none), and how many are.
    """

    codes: CodeArray
    absent: npt.NDArray[np.bool_] | None = None
    unknown_row: int = -1
    unknown_count: int = 0


def look_up_column(
    column: Any, alphabet: Alphabet, *, name: str, other: Hashable | None = None
) -> LookedUp:
    """The codes of a column, and where it has none; no value is refused.

    Errors: DomainError for a column whose type the alphabet does not fit, DataError for a damaged
    one.
    """
    matched = match_alphabet(alphabet, column.type, name=name)
    known = {symbol: code for code, symbol in enumerate(matched.symbols)}
    fallback = _UNKNOWN if other is None else alphabet.index(other)
    codes = np.empty(len(column), alphabet.code_dtype)
    absent: npt.NDArray[np.bool_] | None = None
    unknown_row, unknown_count, start = -1, 0, 0
    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        out = codes[start : start + len(chunk)]
        if _all_known(chunk, matched, out) or _all_numbers(chunk, matched, out):
            start += len(chunk)
            continue
        table, indices = _look_up(chunk, known, fallback)
        if int(table[:-1].min(initial=0)) >= 0 and chunk.null_count == 0:
            # Every distinct value is a symbol and no row is null: one gather of narrow codes.
            # `indices_of` has checked them; the mode spares a second check and a copy.
            np.take(table.astype(codes.dtype), indices, out=out, mode="clip")
        else:
            found = table[indices]
            unknown = found == _UNKNOWN
            if unknown_row < 0 and unknown.any():
                unknown_row = start + int(np.argmax(unknown))
            unknown_count += int(np.count_nonzero(unknown))
            nothing = found == _MISSING
            if nothing.any():
                absent = np.zeros(codes.size, bool) if absent is None else absent
                absent[start : start + len(chunk)] = nothing
            out[:] = np.maximum(found, 0)
        start += len(chunk)
    return LookedUp(codes, absent, unknown_row, unknown_count)


def decode_column(
    codes: npt.ArrayLike,
    alphabet: Alphabet,
    like: Any,
    *,
    absent: npt.NDArray[np.bool_] | None = None,
) -> Any:
    """The symbols of (rows,) codes as an Arrow array of the type `like`.

    `absent`: (rows,) bool, rows that get no value. A column that had no values at all (type null)
    comes back in the type of the symbols. A dictionary index type too narrow for the alphabet
    widens. Errors: DomainError for codes outside the alphabet or symbols that `like` cannot hold.
    """
    array = alphabet.check_codes(np.asarray(codes))
    if absent is not None:
        # Arrow copies what lies behind a mask.
        array = np.where(absent, array.dtype.type(0), array)
    matched = match_alphabet(alphabet, like)
    values = value_type(like)
    listed: list[Any] = list(matched.symbols)
    symbols: Any = pa.array(listed) if pa.types.is_null(values) else pa.array(listed, values)
    if pa.types.is_dictionary(like):
        index_type = dictionary_type(like, len(matched)).index_type
        indices = pa.array(array, mask=absent).cast(index_type)
        return pa.DictionaryArray.from_arrays(indices, symbols, ordered=like.ordered)
    if pa.types.is_string_view(values):
        return _gather_views(array, symbols, absent)
    return _gather(array, symbols, absent)


def released_type(alphabet: Alphabet, like: Any) -> Any:
    """The Arrow type in which `decode_column` gives the symbols of a column of the type `like`.

    Of a column of lists: lists of such symbols, without dictionaries or metadata inside.
    """
    if is_list(like):
        inner, size = like.value_field, getattr(like, "list_size", -1)
        field = pa.field(
            inner.name, released_type(alphabet, value_type(inner.type)), inner.nullable
        )
        return pa.large_list(field) if isinstance(like, pa.LargeListType) else pa.list_(field, size)
    if pa.types.is_dictionary(like):
        return dictionary_type(like, len(alphabet))
    symbols: list[Any] = list(alphabet.symbols)
    return pa.array(symbols).type if pa.types.is_null(like) else like


def distinct_of(columns: Iterable[Any]) -> tuple[Any, int]:
    """What occurs in columns of one type, as one column, and how many rows they have together.

    There must be a column. Values that cannot be compared come as they are.
    """
    rows = 0
    seen: Any = None
    for column in columns:
        rows += len(column)
        try:
            values = column.unique()
        except pa.ArrowNotImplementedError:
            return column, rows
        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        chunks: list[Any] = [values] if seen is None else [*seen.chunks, values]
        joined: Any = pc.unique(pa.chunked_array(chunks))
        seen = pa.chunked_array([joined])
    return seen, rows


def alphabet_from_column(column: Any, *, name: str = "", rows: int | None = None) -> Alphabet:
    """The distinct values of a column, sorted, with a PrivacyLeakWarning: the set is not public.

    `rows`: how many the whole has, if the column lists only what occurs there.
    Name the column in `privet.release(..., alphabets_from_data=...)`, so that the guarantee says
    so.
    Errors: DomainError for a column that is not categorical; DataError for one that looks like an
    identifier; ParameterError for fewer than two distinct values (a column with one category would
    come out as it is).
    """
    place = f"the column '{name}'" if name else "a column"
    if kind_of(column.type) in ("", "null"):
        raise DomainError(
            f"No alphabet can be taken from {place}, which holds {described(column.type)}.",
            hint="List the categories.",
            column=name,
        )
    plain = without_views(column)
    distinct = pc.unique(plain.cast(value_type(plain.type))).to_pylist()
    if looks_like_identifier(len(distinct), len(column) if rows is None else rows):
        raise DataError(
            f"No alphabet can be taken from {place}: more than half as many different values as "
            "rows occur in it, as in a column of names or measurements.",
            hint="List the categories, group the values into a few categories first, or leave the "
            "column out.",
            column=name,
        )
    warnings.warn(
        f"The alphabet of {place} is taken from the protected data: which categories occur is "
        "given away. List the categories that can occur instead.",
        PrivacyLeakWarning,
        stacklevel=2,
    )
    return Alphabet(sorted(value for value in distinct if not is_missing(value)))


def looks_like_identifier(distinct: int, rows: int) -> bool:
    """Whether a column with so many different values names its rows rather than groups them."""
    return distinct > _FEW_VALUES and 2 * distinct > rows


def _convert(symbol: Hashable, kind: Any, family: str) -> Hashable | None:
    if family == "text":
        if isinstance(symbol, int) and not isinstance(symbol, bool):
            return str(symbol)
        return symbol if isinstance(symbol, str) else None
    if family == "boolean":
        return (
            _TRUTH.get(symbol) if isinstance(symbol, str) else _if(symbol, isinstance(symbol, bool))
        )
    if isinstance(symbol, bool):
        return None
    if family == "integer":
        return _whole(symbol, kind)
    return _float(symbol, kind)


def _float(symbol: Hashable, kind: Any) -> float | None:
    """The number of the type nearest to a decimal; a whole number only if the type has it."""
    if isinstance(symbol, str) and len(symbol) <= 400 and _DECIMAL.fullmatch(symbol):
        symbol = float(symbol) if "." in symbol else int(symbol)
    if not isinstance(symbol, int | float):
        return None
    try:
        with np.errstate(over="ignore"):
            nearest = float(kind.to_pandas_dtype()(symbol))
    except OverflowError:
        return None
    if not math.isfinite(nearest) or (isinstance(symbol, int) and int(nearest) != symbol):
        return None
    # Zero has one sign here, as two zeros compare equal.
    return nearest + 0.0


def _whole(symbol: Hashable, kind: Any) -> int | None:
    # int() refuses very long text; no column holds more than 20 digits anyway.
    if isinstance(symbol, str) and len(symbol) <= 20 and _WHOLE.fullmatch(symbol):
        symbol = int(symbol)
    if not isinstance(symbol, int):
        return None
    limits = np.iinfo(kind.to_pandas_dtype())
    return symbol if limits.min <= symbol <= limits.max else None


def _if(symbol: Hashable, holds: bool) -> Hashable | None:
    return symbol if holds else None


def _all_known(chunk: Any, alphabet: Alphabet, out: CodeArray) -> bool:
    """Fill `out` and return True if `chunk` is text and every row is a symbol, the usual case.

    One pass against the symbols is a third faster than finding the distinct values first.
    """
    if chunk.null_count or kind_of(chunk.type) != "text" or pa.types.is_dictionary(chunk.type):
        return False
    if pa.types.is_string_view(chunk.type):
        return False  # no such kernel for text views
    found = pc.index_in(chunk, value_set=pa.array(alphabet.symbols, chunk.type))
    if found.null_count:
        return False
    out[:] = found.to_numpy()
    return True


def _all_numbers(chunk: Any, alphabet: Alphabet, out: CodeArray) -> bool:
    """The same for whole numbers that lie close together: a table has the code of each."""
    if chunk.null_count or not pa.types.is_integer(chunk.type) or not len(chunk):
        return False
    numbers: list[Any] = list(alphabet.symbols)
    low, high = min(numbers), max(numbers)
    bounds: Any = pc.min_max(chunk).as_py()
    if high - low > _WIDEST or bounds["min"] < low or bounds["max"] > high:
        return False
    nothing = len(alphabet)
    table = np.full(high - low + 1, nothing, np.int64)
    table[[number - low for number in numbers]] = np.arange(nothing)
    values = chunk.to_numpy()
    # A difference may not fit where the numbers do.
    values = values if values.dtype.itemsize == 8 else values.astype(np.int64)
    places = (values - values.dtype.type(low)).astype(np.int64, copy=False)
    if high - low + 1 > nothing and int(table[places].max()) == nothing:
        return False
    np.take(table.astype(out.dtype), places, out=out, mode="clip")
    return True


def _look_up(
    chunk: Any, known: dict[Hashable, int], fallback: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[Any]]:
    """(distinct + 1,) code of each distinct value, the last for null; and each row's index."""
    if not pa.types.is_dictionary(chunk.type):
        chunk = chunk.dictionary_encode() if not pa.types.is_null(chunk.type) else _all_null(chunk)
    distinct = chunk.dictionary.to_pylist()
    table = np.empty(len(distinct) + 1, np.int64)
    for index, value in enumerate(distinct):
        code = known.get(value)
        if code is None:
            code = _MISSING if is_missing(value) else fallback
        table[index] = code
    table[-1] = _MISSING
    return table, indices_of(chunk, null=len(distinct))


def _all_null(chunk: Any) -> Any:
    return pa.DictionaryArray.from_arrays(
        pa.nulls(len(chunk), pa.int32()), pa.array([], pa.string())
    )


def without_value(name: str, row: int, count: int) -> MissingValueError:
    """The error for a column without a `missing` symbol: `row` is the first of `count`."""
    return MissingValueError(
        f"Row {row} has no value in the column '{name}'; "
        f"{rows_that(count, 'has none', 'have none')}.",
        hint=f"Name the symbol that stands for a missing value, or complete the data. {ROWS_COUNT}",
        position=row,
        column=name,
    )


def outside_alphabet(alphabet: Alphabet, name: str, row: int, count: int, rows: int) -> DomainError:
    """The error for labels outside the alphabet: `row` is the first of `count`, of all `rows`."""
    shown = ", ".join(str(symbol) for symbol in alphabet.symbols[:8])
    more = ", ..." if len(alphabet) > 8 else ""
    return DomainError(
        f"The label in row {row} of the column '{name}' is not in its alphabet; "
        f"{rows_that(count, 'has such a label', 'have such labels')}.",
        hint=f"Name an 'other' symbol for them, or extend the alphabet ({shown}{more}). "
        f"{ROWS_COUNT}",
        position=row,
        column=name,
        all_rows=count == rows,
    )


def _gather(codes: CodeArray, symbols: Any, absent: npt.NDArray[np.bool_] | None) -> Any:
    if pa.types.is_string(symbols.type):
        longest = max(len(str(symbol).encode()) for symbol in symbols.to_pylist())
        if longest * codes.size > _LARGEST_STRING_BYTES:
            # One array of this type holds at most 2 GiB of text.
            rows = max(_LARGEST_STRING_BYTES // longest, 1)
            cuts = range(0, codes.size, rows)
            return pa.chunked_array(
                [symbols.take(_slice(codes, absent, start, start + rows)) for start in cuts],
                type=symbols.type,
            )
    return symbols.take(_slice(codes, absent, 0, codes.size))


def _slice(codes: CodeArray, absent: npt.NDArray[np.bool_] | None, start: int, stop: int) -> Any:
    return pa.array(codes[start:stop], mask=None if absent is None else absent[start:stop])


def _gather_views(codes: CodeArray, symbols: Any, absent: npt.NDArray[np.bool_] | None) -> Any:
    """Text views are 16 bytes each, so a column of them is one gather of fixed-width records."""
    _, views, *text = symbols.buffers()
    records = np.frombuffer(views, np.dtype("V16"))[: len(symbols)][codes]
    present = None
    if absent is not None and absent.any():
        present = _buffer(np.packbits(~absent, bitorder="little"))
    buffers = [present, _buffer(records), *text]
    return pa.Array.from_buffers(symbols.type, codes.size, buffers)


def _buffer(array: Any) -> Any:
    """An Arrow buffer over an array; Any, as the stubs say that only bytes have a buffer."""
    return pa.py_buffer(array)
