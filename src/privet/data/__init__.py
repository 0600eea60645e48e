"""Tables and sequences in and out: files, frames, and the columns of codes between them.

Contract. Everything passes through an Arrow table: `read_table` and `to_arrow` make one,
`encode_column` and `words_from_long` / `words_from_wide` make codes and words of it, and their
counterparts put released codes back where they were. Needs the extra `data`; without it, importing
this room is a `MissingExtraError` with the line that installs it.
"""

from privet.data.arrow import column_of, replace_column, select_columns
from privet.data.batch_files import BatchWriter, open_writer
from privet.data.batches import Batches, open_batches
from privet.data.columns import (
    alphabet_from_column,
    decode_column,
    distinct_of,
    encode_column,
    encode_with_missing,
    look_up_column,
    looks_like_identifier,
    match_alphabet,
    outside_alphabet,
    released_type,
    without_value,
)
from privet.data.compact import (
    compacted,
    compacted_column,
    dictionary_type,
    relisted,
    sorted_values,
)
from privet.data.folders import parts_of
from privet.data.formats import (
    ENDINGS,
    check_writable,
    file_ending,
    names_in_file,
    read_table,
    write_format,
    write_table,
)
from privet.data.frame import ArrowFrame, names_in_frame, series_to_arrow, to_arrow
from privet.data.lists import (
    ListCodes,
    holds_words,
    lengths_differ,
    list_entries,
    missing_in_lists,
    outside_in_lists,
    read_lists,
    without_list,
)
from privet.data.long_rows import LongColumns
from privet.data.persons import persons_above
from privet.data.sequences import (
    SequenceFrame,
    WideCodes,
    expand_columns,
    missing_entry,
    outside_every,
    read_wide,
    words_from_long,
    words_from_wide,
)
from privet.data.series import words_from_series
from privet.data.sorting import LongSequences, WordBlock, count_sequences, long_sequences
from privet.data.spilling import spill_folder
from privet.data.times import group_rows, order_of_times
from privet.data.variety import Variety
from privet.whole_files import refuse_unwritable, write_whole

__all__ = [
    "ENDINGS",
    "ArrowFrame",
    "BatchWriter",
    "Batches",
    "ListCodes",
    "LongColumns",
    "LongSequences",
    "SequenceFrame",
    "Variety",
    "WideCodes",
    "WordBlock",
    "alphabet_from_column",
    "check_writable",
    "column_of",
    "compacted",
    "compacted_column",
    "count_sequences",
    "decode_column",
    "dictionary_type",
    "distinct_of",
    "encode_column",
    "encode_with_missing",
    "expand_columns",
    "file_ending",
    "group_rows",
    "holds_words",
    "lengths_differ",
    "list_entries",
    "long_sequences",
    "look_up_column",
    "looks_like_identifier",
    "match_alphabet",
    "missing_entry",
    "missing_in_lists",
    "names_in_file",
    "names_in_frame",
    "open_batches",
    "open_writer",
    "order_of_times",
    "outside_alphabet",
    "outside_every",
    "outside_in_lists",
    "parts_of",
    "persons_above",
    "read_lists",
    "read_table",
    "read_wide",
    "refuse_unwritable",
    "released_type",
    "relisted",
    "replace_column",
    "select_columns",
    "series_to_arrow",
    "sorted_values",
    "spill_folder",
    "to_arrow",
    "without_list",
    "without_value",
    "words_from_long",
    "words_from_series",
    "words_from_wide",
    "write_format",
    "write_table",
    "write_whole",
]
