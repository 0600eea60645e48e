"""The search for one problem: boxes, controls, tails, and windows turned into pairs of words."""

import math
from fractions import Fraction

import numpy as np

from privet.exact import float_up
from privet.weighted.limits import Lengths
from privet.weighted.words.boxes import Boxes, Side, find_boxes, open_boxes, sides
from privet.weighted.words.certificate import Table, in_floats, rounded
from privet.weighted.words.climb import climb, exact_ratio
from privet.weighted.words.compose import composed
from privet.weighted.words.controls import Root, left_openings, right_controls, roots
from privet.weighted.words.problem import Floats, Word, WordProblem
from privet.weighted.words.search import (
    LEFT,
    MOST_EXPONENT,
    Frame,
    Outcome,
    Search,
    Tree,
    bounds_with_closed,
    splits,
)
from privet.weighted.words.symmetry import Symmetry, symmetries
from privet.weighted.words.tails import REACH, Tails, possible_lengths, reversed_word
from privet.weighted.words.watch import Watch

_LARGEST = 1e200
_UNIT = Fraction(1, 1 << 44)
_COARSE = Fraction(1, 1 << 26)
"""The checker knows q to 2^-44. Below 2^-26 boxes and cuts must hold for the ends of that."""

_VANISHING = 2.0**-16
_STARTS = 12
_LEAST = Fraction(1, 1 << 800)


def as_float(ratio: Fraction) -> float:
    """The ratio for the search, which does not decide: what floats do not hold is cut off."""
    return min(float_up(ratio), _LARGEST)


