"""Follows trees of windows: every node that is cut is so by integers, and none is left out."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privet.weighted.words_check.controls import Controls, Lists
from privet.weighted.words_check.language import Language, Symmetry
from privet.weighted.words_check.reading import require
from privet.weighted.words_check.sides import Side
from privet.weighted.words_check.steps import (
    CHUNK,
    FAR,
    NODE_BITS,
    Flags,
    Ints,
    bit_lengths,
    shifted,
    trimmed_pair,
)

TARGET_BITS = 26
GAIN_BITS = 27


@dataclass(frozen=True)
class Nodes:
    """Arrays of one length; rows are those of the boxes; over: N up, under: D down."""

    left: Ints
    right: Ints
    left_row: Ints
    right_row: Ints
    used: Ints
    over: Ints
    under: Ints

    def take(self, index: Ints | Flags) -> "Nodes":
        """Some of them."""
        return Nodes(*(getattr(self, name)[index] for name in self.__dataclass_fields__))

    def __len__(self) -> int:
        return len(self.left)


class Proof:
    """Follows trees of cut and opened nodes."""

    def __init__(
        self,
        language: Language,
        left: Side,
        right: Side,
        symmetries: list[Symmetry],
        differences: int,
        watch: Callable[[], None],
    ) -> None:
        self.watch = watch
        self.language, self.sides, self.symmetries = language, (left, right), symmetries
        self.controls = Controls(language, differences)
        self.lists = Lists.of(self.controls.left), Lists.of(self.controls.right)
        self.first = np.array([*(p for p, _, _ in self.controls.pairs), -1], np.int64)
        self._chunk = max(1, CHUNK // language.size**2)

    def follow(
        self,
        levels: list[Any],
        differences: int,
        ratio: Fraction,
        proved: list[Fraction],
        name: str,
    ) -> None:
        """No pair with so many differences is above `ratio`. Errors: CertificateError."""
        for level in levels:
            good = isinstance(level, str) and re.fullmatch("[.lr]+", level) is not None
            require(good, name, "has a level of other than the letters ., l and r")
        self._targets(ratio, proved)
        self.merged = self._merged(differences, ratio, proved)
        roots = self.controls.roots(differences, self.symmetries)
        letters = self._level(levels, 0, len(roots), name)
        opened = list(self._visit(self._roots(roots), letters, name))
        for depth in range(1, len(levels) + 1):
            counts = [self._count(nodes, choice, name) for nodes, choice in opened]
            total = sum(int(count.sum()) for count in counts)
            if depth == len(levels):
                require(not total, name, "ends before all nodes are cut")
                return
            letters = self._level(levels, depth, total, name)
            then: list[tuple[Nodes, NDArray[np.uint8]]] = []
            place = 0
            for (nodes, choice), count in zip(opened, counts, strict=True):
                ends = place + np.cumsum(count)
                step = self._chunk
                for start in range(0, len(nodes), step):
                    self.watch()
                    part = slice(start, start + step)
                    some = self._children(nodes.take(np.arange(len(nodes))[part]), choice[part])
                    first = place if start == 0 else int(ends[start - 1])
                    text = letters[first : first + len(some)]
                    then += self._visit(some, text, name)
                place = int(ends[-1]) if len(ends) else place
            opened = then
        require(not roots, name, "has no levels")

    @staticmethod
    def _level(levels: list[Any], depth: int, size: int, name: str) -> NDArray[np.uint8]:
        found = len(levels[depth]) if depth < len(levels) else 0
        require(found == size, name, f"has another number of nodes than {size} at level {depth}")
        text = levels[depth] if found else ""
        return np.frombuffer(text.encode(), np.uint8)

    def _targets(self, ratio: Fraction, proved: list[Fraction]) -> None:
        """ratio / Gamma for each right control: `numbers` (controls + 1,) over 2^`shifts`."""
        numbers, shifts = [], []
        q = self.language.q
        for first, second, rem in [*self.controls.pairs, (0, 0, 0)]:
            gain = 1 / q**rem
            if rem and first == second and rem <= len(proved):
                gain = min(gain, max(proved[rem - 1], Fraction(1)))
            target = ratio / gain
            shift = TARGET_BITS - (target.numerator // target.denominator).bit_length()
            require(shift >= 0, "parts", "has a ratio that is too large")
            if target:
                while target * (1 << shift + 1) < 1 << TARGET_BITS and shift < 36:
                    shift += 1
            numbers.append(target.numerator * (1 << shift) // target.denominator)
            shifts.append(shift)
        self.numbers, self.shifts = np.array(numbers, np.int64), np.array(shifts, np.int64)

    def _merged(self, differences: int, ratio: Fraction, proved: list[Fraction]) -> Flags:
        """(controls + 1,): where both words are in one state and what is proved is enough.

        The word that goes there as v and on as w is one of the language: the ratio is at most the
        product of those of the two parts.
        """
        known = dict(enumerate(proved, 1))
        return np.array(
            [
                p == r and rem in known and known[rem] * known[differences - rem] <= ratio
                if 0 < rem < differences
                else False
                for p, r, rem in [*self.controls.pairs, (0, 0, 0)]
            ]
        )

    def _roots(self, roots: list[tuple[int, int, int, int]]) -> Nodes:
        table = np.array(roots, np.int64).reshape(-1, 4)
        left, x, y, right = table.T
        one, two = self.sides
        first = self.first[right]
        rows, columns = one.exponent[left], -two.exponent[first]
        steps = one.steps
        top = np.maximum(steps.top(x, rows, columns), steps.top(y, rows, columns))
        over, _ = steps.scaled(y, rows, columns, top)
        _, under = steps.scaled(x, rows, columns, top)
        return Nodes(left, right, left, first, np.ones_like(left), over, under)

    def _visit(
        self, nodes: Nodes, letters: NDArray[np.uint8], name: str
    ) -> Iterator[tuple[Nodes, NDArray[np.uint8]]]:
        """Checks the nodes that are cut; gives those that are opened, if any, with the side."""
        cut = letters == ord(".")
        for start in range(0, len(nodes), self._chunk):
            index = np.flatnonzero(cut[start : start + self._chunk]) + start
            if index.size and not self._is_cut(nodes.take(index)).all():
                require(False, name, "cuts a node that may be above the target")
        if not cut.all():
            yield nodes.take(~cut), letters[~cut]

    def _is_cut(self, nodes: Nodes) -> Flags:
        """Whether l N r <= c l D r on the whole of both boxes, by rows or by columns."""
        merged = self.merged[nodes.right]
        number, shift = self.numbers[nodes.right], self.shifts[nodes.right]
        # 26 + 26 bits.
        threshold = shifted(nodes.under * number[:, None, None], shift[:, None, None], False)
        gain = nodes.over - threshold
        drop = np.maximum(bit_lengths(np.abs(gain).max(axis=(1, 2))) - GAIN_BITS, 0)
        gain = shifted(gain, drop[:, None, None], True)
        one, two = self.sides
        left = one.low[nodes.left_row], one.high[nodes.left_row]
        right = two.low[nodes.right_row], two.high[nodes.right_row]
        rows = _stays_below(gain, right, left)
        return merged | rows | _stays_below(gain.transpose(0, 2, 1), left, right)

    def _count(self, nodes: Nodes, choice: NDArray[np.uint8], name: str) -> Ints:
        """How many children each node has."""
        counts = np.zeros(len(nodes), np.int64)
        for side, letter in enumerate(b"lr"):
            mine = np.flatnonzero(choice == letter)
            closed = (nodes.left, nodes.right)[side][mine] == self.lists[side].closed
            # It has no children, but stands for pairs all the same.
            require(not closed.any(), name, "opens a side that nothing can be added to")
            _, index, *_ = self._openings(nodes.take(mine), side)
            counts[mine] = np.bincount(index, minlength=len(mine))
        return counts

    def _openings(self, nodes: Nodes, side: int) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """The openings of one side that some pair may have: (entry, whose, left, right, used)."""
        lists = self.lists[side]
        entry, index = lists.of_controls((nodes.left, nodes.right)[side])
        target = lists.target[entry]
        left = target if side == 0 else nodes.left[index]
        right = target if side == 1 else nodes.right[index]
        used = nodes.used[index] + (lists.under[entry] >= 0)
        least = used + self.lists[0].least[left] + self.lists[1].least[right]
        whole = (left == self.language.size) & (right == len(self.controls.pairs))
        longest = FAR if self.language.longest is None else self.language.longest
        keep = (least <= longest) & (~whole | (used >= self.language.shortest))
        return entry[keep], index[keep], left[keep], right[keep], used[keep]

    def _children(self, nodes: Nodes, choice: NDArray[np.uint8]) -> Nodes:
        """The children of all nodes, parent by parent."""
        parts, owners = [], []
        for side, letter in enumerate(b"lr"):
            mine = np.flatnonzero(choice == letter)
            if mine.size:
                some, index = self._opened(nodes.take(mine), side)
                parts.append(some)
                owners.append(mine[index])
        order = np.argsort(np.concatenate(owners), kind="stable")
        fields = Nodes.__dataclass_fields__
        return Nodes(*(np.concatenate([getattr(p, f) for p in parts])[order] for f in fields))

    def _opened(self, nodes: Nodes, side: int) -> tuple[Nodes, Ints]:
        entry, index, left, right, used = self._openings(nodes, side)
        lists, size = self.lists[side], self.language.size
        under, over = lists.under[entry], lists.over[entry]
        big, small = nodes.over[index], nodes.under[index]
        left_row, right_row = nodes.left_row[index], nodes.right_row[index]
        old = (left_row, right_row)[side]
        moving = np.flatnonzero(under >= 0)
        closing = under < 0
        row = np.where(closing, size + old, left if side == 0 else self.first[right])
        if moving.size:
            source, target = row[moving], old[moving]
            (up, _), (_, down) = self.sides[side].matrices(
                source, target, [over[moving], under[moving]]
            )
            # 26 + 26 bits and at most 2^8 terms.
            if side == 0:
                more, less = up @ big[moving], down @ small[moving]
            else:
                more = big[moving] @ up.transpose(0, 2, 1)
                less = small[moving] @ down.transpose(0, 2, 1)
            big[moving], small[moving] = trimmed_pair(more, less, NODE_BITS)
        if side == 0:
            return Nodes(left, right, row, right_row, used, big, small), index
        return Nodes(left, right, left_row, row, used, big, small), index


def _stays_below(gain: Ints, inner: tuple[Ints, Ints], outer: tuple[Ints, Ints]) -> Flags:
    """(K,): whether sum_ij o_i gain_ij n_j <= 0 for all o and n of two boxes, each row apart.

    Gains of 27 bits, boxes of 20, at most 2^8 terms: 55 bits a row, 31 after dropping 24.
    """
    plus = np.maximum(gain, 0)
    endless = ((plus > 0) & (inner[1] < 0)[:, None, :]).any(axis=2)
    parts = (plus * np.maximum(inner[1], 0)[:, None, :] + (gain - plus) * inner[0][:, None, :]).sum(
        axis=2
    )
    parts = shifted(parts, 24, True)
    most = np.where(parts > 0, parts * np.maximum(outer[1], 0), parts * outer[0])
    free = (endless & (outer[1] != 0)) | ((parts > 0) & (outer[1] < 0))
    return np.asarray(~free.any(axis=1) & (most.sum(axis=1) <= 0))
