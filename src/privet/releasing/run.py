"""`release`: the accountable act.

Contract. In this order: the request is checked, the places to write to are checked, the data are
read and checked; only then is anything drawn; then the data and the receipt are written, both or
neither. What can be refused is refused before a single random bit is used. Nothing about the draw
itself is reported: the realised error is kept only for data declared public (`demo=True`).
"""

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError, ParameterError, ParameterTypeError
from privet.mechanisms import Mechanism
from privet.mechanisms.base import HammingMechanism
from privet.releasing.files import check_destinations, receipt_path_for, write_release
from privet.releasing.job import Drawn, Job, Progress, silent
from privet.releasing.receipt import Receipt
from privet.releasing.sequences import WordRequest, prepare_bare_words, prepare_words
from privet.releasing.stand_ins import StandIn
from privet.releasing.symbols import prepare_choice, prepare_symbols
from privet.releasing.tables import TableRequest, prepare_table, read_responses
from privet.symbols import Codes, Words

if TYPE_CHECKING:
    from privet.data import ArrowFrame

Mechanisms = Mechanism | Mapping[str, Mechanism]
Names = str | Sequence[str]


@dataclass(frozen=True)
class Release:
    """What was released, and under which promise.

    `data`: in the kind that was given (an Arrow table for a file); `receipt`: what it promises;
    `realised_errors`: the symbols that differ from the data, by part, for public demo data only
    (None otherwise: it is private).
    """

    data: Any
    receipt: Receipt
    realised_errors: tuple[int, ...] | None = None


def release(
    mechanism: Mechanisms,
    data: Any,
    *,
    ledger: None = None,
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
    output: str | os.PathLike[str] | None = None,
    receipt: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    demo: bool = False,
    progress: Progress = silent,
) -> Release:
    """Release `data` through `mechanism` and account for it.

    `data`: Words, a list of symbols, an array, Codes; or a table: a pandas, polars or Arrow frame,
    or the path of a CSV, Parquet or Arrow file. A table goes out as

    - columns: `mechanism` is {column: RandomizedResponse}, or one for every one of `columns`; the
      protected unit is a row, or with `person` and `rows_per_person` all rows of a person;
    - one word an id: with `id`, `time` and `state`; the unit is `adjacency` symbols of a word;
    - one word a row: a word mechanism with `columns`, or randomised response with `columns` and
      `adjacency`; `ragged` allows words to end early.

    `keep`: columns that go out as they are. `other`, `missing`: symbols for labels outside the
    alphabet and for missing values, one for all columns or by column. `published`: further things
    the caller gives out, to be named in the guarantee. `output`: where the table is written, with
    its receipt at `receipt` (default: beside it, ending .receipt.json); an existing file is
    refused unless `overwrite`. `demo`: the data are public, so the realised error may be seen.
    `progress(stage, done, total)` is called now and then. `ledger`: not in this version; anything
    but None is refused. Errors: any of `privet.errors`, all before the draw but OutputError.
    """
    if ledger is not None:
        raise ParameterError(
            "This version cannot charge a release to a ledger.",
            hint="Leave ledger out and keep the receipts: their epsilons add.",
            parameter="ledger",
        )
    request = _request(
        mechanism,
        columns=_names(columns, "columns"),
        keep=_names(keep, "keep"),
        person=person,
        rows_per_person=rows_per_person,
        sequence=(id, time, state),
        adjacency=adjacency,
        ragged=ragged,
        other=other,
        missing=missing,
        published=tuple(published),
    )
    source = _source(request, data)
    if output is not None and isinstance(request, _Bare):
        raise ParameterError(
            "Only a table can be written to a file.",
            hint="Give a frame or a file, or write the release yourself and keep its receipt.",
            parameter="output",
        )
    target = _target(output, receipt, source, overwrite)
    job = _prepare(request, data, source, progress)
    drawn = job.draw(progress, demo)
    return _finish(job, drawn, target, demo, progress)


@dataclass(frozen=True)
class _Bare:
    """A release of something that is not a table."""

    mechanism: Mechanism
    adjacency: int | None
    published: tuple[str, ...]


_Request = TableRequest | WordRequest | _Bare


