"""The release and its receipt: both or neither, in an order that a crash cannot turn into harm."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from privet.errors import OutputError, ParameterError
from privet.releasing.files import (
    check_destinations,
    receipt_path_for,
    sha256_of,
    write_release,
)


def write(text: str) -> Callable[[Path], None]:
    def to(path: Path) -> None:
        path.write_text(text, encoding="utf-8")

    return to


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_the_receipt_describes_exactly_the_file_beside_it(tmp_path: Path) -> None:
    output = tmp_path / "out.csv"
    write_release(
        output,
        receipt_path_for(output),
        write_data=write("data"),
        receipt_text=lambda facts: f"{facts['name']} {facts['sha256']}",
        overwrite=False,
    )
    receipt = (tmp_path / "out.csv.receipt.json").read_text(encoding="utf-8")
    assert receipt == f"out.csv {sha256_of(output)}"
    assert names(tmp_path) == {"out.csv", "out.csv.receipt.json"}


@pytest.mark.parametrize("failing", ["data", "receipt"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_before_the_names_are_given_leaves_nothing(
    tmp_path: Path, failing: str, error: BaseException
) -> None:
    output = tmp_path / "out.csv"

    def fail(path: Path) -> None:
        path.write_text("half", encoding="utf-8")
        if failing == "data":
            raise error

    def text(_facts: dict[str, str]) -> str:
        raise error

    with pytest.raises(KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else OutputError):
        write_release(
            output, receipt_path_for(output), write_data=fail, receipt_text=text, overwrite=True
        )
    assert names(tmp_path) == set()


def test_a_failure_while_replacing_before_the_names_are_given_keeps_the_old_pair(
    tmp_path: Path,
) -> None:
    output = tmp_path / "out.csv"
    output.write_text("old", encoding="utf-8")
    receipt_path_for(output).write_text("old receipt", encoding="utf-8")

    def fail(path: Path) -> None:
        path.write_text("half", encoding="utf-8")
        raise OSError(28, "No space left on device")

    with pytest.raises(OutputError, match="No space left"):
        write_release(
            output,
            receipt_path_for(output),
            write_data=fail,
            receipt_text=lambda _: "new",
            overwrite=True,
        )
    assert output.read_text(encoding="utf-8") == "old"
    assert receipt_path_for(output).read_text(encoding="utf-8") == "old receipt"
    assert len(names(tmp_path)) == 2


def test_if_the_data_cannot_get_their_name_the_receipt_goes_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out.csv"
    real = Path.replace

    def replace(self: Path, target: Path) -> Path:
        if target.name == "out.csv":
            raise OSError(5, "Input/output error")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(OutputError, match="Input/output"):
        write_release(
            output,
            receipt_path_for(output),
            write_data=write("data"),
            receipt_text=lambda _: "receipt",
            overwrite=False,
        )
    assert names(tmp_path) == set()


CRASH = """
import os, pathlib, sys
from privet.releasing.files import receipt_path_for, write_release
output = pathlib.Path(sys.argv[1])
when = int(sys.argv[2])
calls = 0
def counted(real):
    def call(*args, **kwargs):
        global calls
        if calls == when:
            os._exit(9)
        calls += 1
        return real(*args, **kwargs)
    return call
for name in ("unlink", "replace"):
    setattr(pathlib.Path, name, counted(getattr(pathlib.Path, name)))
