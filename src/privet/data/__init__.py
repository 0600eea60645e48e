"""Tables and sequences in and out: files, frames, and the columns of codes between them.

Contract. Everything passes through an Arrow table: `read_table` and `to_arrow` make one,
`encode_column` and `words_from_long` / `words_from_wide` make codes and words of it, and their
counterparts put released codes back where they were. Needs the extra `data`; without it, importing
this room is a `MissingExtraError` with the line that installs it.
"""

from privet.data.arrow import column_of, replace_column, select_columns
from privet.data.columns import (
    alphabet_from_column,
    decode_column,
    encode_column,
    encode_with_missing,
    match_alphabet,
)
from privet.data.files import refuse_unwritable, write_whole
from privet.data.formats import ENDINGS, file_ending, read_table, write_format, write_table
from privet.data.frame import ArrowFrame, to_arrow
from privet.data.sequences import (
    SequenceFrame,
    expand_columns,
    group_rows,
    order_of_times,
    words_from_long,
    words_from_wide,
)

__all__ = [
    "ENDINGS",
    "ArrowFrame",
    "SequenceFrame",
    "alphabet_from_column",
    "column_of",
    "decode_column",
    "encode_column",
    "encode_with_missing",
    "expand_columns",
    "file_ending",
    "group_rows",
    "match_alphabet",
    "order_of_times",
    "read_table",
    "refuse_unwritable",
    "replace_column",
    "select_columns",
    "to_arrow",
    "words_from_long",
    "words_from_wide",
    "write_format",
    "write_table",
    "write_whole",
]
