"""What may stand left and right of a window in two words that differ in few places.

Contract. A window of a pair (w, v) begins with the first place where they differ. To its left both
words read the same prefix, which ends in a state: the left control. To its right stands a control
(first, second, rem): the state that w has reached, the state that v has reached, and how many
differences are still to come. A control from which no pair of suffixes leads both words to
acceptance with exactly rem differences is left out. `Openings` lists, for each control, what one
more symbol may be, in the order that certificates rely on:

- left, control p: closing (the prefix is empty; only where p is initial), then (p0, x) with
  p0 -x-> p in lexicographic order;
- right, control (first, second, rem): closing (the suffix is empty; only where rem = 0 and both
  accept), then the common symbols x in order, then, where rem > 0, the pairs x of w and y of v with
  x != y in lexicographic order.

A closed side is the control with the number `count`; it has no openings.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privet.weighted.words.problem import Ints, WordAutomaton

FAR = 1 << 40
"""The distance to acceptance where there is none."""

Entry = tuple[int, int, int]
"""(control, symbol of w, symbol of v); symbols are -1 where the side closes."""


@dataclass(frozen=True)
class Openings:
    """Openings of control c are entries start[c]:start[c + 1] of (`target`, `under`, `over`).

    `under` and `over` are the symbols of w and of v, -1 for closing; `least` (count + 1,) is the
    number of symbols that the shortest completion of a control has.
    """

    start: Ints
    target: Ints
    under: Ints
    over: Ints
    least: Ints

    @property
    def count(self) -> int:
        """The number of controls that are not closed; also the number of the closed one."""
        return len(self.least) - 1


def openings(lists: Sequence[Sequence[Entry]]) -> Openings:
    """The arrays of lists of entries, one list per control; the closed control is len(lists)."""
    start = np.cumsum([0, *map(len, lists), 0])
    flat = np.array([entry for entries in lists for entry in entries], np.int64).reshape(-1, 3)
    least = np.full(len(lists) + 1, FAR, np.int64)
    least[-1] = 0
    owner = np.repeat(np.arange(len(lists)), np.diff(start)[:-1])
    while True:
        through = least[flat[:, 0]] + (flat[:, 1] >= 0)
        new = least.copy()
        np.minimum.at(new, owner, np.minimum(through, FAR))
        if np.array_equal(new, least):
            return Openings(start, flat[:, 0], flat[:, 1], flat[:, 2], least)
        least = new


def left_openings(automaton: WordAutomaton) -> Openings:
    """The openings of the prefixes; controls are the states."""
    states = len(automaton.moves)
    lists: list[list[Entry]] = [[] for _ in range(states)]
    lists[automaton.initial].append((states, -1, -1))
    for state, row in enumerate(automaton.moves):
        for symbol, then in enumerate(row):
            if then >= 0:
                lists[then].append((state, symbol, symbol))
    return openings(lists)


Pair = tuple[int, int, int]


@dataclass(frozen=True)
class Right:
    """The right controls for up to `rem` = adjacency - 1 differences to come.

    `first`, `second`, `rem` (count,) describe them; `number` finds one; `openings` as above.
    """

    first: Ints
    second: Ints
    rem: Ints
    number: dict[Pair, int]
    openings: Openings


def right_controls(automaton: WordAutomaton, differences: int) -> Right:
    """The controls that pairs with `differences` or fewer differences may need."""
    moves = automaton.moves
    found: dict[Pair, list[tuple[Pair, int, int]]] = {}
    left = [
        (a, b, rem)
        for rem in range(differences)
        for row in moves
        for x, a in enumerate(row)
        for y, b in enumerate(row)
        if x != y and a >= 0 and b >= 0
    ]
    while left:
        pair = left.pop()
        if pair not in found:
            found[pair] = then = _pair_moves(moves, pair)
            left.extend(target for target, _, _ in then)
    return _numbered(automaton, found)


def _pair_moves(moves: Sequence[Sequence[int]], pair: Pair) -> list[tuple[Pair, int, int]]:
    first, second, rem = pair
    symbols = range(len(moves[0]))
    ahead = [(x, moves[first][x]) for x in symbols if moves[first][x] >= 0]
    other = [(y, moves[second][y]) for y in symbols if moves[second][y] >= 0]
    common = [((a, moves[second][x], rem), x, x) for x, a in ahead if moves[second][x] >= 0]
    if rem == 0:
        return common
    return common + [((a, b, rem - 1), x, y) for x, a in ahead for y, b in other if x != y]


def _numbered(automaton: WordAutomaton, found: dict[Pair, list[tuple[Pair, int, int]]]) -> Right:
    """Only the controls from which both words can be accepted, in sorted order."""
    ends = {
        (a, b, r)
        for a, b, r in found
        if r == 0 and automaton.accepting[a] and automaton.accepting[b]
    }
    before: dict[Pair, list[Pair]] = {pair: [] for pair in found}
    for pair, then in found.items():
        for target, _, _ in then:
            before[target].append(pair)
    good, left = set(ends), list(ends)
    while left:
        for pair in before[left.pop()]:
            if pair not in good:
                good.add(pair)
                left.append(pair)
    order = sorted(good)
    number = {pair: index for index, pair in enumerate(order)}
    lists = [
        ([(len(order), -1, -1)] if pair in ends else [])
        + [(number[target], x, y) for target, x, y in found[pair] if target in number]
        for pair in order
    ]
    table = np.array(order, np.int64).reshape(-1, 3)
    return Right(table[:, 0], table[:, 1], table[:, 2], number, openings(lists))


@dataclass(frozen=True)
class Root:
    """A first difference: from left control `state`, w reads `under` and v reads `over`."""

    state: int
    under: int
    over: int
    control: int


def roots(automaton: WordAutomaton, right: Right, differences: int) -> list[Root]:
    """Every first difference of pairs with `differences`, in lexicographic order."""
    return [
        Root(state, x, y, right.number[pair])
        for state, row in enumerate(automaton.moves)
        for x, a in enumerate(row)
        for y, b in enumerate(row)
        if x != y and a >= 0 and b >= 0 and (pair := (a, b, differences - 1)) in right.number
    ]
