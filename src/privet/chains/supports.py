"""Which states are live at each node: the pattern of a chain's marginals.

Contract. A set of states is a Python integer, bit s for state s. From the set at node 0 each next
one is what it leads to in one step; the sequence of sets soon repeats with some period. If that
takes too long, the later sets are replaced by everything that is reachable from there on, which
only adds states.
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

BoolArray = npt.NDArray[np.bool_]

_LONGEST_PERIOD = 64


class Supports:
    """The live sets of nodes 0, 1, 2, ... for a chain that starts on `first`.

    `steps`: (k, k) bool, the possible steps. `settled` and `period`: from node `settled` on, the
    set of node i is that of node i + period; `is_exact`: whether all the sets are the live ones.
    """

    def __init__(self, first: BoolArray, steps: BoolArray) -> None:
        self.size = len(steps)
        self._next = [_mask(row) for row in steps]
        self._sets = [_mask(first)]
        self.is_exact = True
        seen = {self._sets[0]: 0}
        limit = 2 * self.size**2 + 2 * _LONGEST_PERIOD
        while True:
            after = self._after(self._sets[-1])
            if after in seen and len(self._sets) - seen[after] <= _LONGEST_PERIOD:
                self.settled, self.period = seen[after], len(self._sets) - seen[after]
                return
            if after in seen or len(self._sets) > limit:
                self.is_exact = False
                self._sets.append(self._reached(after))
                self.settled, self.period = len(self._sets) - 1, 1
                return
            seen[after] = len(self._sets)
            self._sets.append(after)

    def _after(self, states: int) -> int:
        result = 0
        for state in _members(states):
            result |= self._next[state]
        return result

    def _reached(self, states: int) -> int:
        while (more := states | self._after(states)) != states:
            states = more
        return states

    def at(self, node: int) -> int:
        """The live set of a node."""
        return self._sets[self._place(node)]

    def _place(self, node: int) -> int:
        if node < self.settled:
            return node
        return self.settled + (node - self.settled) % self.period

    def _places(self, nodes: range) -> set[int]:
        """Where the sets of the nodes stand in the list."""
        early = range(nodes.start, min(nodes.stop, self.settled), nodes.step)
        late = range(nodes.start + len(early) * nodes.step, nodes.stop, nodes.step)
        return {*early, *(self._place(node) for node in late[: self.period])}

    def union(self, nodes: range) -> int:
        """The states live at one of the nodes."""
        result = 0
        for place in self._places(nodes):
            result |= self._sets[place]
        return result

    def pairs(self, nodes: range) -> BoolArray:
        """(k, k): two different states that are both live at one of the nodes."""
        result = np.zeros((self.size, self.size), bool)
        for states in {self._sets[place] for place in self._places(nodes)}:
            live = self.array(states)
            result |= live[:, None] & live[None, :]
        np.fill_diagonal(result, False)
        return result

    def pattern(self, nodes: range) -> frozenset[int]:
        """What decides `pairs`: nodes with equal patterns have equal pairs."""
        return frozenset(self._sets[place] for place in self._places(nodes))

    def array(self, states: int) -> BoolArray:
        """(k,) bool."""
        return np.array([states >> state & 1 for state in range(self.size)], bool)

    def known_before(self, node: int) -> int:
        """1 + the last node before `node` whose value is certain; 0 if there is none.

        A certain value tells nothing, so it ends what is near a node at no cost.
        """
        for late in range(node - 1, max(self.settled, node - self.period) - 1, -1):
            if self._is_single(self._place(late)):
                return late + 1
        return self._single_before[min(node, self.settled)]

    @cached_property
    def _single_before(self) -> list[int]:
        result = [0]
        for place in range(self.settled):
            result.append(place + 1 if self._is_single(place) else result[-1])
        return result

    def _is_single(self, place: int) -> bool:
        return self._sets[place].bit_count() == 1


def _mask(states: BoolArray) -> int:
    return sum(1 << state for state in np.flatnonzero(states).tolist())


def _members(states: int) -> Iterator[int]:
    while states:
        lowest = states & -states
        yield lowest.bit_length() - 1
        states ^= lowest
