"""Running the jobs of a release and reading what their tasks say.

Contract. A job is one action: of each partition Spark hands over the result of exactly one attempt
that succeeded, however many ran. The driver takes results in the order of the partitions, which is
the order of the rows. Messages of Spark may quote rows: they are not repeated.
"""

import pickle
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from privet.errors import DataError, MissingExtraError, PrivetError
from privet.estimate import WordTally
from privet.releasing.in_batches.facts import Facts
from privet.releasing.rows import Layout
from privet.releasing.spark.staging import Cut, Written
from privet.releasing.spark.tasks import (
    SCHEMA,
    Result,
    Work,
    added,
    answer,
    evened,
    in_order,
    words_tallied,
)
from privet.symbols import Alphabet

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SHIP = (
    "Ship Privet to the executors: pack an environment (pip install venv-pack; venv-pack -o "
    "privet.tar.gz), start the session with spark.archives=privet.tar.gz#env and the variable "
    "PYSPARK_PYTHON=./env/bin/python, or install privet[spark] on every machine."
)
_LACKS = re.compile(r"No module named '([A-Za-z0-9_.]+)'")
_MARKS = 1 << 64


class Results:
    """What the tasks of one job said, put together."""

    def __init__(self, results: Iterable[Result]) -> None:
        self._each = sorted(results, key=lambda result: result.partition)

    @property
    def facts(self) -> Facts:
        """Of all rows. Errors: the first of those that tasks returned."""
        self.check()
        return sum((each.facts for each in self._each), Facts())

    @property
    def mark(self) -> int:
        """The sum of the marks of all rows."""
        return sum(each.mark for each in self._each) % _MARKS

    @property
    def forms(self) -> frozenset[str]:
        """How times are written."""
        return frozenset[str]().union(*(each.forms for each in self._each))

    @property
    def parts(self) -> list[Written]:
        """What was written, in the order of the rows."""
        return [each.part for each in self._each if each.part is not None]

    @property
    def wrong(self) -> tuple[int, ...]:
        """The symbols that differ, if they were counted."""
        total: tuple[int, ...] = ()
        for each in self._each:
            total = added(total, each.wrong)
        return total

    def tally(self, alphabet: Alphabet) -> WordTally:
        """How often each word was released. Errors: the first of those that tasks returned."""
        self.check()
        tallies = (each.tally for each in self._each if each.tally is not None)
        return sum(tallies, WordTally(alphabet, Counter()))

    def check(self) -> None:
        """Errors: the first of those that tasks returned."""
        for each in self._each:
            if each.error is not None:
                raise each.error


def run(frame: "DataFrame", work: Work) -> Results:
    """Do the work on every partition of the frame. Errors: as `_running`."""
    shared = frame.sparkSession.sparkContext.broadcast(work)
    try:
        return _running(frame, lambda batches: answer(batches, shared.value))
    finally:
        shared.unpersist()


def run_in_order(frame: "DataFrame", folder: str) -> Results:
    """Write a frame of rows that were drawn and sorted. Errors: as `_running`."""
    return _running(frame, lambda batches: in_order(batches, folder))


def run_evened(spark: "SparkSession", folder: str, cuts: Sequence[tuple[Cut, ...]]) -> Results:
    """Write anew, cut by rows, what was drawn. Errors: as `_running`."""
    numbers = spark.range(0, len(cuts), 1, len(cuts))
    return _running(numbers, lambda batches: evened(batches, folder, cuts))


def run_tally(
    frame: "DataFrame", names: tuple[str, ...], alphabet: Alphabet, layout: Layout
) -> WordTally:
    """How often each word of a released frame occurs. Errors: as `_running`; of the words."""
    found = _running(frame, lambda batches: words_tallied(batches, names, alphabet, layout))
    return found.tally(alphabet)


def _running(frame: "DataFrame", task: Callable[[Any], Any]) -> Results:
    """Errors: MissingExtraError if the executors lack a package; DataError if the job failed."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        rows = frame.mapInArrow(task, SCHEMA).collect()
    except (PySparkException, Py4JError) as error:
        raise _of_spark(error) from None
    return Results(pickle.loads(row["result"]) for row in rows)


def _of_spark(error: Exception) -> PrivetError:
    lacks = _LACKS.search(str(error))
    if lacks is not None:
        return MissingExtraError(
            f"The executors of Spark have no package '{lacks[1].split('.')[0]}'.", hint=SHIP
        )
    return DataError(
        f"The job of Spark failed ({type(error).__name__}), so nothing was published.",
        hint="Spark's own log says why; it is not repeated here, as it may quote rows.",
    )
