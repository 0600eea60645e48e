"""The one door to the optional table libraries, and what Privet needs to know of Arrow types.

Contract. Importing this module without pyarrow or narwhals is a `MissingExtraError` with the line
that installs them, and every module of this room imports it first. A categorical column holds text,
whole numbers, floats or booleans, plain or dictionary-encoded; any other kind is never guessed at.
"""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.errors import ColumnNotFoundError, DataError, MissingExtraError, MissingValueError

try:
    import narwhals as nw
    import pyarrow as pa
    import pyarrow.compute as pc
except ImportError as error:
    raise MissingExtraError(
        f"Tables and files need {error.name or 'pyarrow and narwhals'}, which is not installed.",
        hint="Run: pip install 'privet[data]'",
    ) from None

__all__ = [
    "ROWS_COUNT",
    "column_of",
    "columns_hint",
    "described",
    "indices_of",
    "is_list",
    "is_plain_extension",
    "is_text",
    "is_view",
    "kind_of",
    "nw",
    "one_array",
    "pa",
    "pc",
    "refuse_missing",
    "replace_column",
    "rows_that",
    "select_columns",
    "unique_names",
    "value_type",
    "without_views",
]

ROWS_COUNT = "Rows are counted from 0, without the header."
"""How every message that names a row means it."""

AnyType = Any
"""A pyarrow.DataType; the stubs make it generic over each of its kinds, which helps nobody here."""


def value_type(kind: AnyType) -> AnyType:
    """The type of the values: a dictionary type's value type, any other type itself."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def is_plain_extension(kind: AnyType) -> bool:
    """Whether an extension type says nothing beyond its own public name and form.

    Every other one has parameters of its own (a list of categories, the names of axes), which go
    wherever the type goes.
    """
    standard = ("UuidType", "Bool8Type", "JsonType")
    if type(kind) in [getattr(pa, name) for name in standard if hasattr(pa, name)]:
        return True
    ours = type(kind).__module__ == "pandas.core.arrays.arrow.extension_types"
    return ours and kind.extension_name in ("pandas.period", "pandas.interval")


def described(kind: AnyType) -> str:
    """The type of the values for a message: without parameters of extensions, or nested names."""
    kind = value_type(kind)
    if isinstance(kind, pa.BaseExtensionType):
        return kind.extension_name if is_plain_extension(kind) else described(kind.storage_type)
    return str(kind).split("<")[0] if kind.num_fields else str(kind)


def is_text(kind: AnyType) -> bool:
    """Whether the values are text in any of Arrow's three layouts."""
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def kind_of(kind: AnyType) -> str:
    """The values' kind: "text", "integer", "float", "boolean", "null", or "" for every other."""
    kind = value_type(kind)
    tests = (
        ("text", is_text),
        ("integer", pa.types.is_integer),
        ("float", pa.types.is_floating),
        ("boolean", pa.types.is_boolean),
        ("null", pa.types.is_null),
    )
    return next((name for name, test in tests if test(kind)), "")


def is_list(kind: AnyType) -> bool:
    """Whether a value is a list, short or long or of a fixed size; views of lists are not read."""
    return isinstance(kind, (pa.ListType, pa.LargeListType, pa.FixedSizeListType))


def is_view(kind: AnyType) -> bool:
    """Whether the values are text or bytes in the layout of views, which few kernels know."""
    return bool(pa.types.is_string_view(kind) or pa.types.is_binary_view(kind))


def without_views(values: Any) -> Any:
    """An array, column or table with its views (and dictionaries of views) as plain large text."""
    if isinstance(values, pa.Table):
        columns = [without_views(column) for column in values.columns]
        return pa.Table.from_arrays(columns, names=values.column_names)
    kind = value_type(values.type)
    if not is_view(kind):
        return values
    plain = pa.large_string() if pa.types.is_string_view(kind) else pa.large_binary()
    if not pa.types.is_dictionary(values.type):
        return values.cast(plain)
    if isinstance(values, pa.ChunkedArray):
        target: Any = pa.dictionary(values.type.index_type, plain, values.type.ordered)
        return pa.chunked_array([without_views(chunk) for chunk in values.chunks], type=target)
    # Only the dictionary is cast: a cast of the whole array is not known for views.
    return pa.DictionaryArray.from_arrays(
        values.indices, values.dictionary.cast(plain), ordered=values.type.ordered, safe=False
    )


