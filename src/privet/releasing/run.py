"""`release`: the accountable act.

Contract. In this order: the request is checked, the places to write to are checked, the data are
read and checked; only then is anything drawn; then the data and the receipt are written, both or
neither. What can be refused is refused before a single random bit is used. Nothing about the draw
itself is reported: the realised error is kept only for data declared public (`demo=True`).
"""

import os
import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.chains import MarkovChain
from privet.errors import DataError, ParameterError, ParameterTypeError, PrivacyLeakWarning
from privet.exact.number import Number
from privet.languages import Language
from privet.mechanisms import Mechanism, SeriesMechanism
from privet.mechanisms.base import HammingMechanism
from privet.queries import Nodes, Query
from privet.releasing.answer_table import JSON_ENDING, write_answer
from privet.releasing.arguments import (
    Mechanisms,
    Names,
    expanded,
    is_bare,
    names_of,
    names_present,
    phrases,
    refuse,
)
from privet.releasing.blocks import Progress
from privet.releasing.decoding import Decoding
from privet.releasing.files import check_destinations, receipt_path_for, write_release
from privet.releasing.job import Drawn, Job, silent
from privet.releasing.possible import Possible
from privet.releasing.queries import prepare_query
from privet.releasing.query_request import Asked, QueryRequest, no_query
from privet.releasing.receipt import Receipt
from privet.releasing.sequences import WordRequest, prepare_bare_words, prepare_words
from privet.releasing.stand_ins import StandIn
from privet.releasing.symbols import prepare_choice, prepare_series, prepare_symbols
from privet.releasing.tables import TableRequest, prepare_table, read_responses
from privet.symbols import Words

if TYPE_CHECKING:
    from privet.data import ArrowFrame


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
    demo: bool = False,
    progress: Progress = silent,
) -> Release:
    """Release `data` through `mechanism` and account for it.

    `data`: Words, a list of symbols, an array, Codes, a pandas or polars Series, an Arrow array; or
    a table: a pandas, polars or Arrow frame, or the path of a CSV, Parquet or Arrow file. A table
    goes out, its columns in the order they had, as

    - columns: `mechanism` is {column: RandomizedResponse}, or one for every one of `columns`; the
      protected unit is a row, or with `person` and `rows_per_person` all rows of a person;
    - one word an id: with `id`, `time` and `state`; the unit is `adjacency` symbols of a word;
    - one word a row: a word mechanism with `columns`, or randomised response with `columns` and
      `adjacency`; `ragged` allows words to end early.

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
    existing file is refused unless `overwrite`. `demo`: the data are public, so the realised error
    may be seen.
    `progress(stage, done, total)` is called now and then. `ledger`: not in this version; anything
    but None is refused. Errors: any of `privet.errors`, all before the draw but OutputError.
    """
    if ledger is not None:
        raise ParameterError(
            "This version cannot charge a release to a ledger.",
            hint="Leave ledger out and keep the receipts: their record losses add.",
            parameter="ledger",
        )
    remarks = phrases(notes, "notes")
    present = names_present(mechanism, data)
    from_data = names_of(alphabets_from_data, "alphabets_from_data")
    request = _request(
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
        published=(
            *phrases(published, "published"),
            *(f"which values occur in '{name}'" for name in from_data),
        ),
        assumptions=tuple(
            f"the categories of '{name}' were public before, as they were read off the data: for "
            "a person whose category is rare or unique the promise does not hold"
            for name in from_data
        ),
        asked=(query, nodes, confidence, chains_from_data),
    )
    decoding = Decoding.read(decode, decode_method)
    if decoding is not None:
        request = _with_decoding(request, data, decoding)
    possible = Possible.read(language, outside, mechanism)
    if possible is not None:
        request = _with_language(request, data, possible)
    source = _source(request, data)
    if output is not None and isinstance(request, _Bare):
        raise ParameterError(
            "Only a table can be written to a file.",
            hint="Give a frame or a file, or write the release yourself and keep its receipt.",
            parameter="output",
        )
    inputs = [] if source is None else [source]
    more = (JSON_ENDING,) if isinstance(request, QueryRequest) else ()
    target = target_of(output, receipt, inputs, overwrite, more)
    if chains_from_data:
        warnings.warn(
            "The chains were fitted to the protected series themselves: the noise, and the chains "
            "wherever they are published, tell of these without any guarantee. Fit them to public "
            "series, or learn them from released ones.",
            PrivacyLeakWarning,
            stacklevel=2,
        )
    job = _prepare(request, data, source, target, progress)
    job = replace(
        job,
        layout={**job.layout, **_left_out(request, present)},
        notes=(*remarks, *job.notes),
    )
    account = Receipt(
        job.kind, job.guarantee, job.spent, job.parts, job.shape, job.layout, job.notes, demo
    )
    if target is not None:
        account.to_text()  # What cannot be written down is not drawn.
    drawn = job.draw(progress, demo)
    return finish(account, drawn, target, overwrite=overwrite, progress=progress)


