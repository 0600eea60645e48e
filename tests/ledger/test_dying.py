"""kill -9 at every point of a reservation: what was promised stands, and nothing is in the way.

A child of the test is killed by the system after its n-th statement, for every n until it lives, so
each gap between two statements is tried: before the row, between the row and the head, before and
after the commit of the reservation, between it and the commit of the release, and within that one.
"""

import os
import signal
import threading
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from sqlalchemy import event

from privet import IndependentRecords, Ledger, LedgerUnavailableError, RecordLoss
from privet.ledger.sql import SqlStore

LOSS = RecordLoss.constant(3, 1)


def in_child(act: Callable[[], None]) -> int:
    """What `waitpid` says of a child that does `act` and ends."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads; none run
        child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    status = 1
    try:
        act()
        status = 0
    finally:
        os._exit(status)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def arm(ledger: Ledger, after: int) -> None:
    """Be killed after the `after`-th statement, and just before each commit counts as one."""
    store = ledger._store
    assert isinstance(store, SqlStore)
    left = [after]

    def count(*_: object) -> None:
        left[0] -= 1
        if not left[0]:
            die()

    event.listen(store.engine, "after_cursor_execute", count)
    event.listen(store.engine, "commit", count)


def test_a_killed_release_leaves_its_budget_spent_and_the_ledger_usable(url: str) -> None:
    with Ledger.open(url, create=True) as ledger:
        ledger.account("diary", IndependentRecords(1), 100)
    seen: set[tuple[str, ...]] = set()
    spent, killed_at = Fraction(0), 0
    while True:
        killed_at += 1
        read, write = os.pipe()

        def release(after: int = killed_at, told: int = write) -> None:
            ledger = Ledger.open(url)
            account = ledger.account("diary")
            arm(ledger, after)
            reservation = account.reserve(LOSS)
            os.write(told, b"reserved ")
            reservation.commit({"kind": "test"})
            os.write(told, b"committed ")

        status = in_child(release)
        os.close(write)
        with os.fdopen(read) as told:
            said = told.read().split()
        ledger = Ledger.open(url)
        account = ledger.account("diary")
        assert ledger.verify().ok
        now = account.spent()
        last = [entry for entry in account.history() if entry.kind == "reserve"][-1:]
        state = (last[0].state or "") if last and now > spent else ""
        # What the child was told is so; it may have died before it was told.
        assert now in ({spent + 1} if said else {spent, spent + 1})
        assert (
            state == "committed" if "committed" in said else state in ("", "reserved", "committed")
        )
        seen.add((*said, "then", state))
        spent = now
        # Nobody's lock stands in the way of the next release.
        account.reserve(LOSS).void("only to see that it can be done")
        assert account.spent() == spent
        ledger.close()
        if not os.WIFSIGNALED(status):
            assert os.waitstatus_to_exitcode(status) == 0
            break
        assert os.WTERMSIG(status) == signal.SIGKILL
    assert killed_at > 10
    assert {
        ("then", ""),
        ("reserved", "then", "reserved"),
        ("reserved", "committed", "then", "committed"),
    } <= seen


def test_after_the_commit_of_a_reservation_it_is_spent_though_nobody_was_told(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger.open(url, create=True) as ledger:
        ledger.account("diary", IndependentRecords(1), 1)
    kind = type(Ledger.open(url)._store)
    monkeypatch.setattr(kind, "_settle", lambda *_: die())

    def release() -> None:
        Ledger.open(url).account("diary").reserve(LOSS)

    assert os.WTERMSIG(in_child(release)) == signal.SIGKILL
    monkeypatch.undo()
    with Ledger.open(url) as ledger:
        account = ledger.account("diary")
        assert account.remaining() == 0
        assert [entry.state for entry in account.history()] == [None, "reserved"]


def test_a_reservation_left_open_can_be_made_void_by_its_id(url: str) -> None:
    with Ledger.open(url, create=True) as ledger:
        account = ledger.account("diary", IndependentRecords(1), 1)
        left = account.reserve(LOSS).id
    with Ledger.open(url) as ledger:
        ledger.reservation(left).void("the machine lost power before the draw", who="operator")
        entry = ledger.history("diary")[-1]
        assert (entry.kind, entry.who, entry.reason) == (
            "void", "operator", "the machine lost power before the draw",
        )  # fmt: skip
        assert ledger.account("diary").remaining() == 1


def test_a_child_never_uses_the_connections_of_its_parent(url: str) -> None:
    ledger = Ledger.open(url, create=True)
    account = ledger.account("diary", IndependentRecords(1), 10)
    account.reserve(LOSS).commit()
    store = ledger._store
    assert isinstance(store, SqlStore)
    before = store.engine

    def child() -> None:
        for _ in range(3):
            account.reserve(LOSS).commit()
        assert store.engine is not before

    assert in_child(child) == 0
    account.reserve(LOSS).commit()
    assert store.engine is before
    assert account.spent() == 5
    assert ledger.verify().ok
    ledger.close()


def test_a_child_does_not_wait_for_a_lock_that_a_thread_of_its_parent_held(url: str) -> None:
    ledger = Ledger.open(url, create=True)
    account = ledger.account("diary", IndependentRecords(1), 10)
    held, over = threading.Event(), threading.Event()

    def hold() -> None:
        with ledger._books._turn():
            held.set()
            over.wait(120)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(120)

    def child() -> None:
        signal.alarm(60)  # or it would wait for ever
        account.reserve(LOSS).commit()

    assert in_child(child) == 0
    over.set()
    thread.join()
    assert account.spent() == 1
    ledger.close()


def test_a_ledger_in_memory_is_not_spent_twice_by_a_fork() -> None:
    account = Ledger.open("memory:").account("diary", IndependentRecords(1), 1)

    def child() -> None:
        with pytest.raises(LedgerUnavailableError, match="another one"):
            account.reserve(LOSS)

    assert in_child(child) == 0
    account.reserve(LOSS)


def test_an_interrupt_in_a_transaction_makes_the_totals_be_read_again(url: str) -> None:
    ledger = Ledger.open(url, create=True)
    account = ledger.account("diary", IndependentRecords(1), 10)
    account.reserve(LOSS)

    def interrupted() -> None:
        with ledger._books.writing() as session:
            balance = ledger._books.balance(session, "diary")
            balance.people.take_away(None, LOSS)  # what a void does for a moment
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert account.spent() == LOSS.maximum
    ledger.close()


def test_what_was_committed_is_in_the_file_alone(tmp_path: Path) -> None:
    """A killed process leaves a log beside an SQLite file; the file is moved without it."""
    place = tmp_path / "spend.db"
    with Ledger.open(place, create=True) as ledger:
        ledger.account("diary", IndependentRecords(1), 10)

    def spend_and_die() -> None:
        account = Ledger.open(place).account("diary")
        account.reserve(LOSS).commit()
        account.reserve(LOSS)
        die()

    assert in_child(spend_and_die) == signal.SIGKILL
    moved = place.rename(tmp_path / "moved.db")
    with Ledger.open(moved) as ledger:
        assert ledger.account("diary").spent() == 2
        assert ledger.verify().ok
