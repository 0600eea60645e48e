"""`release`: the accountable act.

Contract. In this order: the request is checked, the places to write to are checked, the data are
read and checked; the account of a ledger, if there is one, is charged; only then is anything drawn;
the account is told so; then the data and the receipt are written, both or neither. What can be
refused is refused before a single random bit is used. Nothing about the draw itself is reported:
the realised error is kept only for data declared public (`demo=True`).
"""

import os
import warnings
from collections.abc import Hashable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.chains import MarkovChain
from privet.errors import ParameterError, PrivacyLeakWarning
from privet.exact.number import Number
from privet.languages import Language
from privet.queries import Nodes, Query
from privet.releasing.answer_table import JSON_ENDING
from privet.releasing.arguments import (
    Mechanisms,
    Names,
    expanded,
    names_of,
    names_present,
    phrases,
)
from privet.releasing.blocks import Progress
from privet.releasing.charging import read_account
from privet.releasing.decoding import Decoding
from privet.releasing.finishing import Release, target_of
from privet.releasing.forms import (
    Bare,
    Request,
    left_out_of,
    read_request,
    source_of,
    with_decoding,
    with_language,
)
from privet.releasing.in_batches.run import large_release, prepare_in_batches
from privet.releasing.job import silent
from privet.releasing.paying import carry_out
from privet.releasing.possible import Possible
from privet.releasing.preparing import prepare
from privet.releasing.query_request import QueryRequest
from privet.releasing.receipt import Receipt
from privet.releasing.spark import is_spark_frame
from privet.releasing.spark.staging import folder_target

if TYPE_CHECKING:
    from privet.ledger import Account


def release(
    mechanism: Mechanisms,
    data: Any,
    *,
    ledger: "Account | None" = None,
    columns: Names | None = None,
    keep: Names = (),
    person: str | None = None,
    rows_per_person: int | None = None,
    id: str | None = None,  # noqa: A002  # the name by which the public call takes it
    time: str | None = None,
    state: str | None = None,
    adjacency: int | None = None,
    ragged: bool = False,
    other: Hashable | Mapping[str, Hashable] = None,
    missing: Hashable | Mapping[str, Hashable] = None,
    published: Sequence[str] = (),
    alphabets_from_data: Names = (),
    decode: MarkovChain | None = None,
    decode_method: str = "viterbi",
    language: Language | None = None,
    outside: str = "refuse",
    query: Query | str | dict[str, Any] | None = None,
    nodes: Nodes = None,
    confidence: Number = "0.95",
    chains_from_data: bool = False,
    notes: Sequence[str] = (),
    output: str | os.PathLike[str] | None = None,
    receipt: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    batches: bool | None = None,
    demo: bool = False,
    progress: Progress = silent,
) -> Release:
    """Release `data` through `mechanism` and account for it.

    `data`: Words, a list of symbols, an array, Codes, a pandas or polars Series, an Arrow array; or
    a table: a pandas, polars, Arrow or Spark frame, or the path of a CSV, Parquet or Arrow file. A
    table goes out, its columns in the order they had, as

    - columns: `mechanism` is {column: RandomizedResponse}, or one for every one of `columns`; the
      protected unit is a row, or with `person` and `rows_per_person` all rows of a person;
    - one word an id: with `id`, `time` and `state`; the unit is `adjacency` symbols of a word;
    - one word a row: a word mechanism with `columns`, or randomised response with `columns` and
      `adjacency`; `ragged` allows words to end early. One column of lists is a word a row too.

    A mechanism on series (MarkovLaplace, say) answers a `query` about the steps `nodes` (start,
    stop) of each: of Words, of one bare series, or of a table with one series an id, one series in
    all (`time` and `state` without `id`), or one a row (`columns`). Only the answer goes out, with
    intervals of that `confidence`; an output may then end in .json too. `chains_from_data`: the
    chains were fitted to these very data, which the guarantee then says, with a
    PrivacyLeakWarning.

    `columns` and `keep` take names, patterns ("d*") and ranges ("d1..d30").
    `keep`: columns that go out as they are. `other`, `missing`: symbols for labels outside the
    alphabet and for missing values, one for all columns or by column. `published`: further things
    the caller gives out, to be named in the guarantee. `alphabets_from_data`: columns whose
    alphabet was read off the data, which limits the promise, as the guarantee then says. `decode`:
    a public chain with which words released symbol by symbol are decoded before they go out, by
    `decode_method` ("viterbi", "marginals" or "sample"); the guarantee stays. `language`: the
    public words that can happen, for a mechanism that knows none: other words in the data are
    refused unless `outside` is "allow". `notes`: remarks for the receipt. `output`: where the table
    is written, with its receipt at `receipt` (default: beside it, ending .receipt.json); an
    existing file is refused unless `overwrite`. `batches`: read, draw and write a file batch by
    batch, in memory that does not grow with it; by default a folder and a file from 64 MiB on are.
    `data` of the result is then read from the output when it is asked for; a query, but about one
    series in all, is added up batch by batch and needs no output. `demo`: the data are public, so
    the realised error may be seen.
    `progress(stage, done, total)` is called now and then. `ledger`: an account of a `Ledger`, which
    is charged for the release before anything is drawn, and stays charged whatever happens then.
    Errors: any of `privet.errors`, all before the draw but OutputError and, from a ledger that went
    away meanwhile, LedgerError; BudgetExceededError where the account has not enough left.
    """
    account = read_account(ledger)
    remarks = phrases(notes, "notes")
    present = names_present(mechanism, data)
    from_data = names_of(alphabets_from_data, "alphabets_from_data")
    request = read_request(
        mechanism,
        columns=expanded(names_of(columns, "columns"), present),
        keep=expanded(names_of(keep, "keep"), present),
        person=person,
        rows_per_person=rows_per_person,
        sequence=(id, time, state),
        adjacency=adjacency,
        ragged=ragged,
        other=other,
        missing=missing,
        published=(*phrases(published, "published"), *_shown_by_alphabets(from_data)),
        assumptions=_assumed_of_alphabets(from_data),
        asked=(query, nodes, confidence, chains_from_data),
    )
    decoding = Decoding.read(decode, decode_method)
    if decoding is not None:
        request = with_decoding(request, data, decoding)
    possible = Possible.read(language, outside, mechanism)
    if possible is not None:
        request = with_language(request, data, possible)
    source = source_of(request, data)
    target = _target(request, data, source, output, receipt, overwrite)
    if chains_from_data:
        _warn_of_fitted_chains()
    with ExitStack() as room:
        large = large_release(request, source, target, batches)
        if large is not None:
            job = prepare_in_batches(large, overwrite=overwrite, progress=progress, room=room)
        else:
            job = prepare(request, data, source, target, progress)
        layout = {**job.layout, **left_out_of(request, present)}
        job = replace(job, layout=layout, notes=(*remarks, *job.notes))
        made = Receipt(
            job.kind, job.guarantee, job.spent, job.parts, job.shape, job.layout, job.notes, demo
        )
        if target is not None:
            made.to_text()  # What cannot be written down is not drawn.
        return carry_out(job, made, account, target, overwrite=overwrite, progress=progress)


