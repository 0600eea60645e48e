"""Automata from what people write down: allowed transitions, tables of moves by name, chains.

Contract. Symbols are looked up in the alphabet and states by their names; what is not there, not
named, or not a yes or no is a ModelError that names the row, the state or the symbol (all public).
"""

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from privet.errors import ModelError
from privet.languages.automaton import MOST_CELLS, Automaton
from privet.languages.nondeterministic import Nondeterministic, members
from privet.symbols import Alphabet

AllowedSteps = npt.ArrayLike | Mapping[Any, Iterable[Any]]
Moves = Mapping[Any, Mapping[Any, Any]]


def from_steps(alphabet: Alphabet, allowed: AllowedSteps, first: NDArray[np.bool_]) -> Automaton:
    """Words whose first symbol is in `first` (m,) and each transition in `allowed` (m, m)."""
    size = len(alphabet)
    if (size + 1) * size > MOST_CELLS:
        raise ModelError(
            f"Steps between {size} symbols are too many to list.",
            hint="Use at most 5,000 symbols.",
        )
    table = np.full((size + 1, size), -1, np.int32)
    targets = np.arange(1, size + 1, dtype=np.int32)
    table[0, first] = targets[first]
    table[1:] = np.where(read_steps(alphabet, allowed), targets, -1)
    return Automaton(table, 0, np.ones(size + 1, np.bool_))


def read_steps(alphabet: Alphabet, allowed: AllowedSteps) -> NDArray[np.bool_]:
    """(m, m) bool: whether the symbol of the column may follow that of the row."""
    size = len(alphabet)
    if isinstance(allowed, Mapping):
        return _named_steps(alphabet, allowed)
    try:
        given = np.asarray(allowed)
    except ValueError:  # rows of different lengths
        raise ModelError(
            "The rows of the matrix of allowed transitions differ in length.",
            hint=f"Give {size} rows of {size} entries.",
        ) from None
    if given.shape != (size, size):
        raise ModelError(
            f"The matrix of allowed transitions has shape {given.shape}, not ({size}, {size}).",
            hint="Row and column i belong to symbol i of the alphabet.",
        )
    yes, no = np.asarray(given == 1, np.bool_), np.asarray(given == 0, np.bool_)
    if not (yes | no).all():
        row, column = (int(index[0]) for index in np.nonzero(~(yes | no)))
        raise ModelError(
            f"Row {row}, column {column} of the matrix of allowed transitions is neither 0 nor 1.",
            hint="For probabilities use Language.from_chain.",
            row=row,
            column=column,
        )
    return yes


def _named_steps(alphabet: Alphabet, allowed: Mapping[Any, Iterable[Any]]) -> NDArray[np.bool_]:
    steps = np.zeros((len(alphabet), len(alphabet)), np.bool_)
    for symbol in alphabet.symbols:
        if symbol not in allowed:
            raise ModelError(
                f"The allowed transitions say nothing about symbol {symbol!r}.",
                hint="Give it an empty list if nothing can follow it.",
            )
    for symbol, after in allowed.items():
        row = _code(alphabet, symbol, "The allowed transitions")
        for other in listed(after, f"What may follow {symbol!r}"):
            steps[row, _code(alphabet, other, f"What may follow {symbol!r}")] = True
    return steps


def read_start(alphabet: Alphabet, start: object) -> NDArray[np.bool_]:
    """(m,) bool: the symbols a word may begin with; `start` is one symbol or several."""
    chosen = np.zeros(len(alphabet), np.bool_)
    several = [start] if start in alphabet else listed(start, "start")
    for symbol in several:
        chosen[_code(alphabet, symbol, "start")] = True
    return chosen


def listed(several: object, name: str) -> list[Any]:
    """A collection that is not one string, as a list."""
    if isinstance(several, str | bytes) or not isinstance(several, Iterable):
        raise ModelError(
            f"{name} must be a list; it is one {type(several).__name__}.", hint="Write ['a', 'b']."
        )
    return list(several)


