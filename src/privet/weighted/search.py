"""Branch and bound over prefixes: a word with a ratio above a bound, or a proof that there is none.

Contract. A word w has a ratio above c exactly if v_w . final > 0 for v_w = (first - c second) S_w.
`search` follows prefixes, drops one when the suffix sets show that nothing behind it is positive,
and answers Proved(certificate), Exceeded(word) or Stopped(reason, open prefixes); everything that
decides is an integer. A prefix whose vector is a multiple of another's, or below it on every
suffix, is dropped in favour of the other only if every suffix length left here is left there: a
memory without lengths would call a model private that is not. In a conserving problem (a word
weighs what its extensions do) the lengths k mean "k or fewer", and a shorter violation is extended.
"""

from collections import deque
from dataclasses import dataclass
from fractions import Fraction

from privet.weighted.certificate import Certificate
from privet.weighted.cones import Suffixes
from privet.weighted.dominance import Dominance
from privet.weighted.limits import SHORT_WORD, Clock, Lengths
from privet.weighted.problem import Cell, RatioProblem, Vector, Word, dot, read_backwards
from privet.weighted.tree import CLOSED, Tree
from privet.weighted.vectors import Stepper, primitive, unit_floats

_DOMINANCE_FROM = 40
"""Opened prefixes after which looking for one that is below another pays."""


@dataclass(frozen=True)
class Proved:
    """No word exceeds the ratio."""

    certificate: Certificate
    nodes: int


@dataclass(frozen=True)
class Exceeded:
    """A word whose ratio is above the one asked about."""

    word: Word
    nodes: int


@dataclass(frozen=True)
class Stopped:
    """A limit came first; every word above the ratio starts with one of the `pending` prefixes."""

    reason: str
    pending: tuple[Word, ...]
    nodes: int


Outcome = Proved | Exceeded | Stopped


@dataclass(frozen=True)
class _Node:
    state: int
    vector: Vector
    left: Lengths
    word: Cell
    parent: int
    place: int
    score: float


class Search:
    """The searches of one problem with one family of suffix sets; `run` may be called often."""

    def __init__(self, problem: RatioProblem, suffixes: Suffixes) -> None:
        self.problem, self.suffixes = problem, suffixes
        self._stepper = Stepper(problem)

    def run(
        self, ratio: Fraction, lengths: Lengths, clock: Clock, cap: int | None = None
    ) -> Outcome:
        """Whether a word of these lengths has a ratio above `ratio`; `cap`: fewer nodes."""
        asked = lengths
        if self.problem.is_conserving:
            lengths = Lengths(0, lengths.longest)
        run = _Run(self, ratio, lengths)
        try:
            outcome = run.go(clock, cap)
        except KeyboardInterrupt:
            clock.interrupt()
            outcome = Stopped("interrupted", run.pending(), run.nodes)
        if isinstance(outcome, Exceeded):
            word = self._extended(outcome.word, ratio, asked, clock)
            if word is None:
                return Stopped("time limit", run.pending(), run.nodes)
            return Exceeded(word, outcome.nodes)
        return outcome

    def _extended(self, word: Word, ratio: Fraction, lengths: Lengths, clock: Clock) -> Word | None:
        """A violation of a conserving problem, of a length that was asked for, if time allows."""
        state, vector = self.problem.initial, self.problem.difference(ratio)
        for symbol in word:
            vector = self.problem.step(state, vector, symbol)
            state = self.problem.moves[state][symbol]
        while len(word) < lengths.shortest:
            if len(word) >= SHORT_WORD and clock.left <= 0:
                return None
            longer = [
                (symbol, then, self.problem.step(state, vector, symbol))
                for symbol, then in enumerate(self.problem.moves[state])
                if then >= 0
            ]
            # Some child is positive; among those the largest share of its vector.
            symbol, state, vector = max(longer, key=lambda c: self._promise(c[1], c[2]))
            vector = primitive(vector)
            word = (*word, symbol)
        return word

    def _promise(self, state: int, vector: Vector) -> tuple[bool, float]:
        """Exactly whether it is a violation, and about which share of its vector shows it."""
        final = self.problem.finals[state]
        direction = unit_floats(vector)
        share = float(direction @ unit_floats(final)) / (float(abs(direction).sum()) or 1.0)
        return dot(vector, final) > 0, share


