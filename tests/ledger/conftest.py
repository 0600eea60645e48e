"""The stores that every test here runs on: a file, and a real PostgreSQL of the tests' own."""

import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from privet.testing.postgres import PostgresServer, postgres_programs


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    if postgres_programs() is None:
        pytest.skip("PostgreSQL is not installed; .ci/run installs it")
    # Those that lose power are servers of their own, whose disks are waited for.
    with PostgresServer({"fsync": "off"}) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Gives the address of a place where no ledger is yet."""
    if request.param == "sqlite":
        return lambda: str(tmp_path / f"{uuid.uuid4().hex}.db")
    server: PostgresServer = request.getfixturevalue("postgres")
    return lambda: server.create(f"t{uuid.uuid4().hex}")


@pytest.fixture
def url(new_url: Callable[[], str]) -> str:
    return new_url()
