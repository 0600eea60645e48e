"""Words of a long table in a task: whole, many at a time, whatever batches they arrive in.

Contract. Rows arrive sorted by id, each id in one task. `whole_words` divides them where an id
ends; every table it gives holds whole words. Order in time is that of `privet.data.order_of_times`,
within each word; a column that writes times in several forms is refused by the driver, which adds
up the forms. Errors name a row by its place in the frame, as rows were moved since.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from privet.errors import DataError, PrivetError
from privet.releasing.in_batches.facts import Facts
from privet.releasing.in_batches.rows import facts_of_kept
from privet.releasing.job import count_different, silent
from privet.releasing.sequences import WordRequest, release_words
from privet.releasing.spark.sessions import TAG

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.data import SequenceFrame

_PARTITION_BITS = 33
"""A tag is partition * 2^33 + row, as Spark numbers rows (monotonically_increasing_id)."""


def whole_words(tables: Iterator["pa.Table"], id_name: str) -> Iterator["pa.Table"]:
    """The same rows, cut only where an id ends."""
    import pyarrow as pa
    import pyarrow.compute as pc

    held: pa.Table | None = None
    for table in tables:
        joined = table if held is None else pa.concat_tables([held, table])
        ids = joined.column(id_name)
        start = pc.index(pc.equal(ids, ids[-1]), True).as_py()
        # An id without a value equals none, and is refused where words are read.
        start = joined.num_rows if start < 0 else start
        if start:
            yield joined.slice(0, start)
        held = joined.slice(start)
    if held is not None and held.num_rows:
        yield held


def checked_words(table: "pa.Table", request: WordRequest) -> tuple[Facts, frozenset[str]]:
    """The facts of whole words, and the forms in which their times are written; nothing is drawn.

    Errors: as `privet.releasing.sequences.prepare_words`, by the row of the frame.
    """
    with _places_named(table):
        words = _read(table, request).words
        request.mechanism.check_part(words)
        if request.possible is not None:
            request.possible.check(words)
    lengths = Counter(words.lengths.tolist())
    forms = frozenset(_form(table.column(str(request.time))))
    return Facts(table.num_rows, lengths, **facts_of_kept(table, request.keep)), forms


def drawn_words(
    table: "pa.Table", request: WordRequest, *, measure: bool
) -> tuple["pa.Table", tuple[int, ...], Counter[int]]:
    """A release of whole words with the tags of their rows, the symbols that differ, the lengths.

    Rows and columns are in the order in which they came; columns that do not go out are left out.
    """
    sequences = _read(table, request)
    released = release_words(request, sequences.words, silent)
    wrong = count_different(sequences.words.codes, released.codes, measure)
    going_out = {*request.columns_going_out, TAG}
    whole = sequences.rebuild(released)
    whole = whole.select([name for name in whole.column_names if name in going_out])
    return whole, wrong, Counter(sequences.words.lengths.tolist())


def check_forms(forms: frozenset[str], time: str) -> None:
    """Errors: DataError for times that are written in several forms."""
    if len(forms) > 1:
        raise DataError(
            f"The column '{time}' writes times in several forms, so its order in time is not "
            "known.",
            hint="Write times as numbers, or as 2024-05-01 or 2024-05-01 13:30, all in one way.",
            column=time,
        )


def _read(table: "pa.Table", request: WordRequest) -> "SequenceFrame":
    from privet.data import words_from_long

    return words_from_long(
        table,
        request.mechanism.alphabet,
        id=str(request.id),
        time=str(request.time),
        state=str(request.state),
        **request.stand_ins,
    )


def _form(times: "pa.ChunkedArray[Any]") -> list[str]:
    """How text writes times: "number", or a date with its digits as zeros. Nothing for no text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from privet.data.times import NUMBER

    if not (pa.types.is_string(times.type) or pa.types.is_large_string(times.type)):
        return []
    if pc.all(pc.match_substring_regex(times, NUMBER)).as_py():
        return ["number"]
    first = pc.replace_substring_regex(times.slice(0, 1), "[0-9]", "0")
    return [str(first[0].as_py())]


@contextmanager
def _places_named(table: "pa.Table") -> Iterator[None]:
    """Errors that name a row say where it is in the frame."""
    try:
        yield
    except PrivetError as error:
        rows = error.payload.get("rows")
        row = rows[0] if isinstance(rows, tuple) else error.payload.get("position")
        where = "Rows and words are counted here in a part of the frame, grouped by id."
        if isinstance(row, int) and "word" not in error.payload:
            tag = table.column(TAG)[row].as_py()
            partition, place = tag >> _PARTITION_BITS, tag & ((1 << _PARTITION_BITS) - 1)
            where = (
                f"Rows are counted here in a part of the frame, grouped by id: row {row} is row "
                f"{place} of partition {partition} of the frame."
            )
        hint = f"{error.hint} {where}".lstrip()
        raise type(error)(error.message, hint=hint, **error.payload) from None
