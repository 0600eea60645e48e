"""Tables in files: CSV, Parquet and Arrow, read strictly and written whole.

Contract. The ending says what a file is; a file that is something else, or was cut short, is
refused. What comes out of a file is the rows and nothing else: other tools leave descriptions of
columns there (such as how many categories occur), and values of rows that were filtered away, that
would otherwise go out with a release. Messages name
the file, a column or a row, and never a value.
"""

import io
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow.ipc
import pyarrow.parquet

from privet.data.arrow import described, pa, require_columns, unique_names, without_views
from privet.data.compact import compacted
from privet.data.csv_files import csv_names, read_csv, write_csv
from privet.data.folders import parts_of, refuse_other_schema
from privet.errors import DataError, FileFormatError, OutputError, ParameterError
from privet.whole_files import write_whole

_KINDS = {
    ".csv": "CSV",
    ".csv.gz": "compressed CSV",
    ".parquet": "Parquet",
    ".arrow": "Arrow",
    ".feather": "Arrow",
    ".ipc": "Arrow",
}
ENDINGS = tuple(_KINDS)
"""The endings of the files that are read and written."""

_MARKS = (
    (b"PAR1", "Parquet", ".parquet"),
    (b"ARROW1", "Arrow", ".arrow"),
    (b"\xff\xff\xff\xff", "Arrow stream", ".arrow"),
    (b"FEA1", "old Feather", ""),
    (b"\x1f\x8b", "compressed CSV", ".csv.gz"),
    (b"PK\x03\x04", "spreadsheet or zip", ""),
)


def file_ending(path: str | Path) -> str:
    """Which of `ENDINGS` a path has. Errors: ParameterError listing them."""
    name = Path(path).name.lower()
    for ending in sorted(_KINDS, key=len, reverse=True):
        if name.endswith(ending):
            return ending
    raise ParameterError(
        f"The ending of '{Path(path).name}' does not say what the file holds.",
        hint=f"Endings that are known: {', '.join(ENDINGS)}.",
        path=str(path),
    )


def read_table(
    path: str | Path, *, columns: Iterable[str] | None = None, replaced: Collection[str] = ()
) -> pa.Table:
    """The table in a file, or the columns named, in the order of the file.

    `replaced`: columns whose own values never go out, as for `to_arrow`.
    Errors: ParameterError for an unknown ending; DataError for no such file, a folder, no rows or
    two columns of one name; FileFormatError for content that the ending does not promise;
    ColumnNotFoundError.
    """
    path = Path(path)
    kind = kind_of_file(path)
    wanted = None if columns is None else list(columns)
    if wanted == []:
        raise ParameterError("No column was named.", hint="Name the columns to read.")
    if path.is_dir():
        return _no_rows_refused(_read_folder(path, wanted, replaced), path)
    with library_errors(path, kind):
        if kind == "Parquet":
            table = _read_parquet(path, wanted)
        elif kind == "Arrow":
            table = _read_arrow(path, wanted)
        else:
            table = read_csv(path, columns=wanted, compressed=kind != "CSV")
    return compacted(_no_rows_refused(table, path), untouched=replaced)


def kind_of_file(path: Path) -> str:
    """What a file should hold, by its ending; a folder holds Parquet. Errors: ParameterError."""
    return "Parquet" if path.is_dir() else _KINDS[file_ending(path)]


def _read_folder(path: Path, wanted: list[str] | None, replaced: Collection[str]) -> pa.Table:
    parts = parquet_parts(path)
    tables = []
    for part in parts:
        with library_errors(part, "Parquet"):
            tables.append(_read_parquet(part, wanted))
    return compacted(pa.concat_tables(tables), untouched=replaced)


def parquet_parts(path: Path) -> list[Path]:
    """The Parquet file, or those of a folder, which all have the same columns.

    Errors: DataError, FileFormatError naming the file.
    """
    if not path.is_dir():
        return [path]
    parts = parts_of(path)
    first = None
    for part in parts:
        with library_errors(part, "Parquet"), pyarrow.parquet.ParquetFile(part) as file:
            schema = file.schema_arrow
        if first is None:
            first = schema
        refuse_other_schema(part, schema, parts[0], first)
    return parts


