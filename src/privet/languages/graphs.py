"""What the tables of a deterministic automaton need: reachability, numbering, equivalent states.

Contract. A table is (S, m) int32: entry (s, a) is the state after symbol a, or -1 for no move.
Nothing here knows of alphabets or languages; every function returns fresh arrays and is exact.
"""

from itertools import count

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.int32]

_BLOCK_CELLS = 1 << 20


def edges(table: Table) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """(bounds (S + 1,), targets (E,), symbols (E,)): the distinct moves of every state.

    The moves of state s are bounds[s]:bounds[s + 1], their targets ascending; `symbols` counts the
    symbols that make the move.
    """
    states = len(table)
    source, symbol = np.nonzero(table >= 0)
    keys, counts = np.unique(source * states + table[source, symbol], return_counts=True)
    bounds = np.searchsorted(keys, np.arange(states + 1, dtype=np.int64) * states)
    return bounds, keys % states, counts


def distances_to(table: Table, goal: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(S,) int64: the fewest moves from each state to a goal, -1 where there is no way."""
    bounds, sources = _inverse(table)
    distance = np.where(goal, 0, -1).astype(np.int64)
    queue = np.flatnonzero(goal).tolist()
    for state in queue:  # the list grows while it is read: breadth first
        before = sources[bounds[state] : bounds[state + 1]]
        found = before[distance[before] < 0]
        distance[found] = distance[state] + 1
        queue.extend(found.tolist())
    return distance


def longest_paths(table: Table) -> NDArray[np.int64]:
    """(S,) int64: the most moves that can be made from each state, -1 where there is no end."""
    bounds, sources = _inverse(table)
    moves, _, _ = edges(table)
    waiting = np.diff(moves)
    longest = np.where(waiting == 0, 0, -1).astype(np.int64)
    queue = np.flatnonzero(waiting == 0).tolist()
    for state in queue:
        before = sources[bounds[state] : bounds[state + 1]]
        waiting[before] -= 1
        done = before[waiting[before] == 0]
        # The last successor to be done has the longest path of all of them.
        longest[done] = longest[state] + 1
        queue.extend(done.tolist())
    return longest


def _inverse(table: Table) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(bounds (S + 1,), sources (E,)): the distinct states with a move into each state."""
    bounds, targets, _ = edges(table)
    sources = np.repeat(np.arange(len(table), dtype=np.int64), np.diff(bounds))
    order = np.argsort(targets, kind="stable")
    return np.searchsorted(targets[order], np.arange(len(table) + 1)), sources[order]


def numbering(table: Table, initial: int) -> NDArray[np.int64]:
    """The reachable states in the order a breadth-first search meets them, symbols in order.

    Two automata that differ only by the names of their states come out the same.
    """
    seen = np.zeros(len(table) + 1, np.bool_)
    seen[[initial, -1]] = True  # the last entry is what -1 looks up
    order = [initial]
    for state in order:
        row = table[state]
        fresh = row[~seen[row]]
        if fresh.size:
            first = np.unique(fresh, return_index=True)[1]
            fresh = fresh[np.sort(first)]
            seen[fresh] = True
            order.extend(fresh.tolist())
    return np.array(order, np.int64)


def selection(table: Table, states: NDArray[np.int64]) -> Table:
    """The table of the chosen states, renumbered in the order given; moves elsewhere are lost."""
    names = np.full(len(table) + 1, -1, np.int32)
    names[states] = np.arange(len(states), dtype=np.int32)
    return names[table[states]]


def equivalence(table: Table, accepting: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(S,) int64: classes of states that accept the same words, for a table without dead states.

    Moore's refinement [moore-1956] from classes that can only be too coarse: by acceptance, by the
    shortest word accepted and by the longest one. Rows of classes are compared by 64-bit sums; at
    the end the classes are checked row for row, and another attempt uses other multipliers.
    """
    features = np.stack([accepting, distances_to(table, accepting), longest_paths(table)], axis=1)
    for attempt in count():
        classes = _stable(table, np.unique(features, axis=0, return_inverse=True)[1], attempt)
        if _is_equivalence(table, accepting, classes):
            return classes
    raise AssertionError("count() does not end")


def _stable(table: Table, classes: NDArray[np.int64], attempt: int) -> NDArray[np.int64]:
    multipliers = _mixed(np.arange(table.shape[1] + 1, dtype=np.uint64), attempt)
    classes = classes.ravel()
    number = int(classes.max()) + 1
    while True:
        sums = classes.astype(np.uint64) * multipliers[-1]
        sums += _row_sums(table, classes, multipliers[:-1])
        values, refined = np.unique(sums, return_inverse=True)
        if len(values) <= number:
            return classes
        classes, number = refined, len(values)


def _row_sums(
    table: Table, classes: NDArray[np.int64], multipliers: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    padded = np.append(classes + 1, 0).astype(np.uint64)
    step = max(1, _BLOCK_CELLS // table.shape[1])
    blocks = [
        padded[table[start : start + step]] @ multipliers for start in range(0, len(table), step)
    ]
    return np.concatenate(blocks)


def _is_equivalence(table: Table, accepting: NDArray[np.bool_], classes: NDArray[np.int64]) -> bool:
    """Whether states of one class agree in acceptance and move to the same classes."""
    first, member = np.unique(classes, return_index=True, return_inverse=True)[1:]
    padded = np.append(classes, -1)
    step = max(1, _BLOCK_CELLS // table.shape[1])
    return np.array_equal(accepting, accepting[first][member]) and all(
        np.array_equal(padded[table[rows]], padded[table[first[member[rows]]]])
        for rows in (slice(start, start + step) for start in range(0, len(table), step))
    )


def _mixed(values: NDArray[np.uint64], attempt: int) -> NDArray[np.uint64]:
    """Odd 64-bit multipliers without pattern: the finaliser of the generator SplitMix64."""
    mixed = (values + np.uint64(1 + attempt * 0x10001)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (mixed ^ (mixed >> np.uint64(31))) | np.uint64(1)
