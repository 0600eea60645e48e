"""What a model of the library is: data that the verifier takes, and names for people.

Contract. Rows and laws are exact and sum to 1. Neighbours and pairs count in both directions.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from privet.chains import HiddenMarkovModel
from privet.errors import ParameterError
from privet.exact import exact_number, read_count
from privet.exact.number import Number

Law = tuple[Fraction, ...]
Pair = tuple[int, int]

LARGEST_TABLE = 1 << 20
"""Cells of a table, or pairs of its inputs: beyond this a list is the wrong way to check."""


@dataclass(frozen=True)
class FiniteModel:
    """A mechanism as a table: `rows[i][j]` = P(outputs[j] | inputs[i]).

    `neighbours`: pairs (i, j) of row numbers, for the functions of `verify` that take them.
    """

    rows: tuple[Law, ...]
    inputs: tuple[Hashable, ...]
    outputs: tuple[Hashable, ...]
    neighbours: tuple[Pair, ...]

    def row(self, name: Hashable) -> Law:
        """The law of the output on one input. Errors: ParameterError for another name."""
        if name not in self.inputs:
            raise ParameterError("The model has no such input.", parameter="name")
        return self.rows[self.inputs.index(name)]


@dataclass(frozen=True)
class SecretModel:
    """A hidden Markov model, and the laws of its first state that stand for secrets.

    `secrets`: name -> (states,) law; `pairs`: names that no observed word may tell apart.
    """

    model: HiddenMarkovModel
    secrets: dict[Hashable, Law]
    pairs: tuple[tuple[Hashable, Hashable], ...]

    @property
    def questions(self) -> tuple[tuple[Law, Law], ...]:
        """(first, second) of every claim to be checked: each pair in both directions."""
        return tuple(
            (self.secrets[one], self.secrets[other])
            for a, b in self.pairs
            for one, other in ((a, b), (b, a))
        )


def read_ratio(value: Number, name: str = "ratio") -> Fraction:
    """The ratio of a geometric law, strictly between 0 and 1."""
    ratio = exact_number(value, name)
    if not 0 < ratio < 1:
        raise ParameterError(
            f"{name} must lie strictly between 0 and 1.",
            hint="It is e^-epsilon of a count: '1/2' for epsilon = ln 2.",
            parameter=name,
        )
    return ratio


def read_chance(value: Number, name: str) -> Fraction:
    """A probability in [0, 1]."""
    chance = exact_number(value, name)
    if not 0 <= chance <= 1:
        raise ParameterError(f"{name} must lie between 0 and 1.", parameter=name)
    return chance


def read_size(value: int, name: str, minimum: int = 1) -> int:
    """A whole number of at least `minimum` that lets a table be listed."""
    size = read_count(value, name, minimum=minimum)
    # Tables have so many rows and as many columns.
    if size * size > LARGEST_TABLE:
        raise ParameterError(
            f"{name} makes a table too large to list: it is above {isqrt(LARGEST_TABLE)}.",
            parameter=name,
        )
    return size
