"""The JSON form of a certificate, read strictly: every type, shape and sign is looked at.

Contract. Knows nothing of proofs. Unknown fields, other types, negative numbers and shapes that do
not fit are a CertificateError that names the field.
"""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpz

from privet.errors import CertificateError

Vector = tuple[int, ...]
Step = str | tuple[int, Fraction]
"""As in `privet.weighted.certificate`."""

_PROBLEM_FIELDS = ("moves", "steps", "finals", "initial", "first", "second")
_NATURAL = re.compile(r"0|[1-9][0-9]*", re.ASCII)
_RATIONAL = re.compile(r"(0|[1-9][0-9]*)(?:/([1-9][0-9]*))?", re.ASCII)


@dataclass(frozen=True)
class Problem:
    """As in `privet.weighted.problem`, read from a file."""

    moves: tuple[tuple[int, ...], ...]
    steps: tuple[tuple[tuple[Vector, ...] | None, ...], ...]
    finals: tuple[Vector, ...]
    initial: int
    first: Vector
    second: Vector


def read_step(step: object, number: int) -> Step:
    """A step of a tree in JSON form. Errors: CertificateError."""
    if isinstance(step, str) and step in ("cut", "split"):
        return step
    is_triple = isinstance(step, list) and len(step) == 3 and step[0] == "below"
    if not isinstance(step, list) or not is_triple or type(step[1]) is not int:
        raise CertificateError(f"Step {number} of the tree is of no known form.")
    factor = rational(step[2], f"step {number} of the tree")
    require(factor > 0, f"step {number} of the tree", "has the factor 0")
    return step[1], factor


def read_problem(document: object) -> Problem:
    """The problem of a JSON form, every shape and sign checked. Errors: CertificateError."""
    data = fields(document, _PROBLEM_FIELDS, "the problem")
    finals = tuple(_vector(row, "finals") for row in _list(data["finals"], "finals"))
    moves = tuple(
        tuple(_index(then, "moves") for then in _list(row, "moves"))
        for row in _list(data["moves"], "moves")
    )
    states = len(moves)
    require(bool(moves and moves[0] and all(finals)), "moves", "or finals is empty")
    require(len(finals) == states, "finals", "has not one row a state")
    require(all(len(row) == len(moves[0]) for row in moves), "moves", "is ragged")
    require(all(then < states for row in moves for then in row), "moves", "leaves the states")
    initial = count(data["initial"], "initial")
    require(initial < states, "initial", "is no state")
    steps = _steps(data["steps"], moves, finals)
    first, second = _vector(data["first"], "first"), _vector(data["second"], "second")
    size = len(finals[initial])
    require(len(first) == size and len(second) == size, "first", "or second has another size")
    return Problem(moves, steps, finals, initial, first, second)


def _steps(
    value: object, moves: tuple[tuple[int, ...], ...], finals: tuple[Vector, ...]
) -> tuple[tuple[tuple[Vector, ...] | None, ...], ...]:
    rows = _list(value, "steps")
    require(len(rows) == len(moves), "steps", "has not one row a state")
    result = []
    for state, row in enumerate(rows):
        require(len(_list(row, "steps")) == len(moves[0]), "steps", "is ragged")
        matrices: list[tuple[Vector, ...] | None] = []
        for then, matrix in zip(moves[state], row, strict=True):
            require((matrix is None) == (then < 0), "steps", "does not fit moves")
            if matrix is None:
                matrices.append(None)
                continue
            lines = tuple(_vector(line, "steps") for line in _list(matrix, "steps"))
            fits = all(len(line) == len(finals[then]) for line in lines)
            require(fits and len(lines) == len(finals[state]), "steps", "has a wrong shape")
            matrices.append(lines)
        result.append(tuple(matrices))
    return tuple(result)


def fields(document: object, names: tuple[str, ...], what: str) -> dict[str, Any]:
    """The document, an object of exactly these fields. Errors: CertificateError."""
    if not isinstance(document, dict):
        raise CertificateError(f"What should be {what} is not an object.")
    for name in names:
        if name not in document:
            raise CertificateError(f"In {what} the field '{name}' is missing.", field=name)
    for name in document:
        if name not in names:
            raise CertificateError(f"In {what} the field {name!r} is unknown.", field=name)
    return document


def require(holds: bool, field: str, complaint: str) -> None:
    """Refuse what does not hold. Errors: CertificateError naming the field."""
    if not holds:
        raise CertificateError(f"The field '{field}' of the certificate {complaint}.", field=field)


def _list(value: object, field: str) -> list[Any]:
    if not isinstance(value, list):
        raise CertificateError(f"The field '{field}' of the certificate is not a list there.")
    return value


def _vector(value: object, field: str) -> Vector:
    return tuple(_natural(entry, field) for entry in _list(value, field))


def _natural(value: object, field: str) -> int:
    """A nonnegative integer written as text."""
    if not isinstance(value, str) or not _NATURAL.fullmatch(value):
        require(False, field, "has an entry that is not a nonnegative integer in text")
    return _parsed(str(value))


def rational(value: object, field: str) -> Fraction:
    """A nonnegative fraction written as text, in lowest terms. Errors: CertificateError."""
    match = _RATIONAL.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise CertificateError(f"The field '{field}' is not a nonnegative fraction in text.")
    over, under = _parsed(match[1]), _parsed(match[2] or "1")
    is_lowest = math.gcd(over, under) == 1 and match[2] != "1"
    require(is_lowest, field, "is not in lowest terms")
    return Fraction(over, under)


def _parsed(digits: str) -> int:
    # int() itself refuses text of more than some thousand digits.
    return int(fmpz(digits))


def count(value: object, field: str) -> int:
    """A whole number of 0 or more. Errors: CertificateError."""
    if type(value) is not int or value < 0:
        raise CertificateError(f"The field '{field}' is not a whole number of 0 or more.")
    return value


def _index(value: object, field: str) -> int:
    if type(value) is not int or value < -1:
        raise CertificateError(f"The field '{field}' is not a state or -1.")
    return value
