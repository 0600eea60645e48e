"""From a request and a Spark frame to a job: checked by a job of Spark that draws nothing.

Contract. The promise, the receipt and the errors are those of the same rows on one machine. What is
drawn is compared with what was checked by the number of rows, the lengths of words and a sum of 64
bits of each row: a frame that is not the same each time it is evaluated publishes nothing. Rows of
a long table move between tasks before they are drawn, and go back to their places as written
files: a task that is run again then sees the same draw.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import DataError, ParameterError
from privet.releasing.blocks import Progress
from privet.releasing.forms import Request
from privet.releasing.in_batches.job import job_of
from privet.releasing.job import Drawn, Job
from privet.releasing.receipt import Receipt, versions_in_use
from privet.releasing.sequences import WordRequest
from privet.releasing.spark.jobs import Results, run, run_evened, run_in_order
from privet.releasing.spark.long import check_forms
from privet.releasing.spark.sessions import (
    check_persons,
    check_session,
    grouped,
    in_places,
    kinds_of,
    narrowed,
    warn_of_order,
    with_marks,
)
from privet.releasing.spark.staging import Staging, Written, even_cuts
from privet.releasing.spark.tasks import Work
from privet.releasing.tables import TableRequest
from privet.symbols import Words

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType


def prepare_frame(
    frame: "DataFrame", request: Request, target: tuple[Path, Path], progress: Progress
) -> Job:
    """Check everything by a job that draws nothing (and one more if rows of a person are bounded).

    Errors: as of the same rows on one machine; ParameterError for what is not released from a frame
    of Spark; DataError and MissingExtraError for its session and cluster.
    """
    check_session(frame)
    if not isinstance(request, TableRequest | WordRequest):
        raise ParameterError(
            "From a frame of Spark go columns, or the words of a long or a wide table.",
            hint="Name columns, or id, time and state; for a query write the frame to Parquet and "
            "release from that folder, which is read in batches.",
            parameter="mechanism",
        )
    plain = narrowed(frame, request.columns_needed)
    kinds = kinds_of(frame, request.columns_going_out)
    warn_of_order(frame, request.columns_replaced)
    called = {frame.columns[int(name[1:])]: name for name in plain.columns}
    work = Work(request, tuple(called), versions_in_use()["privet"])
    rows = with_marks(plain, tagged=work.long is not None)
    if work.long is not None:
        rows = grouped(rows, called[str(work.long.id)])
    progress("checking the frame", 0, 0)
    found = run(rows, work)
    facts = found.facts
    if not facts.rows:
        raise DataError("The table has no rows.", hint="A release needs at least one row.")
    if isinstance(request, TableRequest):
        job = job_of(request, facts, _Draw(rows, work, found, target, kinds))
        if request.person is None:
            return job
        who = called[request.person]
        check_persons(plain, who, request)
        return replace(job, persons=lambda: plain.select(who).distinct().count())
    if work.long is not None:
        check_forms(found.forms, str(work.long.time))
    job = job_of(request, facts, _Draw(rows, work, found, target, kinds))
    return replace(job, word_parts=_words_elsewhere)


def _words_elsewhere() -> Iterator[tuple[int, Words]]:
    """Asked for by an account of series alone. Errors: ParameterError."""
    raise ParameterError(
        "An account of series takes only words that its chains can produce, and the words of a "
        "frame of Spark are not compared with them.",
        hint="Write the frame to Parquet and release the folder, or use an account made with "
        "IndependentRecords.",
        parameter="ledger",
    )


@dataclass(frozen=True)
class _Draw:
    """The draw of a job: one job of Spark, whose parts are complete and wait for their names.

    `rows`: what was checked, and `found`; `kinds`: the schema of what is released.
    """

    rows: "DataFrame"
    work: Work
    found: Results
    target: tuple[Path, Path]
    kinds: "StructType"

    def __call__(self, tell: Progress, measure: bool) -> Drawn:
        output, receipt = self.target
        size = self.found.facts.rows
        tell("drawing", 0, size)
        staging = Staging(output)
        try:
            drawn = run(self.rows, replace(self.work, folder=str(staging.folder), measure=measure))
            _refuse_other_rows(self.found, drawn)
            parts = drawn.parts
            staging.keep_only(parts)
            if self.work.long is not None:
                tell("putting the rows in order", 0, size)
                parts = _in_order(self.rows.sparkSession, staging, parts)
            parts = _evened(self.rows.sparkSession, staging, parts)
        except BaseException:
            staging.remove()
            raise
        tell("drawing", size, size)
        spark = self.rows.sparkSession
        folder = _Folder(staging, tuple(parts), receipt, spark, self.kinds)
        return Drawn(None, realised_errors=drawn.wrong, staged=folder)


@dataclass(frozen=True)
class _Folder:
    """Parts of a release that wait for the name of their folder (`privet.releasing.job.Staged`)."""

    staging: Staging
    parts: tuple[Written, ...]
    receipt: Path
    spark: "SparkSession"
    kinds: "StructType"

    def publish(self, receipt: Receipt) -> tuple[Receipt, "DataFrame"]:
        """Give the folder and its receipt their names; the receipt, and a frame that reads."""
        facts: dict[str, Any] = {}

        def text(of_folder: dict[str, Any]) -> str:
            facts.update(of_folder)
            return replace(receipt, output=of_folder).to_text()

        self.staging.publish(self.parts, self.receipt, text)
        data = _read(self.spark, [self.staging.output], self.kinds)
        return replace(receipt, output=facts), data

    def discard(self) -> None:
        """Delete what was not published."""
        self.staging.remove()


def _refuse_other_rows(checked: Results, drawn: Results) -> None:
    """Errors: DataError if what was drawn is not what was checked."""
    facts = drawn.facts
    if (facts.rows, drawn.mark) != (checked.facts.rows, checked.mark):
        raise DataError(
            "The frame did not give the rows to be drawn that were checked before: it is not the "
            "same each time it is evaluated. Nothing was published.",
            hint="Write it to Parquet first, and release spark.read.parquet of that.",
        )


def _in_order(spark: "SparkSession", staging: Staging, parts: list[Written]) -> list[Written]:
    """The drawn rows as new parts, in the order of the frame. Nothing is drawn here."""
    drawn = spark.read.parquet(*(_address(staging.folder / part.name) for part in parts))
    written = run_in_order(in_places(drawn, len(parts)), str(staging.folder))
    return _instead(staging, parts, written)


def _evened(spark: "SparkSession", staging: Staging, parts: list[Written]) -> list[Written]:
    """The drawn rows as parts that are cut by their number. Nothing is drawn here."""
    cuts = even_cuts(parts)
    if len(cuts) == len(parts) and all(len(each) == 1 for each in cuts):
        return parts
    return _instead(staging, parts, run_evened(spark, str(staging.folder), cuts))


def _instead(staging: Staging, parts: list[Written], written: Results) -> list[Written]:
    """The parts that were written of those before, which go."""
    written.check()
    if sum(part.rows for part in written.parts) != sum(part.rows for part in parts):
        raise DataError(
            "Rows were lost while they were put in order. Nothing was published.",
            hint="Release the frame again, which is another release.",
        )
    staging.keep_only(written.parts)
    return written.parts


def _read(spark: "SparkSession", places: list[Path], kinds: "StructType") -> "DataFrame":
    return spark.read.schema(kinds).parquet(*map(_address, places))


def _address(place: Path) -> str:
    """A local path as Spark takes it: no other file system, and no sign read as a pattern."""
    text = "".join(f"\\{sign}" if sign in "\\{}[]*?" else sign for sign in str(place.absolute()))
    return f"file:{text}"
