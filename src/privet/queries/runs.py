"""How long states last: the number of runs of each length.

Contract. A run is a longest stretch of nodes of one word, among the nodes read, that are all in one
state; the range read cuts the runs that cross its ends. Runs of at least `cap` nodes are counted
together.
"""

from collections.abc import Hashable
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from privet.exact import read_count
from privet.queries.base import Codes, Query
from privet.queries.pieces import Offsets
from privet.symbols import Alphabet


class RunLengths(Query):
    """(cap,) int64: entry l = how many runs have l + 1 nodes, the last entry cap nodes or more.

    `cap` >= 1; `state`: count the runs of this state alone, None those of all.

    Constants. Changing a node from x to y concerns the runs that hold it or touch it. Each run that
    goes or comes moves one count by 1.

    All states, a node inside. Both neighbours x: a run splits in three, 1 goes and 3 come, 4. Both
    neighbours y: the reverse, 4. One x and one y: two runs go and two come, one longer and one
    shorter, at most 4. One x and neither y: a run goes, a shorter one and a single one come, 3. One
    y and neither x: the reverse, 3. Neither: a single run goes and a single one comes, 0. So 4. At
    an end of the range there is one neighbour: x gives 3, y gives 3, anything else 0. So 3; and a
    range of one node has one run of one node whatever happens, 0. Attained for cap >= 2: x x x
    against x y x, and x x against x y. With cap = 1 only the number of runs is seen: it moves by at
    most 2 inside (1 run against 3) and by 1 at an end.

    One state s. Only a change to or from s matters; by symmetry let it be from s. A run of s goes,
    and the parts left and right of the node, if any, come: at most 3 inside, 2 at an end, 1 for a
    single node. Attained for cap >= 2: s s s and s s. With cap = 1 the number of runs of s moves by
    1 less than the number of parts, which is 0, 1 or 2: at most 1 everywhere.
    """

    kind: ClassVar[str] = "run_lengths"

    def __init__(self, cap: int, state: Hashable | None = None) -> None:
        self.cap = read_count(cap, "cap")
        self.state = state

    def shape(self, alphabet: Alphabet) -> tuple[int, ...]:  # noqa: ARG002  # given by the cap
        """(cap,)."""
        return (self.cap,)

    def labels(self, alphabet: Alphabet) -> tuple[Hashable, ...]:  # noqa: ARG002  # given by the cap
        """The lengths, the last with a plus sign."""
        return (*range(1, self.cap), f"{self.cap}+")

    def node_constants(self, alphabet: Alphabet, count: int) -> tuple[Fraction, Fraction]:
        """At an end and inside, as proved above."""
        if self.state is not None:
            alphabet.index(self.state)
            if self.cap == 1 or count == 1:
                return Fraction(1), Fraction(1)
            return Fraction(2), Fraction(3)
        if count == 1:
            return Fraction(0), Fraction(0)
        return (Fraction(1), Fraction(2)) if self.cap == 1 else (Fraction(3), Fraction(4))

    def raw(self, alphabet: Alphabet, codes: Codes, offsets: Offsets) -> list[int]:
        """The counts of runs by length."""
        first = np.ones(codes.size, np.bool_)
        first[1:] = codes[1:] != codes[:-1]
        first[offsets[:-1]] = True
        starts = np.flatnonzero(first)
        lengths = np.diff(starts, append=codes.size)
        if self.state is not None:
            lengths = lengths[codes[starts] == alphabet.index(self.state)]
        capped = np.minimum(lengths, self.cap) - 1
        counts: list[int] = np.bincount(capped, minlength=self.cap).tolist()
        return counts

    def parameters(self) -> dict[str, Any]:
        """{"cap": ..., "state": ...}."""
        return {"cap": self.cap, "state": self.state}


def run_lengths(cap: int, state: Hashable | None = None) -> RunLengths:
    """How many runs have 1, 2, ..., cap - 1, and at least cap nodes: (cap,) int64."""
    return RunLengths(cap, state)
