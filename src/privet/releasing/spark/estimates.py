"""Estimates from a release that is in Spark: counted there, estimated here.

Contract. Shares depend on a release through the counts of its symbols alone, a chain through the
counts of its words: only those come to the driver (of words, one entry for each different one), and
the estimators are those of `privet.estimate`. A frame that is given was made by `privet.release`.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from privet import estimate
from privet.errors import ColumnNotFoundError, DataError, DomainError
from privet.exact.number import Number
from privet.releasing.finishing import Release
from privet.releasing.rows import expanded, own_columns
from privet.releasing.spark.jobs import run_tally
from privet.releasing.spark.sessions import grouped, narrowed
from privet.releasing.table_words import alphabet_of, check_words

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from privet.symbols import Alphabet


def frequencies(
    released: Release, column: str | None = None, confidence: Number = 0.95
) -> estimate.FrequencyEstimate:
    """Shares of the symbols of a released column, as `privet.estimate.frequencies` has them.

    `released`: what `privet.release` gave for a Spark frame; `column`: one of those released (the
    states of a long table, or one of a wide one), or the only one. Errors: ColumnNotFoundError;
    DataError for decoded words; DomainError for symbols outside the alphabet; ParameterError.
    """
    receipt = _not_decoded(released).receipt
    state = receipt.layout.get("state")
    names = list(receipt.layout.get("columns", ())) if state is None else [state]
    name = names[0] if column is None and len(names) == 1 else column
    if name is None or name not in names:
        raise ColumnNotFoundError(
            "The release has several columns, and none was named."
            if name is None
            else f"The release has no column '{name}' that was drawn.",
            hint=f"Released are {', '.join(map(str, names))}.",
            column=name,
        )
    mechanism: Any = receipt.mechanism(name if receipt.kind == "table" else None)
    counts = _counts(released.data, name, mechanism.alphabet)
    return estimate.frequencies_from_counts(counts, mechanism, confidence)


def transitions(released: Release, **options: Any) -> estimate.TransitionEstimate:
    """The chain behind released words, as `privet.estimate.transitions` has it.

    `released`: what `privet.release` gave for the words of a Spark frame; `options`: as there.
    Errors: as there; DataError for a release of something else.
    """
    receipt = _not_decoded(released).receipt
    check_words(receipt.kind)
    mechanism = receipt.mechanism()
    alphabet, layout = alphabet_of(mechanism), receipt.layout
    frame = narrowed(released.data, expanded(released.data.columns, own_columns(layout)))
    names = tuple(released.data.columns[int(name[1:])] for name in frame.columns)
    if layout.get("state") is not None:
        frame = grouped(frame, frame.columns[names.index(layout["id"])])
    return estimate.transitions(run_tally(frame, names, alphabet, layout), mechanism, **options)


def _not_decoded(released: Release) -> Release:
    if "decoded" in released.receipt.layout:
        raise DataError(
            "These words were decoded: the noise left in them is not the mechanism's.",
            hint="Give the release that they were decoded from.",
        )
    return released


def _counts(frame: "DataFrame", name: str, alphabet: "Alphabet") -> Any:
    """(m,) int64: rows of each symbol; rows without one, where a word has ended, do not count."""
    from pyspark.sql import functions
    from pyspark.sql.types import ArrayType

    plain = narrowed(frame, [name])
    if isinstance(plain.schema.fields[0].dataType, ArrayType):
        plain = plain.select(functions.explode(plain.columns[0]))
    counts = np.zeros(len(alphabet), np.int64)
    for symbol, count in plain.groupBy(*plain.columns).count().collect():
        if symbol is None:
            continue
        if symbol not in alphabet:
            raise DomainError(
                f"{count} rows of the column '{name}' have a symbol outside its alphabet.",
                hint="Give the release as it was written.",
                column=name,
            )
        counts[alphabet.index(symbol)] = count
    return counts
