"""From a request and its data to a job: everything is read and checked, nothing is drawn."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import DataError, ParameterError
from privet.mechanisms.base import HammingMechanism
from privet.releasing.arguments import is_bare, refuse
from privet.releasing.blocks import Progress
from privet.releasing.forms import Bare, Request
from privet.releasing.job import Job
from privet.releasing.queries import prepare_query
from privet.releasing.query_request import QueryRequest
from privet.releasing.sequences import WordRequest, prepare_bare_words, prepare_words
from privet.releasing.spark import is_spark_frame
from privet.releasing.symbols import prepare_choice, prepare_series, prepare_symbols
from privet.releasing.tables import TableRequest, prepare_table
from privet.symbols import Words

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.data import ArrowFrame


def prepare(
    request: Request,
    data: Any,
    source: Path | None,
    target: tuple[Path, Path] | None,
    progress: Progress,
) -> Job:
    """Everything that can be refused is refused here; nothing is drawn."""
    if is_spark_frame(data) and target is not None:
        from privet.releasing.spark.preparing import prepare_frame

        return prepare_frame(data, request, target, progress)
    if isinstance(request, QueryRequest):
        return prepare_query(
            request, data, lambda: _frame(data, source, request, progress), progress
        )
    if isinstance(request, Bare):
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
        check_reads_back(frame.table.schema, request, target[0])
    return job


def check_reads_back(
    schema: "pa.Schema", request: TableRequest | WordRequest, output: Path
) -> None:
    """Refuse a CSV file whose symbols would not read back as themselves. Errors: ParameterError."""
    from privet.releasing.reading import check_reads_back as check_column

    released: Mapping[str, HammingMechanism] = (
        request.mechanisms
        if isinstance(request, TableRequest)
        else dict.fromkeys(request.columns_replaced, request.mechanism)
    )
    checked: set[tuple[int, Any]] = set()
    for name, mechanism in released.items():
        kind = schema.field(name).type
        if (id(mechanism), kind) not in checked:
            checked.add((id(mechanism), kind))
            check_column(mechanism.alphabet, kind, name=name, output=output)


def _prepare_bare(request: Bare, data: Any) -> Job:
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
