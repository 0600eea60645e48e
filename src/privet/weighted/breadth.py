"""The quick search: all prefixes of a length at once, in floats whose error is proved.

Contract. As `privet.weighted.search`, for problems with one control state in which a word weighs
what its extensions weigh together. A prefix is dropped where a cover of its suffixes says so, a
word is checked in integers, and what floats leave open is no answer: `Glance.run` gives None. Sets
get deeper from round to round, so an easy question costs little.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privet.weighted.beam import quotients
from privet.weighted.certificate import CUT, SPLIT, Certificate, Step
from privet.weighted.covers import Cover, Covers, FloatArray, Rows
from privet.weighted.limits import Clock, Lengths
from privet.weighted.problem import RatioProblem, Word
from privet.weighted.search import Exceeded, Proved


@dataclass(frozen=True)
class Round:
    """`most`: columns of a cover; `deepest`: symbols of a suffix; `prefixes`: of one length."""

    most: int
    deepest: int
    prefixes: int


FIRST = Round(64, 6, 64)
ROUNDS = (Round(256, 24, 512), Round(768, 64, 8192), Round(4096, 64, 32_768))

_GUESSED = Round(64, 12, 1)
"""What a guess looks ahead to."""

_LISTED = 256
"""The longest words whose best one is known at once, where covers stay small."""

_NEARLY = 1 - 1e-9
_MOST_WORDS = 32
_MOST_LEVELS = 256
"""Symbols after which a few prefixes of no bounded length may stay open for ever."""

_FEWEST = 1e-20
_WORK = 1 << 31
"""Products of two numbers in one round."""


@dataclass(frozen=True)
class _Level:
    """Prefixes of one length: whether each is opened, and the places of those that are."""

    is_open: NDArray[np.bool_]
    opened: NDArray[np.int64]


class Glance:
    """The quick searches of one problem."""

    def __init__(self, problem: RatioProblem, tolerance: float = 1e-9) -> None:
        self._problem = problem
        self.covers: Covers | None = None
        if len(problem.moves) == 1 and problem.is_conserving:
            steps = [matrix for matrix in problem.steps[0] if matrix is not None]
            if len(steps) == len(problem.steps[0]):
                self.covers = Covers(steps, problem.finals[0], tolerance)

    def run(
        self, ratio: Fraction, lengths: Lengths, limit: Round, clock: Clock
    ) -> Proved | Exceeded | None:
        """A proof, a word of these lengths above `ratio`, or None."""
        try:
            return self._run(ratio, lengths, limit, clock)
        except KeyboardInterrupt:
            clock.interrupt()
            return None

    def _run(
        self, ratio: Fraction, lengths: Lengths, limit: Round, clock: Clock
    ) -> Proved | Exceeded | None:
        if self.covers is None or not _FEWEST < ratio < 1 / _FEWEST:
            return None
        rows = self.covers.start(self._problem.first, self._problem.second)
        if rows is None:
            return None
        longest = limit.deepest if lengths.longest is None else lengths.longest
        deepest = min(limit.deepest, longest)
        # Where all ends are known soon, what is beyond them need not be known well.
        most = limit.most if lengths.longest is None or limit is FIRST else limit.most // 4
        depth = _deepest(self.covers.of_depth, most, deepest)
        reach = depth
        if limit is not FIRST:
            reach = _deepest(self.covers.of_length, limit.most, deepest)
            depth = min(depth, reach + 1)
        run = _Run(self._problem, self.covers, ratio, lengths, (reach, depth))
        found = run.go(rows, limit.prefixes, clock)
        if isinstance(found, Certificate):
            return Proved(found, run.nodes)
        return None if found is None else Exceeded(found, run.nodes)

    @property
    def suffixes(self) -> Callable[[int, int], FloatArray | None] | None:
        """What a beam asks for; None where there are no covers."""
        covers = self.covers
        if covers is None:
            return None
        reach = _deepest(covers.of_length, _GUESSED.most, _GUESSED.deepest)

        def floats(left: int, _state: int) -> FloatArray | None:
            cover = covers.of_length(min(left, reach))
            return cover.columns if cover is not None and cover.count else None

        return floats

    def words(self, lengths: Lengths, short: bool) -> list[tuple[float, Word]] | None:
        """(about its ratio, word): the best of the longest length, or (`short`) of each.

        None where the covers are not that deep.
        """
        covers, longest = self.covers, lengths.longest
        if covers is None or longest is None:
            return None
        start = covers.start(self._problem.first, self._problem.second)
        if start is None or longest > _LISTED:
            return None
        if _deepest(covers.of_length, _GUESSED.most, longest) < longest:
            return None
        found = []
        for length in range(lengths.shortest if short else longest, longest + 1):
            cover = covers.of_length(length)
            if cover is None or not cover.count:
                continue
            ((over, under),) = covers.compared(start, cover, 1.0)
            gains = quotients(over, under)[0]
            nearly = np.flatnonzero(gains >= gains.max() * _NEARLY)[:_MOST_WORDS]
            found += [(float(gains[i]), covers.word(length, int(i))) for i in nearly]
        return found


def _deepest(made: Callable[[int], Cover | None], most: int, cap: int) -> int:
    """The most symbols, at most `cap`, whose cover has at most `most` columns."""
    depth, count = 0, 0
    # What is nearly too large is not made larger in vain.
    while depth < cap and 4 * count <= 3 * most:
        cover = made(depth + 1)
        if cover is None or cover.count > most:
            break
        depth, count = depth + 1, cover.count
    return depth


class _Run:
    """One search with the exact sets up to `reach` symbols and the cone of `depth`."""

    def __init__(
        self,
        problem: RatioProblem,
        covers: Covers,
        ratio: Fraction,
        lengths: Lengths,
        sets: tuple[int, int],
    ) -> None:
        self._problem, self._covers, self._ratio, self._lengths = problem, covers, ratio, lengths
        self._reach, self._depth = sets
        self._float = float(ratio)
        self._levels: list[_Level] = []

    @property
    def nodes(self) -> int:
        """Prefixes opened."""
        return sum(len(level.opened) for level in self._levels)

    def go(self, rows: Rows | None, most: int, clock: Clock) -> Certificate | Word | None:
        """The proof, a word, or None; `most`: prefixes of one length."""
        left = self._lengths.longest
        while rows is not None and clock.left > 0:
            is_exact = left is not None and left <= self._reach
            made = self._covers.of_length if is_exact else self._covers.of_depth
            cover = made(left if is_exact and left is not None else self._depth)
            if cover is None or len(rows.pairs) * cover.columns.size > _WORK:
                return None
            if is_exact and left is not None:
                return self._ended(rows, cover, left)
            is_open = ~self._covers.are_below(rows, cover, self._float)
            opened = np.flatnonzero(is_open)
            self._levels.append(_Level(is_open, opened))
            if not len(opened):
                return self._proof()
            if len(opened) * self._problem.symbols > most:
                return None
            rows = self._covers.children(Rows(rows.pairs[opened], rows.slack))
            left = None if left is None else left - 1
            if left is None and len(self._levels) > _MOST_LEVELS:
                return None
        return None

    def _ended(self, rows: Rows, cover: Cover, left: int) -> Certificate | Word | None:
        """The answer where all suffixes have just so many symbols: a tie is none."""
        start = 0
        for over, under in self._covers.compared(rows, cover, self._float):
            if not (over <= under).all():
                place, column = np.unravel_index(int(quotients(over, under).argmax()), over.shape)
                word = (*self._prefix(start + int(place)), *self._covers.word(left, int(column)))
                a, b = self._problem.weights(word)
                return word if a * self._ratio.denominator > self._ratio.numerator * b else None
            start += len(over)
        self._levels.append(_Level(np.zeros(start, np.bool_), np.zeros(0, np.int64)))
        return self._proof()

    def _prefix(self, place: int) -> Word:
        """The prefix with that number among those of its length."""
        symbols, count = [], self._problem.symbols
        for level in reversed(self._levels):
            symbols.append(place % count)
            place = int(level.opened[place // count])
        return tuple(reversed(symbols))

    def _proof(self) -> Certificate:
        """The prefixes as a tree."""
        is_open = [level.is_open.tolist() for level in self._levels]
        ranks = [(level.is_open.cumsum() - 1).tolist() for level in self._levels]
        count, tree = self._problem.symbols, list[Step]()
        stack = [(0, 0)]
        while stack:
            length, place = stack.pop()
            if not is_open[length][place]:
                tree.append(CUT)
                continue
            tree.append(SPLIT)
            start = ranks[length][place] * count
            stack += [(length + 1, start + symbol) for symbol in reversed(range(count))]
        # A word weighs what its extensions do, so the proof is one for every shorter length, too.
        return Certificate(
            self._problem,
            self._ratio,
            0,
            self._lengths.longest,
            self._reach,
            self._depth,
            tuple(tree),
        )
