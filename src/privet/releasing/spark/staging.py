"""The committer: parts that tasks wrote, of which those that count become a folder in one step.

Contract. Tasks write into a hidden folder beside the output, each attempt under a random name, so
no attempt ever touches what another wrote. `publish` moves the parts that the driver chose, and no
other file, into a folder that then takes the output's name at once; the receipt has its name before
that. Until then nothing stands under the output's name. Whatever happens, the hidden folder goes,
unless the driver itself is killed. A part of an attempt that does not count is deleted unread.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import OutputError, ParameterError
from privet.releasing.arguments import refuse
from privet.releasing.files import check_destination, receipt_path_for, sha256_of
from privet.whole_files import folder_locked, interrupts_held_back, sync_folder

if TYPE_CHECKING:
    import pyarrow as pa

ENDING = ".parquet"

PART_ROWS = 1 << 20
"""Of each part of a release but the last."""


def folder_target(
    output: str | os.PathLike[str] | None,
    receipt: str | os.PathLike[str] | None,
    overwrite: bool,
) -> tuple[Path, Path]:
    """The folder to be made and the receipt beside it, checked before a job is started.

    Errors: ParameterError for no path; OutputError for a place that cannot be written to.
    """
    if output is None:
        raise ParameterError(
            "The release of a Spark frame is a folder, and no output was named.",
            hint="Give output='released': each evaluation of a frame that draws would be another "
            "release, so it is written once and then read.",
            parameter="output",
        )
    refuse(overwrite, "overwrite", "the folder of a release is never replaced")
    if ":/" in os.fspath(output):
        raise ParameterError(
            f"{os.fspath(output)} is an address, not the path of a folder.",
            hint="Give a path on a file system that the driver and all executors share, and copy "
            "the finished folder from there.",
            parameter="output",
        )
    place = Path(os.path.realpath(output))
    beside = receipt_path_for(place) if receipt is None else Path(receipt)
    _refuse_folder(place)
    check_destination(beside, overwrite=False)
    return place, beside


def _refuse_folder(output: Path) -> None:
    problem, hint = "", "Choose another place."
    if output.exists():
        problem, hint = "it exists", "Choose another name: a release replaces no folder."
    elif not output.parent.is_dir():
        problem, hint = f"there is no folder {output.parent}", "Create the folder first."
    elif not os.access(output.parent, os.W_OK | os.X_OK):
        problem = f"the folder {output.parent} is not writable"
    if problem:
        raise OutputError(f"{output} cannot be written: {problem}.", hint=hint, path=str(output))


@dataclass(frozen=True)
class Written:
    """One part: its `name` in the hidden folder, its SHA-256, its size in bytes and its `rows`."""

    name: str
    sha256: str
    size: int
    rows: int


def write_part(folder: Path, tables: Iterator["pa.Table"]) -> Written | None:
    """In a task: the tables, which are drawn one by one, as a part of its own; None for no rows.

    The part is gone again if anything goes wrong. Errors: OutputError.
    """
    import pyarrow.parquet as pq

    from privet.data.even import EvenRows

    first = next(tables, None)
    if first is None:
        return None
    place, rows = folder / f"{os.urandom(16).hex()}{ENDING}", 0
    try:
        schema = _bare(first.schema)
        with place.open("xb") as file:
            with pq.ParquetWriter(file, schema) as writer:
                even = EvenRows()
                for table in chain([first], tables):
                    for group in even.add(table.cast(schema)):
                        writer.write_table(group)
                    rows += table.num_rows
                for group in even.rest():
                    writer.write_table(group)
            file.flush()
            os.fsync(file.fileno())
        return Written(place.name, sha256_of(place), place.stat().st_size, rows)
    except BaseException as error:
        with suppress(OSError):
            place.unlink(missing_ok=True)
        if isinstance(error, OSError) and not isinstance(error, OutputError):
            raise _failed("A part of the release", error, folder.parent) from None
        raise


@dataclass(frozen=True)
class Cut:
    """The rows from `start` up to `stop` of the part `name`."""

    name: str
    start: int
    stop: int


def even_cuts(parts: Sequence[Written]) -> list[tuple[Cut, ...]]:
    """What to make parts of `PART_ROWS` rows of, in the same order.

    Spark divides a file by bytes, so that the rows of a partition tell how long the labels in it
    are, protected ones too: parts are cut by the number of rows alone.
    """
    cuts: dict[int, list[Cut]] = {}
    done = 0
    for part in parts:
        start = 0
        while start < part.rows:
            stop = min(part.rows, start + PART_ROWS - done % PART_ROWS)
            cuts.setdefault(done // PART_ROWS, []).append(Cut(part.name, start, stop))
            done += stop - start
            start = stop
    return [tuple(each) for each in cuts.values()]


def rows_of(folder: Path, cuts: Sequence[Cut]) -> Iterator["pa.Table"]:
    """The rows of the cuts, one after the other, a row group at a time."""
    import pyarrow.parquet as pq

    for cut in cuts:
        with pq.ParquetFile(folder / cut.name) as file:
            first = 0
            for number in range(file.num_row_groups):
                last = first + file.metadata.row_group(number).num_rows
                start, stop = max(first, cut.start), min(last, cut.stop)
                if start < stop:
                    yield file.read_row_group(number).slice(start - first, stop - start)
                first = last


def _bare(schema: "pa.Schema") -> "pa.Schema":
    """Names and types alone: what else a frame says of its columns may come from the data."""
    import pyarrow as pa

    return pa.schema([pa.field(field.name, field.type) for field in schema])


class Staging:
    """The hidden folder of one release, which the driver makes and removes."""

    def __init__(self, output: Path) -> None:
        self.output = output
        self.folder = output.parent / f".privet-{os.urandom(8).hex()}"
        try:
            self.folder.mkdir(mode=0o700)
        except OSError as error:
            raise _failed(str(output), error, output) from None

    def remove(self) -> None:
        """Delete every part that was not published."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def keep_only(self, parts: Sequence[Written]) -> None:
        """Delete what other attempts wrote. Errors: OutputError if a part is not as it was told."""
        sizes = {part.name: part.size for part in parts}
        for place in self.folder.iterdir():
            if place.name not in sizes:
                place.unlink()
            elif place.stat().st_size == sizes[place.name]:
                del sizes[place.name]
        if sizes:
            raise OutputError(
                f"{self.output} cannot be written: what a task wrote is not there.",
                hint="The output must lie on a file system that the driver and all executors "
                "share.",
                path=str(self.output),
            )

    def publish(
        self,
        parts: Sequence[Written],
        receipt: Path,
        receipt_text: Callable[[dict[str, Any]], str],
    ) -> None:
        """Give the receipt and the folder of the parts, in that order, their names.

        `receipt_text(facts)`: the receipt of a folder of those facts (see `facts_of`). Errors:
        OutputError. Nothing but the release and its receipt is left, or nothing at all.
        """
        whole, text = self.folder / "whole", self.folder / "receipt"
        try:
            whole.mkdir()
            facts = facts_of(self.output.name, parts)
            for part, file in zip(parts, facts["files"], strict=True):
                (self.folder / part.name).replace(whole / file["name"])
            sync_folder(whole)
            with text.open("x", encoding="utf-8") as file:
                file.write(receipt_text(facts))
                file.flush()
                os.fsync(file.fileno())
            with interrupts_held_back(), folder_locked(self.output.parent):
                _refuse_folder(self.output)
                check_destination(receipt, overwrite=False)
                self._give_names(whole, text, receipt)
        except OutputError:
            raise
        except OSError as error:
            raise _failed(str(self.output), error, self.output) from None
        finally:
            self.remove()

    def _give_names(self, whole: Path, text: Path, receipt: Path) -> None:
        text.replace(receipt)
        try:
            whole.rename(self.output)
        except BaseException:
            receipt.unlink(missing_ok=True)
            raise
        for folder in {receipt.parent, self.output.parent}:
            sync_folder(folder)


def facts_of(name: str, parts: Sequence[Written]) -> dict[str, Any]:
    """What a receipt says of a folder: its files, in the order of the rows, and one SHA-256.

    That is the SHA-256 of what `sha256sum *` prints in the folder.
    """
    files = [
        {"name": f"part-{number:05d}{ENDING}", "sha256": part.sha256, "rows": part.rows}
        for number, part in enumerate(parts)
    ]
    lines = "".join(f"{each['sha256']}  {each['name']}\n" for each in files)
    return {
        "name": name.encode("utf-8", "backslashreplace").decode("utf-8"),
        "sha256": hashlib.sha256(lines.encode()).hexdigest(),
        "files": files,
    }


def _failed(what: str, error: OSError, path: Path) -> OutputError:
    return OutputError(
        f"{what} could not be written: {error.strerror or 'input/output error'}.",
        hint="Nothing was left there; free some space, or choose a place on a file system that "
        "the driver and all executors share.",
        path=str(path),
    )
