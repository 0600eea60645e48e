"""`privet estimate`: shares of the categories in the data, from a release and its receipt."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privet.cli.output import AsJson
from privet.cli.release_common import require_file

if TYPE_CHECKING:
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
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg", help="Draw the shares and their intervals."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Let an existing plot be replaced.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Estimate shares, with standard errors and intervals, from a release.

    Without --column every released column is estimated by itself; two columns or more give their
    joint table. Reading a release costs no privacy. RELEASED must be, byte for byte, the file that
    the receipt was written for. In Python: privet.estimate_release.
    """
    from privet.cli.output import Ticker, print_json, print_text
    from privet.releasing import Receipt
    from privet.releasing.estimating import (
        check_can_estimate,
        estimate_release,
        released_columns,
    )
    from privet.releasing.files import receipt_path_for

    require_file(released)
    known = Receipt.read(receipt_path_for(released) if receipt is None else receipt)
    check_can_estimate(known)
    chosen = _chosen(column or [], released_columns(known))
    if plot is not None:
        _check_plot(plot, overwrite, known, chosen)
    with Ticker() as tick:
        tick(f"reading {released.name}", 0, 0)
        estimates = estimate_release(
            released,
            chosen,
            receipt=receipt,
            confidence=confidence,
            variance=variance,  # type: ignore[arg-type]  # checked there
            weights=weights,
            changed_file=changed_file,
            progress=tick,
        )
    found = list(estimates.items())
    if plot is not None:
        from privet.reports.estimate_plots import write_estimate_plot

        write_estimate_plot(plot, found, overwrite=overwrite)
    if as_json:
        listed = [_as_json(*pair) for pair in found]
        drawn = None if plot is None else str(plot)
        print_json({"sentence": known.sentence, "estimates": listed, "plot": drawn})
    else:
        _print(found)
        if plot is not None:
            print_text(f"Shares and intervals: {plot}")


def _check_plot(plot: Path, overwrite: bool, receipt: "Receipt", chosen: Sequence[str]) -> None:
    """Refuse a plot that could not be drawn or written, before the release is read."""
    import math

    from privet.cli.plan import check_plot
    from privet.reports.estimate_plots import check_cells

    check_plot(plot, overwrite)
    if receipt.kind == "table":
        drawn = [part for part in receipt.parts if not chosen or part.column in chosen]
        sizes = [part.categories for part in drawn]
        check_cells(math.prod(sizes) if len(chosen) > 1 else sum(sizes))
    else:
        check_cells(receipt.parts[0].categories)


def _chosen(texts: Sequence[str], known: Sequence[str]) -> list[str]:
    """Columns, repeated or separated by commas; a name that holds a comma is taken whole."""
    from privet.cli.options import read_names

    names: list[str] = []
    for text in texts:
        names += [text] if text in known else read_names([text])
    return list(dict.fromkeys(names))


def _as_json(title: str, found: "TableEstimate") -> dict[str, Any]:
    return {"title": title, **found.to_json(), "cells": cells_as_json(found)}


def cells_as_json(found: "TableEstimate") -> list[dict[str, Any]]:
    """A cell each, its symbols in the order of the alphabets: a column may have any name."""
    symbols = product(*(alphabet.symbols for alphabet in found.alphabets))
    return [
        {"cell": list(cell), **numbers}
        for cell, numbers in zip(symbols, found.cell_numbers(), strict=True)
    ]


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
    from privet.estimate.show import share_rows

    header, rows, labels = share_rows(found, at_once=at_once)
    if truth:
        header.append("in the data")
        for cells, share in zip(rows, truth, strict=True):
            cells.append(f"{share:.1%}")
    print_table(title, header, rows, text_columns=labels)
