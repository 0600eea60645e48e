"""Any CSV text is read in batches as it is read whole, or refused in the same words."""

import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.data import open_batches, read_table
from privet.errors import PrivetError

FIELDS = st.sampled_from(
    [
        "",
        "a",
        "bb",
        '"q"',
        '"a,b"',
        '"x""y"',
        '"n\nl"',
        "é",
        'a"b',
        '"',
        '"z"t',
        '"open',
        "\r",
        '""',
    ]
)
LINES = st.lists(st.lists(FIELDS, min_size=1, max_size=3), max_size=8)
ENDS = st.sampled_from(["\n", "\r\n"])


def outcome(read: Any) -> Any:
    try:
        return read().to_pydict()
    except PrivetError as error:
        return type(error).__name__, str(error)


@settings(max_examples=400)
@given(st.integers(1, 3), LINES, ENDS, st.booleans(), st.booleans(), st.integers(1, 4))
def test_batches_and_the_whole_agree(
    width: int, lines: list[list[str]], end: str, marked: bool, ended: bool, rows: int
) -> None:
    header = ",".join(f"c{number}" for number in range(width))
    text = end.join([header, *(",".join(line) for line in lines)]) + (end if ended else "")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes((b"\xef\xbb\xbf" if marked else b"") + text.encode())
        whole = outcome(lambda: read_table(path))
        parts = outcome(lambda: pa.concat_tables([*open_batches(path, rows=rows)]))
    assert whole == parts
