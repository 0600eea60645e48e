"""A file is what its ending says, carries nothing but the table, and is read as it was written."""

import traceback
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from privet.data import (
    ENDINGS,
    check_writable,
    decode_column,
    file_ending,
    open_batches,
    read_table,
    to_arrow,
    write_table,
)
from privet.errors import (
    ColumnNotFoundError,
    DataError,
    FileFormatError,
    OutputError,
    ParameterError,
)
from privet.symbols import Alphabet

TABLE = pa.table({"text": ["x", "y"], "number": [1, 2], "sort": pa.array(["u", "v"])})
TYPED = TABLE.set_column(2, "sort", TABLE["sort"].dictionary_encode())


@pytest.mark.parametrize("ending", [e for e in ENDINGS if not e.startswith(".csv")])
def test_typed_files_keep_types(tmp_path: Path, ending: str) -> None:
    write_table(TYPED, tmp_path / f"t{ending}")
    assert read_table(tmp_path / f"t{ending}").equals(TYPED)
    chosen = read_table(tmp_path / f"t{ending}", columns=["sort", "text"])
    assert chosen.column_names == ["text", "sort"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_format_takes_views_and_dictionaries(tmp_path: Path, ending: str) -> None:
    views = pa.table({"v": pa.array(["x", None, "y"], pa.string_view()), "d": ["a", "b", "a"]})
    views = views.set_column(1, "d", views["d"].dictionary_encode())
    write_table(views, tmp_path / f"t{ending}")
    assert read_table(tmp_path / f"t{ending}").to_pydict() == views.to_pydict()


def test_metadata_of_other_tools_stays_behind(tmp_path: Path) -> None:
    # pandas writes here how many categories occur in each column.
    leaking = pa.schema(
        [pa.field("a", pa.string(), metadata={"categories": "17"})], metadata={"pandas": "17"}
    )
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pa.table({"a": ["x"]}, schema=leaking), path)
    table = read_table(path)
    assert table.schema.metadata is None
    # Parquet's own field number is not from the writer's metadata.
    assert table.schema.field("a").metadata is None
    write_table(pa.table({"a": ["x"]}, schema=leaking), tmp_path / "t.arrow")
    assert b"17" not in (tmp_path / "t.arrow").read_bytes()


def test_an_arrow_stream_is_an_arrow_file_too(tmp_path: Path) -> None:
    with pa.ipc.new_stream(str(tmp_path / "t.arrow"), TYPED.schema) as writer:
        writer.write_table(TYPED)
    assert read_table(tmp_path / "t.arrow").equals(TYPED)


@pytest.mark.parametrize("made", [e for e in ENDINGS if e not in (".feather", ".ipc")])
@pytest.mark.parametrize("named", [e for e in ENDINGS if e not in (".feather", ".ipc")])
def test_a_file_under_a_wrong_ending_is_refused(
    tmp_path: Path, refused: Any, made: str, named: str
) -> None:
    if made == named:
        return
    write_table(TABLE, tmp_path / f"t{made}")
    path = (tmp_path / f"t{made}").rename(tmp_path / f"renamed{named}")
    with refused(FileFormatError) as seen:
        read_table(path)
    assert f"give it the ending {made}" in seen.text


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".csv.gz"])
@pytest.mark.parametrize("kept", [0.3, 0.6, 0.95])
def test_a_file_cut_short_is_refused(
    tmp_path: Path, refused: Any, secret: str, ending: str, kept: float
) -> None:
    path = tmp_path / f"t{ending}"
    write_table(pa.table({"a": [f"{secret}{i}" for i in range(300)]}), path)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * kept)])
    with refused(FileFormatError):
        read_table(path)


def test_a_file_that_the_library_cannot_read_is_not_called_damaged(tmp_path: Path) -> None:
    # Categories in lists, in more than one row group.
    words = pa.array([["x", "y"]] * 9, pa.list_(pa.dictionary(pa.int8(), pa.string())))
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pa.table({"words": words}), path, row_group_size=2)
    with pytest.raises(FileFormatError, match="form that cannot be read"):
        read_table(path)
    with pytest.raises(FileFormatError, match="form that cannot be read"):
        list(open_batches(path))


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".csv.gz", ".csv"])
def test_a_damaged_file_is_refused_or_read_but_never_quoted(
    tmp_path: Path, secret: str, ending: str
) -> None:
    path = tmp_path / f"t{ending}"
    write_table(pa.table({"a": [f"{secret}{i}" for i in range(40)], "b": range(40)}), path)
    content = path.read_bytes()
    refusals = 0
    for place in range(0, len(content) - 4, 13):
        path.write_bytes(content[:place] + bytes(4) + content[place + 4 :])
        try:
            read_table(path, columns=["a"])
        except DataError as error:
            shown = "".join(traceback.format_exception(error))
            # A damaged header can hold the value; names of columns are public and may be shown.
            assert secret not in shown
            refusals += 1
    assert refusals


