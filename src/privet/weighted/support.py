"""Words of ratio infinity: possible under the first start only.

Contract. Exact, on the sets of positive coordinates alone: a word has ratio infinity if its first
weight is positive and its second is zero. A prefix is dropped once every coordinate that the first
start can be in is one that the second can be in too, for then no continuation tells them apart in
this way. Sets are bit masks; equal pairs of sets are met once per number of symbols left.
"""

from collections import deque

from privet.weighted.limits import Clock, Lengths
from privet.weighted.problem import Cell, RatioProblem, Vector, Word, read_backwards


def infinite_word(
    problem: RatioProblem, lengths: Lengths, clock: Clock
) -> tuple[Word | None, bool]:
    """(a word of ratio infinity or None, whether the search was complete)."""
    start = (problem.initial, mask(problem.first), mask(problem.second))
    if not start[1] & ~start[2]:
        return None, True
    steps = [[_masks(matrix) for matrix in row] for row in problem.steps]
    finals = [mask(final) for final in problem.finals]
    queue: deque[tuple[tuple[int, int, int], int, Cell]] = deque([(start, 0, None)])
    seen = set()
    limit = lengths.longest
    while queue:
        (state, first, second), read, word = queue.popleft()
        # Beyond the shortest length, or without a longest, the number of symbols changes nothing.
        counted = read if limit is not None else min(read, lengths.shortest)
        key = (state, first, second, counted)
        if key in seen or not first & ~second:
            continue
        seen.add(key)
        if clock.spent(len(seen)):
            return None, False
        if read >= lengths.shortest and first & finals[state] and not second & finals[state]:
            return read_backwards(word), True
        if read == limit:
            continue
        for symbol, then in enumerate(problem.moves[state]):
            masks = steps[state][symbol]
            if masks is not None:
                moved = then, _moved(first, masks), _moved(second, masks)
                queue.append((moved, read + 1, (word, symbol)))
    return None, True


def mask(vector: Vector) -> int:
    """Bit i says whether coordinate i is positive."""
    return sum(1 << i for i, entry in enumerate(vector) if entry)


def _masks(matrix: tuple[Vector, ...] | None) -> list[int] | None:
    return None if matrix is None else [mask(row) for row in matrix]


def _moved(here: int, masks: list[int]) -> int:
    there = 0
    while here:
        lowest = here & -here
        there |= masks[lowest.bit_length() - 1]
        here ^= lowest
    return there
