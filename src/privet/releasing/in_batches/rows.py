"""One batch of a table's rows: looked at first, released later.

Contract. `checked` draws nothing; what it finds wrong with values is in its facts, so that an error
speaks of the whole table; what is wrong with the columns themselves it refuses at once, and a word
that is no word of the language too. `drawn` samples, once, and refuses nothing that `checked` let
pass. Both are functions of a batch and a request (`TableRequest`, or `WordRequest` of a wide table)
alone. A batch has the columns that the request needs; its kept columns hold what their rows hold
and nothing else (`privet.data.compacted`), as they go out.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.mechanisms.base import CodeArray
from privet.releasing.in_batches.facts import (
    MISSING,
    MISSING_ENTRY,
    NO_LIST,
    UNKNOWN,
    UNKNOWN_ENTRY,
    Facts,
    Trouble,
)
from privet.releasing.job import silent
from privet.releasing.query_request import QueryRequest
from privet.releasing.rows import rows_named
from privet.releasing.sequences import WordRequest, release_words
from privet.releasing.tables import TableRequest
from privet.symbols import Codes, Words

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.data import ListCodes, WideCodes

Troubles = dict[tuple[str, str], Trouble]

RowRequest = TableRequest | WordRequest
"""What is released batch by batch; a WordRequest must be of a wide table."""


@dataclass(frozen=True)
class Checked:
    """What a batch is: its `facts` and, of words that are all there, the `words` themselves."""

    facts: Facts
    words: Words | None = None


def checked(table: "pa.Table", request: RowRequest, first_row: int = 0) -> Facts:
    """The facts of a batch; nothing is drawn, and no value is refused yet.

    `first_row`: how many rows go before, for errors that name a word; facts count from the batch's
    own first row. Errors: ColumnNotFoundError; DomainError for a column whose type the alphabet
    does not fit, and by word for words that cannot happen; ParameterError for words of a length for
    which the mechanism is not made.
    """
    return looked_at(table, request, first_row).facts


def looked_at(table: "pa.Table", request: RowRequest, first_row: int = 0) -> Checked:
    """The same, with the words that were read. Errors: as `checked`."""
    kept = facts_of_kept(table, request.keep)
    if isinstance(request, TableRequest):
        return Checked(Facts(table.num_rows, troubles=_troubles(table, request), **kept))
    return _words(table, request, first_row, kept)


def drawn(
    table: "pa.Table", request: RowRequest, categories: Mapping[str, Any] | None = None
) -> "pa.Table":
    """A release of a batch that was checked: the columns that go out, in their order and types.

    `categories`: of kept columns of categories, all that occur in the whole table, as `settled`
    gives them; without them each batch lists its own.
    """
    return drawn_and_counted(table, request, categories, measure=False)[0]


def drawn_and_counted(
    table: "pa.Table",
    request: RowRequest,
    categories: Mapping[str, Any] | None = None,
    *,
    measure: bool,
) -> tuple["pa.Table", tuple[int, ...]]:
    """The same, and how many symbols of each part differ, only if `measure`: that is private."""
    released, wrong = (
        _draw_columns(table, request, measure)
        if isinstance(request, TableRequest)
        else _draw_words(table, request, measure)
    )
    return going_out(released, request, categories), wrong


def going_out(
    table: "pa.Table", request: RowRequest, categories: Mapping[str, Any] | None = None
) -> "pa.Table":
    """The columns that go out; those of categories list `categories`, as `drawn` has them."""
    from privet.data import relisted

    chosen = set(request.columns_going_out)
    table = table.select([name for name in table.column_names if name in chosen])
    for name, values in (categories or {}).items():
        place = table.column_names.index(name)
        table = table.set_column(place, name, relisted(table.column(name), values))
    return table


def settled(facts: Facts, schema: "pa.Schema") -> dict[str, Any]:
    """For each kept column of categories, those of the whole table in the order they go out.

    An ordered column keeps its order; any other is sorted, as order of appearance tells of rows.
    """
    from privet.data import sorted_values

    return {
        name: values if schema.field(name).type.ordered else sorted_values(values)
        for name, values in facts.categories.items()
    }


def facts_of_kept(
    table: "pa.Table", keep: tuple[str, ...], also: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Variety and categories of kept columns, as `Facts` takes them.

    `also`: further columns that go out as they are, of which only the categories matter.
    """
    import pyarrow as pa

    from privet.data import Variety

    variety, categories = {}, {}
    for name in keep:
        found = Variety.of(table.column(name))
        if found is not None:
            variety[name] = found
    for name in (*keep, *also):
        column: Any = table.column(name)
        if pa.types.is_dictionary(column.type) and column.num_chunks:
            categories[name] = column.chunk(0).dictionary
    return {"variety": variety, "categories": categories}


