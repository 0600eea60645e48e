"""A full disk, a database that goes away, another file: a clear refusal, and nothing is lost."""

import os
import resource
import shutil
import signal
import sqlite3
import threading
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from privet import IndependentRecords, Ledger, LedgerUnavailableError, RecordLoss
from privet.errors import LedgerDamagedError, LedgerError
from privet.ledger.sql import SqlStore
from privet.testing.postgres import PostgresServer

LOSS = RecordLoss.constant(3, "1/1000")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "spend.db"
    with Ledger.open(place, create=True) as ledger:
        ledger.account("diary", IndependentRecords(1), 10).reserve(LOSS).commit()
    return place


def folded(file: Path) -> None:
    """Fold the log into the file, so that the file alone is the ledger."""
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def spend_until_it_fails(file: Path, prepare: Callable[[SqlStore], None]) -> tuple[int, str]:
    """In a child, whose limits are its own: how many reservations it was told of, and the error."""
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads; none run
        child = os.fork()
    if not child:
        told = 0
        try:
            account = Ledger.open(file).account("diary")
            prepare(account._books.store)  # type: ignore[arg-type]  # the store of a file is this
            while True:
                account.reserve(LOSS, note="x" * 2000)
                told += 1
        except LedgerError as error:
            os.write(write, f"{told} {type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        number, _, message = answer.read().partition(" ")
    assert os.waitpid(child, 0)[1] == 0
    return int(number), message


def no_larger_than_now(store: SqlStore) -> None:
    """The system refuses files above 400 kB, as a full disk or a quota does."""
    del store
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))


def few_pages(store: SqlStore) -> None:
    """SQLite itself says that the disk is full."""
    with store.engine.connect() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {int(pages or 0) + 5}")


@pytest.mark.parametrize("full", [no_larger_than_now, few_pages])
def test_a_full_disk_refuses_and_keeps_every_reservation_it_told_of(
    file: Path, full: Callable[[SqlStore], None]
) -> None:
    told, message = spend_until_it_fails(file, full)
    assert told > 0
    assert message.startswith("LedgerUnavailableError: The ledger at ")
    assert "disk" in message
    with Ledger.open(file) as ledger:
        assert ledger.verify().ok
        history = ledger.history("diary")
        assert sum(entry.kind == "reserve" for entry in history) == told + 1
        # With room again, it goes on.
        ledger.account("diary").reserve(LOSS).commit()
        assert ledger.verify().ok


def test_a_file_that_was_removed_takes_no_more_spends(file: Path) -> None:
    with Ledger.open(file) as ledger:
        account = ledger.account("diary")
        reservation = account.reserve(LOSS)
        file.unlink()
        for act in (lambda: account.reserve(LOSS), reservation.commit, account.spent):
            with pytest.raises(LedgerUnavailableError, match="removed or replaced"):
                act()
        assert not file.exists()  # nor made anew, empty, as if nothing had been spent


def test_a_file_that_was_replaced_by_an_older_copy_takes_no_more_spends(file: Path) -> None:
    folded(file)
    shutil.copy(file, file.with_name("older.db"))
    with Ledger.open(file) as ledger:
        account = ledger.account("diary")
        reservation = account.reserve(LOSS)
        file.with_name("older.db").replace(file)
        for act in (lambda: account.reserve(LOSS), reservation.commit):
            with pytest.raises(LedgerUnavailableError, match="removed or replaced"):
                act()


def test_an_older_copy_put_back_is_found_by_a_head_written_down_elsewhere(file: Path) -> None:
    folded(file)
    copy = file.with_name("older.db")
    shutil.copy(file, copy)
    with Ledger.open(file) as ledger:
        account = ledger.account("diary")
        account.reserve(LOSS).commit()
        head = ledger.verify().head
    folded(file)
    copy.replace(file)
    with Ledger.open(file) as ledger:
        assert ledger.verify().ok  # by itself it is whole
        for written in (head.hash, f"{head.count}:{head.hash}"):
            fault = ledger.verify(written).fault
            assert fault is not None
            assert "cut off" in fault.what


def test_a_process_whose_store_went_back_in_time_reads_it_again(file: Path) -> None:
    # The same inode: the content is written over, as a restore in place does.
    folded(file)
    content = file.read_bytes()
    ledger = Ledger.open(file)
    account = ledger.account("diary")
    account.reserve(RecordLoss.constant(1, 5)).commit()
    assert account.spent() > 5
    ledger._store.close()
    folded(file)
    file.write_bytes(content)
    assert account.spent() < 1
    assert ledger.verify().ok
    ledger.close()


