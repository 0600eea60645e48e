"""Nondeterministic automata, and the deterministic ones that accept the same words.

Contract. Counting paths of a nondeterministic automaton counts some words twice, so nothing else
reads one: it is determinised first, by the subset construction [rabin-scott-1959]. That may take
2^states subsets; more than a stated bound is a ModelError that names the bound.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.languages.automaton import Automaton
from privet.languages.operations import MOST_STATES, state_bound, too_many_states


@dataclass(frozen=True)
class Nondeterministic:
    """Sets of states are Python integers: bit s stands for state s.

    `kinds` (m,): the kind of each symbol, symbols of one kind moving alike; `step`: the set reached
    from a set by each kind, in order. Moves that read nothing are already followed in both.
    """

    kinds: NDArray[np.int64]
    initial: int
    accepting: int
    step: Callable[[int], list[int]]


def members(states: int) -> Iterator[int]:
    """The states of a set, ascending."""
    while states:
        lowest = states & -states
        yield lowest.bit_length() - 1
        states ^= lowest


def determinise(automaton: Nondeterministic, most_states: int = MOST_STATES) -> Automaton:
    """The subset construction: each state is a set of states that one word can lead to.

    Errors: ModelError if more than `most_states` sets are met.
    """
    bound = state_bound(most_states, len(automaton.kinds))
    subsets = [automaton.initial]
    numbers = {automaton.initial: 0, 0: -1}
    rows = []
    for subset in subsets:  # the list grows while it is read
        row = []
        for after in automaton.step(subset):
            number = numbers.get(after)
            if number is None:
                number = numbers[after] = len(subsets)
                subsets.append(after)
            row.append(number)
        if len(subsets) > bound:
            raise too_many_states("Determinising the automaton", bound)
        rows.append(row)
    table = np.array(rows, np.int32)[:, automaton.kinds]
    return Automaton(table, 0, np.array([bool(s & automaton.accepting) for s in subsets]))
