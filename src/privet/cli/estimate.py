"""`privet estimate`: shares of the categories in the data, from a release and its receipt."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.release_common import require_file

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.cli.output import Ticker
    from privet.data import Batches
    from privet.errors import DataError
    from privet.estimate import Tally
    from privet.estimate.table import TableEstimate
    from privet.releasing import Receipt

EXAMPLE = "privet estimate released.csv --column vote,tv_news --confidence 0.9"


def estimate(
    released: Annotated[Path, typer.Argument(metavar="RELEASED", help="The released file.")],
    receipt: Annotated[
        Path | None, typer.Option(metavar="FILE", help="RELEASED.receipt.json by default.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            "--column", "-c", metavar="NAME,...", help="One column, or more for a joint table."
        ),
    ] = None,
    confidence: Annotated[
        str, typer.Option(metavar="C", help="Confidence of the intervals.")
    ] = "0.95",
    variance: Annotated[
        str,
        typer.Option(metavar="WHICH", help="mechanism: its noise alone; sampling: with sampling."),
    ] = "mechanism",
    weights: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="A kept column of public design weights.")
    ] = None,
    changed_file: Annotated[
        bool,
        typer.Option("--changed-file", help="Read a file that was changed since its release."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead.")] = False,
) -> None:
    """Estimate shares, with standard errors and intervals, from a release.

    Without --column every released column is estimated by itself; two columns or more give their
    joint table. Reading a release costs no privacy. RELEASED must be, byte for byte, the file that
    the receipt was written for.
    """
    from privet.cli.output import Ticker, print_json
    from privet.releasing import Receipt
    from privet.releasing.files import receipt_path_for
    from privet.releasing.reading import check_file

    require_file(released)
    known = Receipt.read(receipt_path_for(released) if receipt is None else receipt)
    _check_mechanism(known)
    chosen = _chosen(column or [], _columns(known))
    if not changed_file:
        check_file(released, known)
    with Ticker() as tick:
        tick(f"reading {released.name}", 0, 0)
        batches = _opened(released, known, chosen, weights)
        found = _estimates(
            batches, known, chosen, tick, confidence=confidence, variance=variance, weights=weights
        )
    if as_json:
        estimates = [_as_json(*pair) for pair in found]
        print_json({"guarantee": known.sentence, "estimates": estimates})
    else:
        _print(found)


def _opened(
    path: Path, receipt: "Receipt", chosen: Sequence[str], weights: str | None
) -> "Batches":
    """The columns to be read, batch by batch: a release may be far larger than the memory."""
    from privet.data import open_batches
    from privet.errors import ColumnNotFoundError, DataError

    known = _columns(receipt)
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
    wanted = [*(chosen or known), *([] if weights is None else [weights])]
    # The columns are counted and go nowhere, so text may come as codes.
    return open_batches(path, columns=list(dict.fromkeys(wanted)), replaced=wanted)


def _columns(receipt: "Receipt") -> list[str]:
    """The columns whose values a mechanism wrote."""
    from privet.errors import DataError

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


def _chosen(texts: Sequence[str], known: Sequence[str]) -> list[str]:
    """Columns, repeated or separated by commas; a name that holds a comma is taken whole."""
    from privet.cli.options import read_names

    names: list[str] = []
    for text in texts:
        names += [text] if text in known else read_names([text])
    return list(dict.fromkeys(names))


def _check_mechanism(receipt: "Receipt") -> None:
    from privet.errors import DataError
    from privet.releasing import can_estimate

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
    batches: "Batches",
    receipt: "Receipt",
    chosen: Sequence[str],
    tick: "Ticker",
    *,
    confidence: str,
    variance: str,
    weights: str | None,
) -> list[tuple[str, "TableEstimate"]]:
    """(title, estimate) of each column, or of the joint table, or of all symbols of words."""
    from privet import estimate
    from privet.errors import ParameterError

    options: dict[str, Any] = {"confidence": confidence, "variance": variance}
    names = list(chosen) or _columns(receipt)
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
        return [(title, estimate.frequencies_from_counts(symbols, mechanism, **options))]
    if len(chosen) > 1:
        mechanisms = [receipt.mechanism(name) for name in chosen]
        known = _joint_tally(batches, chosen, receipt, weights, tick)
        joint = estimate.joint_frequencies_from_counts(
            known, mechanisms, names=list(chosen), **options
        )
        return [(" by ".join(chosen), joint)]
    tallies = _tallies(batches, [(name,) for name in names], receipt, weights, tick)
    return [
        (name, estimate.frequencies_from_counts(known, receipt.mechanism(name), **options))
        for name, known in zip(names, tallies, strict=True)
    ]


def _tallies(
    batches: "Batches",
    groups: Sequence[tuple[str, ...]],
    receipt: "Receipt",
    weights: str | None,
    tick: "Ticker",
) -> list["Tally"]:
    """Of each group of columns, how often each symbol was released in them."""
    from privet import estimate

    of_words = receipt.kind == "words"
    mechanisms = [
        receipt.mechanism(receipt.parts[0].column if of_words else group[0]) for group in groups
    ]

    def counted(table: "pa.Table") -> list["Tally"]:
        each = None if weights is None else _weights(table, weights)
        return [
            estimate.tally(_codes(table, group, receipt), mechanism, weights=each, part=True)
            for group, mechanism in zip(groups, mechanisms, strict=True)
        ]

    return _summed(batches, counted, tick)


def _joint_tally(
    batches: "Batches",
    names: Sequence[str],
    receipt: "Receipt",
    weights: str | None,
    tick: "Ticker",
) -> "Tally":
    from privet import estimate

    def counted(table: "pa.Table") -> list["Tally"]:
        pairs = [(_codes(table, [name], receipt), receipt.mechanism(name)) for name in names]
        each = None if weights is None else _weights(table, weights)
        return [estimate.joint_tally(pairs, weights=each, part=True)]

    return _summed(batches, counted, tick)[0]


def _summed(
    batches: "Batches", counted: Callable[["pa.Table"], list["Tally"]], tick: "Ticker"
) -> list["Tally"]:
    """The tallies of all batches, added up."""
    from privet.errors import DataError

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


def _moved(error: "DataError", rows: int) -> "DataError":
    """The same error, its place counted from the first row of the whole."""
    place = error.payload.get("position")
    if not rows or not isinstance(place, int):
        return error
    message = re.sub(rf"(row|position) {place}\b", rf"\g<1> {place + rows}", error.message, count=1)
    return type(error)(message, hint=error.hint, **{**error.payload, "position": place + rows})


def _codes(table: "pa.Table", names: Sequence[str], receipt: "Receipt") -> Any:
    """The symbols of those columns, one after the other; where words ended early there are none."""
    import numpy as np

    from privet.data import encode_column
    from privet.errors import DataError, DomainError
    from privet.releasing.reading import as_symbols
    from privet.symbols import Codes

    parts = []
    for name in names:
        part = receipt.parts[0].column if receipt.kind == "words" else name
        public = receipt.mechanism(part).alphabet  # type: ignore[attr-defined]  # tables and words have Hamming mechanisms
        column = as_symbols(table.column(name), public)
        if receipt.layout.get("ragged"):
            column = column.drop_null()
        try:
            parts.append(encode_column(column, public, name=name))
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
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    from privet.errors import DataError

    try:
        return np.asarray(pc.cast(table.column(name), pa.float64()).to_numpy(), np.float64)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise DataError(
            f"The weights in column '{name}' are not all numbers.", hint="Give positive numbers."
        ) from None


def _as_json(title: str, found: "TableEstimate") -> dict[str, Any]:
    return {"title": title, **found.to_json(), "cells": found.rows()}


def _print(found: Sequence[tuple[str, "TableEstimate"]]) -> None:
    from privet.cli.output import print_blank, print_text

    for title, one in found:
        print_estimate(title, one)
        print_text(one.description, style="dim")
        print_blank()


def print_estimate(
    title: str, found: "TableEstimate", *, truth: Sequence[float] = (), at_once: bool = True
) -> None:
    """A table of the cells; `truth` (public demo data only) adds the shares in the data."""
    from privet.cli.output import print_table

    rows, labels = found.rows(), _labels(found)
    header = [*labels, "share", "std. error", "interval"]
    cells = [
        [
            *(str(row[label]) for label in labels),
            f"{row['share']:.1%}",
            f"{row['standard_error']:.1%}",
            f"{row['lower']:.1%} to {row['upper']:.1%}",
        ]
        for row in rows
    ]
    if at_once:
        header.append("all at once")
        for cell, row in zip(cells, rows, strict=True):
            cell.append(f"{row['simultaneous_lower']:.1%} to {row['simultaneous_upper']:.1%}")
    if truth:
        header.append("in the data")
        for cell, share in zip(cells, truth, strict=True):
            cell.append(f"{share:.1%}")
    print_table(title, header, cells, text_columns=len(labels))


def _labels(found: "TableEstimate") -> list[str]:
    names = getattr(found, "names", None)
    return list(names) if names is not None else ["symbol"]


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
