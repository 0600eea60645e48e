"""A proof about a hidden Markov model as a file: the model, the claim, and what shows it.

Contract. The JSON form holds the model and the two secrets as people wrote them and, beside them,
the proof about the weighted automaton they stand for, and is sealed (`privet.weighted.seal`). The
check reads both, makes sure in rationals that the automaton is the model's, and then re-checks the
proof by dot products, exact or of proved error (`privet.weighted.check`); no engine is involved.
Content that its seal is not of, unknown fields and other types are refused.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privet.chains import HiddenMarkovModel
from privet.errors import CertificateError, PrivetError
from privet.verify.problem import Law
from privet.weighted.certificate import Certificate, fraction_text
from privet.weighted.check import Claim, Problem, check_proof
from privet.weighted.check import check_certificate as check_written_proof
from privet.weighted.limits import Lengths
from privet.weighted.problem import RatioProblem
from privet.weighted.seal import SEAL, check_seal, sealed

KIND = "hidden-markov-certificate"
VERSION = 2
_FIELDS = (
    "kind",
    "version",
    "model",
    "first",
    "second",
    "ratio",
    "shortest",
    "longest",
    "proof",
    SEAL,
)


@dataclass(frozen=True)
class ModelCertificate:
    """No word of these lengths is more than `ratio` times as likely under `first` as `second`."""

    model: HiddenMarkovModel
    first: Law
    second: Law
    ratio: Fraction
    lengths: Lengths
    proof: Certificate

    def to_json(self) -> dict[str, Any]:
        """What `check_certificate` reads; exact numbers as text."""
        return sealed(
            {
                "kind": KIND,
                "version": VERSION,
                "model": self.model.to_json(),
                "first": [fraction_text(entry) for entry in self.first],
                "second": [fraction_text(entry) for entry in self.second],
                "ratio": fraction_text(self.ratio),
                "shortest": self.lengths.shortest,
                "longest": self.lengths.longest,
                "proof": self.proof.to_json(),
            }
        )

    def __repr__(self) -> str:
        return f"ModelCertificate({self.proof!r})"


@dataclass(frozen=True)
class ModelClaim:
    """What a valid certificate proves, in the terms of the model."""

    model: HiddenMarkovModel
    first: Law
    second: Law
    ratio: Fraction
    lengths: Lengths


def check_certificate(document: object) -> ModelClaim:
    """The claim of a certificate file's content. Errors: CertificateError naming what fails."""
    return check_model_certificate(document)


def check_model_certificate(document: object) -> ModelClaim:
    """As `check_certificate`."""
    if not isinstance(document, dict) or document.get("kind") != KIND:
        raise CertificateError(f"What should be a certificate is not of kind '{KIND}'.")
    for name in _FIELDS:
        if name not in document:
            raise CertificateError(f"The certificate lacks the field '{name}'.", field=name)
    for name in document:
        if name not in _FIELDS:
            raise CertificateError(f"The certificate has an unknown field {name!r}.", field=name)
    if type(document["version"]) is not int or document["version"] != VERSION:
        raise CertificateError("The certificate is of another version.", field="version")
    check_seal(document)
    try:
        model = HiddenMarkovModel.from_json(document["model"])
    except (PrivetError, TypeError) as error:
        raise CertificateError(f"The model of the certificate: {error}", field="model") from None
    first = read_law(document["first"], "first", len(model.states))
    second = read_law(document["second"], "second", len(model.states))
    claim = check_written_proof(document["proof"])
    _same_automaton(claim.problem, model, first, second)
    lengths = _lengths(document, claim)
    ratio = read_fraction(document["ratio"], "ratio")
    if ratio != claim.ratio:
        raise CertificateError("The proof is about another ratio.", field="ratio")
    return ModelClaim(model, first, second, ratio, lengths)


def check_found(certificate: ModelCertificate) -> None:
    """As `check_model_certificate`, of a certificate in memory. Errors: CertificateError."""
    claim = check_proof_found(certificate.proof, certificate.lengths)
    _same_automaton(claim.problem, certificate.model, certificate.first, certificate.second)
    if claim.ratio != certificate.ratio:
        raise CertificateError("The proof is about another ratio.", field="ratio")


