"""A folder of Parquet files as the parts of one table.

Contract. The parts are the files of the folder itself whose names end in .parquet, in the order of
their names; names that begin with a dot or an underscore are other tools' notes and are passed
over. Anything else in the folder is refused rather than left out, and no column is made of the
names of folders. All parts have the same columns, of the same types, in the same order.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from privet.data.arrow import described
from privet.errors import DataError

ENDING = ".parquet"


def parts_of(folder: Path) -> list[Path]:
    """The files of the parts, in order. Errors: DataError for none, or for something else there."""
    try:
        found = sorted(folder.iterdir(), key=lambda place: place.name)
    except OSError as error:
        raise DataError(
            f"{folder} cannot be read: {error.strerror or 'input/output error'}.",
            hint="Check its permissions.",
            path=str(folder),
        ) from None
    parts = [place for place in found if not place.name.startswith((".", "_"))]
    for place in parts:
        _refuse_other(place, folder)
    if not parts:
        raise DataError(
            f"{folder} has no {ENDING} file in it.",
            hint="A folder is read if it holds the Parquet files of one table.",
            path=str(folder),
        )
    return parts


def refuse_other_schema(path: Path, schema: Any, first_path: Path, first: Any) -> None:
    """Errors: DataError for a part whose columns are not those of the first, in order and type."""
    if schema.names != first.names:
        missing = [name for name in first.names if name not in schema.names]
        more = [name for name in schema.names if name not in first.names]
        what = "in another order"
        if missing or more:
            what = f"{len(missing)} of them missing and {len(more)} more"
        raise DataError(
            f"{path} does not have the columns of {first_path.name}: {what}.",
            hint="All parts of a table have the same columns in the same order; write them again.",
            path=str(path),
        )
    for field, other in zip(schema, first, strict=True):
        if field.type != other.type:
            raise DataError(
                f"The column '{field.name}' holds {described(field.type)} in {path}, and "
                f"{described(other.type)} in {first_path.name}"
                f"{_apart(field.type, other.type)}.",
                hint="All parts of a table have the same types; write them again.",
                path=str(path),
                column=field.name,
            )


def _apart(one: Any, other: Any) -> str:
    """What tells two types of the same values apart."""
    return " (one of them encoded)" if described(one) == described(other) else ""


def _refuse_other(place: Path, folder: Path) -> None:
    if place.is_dir():
        by_value = "=" in place.name
        raise DataError(
            f"{folder} has folders in it"
            + (f", one for each value of '{place.name.split('=')[0]}'." if by_value else "."),
            hint="Put the Parquet files of one table into one folder"
            + (", with that column written in the files." if by_value else "."),
            path=str(folder),
        )
    if place.suffix.lower() != ENDING:
        raise DataError(
            f"{folder} holds {place.name}, which is no {ENDING} file.",
            hint="A folder is read if it holds the Parquet files of one table and nothing else; "
            "names that begin with a dot or an underscore are passed over.",
            path=str(folder),
        )


def stamps(paths: Iterable[Path]) -> tuple[tuple[str, int, int, int, int], ...]:
    """(name, size, times of the last change, number in the file system) of each file.

    The first time is what the file says, which anybody may set; the second is the system's own.
    """
    found = ((path.name, path.stat()) for path in paths)
    return tuple(
        (name, one.st_size, one.st_mtime_ns, one.st_ctime_ns, one.st_ino) for name, one in found
    )
