"""The prefixes that a search has opened, numbered as they were opened, and their proof.

Contract. A child is CLOSED (its vector is cut), an opened node, or below an opened one. A tree is a
proof when no child is pending; `in_preorder` then gives the steps of a certificate.
"""

from fractions import Fraction

from privet.weighted.certificate import CUT, SPLIT, Step

CLOSED = -1
PENDING = -2

Child = int | tuple[int, Fraction]


class Tree:
    """Node 0 is the root; `children[i]` has an entry for each move of node i, once it is opened."""

    def __init__(self) -> None:
        self.children: list[list[Child]] = []
        self.root_is_cut = False

    def open(self, parent: int, place: int, moves: int) -> int:
        """Open a node: child number `place` of `parent`, with as many children to come."""
        number = len(self.children)
        self.children.append([PENDING] * moves)
        if parent >= 0:
            self.children[parent][place] = number
        return number

    def in_preorder(self) -> tuple[Step, ...]:
        """The steps of a finished tree."""
        if self.root_is_cut:
            return (CUT,)
        steps: list[Step] = []
        place: dict[int, int] = {}
        stack: list[Child] = [0]
        while stack:
            child = stack.pop()
            if isinstance(child, tuple):
                steps.append(child)
            elif child == CLOSED:
                steps.append(CUT)
            else:
                place[child] = len(steps)
                steps.append(SPLIT)
                stack.extend(reversed(self.children[child]))
        return tuple(s if isinstance(s, str) else (place[s[0]], s[1]) for s in steps)