def _no_rows_refused(table: pa.Table, path: Path) -> pa.Table:
    if table.num_rows == 0:
        raise no_rows(path)
    return table


def no_rows(path: Path) -> DataError:
    """The error for a table without rows."""
    return DataError(
        f"{path} has no rows.", hint="A release needs at least one row.", path=str(path)
    )


def names_in_file(path: str | Path) -> list[str]:
    """The names of the columns of a file, without its rows. Errors: as `read_table`."""
    path = Path(path)
    kind = kind_of_file(path)
    if path.is_dir():
        path = parts_of(path)[0]
    with library_errors(path, kind):
        if kind == "Parquet":
            with pyarrow.parquet.ParquetFile(path) as file:
                return unique_names(file.schema_arrow.names, str(path))
        if kind == "Arrow":
            with open_arrow(path) as reader:
                return unique_names(reader.schema.names, str(path))
        return csv_names(path, compressed=kind != "CSV")


@contextmanager
def library_errors(path: Path, kind: str) -> Iterator[None]:
    """Check what the file is, and turn the libraries' errors, which can quote it, into ours."""
    _check_content(path, kind)
    try:
        yield
    except OSError as error:
        if isinstance(error, FileFormatError):
            raise
        raise _unreadable(path, kind) from None
    except MemoryError:  # Arrow's own is an ArrowException too, and says nothing of the file.
        raise
    except pa.ArrowNotImplementedError:  # of a file that is whole
        raise FileFormatError(
            f"{path} is {kind} of a form that cannot be read.",
            hint="Write it again with plain values in its lists, or as Arrow.",
            path=str(path),
        ) from None
    except (pa.ArrowException, EOFError, ValueError) as error:
        if isinstance(error, DataError):
            raise
        # The library's own message can quote the data.
        raise _unreadable(path, kind) from None


def write_table(table: pa.Table, path: str | Path) -> None:
    """Write a table to a file whose ending names the format, whole or not at all.

    Errors: ParameterError for an unknown ending; OutputError if it could not be written (nothing is
    left behind, and a file of that name is as it was).
    """
    ending = file_ending(path)
    write_whole(path, lambda sink: write_format(table, sink, ending, name=str(path)))


def write_format(table: pa.Table, sink: BinaryIO, ending: str, *, name: str = "output") -> None:
    """Write a table to an open binary file in the format of one of `ENDINGS`.

    Errors: OutputError naming a column that has no form in that format, DataError for one that
    cannot be rebuilt from its rows; OSError from the file itself.
    """
    table = compacted(table, keep_unused=True)
    try:
        _write_rows(table, sink, ending)
    except OSError:
        raise
    except pa.ArrowException:
        check_writable(table.schema, name, ending=ending)
        raise OutputError(
            f"The table has no form in a {ending} file.",
            hint=_other_formats(ending),
            path=name,
        ) from None


def _write_rows(table: pa.Table, sink: BinaryIO, ending: str) -> None:
    if ending == ".parquet":
        pyarrow.parquet.write_table(without_views(table), sink)
    elif ending in (".arrow", ".feather", ".ipc"):
        stream: Any = sink
        with pa.ipc.new_file(stream, table.schema) as writer:
            writer.write_table(table)
    else:
        write_csv(table, sink, compressed=ending == ".csv.gz")


def check_writable(schema: Any, path: str | Path, *, ending: str | None = None) -> None:
    """Refuse, before anything is spent, a column whose type a format does not hold.

    `schema`: of the table that will be written; `ending`: one of `ENDINGS`, from the path if it is
    not given. Errors: ParameterError for an unknown ending; OutputError naming the first column
    and its type.
    """
    ending = file_ending(path) if ending is None else ending
    for field in schema:
        if not _has_form(field, ending):
            raise OutputError(
                f"The column '{field.name}' holds {described(field.type)}, which has no form "
                f"in a {ending} file.",
                hint=_other_formats(ending),
                path=str(path),
                column=field.name,
            )


