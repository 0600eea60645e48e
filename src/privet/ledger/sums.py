"""Sums and largest values of record losses of different lengths.

Contract. A loss that is shorter than another is continued by zeros: positions that it does not
have lose nothing. Everything is a whole number of units of 2^-64, so sums are exact, and taking a
loss away again gives back what was there before it was added.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise

from privet.errors import DataError
from privet.privacy import Framework, RecordLoss

NOTHING = RecordLoss([])
"""The loss of no release."""


def epsilon_of(framework: Framework, loss: RecordLoss) -> Fraction:
    """The epsilon of releases with that total loss; the one place where a ledger asks for it."""
    return framework.epsilon(loss)


def sum_of(losses: Iterable[RecordLoss]) -> RecordLoss:
    """All of them together: one sort of the places where one of them changes."""
    return _stepwise((loss, 1) for loss in losses)


def taken_away(total: RecordLoss, loss: RecordLoss) -> RecordLoss:
    """`total` without `loss`. Errors: DataError if it was not in there."""
    return _stepwise([(total, 1), (loss, -1)])


def largest_of(losses: Iterable[RecordLoss]) -> RecordLoss:
    """At each position the largest of the losses."""
    largest = NOTHING
    for loss in losses:
        largest = _along_both(largest, loss, max)
    return largest


def _steps(loss: RecordLoss) -> list[tuple[int, int, int]]:
    """(start, stop, units) of each piece."""
    pieces, start = [], 0
    for stop, units in loss.to_json()["pieces"]:
        pieces.append((start, stop, int(units)))
        start = stop
    return pieces


def _stepwise(signed: Iterable[tuple[RecordLoss, int]]) -> RecordLoss:
    change: dict[int, int] = {}
    for loss, sign in signed:
        for start, stop, units in _steps(loss):
            change[start] = change.get(start, 0) + sign * units
            change[stop] = change.get(stop, 0) - sign * units
    pieces, level = [], 0
    for here, following in pairwise(sorted(change)):
        level += change[here]
        pieces.append((following, level))
    if any(units < 0 for _, units in pieces):
        raise DataError("A record loss cannot be taken away from one that does not hold it.")
    return RecordLoss(pieces)


def _along_both(
    first: RecordLoss, second: RecordLoss, combine: Callable[[int, int], int]
) -> RecordLoss:
    """`combine` of the two at every position of the longer one."""
    ours, theirs = _steps(first), _steps(second)
    pieces, here, there = [], 0, 0
    for stop in sorted({piece[1] for piece in (*ours, *theirs)}):
        while here < len(ours) and ours[here][1] < stop:
            here += 1
        while there < len(theirs) and theirs[there][1] < stop:
            there += 1
        a = ours[here][2] if here < len(ours) else 0
        b = theirs[there][2] if there < len(theirs) else 0
        pieces.append((stop, combine(a, b)))
    return RecordLoss(pieces)
