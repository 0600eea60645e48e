"""A server that a test starts is its own, and leaves nothing behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from privet import LedgerUnavailableError, MissingExtraError
from privet.testing import postgres
from privet.testing.postgres import PostgresServer, postgres_programs

NEEDED = "PostgreSQL is not installed; .ci/run installs it"
pytestmark = pytest.mark.skipif(postgres_programs() is None, reason=NEEDED)


def test_it_answers_on_a_port_of_its_own_and_is_gone_afterwards() -> None:
    import psycopg

    with PostgresServer({"fsync": "off"}) as server:
        url = server.create("one").replace("+psycopg", "")
        with psycopg.connect(url) as connection:
            assert connection.execute("SHOW fsync").fetchone() == ("off",)
            assert connection.execute("SHOW listen_addresses").fetchone() == ("127.0.0.1",)
        wrong = url.replace("not-a", "not-the")
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(wrong)
        folder = server._folder
        assert folder.exists()
    assert not folder.exists()


def test_it_ends_with_the_process_that_started_it() -> None:
    code = (
        "import time\n"
        "from privet.testing.postgres import PostgresServer\n"
        "server = PostgresServer({'fsync': 'off'})\n"
        "server.start()\n"
        "print(server._folder, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        folder = Path(child.stdout.readline().strip())
        assert (folder / "data" / "postmaster.pid").exists()
        os.kill(child.pid, signal.SIGKILL)
    for _ in range(600):
        if not folder.exists():
            break
        time.sleep(0.05)
    assert not folder.exists()


def test_a_setting_that_it_refuses_is_an_error_and_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(postgres, "START_SECONDS", 3)
    server = PostgresServer({"no_such_setting": "1"})
    with pytest.raises(LedgerUnavailableError, match="did not start"), server:
        pass
    assert not server._folder.exists()


def test_without_postgresql_the_line_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(postgres, "postgres_programs", lambda: None)
    with pytest.raises(MissingExtraError, match="apt-get install postgresql"):
        PostgresServer()