def test_a_file_that_may_only_be_read_says_so(file: Path) -> None:
    folded(file)
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads; none run
        child = os.fork()
    if not child:
        try:
            file.chmod(0o444)
            file.parent.chmod(0o555)
            for folder in file.parents[1:4]:
                folder.chmod(folder.stat().st_mode | 0o055)
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            Ledger.open(file).account("diary").reserve(LOSS)
        except LedgerError as error:
            os.write(write, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        message = answer.read()
    os.waitpid(child, 0)
    file.parent.chmod(0o755)
    assert message.startswith("LedgerUnavailableError: ")
    assert "may only be read" in message or "cannot be opened" in message


@pytest.mark.parametrize(
    "content", [b"not a database at all" * 50, b"SQLite format 3\0" + b"x" * 99]
)
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(
    tmp_path: Path, content: bytes
) -> None:
    place = tmp_path / "notes.txt"
    place.write_bytes(content)
    for create in (False, True):
        with pytest.raises(LedgerDamagedError, match="is not an SQLite file"):
            Ledger.open(place, create=create)
    assert place.read_bytes() == content


def test_pages_overwritten_in_the_file_are_refused(file: Path) -> None:
    with Ledger.open(file) as ledger:
        for _ in range(40):
            ledger.account("diary").reserve(LOSS, note="y" * 500)
    folded(file)
    with file.open("r+b") as stream:
        stream.seek(3 * 4096)
        stream.write(b"\xff" * (file.stat().st_size - 4 * 4096))

    def spend() -> None:
        with Ledger.open(file) as ledger:
            ledger.account("diary").reserve(LOSS)

    with pytest.raises(LedgerError):
        spend()


def test_a_database_that_stops_between_reserve_and_commit(postgres: PostgresServer) -> None:
    del postgres  # this one is stopped, so it is the test's own
    with PostgresServer() as server:
        url = server.create("gone")
        with Ledger.open(url, create=True) as ledger:
            account = ledger.account("diary", IndependentRecords(1), 10)
            account.reserve(LOSS).commit()
            left = account.reserve(LOSS)
            server.stop(crash=True)
            for act in (left.commit, lambda: account.reserve(LOSS), account.spent):
                with pytest.raises(LedgerUnavailableError, match="cannot be reached") as caught:
                    act()
                assert "secret" not in str(caught.value)
            server.start()
            # The same ledger goes on: nothing was lost, nothing was spent twice.
            assert left.state == "reserved"
            assert [entry.state for entry in account.history() if entry.state] == [
                "committed", "reserved",
            ]  # fmt: skip
            left.commit()
            assert ledger.verify().ok


def test_what_reserve_told_of_survives_a_loss_of_power(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row commits without waiting and is flushed afterwards; without the flush it is lost."""
    del postgres
    with PostgresServer({"wal_writer_delay": "10s"}) as server:
        url = server.create("power")
        with Ledger.open(url, create=True) as ledger:
            account = ledger.account("diary", IndependentRecords(1), 10)
            kept = account.reserve(LOSS)
            server.stop(crash=True)
            server.start()
            assert kept.state == "reserved"
            monkeypatch.setattr(type(ledger._store), "_settle", lambda *_: None)
            lost = account.reserve(LOSS)
            server.stop(crash=True)
            server.start()
            monkeypatch.undo()
            with pytest.raises(LedgerDamagedError, match="no longer in the ledger"):
                lost.commit()
            assert ledger.verify().ok
            assert account.spent() == kept.spent_after


def test_a_server_that_is_not_there_is_named_without_its_password() -> None:
    with pytest.raises(LedgerUnavailableError, match=r"postgresql://127\.0\.0\.1:9/x") as caught:
        Ledger.open("postgresql://ada:hunter2@127.0.0.1:9/x?password=hunter2", create=True)
    assert "hunter2" not in repr(caught.value) + str(caught.value) + repr(caught.value.payload)
    assert caught.value.__suppress_context__


def test_a_file_with_two_names_is_refused_for_each_would_have_its_own_log(file: Path) -> None:
    account = Ledger.open(file).account("diary")
    other = file.with_name("other.db")
    other.hardlink_to(file)
    with pytest.raises(LedgerUnavailableError, match="second name"):
        Ledger.open(other)
    with pytest.raises(LedgerUnavailableError, match="second name"):
        account.reserve(LOSS)
    other.unlink()
    account.reserve(LOSS).commit()
    link = file.with_name("link.db")
    link.symlink_to(file)
    through = Ledger.open(link).account("diary")
    through.reserve(LOSS).commit()
    assert account.spent() == through.spent() == 3 * LOSS.maximum


def test_a_stricter_default_of_the_database_stops_nobody(postgres: PostgresServer) -> None:
    import psycopg

    url = postgres.create("strict")
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(
            "ALTER DATABASE strict SET default_transaction_isolation = 'serializable'"
        )
    ledger = Ledger.open(url, create=True)
    account = ledger.account("diary", IndependentRecords(1), 10)
    threads = [
        threading.Thread(target=lambda: Ledger.open(url).account("diary").reserve(LOSS).commit())
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert account.spent() == 6 * LOSS.maximum
