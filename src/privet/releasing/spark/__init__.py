"""Releasing Spark frames: drawn by the tasks of one job, published once, paid for at the driver.

Contract. A Spark frame is a recipe: each action evaluates it again, and Spark runs failed and slow
tasks twice. Were a release such a frame, each evaluation would be another release of the same
persons, and nobody would be charged for it. So a release is an act that writes:

1. the frame is checked by a job that draws nothing, and sums its facts at the driver;
2. the ledger, which only the driver sees, is charged;
3. a job draws. Every attempt of a task writes a part of its own, under a name of its own, into a
   hidden folder, and returns the name. Of each partition Spark hands one attempt to the driver;
   that part counts, and all others are deleted unread: what they drew never leaves;
4. the parts are complete, and the rows drawn are the rows checked, or nothing is published;
5. the ledger is told, the receipt takes its name, and then the folder its own, in one step.

`Release.data` is a frame that reads what was written: no action on it draws anything. After the
draw nothing moves between tasks but what already stands in files, so that no recomputed task mixes
two draws of one sequence. A driver that crashes has published nothing, or all; what was reserved
stays charged, and running again is another reservation.
Refused: streams, frames of Spark Connect, speculation (two attempts of a task at once), frames that
say themselves that they are not determined, an output that exists. pyspark is imported only once a
frame of it is there.
"""

import sys
from typing import Any

__all__ = ["is_spark_frame"]


def is_spark_frame(data: object) -> bool:
    """Whether `data` is a DataFrame of pyspark, which is not imported to find out."""
    if not any(kind.__module__.startswith("pyspark.sql.") for kind in type(data).__mro__):
        return False
    sql: Any = sys.modules.get("pyspark.sql")
    return sql is not None and isinstance(data, sql.DataFrame)
