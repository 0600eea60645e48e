"""Full disks, signals, missing extras, readers that go away: nothing half-written, one line."""

import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from privet import Alphabet, Language

Spawn = Callable[..., "subprocess.Popen[str]"]

RUN = "import sys; from privet.cli import main; sys.exit(main(sys.argv[1:]))"

# Half of the output is on the disk and the rest is a long time coming.
STUCK = """
import io, pathlib, sys, time
import privet.data.formats as formats
before = formats.write_csv
def write(table, sink, *arguments, **options):
    if isinstance(sink, io.BytesIO):  # a trial before the draw: does the format hold the columns?
        return before(table, sink, *arguments, **options)
    sink.write(b"half of the rele")
    sink.flush()
    pathlib.Path("ready").touch()
    time.sleep(60)
formats.write_csv = write
from privet.cli import main
sys.exit(main(sys.argv[1:]))
"""

GOOD = {"voters.csv", "diary.csv", "wide.csv"}
TABLE = ("release", "table", "voters.csv", "-c", "vote=Clinton,Dole", "-e", "1", "-o", "out.csv")


# The search is as it is, and tells that it has begun.
SEARCHING = """
import pathlib, sys
import privet.mechanisms.word_exponential.calibrating as calibrating
before = calibrating.Search._candidate
def search(self, *given):
    pathlib.Path("ready").touch()
    return before(self, *given)
calibrating.Search._candidate = search
from privet.cli import main
sys.exit(main(sys.argv[1:]))
"""


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def lines(process: "subprocess.Popen[str]") -> tuple[str, list[str]]:
    out, err = process.communicate(timeout=60)
    return out or "", err.splitlines()


def wait_for(path: Path, process: "subprocess.Popen[str]") -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGINT, 130, ["privet: interrupted; nothing was left half-written."]),
        (signal.SIGTERM, 143, []),
        (signal.SIGHUP, 129, []),
    ],
)
def test_signals_while_writing(
    spawn: Spawn, folder: Path, number: signal.Signals, code: int, said: list[str]
) -> None:
    process = spawn(STUCK, *TABLE)
    wait_for(folder / "ready", process)
    assert len(names(folder)) == len(GOOD) + 2  # The half-written file is there, under no name.
    process.send_signal(number)
    out, err = lines(process)
    assert (process.returncode, out, err) == (code, "", said)
    assert names(folder) == {*GOOD, "ready"}


def test_an_interrupt_while_replacing_keeps_the_old_release(spawn: Spawn, folder: Path) -> None:
    first = spawn(RUN, *TABLE)
    lines(first)
    assert first.returncode == 0
    before = {name: (folder / name).read_bytes() for name in names(folder)}
    process = spawn(STUCK, *TABLE, "--overwrite")
    wait_for(folder / "ready", process)
    process.send_signal(signal.SIGINT)
    lines(process)
    (folder / "ready").unlink()
    assert {name: (folder / name).read_bytes() for name in names(folder)} == before


@pytest.mark.parametrize("command", ["plan", "release"])
def test_an_interrupt_while_a_rate_is_looked_for(
    spawn: Spawn, folder: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """4 x 4 rooms at a small epsilon: a search of half a minute."""
    monkeypatch.setenv("PRIVET_CACHE", str(folder / "kept"))
    rooms = [[abs(i // 4 - j // 4) + abs(i % 4 - j % 4) <= 1 for j in range(16)] for i in range(16)]
    names_of = [f"r{i}" for i in range(16)]
    Language.from_allowed(Alphabet(names_of), rooms).save(folder / "rooms.json")
    (folder / "walks.csv").write_text("d1,d2,d3\nr0,r1,r2\nr5,r5,r6\n", encoding="utf-8")
    exact = ("--language", "rooms.json", "-e", "1", "--calibration", "exact")
    asked = {
        "plan": ("plan", *exact, "-n", "30"),
        "release": (
            "release",
            "words",
            "walks.csv",
            "--columns",
            "d1,d2,d3",
            *exact,
            "-o",
            "o.csv",
        ),
    }
    before = names(folder)
    process = spawn(SEARCHING, *asked[command])
    wait_for(folder / "ready", process)
    process.send_signal(signal.SIGINT)
    out, err = lines(process)
    assert (process.returncode, out) == (130, "")
    assert err == ["privet: interrupted; nothing was left half-written."]
    assert names(folder) == {*before, "ready"}


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet", "arrow"])
def test_a_full_disk(spawn: Spawn, folder: Path, ending: str) -> None:
    rows = "".join(f"{['Clinton', 'Dole'][i * i % 7 % 2]},{i}\n" for i in range(60_000))
    (folder / "many.csv").write_text(f"vote,row\n{rows}", encoding="utf-8")
    output = f"out.{ending}"
    options = ("-c", "vote=Clinton,Dole", "--keep", "row", "-e", "1", "-o", output)
    process = spawn(
        RUN,
        *("release", "table", "many.csv", *options),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
    )
    out, err = lines(process)
    assert (process.returncode, out, len(err)) == (1, "", 1)
    assert err[0].startswith("privet: error: ")
    assert output in err[0]
    assert names(folder) == {*GOOD, "many.csv"}


def test_no_room_for_the_receipt_means_no_release(spawn: Spawn, folder: Path) -> None:
    """The data fit, the receipt does not."""
    process = spawn(
        RUN,
        *TABLE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500)),
    )
    _, err = lines(process)
    assert process.returncode == 1
    assert "out.csv and its receipt could not be written" in err[0]
    assert names(folder) == GOOD


BARE = """
import sys
sys.modules[sys.argv.pop(1)] = None
from privet.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("library", "extra", "arguments"),
    [
        ("pyarrow", "data", TABLE),
        ("narwhals", "data", TABLE),
        ("pyarrow", "data", ("demo",)),
        (
            "matplotlib",
            "plots",
            ("plan", "--symbols", "a,b", "-e", "1", "--plot", "plot.svg"),
        ),
    ],
)
def test_an_extra_that_is_not_installed(
    spawn: Spawn, folder: Path, library: str, extra: str, arguments: tuple[str, ...]
) -> None:
    process = spawn(BARE, library, *arguments)
    out, err = lines(process)
    assert (process.returncode, out, len(err)) == (1, "", 1)
    assert f"pip install 'privet[{extra}]'" in err[0]
    assert names(folder) == GOOD


def test_a_plan_needs_no_extra(spawn: Spawn) -> None:
    process = spawn(BARE, "pyarrow", "plan", "--symbols", "a,b", "-e", "1")
    _, err = lines(process)
    assert (process.returncode, err) == (0, [])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_standard_output_that_is_full(spawn: Spawn) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        process = spawn(RUN, "plan", "--symbols", "a,b", "-e", "1", stdout=full)
        _, err = lines(process)
    assert process.returncode == 1
    assert err == ["privet: error: No space left on device."]


def test_a_reader_that_goes_away(spawn: Spawn) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = spawn(RUN, "plan", "--symbols", "a,b", "-e", "1", stdout=writing)
    os.close(writing)
    _, err = lines(process)
    assert (process.returncode, err) == (141, [])
