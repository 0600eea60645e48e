"""Frames of any library as Arrow tables, and the way back to the same kind.

Contract. `to_arrow(frame).restore(table)` gives the table in the library the frame came from: the
columns' types as they were, the rows in their order, a pandas index kept. A polars LazyFrame is
collected once, with only the columns asked for, and comes back as one over the finished table.
Released categories come back as the public alphabet in its order, whatever categories the frame
declared; those of any other column, and of an index, are the ones that occur. Values, categories
and text of rows that the frame no longer has do not come along. Categories inside lists and
structs come back as text. A polars Categorical comes back as an Enum of the same categories: the
codes of a Categorical number the texts as this process first met them, so they tell the order of
the raw data, while those of an Enum follow the listed order. Metadata of a numpy dtype does not
come back, and nothing that comes back shares memory with the frame that was given.
pandas and polars are imported only when a frame of theirs is at hand.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privet.data.arrow import is_text, nw, one_array, pa, require_columns, unique_names
from privet.data.compact import compacted, compacted_column
from privet.errors import DataError, ParameterError, ParameterTypeError


@dataclass(frozen=True)
class ArrowFrame:
    """`table`: the columns asked for, in the frame's order; `restore`: a table as a frame again.

    `library`: where the frame came from, e.g. "pandas"; `index`: the names of a pandas index that
    goes out with the rows, empty for the default one and for every other library.
    """

    table: pa.Table
    restore: Callable[[pa.Table], Any]
    library: str
    index: tuple[str, ...] = ()


def to_arrow(
    frame: Any, *, columns: Iterable[str] | None = None, replaced: Collection[str] = ()
) -> ArrowFrame:
    """Any frame that pyarrow or narwhals takes, as an Arrow table of its rows and nothing else.

    `replaced`: columns whose own values never go out; they are spared the rebuilding that keeps
    hidden rest of other rows from going out with the others. Errors: ParameterTypeError for what is
    not a frame; ColumnNotFoundError; DataError for duplicate names, no rows, or a column whose
    values have no common type, no Arrow form, or cannot be rebuilt.
    """
    wanted = None if columns is None else list(columns)
    if isinstance(frame, nw.DataFrame | nw.LazyFrame):
        inner = to_arrow(frame.to_native(), columns=wanted, replaced=replaced)
        return ArrowFrame(
            inner.table,
            lambda table: nw.from_native(inner.restore(table)),
            inner.library,
            inner.index,
        )
    found = _read(frame, wanted)
    if found.table.num_rows == 0:
        raise DataError("The table has no rows.", hint="A release needs at least one row.")
    table = compacted(found.table, untouched=replaced)
    return ArrowFrame(table, found.restore, found.library, found.index)


def names_in_frame(frame: Any) -> list[str] | None:
    """The names of the columns, as text; a lazy frame is not run. None for what is no table."""
    if isinstance(frame, pa.Table | pa.RecordBatch):
        return list(frame.schema.names)
    try:
        wrapped: Any = nw.from_native(frame)
    except TypeError:
        return None
    return [str(name) for name in wrapped.collect_schema().names()]


def series_to_arrow(series: Any) -> ArrowFrame | None:
    """A pandas or polars Series or an Arrow array as a table of one column, and the way back.

    None for anything else. Errors: as `to_arrow`; ParameterTypeError for a narwhals Series.
    """
    if isinstance(series, nw.Series):
        raise ParameterTypeError(
            "A narwhals Series is not read.",
            hint="Give the series it wraps, series.to_native().",
        )
    if isinstance(series, pa.Array | pa.ChunkedArray):
        whole = pa.Table.from_arrays([series], names=["values"])
        back = one_array if isinstance(series, pa.Array) else (lambda column: column)
        return ArrowFrame(whole, lambda table: back(table.column(0)), "pyarrow")
    if nw.dependencies.is_pandas_series(series):
        inner = to_arrow(series.to_frame("values"))

        def restore(table: pa.Table) -> Any:
            return inner.restore(table)["values"].rename(series.name)

        return ArrowFrame(inner.table, restore, inner.library, inner.index)
    if nw.dependencies.is_polars_series(series):
        polars = to_arrow(series.to_frame())
        return ArrowFrame(
            polars.table, lambda table: polars.restore(table).to_series(0), polars.library
        )
    return None


def _read(frame: Any, wanted: list[str] | None) -> ArrowFrame:
    if isinstance(frame, pa.Table):
        return ArrowFrame(_pick(frame, wanted), lambda table: table, "pyarrow")
    if isinstance(frame, pa.RecordBatch):
        table = pa.Table.from_batches([frame])
        return ArrowFrame(_pick(table, wanted), _one_batch, "pyarrow")
    if nw.dependencies.is_pandas_dataframe(frame):
        return _from_pandas(frame, wanted)
    if nw.dependencies.is_polars_dataframe(frame):
        return _from_polars(frame, wanted, lazy=False)
    if nw.dependencies.is_polars_lazyframe(frame):
        # The schema is known without running the query, so that it runs once, and narrowly.
        names = _names(frame.collect_schema().names(), wanted)
        return _from_polars(frame.select(names).collect(), None, lazy=True)
    return _from_other(frame, wanted)


def _names(present: list[str], wanted: list[str] | None) -> list[str]:
    unique_names(present, "The table")
    if wanted == []:
        raise ParameterError("No column was named.", hint="Name the columns to read.")
    chosen = set(present if wanted is None else require_columns(present, wanted))
    return [name for name in present if name in chosen]


def _pick(table: pa.Table, wanted: list[str] | None) -> pa.Table:
    return table.select(_names(table.column_names, wanted))


def _one_batch(table: pa.Table) -> pa.RecordBatch:
    arrays = [one_array(column) for column in table.columns]
    return pa.RecordBatch.from_arrays(arrays, schema=table.schema)


def _from_pandas(frame: Any, wanted: list[str] | None) -> ArrowFrame:
    # Column labels may be anything in pandas; here they are text.
    labels = dict(
        zip(unique_names([str(x) for x in frame.columns], "The table"), frame, strict=True)
    )
    names = _names(list(labels), wanted)
    arrays = [_pandas_column(frame[labels[name]], name) for name in names]
    table = pa.Table.from_arrays(arrays, names=names)
    kinds = {name: frame[labels[name]].dtype for name in names}
    index = _clean_index(frame.index)

    def restore(table: pa.Table) -> Any:
        import pandas as pd

        _same_rows(table, len(frame))
        series = [
            _pandas_series(table.column(name), kinds[name], index) for name in table.column_names
        ]
        data = pd.concat(series, axis=1) if series else pd.DataFrame(index=index)
        data.columns = _labels(frame.columns, [labels[name] for name in table.column_names])
        return data

    return ArrowFrame(table, restore, "pandas", _index_names(frame.index))


def _index_names(index: Any) -> tuple[str, ...]:
    """The names of an index that says more than the order of the rows."""
    import pandas as pd

    if isinstance(index, pd.RangeIndex) and (index.start, index.step, index.name) == (0, 1, None):
        return ()
    return tuple("index" if name is None else str(name) for name in index.names)


def _clean_index(index: Any) -> Any:
    """The index with the categories, levels and text of its own rows only."""
    import pandas as pd

    if isinstance(index, pd.MultiIndex):
        levels = [_clean_index(index.get_level_values(i)) for i in range(index.nlevels)]
        return pd.MultiIndex.from_arrays(levels, names=index.names)
    label, kind = index.name, index.dtype
    if isinstance(index, pd.RangeIndex):
        return pd.RangeIndex(index.start, index.stop, index.step, name=label)
    if isinstance(index, pd.CategoricalIndex):
        used = index.remove_unused_categories()
        values: Any = pd.Categorical.from_codes(
            _copied(used.codes), categories=_clean_index(used.categories), ordered=used.ordered
        )
        return pd.CategoricalIndex(values, name=label)
    if isinstance(index, pd.IntervalIndex):
        ends = _clean_index(index.left), _clean_index(index.right)
        return pd.IntervalIndex.from_arrays(*ends, closed=index.closed, name=label)
    if isinstance(index, pd.PeriodIndex):
        periods: Any = pd.PeriodIndex  # the stubs lack `from_ordinals`
        return periods.from_ordinals(_copied(index.asi8), freq=index.freq, name=label)
    if isinstance(index, pd.DatetimeIndex | pd.TimedeltaIndex):
        return _clean_moments(index)
    if isinstance(kind, np.dtype):
        return pd.Index(_copied(index.to_numpy()), dtype=_bare_dtype(kind), name=label)
    name = "index" if label is None else str(label)
    if not hasattr(kind, "__from_arrow__"):
        raise DataError(
            f"The index '{name}' has values of a type without an Arrow form.",
            hint="Call reset_index(drop=True) first, or make it text, numbers or dates.",
            column=name,
        )
    column = compacted_column(_pandas_column(index.to_series(), name), name)
    return pd.Index(_pandas_extension(column, kind), name=label)


def _clean_moments(index: Any) -> Any:
    """A DatetimeIndex or TimedeltaIndex of new numbers, with its step if that is a plain one."""
    import pandas as pd

    letter = "M" if isinstance(index, pd.DatetimeIndex) else "m"
    fresh: Any = type(index)(_copied(index.asi8).view(f"{letter}8[{index.unit}]"), name=index.name)
    if letter == "M" and index.tz is not None:
        fresh = fresh.tz_localize("UTC").tz_convert(index.tz)
    try:
        # By its name: the object may carry more, such as a list of holidays.
        fresh.freq = index.freqstr
    except ValueError:
        fresh.freq = None
    return fresh


def _bare_dtype(kind: Any) -> Any:
    """A numpy dtype without the metadata it may carry; any other as it is."""
    return np.dtype(kind.str) if isinstance(kind, np.dtype) else kind


def _copied(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    # Not np.array(values, dtype), which keeps the metadata of a dtype that compares equal.
    return values.astype(_bare_dtype(values.dtype))


def _labels(columns: Any, chosen: list[Any]) -> Any:
    import pandas as pd

    if isinstance(columns, pd.MultiIndex):
        return pd.MultiIndex.from_tuples(chosen, names=columns.names)
    return pd.Index(chosen, dtype=_bare_dtype(columns.dtype), name=columns.name)


def _pandas_column(series: Any, name: str) -> Any:
    try:
        return pa.array(series, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        # The library's own message quotes a value.
        raise DataError(
            f"The values of the column '{name}' have no common type ({series.dtype}).",
            hint="Make them all text, all whole numbers or a categorical.",
            column=name,
        ) from None


def _pandas_series(column: Any, kind: Any, index: Any) -> Any:
    import pandas as pd

    if isinstance(kind, pd.CategoricalDtype):
        # Not in the frame's own type: its categories may have come from the data.
        return pd.Series(_pandas_categorical(one_array(column), kind), index=index)
    if hasattr(kind, "__from_arrow__"):
        # Not cast to the frame's own type, whose nested fields may have metadata.
        return pd.Series(_pandas_extension(column, kind), index=index)
    if kind.kind == "O" and not is_text(column.type):
        values: Any = pd.array(column.to_pylist(), dtype=object)
    else:
        values = column.to_numpy()
    return pd.Series(values, index=index, dtype=_bare_dtype(kind))


def _pandas_extension(column: Any, kind: Any) -> Any:
    import pandas as pd

    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    if pa.types.is_nested(column.type) and isinstance(kind, pd.ArrowDtype):
        # The frame's own type may describe its nested fields.
        kind = pd.ArrowDtype(column.type)
    return kind.__from_arrow__(column)


def _pandas_categorical(array: Any, kind: Any) -> Any:
    import pandas as pd

    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    codes = array.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    listed = _bare_dtype(kind.categories.dtype)
    if hasattr(listed, "__from_arrow__"):
        categories = pd.Index(_pandas_extension(pa.chunked_array([array.dictionary]), listed))
    else:
        categories = pd.Index(array.dictionary.to_pylist(), dtype=listed)
    return pd.Categorical.from_codes(codes, categories=categories, ordered=kind.ordered)


def _from_polars(frame: Any, wanted: list[str] | None, *, lazy: bool) -> ArrowFrame:
    import polars as pl

    names = _names(frame.columns, wanted)
    kinds = {name: frame.schema[name] for name in names}
    for name, kind in kinds.items():
        _refuse_objects(kind, name)
    columns = [_from_polars_series(frame.get_column(name), name) for name in names]
    table = pa.Table.from_arrays(columns, names=names)

    def restore(table: pa.Table) -> Any:
        _same_rows(table, frame.height)
        columns = [
            _polars_series(name, table.column(name), kinds[name]) for name in table.column_names
        ]
        data = pl.DataFrame(columns)
        return data.lazy() if lazy else data

    return ArrowFrame(table, restore, "polars")


def _refuse_objects(kind: Any, name: str) -> None:
    """Python objects leave polars as addresses in memory, which differ where the values do not."""
    if kind.base_type().__name__ == "Object":
        raise DataError(
            f"The column '{name}' holds Python objects, which have no values that can be read.",
            hint="Convert it to text, numbers or dates, or leave it out.",
            column=name,
        )
    for inner in (getattr(kind, "inner", None), *(f.dtype for f in getattr(kind, "fields", ()))):
        if inner is not None:
            _refuse_objects(inner, name)


def _from_polars_series(series: Any, name: str) -> Any:
    import polars as pl

    try:
        # The newest layout is polars' own: text is handed over without copying it.
        return series.to_arrow(compat_level=pl.CompatLevel.newest())
    except (pa.ArrowException, pl.exceptions.PolarsError):
        raise DataError(
            f"The column '{name}' holds {series.dtype.base_type().__name__}, which has no Arrow "
            "form.",
            hint="Cast it to a type such as Int64 or String first.",
            column=name,
        ) from None


def _polars_series(name: str, column: Any, kind: Any) -> Any:
    import polars as pl

    if not (isinstance(kind, pl.Enum | pl.Categorical) and pa.types.is_dictionary(column.type)):
        return pl.Series(name, pl.from_arrow(column))
    # The categories take their type once, and rows gather them; casting rows looks up every text.
    array = one_array(column)
    symbols = array.dictionary.to_pylist()
    categories = pl.Series(name, symbols, pl.Enum(symbols))
    indices: Any = pl.from_arrow(array.indices)
    return categories.gather(indices.cast(pl.UInt32))


def _from_other(frame: Any, wanted: list[str] | None) -> ArrowFrame:
    try:
        wrapped: Any = nw.from_native(frame)
    except TypeError:
        raise ParameterTypeError(
            f"A {type(frame).__name__} is not a table.",
            hint="Give a pandas, polars or Arrow table, or a path.",
        ) from None
    if isinstance(wrapped, nw.LazyFrame):
        names = _names(wrapped.collect_schema().names(), wanted)
        table = wrapped.select(names).collect(backend="pyarrow").to_native()
        return ArrowFrame(table, lambda table: table, "pyarrow")
    backend = wrapped.implementation
    names = _names(wrapped.columns, wanted)
    return ArrowFrame(
        wrapped.select(names).to_arrow(),
        lambda table: nw.from_arrow(table, backend=backend).to_native(),
        str(backend),
    )


def _same_rows(table: pa.Table, rows: int) -> None:
    if table.num_rows != rows:
        raise DataError(f"A table of {table.num_rows} rows cannot take the place of {rows} rows.")