@dataclass(frozen=True)
class _Bare:
    """A release of something that is not a table."""

    mechanism: Mechanism
    adjacency: int | None
    published: tuple[str, ...]
    assumptions: tuple[str, ...]
    other: StandIn
    missing: StandIn
    decoding: Decoding | None = None
    possible: Possible | None = None


_Request = TableRequest | WordRequest | QueryRequest | _Bare


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
    assumptions: tuple[str, ...],
    asked: Asked,
) -> _Request:
    """Which form of release is meant, with its own checks made."""
    is_long = any(name is not None for name in sequence)
    if isinstance(mechanism, Mapping):
        refuse(columns, "columns", "the mapping {column: mechanism} names them already")
        refuse(is_long, "id, time or state", "words have one mechanism, not one a column")
        refuse(adjacency is not None, "adjacency", "it counts symbols of words, not columns")
        responses = read_responses(mechanism)
        return TableRequest(
            responses, keep, person, rows_per_person, other, missing, published, assumptions
        )
    if not isinstance(mechanism, Mechanism):
        raise ParameterTypeError(
            f"A {type(mechanism).__name__} is not a mechanism.",
            hint="Give a mechanism such as RandomizedResponse(alphabet, epsilon=1), or a mapping "
            "from columns to mechanisms.",
            parameter="mechanism",
        )
    if isinstance(mechanism, SeriesMechanism):
        refuse(keep, "keep", "no row goes out with the answer to a query")
        refuse(person is not None, "person", "the unit is one step of a series")
        refuse(rows_per_person is not None, "rows_per_person", "the unit is one step of a series")
        refuse(adjacency is not None, "adjacency", "the unit is one step of a series")
        return QueryRequest.read(
            mechanism,
            asked,
            sequence=sequence,
            columns=columns,
            ragged=ragged,
            other=other,
            missing=missing,
            published=published,
            assumptions=assumptions,
        )
    no_query(mechanism, asked)
    as_table = isinstance(mechanism, HammingMechanism) and mechanism.name == "randomized-response"
    if columns and as_table and adjacency is None and not ragged and not is_long:
        responses = read_responses(dict.fromkeys(columns, mechanism))
        return TableRequest(
            responses, keep, person, rows_per_person, other, missing, published, assumptions
        )
    refuse(person is not None, "person", "the unit of a word is its symbols")
    refuse(rows_per_person is not None, "rows_per_person", "the unit of a word is its symbols")
    if columns or is_long:
        if not isinstance(mechanism, HammingMechanism):
            raise ParameterError(
                f"{type(mechanism).__name__} does not release words.",
                hint="Use RandomizedResponse or one of the Word mechanisms.",
            )
        return WordRequest(
            mechanism,
            *sequence,
            columns,
            ragged,
            keep,
            adjacency,
            other,
            missing,
            published,
            assumptions,
        )
    refuse(keep, "keep", "only a table has columns to keep")
    refuse(ragged, "ragged", "only a table can have words that end early")
    return _Bare(mechanism, adjacency, published, assumptions, other, missing)


def _with_decoding(request: "_Request", data: Any, decoding: Decoding) -> "_Request":
    """The request with its words decoded. Errors: ParameterError where there are no words."""
    if isinstance(request, TableRequest | QueryRequest) or (
        isinstance(request, _Bare) and not isinstance(data, Words)
    ):
        raise ParameterError(
            "Only words are decoded, and this release is of no words.",
            hint="Give id, time and state, or columns and adjacency; a word without a table goes "
            "in as Words.",
            parameter="decode",
        )
    return replace(request, decoding=decoding)


def _with_language(request: "_Request", data: Any, possible: Possible) -> "_Request":
    """The request with the language of its words. Errors: ParameterError without words."""
    if isinstance(request, TableRequest | QueryRequest) or (
        isinstance(request, _Bare) and not isinstance(data, Words)
    ):
        raise ParameterError(
            "Only words have a language, and this release is of no words.",
            hint="Leave language out; a word without a table goes in as Words.",
            parameter="language",
        )
    return replace(request, possible=possible)


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


