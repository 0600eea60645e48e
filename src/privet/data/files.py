"""A file that is written whole or not at all.

Contract. The content goes to a new file in the same folder, is synced to the disk and only then
takes its name in one step. Whatever happens before (a full disk, Ctrl-C, an error of the writer),
nothing new is left behind and a file that had the name is as it was. A new file gets the
permissions the user's umask gives; a replaced one keeps its own. A link is followed, not replaced.
"""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from privet.errors import OutputError, ParameterError


def write_whole(path: str | Path, write: Callable[[BinaryIO], None]) -> None:
    """Call `write` with an open binary file and put the result at `path`.

    Errors: OutputError for anything the system refuses; whatever else `write` raises comes through.
    """
    target = Path(os.path.realpath(path))
    refuse_unwritable(path)
    staged = target.with_name(f".privet-{os.urandom(8).hex()}.part")
    try:
        _write_new(staged, write, _mode_of(target))
        staged.replace(target)
        _sync_folder(target.parent)
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


def refuse_unwritable(path: str | Path, *, inputs: Iterable[str | Path] = ()) -> None:
    """Refuse, before anything is spent, a place that cannot be written to.

    Errors: ParameterError if it is one of the `inputs` (under any name or link); OutputError for a
    folder that is missing or not writable and for something there that is not a regular file.
    """
    place = Path(path)
    for source in inputs:
        if _same(place, Path(source)):
            raise ParameterError(
                f"The output {path} is the input file, which is never overwritten.",
                hint="Give the output another name.",
                path=str(path),
            )
    target = Path(os.path.realpath(place))
    problem, hint = "", "Choose another place."
    if target.is_dir():
        problem = "it is a folder"
    elif target.exists() and not target.is_file():
        problem = "it is not a regular file"
    elif not target.parent.is_dir():
        problem, hint = f"there is no folder {target.parent}", "Create the folder first."
    elif not os.access(target.parent, os.W_OK | os.X_OK):
        problem = f"the folder {target.parent} is not writable"
    if problem:
        raise OutputError(f"{path} cannot be written: {problem}.", hint=hint, path=str(path))


def _write_new(staged: Path, write: Callable[[BinaryIO], None], mode: int | None) -> None:
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


def _sync_folder(folder: Path) -> None:
    """Make the new name durable where the system can sync a folder; the content already is."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
