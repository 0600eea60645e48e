"""Carrying a release out: charged to an account first, drawn, and only then given out.

Contract. With an account the order is: reserve, draw, commit, write, return. A reservation counts
as spent from the moment it is made, so wherever the process dies after it, the budget stays spent.
Commit stands before the first byte that leaves: no file gets its name, and nothing is returned,
unless the ledger holds the row and the receipt. A reservation is taken back only while nothing was
drawn. What fails later says that the account stays charged.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from privet.errors import ParameterError, PrivetError
from privet.privacy.guarantee import decimal_up
from privet.queries import told
from privet.releasing.answers import Answer
from privet.releasing.blocks import Progress
from privet.releasing.charging import Charge
from privet.releasing.finishing import Release, finish
from privet.releasing.job import Drawn, Job
from privet.releasing.receipt import PRIVATE_BITS, Part, Receipt
from privet.symbols import Words

if TYPE_CHECKING:
    from privet.ledger import Account, Reservation

_FEW, _LINE = 8, 500
"""How many columns a note names, and how long it is at most."""

STAYS_CHARGED = "The release stays charged to account"
"""How the remark begins that an error carries once the budget is spent."""


def carry_out(
    job: Job,
    receipt: Receipt,
    account: "Account | None",
    target: tuple[Path, Path] | None,
    *,
    overwrite: bool,
    progress: Progress,
) -> Release:
    """Draw the release of a job and give it out, with its receipt, charged to `account` if any.

    Errors: ParameterError for an account that is not for this release, BudgetExceededError, both
    before the draw; LedgerError, OutputError.
    """
    if account is None:
        drawn = job.draw(progress, receipt.demo)
        with _discarded(drawn):
            return finish(receipt, drawn, target, overwrite=overwrite, progress=progress)
    receipt.to_text()  # What cannot be written down is not charged.
    charge = Charge.of(receipt)
    charge.check(account, _parts(job))
    _check_person(account, job, receipt)
    entry, receipt = _reserve(account, charge, receipt)
    with _stays_charged(account.name, entry.id):
        drawn = job.draw(progress, receipt.demo)
        with _discarded(drawn):
            entry.commit(receipt.to_json())
            return finish(receipt, drawn, target, overwrite=overwrite, progress=progress)


def _check_person(account: "Account", job: Job, receipt: Receipt) -> None:
    """Refuse data that may be of several people where one of them is to be charged alone.

    Errors: ParameterError, with how many there are.
    """
    if account.person is None:
        return
    hint = "Give the data of that person only, or charge everybody."
    sizes, layout = receipt.shape, receipt.layout
    what = {"query": "series", "words": "words", "table": "rows"}.get(receipt.kind, "symbols")
    is_one_word = what == "symbols" and receipt.parts[0].per == "symbol"
    if not is_one_word and sizes[what] > int(layout.get("rows_per_person") or 1):
        raise ParameterError(
            f"One person is to be charged alone, and the data hold {sizes[what]:,} {what}, which "
            "may be of several.",
            hint=hint,
            parameter="ledger",
        )
    if job.persons is not None and (count := job.persons()) > 1:
        raise ParameterError(
            f"One person is to be charged alone, and the rows are of {count:,} persons.",
            hint=hint,
            parameter="ledger",
        )


def _parts(job: Job) -> Iterator[tuple[int, Words]]:
    """The words of the data, if they are words, each part with the number of words before."""
    if job.words is not None:
        yield 0, job.words
    elif job.word_parts is not None:
        yield from job.word_parts()


@contextmanager
def _discarded(drawn: Drawn) -> Iterator[None]:
    """What was drawn into hidden files is deleted, unless it has been given out by then."""
    try:
        yield
    finally:
        if drawn.staged is not None:
            drawn.staged.discard()


def _reserve(account: "Account", charge: Charge, receipt: Receipt) -> tuple["Reservation", Receipt]:
    """The reservation, and the receipt that names it."""
    entry = account.reserve(
        charge.loss_in(account.framework),
        note=_note(receipt),
        seeded=receipt.randomness != PRIVATE_BITS,
        unit=charge.records,
    )
    try:
        return entry, replace(receipt, ledger=_facts(account.name, entry))
    except BaseException:
        with suppress(PrivetError):  # Then it stays spent, which is safe.
            entry.void("nothing was drawn")
        raise


def _note(receipt: Receipt) -> str:
    """What is released and how, in a line: the names of the columns are public."""
    what = ", ".join(_column(part, receipt.kind) for part in receipt.parts[:_FEW])
    more = f" and {len(receipt.parts) - _FEW} more" if len(receipt.parts) > _FEW else ""
    part = receipt.parts[0]
    asked = f"{told(part.query)} of " if isinstance(part, Answer) else ""
    if isinstance(part, Answer) and part.nodes is not None:
        more = f", steps {part.nodes[0]} to {part.nodes[1] - 1}"
    promised = decimal_up(receipt.guarantee.epsilon, 5)
    how = part.mechanism["mechanism"]
    return f"{receipt.kind}: {asked}{what}{more}, {how}, epsilon {promised}"[:_LINE]


def _column(part: Part, kind: str) -> str:
    """The column in quotes; what has none is the series of a query, or the words or values."""
    if part.column is not None:
        return f"'{part.column}'"
    return "series" if isinstance(part, Answer) else kind


def _facts(name: str, entry: "Reservation") -> dict[str, str]:
    return {
        "account": name,
        "entry": entry.id,
        "spent_before": str(entry.spent_before),
        "spent_after": str(entry.spent_after),
    }


@contextmanager
def _stays_charged(account: str, entry: str) -> Iterator[None]:
    """Whatever goes wrong inside says that the budget is spent all the same."""
    remark = f"{STAYS_CHARGED} '{account}' (entry {entry}): something may have been drawn."
    try:
        yield
    except PrivetError as error:
        hint = f"{error.hint} {remark}".lstrip()
        raise type(error)(error.message, hint=hint, **error.payload) from None
    except BaseException as error:
        error.add_note(remark)
        raise