class _Run:
    """One search: what is pending, remembered, and proved."""

    def __init__(self, search: Search, ratio: Fraction, lengths: Lengths) -> None:
        self._problem, self._suffixes = search.problem, search.suffixes
        self._stepper = search._stepper
        self._ratio, self._lengths = ratio, lengths
        self._tree = Tree()
        self._memory: dict[tuple[int, Vector], tuple[int, Lengths]] = {}
        self._dominance = Dominance(self._suffixes)
        self._stack: deque[_Node] = deque()
        self._current: _Node | None = None
        self._moves = [sum(then >= 0 for then in row) for row in self._problem.moves]
        # A violation of unbounded length is found in breadth; a bounded one by its promise.
        self._in_breadth = lengths.longest is None

    @property
    def nodes(self) -> int:
        return len(self._tree.children)

    def pending(self) -> tuple[Word, ...]:
        """The prefixes that are not decided."""
        nodes = [*self._stack, *([self._current] if self._current else [])]
        return tuple(read_backwards(node.word) for node in nodes)

    def go(self, clock: Clock, cap: int | None) -> Outcome:
        root = primitive(self._problem.difference(self._ratio))
        start = _Node(self._problem.initial, root, self._lengths, None, -1, 0, 0.0)
        self._current = start
        score, violation = self._judge(start.state, root, self._lengths)
        if violation is not None:
            return Exceeded(violation, 0)
        if score is None:
            self._tree.root_is_cut = True
            return self._proved()
        self._stack.append(start)
        while self._stack:
            self._current = None
            if reason := clock.spent(self.nodes, cap):
                return Stopped(reason, self.pending(), self.nodes)
            # Noted before it leaves the queue: an interrupt between the two loses no prefix.
            node = self._current = self._stack[0 if self._in_breadth else -1]
            _ = self._stack.popleft() if self._in_breadth else self._stack.pop()
            if (word := self._open(node)) is not None:
                return Exceeded(word, self.nodes)
        self._current = None
        return self._proved()

    def _open(self, node: _Node) -> Word | None:
        """Decide or queue the children of a node; a violating word if one is found."""
        if self._replaced(node):
            return None
        number = self._tree.open(node.parent, node.place, self._moves[node.state])
        self._memory[node.state, node.vector] = number, node.left
        left = node.left.after()
        queue = []
        moves = self._stepper.children(node.state, node.vector)
        for place, (symbol, state, vector) in enumerate(moves):
            score, suffix = self._judge(state, vector, left)
            if suffix is not None:
                return (*read_backwards(node.word), symbol, *suffix)
            if score is None:
                self._tree.children[number][place] = CLOSED
                continue
            word = (node.word, symbol)
            queue.append(_Node(state, vector, left, word, number, place, score))
        queue.sort(key=lambda child: child.score)
        self._stack.extend(queue)
        return None

    def _replaced(self, node: _Node) -> bool:
        """Whether an opened node stands for this one; the tree then says so."""
        found: tuple[int, Fraction] | None = None
        known = self._memory.get((node.state, node.vector))
        if known is not None and known[1].covers(node.left):
            found = known[0], Fraction(1)
        elif self.nodes >= _DOMINANCE_FROM:
            found = self._dominance.above(node.state, node.vector, node.left)
        if found is None:
            self._dominance.add(node.state, node.vector, node.left, self.nodes)
            return False
        if node.parent >= 0:
            self._tree.children[node.parent][node.place] = found
        return True

    def _judge(self, state: int, vector: Vector, left: Lengths) -> tuple[float | None, Word | None]:
        """(score, None) if it stays open, (None, None) if cut, (_, suffix) if that violates."""
        if left.longest is not None and left.longest < 0:
            return None, None
        suffixes, conserving = self._suffixes, self._problem.is_conserving
        direction = unit_floats(vector)
        score: float | None = None
        beyond = left.longest is None or left.longest > suffixes.reach
        if beyond:
            sign = suffixes.cone[state].sign(vector, direction)
            if sign.positive >= 0:
                score = sign.score
            elif conserving:
                return None, None
        high = suffixes.reach if left.longest is None else min(left.longest, suffixes.reach)
        # In a conserving problem longer suffixes say what shorter ones do, and more.
        low = high if conserving else left.shortest
        if low <= high:
            tests = suffixes.between(state, low, high)
            sign = tests.sign(vector, direction)
            if sign.positive >= 0:
                return sign.score, tests.words[sign.positive]
        return score, None

    def _proved(self) -> Proved:
        certificate = Certificate(
            self._problem,
            self._ratio,
            self._lengths.shortest,
            self._lengths.longest,
            self._suffixes.reach,
            self._suffixes.depth,
            self._tree.in_preorder(),
        )
        return Proved(certificate, self.nodes)
