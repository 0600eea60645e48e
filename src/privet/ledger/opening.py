"""From the address of a ledger to the store behind it.

Contract. An address may hold a password: no error shows one. A database library that is missing is
a MissingExtraError with the line that installs it. Nothing is made unless `create`.
"""

import os
import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from privet.errors import (
    LedgerError,
    LedgerUnavailableError,
    MissingExtraError,
    ParameterError,
    ParameterTypeError,
)
from privet.ledger.store import MemoryStore, Store

if TYPE_CHECKING:
    from privet.ledger.sql import SqlStore

_POSTGRES = ("postgres", "postgresql", "postgresql+psycopg")
_MISTYPED = re.compile(
    r"(?![./])(\s*postgres\w*(\+\w*)?[:/]|.*\bpassword\s*=|[^/]*\w:[^/]*@)", re.IGNORECASE
)
"""Not the path of a file: a password may stand in it, so it is not shown."""


def is_mistyped(address: str) -> bool:
    """Whether it looks like the address of a server, and is no URL: it may hold a password."""
    return "://" not in address and _MISTYPED.match(address) is not None


def open_store(url: str | os.PathLike[str], *, create: bool) -> Store:
    """The store at an address; see `Ledger.open`."""
    if not isinstance(url, str | os.PathLike):
        raise ParameterTypeError(
            f"A ledger is named by a path or a URL, not by a {type(url).__name__}.",
            hint="Give the path of an SQLite file, or a postgresql URL.",
            parameter="url",
        )
    address = os.fspath(url)
    if address == "memory:":
        return MemoryStore()
    require("sqlalchemy", "ledger")
    require("alembic", "ledger")
    scheme, separator, _ = address.partition("://")
    if is_mistyped(address):
        raise ParameterError(
            "The address of the ledger looks like one of PostgreSQL, but is no URL.",
            hint="Write postgresql+psycopg://user@host/name, or ./ before the name of a file.",
            parameter="url",
        )
    store = _named(scheme, address, create) if separator else _file(Path(address), create)
    try:
        store.prepare(create=create)
    except BaseException:
        store.close()
        raise
    return store


def require(module: str, extra: str) -> None:
    """Errors: MissingExtraError with the line that installs `module`."""
    if find_spec(module) is None:
        raise MissingExtraError(
            f"A ledger of this kind needs {module}, which is not installed.",
            hint=f"Install it with: pip install 'privet[{extra}]'",
        )


def _named(scheme: str, address: str, create: bool) -> "SqlStore":
    if scheme == "sqlite" and "?" not in address:
        return _file(Path(address.removeprefix("sqlite://").removeprefix("/")), create)
    if scheme not in _POSTGRES:
        raise ParameterError(
            "A ledger is kept in SQLite or PostgreSQL.",
            hint="Give the path of an SQLite file, or postgresql+psycopg://user@host/name; options "
            "after a ? are for PostgreSQL only.",
            parameter="url",
        )
    require("psycopg", "postgres")
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    from privet.ledger.postgresql import PostgresStore

    try:
        return PostgresStore(make_url(address))
    except (ArgumentError, ValueError):
        raise ParameterError(
            "The URL of the ledger cannot be read.",
            hint="Write postgresql+psycopg://user:password@host:port/name, with signs such as @ "
            "in the password written as %40.",
            parameter="url",
        ) from None


def _file(path: Path, create: bool) -> "SqlStore":
    from privet.ledger.sqlite import SqliteStore

    if path.is_dir() or not path.name:
        raise LedgerError(f"{path} is a folder, not a ledger.", hint="Name a file.")
    if not path.exists():
        if not create:
            raise LedgerError(
                f"There is no ledger at {path}.",
                hint="Make one with create=True or `privet ledger init`, or check the place.",
            )
        _make(path)
    return SqliteStore(path)


def _make(path: Path) -> None:
    try:
        # Never opened if it is there: closing it would drop the locks of this process on it.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))
    except FileExistsError:  # Somebody else has made it meanwhile.
        return
    except OSError as error:
        raise LedgerUnavailableError(
            f"A ledger cannot be made at {path}: {error.strerror}.",
            hint="Choose a folder that exists and can be written.",
            place=str(path),
        ) from None
