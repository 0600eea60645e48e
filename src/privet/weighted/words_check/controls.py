"""What may stand left and right of a window; made again here, in the order trees rely on.

Contract. As in `privet.weighted.words.controls`, which says what a control and an opening are.
"""

from dataclasses import dataclass

import numpy as np

from privet.weighted.words_check.language import Language, Symmetry
from privet.weighted.words_check.steps import FAR, Ints

Pair = tuple[int, int, int]
Moves = list[tuple[Pair, int, int]]


class Controls:
    """Right controls (first, second, rem) and the openings of both sides, in their order."""

    def __init__(self, language: Language, differences: int) -> None:
        self.language = language
        size = language.size
        self.left: list[list[tuple[int, int, int]]] = [[] for _ in range(size)]
        self.left[language.initial].append((size, -1, -1))
        for p, x, r in language.edges():
            self.left[r].append((p, x, x))
        pairs = self._reached(differences)
        alive = self._alive(pairs)
        self.pairs = sorted(pair for pair in pairs if pair in alive)
        self.number = {pair: index for index, pair in enumerate(self.pairs)}
        self.right = [
            ([(len(self.pairs), -1, -1)] if self._ends(pair) else [])
            + [(self.number[then], x, y) for then, x, y in pairs[pair] if then in self.number]
            for pair in self.pairs
        ]

    def _ends(self, pair: tuple[int, int, int]) -> bool:
        flags = self.language.accepting
        return pair[2] == 0 and flags[pair[0]] and flags[pair[1]]

    def _reached(self, differences: int) -> dict[Pair, Moves]:
        pairs: dict[Pair, Moves] = {}
        left = [
            then
            for total in range(1, differences + 1)
            for p in range(self.language.size)
            for then, _, _ in self._moves(p, p, total)
            if then[2] < total
        ]
        while left:
            pair = left.pop()
            if pair not in pairs:
                pairs[pair] = self._moves(*pair)
                left.extend(then for then, _, _ in pairs[pair])
        return pairs

    def _moves(self, first: int, second: int, rem: int) -> Moves:
        one = [(x, r) for x, r in enumerate(self.language.moves[first]) if r >= 0]
        two = [(y, r) for y, r in enumerate(self.language.moves[second]) if r >= 0]
        same = dict(two)
        common = [((r, same[x], rem), x, x) for x, r in one if x in same]
        if not rem:
            return common
        return common + [((r, s, rem - 1), x, y) for x, r in one for y, s in two if x != y]

    def _alive(self, pairs: dict[Pair, Moves]) -> set[Pair]:
        before: dict[Pair, list[Pair]] = {p: [] for p in pairs}
        for pair, moves in pairs.items():
            for then, _, _ in moves:
                before[then].append(pair)
        left = [pair for pair in pairs if self._ends(pair)]
        seen = set(left)
        while left:
            for pair in before[left.pop()]:
                if pair not in seen:
                    seen.add(pair)
                    left.append(pair)
        return seen

    def roots(
        self, differences: int, symmetries: list[Symmetry]
    ) -> list[tuple[int, int, int, int]]:
        """(left control, symbol of w, of v, right control), without those carried to earlier."""
        found = []
        for p in range(self.language.size):
            for (first, second, rem), x, y in self._moves(p, p, differences):
                pair = first, second, rem
                if rem < differences and pair in self.number:
                    moved = ((s.states[p], s.symbols[x], s.symbols[y]) for s in symmetries)
                    if all(image >= (p, x, y) for image in moved):
                        found.append((p, x, y, self.number[pair]))
        return sorted(found)


@dataclass(frozen=True)
class Lists:
    """Openings as arrays: those of control c are start[c]:start[c + 1]."""

    start: Ints
    target: Ints
    under: Ints
    over: Ints
    least: Ints

    @staticmethod
    def of(lists: list[list[tuple[int, int, int]]]) -> "Lists":
        """The arrays of lists of openings, one list per control; the closed one comes last."""
        start = np.cumsum([0, *map(len, lists), 0])
        flat = np.array([entry for entries in lists for entry in entries], np.int64).reshape(-1, 3)
        owner = np.repeat(np.arange(len(lists)), np.diff(start)[:-1])
        least = np.full(len(lists) + 1, FAR, np.int64)
        least[-1] = 0
        while True:
            new = least.copy()
            through = np.minimum(least[flat[:, 0]] + (flat[:, 1] >= 0), FAR)
            np.minimum.at(new, owner, through)
            if np.array_equal(new, least):
                return Lists(start, flat[:, 0], flat[:, 1], flat[:, 2], least)
            least = new

    @property
    def closed(self) -> int:
        """The control of a side at whose end the word ends too; it has no openings."""
        return len(self.least) - 1

    def of_controls(self, controls: Ints) -> tuple[Ints, Ints]:
        """The openings of each control, one after the other, and whose they are."""
        sizes = self.start[controls + 1] - self.start[controls]
        index = np.repeat(np.arange(len(controls)), sizes)
        offset = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return np.repeat(self.start[controls], sizes) + offset, index
