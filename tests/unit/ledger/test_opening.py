"""Addresses of ledgers: what is opened, what is refused, and that no password is shown."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from privet import Ledger, LedgerError, LedgerUnavailableError, MissingExtraError
from privet.errors import ParameterError
from privet.ledger import opening

SECRET = "hunter2"


@pytest.mark.parametrize("create", [False, True])
@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://ada:{SECRET}@[::1/x",
        f"postgresql://ada:{SECRET}@host:port/x",
        f"mysql://ada:{SECRET}@host/x",
        f"postgresql+asyncpg://ada:{SECRET}@host/x",
        f"://ada:{SECRET}@host",
        f"postgresql:/ada:{SECRET}@host/x",
        f"postgresql//ada:{SECRET}@host/x",
        f"Postgres:ada:{SECRET}@host/x",
        f"ada:{SECRET}@host/x",
        f"host=there password={SECRET} dbname=x",
        f"sqlite:///x.db?password={SECRET}",
    ],
)
def test_an_address_that_cannot_be_used_is_refused_without_its_password(
    address: str, create: bool
) -> None:
    with pytest.raises(ParameterError) as caught:
        Ledger.open(address, create=create)
    assert SECRET not in f"{caught.value} {caught.value!r} {caught.value.payload}"


def test_nothing_is_made_unless_it_is_asked_for(tmp_path: Path) -> None:
    place = tmp_path / "spend.db"
    with pytest.raises(LedgerError, match="There is no ledger at"):
        Ledger.open(place)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(LedgerError, match="is a folder"):
        Ledger.open(tmp_path, create=True)
    with pytest.raises(LedgerUnavailableError, match="cannot be made"):
        Ledger.open(tmp_path / "no" / "spend.db", create=True)


def test_an_empty_file_is_no_ledger(tmp_path: Path) -> None:
    place = tmp_path / "spend.db"
    place.touch()
    with pytest.raises(LedgerError, match="There is no ledger at"):
        Ledger.open(place)


@pytest.mark.parametrize("url", [None, 7, b"x"])
def test_what_is_no_address_is_refused(url: Any) -> None:
    with pytest.raises(ParameterError, match="named by a path or a URL"):
        Ledger.open(url)


@pytest.mark.parametrize(
    ("module", "address", "extra"),
    [
        ("sqlalchemy", "spend.db", "ledger"),
        ("alembic", "spend.db", "ledger"),
        ("psycopg", "postgresql://host/x", "postgres"),
    ],
)
def test_a_missing_library_is_named_with_the_line_that_installs_it(
    module: str, address: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(opening, "find_spec", lambda name: None if name == module else real(name))
    with pytest.raises(
        MissingExtraError, match=rf"needs {module}.*pip install 'privet\[{extra}\]'"
    ):
        Ledger.open(address, create=True)


def test_a_ledger_in_memory_needs_no_database_library() -> None:
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(['sqlalchemy', 'alembic', 'psycopg']))\n"
        "from privet import Ledger, IndependentRecords\n"
        "print(Ledger.open('memory:').account('a', IndependentRecords(1), 1).remaining())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1"


@pytest.mark.parametrize("name", ["postgres.db", "a@b.db", "./a:b@c.db", "my password.db"])
def test_the_name_of_a_file_may_look_a_little_like_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Ledger.open(name, create=True).close()
    assert (tmp_path / name).exists()
