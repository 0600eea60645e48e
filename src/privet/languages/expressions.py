"""Regular expressions as trees, and the automata of their positions.

Contract. The positions of an expression are its symbols, counted repetitions written out; the
position automaton [glushkov-1961] has one state for each and one to start in, and no moves that
read nothing. An expression with more than MOST_POSITIONS positions is a ModelError.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privet.errors import ModelError
from privet.languages.nondeterministic import Nondeterministic, members

MOST_POSITIONS = 5_000


@dataclass(frozen=True)
class OneOf:
    """One symbol: one of `codes`, or with `negated` any symbol but these."""

    codes: frozenset[int]
    negated: bool = False


@dataclass(frozen=True)
class InTurn:
    """One after the other; of no parts, the empty word."""

    parts: "tuple[Expression, ...]"


@dataclass(frozen=True)
class Either:
    """One of several."""

    parts: "tuple[Expression, ...]"


@dataclass(frozen=True)
class Repeated:
    """At least `least` and at most `most` times; None for no limit."""

    part: "Expression"
    least: int
    most: int | None


Expression = OneOf | InTurn | Either | Repeated


def automaton_of(expression: Expression, symbols: int) -> Nondeterministic:
    """The position automaton of an expression over `symbols` symbols."""
    positions = _Positions()
    whole = positions.build(expression)
    follow = [whole.first, *positions.follow]
    accepting = whole.last | int(whole.nullable)
    kinds, masks = _kinds(positions.labels, symbols)

    def step(states: int) -> list[int]:
        after = 0
        for state in members(states):
            after |= follow[state]
        return [after & mask for mask in masks]

    return Nondeterministic(kinds, 1, accepting, step)


@dataclass(frozen=True)
class _Fragment:
    """Whether it matches the empty word, and the positions at which its words begin and end."""

    nullable: bool
    first: int
    last: int


_EMPTY = _Fragment(True, 0, 0)


class _Positions:
    """Numbers positions from 1 (bit 0 is the start) and collects which may follow which."""

    def __init__(self) -> None:
        self.labels: list[OneOf] = []
        self.follow: list[int] = []

    def build(self, expression: Expression) -> _Fragment:
        if isinstance(expression, OneOf):
            return self._symbol(expression)
        if isinstance(expression, InTurn):
            whole = _EMPTY
            for part in reversed(expression.parts):
                whole = self._join(self.build(part), whole)
            return whole
        if isinstance(expression, Either):
            parts = [self.build(part) for part in expression.parts]
            return _Fragment(
                any(part.nullable for part in parts),
                _union([part.first for part in parts]),
                _union([part.last for part in parts]),
            )
        return self._repeat(expression)

    def _symbol(self, label: OneOf) -> _Fragment:
        if len(self.labels) >= MOST_POSITIONS:
            raise ModelError(
                f"The expression has more than {MOST_POSITIONS} symbols once its counted "
                "repetitions are written out.",
                hint="Use smaller counts, or * and +.",
                most_positions=MOST_POSITIONS,
            )
        self.labels.append(label)
        self.follow.append(0)
        bit = 1 << len(self.labels)
        return _Fragment(False, bit, bit)

    def _join(self, first: _Fragment, second: _Fragment) -> _Fragment:
        for position in members(first.last):
            self.follow[position - 1] |= second.first
        return _Fragment(
            first.nullable and second.nullable,
            first.first | (second.first if first.nullable else 0),
            second.last | (first.last if second.nullable else 0),
        )

    def _repeat(self, expression: Repeated) -> _Fragment:
        part, least, most = expression.part, expression.least, expression.most
        before = len(self.labels)
        if most == 0:
            return _EMPTY
        if most is None:
            whole = self.build(part)
            for position in members(whole.last):
                self.follow[position - 1] |= whole.first
            whole = whole if least else _optional(whole)
            required = least - 1
        else:
            # x{1,3} is x(x(x)?)?: nested, so that a position is followed by one copy only.
            whole = _optional(self.build(part)) if most > least else self.build(part)
            if len(self.labels) == before:
                return _EMPTY  # copies of the empty word, however many
            for _ in range(most - least - 1):
                whole = _optional(self._join(self.build(part), whole))
            required = least if most > least else least - 1
        for _ in range(required if len(self.labels) > before else 0):
            whole = self._join(self.build(part), whole)
        return whole


def _optional(part: _Fragment) -> _Fragment:
    return _Fragment(True, part.first, part.last)


def _union(sets: Sequence[int]) -> int:
    whole = 0
    for states in sets:
        whole |= states
    return whole


def _kinds(
    labels: list[OneOf], symbols: int
) -> tuple["np.ndarray[tuple[int], np.dtype[np.int64]]", list[int]]:
    """The kind of each symbol, and for each kind the positions whose label holds it.

    Symbols that no label names are all of one kind, the last.
    """
    positions: dict[OneOf, int] = {}
    for number, label in enumerate(labels, start=1):
        positions[label] = positions.get(label, 0) | 1 << number
    named = sorted(set().union(*(label.codes for label in positions)))
    kinds = np.full(symbols, len(named), np.int64)
    kinds[named] = np.arange(len(named))
    masks = [
        _union(
            [
                states
                for label, states in positions.items()
                if (code in label.codes) != label.negated
            ]
        )
        for code in [*named, -1]
    ]
    return kinds, masks
