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
    looks_like_identifier,
    match_alphabet,
)
from privet.data.compact import compacted, compacted_column
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
from privet.data.sequences import (
    SequenceFrame,
    expand_columns,
    group_rows,
    order_of_times,
    words_from_long,
    words_from_wide,
)
from privet.data.series import words_from_series
from privet.whole_files import refuse_unwritable, write_whole

__all__ = [
    "ENDINGS",
    "ArrowFrame",
    "SequenceFrame",
    "alphabet_from_column",
    "check_writable",
    "column_of",
    "compacted",
    "compacted_column",
    "decode_column",
    "encode_column",
    "encode_with_missing",
    "expand_columns",
    "file_ending",
    "group_rows",
    "looks_like_identifier",
    "match_alphabet",
    "names_in_file",
    "names_in_frame",
    "order_of_times",
    "read_table",
    "refuse_unwritable",
    "replace_column",
    "select_columns",
    "series_to_arrow",
    "to_arrow",
    "words_from_long",
    "words_from_series",
    "words_from_wide",
    "write_format",
    "write_table",
    "write_whole",
]
