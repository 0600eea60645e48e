"""What proves how much is spent, as data that anyone can re-check.

Contract. A certificate states, for words of `shortest`..`longest` symbols (null: any number) of
the automaton and for d = 1..adjacency: no pair of words with exactly d differences has Z(v)/Z(w)
above parts[d - 1].ratio. It holds

- the boxes of both sides (see `boxes`) in integers: entry i of a vector of control c lies between
  low and high times 2^(exponent - 20); a high of -1 is no upper end; `depth` is h; null where
  there is no tree;
- symmetries of the automaton, which the boxes share: controls and first differences that one of
  them carries to an earlier one need no proof of their own;
- for each d a tree (see `search`), level by level: "." a node that is cut, "l" and "r" one that is
  opened on that side; children stand in the order of `controls`, without those that no pair of
  words of these lengths has. Null stands for the trivial bound, ratio = q^-d.

`sha256` is that of the other fields: a copying error is found whatever it changed.
`privet.weighted.words_check` re-checks it in integers and imports nothing of the search.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privet.weighted.certificate import fraction_text
from privet.weighted.limits import Lengths
from privet.weighted.seal import sealed
from privet.weighted.words.boxes import ENDLESS, Boxes
from privet.weighted.words.problem import Ints, WordProblem
from privet.weighted.words.symmetry import Symmetry

KIND = "word-spending-certificate"
VERSION = 2
BITS = 20
_MOST_EXPONENT = 60

Table = tuple[Ints, Ints, Ints]
"""(exponent, low, high), each (Q, Q)."""


@dataclass(frozen=True)
class Part:
    """No pair with so many differences has a ratio above `ratio`; `tree` None: trivially."""

    ratio: Fraction
    tree: tuple[str, ...] | None

    def to_json(self) -> dict[str, Any]:
        """As in the certificate."""
        tree = None if self.tree is None else list(self.tree)
        return {"ratio": fraction_text(self.ratio), "tree": tree}


@dataclass(frozen=True)
class WordCertificate:
    """The certificate; `to_json` is its only other form, and what the checker reads."""

    problem: WordProblem
    lengths: Lengths
    symmetries: tuple[Symmetry, ...]
    left: tuple[int, Table] | None
    right: tuple[int, Table] | None
    parts: tuple[Part, ...]

    def to_json(self) -> dict[str, Any]:
        """Lists, text, small integers, flags and null only."""
        automaton = self.problem.automaton
        return sealed(
            {
                "kind": KIND,
                "version": VERSION,
                "moves": [list(row) for row in automaton.moves],
                "initial": automaton.initial,
                "accepting": list(automaton.accepting),
                "q": fraction_text(self.problem.q),
                "shortest": self.lengths.shortest,
                "longest": self.lengths.longest,
                "symmetries": [[list(s.states), list(s.symbols)] for s in self.symmetries],
                "left": None if self.left is None else _side_json(*self.left),
                "right": None if self.right is None else _side_json(*self.right),
                "parts": [part.to_json() for part in self.parts],
            }
        )

    def __repr__(self) -> str:
        nodes = sum(len(level) for part in self.parts for level in part.tree or ())
        return f"WordCertificate({len(self.parts)} parts, {nodes} nodes)"


def _side_json(depth: int, table: Table) -> dict[str, Any]:
    exponent, low, high = (entry.tolist() for entry in table)
    return {"depth": depth, "exponent": exponent, "low": low, "high": high}


def rounded(boxes: Boxes, symmetries: Sequence[Symmetry]) -> Table:
    """The boxes in integers, rounded outward, and the same for every symmetry."""
    low, high = np.nan_to_num(boxes.low, nan=0.0), boxes.high.copy()
    for _ in range(4):
        for symmetry in symmetries:
            states = np.array(symmetry.states)
            grid = np.ix_(states, states)
            low, high = np.minimum(low, low[grid]), np.maximum(high, high[grid])
    endless = ~(high < ENDLESS * 1e-50)
    size = np.where(endless, low, high)
    exponent = np.frexp(np.where(size > 0, size, 0.5))[1].astype(np.int64)
    # What is always 0 must not set the scale of a block.
    exponent[(high == 0) & ~endless] = -_MOST_EXPONENT
    exponent[endless] = np.maximum(exponent[endless], 0)
    np.fill_diagonal(exponent, 0)
    exponent = np.clip(exponent, -_MOST_EXPONENT, _MOST_EXPONENT)
    least = np.floor(np.ldexp(low, BITS - exponent))
    most = np.ceil(np.ldexp(np.where(endless, 0, high), BITS - exponent))
    least = np.minimum(least, 1 << BITS)
    most = np.where(endless, -1, most)
    return exponent, least.astype(np.int64), most.astype(np.int64)


def in_floats(table: Table, depth: int) -> Boxes:
    """The rounded boxes as floats, exactly."""
    exponent, low, high = table
    most = np.where(high < 0, ENDLESS, np.ldexp(high.astype(np.float64), exponent - BITS))
    return Boxes(np.ldexp(low.astype(np.float64), exponent - BITS), most, depth)
