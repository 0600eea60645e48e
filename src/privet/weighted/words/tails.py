"""Real prefixes and suffixes that stand in for what lies outside a window.

Contract. `Tails` holds, for each control of one side and each number t of symbols up to `reach`,
one completion: its two vectors (for w and for v; the same but where differences are to come) and
how it begins. Where differences are to come, the completion is chosen greedily to raise the weight
of v over that of w. Nothing here is proved: a tail only makes the search look at real words.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privet.weighted.words.controls import Openings
from privet.weighted.words.problem import Floats, Ints, Word

REACH = 20


class Tails:
    """Completions of the controls of one side.

    `matrices` (m + 1, Q, Q) are applied to column vectors; `closed` (Q,) is the vector of the
    closed control; `weights` two arrays (count + 1, Q), against which w and v are compared.
    """

    def __init__(
        self,
        openings: Openings,
        matrices: Floats,
        closed: Floats,
        weights: tuple[Floats, Floats],
        reach: int,
    ) -> None:
        self.openings = openings
        count, size = openings.count, len(closed)
        self.reach = reach
        self.under = np.zeros((reach + 1, count + 1, size))
        self.over = np.zeros((reach + 1, count + 1, size))
        self.entry = np.full((reach + 1, count + 1), -1, np.int64)
        self.known = np.zeros((reach + 1, count + 1), np.bool_)
        self.known[0, count] = True
        self.under[0, count] = self.over[0, count] = closed
        owner = np.repeat(np.arange(count + 1), np.diff(openings.start))
        closing = openings.under < 0
        self._fill(0, np.flatnonzero(closing), owner, matrices, weights, 0)
        for t in range(1, reach + 1):
            live = np.flatnonzero(~closing & self.known[t - 1, openings.target])
            self._fill(t, live, owner, matrices, weights, t - 1)
        order = np.where(self.known, np.arange(reach + 1)[:, None], -1)
        self.below = np.maximum.accumulate(order, axis=0)
        """(reach + 1, count + 1): the largest number of symbols up to t that is known, or -1."""
        self.longest = np.where(self.known.any(axis=0), reach - self.known[::-1].argmax(axis=0), -1)

    def _fill(
        self,
        t: int,
        entries: Ints,
        owner: Ints,
        matrices: Floats,
        weights: tuple[Floats, Floats],
        before: int,
    ) -> None:
        """The best of the entries given for each control, as its completion with t symbols."""
        if not entries.size:
            return
        openings, mine = self.openings, owner[entries]
        target = openings.target[entries]
        under = _applied(matrices, openings.under[entries], self.under[before, target])
        over = _applied(matrices, openings.over[entries], self.over[before, target])
        more, less = (weights[1][mine] * over).sum(axis=1), (weights[0][mine] * under).sum(axis=1)
        good = (more > 0) & (less > 0)
        gain = np.log(np.where(good, more, 1)) - np.log(np.where(good, less, 1))
        # Equal ones take turns, so that tails differ from one another.
        turn = (np.arange(len(entries)) * 7 + t * 3) % 11
        order = np.lexsort((turn, -np.round(gain, 9), mine))
        first = np.ones(len(order), np.bool_)
        first[1:] = mine[order][1:] != mine[order][:-1]
        chosen = order[first]
        control = mine[chosen]
        scale = under[chosen].max(axis=1, keepdims=True)
        self.under[t, control] = under[chosen] / scale
        self.over[t, control] = over[chosen] / scale
        self.entry[t, control] = entries[chosen]
        self.known[t, control] = True

    def typical(self, ref: Ints) -> tuple[Floats, Floats]:
        """(count + 1, Q) each: the longest tail of each control, for v and for w.

        In the units of its box: entry ref[c] of the vector of w is 1.
        """
        level = np.maximum(self.longest, 0)
        every = np.arange(len(level))
        over, under = self.over[level, every], self.under[level, every]
        at = np.append(under[every[:-1], ref], 1.0)[:, None]
        at = np.where(at > 0, at, 1.0)
        return over / at, under / at

    def follow(self, control: int, length: int, possible: NDArray[np.bool_]) -> tuple[Word, Word]:
        """The symbols of w and of v, outward, along the tail where `length` symbols allow it.

        `possible[t, c]` says whether c has a completion of t symbols.
        """
        openings, level = self.openings, min(length, int(self.longest[control]))
        under, over = [], []
        while control != openings.count:
            entry = int(self.entry[level, control]) if level >= 0 else -1
            step = int(entry >= 0 and openings.under[entry] >= 0)
            if entry < 0 or length < step or not possible[length - step, openings.target[entry]]:
                entry = _any_entry(openings, control, length, possible)
                step = int(openings.under[entry] >= 0)
            if step:
                under.append(int(openings.under[entry]))
                over.append(int(openings.over[entry]))
            control, length, level = int(openings.target[entry]), length - step, level - step
            if level <= 0 < length and control != openings.count:
                level = min(length, int(self.longest[control]))
        return tuple(under), tuple(over)


def _any_entry(openings: Openings, control: int, length: int, possible: NDArray[np.bool_]) -> int:
    for entry in range(int(openings.start[control]), int(openings.start[control + 1])):
        step = int(openings.under[entry] >= 0)
        if length >= step and possible[length - step, openings.target[entry]]:
            return entry
    raise AssertionError("possible says that there is a completion")


def _applied(matrices: Floats, symbols: Ints, vectors: Floats) -> Floats:
    return np.asarray((matrices[symbols] @ vectors[:, :, None])[:, :, 0])


def possible_lengths(openings: Openings, longest: int) -> NDArray[np.bool_]:
    """(longest + 1, count + 1) bool: whether a control has a completion of t symbols."""
    table = np.zeros((longest + 1, openings.count + 1), np.bool_)
    table[0, -1] = True
    owner = np.repeat(np.arange(openings.count + 1), np.diff(openings.start))
    closing = openings.under < 0
    np.logical_or.at(table[0], owner[closing], True)
    for t in range(1, longest + 1):
        np.logical_or.at(table[t], owner[~closing], table[t - 1, openings.target[~closing]])
    return table


def reversed_word(word: Sequence[int]) -> Word:
    """The symbols of a prefix, which is walked outward, in reading order."""
    return tuple(reversed(word))
