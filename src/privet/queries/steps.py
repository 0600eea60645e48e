"""How often each transition from one state to the next occurs.

Contract. A transition is a pair of neighbouring nodes of one word, both among the nodes read.
"""

from collections.abc import Hashable
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from privet.queries.base import Codes, Query
from privet.queries.pieces import Offsets
from privet.symbols import Alphabet


class Transitions(Query):
    """(k, k) int64: entry (i, j) = how many transitions lead from state i to state j.

    Constants: a node takes part in the transition that reaches it and in the one that leaves it.
    Changing it moves each of these from one entry to another, a change of 2 for each: 4 inside the
    range read, 2 at its first and last node, 0 if there is no other. All are attained: inside, by
    the word 0 0 0 against 0 1 0.
    """

    kind: ClassVar[str] = "transitions"

    def shape(self, alphabet: Alphabet) -> tuple[int, ...]:
        """(k, k)."""
        return (len(alphabet), len(alphabet))

    def labels(self, alphabet: Alphabet) -> tuple[Hashable, ...]:
        """(from, to) of each entry."""
        return tuple((a, b) for a in alphabet.symbols for b in alphabet.symbols)

    def node_constants(self, alphabet: Alphabet, count: int) -> tuple[Fraction, Fraction]:  # noqa: ARG002  # the same for all
        """2 at the ends and 4 inside; 0 for a single node."""
        return Fraction(2 if count > 1 else 0), Fraction(4)

    def raw(self, alphabet: Alphabet, codes: Codes, offsets: Offsets) -> list[int]:
        """The counts, row by row."""
        size = len(alphabet)
        follows = np.ones(codes.size, np.bool_)
        follows[offsets[:-1]] = False
        later = np.flatnonzero(follows)
        pairs: Any = codes[later - 1].astype(np.int64) * size + codes[later]
        counts: list[int] = np.bincount(pairs, minlength=size * size).tolist()
        return counts


def transitions() -> Transitions:
    """How many transitions lead from each state to each: (k, k) int64."""
    return Transitions()