write_release(
    output, receipt_path_for(output),
    write_data=lambda path: path.write_text("new"), receipt_text=lambda facts: "new receipt",
    overwrite=True,
)
"""


@pytest.mark.parametrize("when", range(4))
def test_a_crash_at_any_step_never_leaves_data_without_their_receipt(
    tmp_path: Path, when: int
) -> None:
    output = tmp_path / "out.csv"
    output.write_text("old", encoding="utf-8")
    receipt = receipt_path_for(output)
    receipt.write_text("old receipt", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", CRASH, str(output), str(when)], check=False, timeout=60
    )
    assert done.returncode == 9
    if output.exists():
        age = output.read_text(encoding="utf-8")
        assert receipt.read_text(encoding="utf-8") == f"{age} receipt"
    assert receipt.exists()


@pytest.mark.skipif(os.name != "posix", reason="POSIX signals")
def test_an_interrupt_between_the_two_names_waits_for_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out.csv"
    real = Path.replace

    def replace(self: Path, target: Path) -> Path:
        signal.raise_signal(signal.SIGINT)
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(KeyboardInterrupt):
        write_release(
            output,
            receipt_path_for(output),
            write_data=write("data"),
            receipt_text=lambda _: "receipt",
            overwrite=False,
        )
    assert names(tmp_path) == {"out.csv", "out.csv.receipt.json"}
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def check(
    output: Path, receipt: Path | None = None, source: Path | None = None, overwrite: bool = False
) -> None:
    check_destinations(
        output,
        receipt_path_for(output) if receipt is None else receipt,
        inputs=[] if source is None else [source],
        overwrite=overwrite,
    )


def test_the_input_is_never_overwritten_under_any_name(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("data", encoding="utf-8")
    link = tmp_path / "link.csv"
    link.symlink_to(source)
    twin = tmp_path / "twin.csv"
    twin.hardlink_to(source)
    for output in (source, tmp_path / "." / "in.csv", link, twin):
        with pytest.raises(ParameterError, match="input file"):
            check(output, source=source, overwrite=True)
    with pytest.raises(ParameterError, match="input file"):
        check(tmp_path / "out.csv", receipt=source, source=source, overwrite=True)


def test_the_format_is_that_of_the_name_given_where_it_is_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.parquet").symlink_to(tmp_path / "place.csv")
    endings = []

    def write(path: Path) -> None:
        endings.append(path.suffix)
        path.write_text("data", encoding="utf-8")

    output = tmp_path / "link.parquet"
    write_release(
        output,
        receipt_path_for(output),
        write_data=write,
        receipt_text=str,
        overwrite=False,
    )
    assert endings == [".parquet"]
    assert (tmp_path / "place.csv").read_text(encoding="utf-8") == "data"


def test_places_that_cannot_be_written_are_refused_beforehand(tmp_path: Path) -> None:
    (tmp_path / "there.csv").write_text("", encoding="utf-8")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(OutputError, match="no folder"):
        check(tmp_path / "missing" / "out.csv")
    with pytest.raises(OutputError, match="folder"):
        check(tmp_path / "folder.csv", overwrite=True)
    with pytest.raises(OutputError, match="exists"):
        check(tmp_path / "there.csv")
    check(tmp_path / "there.csv", overwrite=True)
    with pytest.raises(OutputError, match=r"there\.csv exists"):
        check(tmp_path / "out.csv", receipt=tmp_path / "there.csv")
    with pytest.raises(ParameterError, match="same file"):
        check(tmp_path / "out.csv", receipt=tmp_path / "out.csv")
    with pytest.raises(ParameterError, match="ending"):
        check(tmp_path / "out.docx")


def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    output = tmp_path / "out.csv"
    output.write_text("old", encoding="utf-8")
    output.chmod(0o600)
    write_release(
        output,
        receipt_path_for(output),
        write_data=write("new"),
        receipt_text=lambda _: "r",
        overwrite=True,
    )
    assert output.stat().st_mode & 0o777 == 0o600
    assert output.read_text(encoding="utf-8") == "new"


def test_two_processes_that_write_one_output_leave_the_pair_of_one(tmp_path: Path) -> None:
    """The receipt beside a file is that of the file, and without overwrite the first one stays."""
    code = """
import sys
from pathlib import Path
from privet.errors import OutputError
from privet.releasing.files import receipt_path_for, write_release
folder, who, overwrite = Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "True"
for number in range(60):
    place = folder / f"{number}.csv"
    try:
        write_release(
            place, receipt_path_for(place), overwrite=overwrite,
            write_data=lambda path: path.write_text(who),
            receipt_text=lambda facts: who + " " + facts["sha256"],
        )
    except OutputError:
        pass
"""
    for overwrite in (False, True):
        folder = tmp_path / str(overwrite)
        folder.mkdir()
        writers = [
            subprocess.Popen([sys.executable, "-c", code, str(folder), who, str(overwrite)])
            for who in ("one", "two", "three")
        ]
        assert [writer.wait(timeout=120) for writer in writers] == [0, 0, 0]
        assert len(list(folder.iterdir())) == 120
        for number in range(60):
            place = folder / f"{number}.csv"
            who, digest = receipt_path_for(place).read_text().split()
            assert place.read_text() == who
            assert sha256_of(place) == digest


def test_what_came_meanwhile_stays(tmp_path: Path) -> None:
    output = tmp_path / "out.csv"

    def meanwhile(path: Path) -> None:
        path.write_text("mine", encoding="utf-8")
        output.write_text("theirs", encoding="utf-8")

    with pytest.raises(OutputError, match="exists"):
        write_release(
            output,
            receipt_path_for(output),
            write_data=meanwhile,
            receipt_text=lambda _: "receipt",
            overwrite=False,
        )
    assert output.read_text(encoding="utf-8") == "theirs"
    assert names(tmp_path) == {"out.csv"}


def test_names_as_long_as_the_system_allows(tmp_path: Path) -> None:
    output = tmp_path / ("\u00fc" * 120 + ".csv")
    write_release(
        output,
        tmp_path / "receipt",
        write_data=write("data"),
        receipt_text=lambda _: "receipt",
        overwrite=False,
    )
    assert output.read_text(encoding="utf-8") == "data"
