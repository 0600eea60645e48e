"""Words in a table: a word an id (long tables) or a word a row (wide ones).

Contract. Nothing is drawn and nothing is written here. A layout says where the words are, as a
receipt does: {"id", "time", "state"}, or {"columns", "ragged"}. Refusals name words, positions,
rows and columns, never a value. Text from CSV reads as the numbers that the alphabet lists.
"""

import os
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from privet.errors import DataError, ParameterError, ParameterTypeError
from privet.mechanisms.base import HammingMechanism
from privet.releasing.finishing import Release
from privet.releasing.reading import as_symbols
from privet.releasing.rows import Layout, expanded, own_columns
from privet.symbols import Alphabet, Words

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.data import ArrowFrame, SequenceFrame


def words_from_table(
    data: Any,
    alphabet: Alphabet | None = None,
    *,
    id: str | None = None,  # noqa: A002  # the name by which the public call takes it
    time: str | None = None,
    state: str | None = None,
    columns: str | Sequence[str] = (),
    ragged: bool = False,
    other: Hashable | None = None,
    missing: Hashable | None = None,
) -> Words:
    """The words in a table, as `privet.release` reads them.

    `data`: a pandas, polars or Arrow frame, the path of a CSV, Parquet or Arrow file, or a Release:
    its receipt says where its words are, and nothing else is given. `alphabet`: the public symbols;
    `id`, `time` and `state` for a long table, or `columns` (names, patterns, ranges) for a wide
    one, in which `ragged` words may end early; `other`, `missing`: symbols for other labels and
    missing values. Errors: ParameterError, DataError, DomainError by row.
    """
    chosen = (columns,) if isinstance(columns, str) else tuple(columns)
    if isinstance(data, Release):
        if alphabet is not None or any((id, time, state, chosen, ragged, other, missing)):
            raise ParameterError(
                "The receipt says where the words of a release are.",
                hint="Give the Release alone.",
            )
        return words_of_release(data)
    if not isinstance(alphabet, Alphabet):
        raise ParameterTypeError(
            f"The alphabet is a {type(alphabet).__name__}, not an Alphabet.",
            hint="Write Alphabet(['low', 'high']).",
            parameter="alphabet",
        )
    roles = [name for name in (id, time, state) if name is not None]
    if bool(roles) == bool(chosen) or len(roles) in (1, 2):
        raise ParameterError(
            "Sequences need either an id, a time and a state column, or the columns of a word.",
            hint="A long table has one row an entry; a wide table has one row a word.",
        )
    layout: dict[str, Any] = {"columns": list(chosen), "ragged": ragged}
    if roles:
        layout = {"id": id, "time": time, "state": state}
    frame = frame_of(data, layout)
    return read_sequences(frame.table, alphabet, layout, other=other, missing=missing).words


def words_of_release(release: Release) -> Words:
    """The released words. Errors: DataError for a release of something else."""
    check_words(release.receipt.kind)
    if isinstance(release.data, Words):
        return release.data
    layout = release.receipt.layout
    alphabet = alphabet_of(release.receipt.mechanism())
    return read_sequences(frame_of(release.data, layout).table, alphabet, layout).words


def check_words(kind: str) -> None:
    """Errors: DataError for a release that is not of words."""
    if kind != "words":
        raise DataError(
            "The receipt is not of released sequences.",
            hint="Words are released with id, time and state, or columns and adjacency; on the "
            "command line by privet release words.",
        )


def alphabet_of(mechanism: object) -> Alphabet:
    """The symbols of a word mechanism."""
    if not isinstance(mechanism, HammingMechanism):
        raise DataError("The mechanism of the receipt does not release words.")
    return mechanism.alphabet


def frame_of(data: Any, layout: Layout) -> "ArrowFrame":
    """The table with the columns of the words, expanded in a wide layout."""
    from privet.data import names_in_file, names_in_frame, read_table, to_arrow

    is_file = isinstance(data, str | os.PathLike)
    names = own_columns(layout)
    if layout.get("columns"):
        present = names_in_file(os.fspath(data)) if is_file else names_in_frame(data)
        names = expanded(present, names)
    return to_arrow(read_table(os.fspath(data), columns=names) if is_file else data, columns=names)


def read_sequences(
    table: "pa.Table", alphabet: Alphabet, layout: Layout, **stand_ins: Any
) -> "SequenceFrame":
    """The words of a table and the way back. Errors: as reading a column, by place."""
    from privet.data import words_from_long, words_from_wide

    is_long = layout.get("state") is not None
    names = own_columns(layout)
    if not is_long:
        names = expanded(table.column_names, names)
    for name in names[2:] if is_long else names:
        place = table.column_names.index(name)
        table = table.set_column(place, name, as_symbols(table.column(name), alphabet))
    if is_long:
        id_, time, state = names
        return words_from_long(table, alphabet, id=id_, time=time, state=state, **stand_ins)
    return words_from_wide(table, alphabet, names, ragged=bool(layout.get("ragged")), **stand_ins)
