"""How many persons have more rows than a bound allows, in a table that does not fit in memory.

Contract. Ids are compared as `group_rows` does; what lies on the disk are tokens of them
(`privet.data.sealing`). A number comes out, never who.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from privet.data.arrow import column_of, pa
from privet.data.keys import Gaps
from privet.data.sealing import Seal
from privet.data.spilling import MEMORY, THREADS, spilled
from privet.data.times import distinct_values, plain_values


def persons_above(
    batches: Iterable[pa.Table],
    person: str,
    bound: int,
    *,
    folder: Path,
    memory: int = MEMORY,
    threads: int = THREADS,
) -> int:
    """How many persons have more than `bound` rows; which ones is not known even here.

    Ids are compared as `group_rows` does. Errors: MissingValueError for a row without an id,
    DataError for values that cannot be ids, MissingExtraError, OutputError.
    """
    query = (
        "SELECT count(*) AS above FROM (SELECT 1 FROM given GROUP BY i, j "
        f"HAVING sum(n) > {int(bound)})"
    )
    schema = pa.schema([(name, pa.int64()) for name in "ijn"])
    counts = _counted(batches, person)
    answer = spilled(query, counts, schema, folder=folder, memory=memory, threads=threads)
    return sum(int(batch.column(0)[0].as_py()) for batch in answer)


def _counted(batches: Iterable[pa.Table], person: str) -> Iterator[pa.RecordBatch]:
    """The rows of each person in each batch."""
    seal, row = Seal(), 0
    gaps = Gaps(person, "Every row needs one; complete the data.")
    for batch in batches:
        values = plain_values(column_of(batch, person), person)
        gaps.found(values, row)
        row += batch.num_rows
        if gaps.count or not batch.num_rows:
            continue
        array = distinct_values(values, person)
        rows = np.bincount(np.asarray(array.indices), minlength=len(array.dictionary))
        tokens = seal.tokens(array.dictionary)
        yield _batch(i=tokens[:, 0], j=tokens[:, 1], n=rows.astype(np.int64))
    gaps.refuse()


def _batch(**columns: Any) -> pa.RecordBatch:
    arrays = [pa.array(column) for column in columns.values()]
    return pa.RecordBatch.from_arrays(arrays, names=[*columns])
