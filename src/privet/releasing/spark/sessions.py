"""What a Spark frame and its session must be like, before a job of theirs is started.

Contract. Everything is asked of the driver; nothing of the frame is computed. What cannot be seen
from here, as of a cluster behind Spark Connect, is refused.
"""

import os
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from privet.errors import DataError, MissingValueError, ParameterError, PrivacyLeakWarning
from privet.randomness import SystemSource, current_source
from privet.releasing.tables import TableRequest, too_many_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

_PLAIN = (
    "binary",
    "boolean",
    "byte",
    "date",
    "decimal",
    "double",
    "float",
    "integer",
    "long",
    "short",
    "string",
    "timestamp",
)

ROW, TAG = "privet_row", "privet_tag"
"""Columns that go with the rows from one task to another: a mark of their values, their place."""


def check_session(frame: "DataFrame") -> None:
    """Refuse a frame of which a release could be drawn twice, or of which that cannot be known.

    Errors: DataError for the frame, ParameterError for the session.
    """
    if ".connect." in type(frame).__module__:
        raise DataError(
            "A frame of Spark Connect is not released: whether its cluster runs tasks twice at "
            "once cannot be seen from here.",
            hint="Run the release where the session is, or write the frame to Parquet and release "
            "that.",
        )
    if frame.isStreaming:
        raise DataError(
            "A streaming frame has no end, and each of its batches would be another release.",
            hint="Release what it has written, or a frame of each batch (foreachBatch).",
        )
    settings = frame.sparkSession.sparkContext.getConf()
    if str(settings.get("spark.speculation", "false")).strip().lower() == "true":
        raise ParameterError(
            "The session has spark.speculation switched on: Spark would draw slow tasks twice at "
            "once.",
            hint="Start it with spark.speculation=false.",
            parameter="data",
        )
    if type(current_source()) is not SystemSource:
        raise ParameterError(
            "A source of random bits that is put in force here does not reach the tasks of Spark, "
            "which draw from the operating system.",
            hint="Release the frame outside using_source.",
            parameter="data",
        )


def narrowed(frame: "DataFrame", columns: list[str]) -> "DataFrame":
    """The columns named, in the frame's order and under plain names (c0, c1, ...).

    Names that Spark reads in ways of its own (dots, letters of either case) mean nothing there.
    Errors: ColumnNotFoundError; DataError for two columns of one name, and for a frame that is not
    determined: what would be drawn could be other rows than were checked.
    """
    from privet.data.arrow import require_columns, unique_names

    present = unique_names(frame.columns, "The frame")
    _refuse_names(frame, columns)
    chosen = set(require_columns(present, columns, "The frame"))
    places = [place for place, name in enumerate(present) if name in chosen]
    plain = frame.toDF(*(f"c{place}" for place in range(len(present))))
    plain = plain.select(*(f"c{place}" for place in places))
    plan: Any = plain._jdf.queryExecution().optimizedPlan()
    if not plan.deterministic():
        raise DataError(
            "The frame is made anew, with other values, each time it is evaluated: it has an "
            "expression that is not determined (rand, a number given to each row, ...).",
            hint="Write it to Parquet first, and release spark.read.parquet of that.",
        )
    return plain


def _refuse_names(frame: "DataFrame", columns: list[str]) -> None:
    """What would go out under these names could not be read back."""
    sensitive = str(frame.sparkSession.conf.get("spark.sql.caseSensitive")).lower() == "true"
    seen: dict[str, str] = dict.fromkeys((ROW, TAG), "a column of Privet's own")
    for name in columns:
        read = name if sensitive else name.lower()
        if read in seen:
            raise DataError(
                f"Spark cannot tell the column '{name}' from {seen[read]}.",
                hint="Rename one of them.",
                column=name,
            )
        seen[read] = f"the column '{name}'"


def kinds_of(frame: "DataFrame", columns: list[str]) -> "StructType":
    """The schema of those columns in the frame's order: names and types, and nothing else.

    What a frame says of its columns besides, such as the labels of an index, may come from the
    data. Errors: DataError for a type that does not read back from Parquet as it is.
    """
    from pyspark.sql.types import StructField, StructType

    fields = [field for field in frame.schema.fields if field.name in columns]
    for field in fields:
        if not _reads_back(field.dataType):
            raise DataError(
                f"The values of the column '{field.name}' do not read back from Parquet as they "
                "are.",
                hint="Convert it to text, numbers, dates or moments, or leave it out.",
                column=field.name,
            )
    return StructType([StructField(field.name, field.dataType) for field in fields])


