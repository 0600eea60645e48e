"""A real PostgreSQL for a test: its own data folder, its own port, gone when the test is.

Contract. The server listens on a free port of the loopback address only, asks for a password, and
keeps its data in a new folder of the temporary directory. It ends, and the folder with it, when the
block ends, and also when this process dies in any way. PostgreSQL refuses to run as root, so then
it runs as the system user `postgres`. Debian's own cluster is neither used nor touched. The
programs are those of the highest version under /usr/lib/postgresql, or those on the PATH.
"""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from privet.errors import LedgerUnavailableError, MissingExtraError

USER = "privet"
PASSWORD = "not-a-secret:/@%"  # signs that a URL must escape
START_SECONDS = 60

# The shell ends the server when its input ends, as it does when the process that holds it dies.
# A server that has only just been started does not hear yet, so it is told until it is gone.
_KEEPER = """
folder=$1; shift
"$@" </dev/null >"$folder/server.log" 2>&1 &
trap '' INT TERM HUP
read -r how
while kill -"${how:-QUIT}" $! 2>/dev/null; do sleep 0.1; done
test -n "$how" || rm -rf "$folder"
"""


def postgres_programs() -> Path | None:
    """The folder with initdb and postgres, or None if PostgreSQL is not installed."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"),
        key=lambda path: [int(digits) for digits in re.findall(r"\d+", path.parts[-3])],
    )
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


class PostgresServer:
    """A server of its own. Use it as a context manager; `settings` go to postgresql.conf.

    Errors: MissingExtraError if PostgreSQL is not installed, LedgerUnavailableError if it does not
    start.
    """

    def __init__(self, settings: Mapping[str, str] | None = None) -> None:
        programs = postgres_programs()
        if programs is None:
            raise MissingExtraError(
                "PostgreSQL is not installed.", hint="On Debian: apt-get install postgresql"
            )
        self._programs = programs
        self._as_user: dict[str, Any] = {}
        self._folder = Path(tempfile.mkdtemp(prefix="privet-postgres-"))
        if os.geteuid() == 0:
            self._as_user = {"user": "postgres", "group": "postgres", "extra_groups": []}
            shutil.chown(self._folder, "postgres", "postgres")
        self._data = self._folder / "data"
        self._keeper: subprocess.Popen[bytes] | None = None
        self.port = _free_port()
        self._initialise(settings or {})

    def _initialise(self, settings: Mapping[str, str]) -> None:
        secret = self._folder / "password"
        secret.write_text(PASSWORD, encoding="utf-8")
        secret.chmod(0o644)
        self._run(
            "initdb", "--no-sync", "--username", USER, "--pwfile", str(secret), "--auth",
            "scram-sha-256", "--encoding", "UTF8", "--locale", "C", str(self._data),
        )  # fmt: skip
        lines = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": str(self._folder),
            **settings,
        }
        with (self._data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in lines.items())

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            [str(self._programs / program), *arguments],
            cwd=self._folder,
            capture_output=True,
            check=False,
            timeout=START_SECONDS,
            **self._as_user,
        )
        if done.returncode:
            raise LedgerUnavailableError(
                f"{program} failed.", hint=done.stderr.decode(errors="replace")[-1000:]
            )

    def url(self, database: str = "postgres", *, user: str = USER) -> str:
        """The URL of a database, password included, as `Ledger.open` takes it."""
        from urllib.parse import quote

        secret = quote(PASSWORD, safe="")
        return f"postgresql+psycopg://{user}:{secret}@127.0.0.1:{self.port}/{database}"

    def create(self, database: str) -> str:
        """Make an empty database; its URL."""
        import psycopg
        from psycopg.sql import SQL, Identifier

        with psycopg.connect(self._libpq(), autocommit=True) as connection:
            connection.execute(SQL("CREATE DATABASE {}").format(Identifier(database)))
        return self.url(database)

    def _libpq(self) -> str:
        return self.url().replace("+psycopg", "")

    def start(self) -> None:
        """Start the server and wait until it answers."""
        command = [str(self._programs / "postgres"), "-D", str(self._data)]
        self._keeper = subprocess.Popen(
            ["/bin/sh", "-c", _KEEPER, "keeper", str(self._folder), *command],
            cwd=self._folder,
            stdin=subprocess.PIPE,
            **self._as_user,
        )
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if time.monotonic() > deadline or self._keeper.poll() is not None:
                raise LedgerUnavailableError(
                    "PostgreSQL did not start.", hint=f"See {self._folder / 'server.log'}."
                )
            time.sleep(0.05)

    def _answers(self) -> bool:
        asked = ["--quiet", "--host", "127.0.0.1", "--port", str(self.port)]
        done = subprocess.run([str(self._programs / "pg_isready"), *asked], check=False)
        return done.returncode == 0

    def stop(self, *, crash: bool = False) -> None:
        """Stop the server and keep its data; `crash`: at once, as if the power had gone."""
        if self._keeper is not None:
            self._keeper.communicate(b"QUIT\n" if crash else b"INT\n", timeout=START_SECONDS)
            self._keeper = None

    def close(self) -> None:
        """Stop the server and remove its data, which need not be written out before."""
        self.stop(crash=True)
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