def _shown_by_alphabets(columns: Sequence[str]) -> tuple[str, ...]:
    """What alphabets that were read off the data give out."""
    return tuple(f"which values occur in '{name}'" for name in columns)


def _assumed_of_alphabets(columns: Sequence[str]) -> tuple[str, ...]:
    """What limits the promise where alphabets were read off the data."""
    return tuple(
        f"the categories of '{name}' were public before, as they were read off the data: for "
        "a person whose category is rare or unique the promise does not hold"
        for name in columns
    )


def _target(
    request: Request,
    data: Any,
    source: Path | None,
    output: str | os.PathLike[str] | None,
    receipt: str | os.PathLike[str] | None,
    overwrite: bool,
) -> tuple[Path, Path] | None:
    """Where the release and its receipt go. Errors: ParameterError, OutputError."""
    if output is not None and isinstance(request, Bare):
        raise ParameterError(
            "Only a table can be written to a file.",
            hint="Give a frame or a file, or write the release yourself and keep its receipt.",
            parameter="output",
        )
    if is_spark_frame(data):
        return folder_target(output, receipt, overwrite)
    inputs = [] if source is None else [source]
    more = (JSON_ENDING,) if isinstance(request, QueryRequest) else ()
    return target_of(output, receipt, inputs, overwrite, more)


def _warn_of_fitted_chains() -> None:
    """To the caller of `release`."""
    warnings.warn(
        "The chains were fitted to the protected series themselves: the noise, and the chains "
        "wherever they are published, tell of these without any guarantee. Fit them to public "
        "series, or learn them from released ones.",
        PrivacyLeakWarning,
        stacklevel=3,
    )
