"""The largest ratio itself: a promising word, then searches for a better one until there is none.

Contract. `Engine.worst` gives a bracket: `low` is the exact ratio of `word`, `high` a proved upper
bound, equal to `low` when the answer is closed. This is Dinkelbach's method [dinkelbach-1967] on
words: each search asks for a word above the exact ratio of the best one known, so every round ends
with a strictly larger ratio of a real word, and the last with a proof. For words of any number of
symbols the supremum need not be attained; then `low` < `high` may remain however long one waits.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from privet.errors import UndecidedError
from privet.exact import float_down
from privet.weighted.beam import Beam
from privet.weighted.bounds import bound_behind
from privet.weighted.breadth import FIRST, ROUNDS, Glance
from privet.weighted.certificate import Certificate
from privet.weighted.cones import Suffixes
from privet.weighted.limits import SHORT_WORD, Clock, Lengths, Limits
from privet.weighted.polish import polished
from privet.weighted.problem import Ratio, RatioProblem, Word
from privet.weighted.search import Exceeded, Outcome, Proved, Search, Stopped
from privet.weighted.support import infinite_word

STAGES: tuple[tuple[int, int | None], ...] = ((64, 300), (1500, None))
"""(most vectors in a suffix set, most prefixes opened): cheap sets first, then sharp ones."""

FEW_STATES = 6
STAGES_OF_FEW_STATES: tuple[tuple[int, int | None], ...] = ((64, 300), (1500, 1500), (24_000, None))
"""Vectors of few entries are cheap, so many of them, deeper ones, pay where a search gets long."""

_SLACKS = tuple(Fraction(1, 10**digits) for digits in (0, 1, 2, 3, 4, 6, 8, 10))
_MOST_PENDING = 400
"""Open prefixes whose bounds are worth computing exactly."""

_NODES_FOR_THE_LIMIT = 2000
_NEARLY = 1 - 1e-9
"""What rounding may hide of the ratio of a promising word."""

_SECONDS_FOR_BOUNDS = 5.0
_SECONDS_FOR_SHORTER = 0.5

_SHALLOW = 48
"""Symbols of the suffixes in the cheapest sets, if those stay small."""

MOST_SHORT = 48
"""Lengths whose words are tried one by one for a short counterexample."""


@dataclass(frozen=True)
class Worst:
    """`low` <= the largest ratio <= `high`; `reason`: "" if closed, else what stopped the search.

    `word`: has ratio `low`, None if every word is impossible; `certificate`: proves `high`, None
    where that is infinite or follows from a quick bound.
    """

    low: Ratio
    high: Ratio
    word: Word | None
    certificate: Certificate | None
    reason: str

    @property
    def is_closed(self) -> bool:
        """Whether the largest ratio is known exactly."""
        return self.low == self.high


class Engine:
    """Every question about one problem; suffix sets are made once and shared."""

    def __init__(self, problem: RatioProblem) -> None:
        self.problem = problem
        self._families: dict[tuple[int, int | None], Search] = {}
        self._so_far = Worst(Fraction(0), math.inf, None, None, "")
        is_small = max(map(len, problem.finals)) <= FEW_STATES
        self._stages = STAGES_OF_FEW_STATES if is_small else STAGES
        self._glance = Glance(problem)

    def glance(self, ratio: Fraction, lengths: Lengths, clock: Clock) -> Outcome | None:
        """The answer to an easy question; None is none."""
        return self._glance.run(ratio, lengths, FIRST, clock)

    def decide(self, ratio: Fraction, lengths: Lengths, clock: Clock) -> Outcome:
        """Whether a word of these lengths has a ratio above `ratio`, by search alone."""
        for limit in ROUNDS:
            seen = self._glance.run(ratio, lengths, limit, clock)
            if seen is not None:
                return seen
        outcome: Outcome = Stopped("time limit", ((),), 0)
        for most, cap in self._stages:
            search = self._search(most, lengths, clock)
            outcome = search.run(ratio, lengths, clock, cap)
            is_over = isinstance(outcome, Stopped) and (
                outcome.reason == "interrupted" or clock.left <= 0
            )
            if not isinstance(outcome, Stopped) or is_over:
                break
        return outcome

    def guess(self, lengths: Lengths, clock: Clock) -> tuple[Ratio, Word | None]:
        """A word of large ratio, exact as to the ratio.

        None if the beam finds no word, or there is no time to evaluate one; the ratio is then 0, or
        that of a shorter word, some continuation of which is no worse.
        """
        best: Ratio = Fraction(0)
        found: Word | None = None
        promising = sorted(self._candidates(lengths, clock), key=lambda pair: -pair[0])
        for gain, word in promising:
            is_over = clock.left <= 0 or gain < promising[0][0]
            if is_over and found is not None:
                break
            ratio = self._ratio(word, clock)
            if ratio is not None and (found is None or ratio > best):
                best, found = ratio, word
        if found is not None and isinstance(best, Fraction) and lengths.longest is not None:
            better = self._polished(found, clock)
            # None: no time to say how much better, so it is the old one that counts.
            if (ratio := self._ratio(better, clock)) is not None:
                best, found = ratio, better
        return (self._low_of_shorter(lengths), None) if found is None else (best, found)

    def _ratio(self, word: Word, clock: Clock) -> Ratio | None:
        """The ratio of a word; None if both weights are 0, or the time is over."""
        try:
            return self.problem.ratio(word, clock)
        except UndecidedError:
            return None

    def _polished(self, word: Word, clock: Clock) -> Word:
        try:
            return polished(self.problem, word, clock)
        except UndecidedError:
            return word

    def guess_above(self, ratio: Fraction, lengths: Lengths, clock: Clock) -> Word | None:
        """A promising word above a ratio, as short as any that the beam found; None if it has none.

        A short counterexample is the one that people read.
        """
        found: Word | None = None
        best: Ratio = ratio
        likely = float_down(ratio) * _NEARLY
        candidates = self._candidates(lengths, clock, short=True)
        words = [pair for pair in candidates if pair[0] >= likely]
        words.sort(key=lambda pair: (len(pair[1]), -pair[0]))
        for gain, word in words:
            if gain < words[0][0] and found is not None:
                break
            if clock.left <= 0 or (found is not None and len(word) > len(found)):
                break
            weight = self._ratio(word, clock)
            if weight is not None and weight > best:
                best, found = weight, word
        return found

    def upper_bound(self, lengths: Lengths) -> Ratio:
        """A proved bound without search."""
        return bound_behind(self._search(STAGES[0][0], lengths).suffixes, (), lengths)

    def worst(self, lengths: Lengths, limits: Limits) -> Worst:
        """The largest ratio over the words of these lengths, or a bracket."""
        clock = Clock(limits)
        self._so_far = Worst(Fraction(0), math.inf, None, None, "interrupted")
        try:
            found = self._worst(lengths, clock)
        except KeyboardInterrupt:
            return replace(self._so_far, reason="interrupted")
        except UndecidedError:
            return replace(self._so_far, reason="time limit")
        if clock.is_interrupted and found.reason:
            return replace(found, reason="interrupted")
        return found

    def _worst(self, lengths: Lengths, clock: Clock) -> Worst:
        word, _ = infinite_word(self.problem, lengths, clock.part(0.25))
        if word is not None:
            return Worst(math.inf, math.inf, word, None, "")
        low, word = self.guess(lengths, clock.part(0.25))
        if lengths.longest is None:
            return self._in_the_limit(low, word, lengths, clock)
        best = self._climb(low, word, lengths, clock.part(0.5))
        if not best.reason or best.reason == "interrupted":
            return best
        return self._narrow(best, lengths, clock)

    def _low_of_shorter(self, lengths: Lengths) -> Ratio:
        """What prefixes that are quickly evaluated promise of words that are too long."""
        if not self.problem.is_conserving or lengths.shortest <= SHORT_WORD:
            return Fraction(0)
        clock = Clock(Limits(_SECONDS_FOR_SHORTER))
        return self.guess(Lengths(SHORT_WORD, SHORT_WORD), clock)[0]

    def _climb(self, low: Ratio, word: Word | None, lengths: Lengths, clock: Clock) -> Worst:
        """Better words until there is none."""
        quick = self.upper_bound(lengths)
        while isinstance(low, Fraction):
            self._so_far = Worst(low, max(low, quick), word, None, "")
            outcome = self.decide(low, lengths, clock)
            if isinstance(outcome, Proved):
                return Worst(low, low, word, outcome.certificate, "")
            if isinstance(outcome, Stopped):
                high = self.bound_of(outcome, low, lengths, clock.limits)
                # A bound that meets the word closes the question without a tree.
                reason = "" if high == low else outcome.reason
                return Worst(low, high, word, None, reason)
            word = polished(self.problem, outcome.word, clock)
            low = self.problem.ratio(word, clock) or Fraction(0)
        return Worst(math.inf, math.inf, word, None, "")

    def _in_the_limit(self, low: Ratio, word: Word | None, lengths: Lengths, clock: Clock) -> Worst:
        """Words of any number of symbols: a bracket first, for the supremum may not be reached."""
        reason = "no word is known to reach the supremum"
        best = Worst(low, self.upper_bound(lengths), word, None, reason)
        best = self._narrow(best, lengths, clock)
        if isinstance(best.low, Fraction):
            outcome = self.decide(best.low, lengths, clock.part(0.5, _NODES_FOR_THE_LIMIT))
            if isinstance(outcome, Proved):
                return Worst(best.low, best.low, best.word, outcome.certificate, "")
        return best

    def _narrow(self, best: Worst, lengths: Lengths, clock: Clock) -> Worst:
        """Proofs of bounds a little above the best word, nearer and nearer."""
        slacks = iter(_SLACKS)
        slack = next(slacks)
        while isinstance(best.low, Fraction):
            self._so_far = best
            target = best.low * (1 + slack) if best.low else slack
            outcome = self.decide(target, lengths, clock)
            if isinstance(outcome, Stopped):
                return best
            if isinstance(outcome, Exceeded):
                low = self.problem.ratio(outcome.word, clock) or Fraction(0)
                best = Worst(low, max(low, best.high), outcome.word, None, best.reason)
                continue
            if target < best.high:
                best = Worst(best.low, target, best.word, outcome.certificate, best.reason)
            finer = next(slacks, None)
            if finer is None:
                break
            slack = finer
        return best

    def bound_of(
        self, stopped: Stopped, ratio: Fraction, lengths: Lengths, limits: Limits
    ) -> Ratio:
        """What a stopped search for `ratio` has proved; takes a quarter of the limits at most."""
        quick = self.upper_bound(lengths)
        if len(stopped.pending) > _MOST_PENDING:
            return max(quick, ratio)
        # The sharpest sets that are made already: there may be no time for others.
        suffixes = max(
            (s.suffixes for (_, cap), s in self._families.items() if cap == lengths.longest),
            key=lambda family: family.most,
        )
        seconds = math.inf if limits.seconds is None else limits.seconds / 4
        clock, worst = Clock(Limits(min(_SECONDS_FOR_BOUNDS, seconds))), ratio
        for prefix in stopped.pending:
            bound = bound_behind(suffixes, prefix, lengths)
            if bound >= quick or clock.left <= 0:
                return max(quick, ratio)
            worst = max(worst, Fraction(bound))
        return worst

    def _candidates(
        self, lengths: Lengths, clock: Clock, short: bool = False
    ) -> list[tuple[float, Word]]:
        """(about its ratio, word); infinity for all where the list is complete.

        `short`: words of every length, also where a longer one is never worse.
        """
        suffixes = self._glance.suffixes
        if suffixes is None:
            family = self._search(STAGES[0][0], lengths, clock).suffixes
            listed, suffixes = _listed(family, lengths, short), family.floats
        else:
            listed = self._glance.words(lengths, short)
        if listed is not None:
            return listed
        beam = Beam(self.problem, suffixes)
        longest = lengths.longest
        if longest is None:
            size = max(map(len, self.problem.finals))
            longest = lengths.shortest + min(max(32, 4 * size), 96)
        elif lengths.shortest == longest or (self.problem.is_conserving and not short):
            return beam.words(longest, clock)
        found = beam.words(longest, clock, every=True)
        return [(gain, word) for gain, word in found if len(word) >= lengths.shortest]

    def _search(self, most: int, lengths: Lengths, clock: Clock | None = None) -> Search:
        # Deeper sets than the longest word has symbols are never asked for.
        key = most, lengths.longest
        if key not in self._families:
            # The cheap sets are worth having whatever the time.
            least = _SHALLOW if most == STAGES[0][0] else 0
            suffixes = Suffixes(self.problem, most, lengths.longest, clock, least)
            self._families[key] = Search(self.problem, suffixes)
        return self._families[key]


def _listed(suffixes: Suffixes, lengths: Lengths, short: bool) -> list[tuple[float, Word]] | None:
    """Every direction of the words of these lengths, where sets are that deep."""
    if lengths.longest is None or lengths.longest > suffixes.reach:
        return None
    start, each = suffixes.problem.initial, range(lengths.shortest, lengths.longest + 1)
    tests = [suffixes.between(start, lengths.shortest, lengths.longest)]
    if short:
        tests += [suffixes.exact[length][start] for length in each[:MOST_SHORT]]
    return [(math.inf, word) for one in tests for word in one.words]
