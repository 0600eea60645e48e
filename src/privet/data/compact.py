"""Columns rebuilt so that they hold the values of their rows and nothing else.

Contract. An Arrow column may carry far more than its rows: the text of rows that were filtered away
before, categories that no longer occur, a value behind every missing one, descriptions of nested
fields. All of that would go out with a column that is published as it is. `compacted` builds every
buffer anew from the rows: missing values are zeros or empty, dictionaries list what occurs, nested
fields have no metadata, and dictionaries inside nested types become plain values. An extension
type is kept only if it has no parameters that could hold a value. A type that cannot be rebuilt is
refused, never passed through. What comes out shares no memory with what came in, so that a buffer
that is used again cannot change a release. Its chunks are of `CHUNK_ROWS` rows whatever those of
the input were: a reader cuts chunks by bytes, and so by how long the protected labels are.
"""

from collections.abc import Callable, Collection
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.data.arrow import (
    described,
    indices_of,
    is_plain_extension,
    is_view,
    pa,
    pc,
    value_type,
    without_views,
)
from privet.errors import DataError

__all__ = [
    "CHUNK_ROWS",
    "bare_type",
    "compacted",
    "compacted_column",
    "dictionary_type",
    "relisted",
    "sorted_values",
]

CHUNK_ROWS = 1 << 16
"""Of each chunk of a rebuilt column but the last; dictionaries are one chunk."""

_LARGEST_VIEW_BYTES = 2**31 - 1
_LISTS = (pa.ListType, pa.LargeListType)


class _NoWayError(Exception):
    """A type that is not rebuilt; caught where the name of the column is known."""


class _ExtensionError(Exception):
    """An extension type with parameters of its own; its storage type is the argument."""


def compacted(
    table: pa.Table, *, untouched: Collection[str] = (), keep_unused: bool = False
) -> pa.Table:
    """The same table, each column rebuilt from its rows, without metadata.

    `untouched`: columns that do not go out (they are replaced or only grouped by) and stay as they
    are. `keep_unused`: dictionaries keep values that do not occur, in their order, as a released
    column must list its public alphabet. Errors: DataError naming a column of another type.
    """
    names = table.column_names
    columns = [
        column if name in untouched else compacted_column(column, name, keep_unused=keep_unused)
        for name, column in zip(names, table.columns, strict=True)
    ]
    return pa.Table.from_arrays(columns, names=names)


def compacted_column(column: Any, name: str, *, keep_unused: bool = False) -> Any:
    """One column (ChunkedArray or Array) as a ChunkedArray of its rows. Errors: as `compacted`.

    A dictionary keeps its order if it is ordered; any other is sorted, as the order of first
    appearance can come from rows that are not there.
    """
    if not isinstance(column, pa.ChunkedArray):
        column = pa.chunked_array([column])
    try:
        if pa.types.is_dictionary(column.type):
            return pa.chunked_array([_dictionary(column, keep_unused)])
        kind = bare_type(column.type)
        chunks = [piece for cut in _evenly(column) for piece in _pieces(cut)]
        return pa.chunked_array(chunks, type=kind)
    except _ExtensionError as error:
        raise DataError(
            f"The column '{name}' holds an extension type over {error}, whose parameters would go "
            "out with it.",
            hint="Cast it to its storage type, or leave it out.",
            column=name,
        ) from None
    except (_NoWayError, pa.ArrowException):
        # The library's own message can quote a value.
        raise DataError(
            f"The column '{name}' holds {described(column.type)}, which cannot be rebuilt from "
            "its rows alone, so it cannot go out as it is.",
            hint="Convert it to text, numbers or dates, or leave it out.",
            column=name,
        ) from None


def _evenly(column: Any) -> list[Any]:
    """The rows of a column cut by their number alone, each cut in one array."""
    cuts = (column.slice(start, CHUNK_ROWS) for start in range(0, len(column), CHUNK_ROWS))
    return [one for cut in cuts for one in _joined(cut)]


def _joined(cut: Any) -> list[Any]:
    """Some rows in one array; in halves where their text is too long for one."""
    if cut.num_chunks == 1:
        return [cut.chunk(0)]
    try:
        return [cut.combine_chunks()]
    except pa.ArrowInvalid:
        half = len(cut) // 2
        if not half:
            raise
        return [*_joined(cut.slice(0, half)), *_joined(cut.slice(half))]


def sorted_values(values: Any) -> Any:
    """An array of distinct values in their order, as an unordered dictionary lists them."""
    return _typed(_plain(values).take(pc.sort_indices(_plain(values))), values.type)


def relisted(column: Any, values: Any) -> Any:
    """A dictionary column that lists `values`, which are all that it holds and maybe more."""
    kind, listed = column.type, _plain(values)
    used = [(indices_of(one, null=-1), _plain(one.dictionary)) for one in column.chunks]
    codes = [_places(indices.astype(np.int64), own, listed) for indices, own in used]
    joined = np.concatenate([np.empty(0, np.int64), *codes])
    return pa.chunked_array([_coded(joined, listed, kind)])


