"""Eight processes at once: the budget is spent to the last bit and never above it."""

import itertools
import multiprocessing
import threading
from fractions import Fraction
from pathlib import Path

import pytest

from privet import IndependentRecords, Ledger, RecordLoss
from privet.errors import BudgetExceededError

PROCESSES = 8
LOSS = RecordLoss.constant(2, "1/8")


def spend(url: str, name: str, answers: "multiprocessing.Queue[list[str]]") -> None:
    """Reserve and commit until the budget refuses; say which reservations were given."""
    given = []
    with Ledger.open(url) as ledger:
        account = ledger.account(name)
        while True:
            try:
                reservation = account.reserve(LOSS)
            except BudgetExceededError:
                break
            reservation.commit()
            given.append(reservation.id)
    answers.put(given)


def test_no_interleaving_exceeds_the_budget_and_no_spend_is_lost(url: str) -> None:
    with Ledger.open(url, create=True) as ledger:
        for name in ("one", "two"):
            ledger.account(name, IndependentRecords(1), Fraction(49, 8) + Fraction(1, 16))
    context = multiprocessing.get_context("spawn")
    answers: multiprocessing.Queue[list[str]] = context.Queue()
    workers = [
        context.Process(target=spend, args=(url, ("one", "two")[number % 2], answers))
        for number in range(PROCESSES)
    ]
    for worker in workers:
        worker.start()
    given = [answers.get(timeout=120) for _ in workers]
    for worker in workers:
        worker.join(timeout=60)
        assert worker.exitcode == 0
    with Ledger.open(url) as ledger:
        assert ledger.verify().ok
        ids: set[str] = set()
        for name in ("one", "two"):
            assert ledger.account(name).spent() == Fraction(49, 8)
            history = ledger.history(name)
            reserved = [entry for entry in history if entry.kind == "reserve"]
            assert len(reserved) == 49
            assert {entry.state for entry in reserved} == {"committed"}
            ids |= {str(entry.reservation) for entry in reserved}
        assert sorted(ids) == sorted(itertools.chain(*given))


def make(url: str, started: "multiprocessing.synchronize.Barrier") -> None:
    started.wait(timeout=120)
    with Ledger.open(url, create=True) as ledger:
        ledger.account("same", IndependentRecords(1), 1)


def test_many_processes_may_make_the_same_ledger_at_once(url: str) -> None:
    context = multiprocessing.get_context("spawn")
    started = context.Barrier(4)
    workers = [context.Process(target=make, args=(url, started)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=120)
        assert worker.exitcode == 0
    with Ledger.open(url) as ledger:
        assert ledger.accounts() == ["same"]
        assert [entry.kind for entry in ledger.history("same")] == ["account"]


@pytest.mark.parametrize("place", ["memory", "file"])
def test_threads_of_one_ledger_keep_the_budget(place: str, tmp_path: Path) -> None:
    ledger = Ledger.open("memory:" if place == "memory" else tmp_path / "a.db", create=True)
    account = ledger.account("one", IndependentRecords(1), 3)
    given: list[str] = []

    def work() -> None:
        for _ in range(5):
            try:
                given.append(account.reserve(LOSS).id)
            except BudgetExceededError:
                return

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(given)) == len(given) == 24
    assert account.spent() == 3
    assert ledger.verify().ok
    ledger.close()


def test_many_threads_may_read_the_rows_while_others_spend(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "a.db", create=True)
    account = ledger.account("one", IndependentRecords(1), 100)
    account.reserve(LOSS)
    failed: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for row in ledger.export() if number % 2 else ():
                assert row["account"] == "one"
                account.cost(LOSS)
            assert ledger.verify().ok
            account.reserve(LOSS).commit()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    for row in ledger.export():  # the rows of one moment
        assert row["number"] <= 33 + 1
        account.reserve(LOSS)
    assert ledger.verify().ok
    ledger.close()
