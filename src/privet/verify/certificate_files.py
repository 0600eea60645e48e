"""Certificates and counterexamples as files that anyone can check again.

Contract. A file holds one proof about a hidden Markov model (`privet.verify.certificate`), one
about what the exponential mechanism spends on a language (`privet.weighted.words_check`), one
counterexample, or a list of these; or it is the receipt of a release, whose proofs are taken.
Nothing of the search is imported: a proof is followed in integers, a counterexample by the forward
recursion in rationals, written here once more. Unknown fields, other types and content that its
seal is not of are refused; a list stands if all of it does.
"""

import os
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from privet.chains import HiddenMarkovModel
from privet.chains.json_files import read_json
from privet.errors import CertificateError, FileFormatError, PrivetError
from privet.mechanisms import Mechanism
from privet.mechanisms.word_exponential.on_language import ExponentialOnLanguage
from privet.verify.certificate import (
    KIND,
    ModelCertificate,
    ModelClaim,
    check_model_certificate,
    read_fraction,
    read_law,
)
from privet.verify.problem import Law
from privet.weighted.certificate import fraction_text
from privet.weighted.seal import SEAL, check_seal, sealed
from privet.weighted.words_check import WordClaim, check_word_certificate
from privet.whole_files import read_path, write_json

COUNTEREXAMPLE = "hidden-markov-counterexample"
LIST = "verification-certificates"
VERSION = 2
_FIELDS = ("kind", "version", "model", "first", "second", "ratio", "word", SEAL)


@dataclass(frozen=True)
class Counterexample:
    """`word` is more than `ratio` times as likely under `first` as under `second`."""

    model: HiddenMarkovModel
    first: Law
    second: Law
    ratio: Fraction
    word: tuple[Hashable, ...]

    @property
    def probabilities(self) -> tuple[Fraction, Fraction]:
        """P(word | first), P(word | second): the forward recursion [rabiner-1989]."""
        codes = [self.model.observations.index(symbol) for symbol in self.word]
        return _forward(self.model, self.first, codes), _forward(self.model, self.second, codes)

    def to_json(self) -> dict[str, Any]:
        """Exact numbers as text; the word as numbers of observations."""
        return sealed(
            {
                "kind": COUNTEREXAMPLE,
                "version": VERSION,
                "model": self.model.to_json(),
                "first": [fraction_text(entry) for entry in self.first],
                "second": [fraction_text(entry) for entry in self.second],
                "ratio": fraction_text(self.ratio),
                "word": [self.model.observations.index(symbol) for symbol in self.word],
            }
        )


SPENDING = "word-spending-certificate"

Shown = ModelClaim | WordClaim | Counterexample
"""What a valid file shows."""


def save_certificates(
    shown: Sequence[ModelCertificate | Counterexample],
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
) -> None:
    """Write one file for all. Errors: OutputError; ParameterTypeError for what is no path."""
    documents = [each.to_json() for each in shown]
    content = sealed({"kind": LIST, "version": VERSION, "certificates": documents})
    write_json(path, documents[0] if len(documents) == 1 else content, overwrite=overwrite)


def read_certificates(path: str | os.PathLike[str]) -> tuple[Shown, ...]:
    """What a file shows, checked again. Errors: FileFormatError, CertificateError."""
    place = read_path(path, "A certificate")
    try:
        return check_certificates(read_json(place, partial(_unreadable, place)))
    except CertificateError as error:
        raise CertificateError(
            f"{place} proves nothing: {error.message}",
            hint=error.hint,
            **{**error.payload, "path": str(place)},
        ) from None


def check_certificates(document: object) -> tuple[Shown, ...]:
    """What a document shows: one thing, or each of a list. Errors: CertificateError."""
    if isinstance(document, dict) and document.get("receipt") == "privet release":
        return _check_receipt(document)
    if not isinstance(document, dict) or document.get("kind") != LIST:
        return (_check_one(document),)
    _check_fields(document, ("kind", "version", "certificates", SEAL))
    listed = document["certificates"]
    if not isinstance(listed, list) or not listed:
        raise CertificateError("The list of certificates is empty.", field="certificates")
    return tuple(_check_one(each) for each in listed)