def bare_type(kind: Any) -> Any:
    """The type without metadata of nested fields and without dictionaries inside nested types.

    Errors: _ExtensionError for an extension type that is not among the plain ones.
    """
    if isinstance(kind, pa.BaseExtensionType):
        if not is_plain_extension(kind):
            raise _ExtensionError(described(kind))
        bare_type(kind.storage_type)
    if pa.types.is_struct(kind):
        return pa.struct([_bare_field(kind.field(i)) for i in range(kind.num_fields)])
    if isinstance(kind, pa.ListType):
        return pa.list_(_bare_field(kind.value_field))
    if isinstance(kind, pa.LargeListType):
        return pa.large_list(_bare_field(kind.value_field))
    if isinstance(kind, pa.FixedSizeListType):
        return pa.list_(_bare_field(kind.value_field), kind.list_size)
    return kind


def _bare_field(field: Any) -> Any:
    return pa.field(field.name, bare_type(value_type(field.type)), field.nullable)


def _pieces(chunk: Any) -> list[Any]:
    """The chunk rebuilt; text views that would need more than 2 GiB as several arrays."""
    if is_view(chunk.type) and len(chunk) > 1 and _text_bytes(chunk) > _LARGEST_VIEW_BYTES:
        half = len(chunk) // 2
        return [*_pieces(chunk.slice(0, half)), *_pieces(chunk.slice(half))]
    return [_rebuilt(chunk)]


def _text_bytes(chunk: Any) -> int:
    return int(pc.sum(pc.binary_length(without_views(chunk))).as_py() or 0)


def _rebuilt(array: Any) -> Any:
    """An array of the type `bare_type` with the same values and buffers of its own."""
    kind = array.type
    if pa.types.is_null(kind):
        return pa.nulls(len(array))
    if isinstance(array, pa.ExtensionArray):
        bare_type(kind)
        return pa.ExtensionArray.from_storage(kind, _rebuilt(array.storage))
    if pa.types.is_dictionary(kind):
        return _rebuilt(without_views(array).dictionary_decode().cast(kind.value_type))
    if is_view(kind):
        return _rebuilt(without_views(array)).cast(kind)
    if pa.types.is_boolean(kind):
        return pa.array(array.fill_null(False).to_numpy(zero_copy_only=False), mask=_nulls(array))
    if pa.types.is_struct(kind):
        return _struct(array)
    if isinstance(kind, (*_LISTS, pa.FixedSizeListType)):
        return _list(array)
    if _is_variable(kind):
        return _variable(array)
    if pa.types.is_primitive(kind) or pa.types.is_decimal(kind) or _is_fixed_binary(kind):
        return _fixed(array)
    raise _NoWayError


def _is_variable(kind: Any) -> bool:
    tests: tuple[Callable[[Any], bool], ...] = (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_binary,
        pa.types.is_large_binary,
    )
    return any(test(kind) for test in tests)


def _is_fixed_binary(kind: Any) -> bool:
    return bool(pa.types.is_fixed_size_binary(kind)) and kind.byte_width > 0


def _nulls(array: Any) -> npt.NDArray[np.bool_] | None:
    """(rows,) bool where there is no value, None if every row has one."""
    if not array.null_count:
        return None
    return np.asarray(array.is_null().to_numpy(zero_copy_only=False))


def _validity(nulls: npt.NDArray[np.bool_] | None) -> Any:
    return None if nulls is None else _buffer(np.packbits(~nulls, bitorder="little"))


def _buffer(array: Any) -> Any:
    """An Arrow buffer over an array; Any, as the stubs say that only bytes have a buffer."""
    return pa.py_buffer(array)


def _fixed(array: Any) -> Any:
    width, rows, start = array.type.bit_width // 8, len(array), array.offset
    content = array.buffers()[1]
    nulls = _nulls(array)
    if rows and content is not None:
        source = np.frombuffer(content, np.uint8)[start * width : (start + rows) * width]
        records = source.copy().view(f"V{width}")
    else:
        records = np.zeros(rows, f"V{width}")
    if nulls is not None:
        records[nulls] = np.zeros((), records.dtype)
    return pa.Array.from_buffers(array.type, rows, [_validity(nulls), _buffer(records)])


def _variable(array: Any) -> Any:
    wide = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
    dtype: Any = np.int64 if wide else np.int32
    rows, nulls = len(array), _nulls(array)
    # Without the missing values, the text between the first and the last offset is the rows' text.
    full = array if nulls is None else array.drop_null()
    if len(full) == 0:
        buffers = [_validity(nulls), _buffer(np.zeros(rows + 1, dtype)), _buffer(b"")]
        return pa.Array.from_buffers(array.type, rows, buffers)
    _, ends, content = full.buffers()
    ends = np.frombuffer(ends, dtype)[full.offset : full.offset + len(full) + 1]
    first, last = int(ends[0]), int(ends[-1])
    text: Any = b"" if content is None else np.frombuffer(content, np.uint8)[first:last].copy()
    if nulls is None:
        offsets = _buffer(ends - ends[0])
    else:
        lengths = np.zeros(rows, dtype)
        lengths[~nulls] = np.diff(ends)
        offsets = _offsets(lengths)
    return pa.Array.from_buffers(array.type, rows, [_validity(nulls), offsets, _buffer(text)])