def one_array(column: Any) -> Any:
    """A column as one contiguous Arrow array (chunks' dictionaries become one)."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    if pa.types.is_dictionary(column.type):
        # Views inside a dictionary do not combine; those who care for the type have one chunk.
        column = without_views(column)
    return column.combine_chunks()


def indices_of(array: Any, *, null: int) -> npt.NDArray[Any]:
    """A dictionary array's indices, `null` where there is none. Errors: DataError if out of range.

    A file may hold any indices at all, so they are checked before they index anything.
    """
    try:
        array.validate(full=True)
    except pa.ArrowException:
        # The library's own message quotes the data.
        raise DataError(
            "A dictionary-encoded column is damaged: an index lies outside its dictionary.",
            hint="Write the file again from the original data.",
        ) from None
    indices = array.indices
    if indices.null_count:
        indices = indices.cast(pa.int64()).fill_null(null)
    return np.asarray(indices.to_numpy(zero_copy_only=False))


def unique_names(names: Sequence[str], what: str) -> list[str]:
    """`names`, after refusing duplicates (DataError), which would make "the column" ambiguous."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise DataError(
                f"{what} has two columns named '{name}'.", hint="Rename one of them.", column=name
            )
        seen.add(name)
    return list(names)


SEPARATOR_REMEDY = (
    "Save it as CSV separated by commas, or give its table to release in Python, such as "
    "pandas.read_csv(path, sep=';', dtype=str)."
)
"""What helps where a file has another separator than a comma."""


def column_of(table: pa.Table, name: str, what: str = "The table") -> Any:
    """One column as a ChunkedArray. Errors: ColumnNotFoundError."""
    return table.column(require_columns(table.column_names, [name], what)[0])


def require_columns(
    present: Sequence[str], wanted: Iterable[str], what: str = "The table"
) -> list[str]:
    """`wanted`, after checking that each is present and named once."""
    known = set(present)
    chosen = list(wanted)
    for name in chosen:
        if name not in known:
            raise ColumnNotFoundError(
                f"{what} has no column '{name}'.",
                hint=columns_hint(present, chosen),
                column=name,
            )
    return unique_names(chosen, "The list of columns")


def columns_hint(present: Sequence[str], wanted: Iterable[str]) -> str:
    """Where to look for columns that are not there.

    Names are listed only if one of the wanted columns is there. Otherwise they may be the first
    record of a file that has no header, and at most one nearly as wanted is shown: what is shown
    was known.
    """
    wanted = list(wanted)
    if not known_header(present, wanted):
        sign = other_separator(present)
        if sign is not None:
            return (
                f"Its first line has {sign} where the separator of a CSV file must be a comma. "
                f"{SEPARATOR_REMEDY}"
            )
        near = {name.casefold(): name for name in present}
        for name in wanted:
            found = get_close_matches(name.casefold(), near, n=1, cutoff=0.8)
            if found:
                return f"Did you mean '{near[found[0]]}'?"
        count = "1 column" if len(present) == 1 else f"{len(present)} columns"
        return f"It has {count} of other names; if it is a file without a header line, add one."
    shown = ", ".join(present[:20]) + (", ..." if len(present) > 20 else "")
    return f"Its columns are: {shown}."


def other_separator(names: Sequence[str]) -> str | None:
    """What a header has more of than of commas, read as if commas separated it; None for nothing.

    Two columns of a file with semicolons are one with a comma in their names, so a comma is no
    proof. That the header has what the user asked for would be.
    """
    for sign, title in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
        if sum(name.count(sign) for name in names) > len(names) - 1:
            return title
    return None


def known_header(present: Sequence[str], wanted: Iterable[str]) -> bool:
    """Whether the names are names: one of those that somebody expected is among them."""
    return not set(present).isdisjoint(wanted)


def select_columns(table: pa.Table, names: Iterable[str]) -> pa.Table:
    """The columns named, in the order of the table. Errors: ColumnNotFoundError, DataError."""
    chosen = set(require_columns(table.column_names, names))
    return table.select([name for name in table.column_names if name in chosen])


def replace_column(table: pa.Table, name: str, values: Any) -> pa.Table:
    """The same table with other values in one column, which keeps its place.

    Errors: ColumnNotFoundError; DataError if the number of values is not the number of rows.
    """
    require_columns(table.column_names, [name])
    if len(values) != table.num_rows:
        raise DataError(
            f"The column '{name}' was given {len(values)} values for {table.num_rows} rows."
        )
    return table.set_column(table.column_names.index(name), name, values)


def rows_that(count: int, one: str, several: str) -> str:
    """Such as "1 row has none" or "2 rows have none"."""
    return f"1 row {one}" if count == 1 else f"{count} rows {several}"


def refuse_missing(column: Any, name: str, why: str) -> None:
    """Errors: MissingValueError naming the first row without a value (null or NaN)."""
    nulls = pc.is_null(column, nan_is_null=True)
    count = int(pc.sum(nulls).as_py() or 0)
    if count:
        row = int(pc.index(nulls, True).as_py())
        raise MissingValueError(
            f"Row {row} has no value in the column '{name}'; "
            f"{rows_that(count, 'has none', 'have none')}.",
            hint=f"{why} {ROWS_COUNT}",
            position=row,
            column=name,
        )