def _code(alphabet: Alphabet, symbol: Hashable, where: str) -> int:
    if symbol not in alphabet:
        raise ModelError(
            f"{where} names {symbol!r}, which is not a symbol of the alphabet.",
            hint=f"The alphabet is {alphabet!r}.",
        )
    return alphabet.index(symbol)


class _States:
    """Numbers for the states of a mapping, in the order of its rows."""

    def __init__(self, transitions: Moves) -> None:
        if not isinstance(transitions, Mapping):
            raise ModelError(
                f"transitions is a {type(transitions).__name__}, not a mapping.",
                hint="Write {state: {symbol: next state}}.",
            )
        self._numbers = {state: number for number, state in enumerate(transitions)}

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, state: Hashable, where: str) -> int:
        if not isinstance(state, Hashable) or state not in self._numbers:
            raise ModelError(
                f"{where} names state {state!r}, which has no row.",
                hint="Every state has a row in transitions; give it {} if no word goes on there.",
            )
        return self._numbers[state]

    def flags(self, accepting: object) -> NDArray[np.bool_]:
        chosen = np.zeros(len(self), np.bool_)
        for state in listed(accepting, "accepting"):
            chosen[self.number(state, "accepting")] = True
        return chosen


def deterministic(
    alphabet: Alphabet, transitions: Moves, initial: Hashable, accepting: object
) -> Automaton:
    """From {state: {symbol: state}}, the initial state and the accepting ones."""
    states = _States(transitions)
    table = np.full((max(1, len(states)), len(alphabet)), -1, np.int32)
    for row, moves in enumerate(_rows(transitions)):
        for symbol, target in moves[1].items():
            where = f"The row of state {moves[0]!r}"
            table[row, _code(alphabet, symbol, where)] = states.number(target, where)
    return Automaton(table, states.number(initial, "initial"), states.flags(accepting))


def nondeterministic(
    alphabet: Alphabet, transitions: Moves, initial: Hashable, accepting: object
) -> Nondeterministic:
    """From {state: {symbol: [states]}}; the symbol None moves without reading one."""
    states = _States(transitions)
    silent = [0] * len(states)
    moves: list[dict[int, int]] = [{} for _ in range(len(states))]
    for row, (name, targets) in enumerate(_rows(transitions)):
        where = f"The row of state {name!r}"
        for symbol, several in targets.items():
            reached = 0
            for target in listed(several, f"{where}, symbol {symbol!r},"):
                reached |= 1 << states.number(target, where)
            if symbol is None:
                silent[row] = reached
            else:
                moves[row][_code(alphabet, symbol, where)] = reached
    start = 1 << states.number(initial, "initial")
    final = sum(1 << int(state) for state in np.flatnonzero(states.flags(accepting)))
    return _closed(len(alphabet), silent, moves, start, final)


def _rows(transitions: Moves) -> Iterable[tuple[Any, Mapping[Any, Any]]]:
    for state, row in transitions.items():
        if not isinstance(row, Mapping):
            raise ModelError(
                f"The row of state {state!r} is a {type(row).__name__}, not a mapping.",
                hint="Write {state: {symbol: next state}}.",
            )
        yield state, row


def _closed(
    symbols: int, silent: list[int], moves: list[dict[int, int]], start: int, final: int
) -> Nondeterministic:
    """With every move followed by all the moves that read nothing."""
    named = sorted({code for row in moves for code in row})
    kinds = np.full(symbols, len(named), np.int64)
    kinds[named] = np.arange(len(named))

    def closure(states: int) -> int:
        waiting = states
        while waiting:
            after = 0
            for state in members(waiting):
                after |= silent[state]
            waiting = after & ~states
            states |= after
        return states

    closed = [
        {int(kinds[code]): closure(reached) for code, reached in row.items()} for row in moves
    ]

    def step(states: int) -> list[int]:
        after = [0] * (len(named) + 1)
        for state in members(states):
            for kind, reached in closed[state].items():
                after[kind] |= reached
        return after

    return Nondeterministic(kinds, closure(start), final, step)
