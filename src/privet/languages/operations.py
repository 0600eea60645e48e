"""Union, intersection and complement of deterministic automata over one alphabet.

Contract. The results are deterministic and may have states that do not matter; `minimised` drops
them. A result that would need more than `most_states` states is a ModelError that names the bound.
"""

import numpy as np
from numpy.typing import NDArray

from privet.errors import ModelError
from privet.languages.automaton import MOST_CELLS, Automaton

MOST_STATES = 10_000
"""The most states that determinising, uniting and intersecting may need before minimisation."""


def union(first: Automaton, second: Automaton, most_states: int = MOST_STATES) -> Automaton:
    """Accepts what either accepts."""
    return _product(first, second, False, most_states)


def intersection(first: Automaton, second: Automaton, most_states: int = MOST_STATES) -> Automaton:
    """Accepts what both accept."""
    return _product(first, second, True, most_states)


def complement(automaton: Automaton) -> Automaton:
    """Accepts exactly the words that `automaton` does not."""
    table, accepting = _total(automaton)
    return Automaton(table, automaton.initial, ~accepting)


def too_many_states(doing: str, bound: int) -> ModelError:
    """The refusal shared by everything that multiplies states."""
    return ModelError(
        f"{doing} needs more than {bound} states.",
        hint="Write the language with fewer alternatives or smaller counts; in Python, most_states "
        "raises the bound.",
        most_states=bound,
    )


def state_bound(most_states: int, symbols: int) -> int:
    """`most_states`, or fewer where the table would not fit an automaton."""
    return min(most_states, MOST_CELLS // symbols)


def _total(automaton: Automaton) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Table and acceptance with one more state, the last one, from which nothing is accepted."""
    sink = automaton.size
    table = np.full((sink + 1, automaton.symbols), sink, np.int64)
    table[:sink] = np.where(automaton.transitions < 0, sink, automaton.transitions)
    return table, np.append(automaton.accepting, False)


def _product(first: Automaton, second: Automaton, both: bool, most_states: int) -> Automaton:
    """Both automata at once: a state is a pair of states, met breadth first."""
    (left, left_accepts), (right, right_accepts) = _total(first), _total(second)
    width, dead = len(right), len(left) * len(right) - 1
    bound = state_bound(most_states, first.symbols)
    pairs = [first.initial * width + second.initial]
    numbers = {pairs[0]: 0, dead: -1}
    rows = []
    for pair in pairs:  # the list grows while it is read
        a, b = divmod(pair, width)
        after = left[a] * width + right[b]
        if both:
            after[(left[a] == first.size) | (right[b] == second.size)] = dead
        met, which = np.unique(after, return_inverse=True)
        for found in met.tolist():
            if found not in numbers:
                numbers[found] = len(pairs)
                pairs.append(found)
        if len(pairs) > bound:
            raise too_many_states("Joining the two languages", bound)
        rows.append(np.array([numbers[found] for found in met.tolist()], np.int32)[which])
    firsts, seconds = np.divmod(np.array(pairs), width)
    combine = np.logical_and if both else np.logical_or
    accepting = combine(left_accepts[firsts], right_accepts[seconds])
    return Automaton(np.stack(rows), 0, accepting)