def _troubles(table: "pa.Table", request: TableRequest) -> Troubles:
    from privet.data import look_up_column

    troubles = {}
    for name, mechanism in request.mechanisms.items():
        given = request.stand_ins(name)
        found = look_up_column(
            table.column(name), mechanism.alphabet, name=name, other=given["other"]
        )
        if found.unknown_count:
            troubles[UNKNOWN, name] = Trouble(found.unknown_row, found.unknown_count)
        if found.absent is not None and given["missing"] is None:
            count = int(np.count_nonzero(found.absent))
            troubles[MISSING, name] = Trouble(int(np.argmax(found.absent)), count)
    return troubles


def wide_words(table: "pa.Table", request: WordRequest | QueryRequest) -> Checked:
    """The words of a batch, a row or a list each, unless there are troubles; none is refused yet.

    Errors: ColumnNotFoundError; DomainError for a column whose type the alphabet does not fit.
    """
    from privet.data import holds_words

    read = _lists if holds_words(table, request.columns) else _wide
    found, troubles = read(table, request)
    alphabet, given = request.mechanism.alphabet, request.stand_ins
    words = None if troubles else found.words(alphabet, given["missing"])
    sizes, counts = np.unique(found.lengths, return_counts=True)
    lengths = Counter(dict(zip(sizes.tolist(), counts.tolist(), strict=True)))
    return Checked(Facts(table.num_rows, lengths, troubles), words)


def _words(
    table: "pa.Table", request: WordRequest, first_row: int, kept: dict[str, Any]
) -> Checked:
    found = wide_words(table, request)
    if found.words is not None:
        layout = {"columns": list(request.columns)}
        with rows_named(table, layout, found.words, first_row):
            request.mechanism.check_part(found.words)
            if request.possible is not None:
                request.possible.check(found.words)
    return replace(found, facts=replace(found.facts, **kept))


def _wide(table: "pa.Table", request: WordRequest | QueryRequest) -> tuple["WideCodes", Troubles]:
    from privet.data import read_wide

    alphabet, given = request.mechanism.alphabet, request.stand_ins
    found = read_wide(
        table, alphabet, list(request.columns), other=given["other"], ragged=request.ragged
    )
    troubles = {(UNKNOWN, name): Trouble(*one) for name, one in found.unknown.items()}
    gaps = int(np.count_nonzero(found.gaps))
    if gaps and given["missing"] is None:
        row, column = found.first_gap()
        troubles[MISSING, ""] = Trouble(row, gaps, column)
    return found, troubles


def _lists(table: "pa.Table", request: WordRequest | QueryRequest) -> tuple["ListCodes", Troubles]:
    from privet.data import read_lists

    name, given = request.columns[0], request.stand_ins
    found = read_lists(table, request.mechanism.alphabet, name, other=given["other"])
    refused = {
        UNKNOWN_ENTRY: found.unknown,
        NO_LIST: found.no_list,
        MISSING_ENTRY: found.missing if given["missing"] is None else None,
    }
    return found, {(kind, name): Trouble(*one) for kind, one in refused.items() if one is not None}


def _draw_columns(
    table: "pa.Table", request: TableRequest, measure: bool
) -> tuple["pa.Table", tuple[int, ...]]:
    from privet.data import decode_column, encode_column

    wrong = []
    for name, mechanism in request.mechanisms.items():
        place = table.column_names.index(name)
        column = table.column(place)
        codes: CodeArray = encode_column(
            column, mechanism.alphabet, name=name, **request.stand_ins(name)
        )
        released = mechanism.release(Codes(codes)).array
        wrong.append(int(np.count_nonzero(codes != released)) if measure else 0)
        fresh = decode_column(released, mechanism.alphabet, like=column.type)
        table = table.set_column(place, name, fresh)
    return table, tuple(wrong)


def _draw_words(
    table: "pa.Table", request: WordRequest, measure: bool
) -> tuple["pa.Table", tuple[int, ...]]:
    from privet.data import words_from_wide

    sequences = words_from_wide(
        table,
        request.mechanism.alphabet,
        list(request.columns),
        ragged=request.ragged,
        **request.stand_ins,
    )
    released = release_words(request, sequences.words, silent)
    wrong = int(np.count_nonzero(released.codes != sequences.words.codes)) if measure else 0
    return sequences.rebuild(released), (wrong,)
