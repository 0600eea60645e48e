"""Spends per second of a ledger that many processes share, on SQLite and on PostgreSQL.

Contract. Each process reserves and commits as fast as it can, now and then on an account whose
budget is soon used up. Afterwards the ledger is verified: every spend that a process was told of
is in it, no other is, and no account is above its budget; otherwise the run fails. PostgreSQL is a
server of its own with the settings it is installed with (fsync on). Run it alone:
python benchmarks/ledger.py --seconds 30
"""

import argparse
import json
import multiprocessing
import os
import tempfile
import time
from fractions import Fraction
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import NamedTuple

from privet import BudgetExceededError, IndependentRecords, Ledger, RecordLoss
from privet.testing.postgres import PostgresServer, postgres_programs

WIDE, NARROW = "wide", "narrow"
NARROW_BUDGET = Fraction("0.5")
LOSS = RecordLoss.constant(100, "0.01")
NARROW_EVERY = 5


class Told(NamedTuple):
    """What one process was told: ids by account, and how often it was refused."""

    given: dict[str, list[str]]
    refused: int


class Run(NamedTuple):
    """One row of the table."""

    store: str
    per_second: float
    spends: int
    lost: int
    refused: int
    narrow: Fraction
    verify_seconds: float
    open_seconds: float


def spend(
    url: str, seconds: float, started: Barrier, answers: "multiprocessing.Queue[Told]"
) -> None:
    """Spend for some seconds from the moment at which all processes are ready."""
    given: dict[str, list[str]] = {WIDE: [], NARROW: []}
    refused = 0
    with Ledger.open(url) as ledger:
        accounts = {name: ledger.account(name) for name in given}
        started.wait()
        end = time.monotonic() + seconds
        for number in range(10**9):
            if time.monotonic() > end:
                break
            name = WIDE if number % NARROW_EVERY else NARROW
            try:
                reservation = accounts[name].reserve(LOSS)
            except BudgetExceededError:
                refused += 1
                continue
            reservation.commit()
            given[name].append(reservation.id)
    answers.put(Told(given, refused))


def measure(store: str, url: str, processes: int, seconds: float) -> Run:
    """One store under load, then checked."""
    with Ledger.open(url, create=True) as ledger:
        ledger.account(WIDE, IndependentRecords(1), 10_000)
        ledger.account(NARROW, IndependentRecords(1), NARROW_BUDGET)
    context = multiprocessing.get_context("spawn")
    answers: multiprocessing.Queue[Told] = context.Queue()
    started = context.Barrier(processes)
    workers = [
        context.Process(target=spend, args=(url, seconds, started, answers))
        for _ in range(processes)
    ]
    for worker in workers:
        worker.start()
    told = [answers.get() for _ in workers]
    for worker in workers:
        worker.join()
    return checked(store, url, told, seconds)


def checked(store: str, url: str, told: list[Told], seconds: float) -> Run:
    """Compare what the processes were told with what is there. Errors: SystemExit."""
    begin = time.perf_counter()
    with Ledger.open(url) as ledger:
        narrow = ledger.account(NARROW).spent()
        opened = time.perf_counter() - begin
        spends = lost = 0
        for name in (WIDE, NARROW):
            history = ledger.history(name)
            kept = {entry.reservation for entry in history if entry.state == "committed"}
            given = {each for one in told for each in one.given[name]}
            lost += len(given - kept)
            spends += len(given)
            account = ledger.account(name)
            if kept - given or account.spent() > account.budget:
                raise SystemExit(f"{store}: the account '{name}' is not what was spent on it")
        begin = time.perf_counter()
        verification = ledger.verify()
        verified = time.perf_counter() - begin
    if lost or not verification.ok:
        raise SystemExit(f"{store}: {lost} spends lost, {verification.fault}")
    refused = sum(one.refused for one in told)
    return Run(store, spends / seconds, spends, lost, refused, narrow, verified, opened)


def _of_budget(spent: Fraction) -> str:
    return f"{float(spent):.3f} of {float(NARROW_BUDGET)}"


def main() -> None:
    """Measure both stores and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--json", action="store_true", help="one line of JSON in place of a table")
    options = parser.parse_args()
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "spend.db")
        runs.append(measure("SQLite", file, options.processes, options.seconds))
    if postgres_programs() is not None:
        with PostgresServer() as server:
            url = server.create("spend")
            runs.append(measure("PostgreSQL", url, options.processes, options.seconds))
    if options.json:
        print(json.dumps([{**run._asdict(), "narrow": _of_budget(run.narrow)} for run in runs]))
        return
    print(f"{options.processes} processes for {options.seconds:g} s on {os.cpu_count()} cores:\n")
    print("| store | spends per second | spends | lost | refused | capped account |"
          " open | verify |")  # fmt: skip
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    for run in runs:
        print(
            f"| {run.store} | {run.per_second:.0f} | {run.spends} | {run.lost} | {run.refused} | "
            f"{_of_budget(run.narrow)} | {run.open_seconds:.2f} s | "
            f"{run.verify_seconds:.1f} s |"
        )


if __name__ == "__main__":
    main()
