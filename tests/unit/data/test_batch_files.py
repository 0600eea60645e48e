"""Written batch by batch, a file says and holds what it says and holds when written whole."""

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.data import ENDINGS, open_writer, read_table, write_table

TABLE = pa.table(
    {
        "text": pa.array(["a", "b,c", None, ""]),
        "large": pa.array(["x", "y", "x", "y"], pa.large_string()),
        "number": pa.array([1, 2, None, 4], pa.int16()),
        "category": pa.array(["u", "v", "u", "v"]).dictionary_encode(),
        "moment": pa.array([1, 2, 3, 4], pa.timestamp("ns")),
    }
)


@pytest.mark.parametrize("ending", ENDINGS)
def test_parts_make_the_same_file(tmp_path: Path, ending: str) -> None:
    whole, parts = tmp_path / f"whole{ending}", tmp_path / f"parts{ending}"
    write_table(TABLE, whole)
    with parts.open("wb") as sink, open_writer(sink, ending, TABLE.schema) as writer:
        for start in range(0, 4, 2):
            writer.write(TABLE.slice(start, 2))
    first, second = read_table(whole), read_table(parts)
    assert first.schema == second.schema
    assert first.to_pydict() == second.to_pydict()


def test_encoded_columns_do_not_show(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.parquet", tmp_path / "parts.parquet"
    write_table(TABLE, whole)
    codes = pa.array(["a", "b,c", None, ""], pa.string()).dictionary_encode()
    encoded = TABLE.set_column(0, "text", codes)
    with (
        parts.open("wb") as sink,
        open_writer(sink, ".parquet", TABLE.schema, ["text"]) as writer,
    ):
        writer.write(encoded)
    first, second = pq.read_table(whole), pq.read_table(parts)
    assert second.schema.equals(first.schema, check_metadata=True)
    assert first.to_pydict() == second.to_pydict()
    assert pq.read_schema(parts).field("text").type == pa.string()


@pytest.mark.parametrize("ending", ENDINGS)
def test_after_an_error_the_writer_is_gone(ending: str) -> None:
    def interrupted() -> None:
        with open_writer(sink, ending, TABLE.schema) as writer:
            writer.write(TABLE)
            sink.close()
            raise KeyboardInterrupt

    sink = io.BytesIO()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