@pytest.mark.parametrize(
    ("content", "ending", "advice"),
    [
        (b"PK\x03\x04xxxx", ".csv", "spreadsheet"),
        (b"FEA1xxxx", ".arrow", "old Feather"),
        (b"a,b\n1,2\n", ".parquet", "ending .csv"),
        (b"\x00\x01\x02", ".parquet", "how it was made"),
    ],
)
def test_what_a_wrong_file_is_is_said(
    tmp_path: Path, refused: Any, content: bytes, ending: str, advice: str
) -> None:
    path = tmp_path / f"t{ending}"
    path.write_bytes(content)
    with refused(FileFormatError) as seen:
        read_table(path)
    assert advice in seen.text


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_file_a_folder_and_an_empty_file(tmp_path: Path, refused: Any, ending: str) -> None:
    path = tmp_path / f"t{ending}"
    with refused(DataError) as seen:
        read_table(path)
    assert "no file" in seen.text
    path.mkdir()
    with refused(DataError) as seen:
        read_table(path)
    assert "folder" in seen.text
    path.rmdir()
    path.touch()
    with refused(FileFormatError) as seen:
        read_table(path)
    assert "empty" in seen.text


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
def test_no_rows_no_columns_and_duplicates(tmp_path: Path, refused: Any, ending: str) -> None:
    path = tmp_path / f"t{ending}"
    write_table(TABLE.slice(0, 0), path)
    with refused(DataError) as seen:
        read_table(path)
    assert "no rows" in seen.text
    write_table(TABLE, path)
    with refused(ColumnNotFoundError):
        read_table(path, columns=["nowhere"])
    with refused(ParameterError):
        read_table(path, columns=[])
    with refused(DataError):
        read_table(path, columns=["text", "text"])
    write_table(TABLE.rename_columns(["a", "b", "a"]), path)
    with refused(DataError) as seen:
        read_table(path)
    assert "two columns named 'a'" in seen.text


def test_an_unknown_ending_is_refused_with_the_known_ones(tmp_path: Path, refused: Any) -> None:
    with refused(ParameterError) as seen:
        file_ending(tmp_path / "t.xlsx")
    assert ".parquet" in seen.text
    with refused(ParameterError):
        write_table(TABLE, tmp_path / "t.txt")
    assert file_ending("Data.CSV.GZ") == ".csv.gz"


def test_a_column_without_a_form_in_the_format_is_refused(tmp_path: Path, refused: Any) -> None:
    with refused(OutputError) as seen:
        write_table(pa.table({"a": [[1, 2]]}), tmp_path / "t.csv")
    assert ".parquet" in seen.text
    assert "column 'a'" in seen.text
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["y", "x"])], ids=["categorical", "enum"])
def test_categories_of_polars_are_written_kept_or_released(
    tmp_path: Path, ending: str, kind: Any
) -> None:
    frame = pl.DataFrame({"kept": pl.Series(["x", None, "y"], dtype=kind)})
    like = to_arrow(frame, replaced=["kept"]).table.schema.field("kept").type
    released = decode_column([2, 0, 0], Alphabet(["y", "x", "z"]), like)
    table = to_arrow(frame).table.append_column("released", released)
    check_writable(table.schema, tmp_path / f"t{ending}")
    write_table(table, tmp_path / f"t{ending}")
    assert read_table(tmp_path / f"t{ending}").to_pydict() == {
        "kept": ["x", None, "y"],
        "released": ["z", "y", "y"],
    }


@pytest.mark.parametrize("ending", ENDINGS)
def test_chunks_with_dictionaries_of_their_own_are_written(tmp_path: Path, ending: str) -> None:
    chunks: list[Any] = [
        pa.array(listed).dictionary_encode() for listed in (["a", "b"], ["c", "a"])
    ]
    write_table(pa.table([pa.chunked_array(chunks)], names=["x"]), tmp_path / f"t{ending}")
    assert read_table(tmp_path / f"t{ending}")["x"].to_pylist() == ["a", "b", "c", "a"]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet", ".arrow"])
def test_what_can_be_written_is_known_from_the_types(
    tmp_path: Path, refused: Any, ending: str
) -> None:
    kinds: dict[str, Any] = {
        "list": pa.list_(pa.int8()),
        "struct": pa.struct([pa.field("u", pa.int8())]),
        "map": pa.map_(pa.string(), pa.int8()),
        "decimal": pa.decimal128(5, 2),
        "duration": pa.duration("s"),
        "nothing": pa.null(),
        "half": pa.float16(),
        "bytes": pa.binary_view(),
        "fixed": pa.binary(3),
    }
    refusals: dict[str, OutputError] = {}
    for name, kind in kinds.items():
        schema = pa.schema([pa.field("fine", pa.int8()), pa.field(name, kind)])
        path = tmp_path / f"{name}{ending}"
        try:
            check_writable(schema, path)
        except OutputError as error:
            refusals[name] = error
        else:
            row: Any = [pa.nulls(2, each.type) for each in schema]
            write_table(pa.table(row, schema=schema), path)
            assert read_table(path).num_rows == 2
    for name, refusal in refusals.items():
        assert f"column '{name}' holds" in str(refusal)
        assert f"Choose {ending}" not in refusal.hint
        assert f"or {ending}" not in refusal.hint
    assert "map" in refusals
    assert "decimal" not in refusals
    assert ("list" in refusals) == ("struct" in refusals) == (".csv" in ending)
    with refused(ParameterError):
        check_writable(TABLE.schema, "t.txt")
