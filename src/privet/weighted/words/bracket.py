"""What the exponential mechanism on words spends at a ratio q: a bracket, its upper end proved.

Contract. `spent_bracket` gives low <= epsilon(q) <= high for

    epsilon(q) = max over pairs (w, v) of words of one length with d = 1..adjacency differences of
                 d log(1/q) + log Z(v)/Z(w),

0 where there is no such pair. The lower end is that of a concrete pair of words, computed in exact
integers. The upper end is what `privet.weighted.words_check` accepted: where it accepts nothing
better, the trivial 2 adjacency log(1/q), which always holds. No float, NaN or limit ever decides.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from privet.errors import CertificateError, ParameterError
from privet.exact import log_down, log_up, read_count, up
from privet.weighted.limits import Clock, Lengths, Limits
from privet.weighted.words.certificate import Part, WordCertificate
from privet.weighted.words.engine import Engine, as_float
from privet.weighted.words.problem import Word, WordAutomaton, WordProblem
from privet.weighted.words.symmetry import Symmetry
from privet.weighted.words_check import check_boxes, check_word_certificate

ALL_LENGTHS = Lengths(0, None)

_WIDENINGS = (1.0, 2.0, 4.0, 10.0, 25.0, 60.0)
_QUICK = 30_000
_LONG = 24
_MOST_WORK = 1_500_000
"""Beyond this, setting a search up takes longer than anybody waits: the trivial bound stands."""


@dataclass(frozen=True)
class SpentBracket:
    """`low` <= epsilon <= `high`, natural logarithms as exact rationals.

    `witness`: the pair (w, v) that spends `low`, None where no pair was found (then low = 0);
    `factor`: e^high as an exact ratio; `certificate`: what proves it; `reason`: which limit kept
    the ends apart, "" where they are as close as was asked.
    """

    low: Fraction
    high: Fraction
    witness: tuple[Word, Word] | None
    factor: Fraction
    certificate: WordCertificate
    reason: str

    def __repr__(self) -> str:
        return f"SpentBracket({float(self.low):.6g}..{float(self.high):.6g})"


def spent_bracket(
    automaton: WordAutomaton,
    q: Fraction,
    *,
    adjacency: int = 1,
    lengths: Lengths = ALL_LENGTHS,
    tolerance: float = 0.005,
    time_limit: float | None = 60.0,
    node_limit: int = 1_000_000,
) -> SpentBracket:
    """The epsilon that WordExponential spends at ratio q = e^-rate, bracketed.

    The certificate is about the trimmed and minimised automaton, which has the same words.
    `lengths`: the words that may be released; `tolerance`: the gap that is small enough, as a
    part of epsilon; the limits bound the work (seconds; nodes of one search), never the answer.
    Errors: ModelError for a language without words, ParameterError for numbers out of range.
    """
    adjacency = read_count(adjacency, "adjacency")
    if not 0 < tolerance < math.inf:
        raise ParameterError("tolerance is not positive.", hint="Give a part of epsilon, as 0.005.")
    problem = WordProblem(automaton.trimmed().minimised(), q)
    return _Bracketing(problem, adjacency, lengths, tolerance, Limits(time_limit, node_limit)).run()


class _Bracketing:
    """One question: the parts d = 1, 2, ... one after the other."""

    def __init__(
        self,
        problem: WordProblem,
        adjacency: int,
        lengths: Lengths,
        tolerance: float,
        limits: Limits,
    ) -> None:
        self.problem, self.adjacency, self.lengths = problem, adjacency, lengths
        self.clock = Clock(limits)
        self.rate = float(log_up(1 / problem.q))
        self.tolerance = tolerance
        self.engine: Engine | None = None
        if _work(problem, adjacency) <= _MOST_WORK:
            self.engine = self._engine()
        self.parts: list[Part] = []
        self.reason = ""

    def _engine(self) -> Engine:
        """With boxes for words as short as these, if the checker can follow them in its units."""
        common = self.problem, self.adjacency, self.lengths, self.clock
        engine = Engine(*common, self.lengths.longest)
        if self.lengths.longest is not None:
            try:
                check_boxes(self._document(engine, tuple(engine.symmetries), ()).to_json())
            except CertificateError:
                return Engine(*common, None)
        return engine

    def run(self) -> SpentBracket:
        """The bracket of all parts together."""
        for differences in range(1, self.adjacency + 1):
            self.parts.append(Part(1 / self.problem.q**differences, None))
            if self.engine is None:
                self.reason = "the language is too large to search"
            else:
                share = 1 / (self.adjacency - differences + 1)
                why = self._prove(self.engine, differences, self.clock.part(share))
                self.reason = self.reason or why
        low, witness = self._low()
        factor = max(
            (part.ratio / self.problem.q**d for d, part in enumerate(self.parts, 1) if part.ratio),
            default=Fraction(1),
        )
        return SpentBracket(
            low, log_up(factor), witness, factor, self.certificate(self.parts), self.reason
        )

    def certificate(self, parts: list[Part]) -> WordCertificate:
        """The certificate of some parts."""
        engine = self.engine
        if engine is None or all(part.tree is None for part in parts):
            return WordCertificate(self.problem, self.lengths, (), None, None, tuple(parts))
        return self._document(engine, tuple(engine.symmetries), tuple(parts))

    def _document(
        self, engine: Engine, symmetries: tuple[Symmetry, ...], parts: tuple[Part, ...]
    ) -> WordCertificate:
        left = engine.left_boxes[0], engine.left_boxes[2]
        right = engine.right_boxes[0], engine.right_boxes[2]
        return WordCertificate(self.problem, self.lengths, symmetries, left, right, parts)

    def _low(self) -> tuple[Fraction, tuple[Word, Word] | None]:
        best: Fraction = Fraction(0)
        witness = None
        pairs = {} if self.engine is None else self.engine.pairs
        for differences, (ratio, w, v) in pairs.items():
            spent = log_down(ratio / self.problem.q**differences)
            if witness is None or spent > best:
                best, witness = spent, (w, v)
        return best, witness

    def _prove(self, engine: Engine, differences: int, clock: Clock) -> str:
        """Makes the last part the best that is proved in time; why it is not as close as asked.

        First with few nodes, from the tightest target on until one closes; then with all nodes
        that are allowed, from the next tighter one back.
        """
        engine.compose(differences)
        ladder = self._ladder(differences)
        quick = min(_QUICK, clock.limits.nodes)
        missed, closed = "", len(ladder)
        for place, target in enumerate(ladder):
            why = self._attempt(engine, differences, target, clock, quick)
            if not why:
                closed = place
                break
            missed = missed or why
        for target in reversed(ladder[:closed]):
            why = self._attempt(engine, differences, target, clock, clock.limits.nodes)
            if why:
                return why
            closed -= 1
        return missed if closed else ""

    def _ladder(self, differences: int) -> list[tuple[float, float]]:
        """(slack, floor) from the tightest on; the last ones nearly trivial."""
        unit = self.tolerance * self.rate * differences
        slacks = [unit * wide for wide in _WIDENINGS if unit * wide < self.rate * differences]
        ladder = [(slack, 1.0) for slack in slacks]
        if differences > 1:
            # Far apart, differences do not interact: the products of fewer are nearly attained.
            floor = max(
                as_float(self.parts[d - 1].ratio * self.parts[differences - d - 1].ratio)
                for d in range(1, differences)
            )
            long = self.lengths.longest is None or self.lengths.longest > _LONG
            ladder = [*ladder[: 0 if long else 1], (unit, floor * (1 + 1e-4)), *ladder[1:]]
        return ladder

    def _attempt(
        self,
        engine: Engine,
        differences: int,
        target: tuple[float, float],
        clock: Clock,
        cap: int,
    ) -> str:
        """One search, whose part is kept where it says more; why it did not close, else ""."""
        if clock.left < 0 and differences in engine.pairs:
            return "time limit"
        slack, floor = target
        known = {d: part.ratio for d, part in enumerate(self.parts[:-1], 1)}
        outcome, roots = engine.search(differences, known, slack, floor, clock, cap)
        if outcome.reason:
            return outcome.reason
        if differences not in engine.pairs and floor:
            # Perhaps there is no such pair: only a tree without leaves shows that.
            return self._attempt(engine, differences, (slack, 0.0), clock, cap)
        ratio = up(Fraction(outcome.target), 60)
        if ratio >= self.parts[-1].ratio:
            return ""
        return self._accept(Part(ratio, tuple(outcome.tree.levels(len(roots)))))

    def _accept(self, part: Part) -> str:
        try:
            check_word_certificate(self.certificate([*self.parts[:-1], part]).to_json())
        except CertificateError as error:
            return error.message
        self.parts[-1] = part
        return ""


def _work(problem: WordProblem, adjacency: int) -> int:
    """About how many entries the blocks and the openings of the controls have at least."""
    edges = int((problem.moves >= 0).sum())
    pairs = edges if adjacency == 1 else edges * problem.symbols
    return problem.states * max(problem.states * edges, pairs * adjacency)
