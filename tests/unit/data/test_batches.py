"""Reading batch by batch gives what reading whole gives, and refuses what that refuses."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.data import open_batches, read_table, write_table
from privet.errors import ColumnNotFoundError, DataError, FileFormatError, ParameterError

ROWS = 1000
TABLE = pa.table(
    {
        "text": pa.array(["a", "b,c", None, 'd"e'] * (ROWS // 4)),
        "large": pa.array(["x", "y"] * (ROWS // 2), pa.large_string()),
        "number": pa.array(np.arange(ROWS)),
        "category": pa.array(["u", "v", "w", None] * (ROWS // 4)).dictionary_encode(),
    }
)
ENDINGS = pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet", ".arrow"])


def written(folder: Path, ending: str, table: pa.Table = TABLE) -> Path:
    path = folder / f"table{ending}"
    write_table(table, path)
    return path


def folder_of(folder: Path, *tables: pa.Table) -> Path:
    place = folder / "parts"
    place.mkdir()
    for number, table in enumerate(tables):
        pq.write_table(table, place / f"part-{number:02d}.parquet")
    return place


@ENDINGS
@pytest.mark.parametrize("rows", [1, 7, 256, 5000])
def test_batches_are_the_table(tmp_path: Path, ending: str, rows: int) -> None:
    table = TABLE.slice(0, 20) if rows == 1 else TABLE
    path = written(tmp_path, ending, table)
    whole = read_table(path, columns=["number", "text", "category"])
    found = [*open_batches(path, columns=["number", "text", "category"], rows=rows)]
    assert [one.num_rows for one in found[:-1]] == [rows] * (len(found) - 1)
    assert 0 < found[-1].num_rows <= rows
    assert pa.concat_tables(found).to_pydict() == whole.to_pydict()
    assert whole.column_names == ["text", "number", "category"]


@ENDINGS
def test_the_schema_is_that_of_reading_whole(tmp_path: Path, ending: str) -> None:
    path = written(tmp_path, ending)
    batches = open_batches(path)
    assert batches.schema == read_table(path).schema
    assert batches.names == TABLE.column_names
    assert all(one.schema == batches.schema for one in batches)


def test_an_arrow_stream_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "stream.arrow"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=300)
    found = pa.concat_tables([*open_batches(path, rows=77)])
    assert found.to_pydict() == TABLE.to_pydict()


def test_each_pass_starts_anew(tmp_path: Path) -> None:
    batches = open_batches(written(tmp_path, ".parquet"), rows=100)
    assert [one.num_rows for one in batches] == [one.num_rows for one in batches] == [100] * 10


def test_replaced_text_of_parquet_comes_as_codes(tmp_path: Path) -> None:
    path = written(tmp_path, ".parquet")
    batches = open_batches(path, replaced=["text", "large", "number"], rows=300)
    assert batches.encoded == {"text", "large"}
    assert batches.schema.field("text").type == pa.string()
    assert batches.schema.field("large").type == pa.large_string()
    for table in batches:
        assert pa.types.is_dictionary(table.schema.field("text").type)
    texts = [value for table in batches for value in table.column("text").to_pylist()]
    assert texts == TABLE.column("text").to_pylist()


def test_what_goes_out_shares_nothing_with_other_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.arrow"
    hidden = pa.array(["secret", "a", "b"]).dictionary_encode().slice(1)
    with pa.OSFile(str(path), "wb") as sink:
        table = pa.table({"kept": hidden})
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    assert b"secret" in path.read_bytes()
    (found,) = open_batches(path)
    column: Any = found.column("kept").chunk(0)
    assert column.dictionary.to_pylist() == ["a", "b"]


def test_a_folder_is_its_parts_in_the_order_of_their_names(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, TABLE.slice(0, 400), TABLE.slice(400, 600))
    (folder / "_SUCCESS").touch()
    (folder / ".part-00.parquet.crc").write_bytes(b"notes")
    batches = open_batches(folder, rows=333)
    assert batches.total == ROWS
    assert pa.concat_tables([*batches]).to_pydict() == TABLE.to_pydict()
    assert read_table(folder).to_pydict() == TABLE.to_pydict()


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (TABLE.rename_columns(["text", "large", "number", "kind"]), "1 of them missing and 1 more"),
        (TABLE.select(["large", "text", "number", "category"]), "in another order"),
        (TABLE.drop_columns(["number"]), "1 of them missing and 0 more"),
        (
            TABLE.set_column(2, "number", TABLE.column("number").cast(pa.int32())),
            "'number' holds int32 in",
        ),
        (
            TABLE.set_column(3, "category", TABLE.column("category").cast(pa.string())),
            "one of them encoded",
        ),
    ],
)
def test_parts_with_other_columns_are_refused(tmp_path: Path, other: pa.Table, says: str) -> None:
    folder = folder_of(tmp_path, TABLE, other)
    with pytest.raises(DataError, match=says) as caught:
        open_batches(folder, columns=["text"])
    assert "part-01.parquet" in str(caught.value)
    with pytest.raises(DataError, match=says):
        read_table(folder, columns=["text"])


def test_folders_that_are_no_table_are_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(DataError, match=r"has no \.parquet file"):
        open_batches(empty)
    folder = folder_of(tmp_path, TABLE)
    (folder / "city=Paris").mkdir()
    with pytest.raises(DataError, match="one for each value of 'city'") as caught:
        open_batches(folder)
    assert "Paris" not in str(caught.value)  # the name of such a folder is a value
    (folder / "city=Paris").rmdir()
    (folder / "readme.txt").touch()
    with pytest.raises(DataError, match=r"readme\.txt, which is no \.parquet file"):
        open_batches(folder)


def test_a_damaged_part_is_named(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, TABLE, TABLE)
    part = folder / "part-01.parquet"
    part.write_bytes(part.read_bytes()[:-20])
    with pytest.raises(FileFormatError, match="part-01"):
        open_batches(folder)


def test_wrong_questions_are_refused_at_once(tmp_path: Path) -> None:
    path = written(tmp_path, ".csv")
    with pytest.raises(ColumnNotFoundError):
        open_batches(path, columns=["nothing"])
    with pytest.raises(ParameterError):
        open_batches(path, columns=[])
    with pytest.raises(ParameterError, match="ending"):
        open_batches(tmp_path / "table.xyz")
    with pytest.raises(DataError, match="There is no file"):
        open_batches(tmp_path / "none.parquet")


@ENDINGS
def test_no_rows_are_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"empty{ending}"
    write_table(TABLE.slice(0, 0), path)
    with pytest.raises(DataError, match="has no rows"):
        list(open_batches(path))


@pytest.mark.parametrize(
    ("tail", "says"),
    [
        ("1,2,3\n", "has 3 fields in row 500 where the header has 2"),
        ('1,"2\n', "has a quote that never closes"),
        ('1,"2"3\n', "has text after a closing quote in row 500"),
        ("1,\0\n", "binary data"),
        ("1,\udcff\n", "is not UTF-8 text"),
    ],
)
def test_what_is_wrong_at_the_end_of_a_csv_file_is_found(
    tmp_path: Path, tail: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("privet.data.csv_batches.BLOCK", 1024)
    path = tmp_path / "late.csv"
    lines = "a,b\n" + "one,two\n" * 500 + tail
    path.write_bytes(lines.encode("utf-8", "surrogateescape"))
    with pytest.raises(FileFormatError, match=says) as caught:
        list(open_batches(path, rows=100))
    with pytest.raises(FileFormatError, match=says) as whole:
        read_table(path)
    assert str(caught.value) == str(whole.value)


def test_a_change_shows_in_the_fingerprint(tmp_path: Path) -> None:
    path = written(tmp_path, ".parquet")
    batches = open_batches(path)
    assert batches.fingerprint() == batches.stamp
    before = path.stat()
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    assert batches.fingerprint() != batches.stamp
    path.unlink()
    assert batches.fingerprint() == ()
    folder = folder_of(tmp_path, TABLE)
    batches = open_batches(folder)
    pq.write_table(TABLE, folder / "part-01.parquet")
    assert batches.fingerprint() != batches.stamp


def test_batches_of_long_text_have_fewer_rows(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("a\n" + ("x" * 3_000_000 + "\n") * 50)
    found = [one.num_rows for one in open_batches(path)]
    assert sum(found) == 50
    assert max(found) < 50
