"""The ledger and the account on the command line: --ledger URL --account NAME.

Contract. The URL may stand in the environment variable PRIVET_LEDGER, where a password is kept out
of the list of processes; it is never printed. A ledger without an account is refused: nobody
releases beside a ledger by forgetting an option.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from privet.errors import ParameterError

if TYPE_CHECKING:
    from privet.ledger import Account, Ledger

VARIABLE = "PRIVET_LEDGER"

LedgerUrl = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        metavar="URL",
        envvar=VARIABLE,
        help="A ledger: a file such as spend.db, or postgresql+psycopg://HOST/NAME.",
    ),
]
AccountName = Annotated[
    str | None,
    typer.Option("--account", metavar="NAME", help="The account of the ledger to be charged."),
]
ChargedPerson = Annotated[
    str | None,
    typer.Option(
        "--charge-person",
        metavar="NAME",
        help="Charge this person of the account alone: FILE holds nobody else's data.",
    ),
]


def required(url: str | None) -> str:
    """The URL. Errors: ParameterError if there is none."""
    if not url:
        raise ParameterError(
            "No ledger was named.",
            hint=f"Add --ledger spend.db, or set {VARIABLE}.",
            parameter="ledger",
        )
    return url


@contextmanager
def opened(url: str | None, *, create: bool = False) -> Iterator["Ledger"]:
    """The ledger at a URL, closed afterwards. Errors: ParameterError, LedgerError."""
    place = required(url)
    from privet.ledger import Ledger

    with Ledger.open(place, create=create) as ledger:
        yield ledger


@contextmanager
def account_in(
    url: str | None, name: str | None, person: str | None = None
) -> Iterator["Account | None"]:
    """The account that --ledger and --account name; None where neither does.

    `person`: who is charged alone. Errors: ParameterError for one without the other; LedgerError.
    """
    if person is not None and name is None:
        raise ParameterError(
            "A person was named to be charged, and no account.",
            hint="Add --account NAME, or leave --charge-person out.",
            parameter="account",
        )
    if not url and name is None:
        yield None
        return
    if name is None:
        raise ParameterError(
            f"A ledger was named, by --ledger or {VARIABLE}, and no account.",
            hint=f"Add --account NAME, or leave --ledger out and {VARIABLE} unset.",
            parameter="account",
        )
    with opened(url) as ledger:
        charged = ledger.account(name)
        yield charged if person is None else charged.for_person(person)
