"""The answer to a query as rows with intervals, and as a file.

Contract. A row is what one number is about, the number, and the interval of the noise around it:
{"state": "rain", "value": 640, "lower": 617.0, "upper": 663.0}. Intervals are not cut to what
counts or shares can be. Files hold the rows and nothing else, in the formats of tables or, ending
.json, as a list of objects.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from privet.queries import Published, Query
from privet.symbols import Alphabet

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, Any]

_ABOUT: Mapping[str, tuple[str, ...]] = {
    "histogram": ("state",),
    "frequency": ("state",),
    "count": ("states",),
    "share": ("states",),
    "transitions": ("from", "to"),
    "run_lengths": ("run_length",),
    "mean": ("statistic",),
}
"""What the labels of each kind of query are called."""

JSON_ENDING = ".json"


def answer_rows(
    query: Query, alphabet: Alphabet, answer: Published, interval: tuple[Any, Any]
) -> tuple[Row, ...]:
    """(d,) rows, in the flat order of the query's numbers."""
    about = _ABOUT.get(query.kind, ("number",))
    values, lower, upper = (np.ravel(np.asarray(x)).tolist() for x in (answer, *interval))
    labels: Any = query.labels(alphabet)
    return tuple(
        {
            **(dict(zip(about, label, strict=True)) if len(about) > 1 else {about[0]: label}),
            "value": value,
            "lower": low,
            "upper": high,
        }
        for label, value, low, high in zip(labels, values, lower, upper, strict=True)
    )


def answer_table(rows: Sequence[Row]) -> "pa.Table":
    """The rows as an Arrow table; labels of several types become text."""
    import pyarrow as pa

    columns = {}
    for name in rows[0]:
        entries = [row[name] for row in rows]
        if len({type(entry) for entry in entries}) > 1:
            entries = [str(entry) for entry in entries]
        columns[name] = entries
    return pa.table(columns)


def write_answer(rows: Sequence[Row], path: Path) -> None:
    """The rows in a file, whole or not at all. Errors: OutputError."""
    from privet.data import write_table, write_whole

    if path.suffix.lower() != JSON_ENDING:
        write_table(answer_table(rows), path)
        return
    text = json.dumps(list(rows), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def write(file: BinaryIO) -> None:
        file.write(text.encode())

    write_whole(path, write)
