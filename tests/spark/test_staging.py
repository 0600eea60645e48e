"""The committer without Spark: of all parts that were written, those that count become a folder."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privet.errors import OutputError
from privet.releasing.spark.staging import (
    Staging,
    Written,
    even_cuts,
    folder_target,
    rows_of,
    write_part,
)


def part(staging: Staging, *values: str) -> Written:
    tables = iter([pa.table({"s": [value]}) for value in values])
    written = write_part(staging.folder, tables)
    assert written is not None
    return written


def text(facts: dict[str, Any]) -> str:
    return f"{facts['name']} {facts['sha256']} {len(facts['files'])}"


def test_only_the_parts_that_count_are_published(tmp_path: Path) -> None:
    # Two whole attempts of each of two tasks, as speculation or a lost executor leaves them.
    staging = Staging(tmp_path / "out")
    first, second = ([part(staging, *values) for values in (("a", "b"), ("c",))] for _ in range(2))
    assert len(list(staging.folder.iterdir())) == 4
    chosen = [first[0], second[1]]
    staging.keep_only(chosen)
    assert len(list(staging.folder.iterdir())) == 2
    assert not (tmp_path / "out").exists()
    staging.publish(chosen, tmp_path / "out.json", text)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.json"]
    files = sorted((tmp_path / "out").iterdir())
    assert [path.name for path in files] == ["part-00000.parquet", "part-00001.parquet"]
    assert [pq.read_table(path)["s"].to_pylist() for path in files] == [["a", "b"], ["c"]]
    # The receipt's SHA-256 is that of what `sha256sum *` prints there.
    printed = "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files
    )
    whole = hashlib.sha256(printed.encode()).hexdigest()
    assert (tmp_path / "out.json").read_text() == f"out {whole} 2"


def test_a_part_that_is_not_there_or_not_whole_is_refused(tmp_path: Path) -> None:
    staging = Staging(tmp_path / "out")
    written = part(staging, "a")
    place = staging.folder / written.name
    place.write_bytes(place.read_bytes()[:-1])
    with pytest.raises(OutputError, match="is not there"):
        staging.keep_only([written])
    place.unlink()
    with pytest.raises(OutputError, match="is not there"):
        staging.keep_only([written])


def test_a_part_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def tables() -> Iterator[pa.Table]:
        yield pa.table({"s": ["a"]})
        raise KeyboardInterrupt

    staging = Staging(tmp_path / "out")
    with pytest.raises(KeyboardInterrupt):
        write_part(staging.folder, tables())
    assert list(staging.folder.iterdir()) == []
    assert write_part(staging.folder, iter(())) is None


def test_a_folder_that_came_there_meanwhile_stays(tmp_path: Path) -> None:
    staging = Staging(tmp_path / "out")
    written = part(staging, "a")
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match="exists"):
        staging.publish([written], tmp_path / "out.json", text)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert list((tmp_path / "out").iterdir()) == []


def test_a_receipt_that_cannot_be_written_publishes_nothing(tmp_path: Path) -> None:
    def fails(_: dict[str, Any]) -> str:
        raise OSError(28, "No space left on device")

    staging = Staging(tmp_path / "out")
    with pytest.raises(OutputError, match="No space left"):
        staging.publish([part(staging, "a")], tmp_path / "out.json", fails)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_gone_is_an_output_error(tmp_path: Path) -> None:
    staging = Staging(tmp_path / "out")
    staging.remove()
    staging.remove()
    with pytest.raises(OutputError, match="share"):
        part(staging, "a")


def test_places_that_cannot_be_written_to_are_refused(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(OutputError, match="exists"):
        folder_target(tmp_path / "there", None, overwrite=False)
    with pytest.raises(OutputError, match="no folder"):
        folder_target(tmp_path / "no" / "out", None, overwrite=False)
    (tmp_path / "out.receipt.json").touch()
    with pytest.raises(OutputError, match="exists"):
        folder_target(tmp_path / "out", None, overwrite=False)
    with pytest.raises(ValueError, match="never replaced"):
        folder_target(tmp_path / "there", None, overwrite=True)
    with pytest.raises(ValueError, match="is an address"):
        folder_target("s3://bucket/out", None, overwrite=False)
    with pytest.raises(ValueError, match="no output was named"):
        folder_target(None, None, overwrite=False)


def test_parts_are_cut_by_their_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privet.releasing.spark.staging.PART_ROWS", 3)
    staging = Staging(tmp_path / "out")
    parts = [part(staging, *values) for values in ("a", "bcdef", "gh", "ijklmnop")]
    cuts = even_cuts(parts)
    joined = [pa.concat_tables(rows_of(staging.folder, each))["s"].to_pylist() for each in cuts]
    assert joined == [list(text) for text in ("abc", "def", "ghi", "jkl", "mno", "p")]
