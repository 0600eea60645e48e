"""Work on more rows than fit in memory, by DuckDB, in a folder that nobody else can read.

Contract. Only rows of whole numbers and tie-breaking bytes go in, batch by batch, and come out
batch by batch; nothing is fetched from a network and no extension is loaded. What does not fit in
the memory allowed goes to the folder given, which only its owner can read and which is emptied
whatever happens, Ctrl-C included. Messages of DuckDB can quote rows and never pass. DuckDB can
encrypt its temporary files only with an extension that would have to be fetched, so what goes in
must say nothing about anybody by itself (`privet.data.sealing`).
"""

import os
import shutil
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from privet.data.arrow import pa
from privet.errors import MissingExtraError, OutputError, PrivetError
from privet.whole_files import interrupts_held_back

MEMORY = 128 << 20
"""Bytes that DuckDB may use unless told otherwise."""

THREADS = 1
"""One: each of several would need its own share of the memory to merge what is on the disk."""

BATCH = 1 << 18
"""Rows that come back together."""


def require_duckdb() -> Any:
    """The library. Errors: MissingExtraError with the line that installs it."""
    try:
        import duckdb
    except ImportError:
        raise MissingExtraError(
            "Sorting more rows than fit in memory needs duckdb, which is not installed.",
            hint="Run: pip install 'privet[large]'",
        ) from None
    return duckdb


@contextmanager
def spill_folder(beside: Path) -> Iterator[Path]:
    """A new hidden folder in the folder `beside`, for the owner only, gone when the block ends.

    A process that is killed outright leaves it behind; nothing trips over it, as every name is new.
    Errors: OutputError if it cannot be made.
    """
    folder = beside / f".privet-{os.urandom(8).hex()}.spill"
    try:
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise OutputError(
            f"No folder for temporary files could be made in {beside}: "
            f"{error.strerror or 'input/output error'}.",
            hint="Choose a place that can be written to.",
            path=str(beside),
        ) from None
    try:
        yield folder
    finally:
        with interrupts_held_back():
            shutil.rmtree(folder, ignore_errors=True)


def spilled(
    query: str,
    rows: Iterable[Any],
    schema: Any,
    *,
    folder: Path,
    memory: int = MEMORY,
    threads: int = THREADS,
) -> Generator[Any, None, None]:
    """The answer to `query` on the table `given` of `rows` (RecordBatches of `schema`), by batches.

    `folder`: for temporary files; `memory`: bytes DuckDB may hold. `rows` is read once, and may be
    read by another thread. Errors: whatever reading `rows` raises; OutputError where the disk or
    the memory does not suffice.
    """
    duckdb = require_duckdb()
    source = _Watched(rows)
    connection = None
    try:
        connection = duckdb.connect(":memory:", config=_settings(folder, memory, threads))
        # After the folder is known, which is external too.
        connection.execute("SET enable_external_access = false")
        # In a notebook or a prompt the library would print a bar of its own.
        connection.execute("SET enable_progress_bar = false")
        connection.execute("SET lock_configuration = true")
        connection.register("given", pa.RecordBatchReader.from_batches(schema, iter(source)))
        yield from connection.sql(query).to_arrow_reader(BATCH)
    except (duckdb.Error, pa.ArrowException, OSError, RuntimeError) as error:
        if source.error is not None:
            raise source.error from None
        if isinstance(error, PrivetError):
            raise
        raise OutputError(
            "The rows could not be sorted on the disk: the disk is full, or the memory allowed is "
            "too small.",
            hint=f"Free some space in {folder.parent}, or allow more memory.",
            path=str(folder.parent),
        ) from None
    finally:
        if connection is not None:
            connection.close()


def _settings(folder: Path, memory: int, threads: int) -> dict[str, Any]:
    return {
        "temp_directory": str(folder),
        "memory_limit": f"{max(memory >> 20, 1)}MiB",
        "threads": threads,
        "preserve_insertion_order": "false",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "allow_persistent_secrets": "false",
    }


class _Watched:
    """Rows on their way into the library, which would hide what went wrong in making them."""

    def __init__(self, rows: Iterable[Any]) -> None:
        self._rows = rows
        self.error: BaseException | None = None

    def __iter__(self) -> Iterator[Any]:
        try:
            yield from self._rows
        except GeneratorExit:
            raise
        except BaseException as error:
            self.error = error
            raise
