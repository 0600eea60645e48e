"""Deterministic automata: what decides which words can happen.

Contract. State s and symbol a (a code of the alphabet) lead to one state or nowhere, so every word
has one path at most, and counting paths counts words. An automaton never changes after it was made;
its arrays are read-only. `trimmed` and `minimised` keep the words; only they give up states.
Numbers outside the table are a ModelError that names the row.
"""

from typing import Self

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from privet.errors import ModelError
from privet.exact import read_count
from privet.languages import graphs

MOST_CELLS = 1 << 25
"""The most states x symbols of one automaton: 128 MB of table."""


class Automaton:
    """`transitions` (S, m) int32, -1 for no move; `initial` state; `accepting` (S,) bool.

    Errors: ModelError for an empty or too large table, a state outside -1..S-1, or shapes that do
    not fit.
    """

    __slots__ = ("_alive", "_edges", "accepting", "initial", "merging", "transitions")

    transitions: NDArray[np.int32]
    initial: int
    accepting: NDArray[np.bool_]

    def __init__(self, transitions: npt.ArrayLike, initial: int, accepting: npt.ArrayLike) -> None:
        self.transitions = _read_table(transitions)
        states = len(self.transitions)
        self.initial = read_count(initial, "initial", minimum=0)
        if self.initial >= states:
            raise ModelError(
                f"The initial state {self.initial} is not one of the {states} states.",
                hint="States are the rows of the table, counted from 0.",
            )
        try:
            flags = np.array(accepting)
        except ValueError:
            raise ModelError(
                "The entries of accepting differ in length.",
                hint="Say for each state whether a word may end there: True or False.",
            ) from None
        if flags.dtype != np.bool_ or flags.shape != (states,):
            raise ModelError(
                f"accepting has shape {flags.shape} and type {flags.dtype}, not ({states},) bool.",
                hint="Say for each state whether a word may end there.",
            )
        flags.flags.writeable = False
        self.accepting = flags
        self._alive = flags[None, :]
        self._edges: tuple[NDArray[np.int64], ...] | None = None
        self.merging: int | None = None  # what trellis.merging_steps found out, once it was asked

    @property
    def size(self) -> int:
        """The number of states."""
        return len(self.transitions)

    @property
    def symbols(self) -> int:
        """The number of symbols of the alphabet it reads."""
        return int(self.transitions.shape[1])

    @property
    def is_empty(self) -> bool:
        """Whether no word at all is accepted."""
        return not bool(self.accepting[graphs.numbering(self.transitions, self.initial)].any())

    @property
    def edges(self) -> tuple[NDArray[np.int64], ...]:
        """(bounds (S + 1,), targets (E,), symbols (E,)): each state's distinct moves.

        Those of state s are bounds[s]:bounds[s + 1]; symbols[e] symbols move to targets[e].
        """
        if self._edges is None:
            self._edges = graphs.edges(self.transitions)
        return self._edges

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Automaton)
            and self.initial == other.initial
            and np.array_equal(self.transitions, other.transitions)
            and np.array_equal(self.accepting, other.accepting)
        )

    def __hash__(self) -> int:
        return hash((self.transitions.tobytes(), self.initial, self.accepting.tobytes()))

    def __repr__(self) -> str:
        return f"Automaton({self.size} states, {self.symbols} symbols)"

    def __reduce__(self) -> tuple[object, ...]:
        # Through the constructor, so that a copy's arrays are read-only too.
        return Automaton, (self.transitions, self.initial, self.accepting)

    def alive(self, length: int) -> NDArray[np.bool_]:
        """(length + 1, S) bool: (j, s) says whether some word of j symbols is accepted from s."""
        known = self._alive
        if len(known) <= length:
            known = self._alive = self._extend(known, length)
        return known[: length + 1]

    def _extend(self, known: NDArray[np.bool_], length: int) -> NDArray[np.bool_]:
        bounds, targets, _ = self.edges
        movers = np.flatnonzero(np.diff(bounds))
        table = np.zeros((length + 1, self.size), np.bool_)
        table[: len(known)] = known
        for left in range(len(known), length + 1):
            if movers.size:
                table[left, movers] = np.logical_or.reduceat(
                    table[left - 1, targets], bounds[movers]
                )
            if np.array_equal(table[left], table[left - 1]):
                table[left + 1 :] = table[left]  # one row decides the next: nothing changes again
                break
        table.flags.writeable = False
        return table

    def walk(
        self, codes: npt.NDArray[np.unsignedinteger], offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """(words,) int64: where each word leaves the language, or -1 if it is accepted.

        Word i is codes[offsets[i]:offsets[i + 1]]. A word that could go on to an accepted one but
        is none itself leaves at its end, the position after its last symbol.
        """
        lengths = np.diff(offsets)
        order = np.argsort(-lengths, kind="stable")
        left = np.full(lengths.size, -1, np.int64)
        states = np.full(lengths.size, self.initial, np.int64)  # in that order, longest first
        for position in range(int(lengths.max(initial=0))):
            running = int(np.searchsorted(-lengths[order], -position))
            here = codes[offsets[order[:running]] + position]
            states[:running] = np.where(
                states[:running] < 0, -1, self.transitions[states[:running], here]
            )
            lost = order[:running][states[:running] < 0]
            left[lost[left[lost] < 0]] = position
        ended = order[(states >= 0) & ~self.accepting[states]]
        left[ended] = lengths[ended]
        return left

    def trimmed(self) -> Self:
        """The same words without states that no accepted word visits; the initial one stays.

        States are numbered as a breadth-first search meets them, so 0 is the initial one.
        """
        alive = graphs.distances_to(self.transitions, self.accepting) >= 0
        table = np.where(np.append(alive, False)[self.transitions], self.transitions, -1)
        return self._renumbered(table.astype(np.int32), self.initial, self.accepting)

    def minimised(self) -> Self:
        """The smallest automaton for the same words, trimmed; equal words give equal automata."""
        small = self.trimmed()
        if small.size == 1:
            return small
        classes = graphs.equivalence(small.transitions, small.accepting)
        first = np.unique(classes, return_index=True)[1]
        table = np.append(classes, -1).astype(np.int32)[small.transitions[first]]
        return self._renumbered(table, int(classes[small.initial]), small.accepting[first])

    @classmethod
    def _renumbered(
        cls, table: NDArray[np.int32], initial: int, accepting: NDArray[np.bool_]
    ) -> Self:
        order = graphs.numbering(table, initial)
        return cls(graphs.selection(table, order), 0, accepting[order])


def _read_table(transitions: npt.ArrayLike) -> NDArray[np.int32]:
    try:
        given = np.asarray(transitions)
    except ValueError:
        raise ModelError(
            "The rows of the transition table differ in length.",
            hint="Every state has an entry for every symbol, -1 for no move.",
        ) from None
    if given.ndim != 2 or given.size == 0 or given.dtype.kind not in "iu":
        raise ModelError(
            f"A transition table has a row of whole numbers for each state and a column for each "
            f"symbol; this one has shape {given.shape} and type {given.dtype}.",
            hint="Entry (s, a) is the state after symbol a, or -1 for no move.",
        )
    if given.size > MOST_CELLS:
        raise ModelError(
            f"The automaton has {given.shape[0]} states and {given.shape[1]} symbols; their "
            f"product may be at most {MOST_CELLS}.",
            hint="Use fewer states, or merge symbols.",
        )
    outside = (given < -1) | (given >= len(given))
    if outside.any():
        state, symbol = (int(index[0]) for index in np.nonzero(outside))
        raise ModelError(
            f"Row {state} of the transition table moves to {int(given[state, symbol])} on symbol "
            f"{symbol}, which is no state.",
            hint=f"States are 0..{len(given) - 1}; -1 stands for no move.",
        )
    table = np.array(given, np.int32, order="C")
    table.flags.writeable = False
    return table
