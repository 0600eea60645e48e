"""What the exponential mechanism on words spends at a ratio q: a bracket, its upper end proved.

Contract. `spent_bracket` gives low <= epsilon(q) <= high for

    epsilon(q) = max over pairs (w, v) of words of one length with d = 1..adjacency differences of
                 d log(1/q) + log Z(v)/Z(w),

0 where there is no such pair. The lower end is that of a concrete pair of words, computed in exact
integers. The upper end is what `privet.weighted.words_check` accepted: where it accepts nothing
better, the trivial 2 adjacency log(1/q), which always holds. No float, NaN or limit ever decides.
An interrupt (KeyboardInterrupt) reaches the caller; nothing is kept of a bracket it ended.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from privet.errors import CertificateError, ParameterError
from privet.exact import log_down, log_up, read_count, up
from privet.weighted.limits import Lengths, Limits
from privet.weighted.words.certificate import Part, WordCertificate
from privet.weighted.words.engine import Engine, as_float
from privet.weighted.words.problem import Word, WordAutomaton, WordProblem
from privet.weighted.words.search import MARGIN, MOST_EXPONENT
from privet.weighted.words.watch import OutOfTime, Progress, Watch
from privet.weighted.words_check import PartChecker

ALL_LENGTHS = Lengths(0, None)

_WIDENINGS = (1.0, 2.0, 4.0, 10.0, 25.0, 60.0)
_TIGHTER = 3
"""Parts for fewer differences than the last are multiplied with each other: this much closer."""

_USUAL = 0.005
_SEARCHING = 0.6
"""Of the time that is left, for one search: what it finds must be checked."""

_EXPLORING = 0.2
"""Of the time that is left, once, for better pairs where the first search does not close."""

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
    progress: Progress | None = None,
) -> SpentBracket:
    """The epsilon that WordExponential spends at ratio q = e^-rate, bracketed.

    The certificate is about the trimmed and minimised automaton, which has the same words.
    `lengths`: the words that may be released; `tolerance`: the gap that is small enough, as a
    part of epsilon; the limits bound the work (seconds; nodes of one search), never the answer.
    `progress` is called a few times a second with what is being done and the part of the time
    limit, or of the nodes of the present search, that is used (0..1).
    Errors: ModelError for a language without words, ParameterError for numbers out of range.
    """
    adjacency = read_count(adjacency, "adjacency")
    if not 0 < tolerance < math.inf:
        raise ParameterError("tolerance is not positive.", hint="Give a part of epsilon, as 0.005.")
    problem = WordProblem(automaton.trimmed().minimised(), q)
    watch = Watch(Limits(time_limit, node_limit), progress)
    return _Bracketing(problem, adjacency, lengths, tolerance, watch).run()


@dataclass(frozen=True)
class _Aim:
    """A target for a search: epsilon above the best by the part `wide` of it, or the `floor`.

    `value`: about what it is, as a ratio.
    """

    value: float
    wide: float
    floor: float


class _Bracketing:
    """One question: the parts d = 1, 2, ... one after the other."""

    def __init__(
        self,
        problem: WordProblem,
        adjacency: int,
        lengths: Lengths,
        tolerance: float,
        clock: Watch,
    ) -> None:
        self.problem, self.adjacency, self.lengths = problem, adjacency, lengths
        self.clock = clock
        self.rate = float(log_up(1 / problem.q))
        self.tolerance = tolerance
        self.engine: Engine | None = None
        self.checker: PartChecker | None = None
        self.parts: list[Part] = []
        self.reason = ""
        if _work(problem, adjacency) <= _MOST_WORK:
            self.engine, self.checker = self._prepared()

    def _prepared(self) -> tuple[Engine, PartChecker | None]:
        """An engine whose boxes the checker accepts; no checker if it had no time for any."""
        forms: list[tuple[int | None, bool]] = [(None, True), (None, False)]
        if self.lengths.longest is not None:
            forms.insert(0, (self.lengths.longest, True))
        for longest, narrow in forms:
            self.clock.bell.stage = "boxes"
            engine = Engine(self.problem, self.adjacency, self.lengths, self.clock, longest, narrow)
            try:
                self.clock.bell.stage = "check of the boxes"
                checker = PartChecker(
                    self._document(engine, ()).to_json(), self.adjacency, self.clock.go_on
                )
                checker.check_boxes()
            except OutOfTime:
                break
            except CertificateError as error:
                self.reason = error.message
                continue
            return engine, checker
        return engine, None

    def run(self) -> SpentBracket:
        """The bracket of all parts together."""
        for differences in range(1, self.adjacency + 1):
            self.parts.append(Part(1 / self.problem.q**differences, None))
            if self.engine is None:
                self.reason = "the language is too large to search"
            else:
                share = 1 / (self.adjacency - differences + 1)
                why = self._prove(self.engine, differences, self.clock.part(share))
                self.reason = why if differences == 1 else self.reason or why
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
        return self._document(engine, tuple(parts))

    def _document(self, engine: Engine, parts: tuple[Part, ...]) -> WordCertificate:
        left = engine.left_boxes[0], engine.left_boxes[2]
        right = engine.right_boxes[0], engine.right_boxes[2]
        symmetries = tuple(engine.symmetries)
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

    def _prove(self, engine: Engine, differences: int, clock: Watch) -> str:
        """Makes the last part the best that is proved in time; why it is not as close as asked."""
        engine.compose(differences)
        aims, first = self._aims(differences)
        quick = min(_QUICK, clock.limits.nodes)
        if self.checker is None or not aims:
            self._attempt(engine, differences, _Aim(1.0, self.tolerance, 1.0), clock, quick)
            return "time limit" if aims else "the rate is too small for the units of the checker"
        # With few nodes, until a target closes.
        missed, closed = "", len(aims)
        for place in range(first, len(aims)):
            why = self._attempt(engine, differences, aims[place], clock, quick)
            if why and not missed:
                engine.explore(differences, clock.part(_EXPLORING))
                why = self._attempt(engine, differences, aims[place], clock, quick)
            if not why:
                closed = place
                break
            missed = missed or why
        for place, cap, goes_on in self._again(aims, first, closed, clock.limits.nodes):
            why = self._attempt(engine, differences, aims[place], clock, cap)
            missed = missed or why
            if (why and not goes_on) or (not why and not place):
                break
        proved = as_float(self.parts[-1].ratio)
        close = self._target(differences, aims[0].wide)
        return "" if proved <= max(close, aims[0].value) * (1 + 1e-9) else missed

    def _target(self, differences: int, wide: float) -> float:
        """The ratio with which epsilon is above the best one known by that part of it."""
        best, rate = math.log(engine_best(self.engine, differences)), self.rate * differences
        return math.exp(min(best + wide * (best + rate), MOST_EXPONENT))

    @staticmethod
    def _again(aims: list[_Aim], first: int, closed: int, most: int) -> list[tuple[int, int, bool]]:
        """What else to try: (aim, nodes, whether to go on after a failure)."""
        if first:
            return [(place, min(_QUICK, most), False) for place in range(closed - 1, -1, -1)]
        if most <= _QUICK or not closed:
            return []
        back = [(place, most, False) for place in range(closed - 1, 0, -1)]
        if closed == len(aims):
            return [*back, (0, most, False)]
        # Usually the tightest closes: then the others need not be proved on the way.
        return [(0, most, True), *back]

    def _aims(self, differences: int) -> tuple[list[_Aim], int]:
        """From the tightest on, the last ones nearly trivial; and which to begin with.

        A rate so small that a cut's margin is wider than all of them has none.
        """
        tolerance, rate = self.tolerance, self.rate * differences
        if differences < self.adjacency:
            tolerance = min(tolerance, max(tolerance / _TIGHTER, _USUAL))
        aims = [
            _Aim(self._target(differences, wide), wide, 1.0)
            for times in _WIDENINGS
            if (wide := tolerance * times) < 1 and wide * rate > 2 * MARGIN
        ]
        if differences == 1 or not aims:
            return aims, 0
        # Far apart, differences do not interact: the products of fewer are nearly attained.
        floor = max(
            as_float(self.parts[d - 1].ratio * self.parts[differences - d - 1].ratio)
            for d in range(1, differences)
        )
        product = _Aim(floor * (1 + 1e-4), aims[0].wide, floor * (1 + 1e-4))
        aims = sorted([*aims, product], key=lambda aim: aim.value)
        long = self.lengths.longest is None or self.lengths.longest > _LONG
        return aims, aims.index(product) if long else 0

    def _attempt(self, engine: Engine, differences: int, aim: _Aim, clock: Watch, cap: int) -> str:
        """One search, whose part is kept where it says more; why it did not close, else ""."""
        if clock.left < 0 and differences in engine.pairs:
            return "time limit"
        known = {d: part.ratio for d, part in enumerate(self.parts[:-1], 1)}
        self.clock.bell.stage = f"search for pairs with differences: {differences}"
        outcome, roots = engine.search(
            differences, known, aim.wide, aim.floor, clock.part(_SEARCHING), cap
        )
        if outcome.reason:
            return outcome.reason
        if differences not in engine.pairs and aim.floor:
            # Perhaps there is no such pair: only a tree without leaves shows that.
            return self._attempt(engine, differences, _Aim(0.0, aim.wide, 0.0), clock, cap)
        ratio = up(Fraction(outcome.target), 60)
        if ratio >= self.parts[-1].ratio:
            return ""
        return self._accept(Part(ratio, tuple(outcome.tree.levels(len(roots)))))

    def _accept(self, part: Part) -> str:
        if self.checker is None:
            return "time limit"
        self.clock.bell.stage = "check"
        try:
            self.checker.check(part.to_json(), [part.ratio for part in self.parts[:-1]])
        except CertificateError as error:
            return error.message
        except OutOfTime:
            return "time limit"
        self.parts[-1] = part
        return ""


def engine_best(engine: Engine | None, differences: int) -> float:
    """The largest ratio known, at least 1."""
    known = {} if engine is None else engine.pairs
    return max(1.0, as_float(known[differences][0])) if differences in known else 1.0


def _work(problem: WordProblem, adjacency: int) -> int:
    """About how many entries the blocks and the openings of the controls have at least."""
    edges = int((problem.moves >= 0).sum())
    pairs = edges if adjacency == 1 else edges * problem.symbols
    return problem.states * max(problem.states * edges, pairs * adjacency)
