"""Fresh processes: every figure comes from one that did nothing else.

Contract. A process that fails, prints no figures or takes too long gives a `Failed` with the last
line it wrote, never an exception. Children run on one thread wherever a library lets itself be
told, so that "on one core" is what is measured.
"""

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
SECONDS_ALLOWED = 120

_ONE_THREAD = dict.fromkeys(
    (
        "MKL_NUM_THREADS",
        "NUMBA_NUM_THREADS",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "POLARS_MAX_THREADS",
    ),
    "1",
)


@dataclass(frozen=True)
class Failed:
    """Nothing was measured, and why."""

    reason: str


Outcome = dict[str, Any] | Failed


class Processes:
    """Starts the measured processes: Privet's in this interpreter, the peers' in theirs."""

    def __init__(self, peers: Path) -> None:
        self._peers = peers
        versions = _figures([str(peers), str(HERE / "peers.py")], check=False)
        self.peers_about: dict[str, Any] = {} if isinstance(versions, Failed) else versions
        self.peer_versions: dict[str, str | None] = self.peers_about.get("peers", {})

    def privet(self, *arguments: str) -> Outcome:
        """A case of cases.py."""
        return _figures([sys.executable, str(HERE / "cases.py"), *arguments])

    def peer(self, route: str, rows: str, repeats: str) -> Outcome:
        """A route of peers.py, in the peers' own environment."""
        return _figures([str(self._peers), str(HERE / "peers.py"), route, rows, repeats])

    def peer_accountant(self, library: str, spends: str) -> Outcome:
        """A library of peer_accountants.py, in the peers' own environment."""
        return _figures([str(self._peers), str(HERE / "peer_accountants.py"), library, spends])

    def output(self, command: list[str]) -> str | Failed:
        """What a program prints that measures several processes itself."""
        return _run(command)

    def python(self, statement: str) -> list[str]:
        """The command line of one statement in this interpreter."""
        return [sys.executable, "-c", statement]

    def command(self, *arguments: str) -> list[str]:
        """The command line of `privet`, as it is installed beside this interpreter."""
        return [str(Path(sys.executable).with_name("privet")), *arguments]

    def wall(self, command: list[str], count: int) -> list[float] | Failed:
        """Seconds from start to exit of each of `count` processes.

        One more goes before them, which fills the file cache.
        """
        taken = []
        for _ in range(count + 1):
            start = time.perf_counter()
            finished = _run(command)
            taken.append(time.perf_counter() - start)
            if isinstance(finished, Failed):
                return finished
        return taken[1:]


def _run(command: list[str], check: bool = True) -> str | Failed:
    """What the process printed."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=SECONDS_ALLOWED,
            env=os.environ | _ONE_THREAD,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Failed(f"stopped after {SECONDS_ALLOWED} s")
    except OSError as error:
        return Failed(f"{error.strerror}: {Path(command[0]).name}")
    if check and done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit {done.returncode}"]
        return Failed(lines[-1].replace("|", "/")[:160])
    return done.stdout


def _figures(command: list[str], check: bool = True) -> Outcome:
    """The JSON object on the last line that the process printed."""
    printed = _run(command, check)
    if isinstance(printed, Failed):
        return printed
    lines = printed.strip().splitlines()
    try:
        figures: dict[str, Any] = json.loads(lines[-1])
    except (IndexError, ValueError):
        return Failed("printed no figures")
    return figures
