"""Branch and bound over windows: no pair of words has Z(v)/Z(w) above a target.

Contract. A node stands for all pairs with one window: a left control, a right control, and the
matrices N (of v) and D (of w) between them, up to a common factor. It may be cut when
l N r_v <= c l D r_w for every l of the left box and every right tail, r_w and r_v being its
vectors. With no difference to come r_v = r_w = r; with `rem` to come, l' r_v <= Gamma l' r_w for
every prefix vector l' of v, so the target becomes c / Gamma (`Factors`). What is not cut is opened
on one side: its children are one symbol more, or closed (see `controls`).
The bound is computed twice, by rows and by columns, in floats: nothing found here counts before
`privet.weighted.words_check` has repeated it in integers.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privet.weighted.limits import Clock, Lengths
from privet.weighted.words.boxes import Boxes
from privet.weighted.words.controls import FAR, Openings, Right, Root
from privet.weighted.words.problem import Floats, Ints, WordProblem
from privet.weighted.words.tails import Tails

CUT, LEFT, RIGHT = 0, 1, 2

MARGIN = 1e-5
"""A node is cut only with this much room (relative to c), which the integers need for rounding."""

MOST_EXPONENT = 600.0
"""Of e, in floats."""

_BATCH_CELLS = 400_000
_NOTABLE = 0.1
"""A pair is worth looking at where it raises the best ratio by this part of the slack."""

Improve = Callable[["Tree", int, int, int], float]
"""(tree, node, symbols left, symbols right) -> the ratio of a pair of words with that window."""


@dataclass(frozen=True)
class Frame:
    """What every search of one problem shares."""

    problem: WordProblem
    left: Openings
    right: Right
    left_box: tuple[Floats, Floats]
    right_box: tuple[Floats, Floats]
    lengths: Lengths
    left_tails: Tails
    right_tails: Tails


def bounds_with_closed(boxes: Boxes, closed: Floats) -> tuple[Floats, Floats]:
    """(Q + 1, Q) each: the boxes, and the vector of the closed side as the last row."""
    return np.vstack([boxes.low, closed]), np.vstack([boxes.high, closed])


class Tree:
    """All nodes met so far: the roots come first, the children of a node in order of openings.

    `choice`: cut, or the side opened; `first`, `size`: its children; `parent`, `entry`: the opening
    it came from, counted in its side, or the number of its root (parent -1).
    """

    def __init__(self) -> None:
        self.count = 0
        self._table = np.zeros((5, 1024), np.int64)

    @property
    def choice(self) -> Ints:
        """(count,)."""
        return np.asarray(self._table[0])

    @property
    def first(self) -> Ints:
        """(count,)."""
        return np.asarray(self._table[1])

    @property
    def size(self) -> Ints:
        """(count,)."""
        return np.asarray(self._table[2])

    @property
    def parent(self) -> Ints:
        """(count,)."""
        return np.asarray(self._table[3])

    @property
    def entry(self) -> Ints:
        """(count,)."""
        return np.asarray(self._table[4])

    def add(self, parent: Ints, entry: Ints) -> Ints:
        """Numbers for new nodes, all cut until they are opened."""
        number = np.arange(self.count, self.count + len(parent))
        self.count += len(parent)
        if self.count > self._table.shape[1]:
            wider = np.zeros((5, 2 * self.count), np.int64)
            wider[:, : number[0]] = self._table[:, : number[0]]
            self._table = wider
        self.parent[number] = parent
        self.entry[number] = entry
        return number

    def levels(self, roots: int) -> list[str]:
        """The choices, level by level, as text of ".", "l" and "r"."""
        letters = np.array([".", "l", "r"])
        level, found = np.arange(roots), []
        while level.size:
            found.append("".join(letters[self.choice[level]]))
            sizes = self.size[level]
            offset = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
            level = np.repeat(self.first[level], sizes) + offset
        return found


@dataclass
class _Nodes:
    """A batch of nodes: arrays of one length."""

    number: Ints
    left: Ints
    right: Ints
    used: Ints
    over: Floats
    under: Floats
    side: NDArray[np.int8]
    target: float = 0.0

    def take(self, index: NDArray[np.bool_] | Ints) -> "_Nodes":
        """Some of them."""
        return _Nodes(
            self.number[index],
            self.left[index],
            self.right[index],
            self.used[index],
            self.over[index],
            self.under[index],
            self.side[index],
            self.target,
        )


@dataclass(frozen=True)
class Outcome:
    """`target` c and `tree`: every pair has Z(v)/Z(w) <= c; `reason` says why not, if stopped."""

    target: float
    best: float
    tree: Tree
    reason: str


class Search:
    """One branch and bound, for pairs with exactly `differences` of them.

    `factors` (controls + 1,): 1/Gamma for each right control, 1 where no difference is to come;
    `products` (controls + 1,): a ratio that no pair with this control exceeds, inf if unknown.
    """

    def __init__(self, frame: Frame, factors: Floats, products: Floats, improve: Improve) -> None:
        self.frame = frame
        self.factors = factors
        self.products = products
        self.improve = improve
        right = frame.right
        self._apart = np.append((right.rem > 0) & (right.first != right.second), False)
        self._left, _ = frame.left_tails.typical(np.arange(frame.problem.states))
        self._right = frame.right_tails.typical(right.first)
        cells = max(1, 2 * frame.problem.states**2)
        self._batch = max(16, _BATCH_CELLS // cells)

    def run(
        self,
        roots: list[Root],
        best: float,
        above: tuple[float, float],
        floor: float,
        clock: Clock,
        cap: int,
    ) -> Outcome:
        """Proves max(floor, e^slack best^power) for the best ratio found, or stops.

        `best`: a ratio known to be reached; `above`: the slack and the power, at least 1;
        `floor`: a target that will do.
        """
        self.best, self.floor = best, floor
        self._slack, self._power = above
        self.tree = tree = Tree()
        reason = ""
        with np.errstate(all="ignore"):
            stack = [self._roots(roots)] if roots else []
            while stack:
                if reason := clock.spent(tree.count, cap):
                    break
                stack += self._expand(self._again(stack.pop()))
        return Outcome(self.target, self.best, tree, reason)

    @property
    def target(self) -> float:
        """The ratio that is being proved."""
        if self.best <= 0:
            return self.floor
        above = self._power * math.log(self.best) + self._slack
        return max(self.floor, math.exp(min(above, MOST_EXPONENT)))

    def _roots(self, roots: list[Root]) -> _Nodes:
        steps = self.frame.problem.steps
        left = np.array([root.state for root in roots])
        right = np.array([root.control for root in roots])
        over = steps[[root.over for root in roots]]
        under = steps[[root.under for root in roots]]
        number = self.tree.add(np.full(len(roots), -1), np.arange(len(roots)))
        used = np.ones(len(roots), np.int64)
        nodes = _Nodes(number, left, right, used, over, under, np.zeros(len(roots), np.int8))
        self._report(nodes)
        return self._uncut(nodes)

    def _again(self, nodes: _Nodes) -> _Nodes:
        """Without those that a better pair, found meanwhile, allows to cut."""
        return nodes if nodes.target == self.target else self._uncut(nodes)

    def _uncut(self, nodes: _Nodes) -> _Nodes:
        """The nodes whose bound is above 0, with the side to open, the hardest last."""
        frame, target = self.frame, self.target
        threshold = target * (1 - MARGIN) * self.factors[nodes.right]
        gain = nodes.over - threshold[:, None, None] * nodes.under
        llo, lhi = frame.left_box[0][nodes.left], frame.left_box[1][nodes.left]
        ref = self._ref(nodes.right)
        rlo, rhi = frame.right_box[0][ref], frame.right_box[1][ref]
        rows = _reach(np.where(gain > 0, gain * rhi[:, None], gain * rlo[:, None]).sum(2), llo, lhi)
        columns = _reach(
            np.where(gain > 0, gain * lhi[:, :, None], gain * llo[:, :, None]).sum(1), rlo, rhi
        )
        bound = np.where(
            self.products[nodes.right] <= target * (1 - MARGIN), -1, np.minimum(rows, columns)
        )
        # A NaN is not at most 0, so it never cuts.
        keep = np.flatnonzero(~(bound <= 0))
        keep = keep[np.argsort(bound[keep], kind="stable")]
        nodes = nodes.take(keep)
        nodes.target = target
        nodes.side = self._sides(nodes, (lhi - llo)[keep], (rhi - rlo)[keep])
        return nodes

    def _ref(self, right: Ints) -> Ints:
        """The row of the right boxes: the state of w, or the closed one."""
        first = np.append(self.frame.right.first, self.frame.problem.states)
        return np.asarray(first[right])

    def _sides(self, nodes: _Nodes, wide_left: Floats, wide_right: Floats) -> NDArray[np.int8]:
        """The side whose box matters more, measured at real tails around the ratio there."""
        left, (over, under) = self._left[nodes.left], self._right
        column_v = (nodes.over @ over[nodes.right][:, :, None])[:, :, 0]
        column_w = (nodes.under @ under[nodes.right][:, :, None])[:, :, 0]
        ratio = (left * column_v).sum(1) / (left * column_w).sum(1)
        row = left[:, None, :] @ (nodes.over - ratio[:, None, None] * nodes.under)
        by_left = np.abs(column_v - ratio[:, None] * column_w) * np.minimum(wide_left, 1e6)
        by_right = np.abs(row[:, 0, :]) * np.minimum(wide_right, 1e6)
        closed_left = nodes.left == self.frame.left.count
        closed_right = nodes.right == self.frame.right.openings.count
        # Words in different states with differences to come: only going on can tell.
        here = (by_left.sum(1) >= by_right.sum(1)) & ~self._apart[nodes.right]
        side = np.where((here | closed_right) & ~closed_left, LEFT, RIGHT).astype(np.int8)
        side[closed_left & closed_right] = CUT
        return side

    def _expand(self, nodes: _Nodes) -> list[_Nodes]:
        """The uncut children, in batches, the hardest last."""
        nodes = nodes.take(nodes.side != CUT)  # a pair of whole words, just above the target
        return [
            part
            for side in (LEFT, RIGHT)
            if (some := nodes.take(nodes.side == side)).number.size
            for start in range(0, len(some.number), self._batch)
            for part in self._children(
                some.take(np.arange(start, min(start + self._batch, len(some.number)))), side
            )
        ]

    def _children(self, nodes: _Nodes, side: int) -> list[_Nodes]:
        frame = self.frame
        openings = frame.left if side == LEFT else frame.right.openings
        control = nodes.left if side == LEFT else nodes.right
        entry, index = _entries(openings, control)
        under, over = openings.under[entry], openings.over[entry]
        used = nodes.used[index] + (under >= 0)
        target = openings.target[entry]
        left = target if side == LEFT else nodes.left[index]
        right = target if side == RIGHT else nodes.right[index]
        keep = fits(frame.left, frame.right.openings, frame.lengths, left, right, used)
        entry, index, left, right, used = (a[keep] for a in (entry, index, left, right, used))
        under, over = under[keep], over[keep]
        number = self.tree.add(nodes.number[index], entry)
        self._opened(nodes, side, index, number)
        steps = frame.problem.steps
        if side == LEFT:
            matrix = steps[under]
            big, small = matrix @ nodes.over[index], matrix @ nodes.under[index]
        else:
            big, small = nodes.over[index] @ steps[over], nodes.under[index] @ steps[under]
        scale = small.max(axis=(1, 2), keepdims=True)
        made = _Nodes(
            number, left, right, used, big / scale, small / scale, np.zeros(len(left), np.int8)
        )
        made = self._uncut(made)
        if not made.number.size:
            return []
        self._report(made)
        return [made]

    def _opened(self, nodes: _Nodes, side: int, index: Ints, number: Ints) -> None:
        tree = self.tree
        sizes = np.bincount(index, minlength=len(nodes.number))
        tree.choice[nodes.number] = side
        tree.size[nodes.number] = sizes
        start = int(number[0]) if number.size else tree.count
        tree.first[nodes.number] = start + np.cumsum(sizes) - sizes

    def _report(self, nodes: _Nodes) -> None:
        """Looks at the real pair of words that stands for each node; keeps the best."""
        frame = self.frame
        left, right = splits(frame, nodes.left, nodes.right, nodes.used)
        rows = frame.left_tails.under[left, nodes.left]
        over = frame.right_tails.over[right, nodes.right]
        under = frame.right_tails.under[right, nodes.right]
        big = (rows * (nodes.over @ over[:, :, None])[:, :, 0]).sum(1)
        small = (rows * (nodes.under @ under[:, :, None])[:, :, 0]).sum(1)
        value = np.where((left >= 0) & (small > 0), big / small, 0.0)
        place = int(np.nan_to_num(value, nan=0.0).argmax())
        if value[place] > self.best * (1 + _NOTABLE * self._slack):
            found = self.improve(
                self.tree, int(nodes.number[place]), int(left[place]), int(right[place])
            )
            self.best = max(self.best, found)


def _reach(parts: Floats, low: Floats, high: Floats) -> Floats:
    return np.asarray(np.where(parts > 0, parts * high, parts * low).sum(1))


def _entries(openings: Openings, control: Ints) -> tuple[Ints, Ints]:
    """The entries of each control, one after the other, and whose they are."""
    sizes = openings.start[control + 1] - openings.start[control]
    index = np.repeat(np.arange(len(control)), sizes)
    offset = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.repeat(openings.start[control], sizes) + offset, index


def fits(
    left: Openings, right: Openings, lengths: Lengths, at_left: Ints, at_right: Ints, used: Ints
) -> NDArray[np.bool_]:
    """Whether a node may still become a pair of words of these lengths."""
    least = used + left.least[at_left] + right.least[at_right]
    whole = (at_left == left.count) & (at_right == right.count)
    longest = FAR if lengths.longest is None else lengths.longest
    return np.asarray((least <= longest) & (~whole | (used >= lengths.shortest)))


def splits(frame: Frame, left: Ints, right: Ints, used: Ints) -> tuple[Ints, Ints]:
    """How many symbols the tails on both sides get; -1 where no pair of tails fits."""
    tails_l, tails_r, lengths = frame.left_tails, frame.right_tails, frame.lengths
    most_l, most_r = tails_l.longest[left], tails_r.longest[right]
    shortest = lengths.shortest - used
    longest = np.full(len(used), FAR) if lengths.longest is None else lengths.longest - used
    # Far ends are filled up later; here they only have to be long.
    shortest = np.minimum(shortest, tails_l.reach + tails_r.reach)
    free = longest >= tails_l.reach + tails_r.reach
    got_l = np.where(free & (most_l >= 0) & (most_r >= 0), most_l, -1)
    got_r = np.where(got_l >= 0, most_r, -1)
    for shift in range(2 * tails_l.reach + 1):
        open_ = ~free & (got_l < 0)
        if not open_.any():
            break
        offset = (shift + 1) // 2 * (1 if shift % 2 else -1)
        try_l = tails_l.below[np.clip(longest // 2 + offset, 0, tails_l.reach), left]
        room = np.clip(longest - try_l, -1, tails_r.reach)
        try_r = np.where(room >= 0, tails_r.below[room, right], -1)
        good = open_ & (try_l >= 0) & (try_r >= 0) & (try_l + try_r >= shortest)
        got_l, got_r = np.where(good, try_l, got_l), np.where(good, try_r, got_r)
    return got_l, got_r