def _offsets(lengths: npt.NDArray[Any]) -> Any:
    offsets = np.zeros(lengths.size + 1, lengths.dtype)
    np.cumsum(lengths, out=offsets[1:])
    return _buffer(offsets)


def _struct(array: Any) -> Any:
    # `flatten` knows the offset and spreads the struct's missing values over its fields.
    kind, nulls = bare_type(array.type), _nulls(array)
    children = [_rebuilt(child) for child in array.flatten()]
    return pa.Array.from_buffers(kind, len(array), [_validity(nulls)], children=children)


def _list(array: Any) -> Any:
    kind, nulls, rows = bare_type(array.type), _nulls(array), len(array)
    if isinstance(kind, pa.FixedSizeListType):
        size = kind.list_size
        places = np.arange(array.offset * size, (array.offset + rows) * size)
        behind = None if nulls is None else np.repeat(nulls, size)
        values = without_views(array.values).take(pa.array(places, mask=behind))
        child = _rebuilt(values).cast(kind.value_type)
        return pa.Array.from_buffers(kind, rows, [_validity(nulls)], children=[child])
    dtype: Any = np.int64 if isinstance(kind, pa.LargeListType) else np.int32
    lengths = np.asarray(pc.list_value_length(array).fill_null(0), dtype)
    # `flatten` leaves out what lies behind missing lists and outside the rows.
    child = _rebuilt(array.flatten())
    return pa.Array.from_buffers(
        kind, rows, [_validity(nulls), _offsets(lengths)], children=[child]
    )


def _dictionary(column: Any, keep_unused: bool) -> Any:
    """All chunks as one dictionary array."""
    kind = column.type
    bare_type(kind.value_type)
    used = [_used(chunk, keep_unused) for chunk in column.chunks]
    lists = [values for _, values in used] or [_plain(pa.array([], kind.value_type))]
    values = pc.unique(pa.chunked_array(lists)).drop_null()
    if kind.ordered:
        # As the chunks list them: in the order of what occurs, one chunk's last may be the middle.
        every = pc.unique(pa.chunked_array([*map(_listed, column.chunks), *lists])).drop_null()
        values = every.filter(pc.is_in(every, value_set=values))
    elif not keep_unused:
        values = values.take(pc.sort_indices(values))
    codes = np.concatenate([np.empty(0, np.int64), *(_places(*one, values) for one in used)])
    return _coded(codes, values, kind)


def _listed(chunk: Any) -> Any:
    return _plain(chunk.dictionary)


def dictionary_type(kind: Any, size: int) -> Any:
    """The type of a dictionary that lists so many values: indices too narrow for them widen."""
    index_type = kind.index_type
    if size - 1 > np.iinfo(index_type.to_pandas_dtype()).max:
        index_type = pa.int32()
    return pa.dictionary(index_type, kind.value_type, kind.ordered)


def _coded(codes: npt.NDArray[np.int64], values: Any, kind: Any) -> Any:
    """A dictionary array of the codes (-1: no value) into `values`, of the type `kind`."""
    absent = codes < 0
    indices = pa.array(np.where(absent, 0, codes), mask=absent if absent.any() else None).cast(
        dictionary_type(kind, len(values)).index_type
    )
    return pa.DictionaryArray.from_arrays(
        _rebuilt(indices), _typed(_rebuilt(values), kind.value_type), ordered=kind.ordered
    )


def _used(chunk: Any, keep_unused: bool) -> tuple[npt.NDArray[np.int64], Any]:
    """(rows,) places in a list of values, -1 for none; and the list, of what occurs only."""
    dictionary = _plain(chunk.dictionary)
    indices = indices_of(chunk, null=-1).astype(np.int64)
    if keep_unused:
        return indices, dictionary
    occurs = np.bincount(indices[indices >= 0], minlength=len(dictionary)) > 0
    place = np.append(np.cumsum(occurs) - 1, -1)
    return place[indices], dictionary.filter(pa.array(occurs))


def _places(indices: npt.NDArray[np.int64], listed: Any, values: Any) -> npt.NDArray[np.int64]:
    """`indices` into `listed` as places in `values`; -1 for none (a null may be listed)."""
    place = np.asarray(pc.index_in(listed, value_set=values).fill_null(-1), np.int64)
    nothing = np.asarray(listed.is_null().to_numpy(zero_copy_only=False))
    place[nothing] = -1
    return np.append(place, -1)[indices]


def _plain(values: Any) -> Any:
    """Values as their storage and without views, which can be compared and sorted."""
    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    return without_views(values)


def _typed(values: Any, kind: Any) -> Any:
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, values)
    return values.cast(kind)