def check_proof_found(proof: Certificate, lengths: Lengths) -> Claim:
    """The claim of a proof in memory that covers these lengths. Errors: CertificateError."""
    problem = problem_in_memory(proof.problem)
    claim = Claim(problem, proof.ratio, proof.shortest, proof.longest)
    if not Lengths(claim.shortest, claim.longest).covers(lengths):
        raise CertificateError("The proof covers fewer lengths.", field="longest")
    check_proof(claim, proof.reach, proof.depth, proof.tree)
    return claim


def problem_in_memory(asked: RatioProblem) -> Problem:
    """A problem of the engine as the checker has it."""
    return Problem(asked.moves, asked.steps, asked.finals, asked.initial, asked.first, asked.second)


def _lengths(document: dict[str, Any], claim: Claim) -> Lengths:
    """The lengths claimed, if the proof covers them."""
    shortest, longest = document["shortest"], document["longest"]
    for name, value in (("shortest", shortest), ("longest", longest)):
        if (name == "shortest" or value is not None) and (type(value) is not int or value < 1):
            raise CertificateError(f"The field '{name}' is not a length.", field=name)
    lengths = Lengths(shortest, longest)
    if longest is not None and longest < shortest:
        raise CertificateError("The longest length is below the shortest.", field="longest")
    if not Lengths(claim.shortest, claim.longest).covers(lengths):
        raise CertificateError("The proof covers fewer lengths.", field="longest")
    return lengths


def _same_automaton(problem: Problem, model: HiddenMarkovModel, first: Law, second: Law) -> None:
    """Refuse a proof about an automaton that is not the model's, up to common factors."""
    size, symbols = len(model.states), len(model.observations)
    if problem.moves != ((0,) * symbols,) or problem.initial != 0:
        raise CertificateError("The proof has a control, and the model has none.", field="proof")
    if len(problem.finals[0]) != size:
        raise CertificateError("The proof has another number of states.", field="proof")
    (both,) = _whole([[*first, *second]])
    _proportional([*problem.first, *problem.second], both, "the secrets")
    _proportional(problem.finals[0], [1] * size, "the final weights")
    rows, seen = _whole(model.exact_transition), _whole(model.exact_emission)
    theirs = [entry for m in problem.steps[0] if m is not None for row in m for entry in row]
    ours = [seen[i][x] * entry for x in range(symbols) for i in range(size) for entry in rows[i]]
    _proportional(theirs, ours, "the steps")


def _whole(rows: Sequence[Sequence[Fraction]]) -> list[list[int]]:
    """The entries over their common denominator."""
    scale = math.lcm(*(entry.denominator for row in rows for entry in row))
    return [[entry.numerator * (scale // entry.denominator) for entry in row] for row in rows]


def _proportional(theirs: Sequence[int], ours: Sequence[int], what: str) -> None:
    """Refuse unless theirs is a positive multiple of ours."""
    over, under = next(((a, b) for a, b in zip(theirs, ours, strict=True) if b), (0, 1))
    if over <= 0 or any(a * under != over * b for a, b in zip(theirs, ours, strict=True)):
        raise CertificateError(f"The proof differs from the model in {what}.", field="proof")


def read_law(value: object, name: str, size: int) -> Law:
    """A law of `size` states from lists of text. Errors: CertificateError naming the field."""
    if not isinstance(value, list) or len(value) != size:
        raise CertificateError(f"The field '{name}' is not one entry a state.", field=name)
    law = tuple(read_fraction(entry, name) for entry in value)
    if sum(law) != 1:
        raise CertificateError(f"The field '{name}' does not sum to 1.", field=name)
    return law


def read_fraction(value: object, name: str) -> Fraction:
    """A nonnegative fraction in text, as long as it may be."""
    over, line, under = value.partition("/") if isinstance(value, str) else ("", "", "")
    # Digits of other scripts are digits to isdigit, and numbers to nobody.
    parts = [over, under] if line else [over]
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise CertificateError(f"The field '{name}' has an entry that is no fraction.", field=name)
    divisor = int_of(under) if line else 1
    if not divisor:
        raise CertificateError(f"The field '{name}' divides by zero.", field=name)
    return Fraction(int_of(over), divisor)


def int_of(digits: str) -> int:
    """The integer of decimal digits, however many."""
    from flint import fmpz

    return int(fmpz(digits))