def _has_form(field: Any, ending: str) -> bool:
    """Whether one row without a value can be written, which depends on the type alone."""
    try:
        row = pa.Table.from_arrays([pa.nulls(1, field.type)], names=[field.name])
        _write_rows(compacted(row, keep_unused=True), io.BytesIO(), ending)
    except (pa.ArrowException, DataError):
        return False
    return True


def _other_formats(ending: str) -> str:
    others = " or ".join(end for end in (".parquet", ".arrow") if end != ending)
    return f"Choose {others}, convert the column to text, or leave it out."


def _check_content(path: Path, kind: str) -> None:
    """Refuse what is not a readable file of this kind by its first bytes."""
    if path.is_dir():
        raise DataError(
            f"{path} is a folder.",
            hint="A folder is read if it holds the Parquet files of one table.",
            path=str(path),
        )
    if not path.exists():
        raise DataError(f"There is no file {path}.", hint="Check the path.", path=str(path))
    if not path.is_file():
        raise DataError(
            f"{path} is not a regular file.", hint="Copy its content to a file.", path=str(path)
        )
    try:
        with path.open("rb") as file:
            start = file.read(8)
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror or 'input/output error'}.",
            hint="Check its permissions.",
            path=str(path),
        ) from None
    if not start:
        raise FileFormatError(f"{path} is empty.", hint="Check how it was made.", path=str(path))
    found, ending = next(
        ((name, end) for mark, name, end in _MARKS if start.startswith(mark)), ("", "")
    )
    if kind == "Arrow" and found in ("Arrow", "Arrow stream"):
        return
    if found != ("" if kind == "CSV" else kind):
        raise FileFormatError(
            f"The content of {path} is not {kind}.",
            hint=_advice(found, ending, start),
            path=str(path),
        )


def _advice(found: str, ending: str, start: bytes) -> str:
    if ending:
        return f"It holds {found}; give it the ending {ending}."
    if found:
        return f"It is a {found} file; save it as CSV or Parquet."
    text = all(byte >= 32 or byte in b"\t\r\n" for byte in start)
    return "If it is CSV, give it the ending .csv." if text else "Check how it was made."


def _unreadable(path: Path, kind: str) -> FileFormatError:
    return FileFormatError(
        f"{path} cannot be read as {kind}; it is damaged or was cut short.",
        hint="Copy or write it again.",
        path=str(path),
    )


def chosen_names(names: list[str], wanted: list[str] | None, path: Path) -> list[str]:
    """The names wanted (all: None) in the order of the file. Errors: as `read_table`."""
    if wanted is None:
        return unique_names(names, str(path))
    chosen = set(require_columns(names, wanted, str(path)))
    return unique_names([name for name in names if name in chosen], str(path))


def _read_parquet(path: Path, wanted: list[str] | None) -> pa.Table:
    # A file on its own, not a dataset: no columns are guessed from the folders' names.
    with pyarrow.parquet.ParquetFile(path) as file:
        names = chosen_names(file.schema_arrow.names, wanted, path)
        return file.read(columns=names).select(names)


def _read_arrow(path: Path, wanted: list[str] | None) -> pa.Table:
    with open_arrow(path) as reader:
        whole: pa.Table = reader.read_all()
    table = whole.select(chosen_names(whole.column_names, wanted, path))
    table.validate(full=True)
    return table


@contextmanager
def open_arrow(path: Path) -> Iterator[Any]:
    """A reader of an Arrow file, or of an Arrow stream in a file."""
    with path.open("rb") as file:
        stream = file.read(4) == b"\xff\xff\xff\xff"
    read = pa.ipc.open_stream if stream else pa.ipc.open_file
    with pa.OSFile(str(path), "rb") as source, read(source) as reader:
        yield reader
