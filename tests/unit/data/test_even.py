"""Where a written file is cut says nothing of the rows before: not how long a label was."""

import io
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet import Alphabet, RandomizedResponse, release
from privet.data import Batches, compacted, open_batches, open_writer, read_table
from privet.data.even import EvenRows
from privet.errors import ParameterError

LONG, SHORT = "a" * 90, "b"
VOTE = {"vote": RandomizedResponse(Alphabet([LONG, SHORT]), epsilon=1)}
ROWS = 3000


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("csv_files", "csv_batches"):
        monkeypatch.setattr(f"privet.data.{module}.BLOCK", 1 << 12)
    monkeypatch.setattr("privet.data.batches._MOST_BYTES", 1 << 13)
    monkeypatch.setattr("privet.data.even._CUT", 1 << 9)
    monkeypatch.setattr("privet.data.even.ROW_GROUP", 1 << 10)
    monkeypatch.setattr("privet.data.compact.CHUNK_ROWS", 1 << 10)


def layout(path: Path) -> list[int]:
    """How many rows each group of the file has."""
    if path.suffix == ".parquet":
        with pq.ParquetFile(path) as file:
            return [file.metadata.row_group(at).num_rows for at in range(file.num_row_groups)]
    with pa.ipc.open_file(str(path)) as reader:
        return [reader.get_batch(at).num_rows for at in range(reader.num_record_batches)]


def survey(path: Path, long: int) -> Path:
    rows = (f"{LONG if row < long else SHORT},{row}\n" for row in range(ROWS))
    path.write_text("vote,row\n" + "".join(rows))
    return path


@pytest.mark.parametrize("batches", [True, False])
@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
def test_groups_do_not_tell_how_long_labels_are(tmp_path: Path, ending: str, batches: bool) -> None:
    found = []
    for long in (0, ROWS):
        source, place = survey(tmp_path / f"{long}.csv", long), tmp_path / f"out-{long}{ending}"
        done = release(VOTE, source, keep="row", output=place, batches=batches)
        chunks = [len(chunk) for chunk in done.data.column("row").chunks]
        found.append((layout(place), chunks))
    assert found[0] == found[1]
    assert sum(found[0][0]) == ROWS


def test_chunks_of_a_table_in_memory_do_not_go_out() -> None:
    column = pa.chunked_array([["x"] * 7, ["y"] * 1500, ["z"] * 3])
    votes = pa.chunked_array([[SHORT] * 1510])
    table = pa.Table.from_arrays([votes, column], names=["vote", "kept"])
    out = release(VOTE, table, keep="kept").data
    assert [len(chunk) for chunk in out.column("kept").chunks] == [1024, 486]
    assert out.column("kept").to_pylist() == column.to_pylist()


KINDS: list[Any] = [
    pa.string(),
    pa.string_view(),
    pa.list_(pa.string()),
    pa.dictionary(pa.int8(), pa.string()),
]


@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(cuts=st.lists(st.integers(0, 99), max_size=8), filled=st.booleans())
def test_groups_are_the_same_however_rows_come(kind: Any, cuts: list[int], filled: bool) -> None:
    values = [None if row % 5 == 0 and not filled else "t" * (row % 3) for row in range(100)]
    nested = [value and [value] for value in values] if pa.types.is_list(kind) else values
    table = pa.table({"c": pa.array(nested, kind)})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("privet.data.even._CUT", 8)
        patch.setattr("privet.data.even._MOST_BYTES", 24)
        patch.setattr("privet.data.even.ROW_GROUP", 32)
        whole, pieces = (_groups(table, each) for each in ([], sorted(cuts)))
    assert [group.num_rows for group in whole] == [group.num_rows for group in pieces]
    assert pa.concat_tables(pieces).equals(table)
    assert [len(c) for g in pieces for c in g.column(0).chunks] == [
        len(c) for g in whole for c in g.column(0).chunks
    ]
    assert max(group.num_rows for group in whole) < 100


def _groups(table: pa.Table, cuts: list[int]) -> list[pa.Table]:
    even, bounds = EvenRows(), [0, *cuts, table.num_rows]
    parts = [table.slice(a, b - a) for a, b in pairwise(bounds)]
    return [group for part in parts for group in even.add(part)] + list(even.rest())


def test_a_file_says_the_same_however_rows_come() -> None:
    table = compacted(pa.table({"a": ["x", None] * 900, "b": range(1800)}))
    files = []
    for size in (1800, 7):
        sink = io.BytesIO()
        with open_writer(sink, ".parquet", table.schema) as writer:
            for start in range(0, 1800, size):
                writer.write(table.slice(start, size))
        files.append(sink.getvalue())
    assert files[0] == files[1]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "survey"
    place.mkdir()
    filled = pa.schema([pa.field("vote", pa.string(), nullable=False)])
    pq.write_table(pa.table({"vote": [LONG, SHORT]}, schema=filled), place / "a.parquet")
    pq.write_table(pa.table({"vote": [SHORT, SHORT]}), place / "b.parquet")
    return place


def test_parts_may_differ_in_whether_they_have_gaps(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.parquet"
    done = release(VOTE, folder, output=out)
    assert done.receipt.shape["rows"] == 4
    assert read_table(out).schema.field("vote").nullable


def test_a_part_that_is_a_link_is_not_overwritten(folder: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "part.parquet").symlink_to(folder / "a.parquet")
    before = (folder / "a.parquet").read_bytes()
    with pytest.raises(ParameterError, match="never overwritten"):
        release(VOTE, linked, output=folder / "a.parquet", overwrite=True)
    assert (folder / "a.parquet").read_bytes() == before


def test_a_change_that_hides_its_time_is_seen(folder: Path) -> None:
    batches: Batches = open_batches(folder)
    place = folder / "b.parquet"
    before, content = place.stat(), place.read_bytes()
    with place.open("r+b") as file:
        file.write(content)
    os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert place.stat().st_mtime_ns == before.st_mtime_ns
    assert batches.fingerprint() != batches.stamp


def test_too_little_memory_is_no_damage(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*_: object, **__: object) -> None:
        raise pa.ArrowMemoryError("malloc failed")

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", none_left)
    with pytest.raises(MemoryError):
        next(iter(open_batches(folder)))
