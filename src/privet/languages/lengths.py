"""Questions about the words of one length that need no list of them and no long integers.

Contract. All answers are exact, or None where a question would take longer than a stated bound;
bounds look at the automaton and the length only, which are public.
"""

import numpy as np
from numpy.typing import NDArray

from privet.languages.automaton import Automaton

LONGEST_STEPPED = 1 << 20
"""Up to here lengths are walked through one by one."""

_FIRST_STEPS = 4096
_MOST_SQUARED_STATES = 1024
_MOST_PAIR_CELLS = 1 << 30
"""Pairs of states x moves x steps that `fewest_differences` may visit: a few seconds."""


def has_words(automaton: Automaton, length: int) -> bool | None:
    """Whether some word has that length; None where that takes long (see LONGEST_STEPPED)."""
    steps = length if length <= LONGEST_STEPPED else _FIRST_STEPS
    flags, settled = _accepted(automaton, steps)
    if settled or length < len(flags):
        return bool(flags[min(length, len(flags) - 1)])
    if automaton.size > _MOST_SQUARED_STATES:
        return None
    reached = np.zeros(automaton.size, np.float32)
    reached[automaton.initial] = 1
    power = _moves(automaton)
    while length:
        if length & 1:
            reached = np.minimum(reached @ power, np.float32(1))
        power = np.minimum(power @ power, np.float32(1))
        length >>= 1
    return bool((reached[automaton.accepting] > 0).any())


def lengths_up_to(automaton: Automaton, longest: int) -> NDArray[np.bool_]:
    """(longest + 1,) bool: whether some word has each length."""
    flags, _ = _accepted(automaton, longest)
    whole = np.full(longest + 1, flags[-1])
    whole[: len(flags)] = flags
    return whole


def count_up_to(automaton: Automaton, length: int, most: int) -> int:
    """The number of words of that length, or `most` if there are more."""
    bounds, targets, symbols = automaton.edges
    movers = np.flatnonzero(np.diff(bounds))
    row = automaton.accepting.astype(np.int64)
    for _ in range(length):
        before = row
        row = np.zeros_like(before)
        if movers.size:
            row[movers] = np.add.reduceat(before[targets] * symbols, bounds[movers])
        np.minimum(row, most, out=row)
        if np.array_equal(row, before):
            break  # one row decides the next: nothing changes again
    return int(row[automaton.initial])


def fewest_differences(automaton: Automaton, longest: int, most: int) -> NDArray[np.int64] | None:
    """(longest + 1,): in how few places two different words of each length can differ.

    `most` + 1 stands for more than `most`, and for less than two words. None where it takes long.
    """
    states = automaton.size
    bounds, targets, _ = automaton.edges
    readers = [np.flatnonzero(column >= 0) for column in automaton.transitions.T]
    cells = 4 * states * states + 2 * targets.size * states
    cells += sum(reading.size**2 for reading in readers)
    movers = np.flatnonzero(np.diff(bounds))
    dtype = np.uint8 if most < 255 else np.int64
    far = min(most, 254 if most < 255 else most) + 1
    # apart[s, t]: the fewest differences of a word accepted from s and one accepted from t.
    apart = np.full((states + 1, states + 1), far, dtype)
    both = np.flatnonzero(automaton.accepting)
    apart[np.ix_(both, both)] = 0
    two = np.full(states + 1, far, dtype)  # ... of two different words accepted from s
    found = np.full(longest + 1, far, np.int64)
    for left in range(1, longest + 1):
        if left * cells > _MOST_PAIR_CELLS:
            return None
        now, split = np.full_like(apart, far), np.full_like(two, far)
        if movers.size:
            # By any two symbols: one more difference, unless they are the same symbol, below.
            half = np.minimum.reduceat(apart[:, targets], bounds[movers], axis=1)
            now[np.ix_(movers, movers)] = np.minimum(
                np.minimum.reduceat(half[targets], bounds[movers], axis=0), far - 1
            ) + dtype(1)
            split[movers] = np.minimum(_split(apart, automaton, movers), far - 1) + dtype(1)
        for symbol, reading in enumerate(readers):
            after = automaton.transitions[reading, symbol]
            pairs = np.ix_(reading, reading)
            now[pairs] = np.minimum(now[pairs], apart[np.ix_(after, after)])
            split[reading] = np.minimum(split[reading], two[after])
        settled = np.array_equal(now, apart) and np.array_equal(split, two)
        apart, two = now, split
        found[left] = two[automaton.initial]
        if settled:
            found[left:] = found[left]
            break
    return found


def _split(
    apart: NDArray[np.integer], automaton: Automaton, movers: NDArray[np.int64]
) -> NDArray[np.integer]:
    """(movers,): the least of `apart` after two different symbols from the same state."""
    bounds, targets, symbols = automaton.edges
    least = []
    for state in movers.tolist():
        moves = slice(bounds[state], bounds[state + 1])
        block = apart[np.ix_(targets[moves], targets[moves])].copy()
        # The same target twice takes two symbols that lead there.
        alone = np.flatnonzero(symbols[moves] < 2)
        block[alone, alone] = apart[-1, -1]
        least.append(block.min())
    return np.array(least, apart.dtype)


def _accepted(automaton: Automaton, steps: int) -> tuple[NDArray[np.bool_], bool]:
    """Flags for the lengths 0..steps, fewer where nothing changes any more, and whether so."""
    bounds, targets, _ = automaton.edges
    reached = np.zeros(automaton.size, np.bool_)
    reached[automaton.initial] = True
    source = np.repeat(np.arange(automaton.size), np.diff(bounds))
    flags = [bool(automaton.accepting[automaton.initial])]
    for _ in range(steps):
        after = np.zeros_like(reached)
        after[targets[reached[source]]] = True
        if np.array_equal(after, reached):
            return np.array(flags), True
        reached = after
        flags.append(bool((reached & automaton.accepting).any()))
    return np.array(flags), False


def _moves(automaton: Automaton) -> NDArray[np.float32]:
    bounds, targets, _ = automaton.edges
    matrix = np.zeros((automaton.size, automaton.size), np.float32)
    matrix[np.repeat(np.arange(automaton.size), np.diff(bounds)), targets] = 1
    return matrix