def check_counterexample_document(document: object) -> Counterexample:
    """The counterexample, if its word breaks its claim. Errors: CertificateError."""
    if not isinstance(document, dict) or document.get("kind") != COUNTEREXAMPLE:
        raise CertificateError(f"It is not of kind '{COUNTEREXAMPLE}'.", field="kind")
    _check_fields(document, _FIELDS)
    try:
        model = HiddenMarkovModel.from_json(document["model"])
    except (PrivetError, TypeError) as error:
        raise CertificateError(f"The model: {error}", field="model") from None
    size = len(model.states)
    first, second = (read_law(document[name], name, size) for name in ("first", "second"))
    ratio = read_fraction(document["ratio"], "ratio")
    codes = document["word"]
    symbols = range(len(model.observations))
    if not isinstance(codes, list) or any(type(x) is not int or x not in symbols for x in codes):
        raise CertificateError("The word is not of observations of the model.", field="word")
    if not codes:
        raise CertificateError("The word is empty.", field="word")
    word = tuple(model.observations[code] for code in codes)
    shown = Counterexample(model, first, second, ratio, word)
    over, under = shown.probabilities
    if over <= ratio * under:
        raise CertificateError("The word does not break the claim.", field="word")
    return shown


def _check_receipt(document: dict[str, Any]) -> tuple[Shown, ...]:
    """What the certificates in a receipt show, if its law says the same; no more is looked at."""
    try:
        certified = [part for part in document["parts"] if part["mechanism"].get("certified")]
        found = [part["mechanism"]["certified"]["certificate"] for part in certified]
    except (AttributeError, KeyError, TypeError):
        raise CertificateError("The receipt was changed.", field="parts") from None
    if not found:
        raise CertificateError(
            "The receipt holds no certificate.",
            hint="Releases with --calibration exact on a language that forbids words have one.",
            field="parts",
        )
    shown = tuple(_check_one(each) for each in found)
    for part in certified:
        _check_law(part)
    return shown


def _check_law(part: dict[str, Any]) -> None:
    """The mechanism is the one of the certificate, and the law beside it is that of its rate."""
    try:
        mechanism, law = Mechanism.from_json(part["mechanism"]), dict(part["law"])
        if not isinstance(mechanism, ExponentialOnLanguage):
            raise CertificateError("The certificate is not of its mechanism.", field="mechanism")
        again = mechanism.law_in_use(law["word_length"])
    except CertificateError:
        raise
    except (PrivetError, AttributeError, KeyError, TypeError, ValueError):
        raise CertificateError("The receipt was changed.", field="mechanism") from None
    if any(law.get(name) != again.get(name) for name in ("calibration", "rate", "certified")):
        raise CertificateError(
            "The law of the receipt says something else than its certificate.",
            hint="The receipt was changed since the release; use it as it was written.",
            field="law",
        )


def _check_one(document: object) -> Shown:
    kind = document.get("kind") if isinstance(document, dict) else None
    if kind == KIND:
        return check_model_certificate(document)
    if kind == SPENDING:
        return check_word_certificate(document)
    if kind == COUNTEREXAMPLE:
        return check_counterexample_document(document)
    raise CertificateError(
        "It is no certificate.",
        hint=f'Its "kind" is {KIND}, {SPENDING}, {COUNTEREXAMPLE} or {LIST}, or it is a receipt '
        "that holds one; privet verify model --save-certificate writes one.",
        field="kind",
    )


def _check_fields(document: dict[str, Any], fields: Sequence[str]) -> None:
    for name in fields:
        if name not in document:
            raise CertificateError(f"It lacks the field '{name}'.", field=name)
    for name in document:
        if name not in fields:
            raise CertificateError(f"It has an unknown field {name!r}.", field=name)
    if type(document["version"]) is not int or document["version"] != VERSION:
        raise CertificateError("It is of another version.", field="version")
    check_seal(document)


def _forward(model: HiddenMarkovModel, law: Law, codes: Sequence[int]) -> Fraction:
    weights = list(law)
    for position, code in enumerate(codes):
        if position:
            weights = [
                sum(
                    (w * row[j] for w, row in zip(weights, model.exact_transition, strict=True)),
                    Fraction(0),
                )
                for j in range(len(weights))
            ]
        weights = [w * row[code] for w, row in zip(weights, model.exact_emission, strict=True)]
    return sum(weights, Fraction(0))


def _unreadable(path: Path, problem: str) -> FileFormatError:
    return FileFormatError(
        f"The certificate {path} cannot be read: {problem}.",
        hint="privet verify model --save-certificate writes one.",
        path=str(path),
    )