def _request(
    mechanism: Mechanisms,
    *,
    columns: tuple[str, ...],
    keep: tuple[str, ...],
    person: str | None,
    rows_per_person: int | None,
    sequence: tuple[str | None, str | None, str | None],
    adjacency: int | None,
    ragged: bool,
    other: StandIn,
    missing: StandIn,
    published: tuple[str, ...],
) -> _Request:
    """Which of the three forms of release is meant, with its own checks made."""
    is_long = any(name is not None for name in sequence)
    if isinstance(mechanism, Mapping):
        _refuse(columns, "columns", "the mapping {column: mechanism} names them already")
        _refuse(is_long, "id, time or state", "words have one mechanism, not one a column")
        _refuse(adjacency is not None, "adjacency", "it counts symbols of words, not columns")
        responses = read_responses(mechanism)
        return TableRequest(responses, keep, person, rows_per_person, other, missing, published)
    if not isinstance(mechanism, Mechanism):
        raise ParameterTypeError(
            f"A {type(mechanism).__name__} is not a mechanism.",
            hint="Give a mechanism such as RandomizedResponse(alphabet, epsilon=1), or a mapping "
            "from columns to mechanisms.",
            parameter="mechanism",
        )
    as_table = isinstance(mechanism, HammingMechanism) and mechanism.name == "randomized-response"
    if columns and as_table and adjacency is None and not ragged and not is_long:
        responses = read_responses(dict.fromkeys(columns, mechanism))
        return TableRequest(responses, keep, person, rows_per_person, other, missing, published)
    _refuse(person is not None, "person", "the unit of a word is its symbols")
    _refuse(rows_per_person is not None, "rows_per_person", "the unit of a word is its symbols")
    if columns or is_long:
        if not isinstance(mechanism, HammingMechanism):
            raise ParameterError(
                f"{type(mechanism).__name__} does not release words.",
                hint="Use RandomizedResponse or one of the Word mechanisms.",
            )
        return WordRequest(
            mechanism, *sequence, columns, ragged, keep, adjacency, other, missing, published
        )
    _refuse(keep, "keep", "only a table has columns to keep")
    _refuse(ragged, "ragged", "only a table can have words that end early")
    for role, given in (("other", other), ("missing", missing)):
        _refuse(given is not None, role, "use Alphabet.encode or Words.from_lists with it")
    return _Bare(mechanism, adjacency, published)


def _refuse(given: object, parameter: str, reason: str) -> None:
    if given:
        raise ParameterError(
            f"{parameter} does not apply to this release: {reason}.",
            hint=f"Leave {parameter} out.",
            parameter=parameter,
        )


def _names(given: Names | None, parameter: str) -> tuple[str, ...]:
    if given is None:
        return ()
    names = (given,) if isinstance(given, str) else tuple(given)
    if not all(isinstance(name, str) for name in names):
        raise ParameterTypeError(
            f"{parameter} must be column names.", hint="Column names are text.", parameter=parameter
        )
    if len(set(names)) != len(names):
        raise ParameterError(f"{parameter} names a column twice.", hint="Name each column once.")
    return names


def _source(request: "_Request", data: Any) -> Path | None:
    """The file that `data` names; the input of a choice may be any text and names none."""
    if not isinstance(data, str | os.PathLike):
        return None
    if not isinstance(request, _Bare):
        return Path(data)
    if isinstance(request.mechanism, HammingMechanism):
        raise ParameterError(
            "A file needs the columns to release.",
            hint="Give a mapping {column: mechanism}, or columns, or id, time and state.",
            parameter="columns",
        )
    return None


def _is_bare(data: object) -> bool:
    return isinstance(data, Words | Codes | list | tuple | np.ndarray)


def _target(
    output: str | os.PathLike[str] | None,
    receipt: str | os.PathLike[str] | None,
    source: Path | None,
    overwrite: bool,
) -> tuple[Path, Path] | None:
    """The output and its receipt, checked before the data are read."""
    if output is None:
        _refuse(receipt is not None, "receipt", "without an output, use .receipt of the result")
        return None
    place = Path(output)
    receipt_place = receipt_path_for(place) if receipt is None else Path(receipt)
    check_destinations(place, receipt_place, source=source, overwrite=overwrite)
    return place, receipt_place


def _prepare(request: _Request, data: Any, source: Path | None, progress: Progress) -> Job:
    if isinstance(request, _Bare):
        mechanism = request.mechanism
        if not isinstance(mechanism, HammingMechanism):
            return prepare_choice(mechanism, data, request.published)
        if isinstance(data, Words):
            return prepare_bare_words(mechanism, data, request.adjacency, request.published)
        return prepare_symbols(mechanism, data, request.adjacency, request.published)
    if _is_bare(data):
        raise DataError(
            f"A {type(data).__name__} has no columns.",
            hint="Give a frame or a file, or one mechanism without columns.",
        )
    frame = _frame(data, source, request.columns_needed, progress)
    if isinstance(request, TableRequest):
        return prepare_table(frame, request, progress)
    return prepare_words(frame, request, progress)


def _frame(data: Any, source: Path | None, columns: list[str], progress: Progress) -> "ArrowFrame":
    """The table that was given; only the columns that are needed."""
    from privet.data import read_table, to_arrow

    if source is None:
        return to_arrow(data, columns=columns)
    progress(f"reading {source.name}", 0, 0)
    return to_arrow(read_table(source, columns=columns))


def _finish(
    job: Job,
    drawn: Drawn,
    target: tuple[Path, Path] | None,
    demo: bool,
    progress: Progress,
) -> Release:
    receipt = Receipt(job.kind, job.guarantee, job.spent, job.parts, job.shape, job.layout, demo)
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
            write_data=lambda path: write_table(drawn.table, path),
            receipt_text=text,
        )
        receipt = replace(receipt, output=facts)
    return Release(drawn.data, receipt, drawn.realised_errors if demo else None)