def _reads_back(kind: Any) -> bool:
    name = str(kind.typeName())
    if name == "array":
        return _reads_back(kind.elementType)
    if name == "map":
        return _reads_back(kind.keyType) and _reads_back(kind.valueType)
    if name == "struct":
        return all(_reads_back(field.dataType) for field in kind.fields)
    return name.startswith(_PLAIN)


def warn_of_order(frame: "DataFrame", released: list[str]) -> None:
    """Warn of a frame that is sorted or divided by a released column: rows go out in that order.

    Only what the frame's own plan says is seen, not how a file that it reads is sorted.
    """
    plan: Any = frame._jdf.queryExecution().optimizedPlan()
    output = plan.output()
    place = {name: frame.columns.index(name) for name in released}
    number = {name: output.apply(at).exprId().id() for name, at in place.items()}
    told = {each for node in _nodes(plan) for each in _arranged_by(node)}
    named = [name for name in released if number[name] in told]
    if named:
        warnings.warn(
            f"The frame is sorted, grouped or divided by '{named[0]}', which is released: the "
            "rows go out in that order, which tells of the values themselves. "
            "Arrange the rows by something public first.",
            PrivacyLeakWarning,
            stacklevel=5,
        )


def _nodes(plan: Any) -> Iterator[Any]:
    yield plan
    below = plan.children()
    for place in range(below.size()):
        yield from _nodes(below.apply(place))


def _arranged_by(node: Any) -> list[int]:
    """The numbers of the columns by which a node of a plan arranges the rows."""
    keys = {
        "Aggregate": "groupingExpressions",
        "RepartitionByExpression": "partitionExpressions",
        "Sort": "order",
        "Window": "partitionSpec",
    }.get(str(node.nodeName()))
    if keys is None:
        return []
    expressions = getattr(node, keys)()
    numbers = []
    for place in range(expressions.size()):
        references = expressions.apply(place).references().toSeq()
        numbers += [references.apply(at).exprId().id() for at in range(references.size())]
    return numbers


def with_marks(frame: "DataFrame", *, tagged: bool) -> "DataFrame":
    """The frame with 64 bits that mark the values of each row and, if `tagged`, its place.

    The sum of the marks over all rows is the same for the same rows, however they are divided and
    ordered; it never leaves the driver, and the marks are others each time.
    """
    from pyspark.sql import functions

    # Maps have no hash, as the order of their entries means nothing.
    hashed = [field.name for field in frame.schema.fields if not _has_map(field.dataType)]
    seed = int.from_bytes(os.urandom(8), "big", signed=True)
    marks = functions.xxhash64(functions.lit(seed), *hashed).alias(ROW)
    places = [functions.monotonically_increasing_id().alias(TAG)] if tagged else []
    return frame.select("*", marks, *places)


def _has_map(kind: Any) -> bool:
    return "map<" in kind.simpleString()


def grouped(frame: "DataFrame", column: str) -> "DataFrame":
    """The rows with those of one id together, in one task."""
    return frame.repartition(column).sortWithinPartitions(column)


def in_places(frame: "DataFrame", parts: int) -> "DataFrame":
    """Rows with tags in the order of their tags, from one task to the next."""
    return frame.repartitionByRange(parts, TAG).sortWithinPartitions(TAG)


def check_persons(frame: "DataFrame", column: str, request: TableRequest) -> None:
    """Refuse persons with too many rows, by their number, and rows without a person."""
    from pyspark.sql import functions

    counts = frame.groupBy(column).count()
    nobody = functions.col(column).isNull()
    if dict(frame.dtypes)[column] in ("float", "double"):
        nobody = nobody | functions.isnan(column)
    bound = request.rows_per_person or 1
    facts: Any = counts.agg(
        functions.count_if((functions.col("count") > bound) & ~nobody).alias("above"),
        functions.sum(functions.when(nobody, functions.col("count")).otherwise(0)).alias("nobody"),
    ).first()
    from privet.data.arrow import rows_that

    name = str(request.person)
    if facts["nobody"]:
        raise MissingValueError(
            f"{rows_that(facts['nobody'], 'has', 'have')} no value in the column '{name}'.",
            hint="Every row needs one; complete the data.",
            column=name,
        )
    if facts["above"]:
        raise too_many_rows(facts["above"], name, bound)
