"""The seal of a certificate file: a field that tells whether any other field was changed.

Contract. The seal is the SHA-256 of all other fields. It is no signature, as anyone can seal other
content; what is claimed rests on the proof alone. It makes sure that a file whose content was
changed, by a damaged disk or by hand, is refused even where it would still prove something.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from privet.errors import CertificateError

SEAL = "sha256"
"""The field that says what the other fields were."""


def seal_of(document: Mapping[str, Any]) -> str:
    """The SHA-256 of all other fields, as JSON with sorted names and without blanks."""
    rest = {name: value for name, value in document.items() if name != SEAL}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with its seal."""
    return {**document, SEAL: seal_of(document)}


def check_seal(document: Mapping[str, Any]) -> None:
    """Refuse content that its seal is not of. Errors: CertificateError with the field."""
    try:
        is_whole = document.get(SEAL) == seal_of(document)
    except (TypeError, ValueError, RecursionError):
        is_whole = False  # it is nothing that JSON can say
    if not is_whole:
        raise CertificateError(
            f"The field '{SEAL}' is that of other content: the certificate was changed.",
            hint="Use the file as it was written.",
            field=SEAL,
        )