def _left_out(request: "_Request", present: Sequence[str]) -> dict[str, Any]:
    """The columns that do not go out; their names are public."""
    if isinstance(request, _Bare | QueryRequest):
        return {}
    released = request.mechanisms if isinstance(request, TableRequest) else request.own_columns
    return {"left_out": [name for name in present if name not in {*released, *request.keep}]}


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


def _prepare(
    request: _Request,
    data: Any,
    source: Path | None,
    target: tuple[Path, Path] | None,
    progress: Progress,
) -> Job:
    """Everything that can be refused is refused here; nothing is drawn."""
    if isinstance(request, QueryRequest):
        return prepare_query(
            request, data, lambda: _frame(data, source, request, progress), progress
        )
    if isinstance(request, _Bare):
        job = _prepare_bare(request, data)
        return replace(job, guarantee=job.guarantee.with_assumptions(*request.assumptions))
    if is_bare(data):
        raise DataError(
            f"A {type(data).__name__} has no columns.",
            hint="Give a frame or a file, or one mechanism without columns.",
        )
    frame = _frame(data, source, request, progress)
    if target is not None:
        from privet.data import check_writable, select_columns

        check_writable(select_columns(frame.table, request.columns_going_out).schema, target[0])
    if isinstance(request, TableRequest):
        job = prepare_table(frame, request, progress)
    else:
        job = prepare_words(frame, request, progress)
    if target is not None:
        _check_reads_back(frame, request, target[0])
    return job


def _check_reads_back(
    frame: "ArrowFrame", request: TableRequest | WordRequest, output: Path
) -> None:
    """Refuse a CSV file whose symbols would not read back as themselves."""
    from privet.releasing.reading import check_reads_back

    released: Mapping[str, HammingMechanism] = (
        request.mechanisms
        if isinstance(request, TableRequest)
        else dict.fromkeys(request.columns_replaced, request.mechanism)
    )
    checked: set[tuple[int, Any]] = set()
    for name, mechanism in released.items():
        kind = frame.table.schema.field(name).type
        if (id(mechanism), kind) not in checked:
            checked.add((id(mechanism), kind))
            check_reads_back(mechanism.alphabet, kind, name=name, output=output)


def _prepare_bare(request: _Bare, data: Any) -> Job:
    mechanism, adjacency, published = request.mechanism, request.adjacency, request.published
    stand_ins = {"other": request.other, "missing": request.missing}
    is_table = False
    if isinstance(mechanism, HammingMechanism) and not is_bare(data):
        from privet.data import names_in_frame, series_to_arrow

        series = series_to_arrow(data)
        if series is not None:
            return prepare_series(mechanism, series, adjacency, published, **stand_ins)
        is_table = names_in_frame(data) is not None
    if is_table:
        raise ParameterError(
            "A table needs the columns to release.",
            hint="Give columns=[...], a mapping {column: mechanism}, or id, time and state.",
            parameter="columns",
        )
    for role, given in stand_ins.items():
        refuse(given is not None, role, "use Alphabet.encode or Words.from_lists with it")
    if not isinstance(mechanism, HammingMechanism):
        return prepare_choice(mechanism, data, published)
    if isinstance(data, Words):
        return prepare_bare_words(
            mechanism, data, adjacency, published, request.decoding, request.possible
        )
    return prepare_symbols(mechanism, data, adjacency, published)


def _frame(
    data: Any,
    source: Path | None,
    request: TableRequest | WordRequest | QueryRequest,
    progress: Progress,
) -> "ArrowFrame":
    """The table that was given: only the columns that are needed, and only what their rows hold."""
    from privet.data import read_table, to_arrow

    columns, replaced = request.columns_needed, request.columns_replaced
    if source is None:
        return to_arrow(data, columns=columns, replaced=replaced)
    progress(f"reading {source.name}", 0, 0)
    table = read_table(source, columns=columns, replaced=replaced)
    return to_arrow(table, columns=columns, replaced=replaced)


def finish(
    receipt: Receipt,
    drawn: Drawn,
    target: tuple[Path, Path] | None,
    *,
    overwrite: bool,
    progress: Progress,
) -> Release:
    """What was drawn, with its receipt, written if there is a target."""
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
    wrong = drawn.realised_errors if receipt.demo else None
    return Release(drawn.data, receipt, wrong, drawn.rows)
