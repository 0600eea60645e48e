"""A file is written whole or not at all, whatever goes wrong, and never over its own input."""

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pytest

from privet import Alphabet, IndependentRecords, Ledger, RandomizedResponse, release
from privet.data import refuse_unwritable, write_table, write_whole
from privet.errors import OutputError, ParameterError


def _content(sink: BinaryIO) -> None:
    sink.write(b"new")


def test_a_new_file_has_the_permissions_of_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "t", _content)
    finally:
        os.umask(before)
    assert (tmp_path / "t").read_bytes() == b"new"
    assert (tmp_path / "t").stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [tmp_path / "t"]


def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(b"old")
    path.chmod(0o604)
    write_whole(path, _content)
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o604


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "real" / "t")
    write_whole(link, _content)
    assert link.is_symlink()
    assert (tmp_path / "real" / "t").read_bytes() == b"new"


@pytest.mark.parametrize(
    "fault",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        KeyboardInterrupt(),
        MemoryError(),
        ValueError("x"),
    ],
    ids=["disk full", "Ctrl-C", "no memory", "a writer's own"],
)
@pytest.mark.parametrize("exists", [True, False])
def test_nothing_is_left_when_writing_fails(
    tmp_path: Path, fault: BaseException, exists: bool
) -> None:
    path = tmp_path / "t"
    if exists:
        path.write_bytes(b"old")

    def write(sink: BinaryIO) -> None:
        sink.write(b"half")
        raise fault

    expected = OutputError if isinstance(fault, OSError) else type(fault)
    with pytest.raises(expected):
        write_whole(path, write)
    assert [p.name for p in tmp_path.iterdir()] == (["t"] if exists else [])
    if exists:
        assert path.read_bytes() == b"old"


def test_ctrl_c_is_not_hidden_by_a_full_disk(tmp_path: Path) -> None:
    full = Path("/dev/full")
    assert full.exists(), "this test needs /dev/full, as every Linux has"

    def write(sink: BinaryIO) -> None:
        # What is buffered now fails when the file is closed, as on a disk that is full.
        sink.write(b"buffered")
        with full.open("wb", buffering=0) as device:
            os.dup2(device.fileno(), sink.fileno())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "t", write)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_at_the_last_moment_is_an_output_error(tmp_path: Path) -> None:
    def write(sink: BinaryIO) -> None:
        sink.write(b"buffered")
        with Path("/dev/full").open("wb", buffering=0) as device:
            os.dup2(device.fileno(), sink.fileno())

    with pytest.raises(OutputError, match="No space left") as caught:
        write_whole(tmp_path / "t", write)
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


_LIMITED = """
import resource, sys
import pyarrow as pa
from privet.data import write_table
from privet.errors import OutputError
table = pa.table({"a": [f"row {i}" for i in range(200_000)]})
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    write_table(table, sys.argv[1])
except OutputError as error:
    print("refused", error)
    sys.exit(7)
"""


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet", ".arrow"])
def test_a_limit_of_the_system_in_the_middle_of_each_format(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t{ending}"
    path.write_bytes(b"old")
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", _LIMITED, str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.returncode == 7, run.stderr
    assert "could not be written" in run.stdout
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == b"old"


def test_ctrl_c_in_the_middle_of_a_real_run_leaves_nothing(tmp_path: Path) -> None:
    script = (
        "import os, signal, sys\n"
        "from privet.data import write_whole\n"
        "def write(sink):\n"
        "    sink.write(b'x' * 10**6)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    sink.write(b'y' * 10**6)\n"
        "write_whole(sys.argv[1], write)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "t")],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.returncode != 0
    assert "KeyboardInterrupt" in run.stderr
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_written_to(tmp_path: Path, refused: Any) -> None:
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    places = {
        tmp_path: "folder",
        tmp_path / "nowhere" / "t": "no folder",
        fifo: "not a regular file",
        Path("/dev/null"): "not a regular file",
    }
    for place, said in places.items():
        for call in (refuse_unwritable, lambda path: write_whole(path, _content)):
            with refused(OutputError) as seen:
                call(place)
            assert said in seen.text
    assert list(tmp_path.iterdir()) == [fifo]


def test_the_input_is_never_the_output(tmp_path: Path, refused: Any) -> None:
    source = tmp_path / "t.csv"
    write_table(pa.table({"a": ["x"]}), source)
    symbolic, hard = tmp_path / "symbolic.csv", tmp_path / "hard.csv"
    symbolic.symlink_to(source)
    hard.hardlink_to(source)
    for place in (
        source,
        symbolic,
        hard,
        tmp_path / "." / "t.csv",
        tmp_path / ".." / tmp_path.name / "t.csv",
    ):
        with refused(ParameterError) as seen:
            refuse_unwritable(place, inputs=[source])
        assert "never overwritten" in seen.text
    refuse_unwritable(tmp_path / "other.csv", inputs=[source])


def test_a_ledger_is_never_overwritten(tmp_path: Path) -> None:
    place, link = tmp_path / "spend.csv", tmp_path / "link"
    with Ledger.open(place, create=True) as ledger:
        ledger.account("one", IndependentRecords(1), 1)
        link.symlink_to(place)
        before = place.read_bytes()
        for name in (place, link, f"{place}-wal", f"{place}-shm"):
            with pytest.raises(OutputError, match="it is a database, perhaps a ledger"):
                write_whole(name, _content)
        assert ledger.verify().ok
    assert place.read_bytes()[:16] == before[:16]


def test_a_release_does_not_overwrite_its_own_ledger(tmp_path: Path) -> None:
    place, data = tmp_path / "spend.csv", tmp_path / "in.csv"
    data.write_text("vote\nA\nB\n", encoding="utf-8")
    mechanism = {"vote": RandomizedResponse(Alphabet("AB"), epsilon=1)}
    with Ledger.open(place, create=True) as ledger:
        account = ledger.account("one", IndependentRecords(1), 1)
        for output, receipt in ((place, None), (tmp_path / "out.csv", place)):
            with pytest.raises(OutputError, match="perhaps a ledger"):
                release(
                    mechanism, data, ledger=account, output=output, receipt=receipt, overwrite=True
                )
        assert account.spent() == 0
