"""Estimating from a release that went out, by its data and its receipt alone.

Contract. The receipt says which columns a mechanism wrote, and how. A file must be, byte for byte,
the one that its receipt was written for, and is read batch by batch: a release may be far larger
than the memory. Reading costs no privacy. What tells nothing, or is told without noise, is refused:
kept columns, decoded words, mechanisms that do not answer symbol by symbol.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from privet.errors import ColumnNotFoundError, DataError, DomainError, ParameterError
from privet.estimate import (
    frequencies_from_counts,
    joint_frequencies_from_counts,
    joint_tally,
    tally,
)
from privet.exact.number import Number
from privet.releasing.blocks import Progress
from privet.releasing.decoded import PathLike, receipt_of
from privet.releasing.finishing import Release
from privet.releasing.job import silent
from privet.releasing.plan import can_estimate
from privet.releasing.reading import as_symbols, check_file
from privet.releasing.receipt import Receipt
from privet.symbols import Codes

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.data import Batches
    from privet.estimate import Tally
    from privet.estimate.moments import Variance
    from privet.estimate.table import TableEstimate


def estimate_release(
    release: Release | PathLike,
    columns: str | Sequence[str] = (),
    *,
    receipt: PathLike | None = None,
    confidence: Number = 0.95,
    variance: "Variance" = "mechanism",
    weights: str | None = None,
    changed_file: bool = False,
    progress: Progress = silent,
) -> "dict[str, TableEstimate]":
    """Shares of the categories in the data, {title: estimate}, from a release and its receipt.

    `release`: a Release, or the path of a released file, whose receipt is at `receipt` (default:
    beside it); `columns`: none, for each released column by itself under its name; one; or several,
    for their joint table ("a by b"). Of words all symbols are one estimate, or those of one column.
    `confidence`, `variance`: as for `estimate.frequencies`; `weights`: a kept column of public
    design weights; `changed_file`: read a file that was changed since its release. Errors:
    DataError for a release that nothing can be estimated from; ColumnNotFoundError;
    FileFormatError, ParameterError.
    """
    known, source = receipt_of(release, receipt, _BARE)
    check_can_estimate(known)
    released = released_columns(known)
    chosen = [columns] if isinstance(columns, str) else list(dict.fromkeys(columns))
    if source is not None and not changed_file:
        check_file(source, known)
    _check_columns(known, chosen)
    wanted = list(dict.fromkeys([*(chosen or released), *([] if weights is None else [weights])]))
    tables = _opened(release.data if isinstance(release, Release) else source, wanted)
    options = {"confidence": confidence, "variance": variance}
    return dict(_estimates(tables, known, chosen, progress, weights, options))


_BARE = "Give what privet.release gave, or the path of a released file; values alone are estimated "
_BARE += "from by privet.estimate.frequencies(released, mechanism)."


class Whole:
    """A table that is there in memory, as `Batches` of one."""

    def __init__(self, table: "pa.Table") -> None:
        self._table, self.total = table, table.num_rows

    def __iter__(self) -> Iterator["pa.Table"]:
        return iter([self._table])


Tables: TypeAlias = "Batches | Whole"


def _opened(data: Any, wanted: list[str]) -> Tables:
    """The columns to be read; a file batch by batch."""
    from privet.data import open_batches, to_arrow

    # The columns are counted and go nowhere, so text may come as codes.
    if isinstance(data, Path):
        return open_batches(data, columns=wanted, replaced=wanted)
    return Whole(to_arrow(data, columns=wanted, replaced=wanted).table)


def _check_columns(receipt: Receipt, chosen: Sequence[str]) -> None:
    known = released_columns(receipt)
    for name in chosen:
        layout = receipt.layout
        if name in (*layout.get("kept", []), layout.get("id"), layout.get("time")):
            raise DataError(
                f"Column '{name}' was kept, not released: it holds the data as they are.",
                hint="Count its values directly; there is no noise to undo.",
                column=name,
            )
        if name not in known:
            raise ColumnNotFoundError(
                f"The receipt names no released column '{name}'.",
                hint=f"Released are {', '.join(known)}.",
                column=name,
            )


def released_columns(receipt: Receipt) -> list[str]:
    """The columns whose values a mechanism wrote. Errors: DataError for a release of no table."""
    layout = receipt.layout
    if receipt.kind == "words" and layout.get("state"):
        return [str(layout["state"])]
    columns = [str(name) for name in layout.get("columns", [])]
    if not columns:
        raise DataError(
            "The receipt is not of a released table.",
            hint="Use privet.estimate.frequencies on releases that are not files.",
        )
    return columns


def check_can_estimate(receipt: Receipt) -> None:
    """Errors: DataError for a release that no share can be estimated from, and why."""
    if receipt.kind == "query":
        raise DataError(
            "This is the answer to a query, with its intervals: nothing is left to estimate.",
            hint="Read the numbers as they are.",
        )
    if "decoded" in receipt.layout:
        raise DataError(
            "Shares cannot be estimated from decoded words: the noise left in them is not the "
            "mechanism's.",
            hint="Estimate from a release that was made without --decode; privet decode decodes "
            "it later at no cost to privacy.",
        )
    mechanism = receipt.mechanism()
    if not can_estimate(mechanism):
        raise DataError(
            f"Shares cannot be estimated from a release of the {mechanism.title}.",
            hint="It takes a release with --mechanism randomized-response, which costs its epsilon "
            "on top of what was spent.",
        )


def _estimates(
    batches: Tables,
    receipt: Receipt,
    chosen: Sequence[str],
    tick: Progress,
    weights: str | None,
    options: Any,
) -> list[tuple[str, "TableEstimate"]]:
    """(title, estimate) of each column, or of the joint table, or of all symbols of words."""
    names = list(chosen) or released_columns(receipt)
    if receipt.kind == "words":
        if len(chosen) > 1:
            raise ParameterError(
                "The columns of a word have no joint table here.",
                hint="Name one column for one position, or none for all symbols together.",
            )
        mechanism = receipt.mechanism(receipt.parts[0].column)
        title = names[0] if len(names) == 1 else f"all symbols of {len(names)} columns"
        known = _tallies(batches, [tuple(names)], receipt, weights, tick)[0]
        symbols = replace(known, of_words=True)
        return [(title, frequencies_from_counts(symbols, mechanism, **options))]
    if len(chosen) > 1:
        mechanisms = [receipt.mechanism(name) for name in chosen]
        known = _joint_tally(batches, chosen, receipt, weights, tick)
        joint = joint_frequencies_from_counts(known, mechanisms, names=list(chosen), **options)
        return [(" by ".join(chosen), joint)]
    tallies = _tallies(batches, [(name,) for name in names], receipt, weights, tick)
    return [
        (name, frequencies_from_counts(known, receipt.mechanism(name), **options))
        for name, known in zip(names, tallies, strict=True)
    ]


def _tallies(
    batches: Tables,
    groups: Sequence[tuple[str, ...]],
    receipt: Receipt,
    weights: str | None,
    tick: Progress,
) -> list["Tally"]:
    """Of each group of columns, how often each symbol was released in them."""
    of_words = receipt.kind == "words"
    mechanisms = [
        receipt.mechanism(receipt.parts[0].column if of_words else group[0]) for group in groups
    ]

    def counted(table: "pa.Table") -> list["Tally"]:
        each = None if weights is None else _weights(table, weights)
        return [
            tally(_codes(table, group, receipt), mechanism, weights=each, part=True)
            for group, mechanism in zip(groups, mechanisms, strict=True)
        ]

    return _summed(batches, counted, tick)


def _joint_tally(
    batches: Tables,
    names: Sequence[str],
    receipt: Receipt,
    weights: str | None,
    tick: Progress,
) -> "Tally":
    def counted(table: "pa.Table") -> list["Tally"]:
        pairs = [(_codes(table, [name], receipt), receipt.mechanism(name)) for name in names]
        each = None if weights is None else _weights(table, weights)
        return [joint_tally(pairs, weights=each, part=True)]

    return _summed(batches, counted, tick)[0]


def _summed(
    batches: Tables, counted: Callable[["pa.Table"], list["Tally"]], tick: Progress
) -> list["Tally"]:
    """The tallies of all batches, added up."""
    sums: list[Tally] = []
    done, total = 0, batches.total
    for table in batches:
        try:
            found = counted(table)
        except DataError as error:
            raise _moved(error, done) from None
        sums = [a + b for a, b in zip(sums, found, strict=True)] if sums else found
        done += table.num_rows
        tick("counting", done, total)
    return sums


def _moved(error: DataError, rows: int) -> DataError:
    """The same error, its place counted from the first row of the whole."""
    place = error.payload.get("position")
    if not rows or not isinstance(place, int):
        return error
    message = re.sub(rf"(row|position) {place}\b", rf"\g<1> {place + rows}", error.message, count=1)
    return type(error)(message, hint=error.hint, **{**error.payload, "position": place + rows})


def _codes(table: "pa.Table", names: Sequence[str], receipt: Receipt) -> Any:
    """The symbols of those columns, one after the other; where words ended early there are none."""
    from privet.data import encode_column, holds_words, words_from_wide

    parts = []
    for name in names:
        part = receipt.parts[0].column if receipt.kind == "words" else name
        public = receipt.mechanism(part).alphabet  # type: ignore[attr-defined]  # tables and words have Hamming mechanisms
        column = as_symbols(table.column(name), public)
        is_lists = holds_words(table, [name])
        if receipt.layout.get("ragged") and not is_lists:
            column = column.drop_null()
        try:
            parts.append(
                words_from_wide(table, public, [name], ragged=True).words.codes
                if is_lists
                else encode_column(column, public, name=name)
            )
        except DomainError as error:
            raise DataError(
                f"This is not the file of this receipt: {_lower(error.message)}",
                hint="A release holds symbols of its alphabet only. Name the receipt of this file "
                "with --receipt.",
                column=name,
                position=error.payload.get("position"),
            ) from None
    return Codes(np.concatenate(parts))


def _weights(table: "pa.Table", name: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return np.asarray(pc.cast(table.column(name), pa.float64()).to_numpy(), np.float64)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DataError(
            f"The weights in column '{name}' are not all numbers.", hint="Give positive numbers."
        ) from None


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
