"""Losses raised to one level where they cannot matter, so that little has to be walked.

Contract. `raised` gives losses at or above the given ones at every node. More is lost, so a bound
for them is a bound for the others; how good it is depends on `level` and `far`, whether it holds
does not. Nodes farther than `far` from every node above the level get the level itself.
"""

from fractions import Fraction

import numpy as np

from privet.chains.propagation.forests import IntArray
from privet.chains.propagation.sweep import Pieces


def busiest(pieces: Pieces, reach: int) -> int:
    """The node around which, as far as `reach`, most is lost."""
    stops = np.array([stop for _, stop, _ in pieces])
    starts = np.array([start for start, _, _ in pieces])
    rates = np.array([loss.numerator / loss.denominator for _, _, loss in pieces])
    edges = np.append(0, stops)
    sums = np.append(0.0, np.cumsum(rates * (stops - starts)))
    middle = (starts + stops - 1) // 2
    near = np.interp(middle + reach + 1, edges, sums) - np.interp(middle - reach, edges, sums)
    return int(middle[near.argmax()])


def cut(pieces: Pieces, start: int, stop: int) -> Pieces:
    """The pieces of the nodes start..stop-1, counted from 0."""
    return [
        (max(first, start) - start, min(last, stop) - start, loss)
        for first, last, loss in pieces
        if first < stop and last > start
    ]


def raised(pieces: Pieces, level: Fraction, far: int, kept: int = 0) -> Pieces:
    """The losses, but `level` at nodes far from all that lose more; the first `kept` stay."""
    length = pieces[-1][1]
    hot = [(0, min(kept, length))] if kept else []
    above, below = level.numerator, level.denominator
    for start, stop, loss in pieces:
        if loss.numerator * below > above * loss.denominator:
            if hot and hot[-1][1] >= start - far:
                hot[-1] = hot[-1][0], max(hot[-1][1], min(length, stop + far))
            else:
                hot.append((max(0, start - far), min(length, stop + far)))
    result: list[tuple[int, int, Fraction]] = []
    place = 0
    for first, last in hot:
        _fill(result, first, level)
        while place < len(pieces) and pieces[place][1] <= first:
            place += 1
        while place < len(pieces) and pieces[place][0] < last:
            start, stop, loss = pieces[place]
            result.append((max(start, first), min(stop, last), loss))
            if stop > last:
                break
            place += 1
    _fill(result, length, level)
    return result


def merged(pieces: Pieces, nodes: int) -> Pieces:
    """The largest loss of each stretch of `nodes` nodes, for all of them; longer pieces stay."""
    result: list[tuple[int, int, Fraction]] = []
    for start, stop, loss in pieces:
        if result and result[-1][0] // nodes == (stop - 1) // nodes:
            first, _, most = result[-1]
            result[-1] = first, stop, max(most, loss)
        else:
            result.append((start, stop, loss))
    return result


def walked(pieces: Pieces, far: int) -> int:
    """Nodes that have to be walked one by one."""
    lengths: IntArray = np.array([stop - start for start, stop, _ in pieces])
    return int(np.minimum(lengths, far).sum())


def _fill(pieces: list[tuple[int, int, Fraction]], stop: int, level: Fraction) -> None:
    start = pieces[-1][1] if pieces else 0
    if stop > start:
        pieces.append((start, stop, level))
