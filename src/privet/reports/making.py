"""`privet.report`: one self-contained HTML page about a release, a ledger or a verdict.

Contract. What is shown is read from what is given and from nothing else, and is checked first:
receipts for contradictions, ledgers row by row, proofs and counterexamples anew. The same input
gives the same bytes. No private value is read or shown. A file is written whole or not at all.
"""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privet.errors import FileFormatError, ParameterError, ParameterTypeError

if TYPE_CHECKING:
    from privet.ledger import Ledger
    from privet.releasing import Receipt, Release
    from privet.verify import Counterexample, ModelCertificate

    Source = (
        Receipt
        | Release
        | Ledger
        | ModelCertificate
        | Counterexample
        | Sequence[ModelCertificate | Counterexample]
        | str
        | os.PathLike[str]
    )

_DATABASE = b"SQLite format 3\0"


def report(
    source: "Source",
    output: str | os.PathLike[str] | None = None,
    *,
    account: str | None = None,
    overwrite: bool = False,
) -> str:
    """A page of HTML about a release, a ledger or a verdict, for people who must answer for it.

    `source`: a `Receipt` or `Release`, a `Ledger`, what `verify.certificates_of` gives, or the path
    of a receipt, of a release with its receipt beside it, of a ledger (or its URL), of what
    `save_certificates` wrote, or of what `privet verify --json` printed, which is shown as not
    checked. `output`: where the page is also written, whole or not at all; `overwrite`: whether a
    file there may be replaced. `account`: of a ledger, otherwise all of them. Gives the text of
    the page, which needs nothing but itself. Errors: FileFormatError for a file that is none of
    these, CertificateError for a proof that proves nothing, ParameterError for an account without a
    ledger, LedgerError, OutputError. A ledger that was tampered with is not an error: the page says
    so.
    """
    place = None if output is None else _destination(output, source, overwrite)
    text = _page(source, account)
    if place is not None:
        from privet.whole_files import write_whole

        write_whole(place, lambda stream: stream.write(text.encode()), overwrite=overwrite)
    return text


def _destination(output: str | os.PathLike[str], source: object, overwrite: bool) -> Path:
    """Errors: OutputError, ParameterError before anything is worked out."""
    from privet.whole_files import read_path, refuse_existing, refuse_unwritable

    place = read_path(output, "A report")
    inputs = []
    if isinstance(source, str | os.PathLike) and "://" not in os.fspath(source):
        inputs = [os.fspath(source)]
    refuse_unwritable(place, inputs=inputs)
    refuse_existing(place, overwrite)
    return place


def _page(source: object, account: str | None) -> str:
    from privet.ledger import Ledger

    if isinstance(source, str | os.PathLike):
        return _page_of_place(os.fspath(source), account)
    if isinstance(source, Ledger):
        from privet.reports.ledger_page import ledger_page

        return ledger_page(source, account)
    _refuse_account(account)
    from privet.releasing import Receipt, Release

    known = source.receipt if isinstance(source, Release) else source
    if isinstance(known, Receipt):
        from privet.reports.receipt_page import receipt_page

        # Read back, so that what is shown went through the same checks as a file.
        return receipt_page(Receipt.from_json(known.to_json()))
    return _page_of_certificates(known)


def _page_of_place(address: str, account: str | None) -> str:
    from privet.ledger.opening import is_mistyped
    from privet.releasing.files import receipt_named
    from privet.whole_files import read_path

    # An address of a server is never taken for a file: errors show the names of files.
    if "://" in address or _is_database(address) or is_mistyped(address):
        from privet.ledger import Ledger
        from privet.reports.ledger_page import ledger_page

        with Ledger.open(address) as ledger:
            return ledger_page(ledger, account)
    _refuse_account(account)
    place = receipt_named(read_path(address, "The source of a report"))
    content = _content(place)
    if content.get("receipt") == "privet release":
        from privet.releasing import Receipt
        from privet.reports.receipt_page import receipt_page

        return receipt_page(Receipt.read(place), place)
    if "verdict" in content:
        from privet.reports.stated_page import stated_page

        return stated_page(content, place)
    from privet.reports.verdict_page import verdict_page
    from privet.verify.certificate_files import read_certificates

    return verdict_page(read_certificates(place), place)


def _page_of_certificates(source: object) -> str:
    from privet.reports.verdict_page import verdict_page
    from privet.verify import Counterexample, ModelCertificate
    from privet.verify.certificate_files import check_certificates

    given = [source] if isinstance(source, ModelCertificate | Counterexample) else source
    if (
        isinstance(given, list | tuple)
        and given
        and all(isinstance(each, ModelCertificate | Counterexample) for each in given)
    ):
        return verdict_page(
            tuple(shown for each in given for shown in check_certificates(each.to_json()))
        )
    raise ParameterTypeError(
        f"A {type(source).__name__} is nothing to report about.",
        hint="Give a receipt, a release, a ledger, what verify.certificates_of gives, or a path.",
        parameter="source",
    )


def _refuse_account(account: str | None) -> None:
    if account is not None:
        raise ParameterError(
            "An account was named, but what is reported about is no ledger.",
            hint="Leave the account out, or name the ledger.",
            parameter="account",
        )


def _is_database(address: str) -> bool:
    with suppress(OSError, ValueError), Path(address).open("rb") as file:
        return file.read(len(_DATABASE)) == _DATABASE
    return False


def _content(place: Path) -> dict[str, Any]:
    """The JSON object in a file. Errors: FileFormatError for anything else."""
    try:
        content = json.loads(place.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise _refusal(place, f"There is no file {place}.") from None
    except IsADirectoryError:
        raise _refusal(place, f"{place} is a folder.") from None
    except OSError as error:
        raise _refusal(place, f"{place} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise _refusal(place, f"{place} is neither a receipt, a ledger nor a verdict.") from None
    if not isinstance(content, dict):
        raise _refusal(place, f"{place} is neither a receipt, a ledger nor a verdict.")
    return content


def _refusal(place: Path, message: str) -> FileFormatError:
    return FileFormatError(
        message,
        hint="A report is about a RELEASE.receipt.json, a ledger such as spend.db, what privet "
        "verify model --save-certificate wrote, or what privet verify --json printed.",
        path=str(place),
    )
