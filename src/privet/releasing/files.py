"""The output file and its receipt, written so that neither is ever half there.

Contract. Both files are first written whole under hidden temporary names in their own folders and
synced. Only then do they get their names, the receipt first: whenever a crash comes, a file under
the output's name has the receipt of exactly that file beside it, and at worst a receipt stands
without data, which counts as spent. Replacing an earlier release removes the old data before the
new receipt takes its place, for the same reason. The names are given with interrupts held back, so
Ctrl-C leaves both files or neither, and with the folder locked, so two processes that write the
same output leave the pair of one of them: the other is refused, or its pair replaces the first. A
process that is killed outright can leave a hidden `.privet-*` file, never one under the output's
name. The input is never overwritten.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from privet.errors import OutputError, ParameterError
from privet.whole_files import (
    folder_locked,
    interrupts_held_back,
    refuse_existing,
    sync_folder,
)

RECEIPT_ENDING = ".receipt.json"


def receipt_path_for(output: Path) -> Path:
    """Where the receipt of a release goes unless told otherwise: beside it.

    Errors: OutputError for a folder.
    """
    if not output.name:  # "." and "/" have none; with_name would be no error of ours.
        raise OutputError(
            f"{output} is a folder, not the file of a release.",
            hint="Name a file.",
            path=str(output),
        )
    return output.with_name(output.name + RECEIPT_ENDING)


def receipt_named(path: Path) -> Path:
    """The receipt that is meant by `path`: itself or, of a released file, the one beside it."""
    beside = path.with_name(path.name + RECEIPT_ENDING) if path.name else path
    return beside if beside.is_file() else path


def check_destinations(
    output: Path,
    receipt: Path,
    *,
    inputs: Sequence[Path],
    overwrite: bool,
    more_endings: Sequence[str] = (),
) -> None:
    """Refuse, before anything is read or drawn, a place that could not be written to.

    `more_endings`: of formats that tables do not have.

    Errors: ParameterError for an ending that names no format, and where output, receipt and inputs
    are not all different files; OutputError for a missing or unwritable folder, for something
    there that is not a regular file, and for a file that exists, unless `overwrite`.
    """
    from privet.data import file_ending

    if output.suffix.lower() not in more_endings:
        file_ending(output)
    if os.path.realpath(output) == os.path.realpath(receipt):
        raise ParameterError(
            "The output and the receipt are the same file.", hint="Give the receipt another name."
        )
    check_destination(output, inputs=inputs, overwrite=overwrite)
    check_destination(receipt, inputs=inputs, overwrite=overwrite)


def check_destination(path: Path, *, overwrite: bool, inputs: Sequence[Path] = ()) -> None:
    """The same for one file of any ending. Errors: as `check_destinations`."""
    from privet.data import refuse_unwritable

    refuse_unwritable(path, inputs=inputs)
    refuse_existing(path, overwrite)


def write_release(
    output: Path,
    receipt: Path,
    *,
    write_data: Callable[[Path], None],
    receipt_text: Callable[[dict[str, str]], str],
    overwrite: bool,
) -> None:
    """Write the data and their receipt, both or neither; links are followed.

    `write_data(path)` writes the data whole to a temporary path with the ending of `output`;
    `receipt_text({"name": ..., "sha256": ...})` is the receipt that describes that file. Without
    `overwrite`, files that have come there meanwhile stay. Errors: OutputError (nothing is left
    behind).
    """
    staged = StagedFile(output, receipt, overwrite=overwrite)
    try:
        staged.write(write_data)
        staged.publish(receipt_text)
    finally:
        staged.discard()


class StagedFile:
    """The data of a release under a hidden name, until it is published; links are followed."""

    def __init__(self, output: Path, receipt: Path, *, overwrite: bool) -> None:
        self._output, self._overwrite = output, overwrite
        self._data_place = Path(os.path.realpath(output))
        self._receipt_place = Path(os.path.realpath(receipt))
        # The format is that of the name given, wherever a link of that name leads.
        self._data = _hidden(self._data_place, output)
        self._receipt = _hidden(self._receipt_place, receipt)

    def write(self, write_data: Callable[[Path], None]) -> None:
        """Write the data whole: `write_data(path)`, as `write_release` has it. Errors as there."""
        with self._output_errors():
            write_data(self._data)

    def publish(self, receipt_text: Callable[[dict[str, str]], str]) -> None:
        """Write the receipt that describes the data, and give both their names."""
        with self._output_errors():
            facts = {"name": _text(self._output.name), "sha256": sha256_of(self._data)}
            _write_text(self._receipt, receipt_text(facts))
            pairs = ((self._data, self._data_place), (self._receipt, self._receipt_place))
            for staged, place in pairs:
                if place.exists():
                    staged.chmod(place.stat().st_mode & 0o777)
            with interrupts_held_back(), folder_locked(self._data_place.parent):
                for place in (self._data_place, self._receipt_place):
                    refuse_existing(place, self._overwrite)
                _give_names(self._data, self._data_place, self._receipt, self._receipt_place)

    def discard(self) -> None:
        """Delete what was written, unless it has its name by now."""
        for path in (self._data, self._receipt):
            with suppress(OSError):
                path.unlink(missing_ok=True)

    @contextmanager
    def _output_errors(self) -> Iterator[None]:
        try:
            yield
        except OutputError as error:
            # The writer speaks of the temporary name, which nobody chose.
            message = error.message.replace(str(self._data), str(self._output))
            raise OutputError(message, hint=error.hint, path=str(self._output)) from None
        except OSError as error:
            raise OutputError(
                f"{self._output} and its receipt could not be written: "
                f"{error.strerror or 'i/o error'}.",
                hint="Nothing was left there; free some space or choose another place.",
                path=str(self._output),
            ) from None


def _text(name: str) -> str:
    """A file name as text that any encoding holds: names may be bytes that are no text."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _write_text(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_release(path: Path) -> str:
    """The SHA-256 of a file; of a folder of parts, of what `sha256sum *` prints in it."""
    if not path.is_dir():
        return sha256_of(path)
    from privet.data import parts_of

    lines = "".join(f"{sha256_of(part)}  {part.name}\n" for part in parts_of(path))
    return hashlib.sha256(lines.encode()).hexdigest()


def _give_names(staged_data: Path, output: Path, staged_receipt: Path, receipt: Path) -> None:
    output.unlink(missing_ok=True)
    staged_receipt.replace(receipt)
    try:
        staged_data.replace(output)
    except BaseException:
        receipt.unlink(missing_ok=True)
        raise
    for folder in {receipt.parent, output.parent}:
        sync_folder(folder)


def _hidden(path: Path, named: Path) -> Path:
    """A temporary name beside `path` with the ending of `named`, which tells the format."""
    return path.with_name(f".privet-{os.urandom(8).hex()}{''.join(named.suffixes[-2:])}")
