"""Reads the parts of a certificate strictly; every refusal is a CertificateError with its place."""

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpz

from privet.errors import CertificateError
from privet.weighted.words_check.steps import FAR, Ints

_RATIONAL = re.compile(r"(0|[1-9][0-9]*)(?:/([1-9][0-9]*))?", re.ASCII)


def require(condition: bool, place: str, what: str) -> None:
    """Refuses the certificate unless the condition holds."""
    if not condition:
        raise CertificateError(f"The certificate is refused: {place} {what}.", place=place)


def fields(value: object, names: Sequence[str], place: str) -> dict[str, Any]:
    """An object with exactly these fields."""
    if not isinstance(value, dict) or set(value) != set(names):
        raise CertificateError(
            f"The certificate is refused: {place} does not have the fields {', '.join(names)}."
        )
    return value


def list_of(value: object, place: str) -> list[Any]:
    """A list."""
    if not isinstance(value, list):
        raise CertificateError(f"The certificate is refused: {place} is not a list.", place=place)
    return value


def count(value: object, place: str) -> int:
    """A natural number; True is none."""
    if type(value) is not int or not 0 <= value < FAR:
        raise CertificateError(f"The certificate is refused: {place} is not a count.", place=place)
    return value


def rational(value: object, place: str) -> Fraction:
    """A nonnegative ratio such as "3/2"."""
    if isinstance(value, str) and len(value) < 1 << 20 and (m := _RATIONAL.fullmatch(value)):
        return Fraction(int(fmpz(m[1])), int(fmpz(m[2] or "1")))
    raise CertificateError(f"The certificate is refused: {place} is no ratio.", place=place)


def table(value: object, size: int, low: int, high: int, place: str) -> Ints:
    """(size, size) int64 with entries in low..high."""
    rows = [list_of(row, place) for row in list_of(value, place)]
    good = len(rows) == size and all(len(row) == size for row in rows)
    require(good, place, "is not a table with a row and a column for each state")
    good = all(type(entry) is int and low <= entry <= high for row in rows for entry in row)
    require(good, place, "has an entry out of its range")
    return np.array(rows, np.int64)
