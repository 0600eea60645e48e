"""Reading released columns back from a file.

Contract. CSV holds text only. Its text reads back as the numbers and truth values that an alphabet
lists; an alphabet whose symbols would come back as something else is refused before the draw.
"""

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privet.errors import DataError, DomainError, ParameterError
from privet.releasing.files import sha256_of_release
from privet.symbols import Alphabet

if TYPE_CHECKING:
    import pyarrow as pa

    from privet.releasing.receipt import Receipt


def as_symbols(column: "pa.ChunkedArray[Any]", alphabet: Alphabet) -> "pa.ChunkedArray[Any]":
    """A text column as the numbers or truth values of the alphabet, where it has such symbols.

    Any other column comes back as it is, and so does text that is no such value.
    """
    import pyarrow as pa

    encoded = pa.types.is_dictionary(column.type)
    values = column.type.value_type if encoded else column.type
    if not (pa.types.is_string(values) or pa.types.is_large_string(values)):
        return column
    kinds = {type(symbol) for symbol in alphabet.symbols}
    try:
        if kinds == {bool}:
            return column.cast(values).cast(pa.bool_())
        if float in kinds and kinds <= {int, float}:
            return column.cast(values).cast(pa.float64())
    except pa.ArrowInvalid:
        pass
    return column


def check_file(path: Path, receipt: "Receipt") -> None:
    """A receipt of another file would give estimates that are wrong and look right.

    A receipt that names no file may be of any. Errors: DataError.
    """
    if not path.exists():
        return
    if receipt.output is None:
        raise DataError(
            f"The receipt does not say that it was written for {path}, or for any file.",
            hint="Name the receipt that was written beside the release with --receipt; if you "
            "wrote the file yourself, add --changed-file.",
        )
    if receipt.output.get("sha256") != sha256_of_release(path):
        raise DataError(
            f"{path} is not, byte for byte, the file that this receipt was written for.",
            hint="Name its own receipt with --receipt; if you changed the release yourself, add "
            "--changed-file.",
        )


def check_reads_back(alphabet: Alphabet, kind: Any, *, name: str, output: Path) -> None:
    """Refuse an output in CSV in which symbols of a column of Arrow type `kind` would change.

    Errors: ParameterError naming the column.
    """
    import pyarrow as pa

    from privet.data import decode_column, encode_column, file_ending, write_format

    if file_ending(output) not in (".csv", ".csv.gz"):
        return
    codes = np.arange(len(alphabet), dtype=alphabet.code_dtype)
    sink = io.BytesIO()
    write_format(pa.table({"symbol": decode_column(codes, alphabet, kind)}), sink, ".csv")
    lines = io.StringIO(sink.getvalue().decode(), newline="")
    texts = [record[0] if record else "" for record in csv.reader(lines)][1:]
    same = all(texts) and not any("\0" in text for text in texts)
    if same:
        try:
            column = as_symbols(pa.chunked_array([pa.array(texts, pa.string())]), alphabet)
            same = np.array_equal(encode_column(column, alphabet, name=name), codes)
        except DomainError:
            same = False
    if not same:
        raise ParameterError(
            f"The symbols of column '{name}' would not read back from CSV as they are: it holds "
            "text only, and neither an empty text nor a NUL sign.",
            hint="Choose an output ending .parquet, or write the column and its alphabet as text.",
            parameter="output",
            column=name,
        )
