"""z3 as a separate process: text in, a verdict out, and no trust in anything else.

Contract. A verdict is Satisfiable with values, Unsatisfiable, or Unknown with a reason. A solver
that ends, answers something that cannot be read, or has not answered a little after its time limit
is Unknown, and the next question gets a new process. An interrupt (KeyboardInterrupt) ends the
process and goes on to the caller. z3 is never imported here; Errors: MissingExtraError without it.
"""

import contextlib
import importlib.util
import json
import math
import os
import select
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from flint import fmpz

from privet.errors import MissingExtraError, ModelError
from privet.verify.smt.algebraic import AlgebraicNumber, Real
from privet.weighted import Clock

_WORKER = Path(__file__).with_name("worker.py")
_GRACE = 3.0
"""Seconds for the solver to notice by itself that its time is over."""

MEMORY_LIMIT = 2048
"""Megabytes."""


@dataclass(frozen=True)
class Satisfiable:
    """Values of the names asked for, not yet re-checked."""

    values: dict[str, Real]


@dataclass(frozen=True)
class Unsatisfiable:
    """There are none, says this version of the solver."""

    version: str


@dataclass(frozen=True)
class Unknown:
    """No verdict, and why."""

    reason: str


Verdict = Satisfiable | Unsatisfiable | Unknown


@dataclass(frozen=True)
class Query:
    """SMT-LIB declarations and assertions; `names`: the real constants whose values are wanted."""

    script: str
    names: tuple[str, ...] = ()
    logic: str | None = None


class Solver:
    """A process that answers queries one after another; a context manager, which ends it.

    `clock`: its time is shared by all queries; `megabytes`: the memory z3 may use; `command`: what
    to run, z3 unless given.
    """

    name = "z3"

    def __init__(
        self, clock: Clock, megabytes: int = MEMORY_LIMIT, command: Sequence[str] | None = None
    ) -> None:
        if command is None:
            require_z3()
            # -P: the worker's own folder must not hide modules of the standard library.
            command = [sys.executable, "-P", str(_WORKER)]
        self._command = list(command)
        self.clock, self._megabytes = clock, megabytes
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def ask(self, query: Query) -> Verdict:
        """The verdict on one query."""
        left = self.clock.left
        if left <= 0:
            return Unknown("time limit")
        request = {
            "script": query.script,
            "logic": query.logic,
            "names": query.names,
            "milliseconds": None if math.isinf(left) else max(1, math.ceil(left * 1000)),
            "megabytes": self._megabytes,
        }
        try:
            line = self._exchange(json.dumps(request), None if math.isinf(left) else left + _GRACE)
        except BaseException:
            self._end()
            raise
        if line is None:
            self._end()
            return Unknown("time limit")
        if not line.endswith("\n"):
            return Unknown(f"the solver ended unexpectedly ({self._end(patience=1.0)})")
        verdict = self._read(line)
        if isinstance(verdict, Satisfiable) and set(verdict.values) != set(query.names):
            return Unknown("the solver's answer cannot be read")
        return verdict

    def _exchange(self, request: str, seconds: float | None) -> str | None:
        """One line there and one back; None when the time is over, "" when the process ended."""
        process = self._started()
        if process.stdin is None or process.stdout is None:
            return ""
        try:
            process.stdin.write(request + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            return ""
        ready, _, _ = select.select([process.stdout], [], [], seconds)
        return process.stdout.readline() if ready else None

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                # The caller ends the process itself when the user interrupts.
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        return self._process

    def _end(self, patience: float = 0.0) -> str:
        """End the process, now unless it ends by itself; how it ended."""
        process, self._process = self._process, None
        if process is None:
            return "it never started"
        try:
            code = process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        return f"signal {-code}" if code < 0 else f"exit status {code}"

    def _read(self, line: str) -> Verdict:
        try:
            answer = json.loads(line)
            verdict, reason = answer["verdict"], str(answer["reason"])
            if verdict == "unsat":
                return Unsatisfiable(str(answer["version"]))
            if verdict == "sat":
                values = {name: _real(value) for name, value in answer["values"].items()}
                return Satisfiable(values)
        except (ValueError, KeyError, TypeError, AttributeError, ModelError, ArithmeticError):
            return Unknown("the solver's answer cannot be read")
        if verdict != "unknown":
            return Unknown("the solver's answer cannot be read")
        return Unknown(_plain(reason))


def _plain(reason: str) -> str:
    """z3 calls a time limit by several names."""
    if reason in ("timeout", "canceled"):
        return "time limit"
    return f"the solver answered unknown: {reason or 'no reason given'}"


def _real(value: Any) -> Real:
    if isinstance(value, str):
        return _fraction(value)
    polynomial = [_fraction(entry) for entry in value["polynomial"]]
    return AlgebraicNumber.root(polynomial, _fraction(value["low"]), _fraction(value["high"]))


def _fraction(text: str) -> Fraction:
    # Fraction(text) refuses integers of some thousand digits.
    over, line, under = text.partition("/")
    return Fraction(int(fmpz(over)), int(fmpz(under)) if line else 1)


def require_z3() -> None:
    """Errors: MissingExtraError with the line that installs it."""
    if importlib.util.find_spec("z3") is None:
        raise MissingExtraError(
            "The SMT engine needs z3, which is not installed.",
            hint="Install it with: pip install 'privet[verify]'",
        )
