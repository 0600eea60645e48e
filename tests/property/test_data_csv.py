"""A table of text survives CSV, and what is read agrees with Python's own reader."""

import csv
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from privet.data import read_table, write_table
from privet.errors import DataError

# Everything but NUL and lone surrogates; an empty field is a missing value, so none here.
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
cells = st.text(characters, min_size=1, max_size=8)
names = st.lists(cells.filter(str.strip), min_size=1, max_size=4, unique=True)


@given(st.data(), names)
def test_a_table_comes_back_from_csv(data: st.DataObject, columns: list[str]) -> None:
    rows = data.draw(st.integers(1, 6))
    table = pa.table(
        {
            name: pa.array(
                data.draw(st.lists(st.none() | cells, min_size=rows, max_size=rows)), pa.string()
            )
            for name in columns
        }
    )
    for ending in (".csv", ".csv.gz"):
        with TemporaryDirectory() as folder:
            write_table(table, Path(folder, f"t{ending}"))
            assert read_table(Path(folder, f"t{ending}")).to_pydict() == table.to_pydict()


@given(st.lists(st.sampled_from(['"', ",", "\n", "\r\n", "a", "b", " "]), min_size=1, max_size=24))
def test_any_text_is_read_as_python_reads_it_or_refused(parts: list[str]) -> None:
    text = "x,y\n" + "".join(parts)
    with TemporaryDirectory() as folder:
        path = Path(folder, "t.csv")
        path.write_bytes(text.encode())
        try:
            found = read_table(path)
        except DataError:
            return
    rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row][1:]
    expected = [[cell or None for cell in row] for row in rows]
    assert [list(row.values()) for row in found.to_pylist()] == expected
