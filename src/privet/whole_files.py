"""A file that is written whole or not at all.

Contract. The content goes to a new file in the same folder, is synced to the disk and only then
takes its name in one step. Whatever happens before (a full disk, Ctrl-C, an error of the writer),
nothing new is left behind and a file that had the name is as it was. A new file gets the
permissions the user's umask gives; a replaced one keeps its own. A link is followed, not replaced.
A database is never replaced, even where files may be: it can be a ledger, and with it the record of
what was spent would be lost.
Where nothing may be replaced that is checked again when the name is given, with the folder locked:
of two processes that write one name the second is refused.
"""

import json
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from privet.errors import OutputError, ParameterError, ParameterTypeError

_DATABASE = b"SQLite format 3\0"
"""How an SQLite file begins."""

_ENDING_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


def write_whole(
    path: str | Path, write: Callable[[BinaryIO], object], *, overwrite: bool = True
) -> None:
    """Call `write` with an open binary file and put the result at `path`.

    Errors: OutputError for anything the system refuses and, unless `overwrite`, for a file that is
    there; whatever else `write` raises comes through.
    """
    target = Path(os.path.realpath(path))
    refuse_unwritable(path)
    refuse_existing(path, overwrite)
    staged = target.with_name(f".privet-{os.urandom(8).hex()}.part")
    try:
        _write_new(staged, write, _mode_of(target))
        with interrupts_held_back(), folder_locked(target.parent):
            refuse_existing(path, overwrite)
            staged.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        if isinstance(error, OutputError):
            raise
        raise OutputError(
            f"{path} could not be written: {error.strerror or 'input/output error'}.",
            hint="Nothing was left there; free some space or choose another place.",
            path=str(path),
        ) from None
    finally:
        with suppress(OSError):
            staged.unlink(missing_ok=True)


def write_json(path: str | os.PathLike[str], content: object, *, overwrite: bool) -> None:
    """Write JSON text, whole or not at all. Errors: OutputError, ParameterTypeError for no path."""
    place = read_path(path, "An output")
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    write_whole(place, lambda stream: stream.write(text.encode()), overwrite=overwrite)


def read_path(path: object, what: str) -> Path:
    """The path of a file. Errors: ParameterTypeError for what is no path.

    `what`: how errors call the file, such as "A model".
    """
    if not isinstance(path, str | os.PathLike) or "\0" in os.fsdecode(path):
        given = "text with a NUL sign" if isinstance(path, str) else f"a {type(path).__name__}"
        raise ParameterTypeError(
            f"{what} is named by the path of its file, not by {given}.",
            hint="Give text or a pathlib.Path.",
            parameter="path",
        )
    return Path(os.fsdecode(path))


def refuse_unwritable(
    path: str | Path, *, inputs: Iterable[str | Path] = (), what: str = "input file"
) -> None:
    """Refuse, before anything is spent, a place that cannot be written to.

    `what`: how the error calls the `inputs`.
    Errors: ParameterError if it is one of the `inputs` (under any name or link), or lies in one
    that is a folder; OutputError for a folder that is missing or not writable and for something
    there that is not a regular file, or that is a database: a ledger is never overwritten.
    """
    place = Path(path)
    for source in inputs:
        if Path(source).is_dir() and Path(os.path.realpath(source)) in _folders_of(place):
            raise ParameterError(
                f"The output {path} lies in the folder of the {what}, of which it would be a part.",
                hint="Give the output another folder.",
                path=str(path),
            )
        if any(_same(place, file) for file in (Path(source), *_files_in(Path(source)))):
            raise ParameterError(
                f"The output {path} is the {what}, which is never overwritten.",
                hint="Give the output another name.",
                path=str(path),
            )
    target = Path(os.path.realpath(place))
    problem, hint = "", "Choose another place."
    if target.is_dir():
        problem = "it is a folder"
    elif target.exists() and not target.is_file():
        problem = "it is not a regular file"
    elif _in_database(target):
        problem = "it is a database, perhaps a ledger, which is never overwritten"
    elif not target.parent.is_dir():
        problem, hint = f"there is no folder {target.parent}", "Create the folder first."
    elif not os.access(target.parent, os.W_OK | os.X_OK):
        problem = f"the folder {target.parent} is not writable"
    if problem:
        raise OutputError(f"{path} cannot be written: {problem}.", hint=hint, path=str(path))


def _files_in(folder: Path) -> list[Path]:
    """What is in a folder, perhaps by links; nothing if it is none or cannot be read."""
    try:
        return list(folder.iterdir()) if folder.is_dir() else []
    except OSError:
        return []


def _folders_of(place: Path) -> Sequence[Path]:
    return Path(os.path.realpath(place)).parents


def _in_database(target: Path) -> bool:
    """Whether it is an SQLite file or belongs to one: the log and the index beside it."""
    name = target.name
    for ending in ("-wal", "-shm", "-journal"):
        name = name.removesuffix(ending)
    for place in (target, target.with_name(name)) if name else (target,):
        with suppress(OSError), place.open("rb") as file:
            if file.read(len(_DATABASE)) == _DATABASE:
                return True
    return False


def refuse_existing(path: str | Path, overwrite: bool) -> None:
    """Errors: OutputError for a file that exists, unless `overwrite`; for a database always."""
    if _in_database(Path(os.path.realpath(path))):
        raise OutputError(
            f"{path} cannot be written: it is a database, perhaps a ledger, which is never "
            "overwritten.",
            hint="Choose another place.",
            path=str(path),
        )
    if not overwrite and Path(path).exists():
        raise OutputError(
            f"{path} exists.",
            hint="Choose another name, or let it be replaced (--overwrite, overwrite=True).",
            path=str(path),
        )


@contextmanager
def folder_locked(folder: Path) -> Iterator[None]:
    """One process at a time gives names in `folder` (where the system has such locks)."""
    handle = None
    try:
        with suppress(ImportError, OSError):
            import fcntl

            handle = os.open(folder, os.O_RDONLY)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        if handle is not None:
            os.close(handle)


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Signals that would end the process wait until the block is over.

    The handlers are replaced, not the thread's signal mask: a library's thread that does not block
    a signal would take it and Python would still raise in the main thread. Only the main thread
    can do either, and only the main thread is ever interrupted.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    before = {
        number: signal.signal(number, lambda received, _frame: waiting.append(received))
        for number in _ENDING_SIGNALS
        if signal.getsignal(number) not in (None, signal.SIG_IGN)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for received in waiting:
            signal.raise_signal(received)


def sync_folder(folder: Path) -> None:
    """Make new names durable; not every system can sync a folder, and the files are synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _write_new(staged: Path, write: Callable[[BinaryIO], object], mode: int | None) -> None:
    # The system applies the umask to 0o666; reading the umask would mean changing it.
    handle = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else mode)
    file = os.fdopen(handle, "wb")
    try:
        if mode is not None:
            os.fchmod(handle, mode)
        write(file)
        file.flush()
        os.fsync(handle)
    except BaseException:
        # Closing flushes what is left, which fails again on a full disk and would hide a Ctrl-C.
        with suppress(OSError, ValueError):
            file.close()
        raise
    # A writer may have closed the file itself; then `flush` above has already refused.
    file.close()


def _mode_of(target: Path) -> int | None:
    try:
        return target.stat().st_mode & 0o777
    except FileNotFoundError:
        return None


def _same(first: Path, second: Path) -> bool:
    try:
        return first.samefile(second)
    except OSError:
        return os.path.realpath(first) == os.path.realpath(second)