def _searched(problem: WordProblem) -> WordProblem:
    """The problem at the q that the checker takes for weights of v."""
    if problem.q >= _COARSE:
        return problem
    return WordProblem(problem.automaton, -(-problem.q // _UNIT) * _UNIT)


def _boxes(
    side: Side,
    symmetries: list[Symmetry],
    longest: int | None,
    clock: Watch,
    form: str,
) -> tuple[int, Boxes, Table]:
    """The depth, the rounded boxes in floats, and in integers."""
    if form == "open":
        boxes = open_boxes(side.size)
    else:
        boxes = find_boxes(side, symmetries, longest, clock)
    if form == "coarse":
        boxes.low[boxes.low < _VANISHING] = 0  # these vanish with q
    table = rounded(boxes, symmetries)
    return boxes.depth, in_floats(table, boxes.depth), table


class Engine:
    """The search for one problem, one adjacency and one set of lengths.

    `longest`: the boxes may be for words of up to so many symbols only; None: for all;
    `narrow` False: boxes that hold everything.
    """

    def __init__(
        self,
        problem: WordProblem,
        adjacency: int,
        lengths: Lengths,
        clock: Watch,
        longest: int | None,
        narrow: bool = True,
    ) -> None:
        self.problem = problem
        self.rate = -math.log(as_float(problem.q)) if problem.q > _LEAST else MOST_EXPONENT
        self.clock = clock
        self.symmetries = symmetries(problem.automaton)
        searched = _searched(problem)
        form = "open" if not narrow else "coarse" if problem.q < _COARSE else "narrow"
        left_side, right_side = sides(searched)
        common = self.symmetries, longest
        self.left_boxes = _boxes(left_side, *common, clock.part(0.15), form)
        self.right_boxes = _boxes(right_side, *common, clock.part(0.15), form)
        self.left = left_openings(problem.automaton)
        self.right = right_controls(problem.automaton, adjacency)
        closed_left, closed_right = left_side.closed, right_side.closed
        reach = min(REACH, lengths.longest or REACH)
        states = problem.states
        plain = np.ones((states + 1, states))
        back = np.ascontiguousarray(searched.steps.transpose(0, 2, 1))
        left_tails = Tails(self.left, back, closed_left, (plain, plain), reach)
        typical = left_tails.under[np.maximum(left_tails.longest, 0), np.arange(states + 1)]
        first = np.append(self.right.first, states)
        second = np.append(self.right.second, states)
        right_tails = Tails(
            self.right.openings,
            searched.steps,
            closed_right,
            (typical[first], typical[second]),
            reach,
        )
        self.frame = Frame(
            searched,
            self.left,
            self.right,
            bounds_with_closed(self.left_boxes[1], closed_left),
            bounds_with_closed(self.right_boxes[1], closed_right),
            lengths,
            left_tails,
            right_tails,
        )
        most = max(2 * REACH + 60, lengths.longest or 0, lengths.shortest)
        self.possible_left = possible_lengths(self.left, most)
        self.possible_right = possible_lengths(self.right.openings, most)
        self.pairs: dict[int, tuple[Fraction, Word, Word]] = {}

    def roots(self, differences: int) -> list[Root]:
        """The first differences, one for each orbit that the symmetries show."""
        found = roots(self.problem.automaton, self.right, differences)
        place = {(root.state, root.under, root.over): i for i, root in enumerate(found)}
        kept = []
        for index, root in enumerate(found):
            images = (
                place[s.states[root.state], s.symbols[root.under], s.symbols[root.over]]
                for s in self.symmetries
            )
            if all(image >= index for image in images):
                kept.append(root)
        return kept

    def factors(self, targets: dict[int, Fraction]) -> Floats:
        """(controls + 1,): 1/Gamma of each right control."""
        factors = np.ones(self.right.openings.count + 1)
        q = float(self.problem.q)
        for index, (p, r, rem) in enumerate(self.right.number):
            if rem:
                factors[index] = q**rem
                if p == r and rem in targets:
                    factors[index] = max(factors[index], 1 / max(1.0, as_float(targets[rem])))
        return factors

    def products(self, differences: int, targets: dict[int, Fraction]) -> Floats:
        """(controls + 1,): the product of what is proved before and behind a common state."""
        products = np.full(self.right.openings.count + 1, np.inf)
        for index, (p, r, rem) in enumerate(self.right.number):
            if p == r and rem in targets and differences - rem in targets:
                products[index] = as_float(targets[rem]) * as_float(targets[differences - rem])
        return products

    def keep(self, differences: int, w: Word, v: Word) -> None:
        """Remembers a pair, raised as far as small changes go, if it is the best so far."""
        w, v = climb(self.problem, w, v, self.clock)
        ratio = exact_ratio(self.problem, w, v)
        if differences not in self.pairs or ratio > self.pairs[differences][0]:
            self.pairs[differences] = ratio, w, v

    def compose(self, differences: int) -> None:
        """Looks at pairs made of pairs with fewer differences."""
        for d in range(1, differences // 2 + 1):
            if d in self.pairs and differences - d in self.pairs:
                one, two = self.pairs[d][1:], self.pairs[differences - d][1:]
                found = composed(self.problem, one, two, self.frame.lengths)
                if found is not None:
                    self.keep(differences, *found)

    def explore(self, differences: int, clock: Watch) -> None:
        """Raises the pairs of the best first differences as far as small changes go.

        A search that begins with a pair far below the best one opens much that it need not.
        """
        kept = self.roots(differences)
        if not kept:
            return
        number = len(kept)
        tree = Tree()
        tree.add(np.full(number, -1), np.arange(number))
        left = np.array([root.state for root in kept])
        right = np.array([root.control for root in kept])
        found: list[tuple[Fraction, Word, Word]] = []
        shares = splits(self.frame, left, right, np.ones(number, np.int64))
        for node, (before, behind) in enumerate(zip(*shares, strict=True)):
            if before >= 0 and clock.left > 0:
                w, v = self._pair(tree, kept, node, int(before), int(behind))
                found.append((exact_ratio(self.problem, w, v), w, v))
        for _, w, v in sorted(found, reverse=True)[:_STARTS]:
            if clock.left > 0:
                self.keep(differences, w, v)

    def search(
        self,
        differences: int,
        targets: dict[int, Fraction],
        tolerance: float,
        floor: float,
        clock: Watch,
        cap: int,
    ) -> tuple[Outcome, list[Root]]:
        """One branch and bound, and the roots that it began with.

        `targets`: what is proved for fewer differences; `tolerance`: how far above that of the
        best pair the epsilon of the target lies, as a part of it; `floor`: a target that will do.
        """
        kept = self.roots(differences)

        def improve(tree: Tree, node: int, left: int, right: int) -> float:
            self.keep(differences, *self._pair(tree, kept, node, left, right))
            return as_float(self.pairs[differences][0])

        search = Search(
            self.frame, self.factors(targets), self.products(differences, targets), improve
        )
        best = as_float(self.pairs[differences][0]) if differences in self.pairs else 0.0
        slack = tolerance * self.rate * differences
        return search.run(kept, best, (slack, 1 + tolerance), floor, clock, cap), kept

    def _pair(
        self, tree: Tree, kept: list[Root], node: int, left: int, right: int
    ) -> tuple[Word, Word]:
        frame = self.frame
        prefix: list[int] = []
        under: list[int] = []
        over: list[int] = []
        at_left = at_right = -1
        while tree.parent[node] >= 0:
            parent, entry = int(tree.parent[node]), int(tree.entry[node])
            if tree.choice[parent] == LEFT:
                at_left = int(self.left.target[entry]) if at_left < 0 else at_left
                prefix.append(int(self.left.under[entry]))
            else:
                side = self.right.openings
                at_right = int(side.target[entry]) if at_right < 0 else at_right
                under.append(int(side.under[entry]))
                over.append(int(side.over[entry]))
            node = parent
        root = kept[int(tree.entry[node])]
        at_left = root.state if at_left < 0 else at_left
        at_right = root.control if at_right < 0 else at_right
        prefix = [x for x in prefix if x >= 0]
        window_w = (*prefix, root.under, *reversed([x for x in under if x >= 0]))
        window_v = (*prefix, root.over, *reversed([x for x in over if x >= 0]))
        left, right = self._lengths(at_left, at_right, len(window_w), left, right)
        start, _ = frame.left_tails.follow(at_left, left, self.possible_left)
        end_w, end_v = frame.right_tails.follow(at_right, right, self.possible_right)
        start = reversed_word(start)
        return start + window_w + end_w, start + window_v + end_v

    def _lengths(
        self, at_left: int, at_right: int, used: int, left: int, right: int
    ) -> tuple[int, int]:
        lengths = self.frame.lengths
        total = used + left + right
        if total >= lengths.shortest and (lengths.longest is None or total <= lengths.longest):
            return left, right
        rest = (lengths.longest or lengths.shortest) - used
        for shift in range(2 * rest + 2):
            left = rest // 2 + (shift + 1) // 2 * (1 if shift % 2 else -1)
            if (
                0 <= left <= rest
                and self.possible_left[left, at_left]
                and (self.possible_right[rest - left, at_right])
            ):
                return left, rest - left
        raise AssertionError("the search only reports windows that some pair of words has")
