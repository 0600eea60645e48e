"""The last step of a release: what was drawn goes out with its receipt, both or neither."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from privet.releasing.answer_table import write_answer
from privet.releasing.arguments import refuse
from privet.releasing.blocks import Progress
from privet.releasing.files import check_destinations, receipt_path_for, write_release
from privet.releasing.job import Drawn
from privet.releasing.receipt import Receipt


@dataclass(frozen=True)
class Release:
    """What was released, and under which promise.

    `data`: in the kind that was given (an Arrow table for a file), or the answer to a query (a
    number or an array); `receipt`: what it promises; `realised_errors`: the symbols that differ
    from the data, by part, or how far each number of an answer is off, for public demo data only
    (None otherwise: it is private); `rows`: an answer as rows with intervals.
    """

    data: Any
    receipt: Receipt
    realised_errors: tuple[float, ...] | None = None
    rows: tuple[dict[str, Any], ...] = ()

    def __str__(self) -> str:
        """What the receipt says; `data` is the release itself."""
        return str(self.receipt)

    def __repr__(self) -> str:
        return f"<Release of {type(self.data).__name__} with {self.receipt!r}>"


@dataclass(frozen=True)
class Unread:
    """A release that is in the file `path` and was not read back."""

    path: Path


class WrittenRelease(Release):
    """A release that was written as it was drawn: `data` is read from its file on first use.

    It is never drawn again. Errors of `data`: DataError if the file is not what was written.
    """

    def __init__(
        self, place: Unread, receipt: Receipt, realised_errors: tuple[float, ...] | None = None
    ) -> None:
        given = {"receipt": receipt, "realised_errors": realised_errors, "rows": ()}
        vars(self).update(given, place=place)

    @cached_property
    def data(self) -> Any:
        """The released table, as an Arrow table."""
        from privet.data import read_table
        from privet.releasing.reading import check_file

        path = vars(self)["place"].path
        check_file(path, self.receipt)
        return read_table(path)

    def __repr__(self) -> str:
        return f"<Release in {vars(self)['place'].path} with {self.receipt!r}>"


def target_of(
    output: str | os.PathLike[str] | None,
    receipt: str | os.PathLike[str] | None,
    inputs: Sequence[Path],
    overwrite: bool,
    more_endings: tuple[str, ...] = (),
) -> tuple[Path, Path] | None:
    """The output and its receipt, checked before the data are read."""
    if output is None:
        refuse(receipt is not None, "receipt", "without an output, use .receipt of the result")
        return None
    place = Path(output)
    receipt_place = receipt_path_for(place) if receipt is None else Path(receipt)
    check_destinations(
        place, receipt_place, inputs=inputs, overwrite=overwrite, more_endings=more_endings
    )
    return place, receipt_place


def finish(
    receipt: Receipt,
    drawn: Drawn,
    target: tuple[Path, Path] | None,
    *,
    overwrite: bool,
    progress: Progress,
) -> Release:
    """What was drawn, with its receipt, written if there is a target."""
    wrong = drawn.realised_errors if receipt.demo else None
    if drawn.staged is not None:
        progress("giving names", 0, 0)
        written, data = drawn.staged.publish(receipt)
        if isinstance(data, Unread):
            return WrittenRelease(data, written, wrong)
        return Release(data, written, wrong)
    if target is not None:
        from privet.data import write_table

        output, place = target
        progress(f"writing {output.name}", 0, 0)
        facts: dict[str, str] = {}

        def text(written: dict[str, str]) -> str:
            facts.update(written)
            return replace(receipt, output=dict(written)).to_text()

        write_release(
            output,
            place,
            write_data=lambda path: (
                write_answer(drawn.rows, path) if drawn.rows else write_table(drawn.table, path)
            ),
            receipt_text=text,
            overwrite=overwrite,
        )
        receipt = replace(receipt, output=facts)
    return Release(drawn.data, receipt, wrong, drawn.rows)
